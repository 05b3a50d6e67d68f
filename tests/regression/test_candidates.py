"""Top-k lists: order is free among equals, and what falls off the end says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.regression.traces import letter, loops, token, tokens
from tracekit import Verdict, compare
from tracekit.regression.tolerances import DEFAULTS

LOOSE = replace(DEFAULTS["float32"], atol=0.01, rtol=0.0, logprob_atol=0.01, logprob_rtol=0.0)


def compared(golden, fresh):
    """The comparison of two lists of A's, B's, … probabilities."""
    return compare(loops(letter("A", *golden)), loops(letter("A", *fresh)), LOOSE)


def test_candidates_closer_than_the_tolerance_may_change_places():
    assert compared((0.5, 0.201, 0.200), (0.5, 0.200, 0.201)).verdict is Verdict.WITHIN_TOLERANCE


def test_candidates_further_apart_may_not_change_places():
    golden = loops(letter("A", 0.5, 0.3, 0.2))
    fresh = loops(letter("A", 0.5, 0.3, 0.2))
    fresh["trace"][0]["top3"].reverse()

    assert compare(golden, fresh, LOOSE).first.field == "top3 order"


def test_a_candidate_that_fell_off_the_end_by_a_hair_is_harmless():
    golden, fresh = (0.5, 0.3, 0.101), (0.5, 0.3, 0.0, 0.102)
    fresh_list = letter("A", *fresh)
    fresh_list["top3"] = [each for each in fresh_list["top3"] if each["probability"] > 0]

    comparison = compare(loops(letter("A", *golden)), loops(fresh_list), LOOSE)

    assert comparison.verdict is Verdict.WITHIN_TOLERANCE


def test_a_candidate_that_left_the_list_from_well_above_its_end_is_different():
    fresh_list = letter("A", 0.5, 0.0, 0.1, 0.1)
    fresh_list["top3"] = [each for each in fresh_list["top3"] if each["probability"] > 0]

    comparison = compare(loops(letter("A", 0.5, 0.3, 0.1)), loops(fresh_list), LOOSE)

    assert comparison.first.field == "top3[B]"


def test_a_shorter_list_is_different():
    assert compared((0.5, 0.3, 0.2), (0.5, 0.3)).first.field == "top3 candidates"


def test_the_list_of_one_row_can_be_reordered_while_others_only_move():
    golden = loops(letter("A", 0.5, 0.201, 0.2), letter("A", 0.5, 0.3, 0.1))
    fresh = loops(letter("A", 0.5, 0.2, 0.201), letter("A", 0.5, 0.3, 0.15))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.first[:2] == (2, "top3[C]")
    assert comparison.counts["top3"].within_tolerance == 3


def test_token_candidates_are_compared_in_nats():
    golden, fresh = tokens(token(1, -0.5, [(2, -2.0)])), tokens(token(1, -0.5, [(2, -2.005)]))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.WITHIN_TOLERANCE
    assert comparison.first.field == "top[2]"
    assert comparison.first.delta == pytest.approx(0.005)
