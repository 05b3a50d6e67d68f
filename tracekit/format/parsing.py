"""Bytes to a JSON object, and in words why not. Every input is hostile until it has passed here."""

from __future__ import annotations

import json
from typing import Any

import orjson

from tracekit.errors import UnreadableDocument
from tracekit.format.location import duplicate_key, line_at


def parse_object(data: bytes, file: object) -> dict[str, Any]:
    """The JSON object that `data` spells. Raises UnreadableDocument.

    orjson refuses what is not UTF-8, NaN, Infinity, lone surrogates and nesting beyond
    1024 levels. It keeps the last of two equal keys, so whoever cannot tell otherwise
    that there are none calls `refuse_duplicate_keys` too.
    """
    if not data.strip():
        raise UnreadableDocument(file, "is empty")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UnreadableDocument(file, _why_not_json(data, error)) from error
    if not isinstance(document, dict):
        raise UnreadableDocument(file, f"expected a JSON object; found {type(document).__name__}")
    return document


def refuse_duplicate_keys(data: bytes, file: object) -> None:
    """Raise UnreadableDocument if an object of this well-formed JSON names a key twice."""
    try:
        json.loads(data, object_pairs_hook=_unique)
    except _DuplicateKeyError:
        key, line = duplicate_key(data.decode()) or ("", 0)
        raise UnreadableDocument(
            file, f"line {line}: the key {key!r:.60} stands twice in one object"
        ) from None
    except RecursionError:
        raise UnreadableDocument(file, "is nested too deeply to be a trace") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise UnreadableDocument(file, f"holds a number that cannot be read: {error}") from error


class _DuplicateKeyError(Exception):
    """Two equal keys in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _DuplicateKeyError


def _why_not_json(data: bytes, error: orjson.JSONDecodeError) -> str:
    """What is wrong with the bytes, where, in words."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark; save it as UTF-8 without one"
    try:
        text = data.decode()
    except UnicodeDecodeError as undecodable:
        return f"is not UTF-8: byte {undecodable.start} is 0x{data[undecodable.start]:02x}"
    where = f"line {line_at(text, error.pos)}"
    rest = text[error.pos :].lstrip()
    if text[error.pos :].startswith(("NaN", "Inf", "-Inf")) or text[error.pos - 1 :].startswith("-Inf"):
        return f"{where}: NaN and Infinity are not JSON; a number here must be finite"
    if "depth limit" in error.msg:
        return f"{where}: is nested too deeply to be a trace"
    if not rest:
        return f"{where}: is cut off; the JSON ends before it is complete"
    return f"{where}: is not JSON: {error.msg.split(':')[0]} at {rest[:20]!r}"
