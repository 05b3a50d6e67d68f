"""A journal whose process died becomes the recording it was to be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.codec import as_trace
from tracekit.format.types import Trace
from tracekit.storage.atomic import remove_abandoned
from tracekit.storage.files import JOURNAL_SUFFIX, refuse_input
from tracekit.storage.journal import Journal, claimed, journal_path, read_journal
from tracekit.storage.store import save


@dataclass(frozen=True)
class Recovery:
    """What came of it: the recording, its rows, and how many bytes at the journal's end are not in it.

    `damaged_line` is the journal's line that these begin with, if more than a torn last line
    was left out; the journal is then still there.
    """

    path: Path
    rows: int
    left_out: int
    damaged_line: int | None = None


def recover(journal: Path | str, out: Path | str | None = None, *, overwrite: bool = False) -> Recovery:
    """Write the recording and, once that is safe on disk, remove the journal if all is in it.

    Without `out` the recording's name is the journal's without `.journal`. An empty file of
    that name is replaced: it is what a killed writer leaves where there are no hard links.
    Raises OutputBusy while a recorder still writes, DocumentError where not even the header
    is whole, UsageError for an `out` that is the journal, and what `save` raises; the
    journal is then still there.
    """
    journal = Path(journal)
    if journal.suffix != JOURNAL_SUFFIX:
        raise UsageError(
            f"{journal}: a journal's name ends in .journal ({journal_path(journal).name}, perhaps)"
        )
    recording = journal.with_suffix("")
    path = Path(out or recording)
    with claimed(journal):
        refuse_input(path, [journal], "journal")
        found = read_journal(journal)
        save(trace_of(found), path, overwrite=overwrite or _is_empty(path))
        remove_abandoned(recording)
        if found.damaged_line is None:
            journal.unlink()
    return Recovery(path, len(found.rows), found.left_out, found.damaged_line)


def trace_of(journal: Journal) -> Trace:
    """The trace that a journal tells: as it ended, or `interrupted` at its last row."""
    end = journal.end
    if end is None:
        last: float = journal.rows[-1]["arrival_seconds"] if journal.rows else 0.0
        end = {"status": "interrupted", "inference_seconds": last}
    document: dict[str, Any] = {**journal.header, "trace": journal.rows, **end}
    return as_trace(document)


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0
