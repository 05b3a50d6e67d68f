"""A token golden against one teacher-forced pass."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.regression.traces import token, tokens
from tracekit import Verdict
from tracekit.errors import RunError
from tracekit.regression.forced import compare_scores
from tracekit.regression.tolerances import DEFAULTS

HALF = DEFAULTS["bfloat16"]


def scored(golden_rows, score_rows, tolerance=HALF):
    return compare_scores(tokens(*golden_rows), score_rows, tolerance)


def test_equal_scores_are_identical_and_what_is_not_compared_is_said():
    rows = [token(1, -0.1, [(2, -3.0)]), token(5, -0.2)]

    comparison = scored(rows, rows)

    assert comparison.verdict is Verdict.IDENTICAL
    assert comparison.compared == 2
    assert "where and why the text ends is not compared" in comparison.notes[0]


def test_scores_that_moved_less_than_allowed_are_within_tolerance():
    comparison = scored([token(1, -0.1), token(5, -0.2)], [token(1, -0.15), token(5, -0.2)])

    assert comparison.verdict is Verdict.WITHIN_TOLERANCE
    assert {each.field: round(each.delta, 6) for each in comparison.differences} == {
        "mean |Δ logprob|": 0.025,
        "p99 |Δ logprob|": 0.05,
    }


def test_a_mean_beyond_its_limit_is_different():
    comparison = scored([token(1, -0.1)] * 4, [token(1, -0.17)] * 4)

    assert comparison.first.field == "mean |Δ logprob|"
    assert comparison.first.allowed == 0.06


def test_one_step_in_a_hundred_may_move_further_than_the_99th_percentile():
    golden = [token(1, -0.1)] * 100

    assert scored(golden, [*golden[:99], token(1, -0.9)]).passed
    assert scored(golden, [*golden[:98], *[token(1, -0.9)] * 2]).first.field == "p99 |Δ logprob|"


def test_another_favourite_by_less_than_the_allowed_regret_is_a_near_tie():
    comparison = scored([token(1, -0.70, [(2, -0.72)])], [token(1, -0.72, [(2, -0.70)])])

    assert comparison.verdict is Verdict.NEAR_TIE
    assert comparison.first[:2] == (0, "regret")


def test_another_favourite_by_more_than_the_allowed_regret_is_different():
    few = [token(1, -0.1)] * 200
    comparison = scored([*few, token(1, -0.6, [(2, -0.9)])], [*few, token(1, -0.9, [(2, -0.6)])])

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.first[:2] == (200, "regret")
    assert comparison.first.delta == pytest.approx(0.3)


def test_a_sampled_token_is_judged_by_how_much_its_regret_grew():
    golden = [token(2, -3.0, [(1, -0.1)])]

    assert scored(golden, [token(2, -3.0, [(1, -0.1)])]).verdict is Verdict.IDENTICAL
    assert scored(golden, [token(2, -3.05, [(1, -0.1)])]).verdict is Verdict.WITHIN_TOLERANCE


def test_float32_is_held_far_tighter_than_half_precision():
    golden, fresh = [token(1, -0.1)], [token(1, -0.102)]

    assert scored(golden, fresh, HALF).passed
    assert not scored(golden, fresh, DEFAULTS["float32"]).passed


def test_nan_never_passes():
    assert not scored([token(1, -0.1)], [token(1, math.nan)], replace(HALF, mean_logprob=1e9)).passed


def test_scores_of_other_tokens_are_an_error():
    with pytest.raises(RunError, match="scored other tokens"):
        scored([token(1, -0.1)], [token(2, -0.1)])
