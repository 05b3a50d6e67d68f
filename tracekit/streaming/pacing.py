"""When each row is due. A timeline is the arrivals in seconds, and each pace a pure function of it."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real

from tracekit.errors import UsageError

__all__ = ["Pace", "at_speed", "evenly", "in_pieces", "limit_pauses"]

# The system's sleeps refuse some waits that a recording may ask for; an hour none of them does.
_LONGEST_SLEEP_SECONDS = 3600.0
_LATEST = sys.float_info.max


@dataclass(frozen=True)
class Pace:
    """How fast to replay. `speed` multiplies; `max_pause` and `start` are seconds of the recording.

    `rows_per_second` spaces the rows evenly instead of as recorded. Raises UsageError.
    """

    speed: float = 1.0
    max_pause: float | None = None
    start: float = 0.0
    rows_per_second: float | None = None

    def __post_init__(self) -> None:
        for name, given in list(vars(self).items()):
            if given is None and name in ("max_pause", "rows_per_second"):
                continue
            number = _number(given)
            if name == "start" and not 0 <= number < math.inf:
                raise UsageError(f"start must be 0 or more seconds, not {given!r:.60}")
            if name != "start" and not 0 < number < math.inf:
                raise UsageError(f"{name} must be a number above 0, not {given!r:.60}")
            object.__setattr__(self, name, number)

    def deadlines(self, timeline: Sequence[float]) -> list[float]:
        """Seconds from the replay's start at which each moment is due; those before `start` at once."""
        due: Sequence[float] = timeline
        if self.rows_per_second is not None:
            due = evenly(due, self.rows_per_second)
        if self.max_pause is not None:
            due = limit_pauses(due, self.max_pause)
        return at_speed([max(0.0, moment - self.start) for moment in due], self.speed)


def at_speed(timeline: Sequence[float], speed: float) -> list[float]:
    """Every moment `speed` times as early."""
    return [min(moment / speed, _LATEST) for moment in timeline]


def evenly(timeline: Sequence[float], rows_per_second: float) -> list[float]:
    """As many moments, equally far apart."""
    return [min((index + 1) / rows_per_second, _LATEST) for index in range(len(timeline))]


def limit_pauses(timeline: Sequence[float], longest: float) -> list[float]:
    """No gap, nor the wait for the first moment, longer than `longest` seconds."""
    steps = (min(later - earlier, longest) for earlier, later in itertools.pairwise([0.0, *timeline]))
    return list(itertools.accumulate(steps))


def in_pieces(seconds: float) -> Iterator[float]:
    """A wait of any length, as sleeps of which the system refuses none; at least one."""
    while seconds > _LONGEST_SLEEP_SECONDS:
        yield _LONGEST_SLEEP_SECONDS
        seconds -= _LONGEST_SLEEP_SECONDS
    yield seconds


def _number(value: object) -> float:
    """A number of any type as a float; NaN for what is none, or more than a float holds."""
    try:
        return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan
