"""Predictions that flip because two candidates were nearly equal, and ones that flip for a reason."""

from __future__ import annotations

from dataclasses import replace

from tests.regression.traces import changed, failed, letter, loops, token, tokens
from tracekit import Verdict, compare
from tracekit.regression.tolerances import DEFAULTS
from tracekit.regression.verdict import Counts

LOOSE = replace(DEFAULTS["float32"], rtol=0.05, logprob_atol=0.05, tie_margin=0.1)


def test_a_flip_between_nearly_equal_letters_is_a_near_tie_and_the_rest_is_compared():
    golden = loops(letter("A", 0.50, 0.49), letter("C", 0.1, 0.2, 0.7))
    fresh = loops(letter("B", 0.49, 0.50), letter("C", 0.1, 0.2, 0.7))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.NEAR_TIE
    assert comparison.passed
    assert comparison.first[:4] == (1, "prediction", "A", "B")
    assert comparison.compared == 2
    assert comparison.not_compared == 0


def test_what_follows_a_near_tie_in_a_loop_trace_can_still_differ():
    golden = loops(letter("A", 0.50, 0.49), letter("C", 0.1, 0.2, 0.7))
    fresh = loops(letter("B", 0.49, 0.50), letter("C", 0.1, 0.2, 0.5))

    assert compare(golden, fresh, LOOSE).first[:2] == (2, "top3[C]")


def test_a_flip_between_letters_far_apart_in_the_golden_is_different():
    golden, fresh = loops(letter("A", 0.60, 0.39)), loops(letter("B", 0.49, 0.50))

    assert compare(golden, fresh, replace(LOOSE, rtol=1.0)).verdict is Verdict.DIFFERENT


def test_a_flip_to_a_letter_that_was_not_listed_is_different():
    assert compare(loops(letter("A", 0.5, 0.49)), loops(letter("F", 0.5, 0.49)), LOOSE).first[:4] == (
        1,
        "prediction",
        "A",
        "F",
    )


def test_a_flip_of_the_direct_prediction_has_no_candidates_and_is_different():
    golden = loops(letter("A", 0.50, 0.49, direct_prediction="A"))
    fresh = loops(letter("B", 0.49, 0.50, direct_prediction="B"))

    assert compare(golden, fresh, LOOSE).first.field == "direct_prediction"


def test_correctness_that_follows_from_a_near_tie_is_part_of_it():
    told = {"expected": "A", "edge_valid": True}
    golden = loops(letter("A", 0.50, 0.49, **told, correct=True), letter("A", 0.9, **told, correct=True))
    fresh = loops(letter("B", 0.49, 0.50, **told, correct=False), letter("A", 0.9, **told, correct=True))
    fresh["trace"][1]["edge_valid"] = False

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.NEAR_TIE
    assert comparison.counts["correct"] == Counts(near_tie=1)
    assert comparison.counts["edge_valid"] == Counts(near_tie=1)


def test_correctness_that_does_not_follow_from_the_near_tie_is_different():
    told = {"expected": "A"}
    golden = loops(letter("A", 0.50, 0.49, **told, correct=True))
    fresh = loops(letter("B", 0.49, 0.50, **told, correct=True))
    golden["trace"][0]["correct"] = False

    assert compare(golden, fresh, LOOSE).first.field == "correct"


def test_a_summary_that_follows_from_a_near_tie_is_part_of_it():
    golden = loops(letter("A", 0.50, 0.49, expected="A", correct=True), request={"steps": 1})
    golden["summary"] |= {"first_error": None, "complete_trajectory": True, "answer_correct": True}
    fresh = loops(letter("B", 0.49, 0.50, expected="A", correct=False), request={"steps": 1})
    fresh["summary"] |= {"first_error": 1, "complete_trajectory": False, "answer_correct": False}

    assert compare(golden, fresh, LOOSE).verdict is Verdict.NEAR_TIE


def test_a_summary_that_tells_another_error_than_the_near_tie_is_different():
    golden = loops(
        letter("A", 0.50, 0.49, expected="A", correct=True), letter("A", expected="A", correct=True)
    )
    golden["summary"]["first_error"] = None
    fresh = loops(
        letter("B", 0.49, 0.50, expected="A", correct=False), letter("A", expected="A", correct=True)
    )
    fresh["summary"]["first_error"] = 2

    assert compare(golden, fresh, LOOSE).first.field == "summary.first_error"


def test_steps_of_a_request_that_are_no_number_say_nothing_of_the_summary():
    golden = loops(letter("A", 0.50, 0.49, expected="A", correct=True), request={"steps": "many"})
    fresh = loops(letter("B", 0.49, 0.50, expected="A", correct=False), request={"steps": "many"})

    assert compare(golden, fresh, LOOSE).verdict is Verdict.NEAR_TIE


def test_a_token_trace_has_diverged_at_a_near_tie_and_the_rest_is_not_compared():
    golden = tokens(token(1, -0.1), token(2, -0.70, [(3, -0.72)]), token(4, -0.1), token(5, -0.1))
    fresh = tokens(token(1, -0.1), token(3, -0.70, [(2, -0.72)]), token(8, -0.1))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.NEAR_TIE
    assert comparison.first[:4] == (1, "token_id", 2, 3)
    assert comparison.compared == 2
    assert comparison.not_compared == 2


TIED = tokens(token(1, -0.70, [(3, -0.72)]), token(4, -0.1), token(5, -0.1))
FLIPPED = tokens(token(3, -0.70, [(1, -0.72)]), token(8, -0.1), token(9, -0.1))


def test_a_run_that_failed_after_a_near_tie_is_different():
    comparison = compare(TIED, failed(FLIPPED, rows=2), LOOSE)

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.first[:4] == (None, "status", "complete", "failed")
    assert comparison.not_compared == 2


def test_after_a_near_tie_a_run_may_end_before_the_golden_was_cancelled_but_not_fail_there():
    cancelled = changed(TIED, status="cancelled")
    sooner = changed(FLIPPED, trace=FLIPPED["trace"][:2])

    assert compare(cancelled, sooner, LOOSE).verdict is Verdict.NEAR_TIE
    assert compare(cancelled, failed(FLIPPED, rows=2), LOOSE).first.field == "status"


def test_a_token_that_differs_beyond_a_near_tie_is_different_and_the_rest_is_not_compared():
    golden = tokens(token(1, -0.1), token(2, -0.1, [(3, -3.0)]), token(4, -0.1))
    fresh = tokens(token(1, -0.1), token(3, -0.1, [(2, -3.0)]), token(9, -0.1))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.not_compared == 1
    assert max(each.row for each in comparison.differences) == 1


def test_a_token_trace_is_identical_whatever_its_times(cycle):
    golden = tokens(token(1, -0.1), token(2, -0.2))
    fresh = changed(golden)
    fresh["summary"] |= {"tokens_per_second": 1.0, "time_to_first_token_seconds": 9.0, "gap_seconds": {}}

    assert compare(golden, fresh).verdict is Verdict.IDENTICAL
