"""Whatever the schema lets through can be shown, replayed and exported, and steers no terminal."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

import tracekit
from tests.conftest import RECORDINGS
from tests.format.strategies import documents
from tracekit.cli.export import FORMS
from tracekit.cli.live import LiveView
from tracekit.cli.text import head_lines, row_line, summary_line
from tracekit.errors import RecordedFailure, UsageError
from tracekit.format.codec import decode, encode
from tracekit.format.types import Trace
from tracekit.regression.words import report
from tracekit.terminal import printable

HOSTILE = "\x1b]0;HACK\x07\n\u202e\x9b2J[/b]"
ENUMS = {"kind", "source", "status", "id", "created_at", "sha256", "mapping", "start"}

traces: st.SearchStrategy[Trace] = documents.map(encode).map(decode)
quick = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
slow = settings(quick, max_examples=8)


def poisoned(trace: Any) -> Any:
    """The same with hostile text for every string, and a key, that the schema leaves free."""
    free = _poisoned(trace)
    return free | {"metadata": {HOSTILE: HOSTILE}, "model": {**free["model"], "source": HOSTILE}}


def _poisoned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: value[key] if key in ENUMS else _poisoned(value[key]) for key in value}
    if isinstance(value, list):
        return [_poisoned(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


def lines_of(trace: Trace) -> list[str]:
    """Every line that show, info, replay and record print."""
    head = [text for _, text in head_lines({**trace})]
    return [*head, *map(row_line, trace["trace"]), summary_line({**trace})]


def screen_of(trace: Trace) -> str:
    """What the live view leaves on a terminal without colours."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=110, highlight=False)
    view = LiveView(lambda: 0.0, console)
    view.begin({**trace})
    view.show(trace["trace"], summary_line({**trace}))
    view.close()
    return console.file.getvalue()


@quick
@given(traces)
def test_every_valid_trace_can_be_shown(trace: Trace) -> None:
    assert [line for line in lines_of(trace) if line != printable(line)] == []
    assert screen_of(trace)


@pytest.mark.parametrize("form", ["html", "csv", "jsonl", "chrome-trace", "asciicast"])
@quick
@given(trace=traces)
def test_every_valid_trace_can_be_exported(form: str, trace: Trace) -> None:
    assert FORMS[form].make([("run.json", trace)])[-1:] in (b"\n", b"")


@pytest.mark.parametrize("form", ["png", "svg"])
@slow
@given(trace=traces)
def test_every_valid_trace_with_rows_can_be_drawn(form: str, trace: Trace) -> None:
    try:
        assert FORMS[form].make([("run.json", trace)])
    except UsageError:
        assert trace["trace"] == []


@quick
@given(traces, traces.map(poisoned))
def test_any_two_valid_traces_can_be_compared_in_words(golden: Trace, fresh: Trace) -> None:
    said = report(tracekit.compare(golden, fresh))

    assert [line for line in said.split("\n") if line != printable(line)] == []


@quick
@given(traces.map(poisoned))
def test_no_text_of_a_trace_steers_the_terminal(trace: Trace) -> None:
    screen = screen_of(trace)

    assert [line for line in lines_of(trace) if line != printable(line)] == []
    assert {"\x07", "\u202e", "\x9b"}.isdisjoint(screen)
    assert "\x1b]" not in screen


@pytest.mark.parametrize("name", ["short", "errs", "cancelled"])
@pytest.mark.parametrize("command", [("show",), ("info",), ("replay", "--speed", 1000), ("diff",)])
def test_a_hostile_recording_leaves_only_text(tk, tmp_path, name, command):
    hostile = poisoned(json.loads((RECORDINGS / f"pointer-{name}.json").read_text()))
    (tmp_path / "x.json").write_text(json.dumps(hostile))
    others = [RECORDINGS / "pointer-short.json"] if command == ("diff",) else []

    result = tk(*command, "x.json", *others)

    assert (result.out + result.err).replace("\n", "").isprintable()
    assert "HACK" in result.out


def test_a_hostile_failure_is_one_line(tk, tmp_path):
    hostile = poisoned(json.loads((RECORDINGS / "pointer-short.json").read_text()))
    del hostile["summary"]
    hostile |= {"status": "failed", "error": {"type": HOSTILE, "message": HOSTILE}}
    (tmp_path / "x.json").write_text(json.dumps(hostile))

    result = tk("replay", "--speed", 1e6, "x.json")

    assert result.err == f"{RecordedFailure(HOSTILE, HOSTILE)}\n"
    assert result.err.removesuffix("\n").isprintable()


@pytest.mark.parametrize("created_at", ["2026-02-31T00:00:00.000Z", "0000-01-01T00:00:00.000Z"])
def test_a_day_that_is_in_no_calendar_is_left_out_of_an_asciicast(created_at: str) -> None:
    trace = tracekit.load(RECORDINGS / "pointer-short.json") | {"created_at": created_at}

    header = json.loads(FORMS["asciicast"].make([("run.json", trace)]).splitlines()[0])

    assert list(header) == ["version", "term", "title"]
