"""A recorded run as the snapshots its live run gave, at the recorded times, without the model.

Deadlines are absolute, so a late row never makes the next one late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tracekit.errors import RecordedFailure
from tracekit.format.codec import as_trace
from tracekit.format.layout import TAIL_KEYS
from tracekit.format.types import Json, Snapshot, Trace
from tracekit.streaming.pacing import Pace, in_pieces

__all__ = ["AsyncTimer", "Timer", "replay", "replay_async", "timeline"]


@dataclass(frozen=True)
class Timer:
    """The clock and the sleep of a replay. A test passes its own."""

    clock: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], object] = time.sleep


@dataclass(frozen=True)
class AsyncTimer:
    """The clock and the sleep of an asynchronous replay."""

    clock: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


def replay(
    trace: Trace,
    speed: float = 1.0,
    max_pause: float | None = None,
    start: float = 0.0,
    timer: Timer | None = None,
) -> Iterator[Snapshot]:
    """Yield a snapshot a row at its recorded time, then the whole trace at the time it ended.

    `source` says `recorded`; all else is what the live run gave. A run that failed raises
    RecordedFailure at the time it failed. Closing the iterator stops at once. Raises
    UsageError for a speed, pause or start that is not a number of the right sign.
    """
    return _replay(trace, Pace(speed, max_pause, start), timer or Timer())


def replay_async(
    trace: Trace,
    speed: float = 1.0,
    max_pause: float | None = None,
    start: float = 0.0,
    timer: AsyncTimer | None = None,
) -> AsyncIterator[Snapshot]:
    """`replay` for a web server: the same snapshots, waiting without a thread."""
    return _replay_async(trace, Pace(speed, max_pause, start), timer or AsyncTimer())


def timeline(trace: Trace) -> list[float]:
    """Every row's arrival, then the moment the run ended, if it has."""
    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    if "inference_seconds" in trace:
        arrivals.append(max(trace["inference_seconds"], arrivals[-1] if arrivals else 0.0))
    return arrivals


def _replay(trace: Trace, pace: Pace, timer: Timer) -> Iterator[Snapshot]:
    started = timer.clock()
    for count, due in enumerate(pace.deadlines(timeline(trace)), 1):
        if (wait := started + due - timer.clock()) > 0:
            for piece in in_pieces(wait):
                timer.sleep(piece)
        yield _snapshot(trace, count)


async def _replay_async(trace: Trace, pace: Pace, timer: AsyncTimer) -> AsyncIterator[Snapshot]:
    started = timer.clock()
    for count, due in enumerate(pace.deadlines(timeline(trace)), 1):
        for piece in in_pieces(max(0.0, started + due - timer.clock())):
            await timer.sleep(piece)
        yield _snapshot(trace, count)


def _snapshot(trace: Trace, count: int) -> Snapshot:
    """The view after `count` moments of the timeline. Raises RecordedFailure at the end of a failed run."""
    rows: list[Any] = trace["trace"]
    document: Json = {**trace, "source": "recorded"}
    if count > len(rows):
        if "error" in trace:
            raise RecordedFailure(trace["error"]["type"], trace["error"]["message"])
        return as_trace(document)
    for key in TAIL_KEYS:
        document.pop(key, None)
    return as_trace(document | {"status": "streaming", "trace": rows[:count]})
