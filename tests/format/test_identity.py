"""Ids (RFC 9562, version 7) and moments (RFC 3339)."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tracekit.format.identity import identity, timestamp, uuid7
from tracekit.format.schemas import schema

seconds = st.floats(0, 253402300799)


def test_the_example_of_rfc_9562() -> None:
    # Appendix A.6: 2022-02-22 14:22:22 GMT-05:00, rand_a 0xCC3, rand_b 0b01 and 0x8C4DC0C0C07398F.
    random = (0xCC3 << 62 | 0x18C4DC0C0C07398F).to_bytes(10)

    assert uuid7(1645557742.0, lambda _: random) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(seconds, st.binary(min_size=10, max_size=10))
def test_every_id_is_a_uuid_of_version_7_with_its_millisecond(moment: float, random: bytes) -> None:
    made = uuid.UUID(uuid7(moment, lambda _: random))

    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(moment * 1000)
    assert made.int & (1 << 62) - 1 == int.from_bytes(random) & (1 << 62) - 1


@given(st.integers(0, 1 << 42), st.integers(1, 1 << 30), st.binary(min_size=10, max_size=10))
def test_a_later_millisecond_has_a_greater_id(milliseconds: int, later: int, random: bytes) -> None:
    first = uuid7(milliseconds / 1000 + 0.0005, lambda _: b"\xff" * 10)
    second = uuid7((milliseconds + later) / 1000 + 0.0005, lambda _: random)

    assert first < second


def test_ids_of_one_moment_differ() -> None:
    assert len({uuid7(1.0) for _ in range(1000)}) == 1000


@given(seconds)
def test_a_moment_is_rfc_3339_in_utc_to_the_millisecond(moment: float) -> None:
    text = timestamp(moment)

    read = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert re.search(schema(2)["properties"]["created_at"]["pattern"], text)
    assert (read - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1) == int(moment * 1000)


@given(seconds)
def test_id_and_moment_of_a_run_say_the_same_millisecond(moment: float) -> None:
    made = identity(lambda: moment)

    since_epoch = datetime.fromisoformat(made["created_at"]) - datetime(1970, 1, 1, tzinfo=UTC)
    assert uuid.UUID(made["id"]).int >> 80 == round(since_epoch.total_seconds() * 1000)


def test_moments_in_words() -> None:
    assert timestamp(0.0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1645557742.0625) == "2022-02-22T19:22:22.062Z"
