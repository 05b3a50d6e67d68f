"""A timeline for Perfetto."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import tracekit
from tests.player.runs import failing, looped, record, sentence
from tracekit.player.perfetto import export_chrome_trace


@pytest.fixture
def events(tmp_path: Path) -> list[dict[str, Any]]:
    """The events of a sentence of three tokens (0.2, 0.6 and 1.0 s), a loop run, and one that failed."""
    sources = [sentence(3, seconds=1.0), looped(4), failing("boom")]
    paths = [record(source, tmp_path / f"{place}.json") for place, source in enumerate(sources)]
    found: list[dict[str, Any]] = json.loads(export_chrome_trace([tracekit.load(path) for path in paths]))[
        "traceEvents"
    ]
    return found


def of(events: list[dict[str, Any]], track: int, phase: str) -> list[dict[str, Any]]:
    return [event for event in events if (event["pid"], event["ph"]) == (track, phase)]


def test_each_recording_has_its_own_named_track(events: list[dict[str, Any]]) -> None:
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]

    assert names == ["small-lm", "looped-lm", "scripted"]


def test_a_row_lasts_from_the_row_before_to_its_arrival(events: list[dict[str, Any]]) -> None:
    spans = [(event["name"], event["ts"], event["dur"]) for event in of(events, 1, "X")]

    assert spans == [
        ("The", 0.0, pytest.approx(2e5)),
        (" river", pytest.approx(2e5), pytest.approx(4e5)),
        (" does", pytest.approx(6e5), pytest.approx(4e5)),
    ]


def test_the_curves_are_counters(events: list[dict[str, Any]]) -> None:
    probabilities = [
        event["args"]["probability"] for event in of(events, 1, "C") if event["name"] == "probability"
    ]
    of_loops = {event["name"] for event in of(events, 2, "C")}

    assert probabilities == pytest.approx([0.2 + 0.79 * abs(math.sin(at)) for at in range(3)])
    assert of_loops == {"entropy", "kl", "cosine"}


def test_the_end_says_how_the_run_ended(events: list[dict[str, Any]]) -> None:
    (end,) = of(events, 3, "i")

    assert (end["name"], end["ts"], end["args"]) == (
        "failed",
        3e5,
        {"type": "RuntimeError", "message": "boom"},
    )
