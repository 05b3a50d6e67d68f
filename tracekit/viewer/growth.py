"""A journal's run as far as it has come, while its recorder writes and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tracekit.errors import StorageError
from tracekit.format.codec import as_trace, encode
from tracekit.format.types import Trace
from tracekit.storage.journal import is_being_written, read_journal
from tracekit.storage.recovery import trace_of
from tracekit.storage.store import load

__all__ = ["REFRESH_SECONDS", "Growth", "grown", "slowed"]

REFRESH_SECONDS = 0.5
_LARGEST_PART = 0.25


@dataclass(frozen=True)
class Growth:
    """The trace so far with its bytes; `interrupted` if its recorder has died."""

    trace: Trace
    data: bytes
    state: Literal["growing", "recorded", "interrupted"]


def grown(journal: Path) -> Growth | None:
    """What a journal holds, or the recording it has become; None while it holds nothing yet.

    Raises StorageError where there is neither, DocumentError for what is not a trace.
    """
    try:
        # A lock is only asked about once there is a header: before, its recorder may be about to take it.
        if journal.stat().st_size == 0:
            return None
        growing = is_being_written(journal)
        found = read_journal(journal)
    except (FileNotFoundError, StorageError):
        return _growth(load(journal.with_suffix("")), "recorded")
    if growing and found.end is None:
        return _growth(as_trace({**found.header, "trace": found.rows}), "growing")
    return _growth(trace_of(found), "growing" if growing else "interrupted")


def slowed(period: float, took: float) -> float:
    """The seconds between refreshes, doubled until a refresh takes a quarter of them at most."""
    while took > period * _LARGEST_PART:
        period *= 2
    return period


def _growth(trace: Trace, state: Literal["growing", "recorded", "interrupted"]) -> Growth:
    return Growth(trace, encode(trace, "journal"), state)
