"""Verdicts and their reasons.

jsonschema-rs gives the verdict, because it is hundreds of times faster; where it says
no, jsonschema finds the reason, because its errors say which rule failed on what, and
we word it. A property test holds the two to the same verdict. Neither ever fetches a
`$ref`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from tracekit.errors import DocumentError, InvalidTrace, NonFiniteNumber
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.location import Path, line_of, pointer
from tracekit.format.schemas import schema
from tracekit.format.types import Kind

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
}


def check(document: dict[str, Any], version: int, file: object, text: str | None = None) -> None:
    """Pass a document that its version's schema allows; raise the first reason otherwise.

    `text` is what the document was parsed from, for line numbers. Raises InvalidTrace
    or NonFiniteNumber, each with a JSON pointer.
    """
    if not _verdict(version).is_valid(document):
        raise reason(document, version, file, text)
    if (index := _first_out_of_order(document["trace"])) is not None:
        raise _out_of_order(document["trace"], index, file, text)


def reason(document: dict[str, Any], version: int, file: object, text: str | None = None) -> DocumentError:
    """Why a document is invalid: the error for the first place at fault, worded for a person."""
    failed = next(_verdict(version).iter_errors(document))
    at = failed.instance_path
    for path, number in _non_finite(document if not at else _dig(document, at), tuple(at)):
        return NonFiniteNumber(file, pointer(path), number)
    first = int(at[1]) if len(at) > 1 and at[0] == "trace" else None
    if first is not None:  # jsonschema checks some thousand rows a second: show it only the one at fault
        document = {**document, "trace": document["trace"][first : first + 1]}
    error = _explain(document, schema(version))
    path = list(error.absolute_path)
    if first is not None and len(path) > 1:
        path[1] = first
    expected, found = _worded(error)
    return InvalidTrace(
        file, pointer(path), line_of(text, path) if text is not None else None, expected, found
    )


def non_finite(document: object) -> tuple[str, float] | None:
    """The JSON pointer and the value of the first NaN or infinity; None if every number is finite."""
    for path, number in _non_finite(document, ()):
        return pointer(path), number
    return None


def row_is_valid(row: object, kind: Kind) -> bool:
    """Whether one row, alone, is what the current version's schema allows."""
    return _row_verdict(kind).is_valid(row)


def row_reason(row: dict[str, Any], kind: Kind, index: int, file: object) -> DocumentError:
    """Why `row_is_valid` says no to the row that would stand at `/trace/index`."""
    for path, number in _non_finite(row, ("trace", index)):
        return NonFiniteNumber(file, pointer(path), number)
    error = _explain(row, _row_schema(kind))
    return InvalidTrace(file, pointer(["trace", index, *error.absolute_path]), None, *_worded(error))


def _first_out_of_order(rows: list[dict[str, Any]]) -> int | None:
    """The first row that is not numbered one after the row before it, or that arrived before it."""
    if not rows:
        return None
    number, first = ("loop", 1) if "loop" in rows[0] else ("index", 0)
    arrivals = [row["arrival_seconds"] for row in rows]
    if [row[number] for row in rows] == [*range(first, first + len(rows))] and arrivals == sorted(arrivals):
        return None
    return next(
        at
        for at, row in enumerate(rows)
        if row[number] != first + at or (at > 0 and arrivals[at] < arrivals[at - 1])
    )


def _out_of_order(rows: list[dict[str, Any]], index: int, file: object, text: str | None) -> InvalidTrace:
    number, first = ("loop", 1) if "loop" in rows[0] else ("index", 0)
    key, expected = number, f"{first + index}, since rows count up from {first}"
    if rows[index][number] == first + index:
        key, expected = "arrival_seconds", "no earlier arrival than the row before's"
    path = ("trace", index, key)
    line = line_of(text, path) if text is not None else None
    return InvalidTrace(file, pointer(path), line, expected, _shown(rows[index][key]))


def _row_schema(kind: Kind) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{kind}_row", "$defs": schema(CURRENT_VERSION)["$defs"]}


@functools.cache
def _row_verdict(kind: Kind) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(_row_schema(kind), offline=True)


@functools.cache
def _verdict(version: int) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema(version), offline=True)


def _explain(value: object, rules: dict[str, Any]) -> ValidationError:
    """jsonschema's most telling error for a value that is known to be invalid."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import relevance
    from referencing import Registry

    return max(Draft202012Validator(rules, registry=Registry()).iter_errors(value), key=relevance)


def _worded(error: ValidationError) -> tuple[str, str]:
    """What was expected and what was found, from the rule that failed."""
    rule, value, found = error.validator, error.validator_value, _shown(error.instance)
    if rule == "type":
        kinds = value if isinstance(value, list) else [value]
        return " or ".join(_KINDS[kind] for kind in kinds), found
    if rule == "required":
        missing = next(key for key in value if key not in error.instance)
        return f"the key {missing!r}", f"only {_shown(sorted(error.instance))}"
    if rule == "additionalProperties":
        extra = next(key for key in error.instance if key not in error.schema.get("properties", {}))
        return "no other keys than the schema's", f"the key {_shown(extra)}"
    if rule in ("enum", "const"):
        allowed = value if isinstance(value, list) else [value]
        return ("one of " if len(allowed) > 1 else "") + ", ".join(map(_shown, allowed)), found
    if rule is None:
        return "nothing here while the trace has this status", found
    if rule == "pattern":
        return f"text like {value}", found
    return _LIMITS[str(rule)].format(value), found


def _shown(value: object, width: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _dig(value: Any, path: list[str | int]) -> Any:
    for part in path:
        value = value[part]
    return value


def _non_finite(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[Path, float]]:
    if isinstance(value, float):
        if not math.isfinite(value):
            yield path, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _non_finite(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _non_finite(member, (*path, index))
