"""A live run into a recording."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import tracekit
from tests.conftest import TOKEN
from tracekit import Recorder, RunOptions, Script, ScriptedSource, Target
from tracekit.errors import (
    DocumentError,
    JournalLeft,
    ModelBusy,
    OutputBusy,
    OutputExists,
    RecordingUnfinished,
)
from tracekit.format.codec import encode
from tracekit.storage.journal import parse_journal
from tracekit.streaming.exclusion import exclusively
from tracekit.streaming.source import Interpreter


def test_the_recording_reads_back_as_what_was_streamed(pointer, request_json, tmp_path):
    trace = tracekit.record(pointer, request_json, tmp_path / "run.json")

    assert tracekit.load(tmp_path / "run.json") == trace
    assert trace["summary"]["joint_success"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_row_is_in_the_journal_before_it_is_handed_on(tokens, tmp_path):
    target = Target(tmp_path / "run.json")
    with Recorder(tokens(5), {}, target, RunOptions(interval_seconds=0)) as recorder:
        for _ in recorder.batches():
            journal = parse_journal((tmp_path / "run.json.journal").read_bytes(), "journal")
            assert journal.rows == recorder.rows


def test_the_recording_is_the_canonical_bytes_of_its_trace(tokens, tmp_path):
    with Recorder(tokens(40), {}, Target(tmp_path / "run.json"), RunOptions(interval_seconds=0)) as recorder:
        batches = [len(batch) for batch in recorder.batches()]

    assert sum(batches) == 40
    assert (tmp_path / "run.json").read_bytes() == encode(recorder.trace)


def test_what_a_consumer_does_to_a_row_does_not_reach_the_recording(tokens, tmp_path):
    with Recorder(tokens(3), {}, Target(tmp_path / "run.json")) as recorder:
        for batch in recorder.batches():
            for row in batch:
                row["text"] = "b"

    recorded = tracekit.load(tmp_path / "run.json")
    assert [row["text"] for row in recorded["trace"]] == ["a", "a", "a"]


def test_a_failed_run_is_recorded_and_its_error_comes_out(tokens, tmp_path):
    error = ValueError("bad weights")

    with pytest.raises(ValueError, match="bad weights"):
        tracekit.record(tokens(3, error=error), {}, tmp_path / "run.json")

    trace = tracekit.load(tmp_path / "run.json")
    assert trace["status"] == "failed"
    assert trace["error"] == {"type": "ValueError", "message": "bad weights"}
    assert len(trace["trace"]) == 3


@pytest.mark.parametrize("bad", [{"token_id": 1 << 64}, {"text": "\ud800"}], ids=["integer", "surrogate"])
def test_a_row_that_json_cannot_hold_fails_the_run_and_the_rows_before_it_stay(bad, tmp_path):
    source = ScriptedSource("token", Script([TOKEN, {**TOKEN, **bad}, TOKEN]))

    with pytest.raises(DocumentError, match="holds something that JSON cannot"):
        tracekit.record(source, {}, tmp_path / "run.json")

    trace = tracekit.load(tmp_path / "run.json")
    assert trace["status"] == "failed"
    assert trace["error"]["type"] == "DocumentError"
    assert [row["index"] for row in trace["trace"]] == [0]


def test_an_error_whose_message_json_cannot_hold_is_recorded_as_near_as_can_be(tokens, tmp_path):
    with pytest.raises(ValueError, match="no file"):
        tracekit.record(tokens(1, error=ValueError("no file \udcff")), {}, tmp_path / "run.json")

    assert tracekit.load(tmp_path / "run.json")["error"] == {
        "type": "ValueError",
        "message": "no file \\udcff",
    }


def test_an_error_without_a_message_of_its_own_is_recorded_all_the_same(tokens, tmp_path):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    with pytest.raises(Mute):
        tracekit.record(tokens(1, error=Mute()), {}, tmp_path / "run.json")

    assert tracekit.load(tmp_path / "run.json")["error"]["type"] == "Mute"


def test_a_summary_that_cannot_be_made_fails_the_run_and_its_rows_stay(tmp_path):
    class Judging(Interpreter):
        def summary(self, rows, stop_reason):
            return {"stop_reason": stop_reason, "tokens": 1 // 0}

    class Judged(ScriptedSource):
        def interpreter(self, request):
            return Judging(self.kind)

    with pytest.raises(ZeroDivisionError):
        tracekit.record(Judged("token", Script([TOKEN])), {}, tmp_path / "run.json")

    trace = tracekit.load(tmp_path / "run.json")
    assert trace["status"] == "failed"
    assert trace["error"]["type"] == "ZeroDivisionError"
    assert len(trace["trace"]) == 1


def test_a_run_that_never_began_leaves_no_recording(tokens, tmp_path):
    source = tokens(1)
    with exclusively(source.exclusive, threading.Event(), None), pytest.raises(ModelBusy):
        tracekit.record(source, {}, tmp_path / "run.json", RunOptions(wait_seconds=0.05))

    assert list(tmp_path.iterdir()) == []


def test_leaving_early_records_a_cancelled_run_with_every_row_so_far(tokens, tmp_path):
    source = tokens(4, times=[0.0, 0.0, 0.05, 30.0])
    with Recorder(source, {}, Target(tmp_path / "run.json"), RunOptions(interval_seconds=0)) as recorder:
        for _ in recorder.batches():
            if len(recorder.rows) >= 3:
                break

    trace = tracekit.load(tmp_path / "run.json")
    assert trace["status"] == "cancelled"
    assert trace["trace"] == recorder.rows
    assert len(trace["trace"]) == 3


def test_an_exception_in_the_consumer_finishes_the_recording_first(tokens, tmp_path):
    recorder = Recorder(tokens(3), {}, Target(tmp_path / "run.json"))

    def interrupt_after_the_first_rows():
        with recorder:
            next(recorder.batches())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt_after_the_first_rows()

    assert tracekit.load(tmp_path / "run.json")["status"] == "cancelled"


def test_a_recording_that_is_there_is_refused_before_the_model_runs(tokens, tmp_path):
    (tmp_path / "run.json").write_text("mine")

    with pytest.raises(OutputExists, match="is there already"):
        tracekit.record(tokens(1), {}, tmp_path / "run.json")

    assert (tmp_path / "run.json").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_two_recorders_of_one_path_the_second_is_refused(tokens, tmp_path):
    first = Recorder(tokens(1), {}, Target(tmp_path / "run.json"))

    with first, pytest.raises(OutputBusy, match="another recorder"):
        tracekit.record(tokens(1), {}, tmp_path / "run.json")


def test_the_journal_of_a_dead_recorder_is_not_overwritten(tokens, tmp_path):
    (tmp_path / "run.json.journal").write_text('{"schema_version":2}\n')

    with pytest.raises(JournalLeft, match=r"tracekit recover .*run\.json\.journal"):
        tracekit.record(tokens(1), {}, tmp_path / "run.json")


def test_what_the_reader_would_refuse_is_not_written_and_the_journal_kept(tokens, tmp_path):
    recorder = Recorder(tokens(1, stop_reason=""), {}, Target(tmp_path / "run.json"))

    with pytest.raises(RecordingUnfinished, match=r"/summary/stop_reason: .* tracekit recover"), recorder:
        list(recorder.batches())

    assert [path.name for path in tmp_path.iterdir()] == ["run.json.journal"]
    assert tracekit.recover(tmp_path / "run.json.journal").rows == 1


def test_a_folder_gets_a_new_file_named_by_time_and_id(tokens, tmp_path):
    with Recorder(tokens(1), {}, Target(tmp_path)) as recorder:
        list(recorder.batches())

    trace = recorder.trace
    stamp = trace["created_at"][:19].replace("-", "").replace(":", "")
    assert recorder.path == tmp_path / f"run-{stamp}Z-{trace['id'][-8:]}.json"


def test_a_missing_folder_is_refused_in_words(tokens, tmp_path):
    with pytest.raises(tracekit.TracekitError, match="nowhere: there is no such folder; make it first"):
        tracekit.record(tokens(1), {}, tmp_path / "nowhere" / "run.json")


def test_other_people_may_read_a_recording_as_the_mask_says(tokens, tmp_path):
    mask = os.umask(0o022)
    tracekit.record(tokens(1), {}, tmp_path / "run.json")
    os.umask(mask)

    assert Path(tmp_path / "run.json").stat().st_mode & 0o777 == 0o644
