"""A recorded run again, at its times."""

from __future__ import annotations

import asyncio

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tracekit.errors import RecordedFailure, UsageError
from tracekit.streaming.replay import AsyncTimer, Timer


class Time:
    """A clock that moves only when someone sleeps, and overshoots by 1 ms each time."""

    def __init__(self) -> None:
        self.now = 50.0
        self.shown: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds + 0.001

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)

    @property
    def timer(self) -> Timer:
        return Timer(lambda: self.now, self.sleep)


@pytest.fixture
def trace(tokens, tmp_path):
    source = tokens(3, times=[0.0, 0.02, 0.06], stop_reason="eos")
    return tracekit.record(source, {"prompt": "x"}, tmp_path / "run.json")


def shown_at(snapshots, time):
    return [time.now - 50.0 for _ in snapshots]


def test_a_consumer_sees_what_the_live_run_showed_but_for_the_source(tokens):
    live = list(tracekit.stream(tokens(3, stop_reason="eos"), {"prompt": "x"}))

    recorded = list(tracekit.replay(live[-1]))

    assert recorded == [{**snapshot, "source": "recorded"} for snapshot in live]


def test_rows_come_at_their_recorded_times_and_lateness_does_not_add_up(trace):
    time = Time()

    moments = shown_at(tracekit.replay(trace, timer=time.timer), time)

    arrivals = [row["arrival_seconds"] for row in trace["trace"]] + [trace["inference_seconds"]]
    assert moments == pytest.approx([at + 0.001 for at in arrivals], abs=0.0011)


def test_double_speed_takes_half_the_time(trace):
    time = Time()

    moments = shown_at(tracekit.replay(trace, speed=2.0, timer=time.timer), time)

    assert moments[-1] == pytest.approx(trace["inference_seconds"] / 2, abs=0.002)


def test_no_pause_is_longer_than_the_longest_allowed(trace):
    time = Time()

    moments = shown_at(tracekit.replay(trace, max_pause=0.005, timer=time.timer), time)

    assert moments[-1] <= 4 * 0.005 + 0.002


def test_a_later_start_gives_the_rows_before_it_at_once(trace):
    time = Time()
    snapshots = tracekit.replay(trace, start=0.05, timer=time.timer)

    counts = [len(next(snapshots)["trace"]), len(next(snapshots)["trace"])]

    assert counts == [1, 2]
    assert time.now == 50.0


class StoppedError(Exception):
    """Ends a wait that would go on for ever."""


class Impatient:
    """A sleep that is left after the third; it refuses what the system's would."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        if not 0 <= seconds < 1e9:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        self.slept.append(seconds)
        if len(self.slept) == 3:
            raise StoppedError

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


def late(trace, seconds):
    """The trace with its last row as late as that."""
    *rows, last = trace["trace"]
    rows.append({**last, "arrival_seconds": seconds})
    return {**trace, "trace": rows, "inference_seconds": seconds}


@pytest.mark.parametrize(("seconds", "speed"), [(1e300, 1.0), (1e6, 1e-320), (1e300, 5e-324)])
def test_a_wait_of_any_length_is_waited_and_can_be_left(trace, seconds, speed):
    sleeper = Impatient()

    with pytest.raises(StoppedError):
        list(tracekit.replay(late(trace, seconds), speed, timer=Timer(lambda: 0.0, sleeper.sleep)))

    assert sleeper.slept[-1] == 3600


def test_the_asynchronous_twin_waits_as_long(trace):
    sleeper = Impatient()

    async def collect():
        timer = AsyncTimer(lambda: 0.0, sleeper.sleep_async)
        return [snapshot async for snapshot in tracekit.replay_async(late(trace, 1e300), timer=timer)]

    with pytest.raises(StoppedError):
        asyncio.run(collect())

    assert sleeper.slept[-1] == 3600


@pytest.mark.parametrize(
    "options",
    [{"speed": 0}, {"speed": -1}, {"speed": float("nan")}, {"speed": "2"}, {"max_pause": 0}, {"speed": None}],
)
def test_a_pace_that_is_none_is_refused(trace, options):
    with pytest.raises(UsageError, match="must be a number above 0"):
        tracekit.replay(trace, **options)


def test_a_failed_run_fails_again_at_its_time(tokens, tmp_path):
    with pytest.raises(ValueError, match="boom"):
        tracekit.record(tokens(2, error=ValueError("boom")), {}, tmp_path / "run.json")
    snapshots = tracekit.replay(tracekit.load(tmp_path / "run.json"))
    seen = []

    with pytest.raises(RecordedFailure, match="the recorded run failed here with ValueError: boom"):
        seen.extend(snapshots)

    assert [len(snapshot["trace"]) for snapshot in seen] == [1, 2]


def test_a_cancelled_run_ends_as_cancelled():
    trace = tracekit.load(RECORDINGS / "pointer-cancelled.json")

    last = list(tracekit.replay(trace, speed=1000))[-1]

    assert last == {**trace, "source": "recorded"}


def test_a_replay_closed_early_stops_at_once(trace):
    time = Time()
    snapshots = tracekit.replay(trace, timer=time.timer)
    next(snapshots)
    before = time.now

    snapshots.close()

    assert time.now == before
    assert list(snapshots) == []


def test_the_asynchronous_twin_gives_the_same_snapshots(trace):
    time = Time()

    async def collect():
        timer = AsyncTimer(lambda: time.now, time.sleep_async)
        return [snapshot async for snapshot in tracekit.replay_async(trace, timer=timer)]

    assert asyncio.run(collect()) == list(tracekit.replay(trace))
