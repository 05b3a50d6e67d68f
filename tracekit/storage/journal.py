"""The journal: the append-only file a recording grows in until it is complete.

NDJSON: a header line, a line a row, an end line. Every line is with the kernel before
`append` returns, so it survives the death of the process; it is on the disk at the latest
a second later, so that long a loss of power can reach back. A torn last line is expected.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from tracekit.errors import JournalLeft, OutputBusy, StorageError, UnreadableDocument
from tracekit.format.codec import encode_head, encode_line
from tracekit.format.layout import HEAD_KEYS, TAIL_KEYS
from tracekit.format.schemas import version_of
from tracekit.format.types import Json, Kind
from tracekit.format.validation import check, head_is_valid, numbering, refuse_unspellable, row_is_valid
from tracekit.storage.files import JOURNAL_SUFFIX, in_words, lies_at, open_regular, read_file, try_lock

SYNC_SECONDS = 1.0

# A link could lead a journal elsewhere, and a pipe without a reader would block for ever.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def journal_path(recording: Path) -> Path:
    """Where a recording's journal lies: `run.json` grows in `run.json.journal`."""
    return recording.with_name(recording.name + JOURNAL_SUFFIX)


class JournalWriter:
    """Appends to a new journal, and holds a lock on it while it is open.

    Raises OutputBusy if another recorder has it, JournalLeft if one that died left it.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._clock = clock
        self._descriptor = _create(path)
        self._synced_at = clock()

    def begin(self, header: Json) -> None:
        """Write the header line. Whoever has begun calls `sync` as soon as there is time for it.

        Raises DocumentError for a header that could never become a recording.
        """
        check({**header, "trace": []}, version_of(header, self.path), self.path)
        refuse_unspellable(header, self.path)
        self._write(encode_head({key: header[key] for key in HEAD_KEYS if key in header}))

    def append(self, lines: bytes) -> None:
        """Hand whole lines to the kernel, in one call; once a second, on to the disk."""
        self._write(lines)
        if self._clock() - self._synced_at >= SYNC_SECONDS:
            self.sync()

    def end(self, tail: Json) -> None:
        """Write the end line: status, and summary, error and inference_seconds as far as there are."""
        self._write(encode_line(tail))
        self.sync()

    def close(self) -> None:
        """Release the lock and leave the file. Safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def discard(self) -> None:
        """Remove the file: its recording is safe on disk, or it holds nothing."""
        with in_words(self.path):
            self.path.unlink(missing_ok=True)
        self.close()

    def _write(self, data: bytes) -> None:
        with in_words(self.path):
            written = os.write(self._descriptor, data)
            while written < len(data):  # a full disk takes a part first, and refuses the next call
                written += os.write(self._descriptor, data[written:])

    def sync(self) -> None:
        """Make every line so far survive a loss of power."""
        with in_words(self.path):
            os.fsync(self._descriptor)
        self._synced_at = self._clock()


@dataclass
class Journal:
    """What a journal holds. `end` is None if the process died before it wrote one.

    `left_out` counts the bytes from the first line on that cannot be read. `damaged_line` is
    that line's number, where it is not just a last one that was cut off.
    """

    header: Json
    rows: list[Json] = field(default_factory=list)
    end: Json | None = None
    left_out: int = 0
    damaged_line: int | None = None


def read_journal(path: Path | str) -> Journal:
    """Everything whole in a journal. Raises UnreadableDocument if not even the header is."""
    return parse_journal(read_file(path), path)


def parse_journal(data: bytes, file: object) -> Journal:
    """Everything whole in a journal's bytes. Raises UnreadableDocument if not even the header is,
    InvalidTrace where that is no trace's header."""
    lines = io.BytesIO(data).readlines()  # splitlines would also cut at a carriage return
    if not lines or (header := _parse_line(lines[0])) is None:
        raise UnreadableDocument(
            file, "is not a journal, or was cut off within its first line; nothing can be recovered"
        )
    check({**header, "trace": []}, version_of(header, file), file)
    journal = Journal(header, left_out=len(data) - len(lines[0]))
    for number, line in enumerate(lines[1:], 2):
        if not _take(_parse_line(line), journal):
            if line.endswith(b"\n"):
                journal.damaged_line = number
            break
        journal.left_out -= len(line)
    return journal


def is_being_written(path: Path) -> bool:
    """Whether a recorder has the journal open now. Raises StorageError."""
    with open_regular(path) as file:
        return not try_lock(file.fileno(), fcntl.LOCK_SH)


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a journal that its recorder has left, so that nobody else makes something of it meanwhile.

    Raises OutputBusy if a recorder, or another claim, has it; StorageError where it cannot be read.
    """
    with open_regular(path) as file, in_words(path):
        if not try_lock(file.fileno(), fcntl.LOCK_EX) or not lies_at(file.fileno(), path):
            raise OutputBusy(path)
        yield


def _take(value: Json | None, journal: Journal) -> bool:
    """Add a line's value to the journal if it can stand there: the next row, or the end."""
    if value is None or journal.end is not None:
        return False
    if "status" in value:
        if not _ends(value, journal):
            return False
        journal.end = value
    elif not _continues(value, journal):
        return False
    else:
        journal.rows.append(value)
    return True


def _continues(row: Json, journal: Journal) -> bool:
    kind: Kind = journal.header.get("kind", "loop")
    number, first = numbering(kind)
    arrived = journal.rows[-1]["arrival_seconds"] if journal.rows else 0.0
    return (
        row_is_valid(row, kind, journal.header["schema_version"])
        and row[number] == first + len(journal.rows)
        and row["arrival_seconds"] >= arrived
    )


def _ends(tail: Json, journal: Journal) -> bool:
    return (
        {"status", *TAIL_KEYS}.issuperset(tail)
        and tail["status"] != "streaming"
        and head_is_valid({**journal.header, **tail}, journal.header["schema_version"])
    )


def _parse_line(line: bytes) -> Json | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _create(path: Path) -> int:
    """A new, locked file. An empty journal of a dead recorder holds nothing, so it is taken over."""
    with in_words(path):
        descriptor = os.open(path, _NEW, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise StorageError(path, "is not a regular file, so no journal can be written there")
            if not try_lock(descriptor, fcntl.LOCK_EX):
                raise OutputBusy(path)
            if not lies_at(descriptor, path):
                raise OutputBusy(path)  # its owner finished and removed it between our two calls
            if os.fstat(descriptor).st_size > 0:
                raise JournalLeft(path)
        except StorageError:
            os.close(descriptor)
            raise
    return descriptor
