"""Predictions that flipped although the model does the same: both candidates were nearly equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tracekit.format.types import Json
from tracekit.regression.candidates import is_near_tie
from tracekit.regression.columns import FieldResult
from tracekit.regression.verdict import Difference, Verdict

__all__ = ["explain_near_ties", "near_tie_rows"]

_PREDICTIONS = ("prediction", "token_id")


def near_tie_rows(
    results: Mapping[str, FieldResult], golden: Sequence[Json], fresh: Sequence[Json], margin: float
) -> frozenset[int]:
    """The rows, counted from 0, whose predictions differ by a near-tie."""
    flipped = {
        each.row
        for name in _PREDICTIONS
        if name in results
        for each in results[name].serious
        if each.row is not None
    }
    return frozenset(at for at in flipped if is_near_tie(golden[at], fresh[at], margin))


def explain_near_ties(
    results: Mapping[str, FieldResult], rows: frozenset[int], fresh: Sequence[Json]
) -> None:
    """Mark as near-ties the differences that a flipped prediction brings with it.

    They are the prediction itself, its correctness if it is rightly told, and whether the
    edges to it and from it are valid.
    """
    follows: dict[str, Callable[[int], bool]] = {
        "prediction": rows.__contains__,
        "token_id": rows.__contains__,
        "text": rows.__contains__,
        "correct": lambda at: at in rows and _is_rightly_told(fresh[at]),
        "edge_valid": lambda at: at in rows or at - 1 in rows,
    }
    for name in follows.keys() & results.keys():
        serious = results[name].serious
        serious[:] = [_marked(each, follows[name]) for each in serious]


def _marked(difference: Difference, follows: Callable[[int], bool]) -> Difference:
    if difference.row is None or not follows(difference.row):
        return difference
    return difference._replace(outcome=Verdict.NEAR_TIE)


def _is_rightly_told(row: Json) -> bool:
    said = row.get("prediction", row.get("text"))
    return "expected" in row and row.get("correct") == (said == row["expected"])
