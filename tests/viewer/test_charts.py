"""The arithmetic of the timing charts."""

from __future__ import annotations

from typing import Any

import pytest

from tracekit.viewer.charts import MOST_POINTS, curve, histogram, milliseconds_between, statistics


def trace(*arrivals: float) -> Any:
    return {"trace": [{"arrival_seconds": arrival} for arrival in arrivals]}


def test_the_numbers_of_a_recording() -> None:
    columns = statistics({"a": trace(0.5, 0.75, 1.25)})

    assert columns == {
        "Recording": ["a"],
        "Steps": [3],
        "First step, ms": [500.0],
        "Median, ms": [250.0],
        "p90, ms": [500.0],
        "p99, ms": [500.0],
        "Longest, ms": [500.0],
        "Steps a second": [2 / 0.75],
    }


def test_recordings_too_short_for_a_gap_have_no_numbers() -> None:
    columns = statistics({"none": trace(), "one": trace(0.25)})

    assert columns["First step, ms"] == [None, 250.0]
    assert columns["Median, ms"] == columns["Steps a second"] == [None, None]


def test_the_curve_keeps_the_longest_gap_of_many() -> None:
    gaps = [1.0] * 10_000
    gaps[4_321] = 9.0

    points = curve({"a": gaps}).data.values

    assert len(points) <= MOST_POINTS
    assert {"recording": "a", "step": 4_323, "gap": 9.0} in points


def test_the_histogram_counts_every_gap_once() -> None:
    gaps = milliseconds_between(trace(*(at * at / 1000 for at in range(100))))

    bars = histogram({"a": gaps, "b": [5.0, 5.0]}).data.values

    assert sum(bar["steps"] for bar in bars if bar["recording"] == "a") == 99
    assert sum(bar["steps"] for bar in bars if bar["recording"] == "b") == 2


@pytest.mark.parametrize(("gaps", "scale"), [([1.0, 1.1, 1.2], "linear"), ([1.0] * 9 + [500.0], "log")])
def test_gaps_that_differ_by_far_are_drawn_by_their_logarithm(gaps: list[float], scale: str) -> None:
    drawn = curve({"a": gaps}).to_dict()["encoding"]["y"]["scale"]

    assert drawn.get("type", "linear") == scale
