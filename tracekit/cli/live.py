"""The live view of a run on a terminal, for recording and for replay alike.

Rich takes a string for markup, so what comes from a run is always a `Text`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tracekit.cli.text import bar, candidates, is_wrong, summary_line
from tracekit.format.types import Json, Trace
from tracekit.terminal import printable, printable_lines

__all__ = ["LiveView", "loop_table", "token_text"]

# A terminal shows no more; and drawing costs the model its interpreter for as long as it takes.
_FRAMES_PER_SECOND = 15
_LAST_ROWS = 12


class LiveView:
    """Redraws the last rows as they arrive, at most 15 times a second; leaves the summary."""

    def __init__(self, clock: Callable[[], float], console: Console | None = None) -> None:
        self._clock = clock
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False)
        self._header: Json = {}
        self._rows: list[Json] = []
        self._drawn_at = float("-inf")

    def begin(self, header: Json) -> None:
        self._header, self._rows = header, []
        self._live.start()
        self._draw("waiting for the first row")

    def rows(self, rows: Sequence[Json]) -> None:
        self._rows.extend(rows)
        if self._clock() - self._drawn_at >= 1 / _FRAMES_PER_SECOND:
            self._draw(f"{self._rows[-1]['arrival_seconds']:.3f} s")

    def end(self, trace: Trace) -> None:
        self._draw(summary_line(trace))

    def close(self) -> None:
        self._live.stop()

    def show(self, rows: Sequence[Json], message: str) -> None:
        """Show exactly these rows: a replay may go back."""
        self._rows = list(rows)
        self._draw(message)

    def _draw(self, message: str) -> None:
        self._drawn_at = self._clock()
        kind = self._header["kind"]
        draw = loop_table if kind == "loop" else token_text
        body = draw(self._header, self._rows)
        title = f"{printable(self._header['model']['name'])} · {len(self._rows)} {kind}s"
        self._live.update(Group(Text(title, style="bold"), body, Text(message, style="dim")), refresh=True)


def loop_table(header: Json, rows: Sequence[Json]) -> RenderableType:
    """The last loops as a table: letter, expected letter, stop probability against its threshold, top 3."""
    threshold = header["settings"].get("threshold")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, justify in (("loop", "right"), ("is", "left"), ("should be", "left"), ("stop", "left")):
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("most probable", no_wrap=True)
    table.add_column("seconds", justify="right", no_wrap=True)
    for row in rows[-_LAST_ROWS:]:
        stop = row.get("stop_probability")
        table.add_row(
            str(row["loop"]),
            Text(printable(row["prediction"], 16), style="bold red" if is_wrong(row) else "bold"),
            Text(printable(row.get("expected", ""), 16)),
            "" if stop is None else f"{bar(stop, mark=threshold)} {stop:.3f}",
            Text(candidates(row)),
            f"{row['arrival_seconds']:.4f}",
        )
    return table


def token_text(header: Json, rows: Sequence[Json]) -> RenderableType:  # noqa: ARG001
    """Tokens as the text they make, the improbable ones marked, and the last one's alternatives."""
    text = Text()
    for row in rows:
        style = "" if row["logprob"] > -1 else "yellow" if row["logprob"] > -3 else "red"
        text.append(printable_lines(row["text"]), style=style)
    last = candidates(rows[-1], 5) if rows else ""
    return Group(text, Text(last, style="cyan"))
