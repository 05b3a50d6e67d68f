"""A whole file or nothing, whoever is killed when: a temporary file beside it, synced, then named.

The temporary file's name tells the next writer whose it was, and its lock that it is in use.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from tracekit.errors import OutputExists
from tracekit.storage.files import behind_link, in_words, lies_at, refuse_unwritable, try_lock

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
_NO_FOLDER_SYNC = frozenset({errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


def write_atomically(path: Path, chunks: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a whole file or nothing: temporary file beside it, fsync, rename, fsync of the folder.

    Raises OutputExists unless `overwrite`, and StorageError where the system refuses; what
    was at `path` before is then still there, and no temporary file is left. What a writer of
    the same path left when it was killed is removed.
    """
    refuse_unwritable(path, overwrite=overwrite)
    with in_words(path):
        path = behind_link(path)
        with _temporary(path) as (temporary, file):
            file.writelines(chunks)
            file.flush()
            if overwrite and path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
            _publish(temporary, path, overwrite=overwrite)
        _sync_folder(path.parent)


def remove_abandoned(path: Path) -> None:
    """Remove the temporary file that a writer of `path` left when it was killed, if there is one."""
    _remove_unless_held(_temporary_name(behind_link(path), 0))


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a loss of power."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
        os.sync()  # a folder that may not be read, or cannot be synced alone


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file beside `path`. Its name tells the next writer whose it was, its lock that it is in use."""
    temporary, file = _new_temporary(path)
    with file:
        try:
            yield temporary, file
        finally:
            if lies_at(file.fileno(), temporary):  # once renamed, the name may be another writer's
                temporary.unlink()


def _new_temporary(path: Path) -> tuple[Path, BinaryIO]:
    """Created and locked. Each of several writers at once gets a number of its own."""
    number = 0
    while (file := _created(temporary := _temporary_name(path, number))) is None:
        if not _remove_unless_held(temporary):
            number += 1
    return temporary, file


def _created(temporary: Path) -> BinaryIO | None:
    """A new file, locked; None where there is one, or another writer just took ours for abandoned."""
    try:
        file = temporary.open("xb")
    except FileExistsError:
        return None
    if _hold(file, temporary):
        return file
    file.close()
    return None


def _temporary_name(path: Path, number: int) -> Path:
    """Of one length, since a recording's own name may be as long as the system allows."""
    name = hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]
    return path.with_name(f".tracekit-{name}-{number}.tmp")


def _hold(file: BinaryIO, temporary: Path) -> bool:
    """Lock a file just created. False if another writer, between our two calls, took it for abandoned."""
    try:
        return try_lock(file.fileno(), fcntl.LOCK_EX) and lies_at(file.fileno(), temporary)
    except OSError:  # without locks nobody takes it for abandoned
        return True


def _remove_unless_held(temporary: Path) -> bool:
    """Whether it was an abandoned file and is gone."""
    # What cannot be removed (another user's, or without locks) stays; a writer takes the next number.
    with contextlib.suppress(OSError), temporary.open("r+b") as file:
        if try_lock(file.fileno(), fcntl.LOCK_EX) and lies_at(file.fileno(), temporary):
            temporary.unlink()
            return True
    return False


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
        if error.errno not in _NO_HARD_LINKS:
            raise
        _publish_without_links(temporary, path)


def _publish_without_links(temporary: Path, path: Path) -> None:
    """The name is taken first, by an empty file, since a rename would replace whatever has it."""
    try:
        path.open("xb").close()
    except FileExistsError:
        raise OutputExists(path) from None
    try:
        temporary.replace(path)
    except OSError:
        path.unlink()
        raise
