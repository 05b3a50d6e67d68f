"""A trace as bytes and back. The same trace always gives the same bytes.

{
"schema_version": 2,            head: a key a line, in the order of `HEAD_KEYS`
…
"trace": [
{"loop":1,…},                   a row a line, keys in the order of `ROW_KEYS`
{"loop":2,…}
],
"summary": {…},                 tail: a key a line, in the order of `TAIL_KEYS`
"inference_seconds": 0.107
}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, cast

import orjson

from tracekit.errors import DocumentError, NonFiniteNumber
from tracekit.format.layout import CANDIDATE_KEYS, HEAD_KEYS, ROW_KEYS, TAIL_KEYS
from tracekit.format.parsing import parse_object, refuse_duplicate_keys
from tracekit.format.schemas import version_of
from tracekit.format.types import Kind, Trace
from tracekit.format.validation import check, non_finite
from tracekit.format.versions import upgrade

_ROWS_BEGIN = b'\n"trace": [\n'
_ROWS_END = b"\n]"

# Objects whose members the schema leaves open, so that it cannot refuse NaN in them.
_FREE_KEYS = frozenset({"metadata", "request", "settings"})

# Chunks small enough to stay in the processor's cache: whole-document buffers of a long
# trace cost more in page faults than the encoding itself.
_CHUNK_ROWS = 512


class Outline(NamedTuple):
    """A trace without its rows: the head and the tail as one document, and the last row."""

    document: dict[str, Any]
    last_row: dict[str, Any] | None


def encode(trace: Mapping[str, Any], file: object = "trace") -> bytes:
    """The canonical bytes of a valid document of any version.

    Raises InvalidTrace or NonFiniteNumber where its own reader would refuse it, and
    DocumentError where a value of `metadata` or the like is not JSON.
    """
    return b"".join(encode_chunks(trace, file))


def encode_chunks(trace: Mapping[str, Any], file: object = "trace") -> Iterator[bytes]:
    """What `encode` returns, in pieces. The trace is checked before the first."""
    document = dict(trace)
    try:
        check(document, version_of(document, file), file)
        for key in _FREE_KEYS & set(document):
            if (found := non_finite(document[key])) is not None:
                raise NonFiniteNumber(file, f"/{key}{found[0]}", found[1])
        yield from _chunks(document)
    except (TypeError, ValueError) as error:
        raise DocumentError(file, f"holds something that JSON cannot: {error}") from error


def decode(data: bytes, file: object = "-") -> Trace:
    """The trace that `data` spells, upgraded to the current version.

    Raises UnreadableDocument, UnsupportedVersion or InvalidTrace, each one line that
    names `file`, the line and what was expected.
    """
    return upgrade(decode_document(data, file))


def decode_document(data: bytes, file: object = "-") -> dict[str, Any]:
    """The valid document that `data` spells, in its own version. Raises as `decode` does."""
    document = parse_object(data, file)
    version = version_of(document, file)
    try:
        check(document, version, file)
    except DocumentError:
        refuse_duplicate_keys(data, file)
        check(document, version, file, data.decode())
    if not _spells(data, document):  # canonical bytes have no second key; others are looked through
        refuse_duplicate_keys(data, file)
    return document


def decode_outline(head: bytes, tail: bytes, file: object) -> Outline | None:
    """A trace's outline from the first and the last bytes of its file; None if they do not hold it.

    `head` must reach into the rows and `tail` back into them. Only canonical bytes have
    an outline: a row's line never holds a line break, so the marks are unmistakable.
    """
    before, begun, _ = head.partition(_ROWS_BEGIN)
    rows, ended, after = tail.rpartition(_ROWS_END)
    if not begun or not ended:
        return None
    line = rows.rpartition(b"\n")[2].removesuffix(b",")
    separator = b"" if after.startswith(b"\n") else b","
    document = parse_object(before.rstrip(b",") + separator + after.lstrip(b","), file)
    return Outline(document, parse_object(line, file) if line.startswith(b"{") else None)


def encode_line(row: Mapping[str, Any]) -> bytes:
    """One journal line: compact JSON and a line break. The caller has checked the value."""
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def ordered_row(row: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """A row with its keys, and its candidates' keys, in canonical order."""
    return {
        key: [{k: c[k] for k in CANDIDATE_KEYS[key]} for c in row[key]] if key in CANDIDATE_KEYS else row[key]
        for key in ROW_KEYS[kind]
        if key in row
    }


def _chunks(document: dict[str, Any]) -> Iterator[bytes]:
    kind: Kind = document.get("kind", "loop")
    rows = document["trace"]
    yield b"{\n" + b",\n".join(_member(key, document[key]) for key in HEAD_KEYS if key in document)
    yield b',\n"trace": ['
    for at in range(0, len(rows), _CHUNK_ROWS):
        yield b",\n" if at else b"\n"
        yield _encode_rows(rows[at : at + _CHUNK_ROWS], kind)
    yield b",\n".join([b"\n]", *(_member(key, document[key]) for key in TAIL_KEYS if key in document)])
    yield b"\n}\n"


def _spells(data: bytes, document: dict[str, Any]) -> bool:
    """Whether `data` is the document's canonical bytes."""
    at = 0
    for chunk in _chunks(document):
        if not data.startswith(chunk, at):
            return False
        at += len(chunk)
    return at == len(data)


def _member(key: str, value: object) -> bytes:
    # Sorted, because equal dictionaries may hold their keys in any order.
    return b'"%s": %s' % (key.encode(), orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def _encode_rows(rows: list[dict[str, Any]], kind: Kind) -> bytes:
    """Rows, one a line. The array is written in one call and split afterwards, which is three
    times faster than a call a row: `},{"loop":` cannot stand inside a row, since in a string
    its quotes would be escaped and no other object of a row begins with that key."""
    if not _is_ordered(rows, kind):
        rows = [ordered_row(row, kind) for row in rows]
    first = ROW_KEYS[kind][0].encode()
    return orjson.dumps(rows)[1:-1].replace(b'},{"%s":' % first, b'},\n{"%s":' % first)


def _is_ordered(rows: list[dict[str, Any]], kind: Kind) -> bool:
    shapes = set(map(tuple, rows))
    if any(shape != tuple(key for key in ROW_KEYS[kind] if key in shape) for shape in shapes):
        return False
    for key, order in CANDIDATE_KEYS.items():
        if any(key in shape for shape in shapes):
            lists = [row[key] for row in rows if key in row]
            if not {order}.issuperset(map(tuple, chain.from_iterable(lists))):
                return False
    return True


def as_trace(document: dict[str, Any]) -> Trace:
    """The same dictionary under the current version's type, for what is known to be one."""
    return cast(Trace, document)
