"""Who a run is: its id and its moment. Clock and randomness are passed in."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

EntropySource = Callable[[int], bytes]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def uuid7(unix_seconds: float, entropy: EntropySource = os.urandom) -> str:
    """A UUID of version 7 (RFC 9562, section 5.7): 48 bits of milliseconds, then 74 random bits."""
    random = int.from_bytes(entropy(10)) & ((1 << 74) - 1)
    value = (
        _milliseconds(unix_seconds) << 80
        | 7 << 76
        | (random >> 62) << 64
        | 0b10 << 62
        | random & ((1 << 62) - 1)
    )
    return str(uuid.UUID(int=value))


def timestamp(unix_seconds: float) -> str:
    """RFC 3339 in UTC, to the millisecond: the same one that `uuid7` holds."""
    moment = _EPOCH + timedelta(milliseconds=_milliseconds(unix_seconds))
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def identity(wall_clock: Callable[[], float] = time.time) -> dict[str, str]:
    """A new run's `id` and `created_at`, of one moment."""
    now = wall_clock()
    return {"id": uuid7(now), "created_at": timestamp(now)}


def _milliseconds(unix_seconds: float) -> int:
    return int(unix_seconds * 1000)
