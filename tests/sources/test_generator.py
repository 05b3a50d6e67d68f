"""Any Python generator as a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tracekit
from tracekit import GeneratorSource
from tracekit.errors import InvalidTrace, SourceError, UsageError


def letters(request: dict[str, Any]) -> Iterator[str]:
    """The request's word, a letter a step."""
    yield from request["word"]
    return "spelt"


def run(source: tracekit.Source, request: object) -> tracekit.Trace:
    *_, last = tracekit.stream(source, request)
    return last


def test_what_a_generator_yields_are_rows_and_what_it_returns_is_the_stop_reason() -> None:
    trace = run(GeneratorSource("loop", letters), {"word": "yes"})
    assert [row["prediction"] for row in trace["trace"]] == ["y", "e", "s"]
    assert [row["loop"] for row in trace["trace"]] == [1, 2, 3]
    assert trace["summary"] == {"stop_reason": "spelt", "executed_loops": 3}


def test_rows_of_tokens_are_summed_up_as_text() -> None:
    row = {"token_id": 7, "text": "a", "logprob": -0.5, "top": []}
    trace = run(GeneratorSource("token", lambda request: (row for _ in range(3))), {})
    assert (trace["summary"]["text"], trace["summary"]["stop_reason"]) == ("aaa", "end")


def test_a_header_says_what_loads_it_again() -> None:
    named = GeneratorSource(
        "loop", letters, name="speller", source="spelling:source", settings={"custom": {}}
    )
    trace = run(named, {"word": "a"})
    assert trace["model"] == {"source": "spelling:source", "name": "speller"}
    assert trace["settings"] == {"custom": {}}
    assert run(GeneratorSource("loop", letters), {"word": "a"})["model"] == {
        "source": f"{__name__}:letters",
        "name": "letters",
    }


def test_a_consumer_that_leaves_closes_the_generator() -> None:
    closed = []

    def endless(request: object) -> Iterator[str]:
        try:
            while True:
                yield "again"
        finally:
            closed.append(True)

    snapshots = tracekit.stream(GeneratorSource("loop", endless), {})
    next(snapshots)
    snapshots.close()

    assert closed == [True]


def test_what_a_generator_raises_comes_out_as_itself() -> None:
    with pytest.raises(KeyError, match="word"):
        run(GeneratorSource("loop", letters), {})


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (lambda request: ["a"], "returned list, expected a generator"),
        (lambda request: (number for number in (1, 2)), "yielded int, expected a row"),
    ],
)
def test_what_yields_no_rows_is_refused_by_name(steps: Any, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        run(GeneratorSource("loop", steps), {})


def test_a_token_is_more_than_its_text() -> None:
    with pytest.raises(SourceError, match="yielded str, expected a row"):
        run(GeneratorSource("token", letters), {"word": "a"})


def test_a_row_that_the_format_does_not_know_fails_the_run() -> None:
    with pytest.raises(InvalidTrace, match="/trace/0"):
        run(GeneratorSource("loop", lambda request: (row for row in [{"guess": "a"}])), {})


@pytest.mark.parametrize(
    ("kind", "steps", "reason"),
    [("row", letters, "kind must be 'loop' or 'token', not 'row'"), ("loop", 3, "steps must be a generator")],
)
def test_a_source_that_cannot_be_is_refused_when_it_is_made(kind: Any, steps: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        GeneratorSource(kind, steps)


def test_a_row_is_kept_as_it_was_when_it_was_yielded() -> None:
    def reusing(request: object) -> Iterator[dict[str, Any]]:
        token = {"token_id": 0, "text": "", "logprob": -1.0}
        row = {**token, "top": [token]}
        for letter in "abc":
            row["text"] = token["text"] = letter
            yield row

    trace = run(GeneratorSource("token", reusing), {})

    assert [row["text"] for row in trace["trace"]] == ["a", "b", "c"]
    assert [row["top"][0]["text"] for row in trace["trace"]] == ["a", "b", "c"]
