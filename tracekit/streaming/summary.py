"""What a complete run comes to, from its rows alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from tracekit.format.types import Json, Kind

__all__ = ["gaps", "percentile", "summarize"]


def summarize(kind: Kind, rows: Sequence[Json], stop_reason: str) -> Json:
    """The summary of a run without a reference answer."""
    if kind == "loop":
        return {"stop_reason": stop_reason, "executed_loops": len(rows)}
    summary = {
        "text": "".join(row["text"] for row in rows),
        "stop_reason": stop_reason,
        "tokens": len(rows),
    }
    if rows:
        summary["time_to_first_token_seconds"] = rows[0]["arrival_seconds"]
    if len(rows) > 1:
        between = gaps(rows)
        if (took := math.fsum(between)) > 0:
            summary["tokens_per_second"] = len(between) / took
        summary["gap_seconds"] = {
            "p50": percentile(between, 50),
            "p90": percentile(between, 90),
            "p99": percentile(between, 99),
            "max": max(between),
        }
    return summary


def gaps(rows: Sequence[Json]) -> list[float]:
    """Seconds between successive arrivals: one fewer than there are rows."""
    arrivals = [row["arrival_seconds"] for row in rows]
    return [later - earlier for earlier, later in itertools.pairwise(arrivals)]


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of all values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
