"""A run's rows: made of its observations, and checked before anyone gets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.types import Json
from tracekit.format.validation import Place, RowChecker
from tracekit.streaming.source import Observed, Source

__all__ = ["RowMaker"]


class RowMaker:
    """Makes one run's rows, in order."""

    def __init__(self, source: Source, request: Any) -> None:
        self._interpreter = source.interpreter(request)
        self._checker = RowChecker(CURRENT_VERSION, source.kind, Place("row"))

    def rows(self, observed: Sequence[Observed]) -> tuple[list[Json], Exception | None]:
        """Rows for what was observed, up to the first that is unusable; then also why it is."""
        rows: list[Json] = []
        fault: Exception | None = None
        if not observed:
            return rows, fault
        try:
            for row in self._interpreter.rows(observed):
                rows.append(row)  # noqa: PERF402 (so that those before an error stay)
        except Exception as error:  # an unusable observation is the run's failure, whatever it raised
            fault = error
        return self._checked(rows, fault)

    def summary(self, rows: Sequence[Json], stop_reason: str) -> Json:
        """The summary of a complete run."""
        return self._interpreter.summary(rows, stop_reason)

    def _checked(self, rows: list[Json], fault: Exception | None) -> tuple[list[Json], Exception | None]:
        """All are checked in one call; only where that finds a fault, they are one by one."""
        before = self._checker.count
        try:
            self._checker.check(rows)
        except Exception:
            try:
                for row in rows:
                    self._checker.check([row])
            except Exception as error:
                return rows[: self._checker.count - before], error
        return rows, fault
