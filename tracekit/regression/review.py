"""What a check left to decide: fresh traces beside their goldens.

Each was left by a check that failed, by rules (`--timing`, a tolerance, the teacher-forced
limits) that a review does not know. So accepting one always wants a reason, even where the
two traces, compared here, pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracekit.errors import StorageError, UsageError
from tracekit.format.types import Trace
from tracekit.player.html import Entry, export_html
from tracekit.regression.compare import compare
from tracekit.regression.files import Acceptance, accept, discard_fresh, fresh_path, golden_of
from tracekit.regression.overrides import Overrides
from tracekit.regression.verdict import Comparison
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import files_under, in_words, is_folder
from tracekit.storage.store import load

__all__ = ["Pending", "accept_pending", "find_pending", "load_pending", "reject_pending", "write_player"]


@dataclass(frozen=True)
class Pending:
    """A golden, the fresh trace that waits beside it, and what differs."""

    path: Path
    golden: Trace
    fresh: Trace
    comparison: Comparison


def find_pending(paths: Sequence[Path]) -> list[Path]:
    """The goldens that have a fresh trace beside them: under folders, or named by either file.

    Raises StorageError for a path that is not there, or without a fresh trace.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if is_folder(path):
            found |= dict.fromkeys(map(golden_of, files_under(path, ".new.json")))
            continue
        golden = golden_of(path) if path.name.endswith(".new.json") else path
        fresh = fresh_path(golden)
        with in_words(fresh):
            if not fresh.is_file():
                raise StorageError(fresh, "there is no fresh trace to review; run: tracekit check")
        found[golden] = None
    return list(found)


def load_pending(path: Path, overrides: Overrides) -> Pending:
    """A golden and its fresh trace, compared. Raises as `load` does, also where the golden is gone."""
    with in_words(path):
        if not path.exists():
            raise StorageError(
                fresh_path(path), f"its golden, {path.name}, is not there; remove it or restore that"
            )
    golden, fresh = load(path), load(fresh_path(path))
    return Pending(path, golden, fresh, compare(golden, fresh, overrides.resolve(golden, fresh, path)))


def accept_pending(pending: Pending, reason: str, at: str) -> None:
    """The fresh trace becomes the golden. Raises UsageError without a reason, and as `accept` does."""
    if not reason.strip():
        raise UsageError(f"{pending.path}: its check failed; to accept what it found, give a reason")
    why = Acceptance(pending.comparison.verdict, reason.strip(), at)
    accept(pending.path, pending.golden, pending.fresh, why)


def reject_pending(path: Path) -> None:
    """The golden stays, the fresh trace goes."""
    discard_fresh(path)


def write_player(pending: Pending, path: Path) -> Path:
    """Both in the player, side by side, as one HTML file. Raises UsageError if they are of two kinds."""
    name = pending.path.stem
    entries = [Entry(pending.golden, f"{name} golden"), Entry(pending.fresh, f"{name} fresh")]
    write_atomically(path, [export_html(entries)], overwrite=True)
    return path
