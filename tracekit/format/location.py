"""Where in a JSON text something stands. Only walked when there is an error to place.

The text has been parsed once already, so it is well-formed and not deeply nested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

Path = Sequence[str | int]

_SKIP = re.compile(r"[\s,:]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)


def pointer(path: Path) -> str:
    """A path as a JSON pointer (RFC 6901): `('trace', 3, 'top3')` is `/trace/3/top3`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def line_at(text: str, offset: int) -> int:
    """The line, from 1, that holds the character at `offset`."""
    return text.count("\n", 0, offset) + 1


def line_of(text: str, path: Path) -> int:
    """The line, from 1, on which the value at `path` begins, or the innermost parent that is there."""
    at = _skip(text, 0)
    for part in path:
        found = _member(text, at, part)
        if found is None:
            break
        at = found
    return line_at(text, at)


def duplicate_key(text: str) -> tuple[str, int] | None:
    """The first key that stands twice in one object, and its second line; None if there is none."""
    keys: list[set[str] | None] = []
    previous: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            keys.append(set() if mark == "{" else None)
        elif mark in "}]":
            keys.pop()
        elif mark == ":" and previous is not None and (seen := keys[-1]) is not None:
            key: str = json.loads(previous.group(), strict=False)
            if key in seen:
                return key, line_at(text, previous.start())
            seen.add(key)
        previous = token
    return None


def _skip(text: str, at: int) -> int:
    found = _SKIP.match(text, at)
    return found.end() if found else at


def _member(text: str, at: int, part: str | int) -> int | None:
    """Where the member `part` of the object or array that begins at `at` begins."""
    is_object, index = text[at] == "{", 0
    if text[at] not in "{[":
        return None
    at = _skip(text, at + 1)
    decode = json.JSONDecoder(strict=False).raw_decode
    while text[at] not in "}]":
        name: str | int = index
        if is_object:
            name, at = decode(text, at)
            at = _skip(text, at)
        if name == part:
            return at
        at = _skip(text, decode(text, at)[1])
        index += 1
    return None
