"""A cassette's recordings: which of them answers a request."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tracekit.errors import UnrecordedRequest
from tracekit.format.types import Json, Trace
from tracekit.regression.nearest import differing, nearest
from tracekit.storage.files import is_folder
from tracekit.storage.store import inside, load

__all__ = ["Asked", "Tape"]


@dataclass(frozen=True)
class Asked:
    """A request, and the settings that it must have been recorded with as far as both name them."""

    request: Json
    settings: Json = field(default_factory=dict)

    def fits(self, trace: Trace) -> bool:
        return trace["request"] == self.request and not self._other_settings(trace["settings"])

    def as_json(self, trace: Trace | None = None) -> Json:
        """What is compared to find the nearest: this, or as much of a recording."""
        if trace is None:
            return {"request": self.request, "settings": self.settings}
        settings = {key: trace["settings"].get(key, value) for key, value in self.settings.items()}
        return {"request": trace["request"], "settings": settings}

    def _other_settings(self, recorded: Mapping[str, Any]) -> list[str]:
        return [key for key, value in self.settings.items() if recorded.get(key, value) != value]


class Tape:
    """The recordings in a folder that ran to their end, complete or failed.

    `used` are those that answered, `missed` the requests that none did. Raises as `load` does.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.used: set[Path] = set()
        self.missed: list[UnrecordedRequest] = []
        traces = {path: load(path) for path in (inside(folder) if is_folder(folder) else ())}
        self.traces = {
            path: each for path, each in traces.items() if each["status"] in ("complete", "failed")
        }

    def find(self, asked: Asked) -> Trace | None:
        """The recording that answers; None if there is none."""
        for path, trace in self.traces.items():
            if asked.fits(trace):
                self.used.add(path)
                return trace
        return None

    def miss(self, asked: Asked) -> UnrecordedRequest:
        """The error for a request that none answers; it is remembered, should someone swallow it."""
        names = list(self.traces)
        at = nearest(asked.as_json(), [asked.as_json(trace) for trace in self.traces.values()])
        if at is None:
            error = UnrecordedRequest(self.folder, "", ())
        else:
            recorded = asked.as_json(self.traces[names[at]])
            error = UnrecordedRequest(self.folder, names[at].name, differing(asked.as_json(), recorded))
        self.missed.append(error)
        return error

    def path_for(self, asked: Asked) -> Path:
        """Where a new recording of it belongs: where the old one is, or a name of its content's hash."""
        for path, trace in self.traces.items():
            if asked.fits(trace):
                return path
        digest = hashlib.sha256(orjson.dumps(asked.as_json(), option=orjson.OPT_SORT_KEYS)).hexdigest()
        return self.folder / f"{digest[:16]}.json"

    def add(self, path: Path, trace: Trace) -> None:
        """Take in a recording that was just made."""
        self.traces[path] = trace
        self.used.add(path)
