"""The system's calls, with its reasons in our words. Beside this room nothing opens, renames or removes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from tracekit.errors import OutputExists, StorageError, UsageError

# A trace of a million rows is some hundred megabytes; what is larger is not a recording.
LARGEST_FILE = 2 << 30

JOURNAL_SUFFIX = ".journal"


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
            return b"".join(_pieces(sys.stdin.buffer, limit))
        with open_regular(Path(path)) as file:
            if os.fstat(file.fileno()).st_size > limit:
                raise StorageError(path, _too_large(limit))
            return file.read()


def open_regular(path: Path) -> BinaryIO:
    """A regular file, open for reading. A pipe or a device could block for ever, so they are refused."""
    with in_words(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise StorageError(path, "is not a regular file; to read a pipe, give - and pipe it in")
        return path.open("rb")


def append(path: Path, data: bytes) -> None:
    """Add to the end of a file that may be someone else's; made if it is not there. Raises StorageError."""
    with in_words(path), path.open("ab") as file:
        file.write(data)


def refuse_unwritable(path: Path, *, overwrite: bool = False) -> None:
    """Raise what `write_atomically` would raise, before there is anything to lose."""
    with in_words(path):
        file = behind_link(path)
        folder = file.parent
        if str(path) == "-":
            raise StorageError(path, "standard output cannot be written to here; name a file")
        if path.is_dir():
            raise StorageError(path, "is a folder; expected the name of a file")
        if file.name.endswith(JOURNAL_SUFFIX):
            raise StorageError(path, f"only a journal's name ends in {JOURNAL_SUFFIX}; choose another name")
        if path.exists() and not path.is_file():
            raise StorageError(path, "is not a regular file, so nothing is written in its place")
        if path.exists() and not overwrite:
            raise OutputExists(path)
        _refuse_closed(folder)


def is_folder(path: Path) -> bool:
    """Whether it is a folder. Raises StorageError where the system will not say."""
    with in_words(path):
        return path.is_dir()


def files_under(folder: Path, suffix: str) -> list[Path]:
    """The files under a folder whose names end so, sorted; nothing that is hidden.

    Raises StorageError, also for a folder inside that cannot be read: what lies there would be passed over.
    """
    found: list[Path] = []
    for root, folders, names in os.walk(folder, onerror=_refuse_unread):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(root, name) for name in names if name.endswith(suffix) and not name.startswith(".")]
    return sorted(found)


def make_folder(path: Path) -> None:
    """Make a folder to write into, with those above it, unless it is there. Raises StorageError."""
    refuse_unusable_folder(path)
    with in_words(path):
        path.mkdir(parents=True, exist_ok=True)


def refuse_unusable_folder(path: Path) -> None:
    """Raise what `make_folder` and a file in that folder would raise, before anything is made."""
    with in_words(path):
        _refuse_closed(next(each for each in (path, *path.parents) if each.exists() or each.is_symlink()))


def refuse_input(out: Path, inputs: Iterable[Path | str], what: str) -> None:
    """Raise UsageError where `out`, by whatever name, is one of the files that are read (`-` is none)."""
    if place(out) in {place(path) for path in inputs if str(path) != "-"}:
        raise UsageError(f"{out} is the {what} itself; name another file")


def place(path: Path | str) -> object:
    """The same for every name of one file: through a link, through `..`, in another case."""
    try:
        status = Path(path).stat()
    except OSError:  # it is not there yet
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def try_lock(descriptor: int, mode: int) -> bool:
    """Lock an open file, or say that another has locked it."""
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lies_at(descriptor: int, path: Path) -> bool:
    """Whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _refuse_closed(folder: Path) -> None:
    if not folder.is_dir():
        found = "is not a folder" if folder.exists() else "there is no such folder; make it first"
        raise StorageError(folder, found)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(folder, "cannot be written to; check its permissions")


def _refuse_unread(error: OSError) -> None:
    with in_words(error.filename):
        raise error


def behind_link(path: Path) -> Path:
    """What a link leads to, so that a write replaces that and not the link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _pieces(stream: BinaryIO, limit: int) -> Iterator[bytes]:
    left = limit
    while piece := stream.read(1 << 20):
        if (left := left - len(piece)) < 0:
            raise StorageError("-", _too_large(limit))
        yield piece


def _too_large(limit: int) -> str:
    return f"is larger than {limit} bytes, so it is not read"


def _reason(error: OSError) -> str:
    reasons = {
        errno.ENOENT: "there is no such file",
        errno.EISDIR: "is a folder; expected a file",
        errno.ENOTDIR: "what leads there is not a folder",
        errno.EACCES: "permission denied",
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the disk quota is used up",
        errno.EROFS: "the file system is read-only",
        errno.EFBIG: "the file would be larger than the system allows",
        errno.ELOOP: "is a link that cannot be followed",
        errno.ENAMETOOLONG: "the name is too long",
    }
    return reasons.get(error.errno or 0, error.strerror or str(error))
