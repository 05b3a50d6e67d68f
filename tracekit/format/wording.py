"""A fault in words: what was expected and what was found, as a reader of JSON would say it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_KINDS = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "text like {}",
}

# A line of an error is for a person: of a long value its beginning is enough.
_WIDTH = 60


def worded(error: ValidationError) -> tuple[str, str]:
    """What was expected and what was found, from the rule of the schema that failed."""
    rule, value, found = error.validator, error.validator_value, shown(error.instance)
    if rule == "type":
        return " or ".join(_KINDS[kind] for kind in (value if isinstance(value, list) else [value])), found
    if rule == "required":
        missing = next(key for key in value if key not in error.instance)
        return f"the key {shown(missing)}", found
    if rule == "additionalProperties":
        extra = next(key for key in error.instance if key not in error.schema.get("properties", {}))
        return "no other keys than the schema's", f"the key {shown(extra)}"
    if rule in ("enum", "const"):
        allowed = value if isinstance(value, list) else [value]
        return ("one of " if len(allowed) > 1 else "") + ", ".join(map(shown, allowed)), found
    if rule == "not":
        return "nothing here while the trace has this status", found
    return _LIMITS[str(rule)].format(value), found


def unwritable(error: Exception) -> str:
    """What orjson or jsonschema-rs says about a value that cannot be JSON."""
    if "ecursion" in str(error):
        return "is nested too deeply to be a trace"
    return f"holds something that JSON cannot: {error}"


def shown(value: object) -> str:
    """A JSON value in at most a line: numbers and text as JSON spells them, containers by what they hold.

    What a terminal would act on (control characters, changes of direction) is escaped.
    """
    if isinstance(value, dict):
        return f"an object with {_listed(map(str, value))}" if value else "an empty object"
    if isinstance(value, list):
        return f"an array of {len(value)}" if value else "an empty array"
    if isinstance(value, str):
        text = value[:_WIDTH]
        return _cut(json.dumps(text, ensure_ascii=not text.isprintable()), len(value) > len(text))
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return _cut(repr(value))


def _listed(keys: Iterable[str]) -> str:
    return _cut(", ".join(shown(key) for key, _ in zip(keys, range(20), strict=False)))


def _cut(text: str, more: bool = False) -> str:
    return text if len(text) <= _WIDTH and not more else f"{text[: _WIDTH - 1]}…"
