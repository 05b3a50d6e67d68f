"""Verdicts and their reasons.

jsonschema-rs gives the verdict, because it is hundreds of times faster; where it says
no, jsonschema finds the reason, because its errors say which rule failed on what, and
we word it. A property test holds the two to the same verdict. Neither ever fetches a
`$ref`.

A document is valid when its head and tail are (that is, the document with no rows in it),
each row is, and the rows are in order. Judged so, a long trace needs no second pass for
its bytes: whoever encodes takes each lot of rows while it is in the processor's cache.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import jsonschema_rs
import orjson

from tracekit.errors import DocumentError, InvalidTrace, NonFiniteNumber
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.location import Path, line_of, pointer
from tracekit.format.schemas import schema
from tracekit.format.types import Json, Kind
from tracekit.format.wording import shown, unwritable, worded

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# A lot of rows stays in the processor's cache from its verdict to its bytes.
_LOT_ROWS = 512

# Members that the schema leaves open, wholly or in part, so that it cannot refuse NaN in them.
FREE_KEYS = ("request", "settings", "metadata")

_JSON_LEAVES = frozenset({str, int, float, bool, type(None)})


class Place(NamedTuple):
    """Where a fault is reported: the document's file, and the text it was parsed from, if there is one."""

    file: object
    text: str | None = None

    def invalid(self, path: Path, expected: str, found: str) -> InvalidTrace:
        line = None if self.text is None else line_of(self.text, path)
        return InvalidTrace(self.file, pointer(path), line, expected, found)


def check(document: Json, version: int, file: object, text: str | None = None) -> None:
    """Pass a document that its version's schema allows; raise the first reason otherwise.

    `text` is what the document was parsed from, for line numbers. Raises InvalidTrace
    or NonFiniteNumber, each with a JSON pointer, and DocumentError for what is not JSON.
    """
    for _ in checked_rows(document, version, Place(file, text)):
        pass


def checked_rows(document: Json, version: int, place: Place) -> Iterator[list[Json]]:
    """The rows of a document, some hundred at a time, each lot once it is found valid. Raises as `check`.

    Head and tail are judged in the call itself.
    """
    _check_head(document, version, place)
    return _checked_lots(document, version, place)


class RowChecker(NamedTuple):
    """Judges a document's rows as they come: each by the schema, and that they are in order.

    `taken` rows have been judged; the last of them arrived at `arrived`.
    """

    version: int
    kind: Kind
    place: Place
    taken: int = 0
    arrived: float = -math.inf

    def check(self, lot: list[Json]) -> RowChecker:
        """Pass the next rows, and return the checker for those after them.

        Raises as the function `check` for the first that cannot stand there.
        """
        if not lot:
            return self
        if not _accepts(_rows_verdict(self.version, self.kind), lot):
            raise _invalid_row(lot, self)
        number, first = numbering(self.kind)
        arrivals = [self.arrived, *map(itemgetter("arrival_seconds"), lot)]
        numbers = list(map(itemgetter(number), lot))
        expected = first + self.taken
        counted = numbers == list(range(expected, expected + len(lot)))
        if not counted or arrivals != sorted(arrivals):
            raise _out_of_order(lot, self)
        return self._replace(taken=self.taken + len(lot), arrived=arrivals[-1])


def _checked_lots(document: Json, version: int, place: Place) -> Iterator[list[Json]]:
    rows, checker = document["trace"], RowChecker(version, document.get("kind", "loop"), place)
    for at in range(0, len(rows), _LOT_ROWS):
        lot = rows[at : at + _LOT_ROWS]
        checker = checker.check(lot)
        yield lot


def head_is_valid(document: Json, version: int) -> bool:
    """Whether a document is valid but for its rows, which it need not hold."""
    return _accepts(_verdict(version), {**document, "trace": []})


def row_is_valid(row: object, kind: Kind, version: int = CURRENT_VERSION) -> bool:
    """Whether one row, alone, is what the schema allows."""
    return _accepts(_rows_verdict(version, kind), [row])


def refuse_unspellable(document: Json, file: object) -> None:
    """Raise NonFiniteNumber or DocumentError for a free member that would not read back as it is.

    orjson writes NaN as null, and dates, UUIDs and data classes as text or objects.
    """
    for key in FREE_KEYS:
        try:
            read_back = orjson.loads(orjson.dumps(value := document.get(key)))
        except TypeError as error:
            raise DocumentError(file, f"/{key}: {unwritable(error)}") from error
        if read_back == value:  # ten times as fast as a look at every leaf
            continue
        for path, leaf in _leaves(value, (key,)):
            if type(leaf) not in _JSON_LEAVES:
                raise DocumentError(file, f"{pointer(path)}: expected JSON; found {type(leaf).__name__}")
            if isinstance(leaf, float) and not math.isfinite(leaf):
                raise NonFiniteNumber(file, pointer(path), leaf)


def numbering(kind: str) -> tuple[str, int]:
    """The key that numbers rows of this kind, and the first row's number."""
    return ("loop", 1) if kind == "loop" else ("index", 0)


def non_finite(value: object) -> tuple[str, float] | None:
    """The JSON pointer and the value of the first NaN or infinity; None if every number is finite."""
    return next(((pointer(path), number) for path, number in _non_finite(value, ())), None)


def _check_head(document: Json, version: int, place: Place) -> None:
    head = {**document, "trace": []} if isinstance(document.get("trace"), list) else document
    if not _accepts(_verdict(version), head):
        raise _reason(head, schema(version), place)


def _accepts(verdict: jsonschema_rs.Validator, value: object) -> bool:
    try:
        return verdict.is_valid(value)
    except ValueError:  # nested beyond what can be written, or not JSON's
        return False


def _invalid_row(lot: list[Json], at: RowChecker) -> DocumentError:
    rows = enumerate(lot, at.taken)
    index, row = next((i, row) for i, row in rows if not row_is_valid(row, at.kind, at.version))
    return _reason(row, _row_schema(at.version, at.kind), at.place, ("trace", index))


def _reason(value: object, rules: Json, place: Place, within: tuple[str | int, ...] = ()) -> DocumentError:
    """The first fault of a value that is known to have one; `within` is where it stands."""
    try:
        orjson.dumps(value)
        jsonschema_rs.validator_for(rules, offline=True).is_valid(value)
    except (TypeError, ValueError) as refused:
        return DocumentError(place.file, f"{pointer(within) or '/'}: {unwritable(refused)}")
    for path, number in _non_finite(value, within):
        return NonFiniteNumber(place.file, pointer(path), number)
    error = _explain(value, rules)
    return place.invalid((*within, *error.absolute_path), *worded(error))


def _out_of_order(lot: list[Json], at: RowChecker) -> InvalidTrace:
    """The first row of the lot that is not numbered one after the row before it, or arrived before it."""
    number, first = numbering(at.kind)
    arrived = at.arrived
    for index, row in enumerate(lot, at.taken):
        if row[number] != first + index:
            expected = f"{first + index}, since rows count up from {first}"
            return at.place.invalid(("trace", index, number), expected, shown(row[number]))
        if row["arrival_seconds"] < arrived:
            break
        arrived = row["arrival_seconds"]
    expected = f"no earlier arrival than the row before's, {shown(arrived)}"
    return at.place.invalid(("trace", index, "arrival_seconds"), expected, shown(row["arrival_seconds"]))


def _row_schema(version: int, kind: Kind) -> Json:
    if version == 1:
        items: Json = schema(1)["properties"]["trace"]["items"]
        return items
    return {"$ref": f"#/$defs/{kind}_row", "$defs": schema(version)["$defs"]}


@functools.cache
def _rows_verdict(version: int, kind: Kind) -> jsonschema_rs.Validator:
    rules = _row_schema(version, kind)
    definitions = {"$defs": rules["$defs"]} if "$defs" in rules else {}
    items = {key: rule for key, rule in rules.items() if key != "$defs"}
    return jsonschema_rs.validator_for({"type": "array", "items": items, **definitions}, offline=True)


@functools.cache
def _verdict(version: int) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema(version), offline=True)


def _explain(value: object, rules: Json) -> ValidationError:
    """jsonschema's error for the outermost fault of an invalid value, by the rule that depends on least."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    errors = Draft202012Validator(rules, registry=Registry()).iter_errors(value)
    return min(errors, key=lambda error: (len(error.absolute_path), len(error.absolute_schema_path)))


def _non_finite(value: object, within: tuple[str | int, ...]) -> Iterator[tuple[Path, float]]:
    for path, leaf in _leaves(value, within):
        if isinstance(leaf, float) and not math.isfinite(leaf):
            yield path, leaf


def _leaves(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[Path, object]]:
    """Everything in a value that holds nothing itself, and where."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(member, (*path, key))
    elif isinstance(value, list | tuple):
        for index, member in enumerate(value):
            yield from _leaves(member, (*path, index))
    else:
        yield path, value
