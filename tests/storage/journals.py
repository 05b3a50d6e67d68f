"""What a trace's journal holds."""

from __future__ import annotations

from tracekit.format.codec import encode_line
from tracekit.format.layout import HEAD_KEYS, TAIL_KEYS
from tracekit.format.types import Json, Trace


def header(trace: Trace) -> Json:
    return {**{key: value for key, value in trace.items() if key in HEAD_KEYS}, "status": "streaming"}


def tail(trace: Trace) -> Json:
    return {key: value for key, value in trace.items() if key in ("status", *TAIL_KEYS)}


def journal_of(trace: Trace) -> bytes:
    """The bytes that recording this trace leaves in its journal."""
    return b"".join(map(encode_line, [header(trace), *trace["trace"], tail(trace)]))
