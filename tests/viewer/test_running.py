"""A live run in the background: it ends by itself, when it is stopped, and when nobody watches."""

from __future__ import annotations

from typing import Any

import pytest

import tracekit
from tests.viewer.slow import SlowSource
from tracekit.errors import RequestError
from tracekit.streaming.exclusion import is_busy
from tracekit.viewer.running import LiveRun

LONG = 256
PATIENCE_SECONDS = 30


@pytest.fixture
def slow(pointer: Any) -> SlowSource:
    return SlowSource(pointer.model, pointer.tokenizer, pointer.spec, pointer.settings)


def test_a_run_that_ends_by_itself_is_a_whole_trace(pointer: tracekit.Source, request_json: Any) -> None:
    run = LiveRun(pointer, request_json)
    assert (run.stage, run.trace["status"], run.trace["trace"]) == ("waiting", "streaming", [])

    run.start()

    assert run.wait(PATIENCE_SECONDS)
    assert (run.stage, run.trace["status"], len(run.trace["trace"])) == ("ended", "complete", 12)
    assert tracekit.decode(tracekit.encode(run.trace)) == run.trace


def test_stop_ends_a_run_and_frees_the_model(slow: SlowSource, request_json: Any) -> None:
    run = LiveRun(slow, {**request_json, "steps": LONG})
    run.start()

    run.stop()

    assert run.wait(PATIENCE_SECONDS)
    assert run.trace["status"] == "cancelled"
    assert len(run.trace["trace"]) < LONG
    assert not is_busy(slow.exclusive)


def test_a_run_that_nobody_watches_any_more_ends(slow: SlowSource, request_json: Any) -> None:
    run = LiveRun(slow, {**request_json, "steps": LONG}, is_watched=lambda: False, watch_seconds=0.01)

    run.start()

    assert run.wait(PATIENCE_SECONDS)
    assert run.trace["status"] == "cancelled"


def test_a_second_run_waits_in_line_for_the_first(slow: SlowSource, request_json: Any) -> None:
    first, second = (LiveRun(slow, {**request_json, "steps": LONG}) for _ in range(2))
    first.start()
    assert not first.wait(0.5)
    second.start()
    assert not second.wait(0.5)
    assert (first.stage, second.stage) == ("running", "waiting")

    second.stop()
    assert second.wait(PATIENCE_SECONDS)
    first.stop()
    assert first.wait(PATIENCE_SECONDS)

    assert second.trace["trace"] == []
    assert second.trace["status"] == "cancelled"


def test_a_request_that_the_source_refuses_never_runs(pointer: tracekit.Source, request_json: Any) -> None:
    with pytest.raises(RequestError, match="/steps: expected an integer from 1 to 256"):
        LiveRun(pointer, {**request_json, "steps": 0})


def test_what_the_model_raises_is_in_the_trace(tokens: Any) -> None:
    run = LiveRun(tokens(3, error=ValueError("no more")), {})

    run.start()

    assert run.wait(PATIENCE_SECONDS)
    assert run.trace["status"] == "failed"
    assert run.trace["error"] == {"type": "ValueError", "message": "no more"}
