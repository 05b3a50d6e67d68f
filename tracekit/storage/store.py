"""Recordings: traces in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tracekit.errors import StorageError
from tracekit.format.codec import Outline, decode, decode_document, decode_outline, encode_chunks
from tracekit.format.types import Trace
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import files_under, in_words, is_folder, open_regular, read_file

# A head or a tail is some kilobytes; the text of a long generation, in its summary, some hundred.
_OUTLINE_BYTES = (64 << 10, 4 << 20)


def load(path: Path | str) -> Trace:
    """The trace in a recording of any version; `-` reads standard input.

    Raises StorageError where the file cannot be read and DocumentError where it is not a trace.
    """
    return decode(read_file(path), path)


def save(trace: Mapping[str, Any], path: Path | str, *, overwrite: bool = False) -> Path:
    """Write a valid trace as a recording: all of it, or nothing.

    Raises InvalidTrace where its own reader would refuse it, OutputExists unless
    `overwrite`, StorageError where the system refuses.
    """
    write_atomically(Path(path), encode_chunks(trace, path), overwrite=overwrite)
    return Path(path)


def outline(path: Path | str) -> Outline:
    """A recording's head, tail and last row. The other rows are read only if its bytes are not canonical.

    The document is in its own version, and valid as far as it has been read. Raises as `load` does.
    """
    if str(path) != "-":
        for window in _OUTLINE_BYTES:
            head, tail, size = _ends(Path(path), window)
            found = decode_outline(head, tail, path)
            if found is not None and _rows_of(found) <= size:
                return found
    document = decode_document(read_file(path), path)
    rows = document.pop("trace")
    return Outline(document, rows[-1] if rows else None)


def find(paths: Iterable[Path | str]) -> Iterator[Path]:
    """Recordings: files as named, and of each folder those `inside`.

    Raises StorageError for a folder without one, and for `-`, which has no name to come back to.
    """
    for path in map(Path, paths):
        if str(path) == "-":
            raise StorageError(path, "standard input cannot be used here; name a file")
        if not is_folder(path):
            yield path
            continue
        if not (found := inside(path)):
            raise StorageError(path, "holds no recordings (*.json)")
        yield from found


def inside(folder: Path) -> list[Path]:
    """Every `*.json` under a folder that is not hidden, nor a fresh trace, sorted. Raises StorageError."""
    return [path for path in files_under(folder, ".json") if not path.name.endswith(".new.json")]


def _rows_of(found: Outline) -> int:
    """How many rows the last row says there are; a damaged one may say more than its file has bytes."""
    row = found.last_row or {"loop": 0}
    return int(row["loop"] if "loop" in row else row["index"] + 1)


def _ends(path: Path, window: int) -> tuple[bytes, bytes, int]:
    """A file's first and last bytes, of which there are at most `window`, and how many there are in all."""
    with in_words(path), open_regular(path) as file:
        head = file.read(window)
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - window))
        return head, file.read(window), size
