"""One test at a time decides on a golden, over all processes of a session.

Tests may share a golden and run in several processes. The first that writes it settles
it: the others compare with what it wrote, instead of writing over it.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracekit.storage.files import make_folder

__all__ = ["Claim", "Claims"]


class Claim:
    """The right to decide on one golden, while it is held."""

    def __init__(self, descriptor: int, mark: Path) -> None:
        self.descriptor, self._mark = descriptor, mark

    @property
    def settled(self) -> bool:
        """Whether a test of this session has written the golden."""
        return self._mark.exists()

    def settle(self) -> None:
        self._mark.touch()


class Claims:
    """Claims of one session, kept in a folder that all of its processes share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def hold(self, golden: Path) -> Iterator[Claim]:
        """Wait until no other test decides on this golden, and hold it."""
        make_folder(self._folder)
        name = hashlib.sha256(str(golden.resolve()).encode()).hexdigest()
        with (self._folder / f"{name}.lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield Claim(file.fileno(), self._folder / f"{name}.settled")
