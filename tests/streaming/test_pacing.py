"""Paces are pure functions of a timeline."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracekit.errors import UsageError
from tracekit.streaming.pacing import Pace, at_speed, evenly, in_pieces, limit_pauses

positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
timelines = st.lists(st.floats(0, 1e4), max_size=50).map(sorted)


def test_even_spacing_ignores_the_recorded_gaps():
    assert evenly([0.1, 5.0, 5.1], 2.0) == [0.5, 1.0, 1.5]


def test_speed_divides_every_moment():
    assert at_speed([1.0, 3.0], 2.0) == [0.5, 1.5]


def test_pauses_are_cut_and_what_follows_moves_up():
    assert limit_pauses([3.0, 3.5, 10.0], 1.0) == [1.0, 1.5, 2.5]


def test_paces_combine_pause_first_then_start_then_speed():
    assert Pace(speed=2.0, max_pause=1.0, start=1.0).deadlines([3.0, 3.5, 10.0]) == [0.0, 0.25, 0.75]


@pytest.mark.parametrize("value", ["2", b"2", True, Decimal(2), 2j, [2], 10**400, math.nan, math.inf, -1])
@pytest.mark.parametrize("name", ["speed", "max_pause", "start", "rows_per_second"])
def test_what_is_no_number_in_range_is_refused(name, value):
    with pytest.raises(UsageError, match=f"^{name} must be .*, not "):
        Pace(**{name: value})


@pytest.mark.parametrize("name", ["speed", "start"])
def test_what_has_no_meaning_without_a_number_is_refused_as_none(name):
    with pytest.raises(UsageError, match="not None"):
        Pace(**{name: None})


@pytest.mark.parametrize("two", [2, Fraction(2), numpy.float32(2), numpy.int64(2)])
def test_a_number_of_any_type_is_one(two):
    assert Pace(speed=two).deadlines([1.0, 3.0]) == [0.5, 1.5]


def test_a_wait_is_slept_in_pieces_that_sum_to_it():
    pieces = list(in_pieces(100_000.25))

    assert sum(pieces) == 100_000.25
    assert max(pieces) == 3600


@pytest.mark.parametrize("seconds", [1e300, math.inf])
def test_a_wait_beyond_any_clock_goes_on_in_pieces(seconds):
    assert set(islice(in_pieces(seconds), 1000)) == {3600}


@given(st.lists(st.floats(0, sys.float_info.max), max_size=20).map(sorted), positive, positive, positive)
def test_deadlines_of_the_most_extreme_pace_are_finite_and_never_go_back(timeline, speed, pause, rate):
    for pace in (Pace(speed), Pace(speed, pause), Pace(speed, pause, rows_per_second=rate)):
        deadlines = pace.deadlines(timeline)

        assert deadlines == sorted(deadlines)
        assert all(map(math.isfinite, deadlines))


@given(timelines, st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 100))
def test_deadlines_are_as_many_and_never_go_back(timeline, speed, pause, start):
    deadlines = Pace(speed, pause, start).deadlines(timeline)

    assert len(deadlines) == len(timeline)
    assert deadlines == sorted(deadlines)
    assert all(deadline >= 0 for deadline in deadlines)
