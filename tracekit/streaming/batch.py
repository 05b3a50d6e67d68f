"""Many requests on one loaded source, a recording each; what is done already is skipped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import orjson

from tracekit.errors import TracekitError
from tracekit.format.types import Json
from tracekit.storage.store import outline
from tracekit.streaming.recorder import Recorder, Target
from tracekit.streaming.run import RunOptions
from tracekit.streaming.source import Source, own_code

__all__ = ["Outcome", "record_many"]


@dataclass(frozen=True)
class Outcome:
    """What became of one request. `reason` says why, where it is not `recorded`."""

    number: int
    path: Path
    result: Literal["recorded", "skipped", "failed", "cancelled"]
    reason: str = ""


def record_many(
    source: Source, requests: Iterable[object], target: Target, options: RunOptions | None = None
) -> Iterator[Outcome]:
    """Record every request into the folder `target.path`; yield what became of each, in order.

    A file is named by the request's number and a hash of request, model, checkpoint and
    settings, so a second run finds what is complete and skips it, runs again what is not, and
    leaves alone what another model answered. A request that fails, in whatever way, does not
    stop the others; `options.cancel` does.
    """
    options = replace(options or RunOptions(), watched=False)
    asked = _asked_of(source)
    for number, request in enumerate(requests, 1):
        path = target.path / f"{number:04d}-{_content_hash([request, asked])}.json"
        if _is_complete(path):
            yield Outcome(number, path, "skipped", "is there already")
            continue
        outcome = _record_one(source, request, Target(path, True, target.metadata), options, number)
        yield outcome
        if outcome.result == "cancelled":
            return


def _record_one(source: Source, request: object, target: Target, options: RunOptions, number: int) -> Outcome:
    try:
        with own_code(type(source).__name__), Recorder(source, request, target, options) as recorder:
            for _ in recorder.batches():
                pass
    except TracekitError as error:
        return Outcome(number, target.path, "failed", str(error))
    if recorder.error is not None:
        return Outcome(number, target.path, "failed", f"{type(recorder.error).__name__}: {recorder.error}")
    status = recorder.tail["status"]
    return Outcome(number, target.path, "cancelled" if status == "cancelled" else "recorded")


def _asked_of(source: Source) -> Json:
    """What decides the answer, beside the request."""
    description = source.describe()
    return {
        "model": {key: value for key, value in description.model.items() if key != "device"},
        "checkpoint": description.checkpoint,
        "settings": description.settings,
    }


def _content_hash(value: object) -> str:
    try:
        content = orjson.dumps(value, repr, orjson.OPT_SORT_KEYS)
    except TypeError:  # nested more deeply than a recording can hold: its run will fail, and say so
        content = repr(value).encode(errors="backslashreplace")
    return hashlib.sha256(content).hexdigest()[:12]


def _is_complete(path: Path) -> bool:
    try:
        return bool(outline(path).document["status"] == "complete")
    except TracekitError:
        return False
