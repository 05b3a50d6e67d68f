"""Every error of ours. Each takes facts and composes one clear line: what, where, what to do.

    TracekitError                     exit code 2
    ├── UsageError                    an option or argument that cannot be used
    ├── RequestError                  a request the source refuses
    ├── SourceError                   a source that cannot be loaded
    │   ├── UnknownSource             no source of that name
    │   ├── MissingExtra              an optional dependency is not installed
    │   ├── CheckpointError           a checkpoint folder that cannot be used
    │   ├── DeviceError               a device that is not there, or cannot do what was asked
    │   └── UntrustedSource           a recording names code that nobody allowed
    ├── RunError                      a run that could not go on
    │   ├── NonFiniteOutput           the model produced NaN or infinity
    │   ├── ModelBusy                 another run held the model for too long
    │   ├── RunFailed                 the model raised, and its recording says so
    │   ├── RecordedFailure           a replayed run failed when it was recorded
    │   └── UnrecordedRequest         a cassette has no recording of a request
    ├── GoldenError                   goldens that nothing can be compared with
    │   ├── NoGoldens                 there are none, or the selection matches none
    │   ├── MissingGolden             a test's golden is not there (exit code 1)
    │   ├── GoldenMismatch            a run differs from its golden (exit code 1)
    │   └── UncheckableGolden         a golden that did not run to its end
    ├── DocumentError                 bytes that are not a trace
    │   ├── UnreadableDocument        not JSON at all, or cut off
    │   ├── UnsupportedVersion        a schema version this tracekit does not know
    │   ├── InvalidTrace              JSON, but against the schema (exit code 1)
    │   ├── InvalidHeader             a run that could never become a valid recording
    │   └── NonFiniteNumber           NaN or infinity, which JSON cannot hold
    └── StorageError                  a file that cannot be read or written
        ├── OutputExists              a file is there already and nobody said overwrite
        ├── OutputBusy                another recorder is writing there
        ├── JournalLeft               an interrupted run's journal is in the way
        ├── OutsideFolder             a name that leads out of the folder being viewed
        └── RecordingUnfinished       a recording could not be finished; its journal is kept

Everything a function of tracekit raises on purpose is one of these, so a caller can
catch `TracekitError` and print it. What a *model* raises is never wrapped: it comes
out of the run as itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from tracekit.terminal import printable, printable_lines

__all__ = [
    "CheckpointError",
    "DeviceError",
    "DocumentError",
    "GoldenError",
    "GoldenMismatch",
    "InvalidHeader",
    "InvalidTrace",
    "JournalLeft",
    "MissingExtra",
    "MissingGolden",
    "ModelBusy",
    "NoGoldens",
    "NonFiniteNumber",
    "NonFiniteOutput",
    "OutputBusy",
    "OutputExists",
    "OutsideFolder",
    "RecordedFailure",
    "RecordingUnfinished",
    "RequestError",
    "RunError",
    "RunFailed",
    "SourceError",
    "StorageError",
    "TracekitError",
    "UncheckableGolden",
    "UnknownSource",
    "UnreadableDocument",
    "UnrecordedRequest",
    "UnsupportedVersion",
    "UntrustedSource",
    "UsageError",
]


class TracekitError(Exception):
    """Base of every error of ours; `exit_code` is what the CLI exits with.

    As text it is one line that a terminal only shows, whatever facts a recording or a model brought.
    """

    exit_code = 2

    def __str__(self) -> str:
        return printable(super().__str__())


class UsageError(TracekitError, ValueError):
    """An option or argument that cannot be used as given."""


class RequestError(TracekitError, ValueError):
    """A request the source refuses. `where` is a JSON pointer into the request."""

    def __init__(self, where: str, expected: str, found: str) -> None:
        self.where, self.expected, self.found = where, expected, found
        super().__init__(f"request{' ' + where if where else ''}: expected {expected}; found {found}")


class SourceError(TracekitError):
    """A source that cannot be loaded."""


class UnknownSource(SourceError):
    """No source of that name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(
            f"no source named {name!r}; there are {', '.join(self.known)}, "
            "and package.module:factory for your own"
        )


class MissingExtra(SourceError):
    """An optional dependency is not installed; says the command that brings it."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{package} is not installed; run: pip install 'tracekit[{extra}]'")


class CheckpointError(SourceError):
    """A checkpoint folder that cannot be used."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"checkpoint {self.path}: {reason}")


class DeviceError(SourceError):
    """A device that is not there, or cannot do what was asked."""

    def __init__(self, device: str, reason: str) -> None:
        self.device, self.reason = device, reason
        super().__init__(f"device {device!r}: {reason}")


class UntrustedSource(SourceError):
    """A recording names code that nobody allowed: a recording is data, and never imports a module."""

    def __init__(self, file: object, name: str) -> None:
        self.file, self.name = str(file), name
        super().__init__(
            f"{self.file}: names the source {name!r:.80}, which would run its code; if you trust it, add "
            f"--allow-source {name!r:.80}, or list it in pyproject.toml under [tool.tracekit] sources"
        )


class RunError(TracekitError):
    """A run that could not go on."""


class NonFiniteOutput(RunError, FloatingPointError):
    """The model produced NaN or infinity. `step` counts as the row does."""

    def __init__(self, unit: str, step: int, field: str) -> None:
        self.unit, self.step, self.field = unit, step, field
        super().__init__(f"{unit} {step}: the model's {field} is not finite; the run was stopped there")


class ModelBusy(RunError):
    """Another run held the model for longer than the caller would wait."""

    def __init__(self, waited_seconds: float) -> None:
        self.waited_seconds = waited_seconds
        super().__init__(
            f"the model is still busy with another run after {waited_seconds:g} s; try again when it is done"
        )


class RunFailed(RunError):
    """The model raised; its recording holds every row before that."""

    def __init__(self, error: BaseException, path: object) -> None:
        self.path = str(path)
        super().__init__(
            f"the model raised {type(error).__name__}: {error}; the rows before it are in {path}"
        )


class RecordedFailure(RunError):
    """A replayed run that failed when it was recorded. Raised at its recorded time."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind, self.message = kind, message
        super().__init__(f"the recorded run failed here with {kind}: {message}")


class UnrecordedRequest(RunError, LookupError):
    """A cassette has no recording of a request. Names the nearest one and what differs."""

    def __init__(self, folder: object, nearest: str, differs: Iterable[str]) -> None:
        self.folder, self.nearest, self.differs = str(folder), nearest, tuple(differs)
        closest = f"; the nearest, {nearest}, differs in {'; '.join(self.differs)}" if nearest else ""
        super().__init__(f"{self.folder}: no recording of this request{closest}")


class GoldenError(TracekitError):
    """Goldens that nothing can be compared with, so that no check of them may pass."""


class NoGoldens(GoldenError):
    """There are no goldens, or a selection matches none."""

    def __init__(self, where: object, selection: str = "") -> None:
        self.where, self.selection = str(where), selection
        found = f"no golden matches {selection!r}" if selection else "no golden found"
        super().__init__(f"{self.where}: {found}; nothing was checked")


class MissingGolden(GoldenError, AssertionError):
    """A test's golden is not there, and nobody said that it may be written."""

    exit_code = 1

    def __init__(self, path: object, hint: str) -> None:
        self.path = str(path)
        super().__init__(f"{self.path}: there is no such golden; {hint}")


class GoldenMismatch(GoldenError, AssertionError):
    """A run differs from its golden, as `report` says; `fresh` is where its trace was left, if it was."""

    exit_code = 1

    def __init__(
        self, path: object, report: str, fresh: object | None, reason: str = "under CI nothing is written"
    ) -> None:
        self.path, self.report, self.fresh = str(path), report, fresh and str(fresh)
        left = self.fresh or f"not left, since {reason}"
        super().__init__(f"{report}\n\ngolden: {self.path}\nfresh trace: {left}")

    def __str__(self) -> str:
        return printable_lines(Exception.__str__(self))


class UncheckableGolden(GoldenError):
    """A golden that did not run to its end, or holds no rows."""

    def __init__(self, file: object, reason: str) -> None:
        self.file, self.reason = str(file), reason
        super().__init__(f"{self.file}: {reason}, so it cannot be a golden; record it again")


class DocumentError(TracekitError):
    """Bytes that are not a trace. `file` is a path, or `-` for standard input."""

    def __init__(self, file: object, reason: str) -> None:
        self.file, self.reason = str(file), reason
        super().__init__(f"{self.file}: {reason}")


class UnreadableDocument(DocumentError):
    """Not JSON at all, not UTF-8, empty, or cut off."""


class UnsupportedVersion(DocumentError):
    """A schema version this tracekit does not know, or a trace a version cannot hold."""


class InvalidTrace(DocumentError):
    """JSON, but against the schema: JSON pointer, line, what was expected, what was found."""

    exit_code = 1

    def __init__(self, file: object, pointer: str, line: int | None, expected: str, found: str) -> None:
        self.pointer, self.line, self.expected, self.found = pointer, line, expected, found
        where = f"line {line}: " if line is not None else ""
        super().__init__(file, f"{where}{pointer or '/'}: expected {expected}; found {found}")


class InvalidHeader(DocumentError):
    """What a source or a caller says of a run, before it begins, could never stand in a recording."""

    def __init__(self, recording: object, reason: str) -> None:
        super().__init__(recording, f"nothing was run, since no recording could begin like this: {reason}")


class NonFiniteNumber(DocumentError):
    """NaN or infinity, which JSON cannot hold, at a JSON pointer."""

    exit_code = 1

    def __init__(self, file: object, pointer: str, found: float) -> None:
        self.pointer, self.found = pointer, found
        super().__init__(file, f"{pointer}: expected a finite number; found {found}")


class StorageError(TracekitError):
    """A file that cannot be read or written: the path, and the system's reason in words."""

    def __init__(self, path: object, reason: str) -> None:
        self.path, self.reason = str(path), reason
        super().__init__(f"{self.path}: {reason}")


class OutputExists(StorageError):
    """A file is there already and nobody said overwrite."""

    def __init__(self, path: object, remedy: str = "choose another name, or add --overwrite") -> None:
        super().__init__(path, f"is there already; {remedy}")


class OutputBusy(StorageError):
    """Another recorder is writing there."""

    def __init__(self, path: object) -> None:
        super().__init__(
            path, "another recorder is writing this recording; wait for it, or choose another name"
        )


class JournalLeft(StorageError):
    """An interrupted run's journal is in the way; nothing of it is lost."""

    def __init__(self, path: object) -> None:
        super().__init__(path, f"an interrupted run left this journal; run: {_recover(path)}")


class OutsideFolder(StorageError):
    """A name, from a link or a person, that leads out of the folder being viewed."""

    def __init__(self, name: str, folder: object) -> None:
        super().__init__(name, f"leads out of the folder being viewed, {folder}; it is not opened")


class RecordingUnfinished(StorageError):
    """A recording could not be finished; every row so far is in its journal."""

    def __init__(self, journal: object, reason: str) -> None:
        super().__init__(
            journal, f"{reason}; the rows so far are kept here; when that is mended, run: {_recover(journal)}"
        )


def _recover(journal: object) -> str:
    return f"tracekit recover {shlex.quote(str(journal))}"
