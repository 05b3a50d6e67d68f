"""Values in at most a line."""

from __future__ import annotations

import math

import pytest

from tracekit.format.wording import shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-0.5, "-0.5"),
        (math.nan, "nan"),
        ("é", '"é"'),
        ("\x1b[2J", '"\\u001b[2J"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("x" * 61, '"' + "x" * 58 + "…"),
        ([], "an empty array"),
        ([1, 2], "an array of 2"),
        ({}, "an empty object"),
        ({"a": 1, "b": 2}, 'an object with "a", "b"'),
        (b"x", "b'x'"),
    ],
)
def test_a_value_is_shown_as_json_spells_it(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_large_value_is_shown_by_its_beginning() -> None:
    assert shown({f"key {at}": at for at in range(100_000)}).startswith('an object with "key 0", "key 1"')
    assert len(shown({f"key {at}": at for at in range(100_000)})) < 80
    assert shown(list(range(100_000))) == "an array of 100000"
    assert len(shown("a" * 10_000_000)) == 60
