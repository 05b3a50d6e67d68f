"""Recordings that nothing uses any more: they look like a promise, and nobody checks it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

from tracekit.regression.check import find_goldens
from tracekit.regression.files import WritePolicy
from tracekit.storage.files import in_words

__all__ = ["Unreferenced", "action_for", "delete_all", "unselected"]


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
    return [path for path in find_goldens([root]) if path.resolve() not in used]


def delete_all(paths: Sequence[Path]) -> None:
    """Remove these goldens. Raises StorageError."""
    for path in paths:
        with in_words(path):
            path.unlink(missing_ok=True)
