"""A source that answers from recordings, so that a test or a demo needs no model.

    source = tracekit.cassette(None, "recordings/demo")                  plays; never runs a model
    source = tracekit.cassette(load_my_model, "recordings/demo", "new")  records what is not there yet

Modes: `none` plays only; `once` records if the folder is empty, else plays only; `new` plays
what is there and records the rest; `all` records everything again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from tracekit.errors import RecordedFailure, RequestError, UsageError
from tracekit.format.types import Json, Kind, Trace
from tracekit.regression.tape import Asked, Tape
from tracekit.storage.files import make_folder
from tracekit.streaming.cancellation import Cancelled
from tracekit.streaming.recorder import Recorder, Target
from tracekit.streaming.source import Description, Emit, Interpreter, Source, accepted

__all__ = ["CassetteSource", "Mode", "cassette"]

Origin = Source | Callable[[], Source] | None


class Mode(StrEnum):
    """When a cassette records."""

    NONE = "none"
    ONCE = "once"
    NEW = "new"
    ALL = "all"


def cassette(
    source: Origin, folder: Path | str, mode: Mode | str = Mode.NONE, *, wait: bool = False
) -> CassetteSource:
    """`source` as seen through the recordings in `folder`.

    `source` may be a function that loads it: it is called only when something is recorded.
    Rows come at once, or at their recorded times with `wait`.
    A request that was not recorded raises UnrecordedRequest, which names the nearest one.
    Raises UsageError for an unknown mode, for one that records without a source, for a
    folder without recordings where nothing may be recorded, and for one with two kinds of them.
    """
    if mode not in list(Mode):
        raise UsageError(f"cassette mode {mode!r:.40}: expected one of {', '.join(Mode)}")
    tape, mode = Tape(Path(folder)), Mode(mode)
    if mode is Mode.ONCE:
        mode = Mode.NONE if tape.traces else Mode.NEW
    if mode is not Mode.NONE and source is None:
        raise UsageError("a cassette that records needs a source to record")
    if len(kinds := {trace["kind"] for trace in tape.traces.values()}) > 1:
        raise UsageError(
            f"cassette {folder}: one holds recordings of one kind, not {' and '.join(sorted(kinds))}"
        )
    if not tape.traces and mode is Mode.NONE:
        raise UsageError(f"cassette {folder}: holds no recordings; record some with mode 'once'")
    return CassetteSource(tape, _Model(source), mode, wait)


@dataclass
class _Request:
    """A request on its way: what is asked, and the recording that answered."""

    asked: Asked
    played: Trace | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Request) and self.asked == other.asked


class _Model:
    """The source behind a cassette, loaded when it is first needed."""

    def __init__(self, origin: Origin, settings: Json | None = None) -> None:
        self._origin = origin
        self.settings = settings or {}

    @property
    def loaded(self) -> Source | None:
        """The source with its settings, if it need not be loaded first."""
        return self.get() if isinstance(self._origin, Source) else None

    def get(self) -> Source:
        if self._origin is not None and not isinstance(self._origin, Source):
            self._origin = self._origin()
        if self._origin is None:
            raise UsageError("a cassette that records needs a source to record")
        return self._origin.with_settings(self.settings) if self.settings else self._origin

    def with_settings(self, settings: Mapping[str, Any]) -> _Model:
        return _Model(self._origin, {**self.settings, **settings})


class CassetteSource(Source):
    """Plays recordings as a source. `tape` says which were used, and what was asked in vain."""

    def __init__(self, tape: Tape, model: _Model, mode: Mode, wait: bool) -> None:
        self.tape, self._model, self._mode, self._wait = tape, model, mode, wait

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        for trace in self.tape.traces.values():
            return trace["kind"]
        return self._model.get().kind

    def parse_request(self, value: object) -> _Request:
        if isinstance(value, _Request):
            return value
        request = _Request(Asked(self._payload(value), self._settings()))
        if self._mode is Mode.NONE and self.tape.find(request.asked) is None:
            raise self.tape.miss(request.asked)
        return request

    def payload(self, request: _Request) -> Json:
        return request.asked.request

    def with_settings(self, settings: Mapping[str, Any]) -> CassetteSource:
        return CassetteSource(self.tape, self._model.with_settings(settings), self._mode, self._wait)

    def describe(self) -> Description:
        """The recorded model, unless everything is recorded again."""
        for trace in self.tape.traces.values():
            if self._mode is not Mode.ALL:
                return _described(trace)
        return self._model.get().describe()

    def origin(self, request: _Request) -> Literal["live", "recorded"]:
        recorded = self._mode is not Mode.ALL and self.tape.find(request.asked) is not None
        return "recorded" if recorded else "live"

    def interpreter(self, request: _Request) -> Interpreter:
        return _Playback(self.kind, request)

    def observe(self, request: _Request, emit: Emit) -> str:
        """Emit the recorded rows, or record them first. A recorded failure raises RecordedFailure."""
        recorded = None if self._mode is Mode.ALL else self.tape.find(request.asked)
        if recorded is None:
            return self._record(request, emit)
        request.played = recorded
        return self._play(recorded, emit)

    def _play(self, trace: Trace, emit: Emit) -> str:
        started = emit.now()
        for row in trace["trace"]:
            due: float = started + row["arrival_seconds"]
            if self._wait and (early := due - emit.now()) > 0:
                emit.wait(early)
            emit(row, due)
        if "error" in trace:
            raise RecordedFailure(trace["error"]["type"], trace["error"]["message"])
        reason: str = trace["summary"]["stop_reason"]
        return reason

    def _record(self, request: _Request, emit: Emit) -> str:
        make_folder(self.tape.folder)
        path = self.tape.path_for(request.asked)
        target = Target(path, overwrite=self._mode is Mode.ALL)
        recorder = Recorder(self._model.get(), request.asked.request, target)
        started = emit.now()
        try:
            with recorder:
                for batch in recorder.batches():
                    for row in batch:
                        emit(row, started + row["arrival_seconds"])
        except Cancelled:
            path.unlink(missing_ok=True)  # half an answer would be taken for the whole one
            raise
        request.played = recorder.trace
        self.tape.add(path, recorder.trace)
        if recorder.error is not None:
            raise recorder.error
        reason: str = recorder.trace["summary"]["stop_reason"]
        return reason

    def _payload(self, value: object) -> Json:
        source = self._model.loaded
        if source is not None:
            return source.payload(accepted(source, value))
        if callable(payload := getattr(value, "payload", None)):
            value = payload()
        if not isinstance(value, dict):
            raise RequestError("", "a JSON object", type(value).__name__)
        return value

    def _settings(self) -> Json:
        source = self._model.loaded
        return {**(source.describe().settings if source is not None else {}), **self._model.settings}


class _Playback(Interpreter):
    """Rows as they were recorded, arrivals too, and the recorded summary."""

    def __init__(self, kind: Kind, request: _Request) -> None:
        super().__init__(kind)
        self._request = request

    def row(self, observation: Json, arrival_seconds: float) -> Json:  # noqa: ARG002
        return dict(observation)

    def summary(self, rows: Any, stop_reason: str) -> Json:
        played = self._request.played
        return dict(played["summary"]) if played else super().summary(rows, stop_reason)


def _described(trace: Trace) -> Description:
    environment = {key: value for key, value in trace["environment"].items() if isinstance(value, str | int)}
    return Description(trace["model"], trace["checkpoint"], trace["settings"], environment)
