"""A folder's recordings and journals. Names come from links and people, so none leads out of the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracekit.errors import DocumentError, OutsideFolder, StorageError
from tracekit.format.codec import Outline
from tracekit.format.layout import HEAD_KEYS, TAIL_KEYS
from tracekit.storage.files import open_regular
from tracekit.storage.store import find, outline

__all__ = ["Entry", "Filter", "Shelf", "stamp"]

_TRACE_KEYS = {*HEAD_KEYS, *TAIL_KEYS}
_HEAD_BYTES = 4096


@dataclass(frozen=True)
class Entry:
    """What a list shows of a recording.

    `right` is None where nothing says; `problem` is why it is unreadable.
    """

    name: str
    kind: str = ""
    status: str = "unreadable"
    steps: int = 0
    right: bool | None = None
    seconds: float | None = None
    model: str = ""
    created_at: str = ""
    problem: str = ""

    @property
    def outcome(self) -> str:
        """`right`, `wrong`, or nothing."""
        return {True: "right", False: "wrong", None: ""}[self.right]


@dataclass(frozen=True)
class Filter:
    """Which entries to list; what is empty lets everything through. `steps` is an inclusive range."""

    text: str = ""
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None

    def __call__(self, entry: Entry) -> bool:
        low, high = self.steps or (entry.steps, entry.steps)
        described = f"{entry.name} {entry.model} {entry.created_at}".casefold()
        return (
            all(word in described for word in self.text.casefold().split())
            and (not self.kinds or entry.kind in self.kinds)
            and (not self.statuses or entry.status in self.statuses)
            and (not self.outcomes or entry.outcome in self.outcomes)
            and low <= entry.steps <= high
        )


class Shelf:
    """Knows files by their names in the folder, and reads an outline again only when its file has changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, tuple[tuple[int, int], Entry | None]] = {}

    def path(self, name: str) -> Path:
        """The file of that name. Raises OutsideFolder, also where a link leads out, or StorageError."""
        try:
            root = self.root.resolve()
            path = (root / name).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise StorageError(name, f"is not a name of a file: {error}") from error
        if not path.is_relative_to(root):
            raise OutsideFolder(name, self.root)
        return path

    def entries(self) -> list[Entry]:
        """Every recording, by name; JSON that is something else is left out."""
        found = {name: self._entry(name, path) for name, path in self._recordings()}
        self._known = {name: known for name, known in self._known.items() if name in found}
        return [entry for entry in found.values() if entry is not None]

    def journals(self) -> list[str]:
        """The names of journals, the newest first."""
        found = [path for path in self.root.rglob("*.journal") if self._is_inside(path)]
        found.sort(key=lambda path: -stamp(path)[0])
        return [path.relative_to(self.root).as_posix() for path in found]

    def _recordings(self) -> Iterator[tuple[str, Path]]:
        if not self.root.is_dir():
            return
        try:
            for path in find([self.root]):
                if self._is_inside(path):
                    yield path.relative_to(self.root).as_posix(), path
        except StorageError:  # the folder holds none
            return

    def _entry(self, name: str, path: Path) -> Entry | None:
        changed = stamp(path)
        known = self._known.get(name)
        if known is None or known[0] != changed:
            known = self._known[name] = (changed, _read_entry(name, path))
        return known[1]

    def _is_inside(self, path: Path) -> bool:
        try:
            return self.path(path.relative_to(self.root).as_posix()).is_file()
        except StorageError:
            return False


def stamp(path: Path) -> tuple[int, int]:
    """When it changed and how long it is; nothing for a file that has just gone."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _read_entry(name: str, path: Path) -> Entry | None:
    try:
        found = outline(path)
    except (DocumentError, StorageError) as error:
        return Entry(name, problem=str(error)) if _means_to_be_a_trace(path) else None
    return _entry_of(name, found) if set(found.document) <= _TRACE_KEYS else None


def _means_to_be_a_trace(path: Path) -> bool:
    """A sieve for folders that hold other JSON too."""
    try:
        with open_regular(path) as file:
            return b'"schema_version"' in file.read(_HEAD_BYTES)
    except (OSError, StorageError):
        return True  # it cannot be read, which is worth saying


def _entry_of(name: str, found: Outline) -> Entry:
    """An outline has not been validated, so nothing in it has a type yet."""
    document, row = found.document, found.last_row or {}
    kind = _text(document.get("kind", "loop"))
    last = row.get("loop") if kind == "loop" else row.get("index", -1)
    right, seconds = _member(document.get("summary"), "answer_correct"), document.get("inference_seconds")
    return Entry(
        name,
        kind,
        _text(document.get("status")),
        (last if type(last) is int else 0) + (kind == "token"),
        right if type(right) is bool else None,
        float(seconds) if isinstance(seconds, int | float) else None,
        _text(_member(document.get("model"), "name")),
        _text(document.get("created_at")),
    )


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _text(value: Any) -> str:
    return value[:200] if isinstance(value, str) else ""
