"""Paces are pure functions of a timeline."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracekit.streaming.pacing import Pace, at_speed, evenly, limit_pauses

timelines = st.lists(st.floats(0, 1e4), max_size=50).map(sorted)


def test_even_spacing_ignores_the_recorded_gaps():
    assert evenly([0.1, 5.0, 5.1], 2.0) == [0.5, 1.0, 1.5]


def test_speed_divides_every_moment():
    assert at_speed([1.0, 3.0], 2.0) == [0.5, 1.5]


def test_pauses_are_cut_and_what_follows_moves_up():
    assert limit_pauses([3.0, 3.5, 10.0], 1.0) == [1.0, 1.5, 2.5]


def test_paces_combine_pause_first_then_start_then_speed():
    assert Pace(speed=2.0, max_pause=1.0, start=1.0).deadlines([3.0, 3.5, 10.0]) == [0.0, 0.25, 0.75]


@given(timelines, st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0, 100))
def test_deadlines_are_as_many_and_never_go_back(timeline, speed, pause, start):
    deadlines = Pace(speed, pause, start).deadlines(timeline)

    assert len(deadlines) == len(timeline)
    assert deadlines == sorted(deadlines)
    assert all(deadline >= 0 for deadline in deadlines)
