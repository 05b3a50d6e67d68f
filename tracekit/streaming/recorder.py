"""A live run into a recording: every row into the journal first, then on to whoever watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tracekit.errors import DocumentError, InvalidHeader, RecordingUnfinished, StorageError, TracekitError
from tracekit.format.codec import as_trace, assemble
from tracekit.format.types import Json, Trace
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import is_folder, refuse_unwritable
from tracekit.storage.journal import JournalWriter, journal_path
from tracekit.streaming.header import new_header
from tracekit.streaming.run import Run, RunOptions
from tracekit.streaming.source import Source

__all__ = ["Recorder", "Target", "record"]


@dataclass(frozen=True, init=False)
class Target:
    """Where a recording goes, and what the user adds to it.

    A `path` that is a folder gets a new file named by the run's time and id.
    """

    path: Path
    overwrite: bool
    metadata: Mapping[str, Any]

    def __init__(
        self, path: Path | str, overwrite: bool = False, metadata: Mapping[str, Any] | None = None
    ) -> None:
        vars(self).update(path=Path(path), overwrite=overwrite, metadata=metadata or {})

    def file(self, header: Json) -> Path:
        """The recording's path, for the run with this header."""
        if not is_folder(self.path):
            return self.path
        moment = header["created_at"][:19].replace("-", "").replace(":", "")
        return self.path / f"run-{moment}Z-{header['id'][-8:]}.json"


def record(
    source: Source, request: object, target: Target | Path | str, options: RunOptions | None = None
) -> Trace:
    """Run the request and leave its recording; the trace, as it reads back.

    Raises what the model raised, after the recording of the failed run is on disk;
    RequestError, OutputExists, OutputBusy or JournalLeft before anything runs.
    """
    target = target if isinstance(target, Target) else Target(Path(target))
    with Recorder(source, request, target, replace(options or RunOptions(), watched=False)) as recorder:
        for _ in recorder.batches():
            pass
    if recorder.error is not None:
        raise recorder.error
    return recorder.trace


class Recorder:
    """Record while watching: iterate `batches()` inside the `with` block.

    Leaving the block, by its end, by `break` or by any exception, finishes the recording
    with every row so far and the right status. Where that fails (a full disk), the journal
    stays and `tracekit recover` makes the recording of it.
    """

    def __init__(
        self, source: Source, request: object, target: Target, options: RunOptions | None = None
    ) -> None:
        self.target = target
        self.path = target.path
        self.rows: list[Json] = []
        self.header: Json = {}
        self.tail: Json = {}
        self._lots: list[bytes] = []
        self._run = Run(source, request, options)
        self._batches = self._run.batches(on_start=self._sync_header)

    @property
    def trace(self) -> Trace:
        """The recording, as it reads back; once the block is left."""
        return as_trace({**self.header, "trace": self.rows, **self.tail})

    @property
    def error(self) -> BaseException | None:
        """What the model raised, if it did; once the rows have ended."""
        return self._run.error

    def __enter__(self) -> Self:
        self.header = new_header(self._run.source, self._run.request, self.target.metadata)
        self.path = self.target.file(self.header)
        refuse_unwritable(self.path, overwrite=self.target.overwrite)
        self._journal = JournalWriter(journal_path(self.path))
        try:
            # Once more, now that no other recorder can be there: one may have ended just before.
            refuse_unwritable(self.path, overwrite=self.target.overwrite)
            self._journal.begin(self.header)
        except TracekitError as error:
            self._journal.discard()
            if isinstance(error, DocumentError):
                raise InvalidHeader(self.path, error.reason) from error
            raise
        return self

    def batches(self) -> Iterator[list[Json]]:
        """Rows as they arrive, each with the kernel before it comes out here.

        Raises RecordingUnfinished where the journal cannot grow; the run is then stopped.
        """
        for batch in self._batches:
            self._lots.append(self._run.encoded.text)
            self.rows.extend(batch)
            try:
                self._journal.append(self._run.encoded.journal_lines)
            except StorageError as error:
                raise RecordingUnfinished(self._journal.path, error.reason) from error
            yield batch

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._batches.close()
            if error is not None and not self._run.began:
                self._journal.discard()  # as where the model stayed busy: there was no run to record
            elif not isinstance(error, RecordingUnfinished):
                self._finish()
        finally:
            self._journal.close()

    def _sync_header(self) -> None:
        try:
            self._journal.sync()
        except StorageError as error:
            raise RecordingUnfinished(self._journal.path, error.reason) from error

    def _finish(self) -> None:
        self.tail = self._run.tail(self.rows)
        try:
            self._journal.end(self.tail)
            document = {**self.header, **self.tail}
            chunks = assemble(document, self._lots, self.path)
            write_atomically(self.path, chunks, overwrite=self.target.overwrite)
        except (StorageError, DocumentError) as error:
            raise RecordingUnfinished(self._journal.path, error.reason) from error
        self._journal.discard()
