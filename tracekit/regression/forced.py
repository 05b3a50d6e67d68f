"""A token golden against one teacher-forced pass: what does the model make of the golden's own tokens?

A run that generates stops telling anything at the first token that differs. Fed with the
golden's tokens, every step can be compared, in one forward pass.

* Regret: by how many nats the model now likes another token better, beyond what it did
  when the golden was recorded (a sampled token was not the best even then).
* |Δ log probability| over each step's token and the candidates that both list: its mean
  and its 99th percentile.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tracekit.errors import RunError
from tracekit.format.types import Json, Trace
from tracekit.regression.compare import tally
from tracekit.regression.tolerances import Tolerance
from tracekit.regression.verdict import Comparison, Difference, Verdict
from tracekit.streaming.summary import percentile

__all__ = ["compare_scores"]

NOTE = "checked teacher-forced: where and why the text ends is not compared (--free-run generates it again)"


def compare_scores(
    golden: Trace, scores: Sequence[Json], tolerance: Tolerance, provenance: tuple[Difference, ...] = ()
) -> Comparison:
    """Whether the model still gives the golden's tokens their log probabilities.

    `scores` are what `Source.score` gave for them. Raises RunError if they are of other tokens.
    """
    rows = golden["trace"]
    if [row["token_id"] for row in rows] != [score["token_id"] for score in scores]:
        raise RunError("the source scored other tokens than the golden's")
    regrets = [
        each for row, score in zip(rows, scores, strict=True) for each in _regret(row, score, tolerance)
    ]
    spread = list(_spread(rows, scores, tolerance))
    differences = (*regrets, *spread)
    return Comparison(
        verdict=_verdict(differences),
        differences=differences,
        counts=tally(differences),
        compared=len(rows),
        not_compared=0,
        unit="token",
        tolerance=tolerance,
        provenance=provenance,
        forced=True,
        notes=(NOTE,),
    )


def _verdict(differences: Sequence[Difference]) -> Verdict:
    found = {each.outcome for each in differences}
    return next((each for each in reversed(Verdict) if each in found), Verdict.IDENTICAL)


def _regret(row: Json, score: Json, tolerance: Tolerance) -> Iterator[Difference]:
    before, now = _behind(row), _behind(score)
    delta = now - before
    if delta <= 0:
        return
    flipped = before == 0
    fits = delta <= tolerance.max_regret
    near = Verdict.NEAR_TIE if flipped else Verdict.WITHIN_TOLERANCE
    outcome = near if fits else Verdict.DIFFERENT
    yield Difference(row["index"], "regret", before, now, delta, tolerance.max_regret, outcome)


def _behind(row: Json) -> float:
    """Nats by which the row's token is behind the best candidate; 0 if it is the best."""
    best: float = max((each["logprob"] for each in row["top"]), default=-math.inf)
    return max(0.0, best - float(row["logprob"]))


def _spread(rows: Sequence[Json], scores: Sequence[Json], tolerance: Tolerance) -> Iterator[Difference]:
    deltas = [delta for row, score in zip(rows, scores, strict=True) for delta in _deltas(row, score)]
    if not any(deltas):  # NaN is true
        return
    mean, p99 = math.fsum(deltas) / len(deltas), percentile(deltas, 99)
    for name, found, allowed in (
        ("mean |Δ logprob|", mean, tolerance.mean_logprob),
        ("p99 |Δ logprob|", p99, tolerance.p99_logprob),
    ):
        outcome = Verdict.WITHIN_TOLERANCE if found <= allowed else Verdict.DIFFERENT
        yield Difference(None, name, 0.0, found, found, allowed, outcome)


def _deltas(row: Json, score: Json) -> Iterator[float]:
    yield abs(row["logprob"] - score["logprob"])
    now = {each["token_id"]: each["logprob"] for each in score["top"]}
    for each in row["top"]:
        if each["token_id"] in now and each["token_id"] != row["token_id"]:
            yield abs(each["logprob"] - now[each["token_id"]])
