"""Traces by script, and changes to traces."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from tracekit import Script, ScriptedSource
from tracekit.format.types import Trace
from tracekit.regression.rerun import run_again

EVERYTHING: Any = {"status": "complete", "trace": []}


def loops(*rows: dict[str, Any], stop_reason: str = "head", request: dict[str, Any] | None = None) -> Trace:
    """A complete trace of these loops."""
    source = ScriptedSource("loop", Script(rows, stop_reason=stop_reason))
    return run_again(EVERYTHING, source, request or {})


def letter(prediction: str, *top3: float, **more: Any) -> dict[str, Any]:
    """A loop whose candidates are A, B, C, … with these probabilities, most probable first."""
    named = sorted(zip("ABCDEF", top3, strict=False), key=lambda pair: -pair[1])
    return {
        "prediction": prediction,
        "top3": [{"symbol": name, "probability": value} for name, value in named],
        **more,
    }


def tokens(*rows: dict[str, Any], stop_reason: str = "length") -> Trace:
    """A complete trace of these tokens."""
    return run_again(EVERYTHING, ScriptedSource("token", Script(rows, stop_reason=stop_reason)), {})


def token(token_id: int, logprob: float, others: Sequence[tuple[int, float]] = ()) -> dict[str, Any]:
    """A token with its log probability, and other candidates with theirs."""
    listed = sorted([(token_id, logprob), *others], key=lambda pair: -pair[1])
    top = [{"token_id": name, "text": f"<{name}>", "logprob": value} for name, value in listed]
    return {"token_id": token_id, "text": f"<{token_id}>", "logprob": logprob, "top": top}


def changed(trace: Trace, /, **members: Any) -> Trace:
    """A deep copy with these members in place of its own."""
    copied: Any = copy.deepcopy({**trace, **members})
    return copied


def failed(trace: Trace, rows: int = 1) -> Trace:
    """The same run, had its model raised after so many rows."""
    left = {**trace, "trace": trace["trace"][:rows], "status": "failed"}
    left["error"] = {"type": "RuntimeError", "message": "out of memory"}
    return changed({key: value for key, value in left.items() if key != "summary"})  # type: ignore[typeddict-item]
