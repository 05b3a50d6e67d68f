"""One field of all rows at a time: equal columns cost a comparison of two lists and no more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter, le, sub
from typing import Any

from tracekit.format.types import Json, Kind
from tracekit.regression.candidates import LISTS, CandidateList, compare_candidates
from tracekit.regression.tolerances import Bound, Tolerance
from tracekit.regression.verdict import ABSENT, Difference, Verdict

__all__ = ["FieldResult", "compare_columns"]

# When a row arrived is compared only if asked for, and `note` says how it arrived.
_NEVER = frozenset({"arrival_seconds", "note"})
_PROBABILITIES = frozenset({"stop_probability", "cosine"})
_NATS = frozenset({"logprob", "sampled_logprob", "entropy", "kl"})


@dataclass
class FieldResult:
    """One field's differences, `row` counted from 0: those that matter, and the largest of the others."""

    serious: list[Difference] = field(default_factory=list)
    within: int = 0
    worst: Difference | None = None

    def add(self, difference: Difference) -> None:
        if difference.outcome is not Verdict.WITHIN_TOLERANCE:
            self.serious.append(difference)
            return
        self.within += 1
        if self.worst is None or _share(difference) > _share(self.worst):
            self.worst = difference


def compare_columns(
    kind: Kind, golden: Sequence[Json], fresh: Sequence[Json], tolerance: Tolerance
) -> dict[str, FieldResult]:
    """Every field that is not equal throughout, of equally many rows."""
    number = "loop" if kind == "loop" else "index"
    shapes = set(map(tuple, golden)) | set(map(tuple, fresh))
    names = dict.fromkeys(name for shape in sorted(shapes, key=len, reverse=True) for name in shape)
    results: dict[str, FieldResult] = {}
    for name in [number, *(name for name in names if name != number and name not in _NEVER)]:
        everywhere = all(name in shape for shape in shapes)
        columns = _column(golden, name, everywhere), _column(fresh, name, everywhere)
        if not _is_equal(name, *columns):
            results[name] = _compare(name, *columns, tolerance)
    return results


def _column(rows: Sequence[Json], name: str, everywhere: bool) -> list[Any]:
    return list(map(itemgetter(name), rows)) if everywhere else [row.get(name, ABSENT) for row in rows]


def _is_equal(name: str, golden: list[Any], fresh: list[Any]) -> bool:
    """Whether all values are equal. Lists that share a NaN find themselves equal, so floats are summed."""
    if golden != fresh:
        return False
    if name in _PROBABILITIES | _NATS:
        return math.isfinite(sum(value for value in golden if value is not ABSENT))
    if name in LISTS:
        value = LISTS[name].value
        return math.isfinite(sum(each[value] for listed in golden if listed is not ABSENT for each in listed))
    return True


def _compare(name: str, golden: list[Any], fresh: list[Any], tolerance: Tolerance) -> FieldResult:
    result = FieldResult()
    missing = [at for at, pair in enumerate(zip(golden, fresh, strict=True)) if ABSENT in pair]
    if missing:
        for at in missing:
            if golden[at] is not fresh[at]:
                result.add(Difference(at, name, golden[at], fresh[at]))
        blank: Any = [] if name in LISTS else 0.0
        for at in missing:
            golden[at] = fresh[at] = blank
    if name in LISTS:
        _compare_lists(LISTS[name], golden, fresh, tolerance, result)
    elif name in _PROBABILITIES:
        _compare_floats(_Labels(name), golden, fresh, tolerance.probability, result)
    elif name in _NATS:
        _compare_floats(_Labels(name), golden, fresh, tolerance.logprob, result)
    else:
        for at, (old, new) in enumerate(zip(golden, fresh, strict=True)):
            if old != new:
                result.add(Difference(at, name, old, new))
    return result


@dataclass(frozen=True)
class _Labels:
    """What to call a place in a column of numbers: its row and its field, looked up only when needed."""

    name: str
    rows: Sequence[int] | None = None
    candidates: Sequence[Any] | None = None

    def at(self, place: int) -> tuple[int, str]:
        if self.rows is None or self.candidates is None:
            return place, self.name
        return self.rows[place], f"{self.name}[{self.candidates[place]}]"


def _compare_floats(
    labels: _Labels, golden: list[float], fresh: list[float], bound: Bound, result: FieldResult
) -> None:
    atol, rtol = bound.atol, bound.rtol
    deltas = list(map(abs, map(sub, golden, fresh)))
    allowed = [atol + rtol * abs(value) for value in golden]

    def difference(at: int, outcome: Verdict) -> Difference:
        return Difference(*labels.at(at), golden[at], fresh[at], deltas[at], allowed[at], outcome)

    fits = list(map(le, deltas, allowed))
    beyond = [at for at, fit in enumerate(fits) if not fit] if not all(fits) else []
    for at in beyond:
        result.add(difference(at, Verdict.DIFFERENT))
        deltas[at] = 0.0
    within = len(deltas) - deltas.count(0.0)
    if within:
        shares = [delta / limit if delta else 0.0 for delta, limit in zip(deltas, allowed, strict=True)]
        result.add(difference(shares.index(max(shares)), Verdict.WITHIN_TOLERANCE))
        result.within += within - 1


def _compare_lists(
    listed: CandidateList, golden: list[Any], fresh: list[Any], tolerance: Tolerance, result: FieldResult
) -> None:
    """Lists of the same candidates in the same order are columns of numbers; the others go one by one."""
    if _flat(golden, listed.key) != _flat(fresh, listed.key) or list(map(len, golden)) != list(
        map(len, fresh)
    ):
        for at in _reordered(listed, golden, fresh):
            for each in compare_candidates(listed, golden[at], fresh[at], tolerance):
                result.add(each._replace(row=at))
            golden[at] = fresh[at] = []
    rows = [at for at, candidates in enumerate(golden) for _ in candidates]
    labels = _Labels(listed.field, rows, _flat(golden, listed.key))
    values = _flat(golden, listed.value), _flat(fresh, listed.value)
    _compare_floats(labels, *values, listed.bound(tolerance), result)
    result.serious.sort(key=itemgetter(0))


def _reordered(listed: CandidateList, golden: list[Any], fresh: list[Any]) -> Iterator[int]:
    key = itemgetter(listed.key)
    for at, (old, new) in enumerate(zip(golden, fresh, strict=True)):
        if old != new and list(map(key, old)) != list(map(key, new)):
            yield at


def _flat(column: Iterable[Sequence[Mapping[str, Any]]], key: str) -> list[Any]:
    return [each[key] for candidates in column for each in candidates]


def _share(difference: Difference) -> float:
    """How much of what is allowed it uses."""
    return (difference.delta or 0.0) / difference.allowed if difference.allowed else 0.0
