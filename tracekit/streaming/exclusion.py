"""Runs of one model wait in line.

The lock belongs to the model, whoever wraps it, so it cannot lie in a source or a run; it
is found by the object's identity and forgotten with it. A name, such as a device's, is no
object of its own: there equal ones are the same.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Iterator

from tracekit.errors import ModelBusy
from tracekit.streaming.cancellation import Cancelled

__all__ = ["exclusively", "is_busy"]

_POLL_SECONDS = 0.02
_locks: dict[int, tuple[weakref.ref[object], threading.Lock]] = {}
_named: dict[object, threading.Lock] = {}
_registry = threading.Lock()


@contextlib.contextmanager
def exclusively(owner: object, cancel: threading.Event, wait_seconds: float | None) -> Iterator[None]:
    """Hold the owner's lock. Raises ModelBusy after `wait_seconds`, Cancelled once `cancel` is set."""
    lock = _lock_of(owner)
    deadline = None if wait_seconds is None else time.monotonic() + wait_seconds
    while not lock.acquire(timeout=_POLL_SECONDS):
        if cancel.is_set():
            raise Cancelled
        if deadline is not None and time.monotonic() >= deadline:
            raise ModelBusy(wait_seconds or 0.0)
    try:
        yield
    finally:
        lock.release()


def is_busy(owner: object) -> bool:
    """Whether a run holds the owner now, so that another would have to wait."""
    return _lock_of(owner).locked()


def _lock_of(owner: object) -> threading.Lock:
    key = id(owner)
    with _registry:
        if isinstance(owner, str | int | tuple):  # which cannot be referred to weakly
            return _named.setdefault(owner, threading.Lock())
        if key not in _locks:
            _locks[key] = (weakref.ref(owner, lambda _: _locks.pop(key, None)), threading.Lock())
        return _locks[key][1]
