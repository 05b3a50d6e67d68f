"""Every input is hostile until it is parsed: each fault in one line that says what and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracekit.errors import DocumentError, TracekitError, UnreadableDocument, UnsupportedVersion
from tracekit.format.codec import decode, decode_document
from tracekit.format.location import duplicate_key
from tracekit.format.parsing import parse_object, refuse_duplicate_keys

SHORT = (Path(__file__).parents[2] / "recordings/pointer-short.json").read_bytes()

UNREADABLE = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\n", "is empty"),
    "byte order mark": (
        b"\xef\xbb\xbf" + SHORT,
        "begins with a byte order mark; save it as UTF-8 without one",
    ),
    "utf-16": (SHORT.decode().encode("utf-16"), "is not UTF-8: byte 0 is 0xff"),
    "latin-1": ('{"a": "é"}'.encode("latin-1"), "is not UTF-8: byte 7 is 0xe9"),
    "array": (b"[1, 2]", "expected a JSON object; found an array of 2"),
    "text": (b'"trace"', 'expected a JSON object; found "trace"'),
    "null": (b"null", "expected a JSON object; found null"),
    "deep arrays": (b"[" * 100_000, "line 1: is nested too deeply to be a trace"),
    "deep objects": (b'{"a":' * 100_000, "line 1: is nested too deeply to be a trace"),
    "cut": (b'{"a": 1,\n"b"', "line 2: is cut off; the JSON ends before it is complete"),
    "cut in a character": ('{"a": "é'.encode()[:-1], "is cut off in the middle of a character"),
    "NaN": (b'{"a":\n NaN}', "line 2: NaN and Infinity are not JSON; a number here must be finite"),
    "Infinity": (b'{"a": Infinity}', "line 1: NaN and Infinity are not JSON; a number here must be finite"),
    "-Infinity": (b'{"a": -Infinity}', "line 1: NaN and Infinity are not JSON; a number here must be finite"),
    "1e999": (b'{"a": 1e999}', "line 1: is not JSON: number is infinity when parsed as double at '1e999}'"),
    "surrogate": (b'{"a": "\\ud800"}', "line 1: is not JSON: no low surrogate in string at '\\\\ud800\"}'"),
    "comma": (b'{"a": 1,\n}', "line 1: is not JSON: trailing comma is not allowed at ',\\n}'"),
    "quotes": (
        b"{'a': 1}",
        "line 1: is not JSON: unexpected character, expected a string key at \"'a': 1}\"",
    ),
    "two documents": (b'{"a": 1}\n{"a": 1}\n', "line 2: is not JSON: "),
    "zeros": (b"\0" * 100, "line 1: is not JSON: "),
}


@pytest.mark.parametrize(("data", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_bytes_that_are_no_object_are_refused_in_words(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        parse_object(data, "run.json")

    assert str(refused.value).startswith(f"run.json: {reason}")


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        (b"3", "schema version 3 is newer than this tracekit knows (2); upgrade tracekit"),
        (b"0", "schema_version is 0; expected one of 1, 2, so this is not a trace"),
        (b"2.0", "schema_version is 2.0; expected one of 1, 2, so this is not a trace"),
        (b"true", "schema_version is true; expected one of 1, 2, so this is not a trace"),
        (b'"2"', 'schema_version is "2"; expected one of 1, 2, so this is not a trace'),
        (b"[" * 1000 + b"]" * 1000, "schema_version is an array of 1; expected one of 1, 2"),
    ],
    ids=["newer", "zero", "float", "true", "text", "deep"],
)
def test_a_version_we_do_not_know_is_refused_by_name(version: bytes, reason: str) -> None:
    data = SHORT.replace(b'"schema_version": 2', b'"schema_version": ' + version)

    with pytest.raises(UnsupportedVersion) as refused:
        decode(data, "run.json")

    assert str(refused.value).startswith(f"run.json: {reason}")


def test_an_object_without_a_version_is_not_a_trace() -> None:
    with pytest.raises(UnsupportedVersion) as refused:
        decode(b"{}", "run.json")

    assert str(refused.value) == (
        "run.json: there is no schema_version; expected one of 1, 2, so this is not a trace"
    )


def test_a_recording_cut_off_anywhere_says_so() -> None:
    accented = SHORT.replace(b'"metadata": {}', '"metadata": {"by": "Zoé"}'.encode())
    whole = len(accented.rstrip())

    for length in range(1, whole):
        with pytest.raises(UnreadableDocument, match="cut off"):
            decode(accented[:length], "run.json")

    assert decode(accented[:whole])["metadata"] == {"by": "Zoé"}


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        (b'"status": "complete"', b'"status": "complete",\n"status": "failed"', 15, "status"),
        (b'"metadata": {}', b'"metadata": {"a": [{"b": 1, "b": 1}]}', 13, "b"),
        (b'"metadata": {}', b'"metadata": {"\\u0061": 1, "a": 1}', 13, "a"),
        (b'"correct":true', b'"correct":true,"correct":true', 16, "correct"),
        (b'"metadata": {}', b'"metadata": {"a\\n": 1, "a\\n": 2}', 13, "a\\n"),
        (b'"metadata": {}', b'"metadata": {"": "{\\"x\\": 1}", "": 2}', 13, ""),
    ],
    ids=["member", "metadata", "escaped", "row", "control", "empty"],
)
def test_a_key_that_stands_twice_is_refused(old: bytes, new: bytes, line: int, key: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        decode(SHORT.replace(old, new, 1), "run.json")

    assert str(refused.value) == f'run.json: line {line}: the key "{key}" stands twice in one object'


def test_equal_keys_in_different_objects_are_no_fault() -> None:
    data = b'{"a": {"a": [{"a": 1}, {"a": 1}]}, "b": "{\\"a\\": 1, \\"a\\": 2}"}'

    refuse_duplicate_keys(data, "run.json")

    assert duplicate_key(data.decode()) is None


def test_a_key_that_stands_twice_is_told_before_the_fault_that_it_makes() -> None:
    data = SHORT.replace(b'"status": "complete"', b'"status": "complete",\n"status": "done"')

    with pytest.raises(UnreadableDocument, match='line 15: the key "status" stands twice'):
        decode(data, "run.json")


@pytest.mark.parametrize("digits", ["18446744073709551616", "-9223372036854775809", "9" * 300])
def test_an_integer_that_would_be_rounded_is_refused(digits: str) -> None:
    data = SHORT.replace(b'"metadata": {}', b'"metadata": {"n": %s}' % digits.encode())

    with pytest.raises(UnreadableDocument) as refused:
        decode(data, "run.json")

    assert str(refused.value) == f"run.json: line 13: the integer {digits[:30]} has more than 64 bits"


@pytest.mark.parametrize("digits", ["18446744073709551615", "-9223372036854775808", "0"])
def test_an_integer_of_64_bits_is_read_exactly(digits: str) -> None:
    data = SHORT.replace(b'"metadata": {}', b'"metadata": {"n": %s}' % digits.encode())

    assert decode(data)["metadata"] == {"n": int(digits)}


def test_deep_nesting_of_valid_json_is_refused_wherever_it_stands() -> None:
    deep = b"[" * 1020 + b"]" * 1020
    for member in (b'"kind": "loop"', b'"checkpoint": "final"', b'"metadata": {}'):
        name = member.split(b":")[0]
        with pytest.raises(DocumentError, match="is nested too deeply to be a trace"):
            decode(SHORT.replace(member, name + b": " + deep), "run.json")
    with pytest.raises(DocumentError, match="is nested too deeply to be a trace"):
        decode(SHORT.replace(b'"correct":true', b'"correct":' + deep, 1), "run.json")


def test_a_refusal_never_carries_what_a_terminal_would_act_on() -> None:
    data = SHORT.replace(b'"kind": "loop"', b'"kind": "\\u001b[2J\\u202e"')

    with pytest.raises(TracekitError) as refused:
        decode_document(data, "run.json")

    assert str(refused.value).endswith('found "\\u001b[2J\\u202e"')
