"""A still picture of a whole run, for a paper or a README, drawn by matplotlib.

Colours are Okabe and Ito's, as in the player: blue is right, vermilion is wrong.
"""

from __future__ import annotations

import io
import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tracekit.errors import MissingExtra, UsageError
from tracekit.format.types import Json, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["export_picture"]

_BLUE, _VERMILION, _ORANGE, _GREY = "#0072b2", "#d55e00", "#b67700", "#68665f"
_MOST_LETTERS = 60  # more do not stay readable in one line
_LONGEST_TITLE = 90
# Text stays outlines (a reader needs no font), and the same run always gives the same file.
_STYLE = {"svg.hashsalt": "tracekit", "svg.fonttype": "path", "font.size": 9, "font.family": "sans-serif"}


@dataclass(frozen=True)
class _Panel:
    """One curve of the picture: its name, a value a row, and its axis."""

    title: str
    values: Sequence[float]
    limits: tuple[float, float] | None = None
    log: bool = False
    threshold: float | None = None


def export_picture(trace: Trace, form: Literal["png", "svg"]) -> bytes:
    """Steps, probabilities and gaps over one axis of steps.

    Raises MissingExtra without matplotlib, UsageError for a run that has no rows.
    """
    if not trace["trace"]:
        raise UsageError("the run has no rows, so there is nothing to draw")
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise MissingExtra("matplotlib", "plot") from error
    out = io.BytesIO()
    metadata: dict[str, Any] = {"Date": None} if form == "svg" else {"Software": None}
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # a name in any script
        _figure(trace).savefig(out, format=form, dpi=160, metadata=metadata)
    return out.getvalue()


def _figure(trace: Trace) -> Figure:
    from matplotlib.figure import Figure

    panels = [panel for panel in _panels(trace) if any(map(math.isfinite, panel.values))]
    judged = any("correct" in row for row in trace["trace"])
    heights = [0.32] * judged + [1.0] * len(panels)
    figure = Figure(figsize=(8, 0.9 + 1.35 * len(panels)), layout="constrained")
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    figure.suptitle(_title(trace), x=0.01, ha="left", fontweight="bold", parse_math=False)
    if judged:
        _draw_steps(axes[0], trace["trace"])
    for ax, panel in zip(axes[judged:], panels, strict=True):
        _draw_panel(ax, panel)
    axes[-1].set_xlabel(trace["kind"])
    axes[-1].set_xlim(0.4, len(trace["trace"]) + 0.6)
    return figure


def _title(trace: Trace) -> str:
    rows, seconds = len(trace["trace"]), trace.get("inference_seconds")
    took = "" if seconds is None else f" in {seconds:.3g} s"
    title = f"{trace['model']['name']}: {rows} {trace['kind']}s{took}, {trace['status']}"
    printable = "".join(c if c.isprintable() else "�" for c in title)
    return printable if len(printable) <= _LONGEST_TITLE else printable[: _LONGEST_TITLE - 1] + "…"


def _panels(trace: Trace) -> list[_Panel]:
    rows = trace["trace"]
    arrivals = [0.0, *(row["arrival_seconds"] for row in rows)]
    gaps = [(later - earlier) * 1e3 for earlier, later in itertools.pairwise(arrivals)]
    threshold = trace["settings"].get("threshold")
    return [
        _Panel("completion\nprobability", _column(rows, "stop_probability"), (0, 1), threshold=threshold),
        _Panel("probability\nof the readout", [_probability(row) for row in rows], (0, 1)),
        _Panel("entropy (nats)", _column(rows, "entropy")),
        _Panel("KL to the loop\nbefore (nats)", _column(rows, "kl")),
        _Panel("gap (ms)", gaps, log=min(gaps, default=0) > 0 and max(gaps) > 20 * min(gaps)),
    ]


def _column(rows: Sequence[Json], key: str) -> list[float]:
    return [row.get(key, math.nan) for row in rows]


def _probability(row: Json) -> float:
    if "logprob" in row:
        return math.exp(row["logprob"])
    letters = {one["symbol"]: one["probability"] for one in row.get("top3", ())}
    tokens = {one["text"]: math.exp(one["logprob"]) for one in row.get("top", ())}
    return (letters or tokens).get(row["prediction"], math.nan)


def _draw_steps(ax: Axes, rows: Sequence[Json]) -> None:
    width = 0.9 if len(rows) <= _MOST_LETTERS else 1.0
    ax.bar(range(1, len(rows) + 1), [1.0] * len(rows), width, color=[_colour(row) for row in rows])
    if len(rows) <= _MOST_LETTERS:
        for at, row in enumerate(rows, 1):
            letter = row.get("prediction", "")
            shown = letter if len(letter) == 1 and letter.isprintable() else ""
            ax.text(at, 0.45, shown, ha="center", va="center", color="white", fontsize=8, parse_math=False)
    ax.set_axis_off()


def _colour(row: Json) -> str:
    return {None: _GREY, True: _BLUE, False: _VERMILION}[row.get("correct")]


def _draw_panel(ax: Axes, panel: _Panel) -> None:
    steps = range(1, len(panel.values) + 1)
    marker = "o" if len(steps) <= _MOST_LETTERS else ""
    ax.plot(steps, panel.values, color=_BLUE, linewidth=1.4, marker=marker, markersize=3)
    ax.set_ylabel(panel.title, rotation=0, ha="right", va="center", color=_GREY)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=_GREY)
    if panel.limits:
        ax.set_ylim(panel.limits[0] - 0.04, panel.limits[1] + 0.04)
    if panel.log:
        ax.set_yscale("log")
    if panel.threshold is not None:
        ax.axhline(panel.threshold, color=_ORANGE, linewidth=1, linestyle="--")
