"""Verdicts by jsonschema-rs, reasons by jsonschema: the same verdict, and each reason in words."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from tests.format.strategies import Json, documents, mutated
from tracekit.errors import DocumentError, InvalidTrace, NonFiniteNumber, TracekitError
from tracekit.format.codec import decode_document, encode
from tracekit.format.schemas import schema
from tracekit.format.validation import Place, RowChecker, check, head_is_valid, non_finite, row_is_valid

RECORDINGS = Path(__file__).parents[2] / "recordings"
SHORT: Json = orjson.loads((RECORDINGS / "pointer-short.json").read_bytes())
TOKEN_ROW = {"index": 0, "token_id": 1, "text": "a", "logprob": -0.5, "top": [], "arrival_seconds": 0.1}


def changed(change: Callable[[Json], object]) -> Json:
    document: Json = orjson.loads(orjson.dumps(SHORT))
    change(document)
    return document


def token_trace(**row: Any) -> Json:
    summary = {"text": "a", "stop_reason": "eos", "tokens": 1}
    return {**SHORT, "kind": "token", "trace": [{**TOKEN_ROW, **row}], "summary": summary}


def accepted(document: Json) -> bool:
    try:
        check(document, document["schema_version"], "run.json")
    except InvalidTrace as error:
        return "since rows count up" in error.expected or "no earlier arrival" in error.expected
    return True


@settings(max_examples=150)
@given(mutated())
def test_both_validators_give_every_mutated_document_the_same_verdict(document: Json) -> None:
    reference = Draft202012Validator(schema(document["schema_version"]))

    assert accepted(document) == reference.is_valid(document)


@given(documents)
def test_both_validators_accept_every_valid_document(document: Json) -> None:
    assert accepted(document)
    assert Draft202012Validator(schema(document["schema_version"])).is_valid(document)


@settings(max_examples=50)
@given(mutated())
def test_a_refusal_is_one_line_that_names_file_and_line(document: Json) -> None:
    data = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    try:
        decode_document(data, "run.json")
    except TracekitError as error:
        message = str(error)
        assert message.startswith("run.json: line ")
        assert message.isprintable()
        assert len(message) < 400


RULES = [
    (lambda d: d.pop("kind"), "line 1: /", 'the key "kind"', 'an object with "schema_version", "id", '),
    (lambda d: d.update(extra=1), "line 1: /", "no other keys than the schema's", 'the key "extra"'),
    (lambda d: d.update(kind="loops"), "line 3: /kind", 'one of "loop", "token"', '"loops"'),
    (lambda d: d.update(trace={}), "/trace", "an array", "an empty object"),
    (lambda d: d.update(trace=None), "/trace", "an array", "null"),
    (lambda d: d.update(checkpoint=1.5), "/checkpoint", "a string", "1.5"),
    (lambda d: d.update(metadata=[1, 2]), "/metadata", "an object", "an array of 2"),
    (lambda d: d.update(id="x"), "/id", "text like ^[0-9a-f]{8}-", '"x"'),
    (lambda d: d.update(id=d["id"] + "\n"), "/id", "at most 36 characters", '"' + SHORT["id"] + '\\n"'),
    (lambda d: d["model"].update(name=""), "/model/name", "at least 1 characters", '""'),
    (lambda d: d["request"].update(steps=True), "/request/steps", "an integer", "true"),
    (lambda d: d["request"].update(steps=0), "/request/steps", "at least 1", "0"),
    (lambda d: d["request"].update(start="é"), "/request/start", "text like ^[A-Z]$", '"é"'),
    (lambda d: d["request"]["mapping"].pop(), "/request/mapping", "at least 26 items", "an array of 25"),
    (lambda d: d["settings"].update(threshold=1.25), "/settings/threshold", "at most 1", "1.25"),
    (lambda d: d["trace"][11].update(loop="2"), "line 27: /trace/11/loop", "an integer", '"2"'),
    (
        lambda d: d["trace"][3].update(direct_prediction=4),
        "line 19: /trace/3/direct_prediction",
        "a string or null",
        "4",
    ),
    (
        lambda d: d["trace"][2]["top3"].extend(d["trace"][2]["top3"]),
        "line 18: /trace/2/top3",
        "at most 3 items",
        "an array of 6",
    ),
    (
        lambda d: d["trace"][2]["top3"][1].pop("symbol"),
        "line 18: /trace/2/top3/1",
        'the key "symbol"',
        'an object with "probability"',
    ),
    (lambda d: d["trace"].insert(0, []), "line 16: /trace/0", "an object", "an empty array"),
    (lambda d: d["trace"].pop(5), "line 21: /trace/5/loop", "6, since rows count up from 1", "7"),
    (
        lambda d: d["trace"][7].update(arrival_seconds=0.0),
        "line 23: /trace/7/arrival_seconds",
        f"no earlier arrival than the row before's, {SHORT['trace'][6]['arrival_seconds']}",
        "0.0",
    ),
    (
        lambda d: d.update(status="cancelled"),
        "/summary",
        "nothing here while the trace has this status",
        'an object with "answer_correct"',
    ),
    (lambda d: d.update(status="failed"), "line 1: /", 'the key "error"', "an object with"),
    (
        lambda d: (d.update(status="streaming"), d.pop("summary")),
        "/inference_seconds",
        "nothing here while the trace has this status",
        "0.",
    ),
]


@pytest.mark.parametrize(("change", "where", "expected", "found"), RULES, ids=range(len(RULES)))
def test_every_rule_says_where_what_was_expected_and_what_was_found(
    change: Callable[[Json], object], where: str, expected: str, found: str
) -> None:
    lines = encode(SHORT).decode().splitlines()
    document = changed(change)
    data = laid_out(document, lines)

    with pytest.raises(InvalidTrace) as refused:
        decode_document(data, "run.json")

    message = str(refused.value)
    assert message.startswith("run.json: line ")
    assert f"{where}: expected {expected}" in message
    assert f"; found {found}" in message


def laid_out(document: Json, lines: list[str]) -> bytes:
    """An invalid document, a line a member and a line a row, as canonical bytes would be."""
    members = []
    for key, value in document.items():
        inside = ",\n".join(orjson.dumps(row).decode() for row in value) if key == "trace" and value else None
        text = orjson.dumps(value).decode() if inside is None else f"[\n{inside}\n]"
        members.append(f'"{key}": {text}')
    return ("{\n" + ",\n".join(members) + "\n}\n").encode()


def test_the_rules_that_have_words_are_all_that_the_schemas_use() -> None:
    used = {rule for version in (1, 2) for rule in rules_in(schema(version))}
    worded = {"type", "required", "additionalProperties", "enum", "const", "not", "pattern", "minLength"}
    worded |= {"maxLength", "minItems", "maxItems", "minimum", "maximum"}
    structural = {"$schema", "$id", "$ref", "$defs", "title", "description", "properties", "items"}

    assert used - structural - {"allOf", "if", "then", "else"} == worded


def rules_in(rules: Any) -> set[str]:
    found = set()
    for key, value in rules.items() if isinstance(rules, dict) else ():
        found.add(key)
        inner = value.values() if key in ("properties", "$defs") else value if key == "allOf" else [value]
        found |= {rule for one in inner for rule in rules_in(one)} if key not in ("const", "enum") else set()
    return found


def test_a_fault_in_the_head_is_told_before_one_in_a_row() -> None:
    document = changed(lambda d: (d.update(source="film"), d["trace"][0].update(loop="1")))

    with pytest.raises(InvalidTrace) as refused:
        check(document, 2, "run.json")

    assert str(refused.value) == 'run.json: /source: expected one of "live", "recorded"; found "film"'


def test_the_reason_for_a_long_trace_looks_at_one_row() -> None:
    row = SHORT["trace"][0]
    rows = [{**row, "loop": at, "arrival_seconds": 0.1} for at in range(1, 100_001)]
    rows[99_999] = {**rows[99_999], "prediction": None}

    with pytest.raises(InvalidTrace) as refused:
        check({**SHORT, "trace": rows}, 2, "run.json")

    assert str(refused.value) == "run.json: /trace/99999/prediction: expected a string; found null"


def test_rows_out_of_order_are_found_across_lots() -> None:
    row = SHORT["trace"][0]
    rows = [{**row, "loop": at, "arrival_seconds": float(at)} for at in range(1, 1025)]
    rows[512]["arrival_seconds"] = 511.5

    with pytest.raises(InvalidTrace) as refused:
        check({**SHORT, "trace": rows}, 2, "run.json")

    assert str(refused.value) == (
        "run.json: /trace/512/arrival_seconds: expected no earlier arrival than the row before's, "
        "512.0; found 511.5"
    )


def test_rows_of_the_other_kind_are_refused() -> None:
    with pytest.raises(InvalidTrace) as refused:
        check({**SHORT, "trace": [TOKEN_ROW]}, 2, "run.json")

    assert refused.value.pointer == "/trace/0"


@pytest.mark.parametrize(("key", "value"), [("logprob", 0.5), ("entropy", -1.0), ("index", 1), ("top", None)])
def test_token_rows_are_held_to_their_own_rules(key: str, value: object) -> None:
    check(token_trace(), 2, "run.json")

    with pytest.raises(InvalidTrace) as refused:
        check(token_trace(**{key: value}), 2, "run.json")

    assert refused.value.pointer == f"/trace/0/{key}"


def test_an_integer_of_another_type_is_not_a_version_of_a_row() -> None:
    assert row_is_valid(TOKEN_ROW, "token")
    assert not row_is_valid({**TOKEN_ROW, "index": True}, "token")
    assert not row_is_valid(TOKEN_ROW, "loop")
    assert not row_is_valid(None, "token")
    assert not row_is_valid({**TOKEN_ROW, "text": object()}, "token")


def test_rows_are_taken_lot_by_lot_as_long_as_they_are_in_order() -> None:
    checker = row_checker(taken=3)

    after = checker.check([row_at(3), row_at(4)]).check([])

    assert (after.taken, after.arrived) == (5, 4.0)
    assert checker.taken == 3


def test_a_row_alone_is_refused_with_its_place_in_the_trace() -> None:
    with pytest.raises(InvalidTrace) as refused:
        row_checker(taken=41).check([{**row_at(41), "text": None}])

    assert str(refused.value) == "row: /trace/41/text: expected a string; found null"


def test_a_row_that_arrived_before_the_lot_before_it_is_refused() -> None:
    with pytest.raises(InvalidTrace) as refused:
        row_checker(taken=2).check([{**row_at(2), "arrival_seconds": 0.5}])

    assert str(refused.value) == (
        "row: /trace/2/arrival_seconds: expected no earlier arrival than the row before's, 1.0; found 0.5"
    )


def test_a_row_that_is_not_finite_is_refused_with_its_place() -> None:
    row = {**row_at(41), "top": [{"logprob": -math.inf}]}
    with pytest.raises(NonFiniteNumber) as refused:
        row_checker(taken=41).check([row])

    assert str(refused.value) == "row: /trace/41/top/0/logprob: expected a finite number; found -inf"


def test_a_row_that_holds_what_is_not_json_is_refused_with_its_place() -> None:
    with pytest.raises(DocumentError) as refused:
        row_checker(taken=41).check([{**row_at(41), "text": b"a"}])

    assert str(refused.value) == (
        "row: /trace/41: holds something that JSON cannot: Type is not JSON serializable: bytes"
    )


def test_a_head_is_judged_without_rows() -> None:
    head = {key: value for key, value in SHORT.items() if key != "trace"}

    assert head_is_valid(head, 2)
    assert not head_is_valid({**head, "status": "failed"}, 2)
    assert not head_is_valid({**head, "kind": []}, 2)


def test_non_finite_finds_the_first_and_where() -> None:
    assert non_finite({"a": [1, {"b/c": math.inf}], "d": math.nan}) == ("/a/1/b~1c", math.inf)
    assert non_finite({"a": [1, 2.5, None, "nan"]}) is None


def test_no_reference_is_ever_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a schema was to be fetched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    document = changed(
        lambda d: d.update({"$ref": "https://example.com/x", "$schema": "https://example.com/y"})
    )

    with pytest.raises(InvalidTrace, match=r'found the key "\$ref"'):
        check(document, 2, "run.json")
    check(changed(lambda d: d["metadata"].update({"$ref": "https://example.com/x"})), 2, "run.json")


def row_checker(taken: int) -> RowChecker:
    """A checker that has taken some rows already."""
    return RowChecker(2, "token", Place("row")).check([row_at(index) for index in range(taken)])


def row_at(index: int) -> Json:
    return {**TOKEN_ROW, "index": index, "arrival_seconds": float(index)}
