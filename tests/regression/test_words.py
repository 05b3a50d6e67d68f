"""A comparison for a terminal, and as JSON."""

from __future__ import annotations

import math

import orjson

from tests.regression.traces import changed, letter, loops, token, tokens
from tracekit import compare
from tracekit.regression.verdict import Difference
from tracekit.regression.words import headline, report, sentence, to_json


def test_the_first_difference_is_one_sentence(cycle):
    fresh = changed(cycle)
    fresh["trace"][16]["prediction"] = "?"

    assert (
        headline(compare(cycle, fresh))
        == f"different: loop 17: prediction is '?', was {cycle['trace'][16]['prediction']!r}"
    )


def test_a_float_says_how_far_off_it_is_and_what_is_allowed():
    comparison = compare(loops(letter("A", stop_probability=0.5)), loops(letter("A", stop_probability=0.6)))

    assert headline(comparison) == (
        "different: loop 1: stop_probability is 0.6, was 0.5 (off by 0.1, allowed 0.00025)"
    )


def test_no_difference_says_how_much_was_compared(cycle):
    assert headline(compare(cycle, cycle)) == "identical: 52 loops"


def test_what_was_not_compared_is_said_twice():
    comparison = compare(tokens(token(1, -0.1), token(2, -0.1)), tokens(token(3, -0.1), token(4, -0.1)))

    assert headline(comparison).endswith("; 1 rows not compared")
    assert "1 rows not compared: they follow a token that differs, so they continue another text" in report(
        comparison
    )


def test_the_table_has_the_worst_in_the_order_of_the_run(cycle):
    fresh = changed(cycle)
    for at, row in enumerate(fresh["trace"]):
        row["stop_probability"] = min(1.0, row["stop_probability"] + 0.001 * (at + 1))

    lines = report(compare(cycle, fresh)).splitlines()

    rows = [int(line.split()[0]) for line in lines if line.endswith("different") and line[0].isdigit()]
    assert len(rows) == 10
    assert rows == sorted(rows)
    assert "… and 42 more" in lines
    assert "stop_probability: 1 within tolerance, 51 different" in lines


def test_provenance_stands_beside_a_difference_and_not_beside_none(cycle):
    other_model = {**cycle["model"], "sha256": "b" * 64}
    same = changed(cycle, model=other_model)
    differs = changed(same)
    differs["trace"][0]["prediction"] = "?"

    assert "model.sha256" not in report(compare(cycle, same))
    assert "also differs, and is often the reason:\n  model.sha256: 'bbbb" in report(compare(cycle, differs))


def test_a_terminal_obeys_nothing_that_a_trace_holds(cycle):
    golden, fresh = changed(cycle), changed(cycle)
    fresh["trace"][0]["prediction"] = "\x1b]0;owned\x07"
    fresh["request"] = {"\x1b[2J": 1}

    assert "\x1b" not in report(compare(golden, fresh))


def test_json_holds_the_verdict_the_differences_and_whose_tolerance_held():
    comparison = compare(loops(letter("A", kl=0.5)), loops(letter("B")))

    found = orjson.loads(orjson.dumps(to_json(comparison)))

    assert found["verdict"] == "different"
    assert found["differences"][1] == {
        "row": 1,
        "field": "kl",
        "golden": 0.5,
        "delta": None,
        "allowed": None,
        "outcome": "different",
    }
    assert found["counts"]["prediction"] == {"within_tolerance": 0, "near_tie": 0, "different": 1}
    assert found["tolerance"]["rtol"]["value"] == 5e-4
    assert found["tolerance"]["rtol"]["from"].startswith("float32 defaults")


def test_json_holds_what_json_cannot_as_null(cycle):
    golden = changed(cycle)
    golden["trace"][0]["stop_probability"] = math.nan

    (found,) = orjson.loads(orjson.dumps(to_json(compare(golden, golden))))["differences"]

    assert found["golden"] is None
    assert found["field"] == "stop_probability"


def test_a_whole_number_that_became_a_float_can_be_told_from_it():
    assert sentence(Difference(None, "request.n", 4, 4.0), "loop") == "request.n is 4.0, was 4"
