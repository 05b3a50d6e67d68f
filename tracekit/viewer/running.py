"""A live run in a thread of its own, so that a page can show it while it goes on, and stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

from tracekit.format.codec import as_trace
from tracekit.format.types import Json, Trace
from tracekit.streaming.header import new_header
from tracekit.streaming.run import Run, RunOptions
from tracekit.streaming.source import Source

__all__ = ["WATCH_SECONDS", "LiveRun"]

WATCH_SECONDS = 0.5

Stage = Literal["waiting", "running", "ended"]


class LiveRun:
    """One run of a source. It ends by itself, by `stop`, or soon after `is_watched` says no.

    Raises RequestError, before anything runs, for a request that the source refuses.
    """

    def __init__(
        self,
        source: Source,
        request: object,
        is_watched: Callable[[], bool] = lambda: True,
        watch_seconds: float = WATCH_SECONDS,
    ) -> None:
        self.stage: Stage = "waiting"
        self._options = RunOptions()
        self._run = Run(source, request, self._options)
        self._header = new_header(source, self._run.request)
        self._rows: list[Json] = []
        self._tail: Json = {}
        self._is_watched, self._watch_seconds = is_watched, watch_seconds
        self._ended = threading.Event()

    def start(self) -> None:
        """Run in the background: wait in line for the model, then observe it."""
        threading.Thread(target=self._work, name="tracekit-live", daemon=True).start()
        threading.Thread(target=self._watch, name="tracekit-watch", daemon=True).start()

    def stop(self) -> None:
        """End the run at its next step. Returns at once."""
        self._options.cancel.set()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, after at most that long."""
        return self._ended.wait(seconds)

    @property
    def trace(self) -> Trace:
        """The run so far: a snapshot, and the whole trace once it has ended."""
        tail = self._tail  # before the rows, so that a trace that has ended has all of them
        return as_trace({**self._header, "trace": list(self._rows), **tail})

    def _work(self) -> None:
        try:
            for batch in self._run.batches(on_start=self._started):
                self._rows.extend(batch)
            self._tail = self._run.tail(self._rows)
        finally:
            self.stage = "ended"
            self._ended.set()

    def _started(self) -> None:
        self.stage = "running"

    def _watch(self) -> None:
        while not self._ended.wait(self._watch_seconds):
            if not self._is_watched():
                self.stop()
