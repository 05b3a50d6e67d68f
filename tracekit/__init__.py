"""tracekit records what a streaming model did, replays it anywhere, and holds it as a golden.

    trace = tracekit.record(source, request, "run.json")     every row as it arrives
    for snapshot in tracekit.replay(trace): ...              with its recorded timing
    tracekit.compare(golden, fresh).verdict                  whether it still does the same

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracekit.errors import TracekitError as TracekitError
    from tracekit.format.codec import decode as decode
    from tracekit.format.codec import encode as encode
    from tracekit.regression.cassette import cassette as cassette
    from tracekit.regression.compare import compare as compare
    from tracekit.regression.tolerances import Tolerance as Tolerance
    from tracekit.regression.verdict import Comparison as Comparison
    from tracekit.regression.verdict import Verdict as Verdict
    from tracekit.sources.generator import GeneratorSource as GeneratorSource
    from tracekit.sources.scripted import Script as Script
    from tracekit.sources.scripted import ScriptedSource as ScriptedSource
    from tracekit.storage.recovery import recover as recover
    from tracekit.storage.store import load as load
    from tracekit.storage.store import save as save
    from tracekit.streaming.pacing import Pace as Pace
    from tracekit.streaming.recorder import Recorder as Recorder
    from tracekit.streaming.recorder import Target as Target
    from tracekit.streaming.recorder import record as record
    from tracekit.streaming.replay import replay as replay
    from tracekit.streaming.replay import replay_async as replay_async
    from tracekit.streaming.run import RunOptions as RunOptions
    from tracekit.streaming.source import Source as Source
    from tracekit.streaming.stream import stream as stream

_HOMES = {
    "Comparison": "regression.verdict",
    "GeneratorSource": "sources.generator",
    "Pace": "streaming.pacing",
    "Recorder": "streaming.recorder",
    "RunOptions": "streaming.run",
    "Script": "sources.scripted",
    "ScriptedSource": "sources.scripted",
    "Source": "streaming.source",
    "Target": "streaming.recorder",
    "Tolerance": "regression.tolerances",
    "TracekitError": "errors",
    "Verdict": "regression.verdict",
    "cassette": "regression.cassette",
    "compare": "regression.compare",
    "decode": "format.codec",
    "encode": "format.codec",
    "load": "storage.store",
    "record": "streaming.recorder",
    "recover": "storage.recovery",
    "replay": "streaming.replay",
    "replay_async": "streaming.replay",
    "save": "storage.store",
    "stream": "streaming.stream",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tracekit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"tracekit.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
