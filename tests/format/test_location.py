"""JSON pointers (RFC 6901), lines, and keys that stand twice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.format.strategies import Json, traces
from tracekit.format.location import duplicate_key, line_at, line_of, pointer

TEXT = """{
"a": {"b": [1,
  {"c/d": "}]{[,:\\"\\\\"},
  null]},
"a ~": []
}
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [((), ""), (("trace", 3, "top3"), "/trace/3/top3"), (("a/b", "m~n", ""), "/a~1b/m~0n/")],
)
def test_a_path_is_written_as_rfc_6901_has_it(path: tuple[str | int, ...], expected: str) -> None:
    assert pointer(path) == expected


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("a",), 2),
        (("a", "b", 0), 2),
        (("a", "b", 1), 3),
        (("a", "b", 1, "c/d"), 3),
        (("a", "b", 2), 4),
        (("a ~",), 5),
    ],
)
def test_a_value_is_found_on_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    ("path", "line"), [(("x",), 1), (("a", "x"), 2), (("a", "b", 9), 2), (("a", "b", 1, "c/d", "x"), 3)]
)
def test_a_value_that_is_not_there_is_placed_at_its_innermost_parent(
    path: tuple[str | int, ...], line: int
) -> None:
    assert line_of(TEXT, path) == line


def test_lines_count_from_one() -> None:
    assert [line_at("a\nb\n", at) for at in range(4)] == [1, 1, 2, 2]


@given(traces())
def test_every_member_of_a_trace_is_found_on_its_line(trace: Json) -> None:
    text = (
        "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in trace.items()) + "\n}"
    )

    assert [line_of(text, [key]) for key in trace] == list(range(2, len(trace) + 2))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, "b": {"a": 2}}', None),
        ('[{"a": 1}, {"a": 1}]', None),
        ('{"a": "\\"a\\": {", "b": "a"}', None),
        ('{"a": 1,\n"b": [{}],\n"a": 2}', ("a", 3)),
        ('[\n{"b": {"c": 1,\n "c": 2}}]', ("c", 3)),
        ('{"a": 1, "\\u0061": 2}', ("a", 1)),
    ],
)
def test_a_key_that_stands_twice_is_found_with_its_second_line(
    text: str, found: tuple[str, int] | None
) -> None:
    assert duplicate_key(text) == found
