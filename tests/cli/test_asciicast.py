"""A recording as a terminal session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import Stamped, failing, record, token
from tracekit.cli.asciicast import export_asciicast


def test_a_session_has_a_header_and_an_event_a_row_at_its_time() -> None:
    trace = tracekit.load(RECORDINGS / "pointer-short.json")

    header, title, *rows, end = map(json.loads, export_asciicast(trace).splitlines())

    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    assert (header["version"], header["term"], header["title"]) == (
        3,
        {"cols": 100, "rows": 30},
        "tracekit-pointer",
    )
    assert [title[0], *(sum(row[0] for row in rows[: at + 1]) for at in range(12))] == pytest.approx(
        [0, *arrivals]
    )
    assert {event[1] for event in (title, *rows, end)} == {"o"}
    assert "12 loops, stopped by head" in end[2]


def test_a_wrong_step_is_red() -> None:
    trace = tracekit.load(RECORDINGS / "pointer-errs.json")

    rows = [json.loads(line)[2] for line in export_asciicast(trace).splitlines()[2:-1]]

    assert [row.startswith("\x1b[31m") for row in rows] == [not row["correct"] for row in trace["trace"]]


def test_tokens_flow_as_text_and_cannot_command_the_terminal(tmp_path: Path) -> None:
    script = tracekit.Script([token("Hi\n"), token("\x1b[2J\x07"), token("é")], [0.1, 0.2, 0.3])
    trace = tracekit.load(record(Stamped("token", script), tmp_path / "run.json"))

    shown = [json.loads(line)[2] for line in export_asciicast(trace).splitlines()[2:-1]]

    assert shown == ["Hi\r\n", "\\x1b[2J\\x07", "é"]


def test_a_failed_run_ends_with_its_error(tmp_path: Path) -> None:
    trace = tracekit.load(record(failing("out of memory"), tmp_path / "run.json"))

    end = json.loads(export_asciicast(trace).splitlines()[-1])

    assert "failed after 0.300 s: RuntimeError: out of memory" in end[2]
