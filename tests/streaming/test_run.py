"""One run: a worker that owns the model, rows on the consumer's side."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.conftest import TOKEN
from tracekit import RunOptions, Script, ScriptedSource, Source
from tracekit.errors import InvalidTrace, ModelBusy, NonFiniteNumber, RequestError
from tracekit.streaming.exclusion import exclusively, is_busy
from tracekit.streaming.run import Run


def worker_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "tracekit-run"]


def rows_of(run: Run) -> list[dict[str, Any]]:
    return [row for batch in run.batches() for row in batch]


class Stuck(Source):
    """Emits one row, and then hears nothing until it is freed."""

    kind = "token"

    def __init__(self) -> None:
        self.freed = threading.Event()

    def observe(self, request: Any, emit: Any) -> str:
        emit(TOKEN)
        self.freed.wait()
        return "end"


class Endless(Source):
    """Emits until it is stopped, and remembers how far it came."""

    kind = "token"

    def __init__(self) -> None:
        self.emitted = 0

    def observe(self, request: Any, emit: Any) -> str:
        while True:
            self.emitted += 1
            emit(TOKEN)


def test_rows_come_numbered_in_order_and_the_ending_says_complete(tokens):
    run = Run(tokens(3, stop_reason="eos"), {})

    rows = rows_of(run)

    assert [row["index"] for row in rows] == [0, 1, 2]
    assert run.ending.status == "complete"
    assert run.tail(rows)["summary"]["stop_reason"] == "eos"


def test_arrivals_are_the_producers_not_the_consumers(tokens):
    ticks = iter([100.0, 100.0, 100.25, 101.5, 102.0, *[103.0] * 20])
    run = Run(tokens(2), {}, RunOptions(clock=lambda: next(ticks)))

    rows = rows_of(run)

    assert [row["arrival_seconds"] for row in rows] == [0.25, 1.5]
    assert run.ending.seconds == 2.0


def test_a_source_may_say_when_a_row_arrived():
    class Late(Source):
        kind = "token"

        def observe(self, request, emit):
            chosen = emit.now()
            emit.now()
            emit(TOKEN, at=chosen)
            return "eos"

    ticks = iter([5.0, 6.0, 9.0, *[10.0] * 20])
    rows = rows_of(Run(Late(), {}, RunOptions(clock=lambda: next(ticks))))

    assert rows[0]["arrival_seconds"] == 1.0


def test_a_model_error_lies_in_the_ending_after_every_row_before_it(tokens):
    error = RuntimeError("out of memory")
    run = Run(tokens(5, error=error, error_at=3), {})

    rows = rows_of(run)

    assert len(rows) == 3
    assert run.error is error
    assert run.tail(rows)["error"] == {"type": "RuntimeError", "message": "out of memory"}


def test_a_row_that_is_not_finite_ends_the_run_and_names_itself():
    rows = [TOKEN, {**TOKEN, "logprob": float("nan")}, TOKEN]
    run = Run(ScriptedSource("token", Script(rows)), {})

    kept = rows_of(run)

    assert len(kept) == 1
    assert isinstance(run.error, NonFiniteNumber)
    assert "/trace/1/logprob" in str(run.error)


def test_a_row_that_arrives_before_the_one_before_it_ends_the_run():
    class Backwards(Source):
        kind = "token"

        def observe(self, request, emit):
            now = emit.now()
            emit(TOKEN, at=now + 2)
            emit(TOKEN, at=now + 1)
            return "eos"

    run = Run(Backwards(), {})

    assert len(rows_of(run)) == 1
    assert isinstance(run.error, InvalidTrace)
    assert "/trace/1/arrival_seconds: expected no earlier arrival" in str(run.error)


def test_rows_come_seldom_where_nobody_watches_unless_it_is_said_how_often():
    assert RunOptions().interval == pytest.approx(1 / 30)
    assert RunOptions(watched=False).interval == pytest.approx(1 / 4)
    assert RunOptions(interval_seconds=0.0, watched=False).interval == 0.0


def test_closing_the_iterator_ends_the_model_and_leaves_no_thread():
    source = Endless()
    batches = Run(source, {}).batches()
    next(batches)

    batches.close()

    emitted = source.emitted
    assert worker_threads() == []
    assert not is_busy(source)
    assert source.emitted == emitted


def test_a_set_cancel_ends_the_run_as_cancelled():
    source, cancel = Endless(), threading.Event()
    run = Run(source, {}, RunOptions(cancel=cancel))
    batches = run.batches()
    rows = list(next(batches))
    cancel.set()

    rows += [row for batch in batches for row in batch]

    assert run.ending.status == "cancelled"
    assert run.tail(rows)["inference_seconds"] >= rows[-1]["arrival_seconds"]
    assert worker_threads() == []


def test_a_cancel_that_was_set_before_never_calls_the_model():
    source, cancel = Endless(), threading.Event()
    cancel.set()

    assert rows_of(Run(source, {}, RunOptions(cancel=cancel))) == []
    assert source.emitted == 0


def test_a_slow_consumer_makes_the_model_wait_instead_of_losing_rows(tokens):
    run = Run(tokens(500), {}, RunOptions(queue_rows=8, interval_seconds=0.0))

    rows = rows_of(run)

    assert [row["index"] for row in rows] == list(range(500))


def test_a_model_that_waits_for_room_can_be_cancelled():
    source = Endless()
    batches = Run(source, {}, RunOptions(queue_rows=4)).batches()
    next(batches)

    batches.close()

    assert worker_threads() == []


def test_a_second_run_of_one_model_waits_for_the_first():
    source = Endless()
    first = Run(source, {}).batches()
    next(first)
    second = Run(source, {}, RunOptions(wait_seconds=0.05)).batches()

    with pytest.raises(ModelBusy, match=r"still busy .* 0\.05 s"):
        next(second)

    first.close()
    third = Run(source, {}).batches()
    assert len(next(third)) >= 1
    third.close()


def test_who_waits_in_line_can_be_cancelled():
    source, cancel = Endless(), threading.Event()
    with exclusively(source, threading.Event(), None):
        threading.Timer(0.05, cancel.set).start()
        run = Run(source, {}, RunOptions(cancel=cancel))
        assert rows_of(run) == []

    assert run.ending.status == "cancelled"
    assert source.emitted == 0


def test_a_refused_request_runs_nothing(tokens):
    with pytest.raises(RequestError, match="expected a JSON object; found list"):
        Run(tokens(1), [])


def test_a_run_that_nobody_iterated_counts_as_cancelled(tokens):
    run = Run(tokens(1), {})

    assert run.tail([]) == {"status": "cancelled", "inference_seconds": 0.0}


def test_who_interrupts_a_cancelled_run_does_not_wait_for_a_stuck_model_which_stays_busy():
    source, cancel = Stuck(), threading.Event()
    run = Run(source, {}, RunOptions(cancel=cancel, interval_seconds=0))
    batches = run.batches()
    next(batches)
    cancel.set()

    with pytest.raises(KeyboardInterrupt):
        batches.throw(KeyboardInterrupt)

    assert run.ending.status == "cancelled"
    assert is_busy(source)
    source.freed.set()
    with exclusively(source, threading.Event(), wait_seconds=10):
        assert worker_threads() == []


def test_a_model_that_may_not_start_leaves_nothing_held(monkeypatch, tokens):
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    source = tokens(1)
    monkeypatch.setattr(threading.Thread, "start", refuse)

    with pytest.raises(RuntimeError, match="can't start new thread"):
        rows_of(Run(source, {}))

    assert not is_busy(source)
