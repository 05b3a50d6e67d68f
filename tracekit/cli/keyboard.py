"""Single keys from a terminal, while something else goes on."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator

__all__ = ["read_key", "single_keys"]

# `select` refuses what is far longer; whoever waits asks again.
_LONGEST_WAIT_SECONDS = 3600.0

_ARROWS = {b"\x1b[C": "right", b"\x1b[D": "left", b"\x1bOC": "right", b"\x1bOD": "left"}


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Standard input gives keys as they are pressed, without echo; afterwards it is as it was."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read_key(timeout: float | None) -> str | None:
    """The next key: a character, `left` or `right`; `q` at the input's end.

    None after `timeout` seconds, or after an hour.
    """
    wait = None if timeout is None else min(timeout, _LONGEST_WAIT_SECONDS)
    ready, _, _ = select.select([sys.stdin.fileno()], [], [], wait)
    if not ready:
        return None
    pressed = os.read(sys.stdin.fileno(), 8)
    return "q" if not pressed else _ARROWS.get(pressed, pressed[:1].decode("ascii", "replace"))
