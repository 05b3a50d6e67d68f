"""Real recordings, damaged a thousand ways: each is read, or refused in one clear line, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.format.strategies import places, put
from tracekit.errors import DocumentError
from tracekit.format.codec import decode, decode_document, encode, encode_chunks
from tracekit.format.parsing import parse_object
from tracekit.format.versions import downgrade

ROOT = Path(__file__).parents[2]
ORIGINALS = [
    (ROOT / f"recordings/pointer-{name}.json").read_bytes()
    for name in ("short", "fixed-point", "cancelled", "errs")
]
ORIGINALS.append(b"".join(encode_chunks(downgrade(decode(ORIGINALS[0])))))
OTHER_VALUES = [None, True, -1, 0, 1e300, 1 << 63, "", "A\n", "\u001b[2J", [], [[]], {}, {"a": 1}, "é" * 200]


def flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def delete(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.choice([1, 1, 2, 30, 3000]) :]


def insert(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    piece = chance.choice([b"{", b"[", b'"', b",", b"0", b"\n", b"\0", b"NaN", b"\xff", data[at : at + 50]])
    return data[:at] + piece + data[at:]


def change_value(data: bytes, chance: random.Random) -> bytes:
    document = parse_object(data, "run.json")
    container, key = chance.choice(places(document))
    container[key] = chance.choice(OTHER_VALUES)
    return layout(document)


def change_key(data: bytes, chance: random.Random) -> bytes:
    document = parse_object(data, "run.json")
    container, key = chance.choice(places(document))
    value = container.pop(key)
    put(container, chance.choice(["x", "status", "loop", ""]) if isinstance(container, dict) else 0, value)
    return layout(document)


def layout(document: dict[str, object]) -> bytes:
    """Any object, a line a member, as one would edit it by hand."""
    import orjson

    return b"{\n" + b",\n".join(orjson.dumps({k: v})[1:-1] for k, v in document.items()) + b"\n}\n"


def outcome(data: bytes) -> str:
    """`valid`, or the refusal."""
    try:
        document = decode_document(data, "run.json")
    except DocumentError as error:
        return str(error)
    assert decode_document(encode(document)) == document
    return "valid"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mutate", [flip, delete, insert, change_value, change_key])
def test_a_damaged_recording_is_read_or_refused_in_one_clear_line(mutate: object, seed: int) -> None:
    chance = random.Random(f"{mutate.__name__} {seed}")

    outcomes = [outcome(mutate(ORIGINALS[at % len(ORIGINALS)], chance)) for at in range(50)]

    refusals = [message for message in outcomes if message != "valid"]
    assert all(message.startswith("run.json: ") and message.isprintable() for message in refusals)
    assert max(map(len, refusals)) < 300
    assert len(refusals) >= 10


def test_a_deletion_at_any_place_of_a_small_recording_is_refused_with_a_line() -> None:
    data = ORIGINALS[0]
    told = [outcome(data[:at] + data[at + 40 :]) for at in range(0, len(data) - 40, 7)]

    refusals = [message for message in told if message != "valid"]
    assert len(refusals) > 0.9 * len(told)
    assert sum(message.startswith("run.json: line ") for message in refusals) > 0.9 * len(refusals)
