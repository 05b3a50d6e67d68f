"""The system's calls, with its reasons in our words. No other file opens, renames or removes."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from tracekit.errors import OutputExists, StorageError

# A trace of a million rows is some hundred megabytes; what is larger is not a recording.
LARGEST_FILE = 2 << 30


@contextlib.contextmanager
def in_words(path: object) -> Iterator[None]:
    """Turn the system's refusals inside the block into a StorageError that names `path`."""
    try:
        yield
    except OSError as error:
        raise StorageError(path, _reason(error)) from error


def read_file(path: Path | str, limit: int = LARGEST_FILE) -> bytes:
    """A file's bytes; `-` is standard input. Raises StorageError, also for more than `limit` bytes."""
    with in_words(path):
        if str(path) == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with open_regular(Path(path)) as file:
                data = file.read(limit + 1)
    if len(data) > limit:
        raise StorageError(path, f"is larger than {limit} bytes, so it is not read")
    return data


def open_regular(path: Path) -> BinaryIO:
    """A regular file, open for reading. A pipe or a device could block for ever, so they are refused."""
    with in_words(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise StorageError(path, "is not a regular file")
        return path.open("rb")


def write_atomically(path: Path, chunks: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a whole file or nothing: temporary file beside it, fsync, rename, fsync of the folder.

    Raises OutputExists unless `overwrite`, and StorageError where the system refuses; what
    was at `path` before is then still there, and no temporary file is left.
    """
    refuse_unwritable(path, overwrite=overwrite)
    with in_words(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.fsync(file.fileno())
            _publish(temporary, path, overwrite=overwrite)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)


def append(path: Path, data: bytes) -> None:
    """Add to the end of a file that may be someone else's; made if it is not there. Raises StorageError."""
    with in_words(path), path.open("ab") as file:
        file.write(data)


def refuse_unwritable(path: Path, *, overwrite: bool = False) -> None:
    """Raise what `write_atomically` would raise, before there is anything to lose."""
    with in_words(path):
        if path.is_dir():
            raise StorageError(path, "is a folder; a recording needs a file name")
        if path.exists() and not overwrite:
            raise OutputExists(path)
    if not path.parent.is_dir():
        raise StorageError(path.parent, "is not a folder; make it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StorageError(path.parent, "cannot be written to; check its permissions")


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _publish(temporary: Path, path: Path, *, overwrite: bool) -> None:
    """Give the finished file its name; without `overwrite` never in place of one that appeared meanwhile."""
    if overwrite:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise OutputExists(path) from None
    except OSError as error:
        # Some file systems have no hard links; there a rename is what is left.
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        if path.exists():
            raise OutputExists(path) from None
        temporary.rename(path)


def _umask() -> int:
    # The mask can only be read by setting it; mkstemp's 0600 would hide recordings from colleagues.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    reasons = {
        errno.ENOENT: "there is no such file",
        errno.EISDIR: "is a folder; expected a file",
        errno.EACCES: "permission denied",
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the disk quota is used up",
        errno.EROFS: "the file system is read-only",
        errno.ENAMETOOLONG: "the name is too long",
    }
    return reasons.get(error.errno or 0, error.strerror or str(error))
