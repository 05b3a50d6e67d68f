"""The process's standard streams: what is closed is as /dev/null, and what is refused is told in words."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from tracekit.errors import StorageError
from tracekit.storage.files import in_words

__all__ = ["OutputLostError", "drop_output", "guard_streams"]


class OutputLostError(Exception):
    """Standard output cannot be written, since its reader has gone or for the reason that `refusal` gives.

    Neither an OSError, for which Click has an exit code of its own, nor an error of ours,
    which a command that goes through many files would take for a fault of one of them.
    """

    def __init__(self, refusal: StorageError) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.reader_gone = isinstance(refusal.__cause__, BrokenPipeError)


class _Output(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            with in_words("standard output"):
                return super().write(data)
        except StorageError as error:
            raise OutputLostError(error) from error


class _Messages(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:  # there is nowhere left to tell it
            return len(data)


def guard_streams() -> None:
    """Put them in order, before anything else is opened."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # closed, so that the next file opened, a recording perhaps, would be that stream
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    # A file's name that is not UTF-8 goes out as the bytes that it is.
    sys.stdout = _rewrapped(sys.stdout, _Output(1, "w", closefd=False), "surrogateescape")
    sys.stderr = _rewrapped(sys.stderr, _Messages(2, "w", closefd=False), "backslashreplace")


def drop_output() -> None:
    """Have what is still to be written go nowhere, or Python would complain once more at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _rewrapped(stream: TextIO | None, raw: io.FileIO, errors: str) -> TextIO:
    encoding = stream.encoding if stream else "utf-8"
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=raw.isatty())
