"""The schema files: what they are by the rules of JSON Schema, and by ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tracekit.errors import UnsupportedVersion
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.schemas import VERSIONS, schema, schema_folder, schema_text

# Objects that are the user's, the source's, or held to their rules elsewhere in the schema.
OPEN = {
    1: set(),
    2: {"/properties/request", "/properties/metadata", "/properties/summary", "/properties/settings/custom"},
}
UNITS = ("seconds", "second", "nats", "probability", "from 0", "from 1", "number of", "How many", "hex")


def subschemas(rules: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema that describes a value, and where; conditions (`if`, `then`) describe none."""
    yield at, rules
    for group in ("properties", "$defs"):
        for name, inner in rules.get(group, {}).items():
            yield from subschemas(inner, f"{at}/{name}" if group == "$defs" else f"{at}/properties/{name}")
    if "items" in rules:
        yield from subschemas(rules["items"], f"{at}/items")


def located(version: int) -> dict[str, Any]:
    return {
        at.replace("/properties/settings/properties", "/properties/settings"): rules
        for at, rules in subschemas(schema(version))
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_schema_is_valid_by_the_metaschema_of_draft_2020_12(version: int) -> None:
    assert schema(version)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema(version))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_schema_has_its_own_name(version: int) -> None:
    assert schema(version)["$id"] == f"https://tracekit.dev/schemas/trace.v{version}.schema.json"
    assert schema(version)["title"] == f"tracekit trace, version {version}"
    assert schema(version)["properties"]["schema_version"]["const"] == version


@pytest.mark.parametrize("version", VERSIONS)
def test_every_value_is_described(version: int) -> None:
    undescribed = [
        at
        for at, rules in located(version).items()
        if "description" not in rules and "$ref" not in rules and not at.endswith("items")
    ]

    assert undescribed == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_number_says_what_it_counts_in(version: int) -> None:
    unitless = {
        at.rpartition("/")[2]
        for at, rules in located(version).items()
        if rules.get("type") == "number" and not any(unit in rules["description"] for unit in UNITS)
    }

    # A cosine and a temperature have no unit; percentiles have their parent's.
    assert unitless <= {"cosine", "temperature", "p50", "p90", "p99", "max"}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_closed_but_those_that_are_the_users(version: int) -> None:
    open_objects = {
        at
        for at, rules in located(version).items()
        if rules.get("type") == "object" and rules.get("additionalProperties") is not False
    }

    assert open_objects == OPEN[version]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_pattern_comes_with_a_length(version: int) -> None:
    # In Python's `re`, `$` lets a line break pass; in the ECMA 262 of JSON Schema it does not.
    loose = [at for at, rules in located(version).items() if "pattern" in rules and "maxLength" not in rules]

    assert loose == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_reference_is_to_the_same_file(version: int) -> None:
    text = schema_text(version)

    assert text.count('"$ref": ') == text.count('"$ref": "#/$defs/')


def test_every_version_has_its_file_and_no_other_is_there() -> None:
    names = sorted(path.name for path in schema_folder().iterdir())

    assert names == [f"trace.v{version}.schema.json" for version in VERSIONS]
    assert VERSIONS[-1] == CURRENT_VERSION


def test_a_version_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedVersion) as refused:
        schema_text(3)

    assert str(refused.value) == "schema: there is no version 3; there are 1, 2"
