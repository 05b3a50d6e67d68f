"""A recording as an asciicast of version 3: what a terminal shows of the run, with its timing.

The format: https://docs.asciinema.org/manual/asciicast/v3/ (a header line, then events
`[seconds since the event before, code, data]`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import orjson

from tracekit.cli.text import is_wrong, row_line, summary_line
from tracekit.format.types import Json, Trace
from tracekit.terminal import printable, printable_lines

__all__ = ["export_asciicast"]

_COLUMNS, _ROWS = 100, 30
_RED, _BOLD, _PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def export_asciicast(trace: Trace) -> bytes:
    """A loop's line, or a token's text, at its time; then how the run ended, at its time."""
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in _lines(trace))


def _lines(trace: Trace) -> Iterator[Any]:
    title = printable(trace["model"]["name"], _COLUMNS)
    term = {"cols": _COLUMNS, "rows": _ROWS}
    yield {"version": 3, "term": term, **_began(trace["created_at"]), "title": title}
    yield [0.0, "o", f"{_BOLD}{title}{_PLAIN}\r\n"]
    before = 0.0
    for row in trace["trace"]:
        yield [row["arrival_seconds"] - before, "o", _shown(row)]
        before = row["arrival_seconds"]
    end = max(before, trace.get("inference_seconds", 0.0))
    yield [end - before, "o", f"\r\n{_BOLD}{summary_line({**trace})}{_PLAIN}\r\n"]


def _began(created_at: str) -> Json:
    """The timestamp of the header; none for a day that is in no calendar, which the schema lets through."""
    try:
        return {"timestamp": int(datetime.fromisoformat(created_at).timestamp())}
    except ValueError:
        return {}


def _shown(row: Json) -> str:
    text = f"{row_line(row)}\r\n" if "loop" in row else _flowing(row["text"])
    return f"{_RED}{text}{_PLAIN}" if is_wrong(row) else text


def _flowing(text: str) -> str:
    """A token's text as it stands in a paragraph: its line breaks kept, nothing else obeyed."""
    return printable_lines(text).replace("\n", "\r\n")
