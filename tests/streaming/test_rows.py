"""Rows of what was observed: up to the first that cannot stand in a recording."""

from __future__ import annotations

import pytest

from tests.conftest import TOKEN
from tracekit.errors import DocumentError, InvalidTrace
from tracekit.streaming.rows import RowMaker
from tracekit.streaming.source import Observed


def observed(*rows):
    return [Observed(row, float(at)) for at, row in enumerate(rows)]


def test_rows_come_with_their_canonical_bytes(tokens):
    made = RowMaker(tokens(0), {}).rows(observed(TOKEN, TOKEN))

    first, second = made.encoded.each
    assert first.startswith(b'{"index":0,"token_id":7,')
    assert second.startswith(b'{"index":1,"token_id":7,')
    assert made.encoded.text == first + b",\n" + second
    assert made.encoded.journal_lines == first + b"\n" + second + b"\n"
    assert [row["index"] for row in made.rows] == [0, 1]
    assert made.fault is None


def test_nothing_observed_makes_no_row(tokens):
    assert RowMaker(tokens(0), {}).rows([]) == ([], ([], b""), None)


@pytest.mark.parametrize(
    ("bad", "error", "reason"),
    [
        ({**TOKEN, "text": None}, InvalidTrace, "/trace/2/text: expected a string"),
        ({**TOKEN, "token_id": 1 << 64}, DocumentError, "Integer exceeds 64-bit range"),
        ({**TOKEN, "text": "\ud800"}, DocumentError, "surrogates not allowed"),
    ],
    ids=["invalid", "integer", "surrogate"],
)
def test_rows_before_a_fault_stay_and_those_after_it_do_not(tokens, bad, error, reason):
    maker = RowMaker(tokens(0), {})
    maker.rows(observed(TOKEN))

    made = maker.rows([Observed(row, 1.0) for row in (TOKEN, bad, TOKEN)])

    assert [row["index"] for row in made.rows] == [1]
    (line,) = made.encoded.each
    assert line.startswith(b'{"index":1,')
    assert isinstance(made.fault, error)
    assert reason in str(made.fault)
