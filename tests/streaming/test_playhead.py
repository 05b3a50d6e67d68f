"""Where a replay stands."""

from __future__ import annotations

import pytest

from tracekit.streaming.playhead import Playhead


class Clock:
    now = 10.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_it_moves_with_the_clock(clock):
    head = Playhead([1.0, 2.0, 4.0], clock)
    clock.now += 2.5

    assert head.passed() == 2
    assert head.next_due() == pytest.approx(1.5)


def test_half_speed_doubles_the_wait(clock):
    head = Playhead([1.0, 2.0], clock, speed=0.5)

    assert head.next_due() == pytest.approx(2.0)


def test_paused_it_stands_and_goes_on_from_there(clock):
    head = Playhead([1.0, 2.0], clock)
    clock.now += 1.2
    head.toggle()
    clock.now += 100
    assert (head.position, head.next_due()) == (pytest.approx(1.2), None)

    head.toggle()
    clock.now += 0.9

    assert head.passed() == 2


def test_a_step_pauses_on_exactly_that_moment(clock):
    head = Playhead([1.0, 2.0, 4.0], clock)
    clock.now += 1.5

    head.step(1)

    assert (head.position, head.passed(), head.playing) == (2.0, 2, False)
    head.step(-1)
    assert (head.position, head.passed()) == (1.0, 1)
    head.step(-5)
    assert (head.position, head.passed()) == (0.0, 0)
    head.step(99)
    assert head.position == 4.0


def test_at_the_end_it_stays_and_a_toggle_begins_again(clock):
    head = Playhead([1.0], clock)
    clock.now += 9
    assert (head.at_end, head.position, head.next_due()) == (True, 1.0, None)

    head.toggle()

    assert (head.position, head.playing) == (0.0, True)


def test_a_loop_begins_again_by_itself(clock):
    head = Playhead([1.0, 2.0], clock, loop=True)
    clock.now += 5.5

    assert head.position == pytest.approx(1.5)
    assert head.at_end is False


def test_a_change_of_speed_does_not_move_it(clock):
    head = Playhead([1.0, 9.0], clock)
    clock.now += 3

    head.set_speed(4.0)

    assert head.position == pytest.approx(3.0)
    clock.now += 1
    assert head.position == pytest.approx(7.0)


def test_an_empty_recording_is_at_its_end(clock):
    head = Playhead([], clock)
    head.step(1)

    assert (head.position, head.passed(), head.at_end) == (0.0, 0, True)
