"""One field of all rows at a time: equal columns cost a comparison of two lists and no more."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, compress
from operator import itemgetter, ne, sub, truediv
from typing import Any

from tracekit.format.layout import ROW_KEYS
from tracekit.format.types import Json, Kind
from tracekit.regression.candidates import LISTS, CandidateList, compare_candidates
from tracekit.regression.tolerances import Bound, Tolerance
from tracekit.regression.verdict import ABSENT, Difference, Verdict

__all__ = ["FieldResult", "compare_columns"]

# Rows at a time: so few that their columns are still in the processor's cache when they are compared.
_CHUNK_ROWS = 1024

# When a row arrived is compared only if asked for, and `note` says how it arrived.
_NEVER = frozenset({"arrival_seconds", "note"})
_PROBABILITIES = frozenset({"stop_probability", "cosine"})
_TINY = 5e-324
_NATS = frozenset({"logprob", "sampled_logprob", "entropy", "kl"})


@dataclass
class FieldResult:
    """One field's differences, `row` counted from 0: those that matter, and the largest of the others."""

    serious: list[Difference] = field(default_factory=list)
    within: int = 0
    worst: Difference | None = None

    def extend(self, later: FieldResult, start: int) -> None:
        """Take in what was found in rows from `start` on."""
        self.serious += [each._replace(row=(each.row or 0) + start) for each in later.serious]
        self.within += later.within
        if later.worst is not None and (self.worst is None or _share(later.worst) > _share(self.worst)):
            self.worst = later.worst._replace(row=(later.worst.row or 0) + start)

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
    results: dict[str, FieldResult] = {}
    for start in range(0, len(golden), _CHUNK_ROWS):
        rows = slice(start, start + _CHUNK_ROWS)
        for pair in _pairs(golden[rows], fresh[rows]):
            if pair.name not in _NEVER and not pair.is_equal():
                results.setdefault(pair.name, FieldResult()).extend(pair.compared(tolerance), start)
    order = {name: at for at, name in enumerate(ROW_KEYS[kind])}
    return dict(sorted(results.items(), key=lambda item: order.get(item[0], len(order))))


def _pairs(golden: Sequence[Json], fresh: Sequence[Json]) -> Iterator[_Pair]:
    """Each field's two columns. Rows of one shape are the rule, and are read without looking for gaps."""
    names = tuple(golden[0])
    if set(map(len, golden)) | set(map(len, fresh)) == {len(names)}:
        try:
            getters = list(map(itemgetter, names))
            columns = [(list(map(get, golden)), list(map(get, fresh))) for get in getters]
        except KeyError:
            pass
        else:
            yield from map(_Pair, names, *zip(*columns, strict=True))
            return
    for name in dict.fromkeys(name for row in (*golden, *fresh) for name in row):
        yield _Pair(name, *([row.get(name, ABSENT) for row in rows] for rows in (golden, fresh)))


@dataclass
class _Pair:
    """One field of all rows, in both traces. The lists are its own."""

    name: str
    golden: list[Any]
    fresh: list[Any]

    def is_equal(self) -> bool:
        """Whether all values are equal. Lists sharing a NaN find themselves equal, so floats are summed."""
        if self.golden != self.fresh:
            return False
        present = (
            [each for each in self.golden if each is not ABSENT] if ABSENT in self.golden else self.golden
        )
        if self.name in LISTS:
            return math.isfinite(sum(_flat(present, LISTS[self.name].value)))
        return self.name not in _PROBABILITIES | _NATS or math.isfinite(sum(present))

    def compared(self, tolerance: Tolerance) -> FieldResult:
        result = FieldResult()
        self._settle_absent(result)
        if self.name in LISTS:
            _compare_lists(LISTS[self.name], self.golden, self.fresh, tolerance, result)
        elif self.name in _PROBABILITIES:
            _compare_floats(_Labels(self.name), self.golden, self.fresh, tolerance.probability, result)
        elif self.name in _NATS:
            _compare_floats(_Labels(self.name), self.golden, self.fresh, tolerance.logprob, result)
        else:
            for at in compress(range(len(self.golden)), map(ne, self.golden, self.fresh)):
                result.add(Difference(at, self.name, self.golden[at], self.fresh[at]))
        return result

    def _settle_absent(self, result: FieldResult) -> None:
        """Where only one trace has the field they differ; what is left to compare has no gaps."""
        if ABSENT not in self.golden and ABSENT not in self.fresh:
            return
        blank: Any = [] if self.name in LISTS else 0.0
        for at, (old, new) in enumerate(zip(self.golden, self.fresh, strict=True)):
            if old is ABSENT or new is ABSENT:
                if old is not new:
                    result.add(Difference(at, self.name, old, new))
                self.golden[at] = self.fresh[at] = blank


@dataclass(frozen=True)
class _Labels:
    """What to call a place in a column of numbers: its row and its field, looked up only when needed.

    For a column of candidates, `ends` says at which place each row's end.
    """

    name: str
    ends: Sequence[int] | None = None
    candidates: Sequence[Any] = ()

    def at(self, place: int) -> tuple[int, str]:
        if self.ends is None:
            return place, self.name
        return bisect_right(self.ends, place), f"{self.name}[{self.candidates[place]}]"


def _compare_floats(
    labels: _Labels, golden: list[float], fresh: list[float], bound: Bound, result: FieldResult
) -> None:
    """Numbers against what each may differ by. A NaN's share of it is no number, and so beyond it."""
    atol, rtol = bound.atol, bound.rtol
    deltas = list(map(abs, map(sub, golden, fresh)))
    # A limit of 0 leaves no share to compute: there the smallest number takes its place.
    allowed = [atol + rtol * size or _TINY for size in map(abs, golden)]
    shares = list(map(truediv, deltas, allowed))

    def difference(at: int, outcome: Verdict) -> Difference:
        return Difference(*labels.at(at), golden[at], fresh[at], deltas[at], allowed[at], outcome)

    if not math.isfinite(sum(shares)) or max(shares, default=0.0) > 1:
        for at in [at for at, share in enumerate(shares) if not share <= 1]:
            result.add(difference(at, Verdict.DIFFERENT))
            shares[at] = 0.0
    within = len(shares) - shares.count(0.0)
    if within:
        result.add(difference(shares.index(max(shares)), Verdict.WITHIN_TOLERANCE))
        result.within += within - 1


def _compare_lists(
    listed: CandidateList, golden: list[Any], fresh: list[Any], tolerance: Tolerance, result: FieldResult
) -> None:
    """Lists of the same candidates in the same order are columns of numbers; the others go one by one."""
    names = _flat(golden, listed.key)
    lengths = list(map(len, golden))
    if names != _flat(fresh, listed.key) or lengths != list(map(len, fresh)):
        for at in _reordered(listed, golden, fresh):
            for each in compare_candidates(listed, golden[at], fresh[at], tolerance):
                result.add(each._replace(row=at))
            golden[at] = fresh[at] = []
        names, lengths = _flat(golden, listed.key), list(map(len, golden))
    labels = _Labels(listed.field, list(accumulate(lengths)), names)
    values = _flat(golden, listed.value), _flat(fresh, listed.value)
    _compare_floats(labels, *values, listed.bound(tolerance), result)
    result.serious.sort(key=itemgetter(0))


def _reordered(listed: CandidateList, golden: list[Any], fresh: list[Any]) -> Iterator[int]:
    key = itemgetter(listed.key)
    for at, (old, new) in enumerate(zip(golden, fresh, strict=True)):
        if old != new and list(map(key, old)) != list(map(key, new)):
            yield at


def _flat(column: Iterable[Sequence[Mapping[str, Any]]], key: str) -> list[Any]:
    return list(map(itemgetter(key), chain.from_iterable(column)))


def _share(difference: Difference) -> float:
    """How much of what is allowed it uses."""
    return (difference.delta or 0.0) / difference.allowed if difference.allowed else 0.0
