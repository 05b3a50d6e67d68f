"""Where a replay stands: a position on the timeline that moves with a clock, and can be moved.

It draws nothing and waits for nothing; whoever shows a replay asks it how many moments have
passed and when the next one is due. It is a pure function of its clock and what was done to it.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence

__all__ = ["Playhead"]


class Playhead:
    """A position on `moments` (seconds, ascending), playing or standing.

    The position is anchored to the clock, so no error adds up however long it plays.
    """

    def __init__(
        self, moments: Sequence[float], clock: Callable[[], float], *, speed: float = 1.0, loop: bool = False
    ) -> None:
        self.moments, self.speed, self.loop = moments, speed, loop
        self.playing = True
        self._clock = clock
        self._anchor = (0.0, clock())

    @property
    def end(self) -> float:
        """The last moment, in seconds; 0 if there is none."""
        return self.moments[-1] if self.moments else 0.0

    @property
    def position(self) -> float:
        """Seconds on the timeline, never past its end."""
        position, since = self._anchor
        if self.playing:
            position += (self._clock() - since) * self.speed
        if self.loop and self.playing and self.end > 0:
            return position % self.end if position > self.end else position
        return min(position, self.end)

    def passed(self) -> int:
        """How many moments are at or before the position."""
        return bisect.bisect_right(self.moments, self.position)

    @property
    def at_end(self) -> bool:
        """Whether it has played to the end and stays there."""
        return not self.loop and self.position >= self.end

    def next_due(self) -> float | None:
        """Seconds of the clock until the next moment; None while it stands or is at its end."""
        if not self.playing or self.at_end:
            return None
        position, passed = self.position, self.passed()
        due = self.moments[passed] if passed < len(self.moments) else self.end
        return max(0.0, (due - position) / self.speed)

    def toggle(self) -> None:
        """Pause or go on; at the end, begin again."""
        position = 0.0 if self.at_end else self.position
        self.playing = not self.playing or self.at_end
        self._anchor = (position, self._clock())

    def seek(self, position: float) -> None:
        """Go to a position in seconds, and go on playing if it was."""
        self._anchor = (min(max(0.0, position), self.end), self._clock())

    def step(self, count: int) -> None:
        """Stand still, `count` moments further on, or back."""
        target = self.passed() + count
        self.playing = False
        self.seek(self.moments[min(target, len(self.moments)) - 1] if target > 0 and self.moments else 0.0)

    def set_speed(self, speed: float) -> None:
        """Go on from here at this speed."""
        self._anchor = (self.position, self._clock())
        self.speed = speed
