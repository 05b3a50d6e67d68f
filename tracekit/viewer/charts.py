"""Gaps between steps as charts: what altair draws, and the arithmetic before it."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import altair

from tracekit.format.types import Trace
from tracekit.streaming.summary import gaps, percentile

__all__ = ["curve", "histogram", "statistics"]

Series: TypeAlias = Mapping[str, Sequence[float]]  # a recording's name: its gaps in milliseconds

MOST_POINTS = 1500
BINS = 40
HEIGHT = 340


def milliseconds_between(trace: Trace) -> list[float]:
    """The gaps between a trace's rows, in milliseconds."""
    return [1000 * gap for gap in gaps(trace["trace"])]


def statistics(traces: Mapping[str, Trace]) -> dict[str, list[Any]]:
    """A line a recording: steps, milliseconds to the first, percentiles of the gaps, steps a second."""
    columns: dict[str, list[Any]] = {"Recording": list(traces)}
    columns["Steps"] = [len(trace["trace"]) for trace in traces.values()]
    columns["First step, ms"] = [_first(trace) for trace in traces.values()]
    between = [milliseconds_between(trace) for trace in traces.values()]
    for name, percent in (("Median", 50), ("p90", 90), ("p99", 99), ("Longest", 100)):
        columns[f"{name}, ms"] = [percentile(each, percent) if each else None for each in between]
    columns["Steps a second"] = [_rate(each) for each in between]
    return columns


def curve(series: Series) -> altair.Chart:
    """The gap before each step. Of many steps that share a pixel, the longest is drawn."""
    points = [
        {"recording": name, "step": at, "gap": value}
        for name, values in series.items()
        for at, value in _peaks(values)
    ]
    chart: altair.Chart = (
        altair.Chart(altair.InlineData(points))
        .mark_line(strokeWidth=1.8, point={"size": 22} if len(points) < 200 else False)
        .encode(
            x=altair.X("step:Q", title="Step", axis=altair.Axis(tickMinStep=1)),
            y=altair.Y("gap:Q", title="Gap, ms", scale=_scale(series)),
            color=_colour(series),
            tooltip=["recording:N", "step:Q", altair.Tooltip("gap:Q", format=".4f", title="ms")],
        )
        .properties(height=HEIGHT)
    )
    return chart


def histogram(series: Series) -> altair.Chart:
    """How many gaps lie in each of equal ranges, on the curve's scale."""
    edges = _edges(series)
    bars = [
        {"recording": name, "from": low, "to": high, "steps": count}
        for name, values in series.items()
        for low, high, count in _counts(values, edges)
    ]
    chart: altair.Chart = (
        altair.Chart(altair.InlineData(bars))
        .mark_bar(opacity=0.6, binSpacing=1, orient="vertical")
        .encode(
            x=altair.X("from:Q", title="Gap, ms", scale=_scale(series)),
            x2="to:Q",
            y=altair.Y("steps:Q", title="Steps", stack=None, axis=altair.Axis(tickMinStep=1)),
            color=_colour(series),
            tooltip=[
                "recording:N",
                altair.Tooltip("from:Q", format=".4f"),
                altair.Tooltip("to:Q", format=".4f"),
                "steps:Q",
            ],
        )
        .properties(height=HEIGHT)
    )
    return chart


def _first(trace: Trace) -> float | None:
    rows = trace["trace"]
    return 1000 * rows[0]["arrival_seconds"] if rows else None


def _rate(between: Sequence[float]) -> float | None:
    total = math.fsum(between)
    return 1000 * len(between) / total if total > 0 else None


def _peaks(values: Sequence[float]) -> list[tuple[int, float]]:
    """(step, gap): the gap before step 2 is the first. At most `MOST_POINTS`, the longest of each stretch."""
    width = max(1, math.ceil(len(values) / MOST_POINTS))
    starts = range(0, len(values), width)
    tops = [max(range(at, min(at + width, len(values))), key=values.__getitem__) for at in starts]
    return [(top + 2, values[top]) for top in tops]


def _is_wide(series: Series) -> bool:
    """Whether gaps differ so much that only a logarithm shows them all."""
    every = [value for values in series.values() for value in values]
    return bool(every) and min(every) > 0 and max(every) > 20 * percentile(every, 50)


def _scale(series: Series) -> altair.Scale:
    if _is_wide(series):
        return altair.Scale(type="log", nice=True)
    return altair.Scale(zero=False)


def _colour(series: Series) -> altair.Color:
    legend = altair.Legend(orient="top", title=None, labelLimit=400) if len(series) > 1 else None
    return altair.Color("recording:N", legend=legend, sort=list(series))


def _edges(series: Series) -> list[float]:
    every = [value for values in series.values() for value in values] or [0.0]
    low, high = min(every), max(every)
    if _is_wide(series):
        ratio = (high / low) ** (1 / BINS)
        return [low * ratio**at for at in range(BINS + 1)]
    step = (high - low or 1.0) / BINS
    return [low + step * at for at in range(BINS + 1)]


def _counts(values: Sequence[float], edges: Sequence[float]) -> list[tuple[float, float, int]]:
    """Each range that holds values; the last includes its upper edge."""
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[min(len(counts) - 1, max(0, bisect.bisect_right(edges, value) - 1))] += 1
    ranges = zip(edges, edges[1:], counts, strict=False)
    return [(low, high, count) for low, high, count in ranges if count]
