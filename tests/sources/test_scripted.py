"""The model by script."""

from __future__ import annotations

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tracekit import Script, ScriptedSource
from tracekit.errors import UsageError


def test_rows_come_at_their_times(tokens):
    trace = list(tracekit.stream(tokens(3, times=[0.0, 0.03, 0.06]), {}))[-1]

    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    assert arrivals[1] >= 0.03
    assert arrivals[2] >= 0.06


def test_a_recording_becomes_a_script_of_the_same_rows():
    recorded = tracekit.load(RECORDINGS / "pointer-short.json")
    source = ScriptedSource.from_trace(recorded)

    again = list(tracekit.stream(source, recorded["request"]))[-1]

    timeless = [{**row, "arrival_seconds": 0} for row in recorded["trace"]]
    assert [{**row, "arrival_seconds": 0} for row in again["trace"]] == timeless


def test_times_that_do_not_fit_the_rows_are_refused():
    with pytest.raises(UsageError, match="a script of 1 rows has 2 times"):
        ScriptedSource("loop", Script([{"prediction": "A"}], times=[0.0, 1.0]))
