"""A live run as cumulative snapshots."""

from __future__ import annotations

import threading

import pytest

from tests.conftest import TOKEN
from tracekit import RunOptions, Script, ScriptedSource, encode, stream
from tracekit.streaming.source import Interpreter


def test_a_snapshot_a_row_then_the_whole_trace(tokens):
    snapshots = list(stream(tokens(3, stop_reason="eos"), {"prompt": "x"}))

    assert [(s["status"], len(s["trace"])) for s in snapshots] == [
        ("streaming", 1),
        ("streaming", 2),
        ("streaming", 3),
        ("complete", 3),
    ]
    assert snapshots[-1]["summary"]["text"] == "aaa"


def test_every_snapshot_is_a_valid_document(pointer, request_json):
    for snapshot in stream(pointer, request_json):
        assert encode(snapshot).startswith(b'{\n"schema_version": 2,\n')


def test_an_earlier_snapshot_does_not_change_when_rows_arrive(tokens):
    snapshots = stream(tokens(2), {})
    first = next(snapshots)
    next(snapshots)

    assert len(first["trace"]) == 1


def test_what_the_model_raises_comes_out_as_itself(tokens):
    error = MemoryError("no room")
    snapshots = stream(tokens(2, error=error), {})
    seen = []

    with pytest.raises(MemoryError) as raised:
        seen.extend(snapshots)

    assert raised.value is error
    assert len(seen) == 2


def test_a_cancelled_run_says_so_in_its_last_snapshot(tokens):
    cancel = threading.Event()
    cancel.set()

    snapshots = list(stream(tokens(2), {}, options=RunOptions(cancel=cancel)))

    assert [s["status"] for s in snapshots] == ["cancelled"]


def test_the_header_carries_the_users_metadata(tokens):
    snapshots = list(stream(tokens(1), {}, metadata={"ticket": "A-1"}))

    assert snapshots[0]["metadata"] == {"ticket": "A-1"}
    assert snapshots[0]["source"] == "live"


def test_a_summary_that_cannot_be_made_is_an_error_after_every_row():
    class Judging(Interpreter):
        def summary(self, rows, stop_reason):
            return {"tokens": 1 // 0}

    class Judged(ScriptedSource):
        def interpreter(self, request):
            return Judging(self.kind)

    snapshots, seen = stream(Judged("token", Script([TOKEN, TOKEN])), {}), []

    with pytest.raises(ZeroDivisionError):
        seen.extend(snapshots)

    assert len(seen) == 2
