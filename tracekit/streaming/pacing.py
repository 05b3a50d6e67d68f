"""When each row is due. A timeline is the arrivals in seconds, and each pace a pure function of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tracekit.errors import UsageError

__all__ = ["Pace", "at_speed", "evenly", "limit_pauses"]


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
        for name in ("speed", "max_pause", "rows_per_second"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise UsageError(f"{name} must be a number above 0, not {value}")
        if not (self.start >= 0 and math.isfinite(self.start)):
            raise UsageError(f"start must be 0 or more seconds, not {self.start}")

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
    return [moment / speed for moment in timeline]


def evenly(timeline: Sequence[float], rows_per_second: float) -> list[float]:
    """As many moments, equally far apart."""
    return [(index + 1) / rows_per_second for index in range(len(timeline))]


def limit_pauses(timeline: Sequence[float], longest: float) -> list[float]:
    """No gap, nor the wait for the first moment, longer than `longest` seconds."""
    steps = (min(later - earlier, longest) for earlier, later in itertools.pairwise([0.0, *timeline]))
    return list(itertools.accumulate(steps))
