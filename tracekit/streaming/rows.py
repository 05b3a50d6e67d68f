"""A run's rows: made of its observations, checked and encoded before anyone gets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tracekit.errors import DocumentError
from tracekit.format.codec import encode_rows
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.rows import EncodedRows
from tracekit.format.types import Json
from tracekit.format.validation import Place, RowChecker
from tracekit.streaming.ending import Ending
from tracekit.streaming.source import Observed, Source

__all__ = ["Made", "RowMaker"]


class Made(NamedTuple):
    """Rows, and the same as JSON. `fault` is why there are no more, if that is so."""

    rows: list[Json]
    encoded: EncodedRows
    fault: Exception | None = None


class RowMaker:
    """Makes one run's rows, in order."""

    def __init__(self, source: Source, request: Any) -> None:
        self._kind = source.kind
        self._interpreter = source.interpreter(request)
        self._checker = RowChecker(CURRENT_VERSION, source.kind, Place("row"))

    def rows(self, observed: Sequence[Observed]) -> Made:
        """Rows for what was observed, up to the first that is unusable."""
        rows: list[Json] = []
        fault: Exception | None = None
        try:
            for row in self._interpreter.rows(observed) if observed else ():
                rows.append(row)  # noqa: PERF402 (so that those before an error stay)
        except Exception as error:  # an unusable observation is the run's failure, whatever it raised
            fault = error
        try:
            return Made(rows, self._take(rows), fault)
        except DocumentError:
            return self._until_fault(rows)

    def summed_up(self, rows: Sequence[Json], ending: Ending) -> Ending:
        """The ending with the summary of these rows, if the run is complete; without one it has failed."""
        if ending.status != "complete":
            return ending
        try:
            return replace(ending, summary=self._interpreter.summary(rows, ending.stop_reason))
        except Exception as error:  # the source's own, whatever it raised
            return Ending("failed", ending.seconds, error=error)

    def _take(self, rows: list[Json]) -> EncodedRows:
        after = self._checker.check(rows)
        encoded = encode_rows(rows, self._kind)
        self._checker = after
        return encoded

    def _until_fault(self, rows: list[Json]) -> Made:
        """All are taken in one call; only where that finds a fault, they are taken one by one."""
        good: list[Json] = []
        fault: Exception | None = None
        for row in rows:
            try:
                self._take([row])
            except DocumentError as error:
                fault = error
                break
            good.append(row)
        return Made(good, encode_rows(good, self._kind), fault)
