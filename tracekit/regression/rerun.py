"""A golden's request once more: in this thread, in memory, as fast as the model goes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracekit.format.codec import as_trace
from tracekit.format.types import Trace
from tracekit.regression.compare import compare, is_same, provenance
from tracekit.regression.forced import compare_scores
from tracekit.regression.overrides import Overrides
from tracekit.regression.verdict import Comparison
from tracekit.streaming.cancellation import Cancelled
from tracekit.streaming.ending import Ending, observe_to_the_end
from tracekit.streaming.exclusion import exclusively
from tracekit.streaming.header import new_header
from tracekit.streaming.pacing import in_pieces
from tracekit.streaming.rows import RowMaker
from tracekit.streaming.source import Observed, Source, accepted

__all__ = ["Checked", "Rules", "check_request", "recheck", "run_again"]


@dataclass(frozen=True)
class Rules:
    """How goldens are compared. `free_run` generates tokens again instead of scoring the golden's."""

    overrides: Overrides = field(default_factory=Overrides)
    free_run: bool = False
    timing: float | None = None


@dataclass(frozen=True)
class Checked:
    """A golden's comparison and the trace it was compared with.

    A teacher-forced check that passes has run nothing but a scoring, so there `fresh` is None.
    """

    comparison: Comparison
    fresh: Trace | None


def recheck(golden: Trace, source: Source, rules: Rules, path: Path | None = None) -> Checked:
    """Ask `source` what the golden asked, with the golden's settings, and compare.

    Raises RequestError or UsageError where the source no longer takes them.
    """
    return check_request(golden, source.with_settings(golden["settings"]), golden["request"], rules, path)


def check_request(
    golden: Trace, source: Source, request: object, rules: Rules, path: Path | None = None
) -> Checked:
    """Ask `source` this request, with its own settings, and compare with the golden."""
    parsed = accepted(source, request)
    same = is_same(source.payload(parsed), golden["request"])
    scored = golden["kind"] == "token" == source.kind and source.can_score and golden["trace"] and same
    if scored and not rules.free_run and rules.timing is None:
        comparison = _scored(golden, source, parsed, rules, path)
        return Checked(comparison, None if comparison.passed else run_again(golden, source, parsed))
    fresh = run_again(golden, source, parsed)
    tolerance = rules.overrides.resolve(golden, fresh, path)
    return Checked(compare(golden, fresh, tolerance, timing=rules.timing), fresh)


def run_again(golden: Trace, source: Source, parsed: Any) -> Trace:
    """A fresh trace of the parsed request; of a cancelled golden, up to its last row.

    An error of the model does not come out: the trace is then `failed`, as a recording's is.
    """
    until = len(golden["trace"]) if golden["status"] == "cancelled" else None
    header = new_header(source, parsed)
    observed = _Observations(until)
    with exclusively(source.exclusive, threading.Event(), None):
        observed.begin()
        ending = observe_to_the_end(source, parsed, observed, observed.elapsed)
    maker = RowMaker(source, parsed)
    made = maker.rows(observed.items)
    if made.fault is not None:  # the run's failure, as it is in a recording
        ending = Ending("failed", ending.seconds, error=made.fault)
    return as_trace({**header, "trace": made.rows, **maker.summed_up(made.rows, ending).tail()})


def _scored(golden: Trace, source: Source, parsed: Any, rules: Rules, path: Path | None) -> Comparison:
    header = as_trace({**new_header(source, parsed), "trace": []})
    tolerance = rules.overrides.resolve(golden, header, path)
    with exclusively(source.exclusive, threading.Event(), None):
        scores = source.score(parsed, [row["token_id"] for row in golden["trace"]])
    return compare_scores(golden, scores, tolerance, tuple(provenance(golden, header)))


class _Observations:
    """Collects what a source emits, and ends the run at row `until`."""

    def __init__(self, until: int | None, clock: Callable[[], float] = time.perf_counter) -> None:
        self.items: list[Observed] = []
        self._until, self._clock = until, clock
        self._started = 0.0

    def begin(self) -> None:
        self._started = self._clock()

    def elapsed(self) -> float:
        return self._clock() - self._started

    def now(self) -> float:
        return self._clock()

    def wait(self, seconds: float) -> None:
        for piece in in_pieces(seconds):
            time.sleep(piece)

    def __call__(self, observation: Any, at: float | None = None) -> None:
        """`emit`, as the source sees it."""
        arrived = self._clock() if at is None else at
        self.items.append(Observed(observation, arrived - self._started))
        if len(self.items) == self._until:
            raise Cancelled
