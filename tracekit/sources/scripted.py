"""A source that emits given rows at given times, or fails at a given row: a model by script.

It serves demos without a model, documentation, tests and benchmarks, and it goes through
all that a real model goes through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.types import Json, Kind, Trace
from tracekit.streaming.source import Description, Emit, Source

__all__ = ["Script", "ScriptedSource"]


@dataclass(frozen=True)
class Script:
    """What happens: `rows[k]` at `times[k]` seconds, then `error` or the stop reason.

    Rows need no number and no arrival. Without `times` every row comes at once. The
    error, if any, is raised in place of row `error_at` (by default after the last).
    """

    rows: Sequence[Mapping[str, Any]]
    times: Sequence[float] = ()
    stop_reason: str = "script"
    error: Exception | None = None
    error_at: int | None = None


@dataclass(frozen=True, eq=False)
class ScriptedSource(Source):
    """Plays a script. Raises UsageError where it has times, but not one a row."""

    kind: Kind
    script: Script
    name: str = "scripted"

    def __post_init__(self) -> None:
        if self.script.times and len(self.script.times) != len(self.script.rows):
            raise UsageError(f"a script of {len(self.script.rows)} rows has {len(self.script.times)} times")

    @classmethod
    def from_trace(cls, trace: Trace) -> ScriptedSource:
        """The script by which a recorded run would come about again, at its recorded times."""
        rows = trace["trace"]
        reason = trace["summary"]["stop_reason"] if "summary" in trace else "script"
        times = [row["arrival_seconds"] for row in rows]
        return cls(trace["kind"], Script(rows, times, reason), name=trace["model"]["name"])

    def describe(self) -> Description:
        return Description(model={"source": "scripted", "name": self.name})

    def observe(self, request: Json, emit: Emit) -> str:  # noqa: ARG002
        """Emit the script's rows at their times."""
        started = emit.now()
        rows, times = self.script.rows, self.script.times
        fails_at = len(rows) if self.script.error_at is None else self.script.error_at
        for at, row in enumerate(rows):
            if times and (wait := started + times[at] - emit.now()) > 0:
                emit.wait(wait)
            if self.script.error is not None and at == fails_at:
                raise self.script.error
            emit(row)
        if self.script.error is not None:
            raise self.script.error
        return self.script.stop_reason
