"""The live view, on a terminal of rich's own."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tracekit.cli.live import LiveView
from tracekit.terminal import printable

HEADER = {"model": {"name": "[bold]model[/b]"}, "settings": {"threshold": 0.5}}


def shown(kind, rows, message="[/b]"):
    """What the live view leaves on a terminal without colours."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=110, highlight=False)
    view = LiveView(lambda: 0.0, console)
    view.begin({**HEADER, "kind": kind})
    view.show(rows, message)
    view.close()
    return console.file.getvalue()


def loop(text):
    tops = [{"symbol": text, "probability": 0.9}]
    return {"loop": 1, "prediction": text, "expected": text, "top3": tops, "arrival_seconds": 0.1}


def token(text):
    tops = [{"token_id": 1, "text": text, "logprob": -0.5}]
    return {"index": 0, "token_id": 1, "text": text, "logprob": -0.5, "top": tops, "arrival_seconds": 0.1}


@pytest.mark.parametrize("text", ["[/b]", "[red]a[/red]", "[link=x]", ":smile:", "\\[a]"])
@pytest.mark.parametrize(("kind", "row", "times"), [("loop", loop, 3), ("token", token, 1)])
def test_text_that_looks_like_markup_is_shown_as_it_is(kind, row, times, text):
    screen = shown(kind, [row(text)])

    assert screen.rpartition("[bold]model[/b]")[2].count(text) >= times


@pytest.mark.parametrize(("kind", "row"), [("loop", loop), ("token", token)])
def test_text_that_a_terminal_would_obey_is_written_out(kind, row):
    hostile = "\x1b]0;t\x07\u202e"

    screen = shown(kind, [row(hostile)], printable(hostile))

    assert "\x1b]" not in screen
    assert {"\x07", "\u202e"}.isdisjoint(screen)
    assert r"\x1b]0;t" in screen


def test_a_token_with_a_line_break_breaks_the_line():
    assert "one\ntwo" in "\n".join(map(str.rstrip, shown("token", [token("one\ntwo")]).splitlines()))
