"""The tree of errors: as it is drawn, as it is exported, and how each speaks."""

from __future__ import annotations

import inspect
import re

import pytest

from tracekit import errors
from tracekit.errors import (
    InvalidTrace,
    JournalLeft,
    MissingExtra,
    NonFiniteNumber,
    OutputExists,
    RequestError,
    TracekitError,
    UnreadableDocument,
)
from tracekit.terminal import printable

CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if inspect.isclass(value) and issubclass(value, TracekitError)
}


def drawn() -> dict[str, str]:
    """Each error of the docstring's tree and the one it hangs from."""
    tree, ancestors = {}, {0: "TracekitError"}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"    ((?:[│ ]   )*)[├└]── (\w+)", line):
            depth = len(found[1]) // 4 + 1
            tree[found[2]] = ancestors[depth - 1]
            ancestors[depth] = found[2]
    return tree


def test_the_tree_is_drawn_as_it_is() -> None:
    actual = {name: value.__mro__[1].__name__ for name, value in CLASSES.items() if name != "TracekitError"}

    assert drawn() == actual


def test_every_error_is_exported() -> None:
    assert errors.__all__ == sorted(CLASSES)


def test_every_error_says_what_it_is_for() -> None:
    assert [name for name, value in CLASSES.items() if not inspect.getdoc(value)] == []


def test_only_what_a_check_found_exits_with_1() -> None:
    codes = {name: value.exit_code for name, value in CLASSES.items()}
    found_by_checks = {"GoldenMismatch", "InvalidTrace", "MissingGolden", "NonFiniteNumber"}

    assert {name for name, code in codes.items() if code == 1} == found_by_checks
    assert set(codes.values()) == {1, 2}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RequestError("/steps", "1 to 256", "0"), "request /steps: expected 1 to 256; found 0"),
        (RequestError("", "a JSON object", "list"), "request: expected a JSON object; found list"),
        (MissingExtra("torch", "torch"), "torch is not installed; run: pip install 'tracekit[torch]'"),
        (UnreadableDocument("a.json", "is empty"), "a.json: is empty"),
        (
            InvalidTrace("a.json", "/kind", 3, 'one of "loop", "token"', "null"),
            'a.json: line 3: /kind: expected one of "loop", "token"; found null',
        ),
        (InvalidTrace("a.json", "", None, "an object", "1"), "a.json: /: expected an object; found 1"),
        (
            NonFiniteNumber("a.json", "/metadata/x", float("inf")),
            "a.json: /metadata/x: expected a finite number; found inf",
        ),
        (OutputExists("a.json"), "a.json: is there already; choose another name, or add --overwrite"),
        (
            JournalLeft("a b.journal"),
            "a b.journal: an interrupted run left this journal; run: tracekit recover 'a b.journal'",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, TracekitError) else None,
)
def test_an_error_composes_its_own_line(error: TracekitError, message: str) -> None:
    assert str(error) == message


HOSTILE = "\x1b]0;title\x07\n\u202e\x9b2J"
_FACTS = {
    "float": 1.5,
    "int | None": 3,
    "int": 3,
    "Iterable[str]": [HOSTILE],
    "BaseException": ValueError(HOSTILE),
}


@pytest.mark.parametrize("error", CLASSES.values(), ids=CLASSES)
def test_whatever_an_error_is_told_it_is_text_that_a_terminal_only_shows(error: type[TracekitError]) -> None:
    parameters = list(inspect.signature(error.__init__).parameters.values())[1:]
    named = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    facts = [_FACTS.get(each.annotation, HOSTILE) for each in named] or [HOSTILE]

    lines = str(error(*facts)).split("\n")

    assert "".join(lines) == printable("".join(lines))
    assert len(lines) == 1 or error is errors.GoldenMismatch


def test_a_models_error_of_several_lines_is_one_line() -> None:
    error = errors.RunFailed(RuntimeError("out of memory\ntried 3 GiB"), "run.json")

    assert str(error) == (
        r"the model raised RuntimeError: out of memory\ntried 3 GiB; the rows before it are in run.json"
    )
