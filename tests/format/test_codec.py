"""Canonical bytes: one spelling a trace, and back."""

from __future__ import annotations

import datetime
import math
import uuid
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings

import tracekit
from tests.format.strategies import Json, documents, reference_documents, shuffled, traces
from tracekit.errors import DocumentError, InvalidTrace, NonFiniteNumber, UnreadableDocument
from tracekit.format.codec import (
    Outline,
    decode,
    decode_document,
    decode_outline,
    encode,
    encode_chunks,
    encode_line,
)
from tracekit.format.layout import HEAD_KEYS, ROW_KEYS, TAIL_KEYS
from tracekit.format.versions import upgrade

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.json"))
SHORT = (Path(__file__).parents[2] / "recordings/pointer-short.json").read_bytes()


def short() -> Json:
    return orjson.loads(SHORT)


@given(documents)
def test_what_is_encoded_reads_back_equal(document: Json) -> None:
    assert decode_document(encode(document)) == document


@given(documents)
def test_bytes_read_and_written_again_are_the_same_bytes(document: Json) -> None:
    data = encode(document)

    assert encode(decode_document(data)) == data


@given(documents)
def test_the_order_of_keys_never_reaches_the_bytes(document: Json) -> None:
    assert encode(shuffled(document)) == encode(document)


@given(documents)
def test_canonical_bytes_are_a_line_a_member_and_a_line_a_row(document: Json) -> None:
    lines = encode(document).split(b"\n")

    members = len(document) - 1
    assert len(lines) == members + len(document["trace"]) + 5
    assert b"".join(lines) == encode(document).replace(b"\n", b"")


@given(documents)
def test_any_spelling_of_a_document_reads_the_same(document: Json) -> None:
    compact = orjson.dumps(shuffled(document))
    indented = orjson.dumps(document, option=orjson.OPT_INDENT_2)

    assert decode_document(compact) == decode_document(indented) == document


@given(reference_documents())
def test_decoding_upgrades(document: Json) -> None:
    assert decode(encode(document)) == upgrade(document)


@given(documents)
def test_chunks_join_to_the_bytes(document: Json) -> None:
    assert b"".join(encode_chunks(document)) == encode(document)


@given(documents)
def test_an_outline_is_the_document_without_its_rows(document: Json) -> None:
    data = encode(document)
    rows = document["trace"]

    outline = decode_outline(data, data, "run.json")

    without_rows = {key: value for key, value in document.items() if key != "trace"}
    assert outline == Outline(without_rows, rows[-1] if rows else None)


@settings(max_examples=30)
@given(traces())
def test_other_spellings_have_no_outline(document: Json) -> None:
    for data in (
        orjson.dumps(document),
        orjson.dumps(document, option=orjson.OPT_INDENT_2),
        encode(document).replace(b'"trace": [', b'"trace":['),
    ):
        assert decode_outline(data, data, "run.json") is None


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_shipped_recordings_are_canonical(path: Path) -> None:
    data = path.read_bytes()

    assert encode(decode(data)) == data


def test_the_layout_byte_for_byte() -> None:
    document = short()
    document["metadata"] = {"b": 1, "a": [1.0, "é", None]}
    document["trace"] = [{"arrival_seconds": 0.25, "prediction": "\n", "loop": 1}]
    document["request"] = {}
    document["environment"] = {"cpu": "c", "python": "p", "platform": "f"}
    document["model"] = {"source": "s", "name": "n"}

    assert encode(document).decode().splitlines() == [
        "{",
        '"schema_version": 2,',
        '"kind": "loop",',
        f'"id": "{document["id"]}",',
        f'"created_at": "{document["created_at"]}",',
        '"source": "live",',
        '"recorder": {"name":"tracekit","version":"0.1.0"},',
        '"checkpoint": "final",',
        '"model": {"name":"n","source":"s"},',
        '"environment": {"cpu":"c","platform":"f","python":"p"},',
        '"request": {},',
        '"settings": {"safety_cap":272,"threshold":0.5},',
        '"metadata": {"a":[1.0,"é",null],"b":1},',
        '"status": "complete",',
        '"trace": [',
        '{"loop":1,"prediction":"\\n","arrival_seconds":0.25}',
        "],",
        f'"summary": {orjson.dumps(document["summary"], option=orjson.OPT_SORT_KEYS).decode()},',
        f'"inference_seconds": {document["inference_seconds"]!r}',
        "}",
    ]


def test_rows_by_the_thousand_are_a_line_each() -> None:
    document = short()
    row = document["trace"][0]
    document["trace"] = [{**row, "loop": at, "prediction": '},{"loop":'} for at in range(1, 1501)]

    data = encode(document)

    assert decode_document(data) == document
    assert data.count(b'\n{"loop":') == 1500


def test_a_candidate_out_of_order_is_put_in_order_wherever_it_stands() -> None:
    document = short()
    row = document["trace"][0]
    document["trace"] = [{**row, "loop": at} for at in range(1, 1201)]
    canonical = encode(document)
    document["trace"][777] = {**row, "loop": 778, "top3": [*row["top3"][:2], shuffled(row["top3"][2])]}

    assert encode(document) == canonical


@pytest.mark.parametrize(
    "order",
    [
        ("token_id", "logprob", "text"),
        ("text", "token_id", "logprob"),
        ("text", "logprob", "token_id"),
        ("logprob", "text", "token_id"),
        ("logprob", "token_id", "text"),
    ],
)
def test_every_wrong_order_of_a_token_candidate_is_put_right(order: tuple[str, ...]) -> None:
    candidate = {"token_id": 7, "text": '"}', "logprob": -0.5}
    row = {"loop": 1, "prediction": "a", "top": [candidate], "arrival_seconds": 0.1}
    canonical = encode({**short(), "trace": [row]})
    row["top"] = [{key: candidate[key] for key in order}]

    assert encode({**short(), "trace": [row]}) == canonical


def test_the_layout_names_every_member_of_both_schemas() -> None:
    for version in (1, 2):
        schema = orjson.loads(
            (Path(__file__).parents[2] / f"schemas/trace.v{version}.schema.json").read_bytes()
        )
        assert set(schema["properties"]) <= {*HEAD_KEYS, "trace", *TAIL_KEYS}
    for kind, keys in ROW_KEYS.items():
        assert set(keys) == set(schema["$defs"][f"{kind}_row"]["properties"])


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("key", ["metadata", "request"])
def test_a_number_that_is_not_finite_is_refused_by_place_in_free_objects(key: str, number: float) -> None:
    with pytest.raises(NonFiniteNumber) as refused:
        encode({**short(), key: {"list": [0, {"x": number}]}}, "run.json")

    assert str(refused.value) == f"run.json: /{key}/list/1/x: expected a finite number; found {number}"


def test_a_number_that_is_not_finite_is_refused_by_place_in_rows() -> None:
    document = short()
    document["trace"][4]["top3"][1]["probability"] = math.nan

    with pytest.raises(NonFiniteNumber) as refused:
        encode(document, "run.json")

    assert str(refused.value) == "run.json: /trace/4/top3/1/probability: expected a finite number; found nan"


def test_a_number_that_is_not_finite_is_refused_in_settings() -> None:
    with pytest.raises(NonFiniteNumber) as refused:
        encode({**short(), "settings": {"temperature": math.inf}}, "run.json")

    assert str(refused.value) == "run.json: /settings/temperature: expected a finite number; found inf"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), "/metadata/x: expected JSON; found datetime"),
        (uuid.UUID(int=0), "/metadata/x: expected JSON; found UUID"),
        (b"x", "/metadata: holds something that JSON cannot: Type is not JSON serializable: bytes"),
        ({1: 2}, "/metadata: holds something that JSON cannot: Dict key must be str"),
        (1 << 64, "/metadata: holds something that JSON cannot: Integer exceeds 64-bit range"),
        (
            "\ud800",
            "/metadata: holds something that JSON cannot: str is not valid UTF-8: surrogates not allowed",
        ),
    ],
    ids=["moment", "uuid", "bytes", "key", "integer", "surrogate"],
)
def test_what_would_not_read_back_as_it_is_is_refused(value: object, found: str) -> None:
    with pytest.raises(DocumentError) as refused:
        encode({**short(), "metadata": {"x": value}}, "run.json")

    assert str(refused.value) == f"run.json: {found}"


def test_a_trace_its_own_reader_would_refuse_is_not_encoded() -> None:
    with pytest.raises(InvalidTrace) as refused:
        encode({**short(), "status": "done"}, "run.json")

    assert str(refused.value) == (
        'run.json: /status: expected one of "streaming", "complete", "cancelled", "failed", '
        '"interrupted"; found "done"'
    )


def nested(depth: int) -> bytes:
    """A recording whose metadata nests `depth` levels."""
    inner = b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
    return SHORT.replace(b'"metadata": {}', b'"metadata": ' + inner)


def test_what_is_nested_as_deeply_as_can_be_written_is_read() -> None:
    data = nested(254)

    assert encode(decode(data)) == data


@pytest.mark.parametrize("depth", [255, 256, 300, 900, 1000, 1020, 100_000])
def test_what_is_nested_deeper_is_refused(depth: int) -> None:
    with pytest.raises(UnreadableDocument, match="is nested too deeply to be a trace"):
        decode(nested(depth))


def test_journal_lines_are_compact_json() -> None:
    assert encode_line({"loop": 1, "prediction": "é"}) == '{"loop":1,"prediction":"é"}\n'.encode()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"prediction": "\ud800"}, "str is not valid UTF-8: surrogates not allowed"),
        ({"token_id": 1 << 64}, "Integer exceeds 64-bit range"),
    ],
    ids=["surrogate", "integer"],
)
def test_a_journal_line_that_json_cannot_hold_is_refused(row: Json, reason: str) -> None:
    with pytest.raises(DocumentError) as refused:
        encode_line(row)

    assert str(refused.value) == f"row: holds something that JSON cannot: {reason}"


@pytest.mark.parametrize("row", [{"prediction": "\ud800"}, {"token_id": 1 << 64}])
def test_a_row_that_json_cannot_hold_is_not_encoded(row: Json) -> None:
    with pytest.raises(DocumentError, match="holds something that JSON cannot"):
        encode({**short(), "trace": [{"loop": 1, "prediction": "a", "arrival_seconds": 0.0, **row}]})


def test_the_front_door_encodes_and_decodes() -> None:
    assert tracekit.encode(tracekit.decode(SHORT)) == SHORT
