"""A recording's rows as a table: CSV for spreadsheets, JSON Lines for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from tracekit.format.codec import encode_line, ordered_row
from tracekit.format.layout import CANDIDATE_KEYS, ROW_KEYS
from tracekit.format.types import Json, Kind, Trace

__all__ = ["export_csv", "export_jsonl"]

# A spreadsheet takes a cell that begins so for a formula, and a recording must never run.
_FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


def export_jsonl(trace: Trace) -> bytes:
    """A line of JSON a row, lossless, keys in canonical order."""
    return b"".join(encode_line(ordered_row(row, trace["kind"])) for row in trace["trace"])


def export_csv(trace: Trace) -> bytes:
    """A header line, then a line a row. A list of candidates has a column a place and key: `top3_1_symbol`.

    A column that no row fills is left out. Text that a spreadsheet would take for a formula
    gets an apostrophe in front; `export_jsonl` gives it as it is.
    """
    columns = _columns(trace["kind"], trace["trace"])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in trace["trace"]:
        cells = dict(_cells(row))
        writer.writerow(_cell(cells.get(column)) for column in columns)
    return out.getvalue().encode()


def _columns(kind: Kind, rows: list[Json]) -> list[str]:
    filled = {column for row in rows for column, _ in _cells(row)}
    return [
        column for key in ROW_KEYS[kind] for column in _columns_of(key, rows) if column in filled or not rows
    ]


def _columns_of(key: str, rows: list[Json]) -> list[str]:
    if key not in CANDIDATE_KEYS:
        return [key]
    most = max((len(row.get(key, ())) for row in rows), default=0)
    return [f"{key}_{place}_{name}" for place in range(1, most + 1) for name in CANDIDATE_KEYS[key]]


def _cells(row: Json) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if key not in CANDIDATE_KEYS:
            yield key, value
            continue
        for place, candidate in enumerate(value, 1):
            for name, part in candidate.items():
                yield f"{key}_{place}_{name}", part


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_FORMULA_MARKS):
        return f"'{value}"
    return value
