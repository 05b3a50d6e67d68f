"""Two traces and tolerances in, a comparison out. Nothing is read, run or written.

Exact: kind, request, status, number of rows, predictions and all that is made of them,
summary. Within tolerance: probabilities and log probabilities. Never, unless asked:
arrival times. Never: ids and provenance, which are listed beside a difference.

A golden that was cancelled is compared up to its last row: the fresh run may go on.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.types import Json, Trace
from tracekit.format.validation import non_finite
from tracekit.regression.columns import FieldResult, compare_columns
from tracekit.regression.nearties import explain_near_ties, near_tie_rows
from tracekit.regression.tolerances import Tolerance, default_tolerance
from tracekit.regression.verdict import ABSENT, Comparison, Counts, Difference, Verdict
from tracekit.streaming.summary import gaps

__all__ = ["compare", "is_same", "provenance", "tally"]

_TIMES = frozenset({"time_to_first_token_seconds", "tokens_per_second", "gap_seconds"})
_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def compare(
    golden: Trace, fresh: Trace, tolerance: Tolerance | None = None, *, timing: float | None = None
) -> Comparison:
    """Whether `fresh` still does what `golden` did.

    Without `tolerance` the defaults of the traces' dtype hold. With `timing` the median
    gap between rows may be at most that many times longer or shorter. Raises UsageError
    for what is no Tolerance, for a `timing` below 1, and for one on a trace of less than two rows.
    """
    tolerance = default_tolerance(golden, fresh) if tolerance is None else tolerance
    if not isinstance(tolerance, Tolerance):
        found = type(tolerance).__name__
        raise UsageError(f"tolerance: expected a Tolerance, such as default_tolerance(golden); found {found}")
    head = list(_asked(golden, fresh))
    if golden["kind"] != fresh["kind"]:
        rows = _Rows([], {}, 0, max(len(golden["trace"]), len(fresh["trace"])), False)
    else:
        rows = _compare_rows(golden, fresh, tolerance)
    tail = list(_ends(golden, fresh, rows))
    if timing is not None:
        tail += _median_gap(golden, fresh, timing)
    differences = (*head, *rows.differences, *tail)
    return Comparison(
        verdict=max((each.outcome for each in differences), key=_RANK.__getitem__, default=Verdict.IDENTICAL),
        differences=differences,
        counts={**tally([*head, *tail]), **rows.counts},
        compared=rows.compared,
        not_compared=rows.not_compared,
        unit=golden["kind"],
        tolerance=tolerance,
        provenance=tuple(provenance(golden, fresh)),
    )


def provenance(golden: Trace, fresh: Trace) -> Iterator[Difference]:
    """What differs between who recorded the two, where, when and with which settings."""
    pairs: list[tuple[str, Any, Any]] = [("checkpoint", golden["checkpoint"], fresh["checkpoint"])]
    for part in ("model", "environment", "settings", "recorder"):
        old, new = golden[part], fresh[part]
        pairs += [(f"{part}.{key}", old.get(key, ABSENT), new.get(key, ABSENT)) for key in {**old, **new}]
    return (Difference(None, field, old, new) for field, old, new in pairs if old != new)


def tally(differences: Sequence[Difference]) -> dict[str, Counts]:
    """How many differences each field has, by outcome."""
    counts: dict[str, Counts] = {}
    for each in differences:
        before = counts.get(each.field, Counts())
        counts[each.field] = before._replace(**{each.outcome.value: getattr(before, each.outcome) + 1})
    return counts


@dataclass(frozen=True)
class _Rows:
    """The rows' part of a comparison. `diverged`: decoded tokens differ, so the rest is another text."""

    differences: list[Difference]
    counts: Mapping[str, Counts]
    compared: int
    not_compared: int
    diverged: bool
    near_ties: frozenset[int] = frozenset()


def _asked(golden: Trace, fresh: Trace) -> Iterator[Difference]:
    if golden["kind"] != fresh["kind"]:
        yield Difference(None, "kind", golden["kind"], fresh["kind"])
    old, new = golden["request"], fresh["request"]
    for key in {**old, **new}:
        if not is_same(old.get(key, ABSENT), new.get(key, ABSENT)):
            yield Difference(None, f"request.{key}", old.get(key, ABSENT), new.get(key, ABSENT))


def _compare_rows(golden: Trace, fresh: Trace, tolerance: Tolerance) -> _Rows:
    old, new = golden["trace"], fresh["trace"]
    count = min(len(old), len(new))
    split = _divergence(old, new, count) if golden["kind"] == "token" else None
    if split is not None:
        count = split + 1
    old_rows, new_rows = old[:count], new[:count]
    results = compare_columns(golden["kind"], old_rows, new_rows, tolerance)
    near = near_tie_rows(results, old_rows, new_rows, tolerance.tie_margin)
    explain_near_ties(results, near, new_rows)
    left = max(len(old), len(new)) - count if split is not None else 0
    return _Rows(
        _in_order(results, 1 if golden["kind"] == "loop" else 0),
        {name: _counts(result) for name, result in results.items()},
        compared=count,
        not_compared=left,
        diverged=split is not None,
        near_ties=near,
    )


def _divergence(golden: Sequence[Json], fresh: Sequence[Json], count: int) -> int | None:
    """The first row whose token differs: what follows it was generated from another text."""
    return next((at for at in range(count) if golden[at]["token_id"] != fresh[at]["token_id"]), None)


def _in_order(results: Mapping[str, FieldResult], first: int) -> list[Difference]:
    found = [
        each for result in results.values() for each in (*result.serious, result.worst) if each is not None
    ]
    found.sort(key=lambda each: each.row or 0)
    return [each._replace(row=(each.row or 0) + first) for each in found]


def _counts(result: FieldResult) -> Counts:
    near = sum(each.outcome is Verdict.NEAR_TIE for each in result.serious)
    return Counts(result.within, near, len(result.serious) - near)


def _ends(golden: Trace, fresh: Trace, rows: _Rows) -> Iterator[Difference]:
    """Status and error; number of rows and summary too, unless they are another text's."""
    lengths = len(golden["trace"]), len(fresh["trace"])
    cut = golden["status"] == "cancelled"
    if cut and lengths[0] <= lengths[1]:
        return
    if lengths[0] != lengths[1] and not rows.diverged:
        yield Difference(None, "rows", *lengths, delta=abs(lengths[0] - lengths[1]), allowed=0)
    ended_sooner = cut and rows.diverged and fresh["status"] == "complete"
    if golden["status"] != fresh["status"] and not ended_sooner:
        yield Difference(None, "status", golden["status"], fresh["status"])
    yield from _members("error", {**golden.get("error", {})}, {**fresh.get("error", {})}, {})
    if not rows.diverged:
        follows = _follows(fresh, rows.near_ties)
        yield from _members("summary", golden.get("summary", {}), fresh.get("summary", {}), follows)


def _members(part: str, old: Json, new: Json, follows: Json) -> Iterator[Difference]:
    for key in {**old, **new}:
        before, after = old.get(key, ABSENT), new.get(key, ABSENT)
        if key in _TIMES or is_same(before, after):
            continue
        near = key in follows and follows[key] == after
        outcome = Verdict.NEAR_TIE if near else Verdict.DIFFERENT
        yield Difference(None, f"{part}.{key}", before, after, outcome=outcome)


def _follows(fresh: Trace, near_ties: frozenset[int]) -> Json:
    """What the summary has to say of correctness, given that near-ties flipped predictions of these rows."""
    rows, summary = fresh["trace"], fresh.get("summary", {})
    asked = fresh["request"].get("steps")
    steps = asked if isinstance(asked, int) else len(rows)  # of another source, it may be anything
    if not near_ties or not all("correct" in row for row in rows):
        return {}
    wrong = next((row["loop"] for row in rows[:steps] if not row["correct"]), None)
    follows: Json = {"first_error": wrong, "complete_trajectory": wrong is None and len(rows) >= steps}
    if len(rows) - 1 in near_ties and len(rows) == steps:
        right = rows[-1]["correct"]
        follows |= {"answer_correct": right, "joint_success": right and summary.get("exact_stop", False)}
    return follows


def _median_gap(golden: Trace, fresh: Trace, ratio: float) -> list[Difference]:
    if not isinstance(ratio, int | float) or not ratio >= 1:
        raise UsageError(f"timing must be a ratio of 1 or more, not {ratio!r:.40}")
    if min(len(golden["trace"]), len(fresh["trace"])) < 2:
        raise UsageError("timing compares the gaps between rows, so each trace must have two rows or more")
    old, new = (statistics.median(gaps(trace["trace"])) for trace in (golden, fresh))
    slow, fast = max(old, new), min(old, new)
    if slow <= fast * ratio:
        return []
    return [Difference(None, "median gap, seconds", old, new, slow - fast, fast * (ratio - 1))]


def is_same(old: object, new: object) -> bool:
    """Equal as JSON, where true is not 1, nor is 1.0; and no NaN in it, which a container finds equal."""
    return old == new and _types(old) == _types(new) and non_finite(old) is None


def _types(value: object) -> object:
    """A value with each number in it replaced by what kind of number it is."""
    if isinstance(value, Mapping):
        return {key: _types(member) for key, member in value.items()}
    if isinstance(value, list):
        return list(map(_types, value))
    return isinstance(value, bool), isinstance(value, float)
