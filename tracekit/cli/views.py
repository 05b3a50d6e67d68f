"""What a run looks like while it runs, or replays: live on a terminal, lines in a pipe, NDJSON."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Protocol

import click

from tracekit.cli.text import row_line, summary_line
from tracekit.format.codec import encode_line
from tracekit.format.types import Json, Trace
from tracekit.terminal import printable

__all__ = ["JsonView", "LineView", "QuietView", "View", "choose_view"]


class View(Protocol):
    """Shows one run: its header, its rows as they arrive, its end."""

    def begin(self, header: Json) -> None:
        """A run begins."""

    def rows(self, rows: Sequence[Json]) -> None:
        """Rows have arrived."""

    def end(self, trace: Trace) -> None:
        """The run has ended by itself."""

    def close(self) -> None:
        """Leave the terminal as it was. Called last, whatever happened."""


def choose_view(*, quiet: bool, as_json: bool) -> View:
    """NDJSON or nothing if asked for; live on a terminal; otherwise lines."""
    if as_json:
        return JsonView()
    if quiet:
        return QuietView()
    if sys.stdout.isatty():
        from tracekit.cli.live import LiveView

        return LiveView(time.monotonic)
    return LineView()


class QuietView:
    """Shows nothing."""

    def begin(self, header: Json) -> None:
        pass

    def rows(self, rows: Sequence[Json]) -> None:
        pass

    def end(self, trace: Trace) -> None:
        pass

    def close(self) -> None:
        pass


class JsonView(QuietView):
    """Every row as a line of JSON on standard output, flushed as it arrives."""

    def rows(self, rows: Sequence[Json]) -> None:
        sys.stdout.buffer.write(b"".join(map(encode_line, rows)))
        sys.stdout.buffer.flush()


class LineView(QuietView):
    """Every row as a line of text, then the summary."""

    def begin(self, header: Json) -> None:
        click.echo(f"{printable(header['model']['name'])}, {header['kind']}s")

    def rows(self, rows: Sequence[Json]) -> None:
        click.echo("\n".join(map(row_line, rows)))

    def end(self, trace: Trace) -> None:
        click.echo(summary_line(trace))
