"""Ctrl-C and SIGTERM as a wish to stop: the run ends at its next step and is finished properly."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["cancel_on_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def cancel_on_signals() -> Iterator[threading.Event]:
    """An event that the first signal sets; the second one raises KeyboardInterrupt."""
    cancel = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
