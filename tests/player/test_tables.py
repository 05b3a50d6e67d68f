"""Rows as CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import Stamped, record, token
from tracekit.player.tables import export_csv, export_jsonl


@pytest.fixture
def short() -> tracekit.format.types.Trace:
    """Twelve loops of the bundled model."""
    return tracekit.load(RECORDINGS / "pointer-short.json")


def test_json_lines_hold_the_rows_as_the_recording_spells_them(short: tracekit.format.types.Trace) -> None:
    lines = export_jsonl(short)

    recording = (RECORDINGS / "pointer-short.json").read_bytes()
    assert lines.splitlines() == [
        line.rstrip(b",") for line in recording.splitlines() if line.startswith(b'{"loop"')
    ]


def test_csv_has_a_line_a_row_and_a_column_a_candidate(short: tracekit.format.types.Trace) -> None:
    table = list(csv.DictReader(io.StringIO(export_csv(short).decode())))

    row = short["trace"][3]
    assert len(table) == 12
    assert table[3]["prediction"] == row["prediction"]
    assert float(table[3]["arrival_seconds"]) == row["arrival_seconds"]
    assert float(table[3]["top3_2_probability"]) == row["top3"][1]["probability"]
    assert table[3]["correct"] == "true"


def test_csv_text_cannot_be_a_formula(tmp_path: Path) -> None:
    texts = ["=1+1", "@SUM(A1)", "-", "+x", 'two\nlines, "quoted"', "plain"]
    script = tracekit.Script([token(text) for text in texts], [0.1] * 6)

    data = export_csv(tracekit.load(record(Stamped("token", script), tmp_path / "run.json")))

    cells = [row["text"] for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]
    assert cells == ["'=1+1", "'@SUM(A1)", "'-", "'+x", 'two\nlines, "quoted"', "plain"]


def test_a_run_without_rows_has_a_header_and_no_lines(tmp_path: Path) -> None:
    empty = tracekit.load(record(Stamped("token", tracekit.Script([])), tmp_path / "run.json"))

    assert export_jsonl(empty) == b""
    assert export_csv(empty).decode().splitlines() == [
        "index,token_id,text,logprob,sampled_logprob,entropy,note,arrival_seconds,expected,correct"
    ]


def test_json_lines_keep_hostile_text_as_it_is(tmp_path: Path) -> None:
    text = '=cmd()\n"</script>\u2028'
    trace = tracekit.load(
        record(Stamped("token", tracekit.Script([token(text)], [0.1])), tmp_path / "run.json")
    )

    assert json.loads(export_jsonl(trace))["text"] == text
