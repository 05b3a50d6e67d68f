"""Top-k lists: sets whose order is free where it says nothing, and near-ties between their members."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracekit.regression.tolerances import Bound, Tolerance
from tracekit.regression.verdict import ABSENT, Difference, Verdict

__all__ = ["LISTS", "CandidateList", "compare_candidates", "is_near_tie"]


@dataclass(frozen=True)
class CandidateList:
    """A row's field that holds candidates: what names one, and what its number is."""

    field: str
    key: str
    value: str
    shown: str
    in_nats: bool

    def bound(self, tolerance: Tolerance) -> Bound:
        return tolerance.logprob if self.in_nats else tolerance.probability

    def nats(self, value: float) -> float:
        """The candidate's log probability."""
        if self.in_nats:
            return value
        return math.log(value) if value > 0 else -math.inf

    def values(self, candidates: Sequence[Mapping[str, Any]]) -> dict[Any, float]:
        """Each candidate's number, most probable first."""
        return {each[self.key]: each[self.value] for each in candidates}


LISTS = {
    "top3": CandidateList("top3", "symbol", "probability", "symbol", in_nats=False),
    "top": CandidateList("top", "token_id", "logprob", "text", in_nats=True),
}


def compare_candidates(
    listed: CandidateList,
    golden: Sequence[Mapping[str, Any]],
    fresh: Sequence[Mapping[str, Any]],
    tolerance: Tolerance,
) -> Iterator[Difference]:
    """The differences of one row's lists, without its row.

    A candidate in both lists is compared by its number. One in a single list may have
    fallen off the other's end: then its number is at most the tolerance above that end.
    Two that changed places must be closer than their tolerances together, in both runs.
    """
    before, after = listed.values(golden), listed.values(fresh)
    bound = listed.bound(tolerance)
    if len(golden) != len(fresh) or len(before) != len(golden) or len(after) != len(fresh):
        yield Difference(None, f"{listed.field} candidates", list(before), list(after))
        return
    for name in itertools.chain(before, (name for name in after if name not in before)):
        yield from _compare_one(f"{listed.field}[{name}]", before, after, name, bound)
    yield from _changed_places(listed, before, after, bound)


def is_near_tie(golden: Mapping[str, Any], fresh: Mapping[str, Any], margin: float) -> bool:
    """Whether two rows that predict differently were, each, nearly undecided between the two.

    Both list both predictions, and in each their log probabilities are at most `margin` nats apart.
    """
    for listed in LISTS.values():
        name = "prediction" if listed.key == "symbol" else "token_id"
        if all(listed.field in row and name in row for row in (golden, fresh)):
            pair = (golden[name], fresh[name])
            return all(_gap(listed, row, pair) <= margin for row in (golden, fresh))
    return False


def _gap(listed: CandidateList, row: Mapping[str, Any], pair: tuple[Any, Any]) -> float:
    values = listed.values(row[listed.field])
    if not all(name in values for name in pair):
        return math.inf
    return abs(listed.nats(values[pair[0]]) - listed.nats(values[pair[1]]))


def _compare_one(
    field: str, before: Mapping[Any, float], after: Mapping[Any, float], name: Any, bound: Bound
) -> Iterator[Difference]:
    old, new = before.get(name, ABSENT), after.get(name, ABSENT)
    # Where a list leaves a candidate out, its number there is at most that of the list's last.
    golden = min(before.values()) if old is ABSENT else old
    fresh = min(after.values()) if new is ABSENT else new
    if golden == fresh and ABSENT not in (old, new):
        return
    delta, allowed = abs(golden - fresh), bound.allowed(golden)
    outcome = Verdict.WITHIN_TOLERANCE if delta <= allowed else Verdict.DIFFERENT
    yield Difference(None, field, old, new, delta, allowed, outcome)


def _changed_places(
    listed: CandidateList, before: Mapping[Any, float], after: Mapping[Any, float], bound: Bound
) -> Iterator[Difference]:
    place = {name: at for at, name in enumerate(after)}
    for ahead, behind in itertools.combinations([name for name in before if name in place], 2):
        if place[ahead] < place[behind]:
            continue
        delta = max(abs(values[ahead] - values[behind]) for values in (before, after))
        allowed = bound.allowed(before[ahead]) + bound.allowed(before[behind])
        outcome = Verdict.WITHIN_TOLERANCE if delta <= allowed else Verdict.DIFFERENT
        order = f"{listed.field} order"
        yield Difference(None, order, [ahead, behind], [behind, ahead], delta, allowed, outcome)
