"""What compare finds, one kind of difference a test."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.regression.traces import changed, letter, loops, token, tokens
from tracekit import Verdict, compare
from tracekit.errors import UsageError
from tracekit.regression.tolerances import DEFAULTS
from tracekit.regression.verdict import ABSENT, Counts, Difference

LOOSE = replace(DEFAULTS["float32"], atol=0.0, rtol=0.01, logprob_atol=0.01, logprob_rtol=0.0, tie_margin=0.1)


def test_a_trace_is_identical_to_itself_whenever_and_wherever_it_ran(cycle):
    fresh = changed(cycle, id="018f0000-0000-7000-8000-000000000000", environment={"python": "4.0"})
    for row in fresh["trace"]:
        row["arrival_seconds"] += 7.5

    comparison = compare(cycle, fresh)

    assert comparison.verdict is Verdict.IDENTICAL
    assert comparison.passed
    assert comparison.differences == ()
    assert comparison.compared == 52


@pytest.mark.parametrize(("old", "new"), [(True, 1), (1, 1.0), ([{"n": 0}], [{"n": False}])])
def test_a_request_is_compared_as_json_where_true_is_not_1_and_1_is_not_1_0(old, new):
    golden, fresh = loops(letter("A"), request={"x": old}), loops(letter("A"), request={"x": new})

    assert compare(golden, fresh).first[:4] == (None, "request.x", old, new)


def test_a_float_within_the_tolerance_is_told_and_passes():
    golden, fresh = loops(letter("A", 0.9)), loops(letter("A", 0.905))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.verdict is Verdict.WITHIN_TOLERANCE
    assert comparison.passed
    assert comparison.counts == {"top3": Counts(within_tolerance=1)}
    (found,) = comparison.differences
    assert found[:4] == (1, "top3[A]", 0.9, 0.905)
    assert found.delta == pytest.approx(0.005)
    assert found.allowed == pytest.approx(0.009)


def test_of_many_floats_within_the_tolerance_the_largest_is_kept_and_all_are_counted():
    golden = loops(*(letter("A", stop_probability=0.5) for _ in range(4)))
    fresh = loops(*(letter("A", stop_probability=0.5 + moved) for moved in (0.001, 0.0, 0.004, 0.002)))

    comparison = compare(golden, fresh, LOOSE)

    assert comparison.counts == {"stop_probability": Counts(within_tolerance=3)}
    assert [(each.row, each.fresh) for each in comparison.differences] == [(3, 0.504)]


def test_a_float_beyond_the_tolerance_is_different():
    comparison = compare(loops(letter("A", 0.9)), loops(letter("A", 0.88)), LOOSE)

    assert comparison.verdict is Verdict.DIFFERENT
    assert not comparison.passed
    assert comparison.first.field == "top3[A]"


def test_the_first_difference_is_the_first_that_makes_the_verdict():
    golden = loops(letter("A", 0.9), letter("A", 0.9), letter("A", 0.9))
    fresh = loops(letter("A", 0.905), letter("A", 0.5), letter("B", 0.9))

    comparison = compare(golden, fresh, LOOSE)

    assert (comparison.first.row, comparison.first.field) == (2, "top3[A]")
    assert [each.row for each in comparison.differences] == [1, 2, 3]


@pytest.mark.parametrize("field", ["prediction", "direct_prediction", "correct", "edge_valid"])
def test_what_is_no_float_is_compared_exactly(cycle, field):
    fresh = changed(cycle)
    fresh["trace"][9][field] = {"prediction": "?", "direct_prediction": None}.get(field, False)

    comparison = compare(cycle, fresh)

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.first == Difference(
        10, field, cycle["trace"][9][field], fresh["trace"][9][field], None, None, Verdict.DIFFERENT
    )


def test_nan_never_equals_anything_not_even_itself(cycle):
    golden = changed(cycle)
    golden["trace"][0]["stop_probability"] = math.nan

    comparison = compare(golden, golden)

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.first.field == "stop_probability"


def test_nan_among_candidates_never_equals_itself(cycle):
    golden = changed(cycle)
    golden["trace"][0]["top3"][1]["probability"] = math.nan

    assert compare(golden, golden).verdict is Verdict.DIFFERENT


def test_nan_in_a_request_never_equals_itself(cycle):
    golden = changed(cycle, request={"temperature": math.nan})

    assert compare(golden, golden).first.field == "request.temperature"


def test_a_field_that_only_one_trace_has_is_different():
    comparison = compare(loops(letter("A", kl=0.5)), loops(letter("A")), LOOSE)

    assert comparison.first == Difference(1, "kl", 0.5, ABSENT)


def test_another_kind_is_different_and_its_rows_are_not_compared():
    comparison = compare(loops(letter("A"), letter("B")), tokens(token(1, -0.1)))

    assert comparison.first.field == "kind"
    assert comparison.compared == 0
    assert comparison.not_compared == 2


def test_another_request_is_told_by_the_part_that_differs(cycle):
    fresh = changed(cycle, request={**cycle["request"], "start": "Q"})

    assert compare(cycle, fresh).first[:4] == (None, "request.start", cycle["request"]["start"], "Q")


def test_more_rows_are_different_even_if_all_the_golden_has_are_equal():
    comparison = compare(loops(letter("A", 0.9)), loops(letter("A", 0.9), letter("A", 0.9)))

    assert comparison.verdict is Verdict.DIFFERENT
    assert [each.field for each in comparison.differences] == ["rows", "summary.executed_loops"]


def test_a_run_that_stops_for_another_reason_is_different():
    comparison = compare(loops(letter("A")), loops(letter("A"), stop_reason="cap"))

    assert comparison.first[:4] == (None, "summary.stop_reason", "head", "cap")


def test_a_fresh_run_that_failed_is_different(cycle):
    fresh = changed(cycle, status="failed", error={"type": "ValueError", "message": "no"})
    del fresh["summary"]

    comparison = compare(cycle, fresh)

    assert comparison.first[:4] == (None, "status", "complete", "failed")


def test_a_cancelled_golden_is_compared_up_to_its_last_row(cycle):
    golden = changed(cycle, status="cancelled", trace=cycle["trace"][:20])
    del golden["summary"]

    comparison = compare(golden, cycle)

    assert comparison.verdict is Verdict.IDENTICAL
    assert comparison.compared == 20


def test_a_fresh_run_that_ends_before_a_cancelled_golden_is_different(cancelled, cycle):
    golden = changed(cycle, status="cancelled")
    fresh = changed(cycle, trace=cycle["trace"][:20])

    assert compare(golden, fresh).first[:4] == (None, "rows", 52, 20)


def test_a_cancelled_fresh_run_does_not_pass_for_a_complete_golden(cycle):
    fresh = changed(cycle, status="cancelled", trace=cycle["trace"][:20])

    assert not compare(cycle, fresh).passed


def test_provenance_is_listed_and_is_no_difference(cycle):
    fresh = changed(cycle, model={**cycle["model"], "device": "cuda:0"})

    comparison = compare(cycle, fresh)

    assert comparison.verdict is Verdict.IDENTICAL
    assert [each[:4] for each in comparison.provenance] == [(None, "model.device", "cpu", "cuda:0")]


def test_the_median_gap_is_compared_only_if_asked(cycle):
    slow = changed(cycle)
    for row in slow["trace"]:
        row["arrival_seconds"] *= 3

    assert compare(cycle, slow).verdict is Verdict.IDENTICAL
    assert compare(cycle, slow, timing=3.5).verdict is Verdict.IDENTICAL
    assert compare(cycle, slow, timing=2).first.field == "median gap, seconds"
    assert compare(slow, cycle, timing=2).first.field == "median gap, seconds"


@pytest.mark.parametrize("tolerance", [{"rtol": 0.1}, {}, 0.1, "x"])
def test_a_tolerance_is_a_tolerance(tolerance):
    with pytest.raises(UsageError, match="tolerance: expected a Tolerance"):
        compare(loops(letter("A")), loops(letter("A")), tolerance)


def test_timing_needs_gaps_and_a_ratio():
    with pytest.raises(UsageError, match="two rows"):
        compare(loops(letter("A")), loops(letter("A")), timing=2)
    with pytest.raises(UsageError, match="1 or more"):
        compare(loops(letter("A")), loops(letter("A")), timing=0.5)
    with pytest.raises(UsageError, match="1 or more, not '2'"):
        compare(loops(letter("A")), loops(letter("A")), timing="2")


def test_rows_are_numbered_and_ordered_over_any_length():
    rows = [letter("A", 0.9, stop_probability=0.5)] * 3000
    golden, fresh = loops(*rows), loops(*rows)
    fresh["trace"][2999]["prediction"] = "B"
    fresh["trace"][1500]["stop_probability"] = 0.6
    fresh["trace"][2500]["stop_probability"] = 0.5001
    fresh["trace"][10]["stop_probability"] = 0.50001

    comparison = compare(golden, fresh)

    assert [(each.row, each.field) for each in comparison.differences] == [
        (1501, "stop_probability"),
        (2501, "stop_probability"),
        (3000, "prediction"),
    ]
    assert comparison.counts["stop_probability"] == Counts(within_tolerance=2, different=1)


def test_a_row_of_another_shape_is_found_among_many():
    rows = [letter("A", 0.9, kl=0.5)] * 2000
    golden, fresh = loops(*rows), loops(*rows)
    fresh["trace"][1700]["cosine"] = fresh["trace"][1700].pop("kl")

    comparison = compare(golden, fresh)

    assert [(each.row, each.field, each.golden, each.fresh) for each in comparison.differences] == [
        (1701, "kl", 0.5, ABSENT),
        (1701, "cosine", ABSENT, 0.5),
    ]
