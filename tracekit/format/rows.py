"""Rows as lines: a row a line, its keys in the order of `ROW_KEYS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import orjson

from tracekit.format.layout import CANDIDATE_KEYS, ROW_KEYS
from tracekit.format.types import Json, Kind


class EncodedRows(NamedTuple):
    """Rows as JSON: each, and all as they stand in a trace."""

    each: list[bytes]
    text: bytes

    @property
    def journal_lines(self) -> bytes:
        """The same rows as a journal holds them."""
        return b"\n".join([*self.each, b""])


def row_lines(rows: Sequence[Json]) -> EncodedRows:
    """Valid rows, one a line, without the last line break, their keys in the order they have."""
    lines = list(map(orjson.dumps, rows))
    return EncodedRows(lines, b",\n".join(lines))


def ordered_lines(rows: Sequence[Json], kind: Kind) -> EncodedRows:
    """What `row_lines` gives for the same rows with every key in canonical order."""
    shapes = _shapes(rows)
    if all(shape == tuple(key for key in ROW_KEYS[kind] if key in shape) for shape in shapes):
        encoded = row_lines(rows)
        if _candidates_are_ordered(rows, encoded.text, kind, set().union(*shapes)):
            return encoded
    return row_lines([ordered_row(row, kind) for row in rows])


def ordered_row(row: Mapping[str, Any], kind: Kind) -> Json:
    """A row with its keys, and its candidates' keys, in canonical order."""
    return {
        key: [{k: c[k] for k in CANDIDATE_KEYS[key]} for c in row[key]] if key in CANDIDATE_KEYS else row[key]
        for key in ROW_KEYS[kind]
        if key in row
    }


def _shapes(rows: Sequence[Json]) -> set[tuple[str, ...]]:
    """The keys of rows, in the orders they have. Rows are mostly alike, and that is quick to see."""
    shape = tuple(rows[0]) if rows else ()
    if list(chain.from_iterable(rows)) == [*shape] * len(rows):
        return {shape}
    return set(map(tuple, rows))


def _candidates_are_ordered(rows: Sequence[Json], text: bytes, kind: Kind, keys: set[str]) -> bool:
    """Whether candidates' keys are in order, told from the bytes: that takes a fifth of looking at each.

    In a string a quote would be escaped, so that what is searched for is never inside one.
    """
    if "top3" in keys and b'{"probability":' in text:
        return False
    if "top" not in keys:
        return True
    # In order, a text is followed by its log probability; so it is in a row of tokens itself.
    pairs = sum(len(row["top"]) for row in rows if "top" in row) + (len(rows) if kind == "token" else 0)
    return b'{"text":' not in text and text.count(b'","logprob":') == pairs
