"""One run: a worker thread that owns the forward, rows on the consumer's side.

The worker hands observations over through a bounded queue, each with its arrival time. If
the consumer is slower than the model for so long that the queue is full, the model waits;
nothing is dropped.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tracekit.format.rows import EncodedRows
from tracekit.format.types import Json
from tracekit.streaming.cancellation import Cancelled
from tracekit.streaming.ending import Ending, observe_to_the_end
from tracekit.streaming.exclusion import exclusively
from tracekit.streaming.rows import RowMaker
from tracekit.streaming.source import Observed, Source, accepted

__all__ = ["Ending", "Run", "RunOptions"]

# Every wake of the consumer takes the interpreter from the model for a moment. A model that
# makes a row in 0.3 ms would be slowed by a third; thirty wakes a second are live to the eye,
# and where there is no eye, four are enough for the journal.
WATCHED_SECONDS = 1 / 30
UNWATCHED_SECONDS = 1 / 4

_FULL_QUEUE_SECONDS = 0.001
_LONGEST_SLEEP_SECONDS = 0.05

# Far more than a loop or a sentence, so a consumer that pauses for a moment never stops the model.
QUEUE_ROWS = 4096


@dataclass(frozen=True)
class RunOptions:
    """How a run is carried out. `cancel` may be set from any thread.

    `wait_seconds` is how long to wait in line for a model that another run holds; None
    waits as long as it takes. `clock` gives seconds and never goes back. A row is handed on
    at once, but not sooner than `interval_seconds` after the rows before it; by default, as
    often as an eye can follow, or four times a second if the run is not `watched`.
    """

    cancel: threading.Event = field(default_factory=threading.Event)
    wait_seconds: float | None = None
    clock: Callable[[], float] = time.perf_counter
    queue_rows: int = QUEUE_ROWS
    interval_seconds: float | None = None
    watched: bool = True

    @property
    def interval(self) -> float:
        """Seconds from one handing-on to the next, at least."""
        if self.interval_seconds is not None:
            return self.interval_seconds
        return WATCHED_SECONDS if self.watched else UNWATCHED_SECONDS


class Run:
    """Iterate for rows, in batches of all that have arrived; then `ending` is there.

    An error of the model does not come out of the iterator but lies in the ending, so
    that whoever records can finish first. Closing the iterator cancels the run at its next
    step, and returns when the worker is gone and the model is free. `encoded` is the batch
    that came last as JSON, whatever its consumer does to the rows. `began`: the model was called.
    """

    def __init__(self, source: Source, request: object, options: RunOptions | None = None) -> None:
        self.source = source
        self.request = accepted(source, request)
        self.options = options or RunOptions()
        self.ending: Ending | None = None
        self.began = False
        self.encoded = EncodedRows([], b"")
        self._maker = RowMaker(source, self.request)
        self._arrived = 0.0

    def batches(self, on_start: Callable[[], object] = lambda: None) -> Generator[list[Json]]:
        """Rows as they arrive: each time at least one, and all that are there.

        `on_start` is called once the model runs, in time that would be spent waiting.
        Raises ModelBusy if the model is not free within `wait_seconds`.
        """
        with ExitStack() as held:
            try:
                held.enter_context(
                    exclusively(self.source.exclusive, self.options.cancel, self.options.wait_seconds)
                )
            except Cancelled:
                self.ending = Ending("cancelled", 0.0)
                return
            worker = _Worker(self.source, self.request, self.options)
            held.push(partial(self._leave, worker, held))
            worker.start()
            self.began = True
            on_start()
            yield from self._rows(worker)

    def tail(self, rows: list[Json]) -> Json:
        """What the ended run adds to its header, as `Ending.tail` says.

        A run that nobody waited for to end counts as cancelled.
        """
        ending = self.ending or Ending("cancelled", self._arrived)
        ending = replace(ending, seconds=max(ending.seconds, self._arrived))
        self.ending = self._maker.summed_up(rows, ending)
        return self.ending.tail()

    @property
    def error(self) -> BaseException | None:
        """What the model raised, if it did; once the rows have ended."""
        return self.ending.error if self.ending else None

    def _rows(self, worker: _Worker) -> Iterator[list[Json]]:
        while self.ending is None:
            observed, ending = worker.receive()
            made = self._maker.rows(observed)
            if made.fault is not None:
                ending = Ending("failed", observed[len(made.rows)].arrival_seconds, error=made.fault)
            if made.rows:
                self.encoded = made.encoded
                self._arrived = made.rows[-1]["arrival_seconds"]
                yield made.rows
            self.ending = ending

    def _leave(self, worker: _Worker, held: ExitStack, kind: type[BaseException] | None, *_: object) -> None:
        # Whoever interrupts a run that is being cancelled already does not wait for its next step.
        if kind is KeyboardInterrupt and self.options.cancel.is_set():
            worker.abandon(held.pop_all())
        else:
            worker.stop()
        if self.ending is None:
            self.ending = Ending("cancelled", worker.elapsed())


class _Worker:
    """The thread that runs the forward, and the queue out of it."""

    def __init__(self, source: Source, request: Any, options: RunOptions) -> None:
        self._source, self._request, self._options = source, request, options
        self._clock, self._asked_to_stop = options.clock, options.cancel.is_set
        self._queue: queue.SimpleQueue[Observed | Ending] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="tracekit-run", daemon=True)
        self._started = 0.0
        self._received_at = 0.0
        self._ended = threading.Event()
        self._stopping = False

    def __call__(self, observation: Any, at: float | None = None) -> None:
        """`emit`, as the source sees it.

        A model's weights leave nothing else in the processor's caches, so a call that is not made
        here saves several times what it takes when warm.
        """
        arrived = self._clock() if at is None else at
        if self._stopping or self._asked_to_stop():
            raise Cancelled
        while self._queue.qsize() >= self._options.queue_rows:
            time.sleep(_FULL_QUEUE_SECONDS)
            self._leave_if_cancelled()
        self._queue.put(Observed(observation, arrived - self._started))

    def now(self) -> float:
        return self._options.clock()

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._leave_if_cancelled()
            time.sleep(min(left, _LONGEST_SLEEP_SECONDS))

    def start(self) -> None:
        self._received_at = time.monotonic()
        self._thread.start()

    def receive(self) -> tuple[list[Observed], Ending | None]:
        """Wait for something, then take all that is there."""
        observations: list[Observed] = []
        if (early := self._received_at + self._options.interval - time.monotonic()) > 0:
            self._ended.wait(min(early, threading.TIMEOUT_MAX))
        item = self._queue.get()
        self._received_at = time.monotonic()
        while not isinstance(item, Ending):
            observations.append(item)
            if self._queue.empty():
                return observations, None
            item = self._queue.get()
        return observations, item

    def stop(self) -> None:
        """End the run at its next step, and wait until the thread is gone."""
        self._stopping = True
        if self._thread.is_alive():  # and not one that the system refused to start
            self._thread.join()

    def abandon(self, held: ExitStack) -> None:
        """End the run at its next step without waiting; what is held is held until then."""
        self._stopping = True

        def release() -> None:
            self._thread.join()
            held.close()

        threading.Thread(target=release, name="tracekit-release", daemon=True).start()

    def elapsed(self) -> float:
        """Seconds since inference began."""
        return self._options.clock() - self._started

    def _work(self) -> None:
        self._started = self._options.clock()
        self._queue.put(self._run())
        self._ended.set()

    def _run(self) -> Ending:
        if self._is_cancelled():
            return Ending("cancelled", self.elapsed())
        try:
            return observe_to_the_end(self._source, self._request, self, self.elapsed)
        except BaseException as error:  # SystemExit, say: carried to the consumer, who raises it as itself
            return Ending("failed", self.elapsed(), error=error)

    def _leave_if_cancelled(self) -> None:
        if self._is_cancelled():
            raise Cancelled

    def _is_cancelled(self) -> bool:
        return self._stopping or self._options.cancel.is_set()
