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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import orjson

from tracekit.errors import DocumentError, UnreadableDocument
from tracekit.format.layout import HEAD_KEYS, TAIL_KEYS
from tracekit.format.parsing import parse_object, refuse_duplicate_keys
from tracekit.format.rows import EncodedRows, ordered_lines, row_lines
from tracekit.format.rows import ordered_row as ordered_row
from tracekit.format.schemas import version_of
from tracekit.format.types import Json, Kind, Trace
from tracekit.format.validation import (
    Place,
    check,
    checked_rows,
    head_is_valid,
    refuse_unspellable,
    row_is_valid,
)
from tracekit.format.versions import upgrade
from tracekit.format.wording import unwritable

_ROWS_BEGIN = b'\n"trace": [\n'
_ROWS_END = b"\n]"
_END = b"\n}\n"


class Outline(NamedTuple):
    """A trace without its rows: the head and the tail as one document, and the last row."""

    document: Json
    last_row: Json | None


def encode(trace: Mapping[str, Any], file: object = "trace") -> bytes:
    """The canonical bytes of a valid document of any version.

    Raises InvalidTrace or NonFiniteNumber where its own reader would refuse it, and
    DocumentError where a value of `metadata` or the like is not JSON.
    """
    return b"".join(encode_chunks(trace, file))


def encode_chunks(trace: Mapping[str, Any], file: object = "trace") -> Iterator[bytes]:
    """What `encode` returns, in pieces. Each is checked before it comes, so the last may still raise."""
    document = dict(trace)
    version, kind = version_of(document, file), document.get("kind", "loop")
    lots = checked_rows(document, version, Place(file))
    refuse_unspellable(document, file)
    yield from _in_words(_chunks(document, (ordered_lines(rows, kind).text for rows in lots)), file)


def encode_rows(rows: Sequence[Json], kind: Kind) -> EncodedRows:
    """Valid rows as they stand in a journal, and in a trace's canonical bytes for `assemble`.

    Raises DocumentError for what no schema refuses and JSON cannot hold.
    """
    try:
        return ordered_lines(rows, kind)
    except TypeError as error:
        raise DocumentError("row", unwritable(error)) from error


def assemble(document: Mapping[str, Any], lots: Iterable[bytes], file: object) -> Iterator[bytes]:
    """What `encode_chunks` gives for a trace whose rows were checked and encoded as they came.

    `document` is the trace but for its rows. Raises as `encode` does.
    """
    head = {**document, "trace": []}
    check(head, version_of(head, file), file)
    refuse_unspellable(head, file)
    return _in_words(_chunks(head, lots), file)


def decode(data: bytes, file: object = "-") -> Trace:
    """The trace that `data` spells, upgraded to the current version.

    Raises UnreadableDocument, UnsupportedVersion or InvalidTrace, each one line that
    names `file`, the line and what was expected.
    """
    return upgrade(decode_document(data, file))


def decode_document(data: bytes, file: object = "-") -> Json:
    """The valid document that `data` spells, in its own version. Raises as `decode` does."""
    document = parse_object(data, file)
    version = version_of(document, file)
    try:
        canonical = _spells(data, document, version, file)
    except DocumentError:
        refuse_duplicate_keys(data, file)
        check(document, version, file, data.decode())
        raise
    if not canonical:  # canonical bytes have no second key; others are looked through
        refuse_duplicate_keys(data, file)
    return document


def decode_outline(head: bytes, tail: bytes, file: object) -> Outline | None:
    """A trace's outline from the first and the last bytes of its file; None if they do not hold it.

    `head` must reach into the rows and `tail` back into them. Only canonical bytes have an
    outline: there a line is a member of the document or a row, and no line break stands
    inside either, so the marks are unmistakable. Raises UnsupportedVersion.
    """
    before, begun, _ = head.partition(_ROWS_BEGIN)
    rows, ended, after = tail.rpartition(_ROWS_END)
    if not (begun and ended and before.startswith(b"{\n") and after.endswith(_END)):
        return None
    document = _members(before[2:].removesuffix(b","), HEAD_KEYS)
    ending = _members(after.removeprefix(b",\n").removesuffix(_END), TAIL_KEYS)
    if document is None or ending is None:
        return None
    document |= ending
    version = version_of(document, file)
    if not head_is_valid(document, version):
        return None
    last = rows.rpartition(b"\n")[2]
    if last == _ROWS_BEGIN.strip():
        return Outline(document, None)
    row, kind = _parsed(last), document.get("kind", "loop")
    return Outline(document, row) if row is not None and row_is_valid(row, kind, version) else None


def encode_line(row: Mapping[str, Any]) -> bytes:
    """One journal line: compact JSON and a line break. The caller has checked the value against its schema.

    Raises DocumentError for what no schema refuses and JSON cannot hold: half a surrogate
    pair, an integer beyond 64 bits.
    """
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise DocumentError("row", unwritable(error)) from error


def encode_head(document: Mapping[str, Any]) -> bytes:
    """What `encode_line` gives for a document without rows. Its members may each be nested as deeply
    as in the canonical bytes, where each is written by itself."""
    try:
        members = {key: orjson.Fragment(orjson.dumps(value)) for key, value in document.items()}
    except TypeError as error:
        raise DocumentError("header", unwritable(error)) from error
    return encode_line(members)


def as_trace(document: Json) -> Trace:
    """The same dictionary under the current version's type, for what is known to be one."""
    return cast(Trace, document)


def _chunks(document: Json, lots: Iterable[bytes]) -> Iterator[bytes]:
    """A document around its rows, which come as lots of lines."""
    yield b"{\n" + b",\n".join(_member(key, document[key]) for key in HEAD_KEYS if key in document)
    yield b',\n"trace": ['
    separator = b"\n"
    for lines in lots:
        yield separator
        yield lines
        separator = b",\n"
    yield b",\n".join([b"\n]", *(_member(key, document[key]) for key in TAIL_KEYS if key in document)])
    yield _END


def _in_words(chunks: Iterator[bytes], file: object) -> Iterator[bytes]:
    """The chunks; what cannot be written as JSON is a DocumentError."""
    try:
        yield from chunks
    except TypeError as error:
        raise DocumentError(file, unwritable(error)) from error


def _spells(data: bytes, document: Json, version: int, file: object) -> bool:
    """Whether `data` is laid out as canonical bytes are, with every key once. Raises as `check` does."""
    at, same = 0, True
    lots = checked_rows(document, version, Place(file))
    try:
        for chunk in _chunks(document, (row_lines(rows).text for rows in lots)):
            same = same and data.startswith(chunk, at)
            at += len(chunk)
    except TypeError as error:
        raise UnreadableDocument(file, unwritable(error)) from error
    return same and at == len(data)


def _member(key: str, value: object) -> bytes:
    # Sorted, because equal dictionaries may hold their keys in any order.
    return b'"%s": %s' % (key.encode(), orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def _members(text: bytes, keys: Sequence[str]) -> Json | None:
    """What lines of canonical bytes spell, a member each; None if they are anything else."""
    document: Json = {}
    for line in text.split(b",\n") if text else ():
        member = _parsed(b"{%s}" % line)
        if member is None or len(member) != 1 or not document.keys().isdisjoint(member):
            return None
        ((key, value),) = member.items()
        if key not in keys or not _is_spelt(key, value, line):
            return None
        document[key] = value
    return document


def _is_spelt(key: str, value: object, line: bytes) -> bool:
    """Whether a line is how canonical bytes spell a member."""
    try:
        return _member(key, value) == line
    except TypeError:  # nested too deeply to have been written
        return False


def _parsed(line: bytes) -> Json | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
