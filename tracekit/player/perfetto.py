"""A recording as a timeline that Perfetto (ui.perfetto.dev) and chrome://tracing open: a track a stream.

The format is the Trace Event Format: complete events (`X`) last from the row before to the
row, counters (`C`) carry what the player draws as curves, metadata (`M`) names the tracks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import orjson

from tracekit.format.types import Json, Trace

__all__ = ["export_chrome_trace"]

_MICROSECONDS = 1e6
_COUNTERS = ("stop_probability", "entropy", "kl", "cosine")


def export_chrome_trace(traces: Sequence[Trace]) -> bytes:
    """The traces' timelines, each on its own track, all beginning at 0. Times are in microseconds."""
    events = itertools.chain.from_iterable(_events(trace, track) for track, trace in enumerate(traces, 1))
    return orjson.dumps({"displayTimeUnit": "ms", "traceEvents": list(events)}) + b"\n"


def _events(trace: Trace, track: int) -> Iterator[Json]:
    where = {"pid": track, "tid": 1}
    yield {"ph": "M", "name": "process_name", **where, "args": {"name": trace["model"]["name"]}}
    yield {"ph": "M", "name": "thread_name", **where, "args": {"name": f"{trace['kind']}s"}}
    before = 0.0
    for row in trace["trace"]:
        at = row["arrival_seconds"] * _MICROSECONDS
        name = row["prediction"] if "loop" in row else row["text"]
        yield {"ph": "X", "name": name or "∅", **where, "ts": before, "dur": at - before, "args": row}
        yield from ({"ph": "C", **where, "ts": at, **counter} for counter in _counters(row))
        before = at
    if "inference_seconds" in trace:
        end = max(before, trace["inference_seconds"] * _MICROSECONDS)
        yield {"ph": "i", "s": "t", "name": trace["status"], **where, "ts": end, "args": _ending(trace)}


def _counters(row: Json) -> Iterator[Json]:
    if "logprob" in row:
        yield {"name": "probability", "args": {"probability": math.exp(row["logprob"])}}
    for name in _COUNTERS:
        if name in row:
            yield {"name": name, "args": {name: row[name]}}


def _ending(trace: Trace) -> Json:
    error = trace.get("error")
    return dict(error) if error else trace.get("summary", {})
