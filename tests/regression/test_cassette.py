"""A source that answers from recordings."""

from __future__ import annotations

import threading

import pytest

import tracekit
from tests.regression.traces import letter, token, tokens
from tracekit import RunOptions, Script, ScriptedSource, cassette, load
from tracekit.errors import RecordedFailure, RequestError, UnreadableDocument, UnrecordedRequest, UsageError

ROWS = [letter("A", 0.9), letter("B", 0.1, 0.8)]


def refuse():
    """A source that must not be loaded."""
    raise AssertionError("the model was loaded")


def played(source, request, options=None):
    """The whole trace of one run."""
    *_, trace = tracekit.stream(source, request, options=options)
    return trace


@pytest.fixture
def folder(tmp_path):
    """A cassette with one recorded run of {"ask": 1}, at 0 and 30 seconds."""
    model = ScriptedSource("loop", Script(ROWS, stop_reason="head"))
    trace = played(cassette(model, tmp_path / "tape", "new"), {"ask": 1})
    trace["trace"][1]["arrival_seconds"] = trace["inference_seconds"] = 30.0
    (path,) = (tmp_path / "tape").iterdir()
    tracekit.save(trace, path, overwrite=True)
    return tmp_path / "tape"


def test_the_recorded_rows_come_at_once_with_their_recorded_times(folder):
    (path,) = folder.iterdir()

    trace = played(cassette(refuse, folder), {"ask": 1})

    assert trace["trace"] == load(path)["trace"]
    assert trace["summary"] == load(path)["summary"]
    assert trace["source"] == "recorded"
    assert trace["inference_seconds"] == pytest.approx(30.0, abs=0.5)


def test_waiting_plays_at_the_recorded_times_and_can_be_cancelled(folder):
    options = RunOptions(interval_seconds=0)
    snapshots = tracekit.stream(cassette(None, folder, wait=True), {"ask": 1}, options=options)

    first = next(snapshots)
    threading.Timer(0.2, options.cancel.set).start()
    last = list(snapshots)[-1]

    assert len(first["trace"]) == 1
    assert last["status"] == "cancelled"
    assert len(last["trace"]) == 1


def test_the_pointer_model_plays_as_it_ran(pointer, request_json, tmp_path):
    live = played(cassette(pointer, tmp_path, "once"), request_json)

    again = played(cassette(refuse, tmp_path), request_json)

    same = ("kind", "request", "settings", "model", "checkpoint", "trace", "summary")
    assert {key: again[key] for key in same} == {key: live[key] for key in same}
    assert (live["source"], again["source"]) == ("live", "recorded")


def test_a_request_object_is_asked_as_its_payload(pointer, request_json, tmp_path):
    played(cassette(pointer, tmp_path, "once"), request_json)

    trace = played(cassette(refuse, tmp_path), pointer.parse_request(request_json))

    assert trace["summary"]["joint_success"] is True


def test_a_request_that_was_not_recorded_names_the_nearest_and_what_differs(folder):
    source = cassette(None, folder)

    with pytest.raises(UnrecordedRequest, match=r"differs in /request/ask: asked 2, recorded 1$") as raised:
        played(source, {"ask": 2})

    assert source.tape.missed == [raised.value]


def test_settings_that_the_recording_does_not_have_are_no_match(pointer, request_json, tmp_path):
    played(cassette(pointer, tmp_path, "once"), request_json)

    with pytest.raises(UnrecordedRequest, match=r"/settings/safety_cap: asked 3, recorded 272"):
        played(cassette(refuse, tmp_path).with_settings({"safety_cap": 3}), request_json)


def test_a_loaded_source_asks_with_its_own_settings(pointer, request_json, tmp_path):
    played(cassette(pointer, tmp_path, "once"), request_json)

    with pytest.raises(UnrecordedRequest, match=r"/settings/threshold: asked 0\.25, recorded 0\.5"):
        played(cassette(pointer.with_settings({"threshold": 0.25}), tmp_path), request_json)


def test_a_failed_run_fails_again_after_its_rows(tmp_path):
    model = ScriptedSource("loop", Script(ROWS, error=ValueError("bad weights")))
    with pytest.raises(ValueError, match="bad weights"):
        played(cassette(model, tmp_path, "new"), {})
    snapshots = tracekit.stream(cassette(None, tmp_path), {})

    assert [len(next(snapshots)["trace"]) for _ in range(2)] == [1, 2]
    with pytest.raises(RecordedFailure, match="bad weights"):
        next(snapshots)


def test_a_cancelled_recording_is_not_kept(tmp_path):
    options = RunOptions(interval_seconds=0)
    model = ScriptedSource("loop", Script(ROWS, times=[0.0, 30.0]))
    snapshots = tracekit.stream(cassette(model, tmp_path, "new"), {}, options=options)
    next(snapshots)

    snapshots.close()

    assert list(tmp_path.iterdir()) == []


def test_all_records_again_in_place(folder):
    model = ScriptedSource("loop", Script([letter("Z", 0.7)]))
    (path,) = folder.iterdir()

    played(cassette(model, folder, "all"), {"ask": 1})

    assert list(folder.iterdir()) == [path]
    assert load(path)["trace"][0]["prediction"] == "Z"


def test_once_plays_only_where_there_is_something(folder):
    with pytest.raises(UnrecordedRequest):
        played(cassette(refuse, folder, "once"), {"ask": 2})


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("sometimes", "expected one of none, once, new, all"),
        ("new", "needs a source"),
        ("none", "holds no recordings"),
    ],
)
def test_a_cassette_that_cannot_work_is_refused_when_it_is_made(tmp_path, mode, told):
    with pytest.raises(UsageError, match=told):
        cassette(None, tmp_path / "nothing", mode)


def test_recordings_of_two_kinds_are_refused(folder):
    tracekit.save(tokens(token(1, -0.1)), folder / "tokens.json")

    with pytest.raises(UsageError, match="recordings of one kind, not loop and token"):
        cassette(None, folder)


def test_a_damaged_recording_is_refused_by_name(folder):
    (path,) = folder.iterdir()
    path.write_text("{")

    with pytest.raises(UnreadableDocument, match=path.name):
        cassette(None, folder)


def test_a_request_that_is_no_object_is_refused(folder):
    with pytest.raises(RequestError, match="expected a JSON object"):
        played(cassette(None, folder), "ask 1")
