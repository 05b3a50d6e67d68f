"""A journal whose process died becomes the recording it was to be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.codec import as_trace
from tracekit.format.types import Trace
from tracekit.storage.journal import Journal, claimed, journal_path, read_journal
from tracekit.storage.store import save


@dataclass(frozen=True)
class Recovery:
    """What came of it: the recording, its rows, and how many bytes were too torn to read."""

    path: Path
    rows: int
    left_out: int


def recover(journal: Path | str, out: Path | str | None = None, *, overwrite: bool = False) -> Recovery:
    """Write the recording and, once that is safe on disk, remove the journal.

    Without `out` the recording's name is the journal's without `.journal`. Raises
    OutputBusy while a recorder still writes, DocumentError where not even the header is
    whole, and what `save` raises; the journal is then still there.
    """
    journal = Path(journal)
    if journal.suffix != ".journal":
        raise UsageError(
            f"{journal}: a journal's name ends in .journal ({journal_path(journal).name}, perhaps)"
        )
    with claimed(journal):
        found = read_journal(journal)
        path = save(trace_of(found), out or journal.with_suffix(""), overwrite=overwrite)
        journal.unlink()
    return Recovery(path, len(found.rows), found.left_out)


def trace_of(journal: Journal) -> Trace:
    """The trace that a journal tells: as it ended, or `interrupted` at its last row."""
    end = journal.end
    if end is None:
        last: float = journal.rows[-1]["arrival_seconds"] if journal.rows else 0.0
        end = {"status": "interrupted", "inference_seconds": last}
    document: dict[str, Any] = {**journal.header, "trace": journal.rows, **end}
    return as_trace(document)
