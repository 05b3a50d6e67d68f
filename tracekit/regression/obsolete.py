"""Recordings that nothing uses any more: they look like a promise, and nobody checks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from tracekit.errors import TracekitError
from tracekit.format.types import Json
from tracekit.regression.files import WritePolicy
from tracekit.regression.naming import module_folder
from tracekit.storage.files import in_words
from tracekit.storage.store import inside, outline

__all__ = ["Unreferenced", "action_for", "delete_all", "unselected", "unused_by_tests"]


class Unreferenced(StrEnum):
    """What to do about goldens that nothing uses."""

    FAIL = "fail"
    WARN = "warn"
    DELETE = "delete"
    IGNORE = "ignore"


def action_for(asked: Unreferenced | None, policy: WritePolicy) -> Unreferenced:
    """What was asked, but never to delete where nothing may be written; unasked, CI fails and others warn."""
    if asked is None:
        return Unreferenced.FAIL if policy.ci else Unreferenced.WARN
    if asked is Unreferenced.DELETE and not policy.may_write:
        return Unreferenced.FAIL
    return asked


def unselected(root: Path, selected: Iterable[Path]) -> list[Path]:
    """The goldens under `root` that are not among those selected."""
    used = {path.resolve() for path in selected}
    return [path for path in inside(root) if path.resolve() not in used and _head(path) is not None]


def delete_all(paths: Sequence[Path]) -> None:
    """Remove these goldens. Raises StorageError."""
    for path in paths:
        with in_words(path):
            path.unlink(missing_ok=True)


def unused_by_tests(root: Path, project: Path, proven: Iterable[str], used: set[Path]) -> list[Path]:
    """Goldens of tests that no test used: of modules whose every test passed, and of modules that are gone.

    `proven` are modules as pytest names them, relative to `project`. A golden's module is
    the one whose folder it lies in, else the one that it says it was written by.
    """
    folders = {module_folder(root, module).resolve(): module for module in proven}
    return [
        path
        for path in inside(root)
        if path.resolve() not in used and _is_of(path.resolve(), folders, project)
    ]


def _is_of(path: Path, folders: Mapping[Path, str], project: Path) -> bool:
    head = _head(path)
    if head is None:
        return False
    if any(parent in folders for parent in path.parents):
        return True
    module = _written_by(head).partition("::")[0]
    return bool(module) and not (project / module).exists()


def _head(path: Path) -> Json | None:
    """A trace's header; None for a file that does not read as one, which is none of our business."""
    try:
        return outline(path).document
    except TracekitError:
        return None


def _written_by(head: Json) -> str:
    """The test that wrote a golden; nothing if it does not say."""
    ours = head.get("metadata", {}).get("tracekit", {})
    test = ours.get("test", "") if isinstance(ours, dict) else ""
    return test if isinstance(test, str) else ""
