"""Bytes to a JSON object, and in words why not. Every input is hostile until it has passed here."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from tracekit.errors import UnreadableDocument
from tracekit.format.location import duplicate_key, line_at
from tracekit.format.wording import shown

_NOT_A_NUMBER = re.compile("NaN|Infinity")


def parse_object(data: bytes, file: object) -> dict[str, Any]:
    """The JSON object that `data` spells. Raises UnreadableDocument.

    orjson refuses what is not UTF-8, NaN, Infinity, lone surrogates and nesting beyond
    1024 levels. It keeps the last of two equal keys and rounds integers beyond 64 bits, so
    whoever cannot tell otherwise that there are none calls `refuse_duplicate_keys` too.
    """
    if not data or data.isspace():
        raise UnreadableDocument(file, "is empty")
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UnreadableDocument(file, _why_not_json(data, error)) from error
    if not isinstance(document, dict):
        raise UnreadableDocument(file, f"expected a JSON object; found {shown(document)}")
    return document


def refuse_duplicate_keys(data: bytes, file: object) -> None:
    """Raise UnreadableDocument for what this well-formed JSON says and `parse_object` has dropped:
    a key that an object names twice, an integer of more than 64 bits."""
    text = data.decode()
    try:
        json.loads(text, object_pairs_hook=_unique, parse_int=_exact)
    except _Dropped as dropped:
        raise UnreadableDocument(file, dropped.where_in(text)) from None
    except RecursionError:
        raise UnreadableDocument(file, "is nested too deeply to be a trace") from None


class _Dropped(Exception):
    """Something that orjson reads without a word, and not as it stands there."""

    def __init__(self, integer: str = "") -> None:
        self.integer = integer

    def where_in(self, text: str) -> str:
        if self.integer:
            line = line_at(text, text.index(self.integer))
            return f"line {line}: the integer {self.integer:.30} has more than 64 bits"
        key, line = duplicate_key(text) or ("", 0)
        return f"line {line}: the key {shown(key)} stands twice in one object"


def _unique(pairs: list[tuple[str, object]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Dropped


def _exact(digits: str) -> None:
    if len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 64:
        raise _Dropped(digits)


def _why_not_json(data: bytes, error: orjson.JSONDecodeError) -> str:
    """What is wrong with the bytes, where, in words."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark; save it as UTF-8 without one"
    try:
        text = data.decode()
    except UnicodeDecodeError as undecodable:
        if undecodable.reason == "unexpected end of data":
            return "is cut off in the middle of a character"
        return f"is not UTF-8: byte {undecodable.start} is 0x{data[undecodable.start]:02x}"
    where = f"line {line_at(text, error.pos)}"
    rest = text[error.pos :].lstrip()
    if _NOT_A_NUMBER.match(text, error.pos):
        return f"{where}: NaN and Infinity are not JSON; a number here must be finite"
    if "depth limit" in error.msg:
        return f"{where}: is nested too deeply to be a trace"
    if not rest:
        return f"{where}: is cut off; the JSON ends before it is complete"
    return f"{where}: is not JSON: {error.msg.split(':')[0]} at {rest[:20]!r}"
