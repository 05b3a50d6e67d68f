"""A live run as snapshots: the cumulative JSON view of the run so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tracekit.format.codec import as_trace
from tracekit.format.types import Json, Snapshot
from tracekit.streaming.header import new_header
from tracekit.streaming.run import Run, RunOptions
from tracekit.streaming.source import Source

__all__ = ["stream"]


def stream(
    source: Source,
    request: object,
    *,
    metadata: Mapping[str, Any] | None = None,
    options: RunOptions | None = None,
) -> Iterator[Snapshot]:
    """Yield a snapshot a row as rows arrive, then the whole trace with its summary.

    The last snapshot's status is `complete`, or `cancelled` if `options.cancel` was set.
    What the model raises comes out as itself, after every row before it. Closing the
    iterator cancels at the next step and returns when the model is free. Raises
    RequestError for a request that the source refuses, before anything runs.
    """
    run = Run(source, request, options)
    header = new_header(source, run.request, metadata)
    return _snapshots(run, header)


def _snapshots(run: Run, header: Json) -> Iterator[Snapshot]:
    rows: list[Json] = []
    for batch in run.batches():
        for row in batch:
            rows.append(row)
            yield as_trace({**header, "trace": list(rows)})
    tail = run.tail(rows)
    if run.error is not None:
        raise run.error
    yield as_trace({**header, "trace": list(rows), **tail})
