"""Runs for the player's tests: made by scripts, recorded by the recorder, at exact times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tracekit

WORDS = (
    "The",
    "river",
    "does",
    "not",
    "hurry",
    ",",
    "yet",
    "it",
    "arrives",
    ".",
    "At",
    "every",
    "bend",
    "it",
    "weighs",
)


class Stamped(tracekit.ScriptedSource):
    """Its script at once, each row stamped with its time, so that a long run takes no time to record."""

    def observe(self, request: Any, emit: Any) -> str:
        started = emit.now()
        for row, at in zip(self.script.rows, self.script.times, strict=True):
            emit(row, started + at)
        if self.script.error is not None:
            raise self.script.error
        return self.script.stop_reason


def record(source: tracekit.ScriptedSource, path: Path, request: Mapping[str, Any] | None = None) -> Path:
    """Record a stamped source as `path`; a run that fails leaves its recording too."""
    options = tracekit.RunOptions(clock=lambda: 0.0)
    recorder = tracekit.Recorder(source, dict(request or {}), tracekit.Target(path), options)
    with recorder:
        for _ in recorder.batches():
            pass
    return path


def token(text: str, probability: float = 0.5, others: Sequence[str] = ()) -> dict[str, Any]:
    """A token row: the token itself, then the others, each half as probable as the one before."""
    texts = [text, *others]
    chances = [probability / 2**place for place in range(len(texts))]
    top = [
        {"token_id": place, "text": one, "logprob": math.log(chance)}
        for place, (one, chance) in enumerate(zip(texts, chances, strict=True))
    ]
    return {
        "token_id": 0,
        "text": text,
        "logprob": math.log(probability),
        "top": top,
        "entropy": 1 - probability,
    }


def sentence(count: int = 18, seconds: float = 0.6) -> tracekit.ScriptedSource:
    """So many words, the first after a fifth of the time, the last at its end."""
    rows = [
        token((" " if at else "") + WORDS[at % len(WORDS)], 0.2 + 0.79 * abs(math.sin(at)), (" a", " sea"))
        for at in range(count)
    ]
    times = [seconds * (0.2 + 0.8 * at / (count - 1)) for at in range(count)]
    return Stamped("token", tracekit.Script(rows, times, "eos"), name="small-lm")


def looped(count: int = 24) -> tracekit.ScriptedSource:
    """A looped language model that makes up its mind: rows without a table, but with curves."""
    rows = [_looped_row(at / count) for at in range(count)]
    times = [0.03 * (at + 1) for at in range(count)]
    return Stamped("loop", tracekit.Script(rows, times, "cap"), name="looped-lm")


def failing(message: str) -> tracekit.ScriptedSource:
    """Three tokens in 0.3 s, then an error."""
    rows, times = [token("a"), token("b"), token("c")], [0.1, 0.2, 0.3]
    return Stamped("token", tracekit.Script(rows, times, error=RuntimeError(message)))


def _looped_row(part: float) -> dict[str, Any]:
    texts = [" Paris", " London", " Rome", " the"]
    weights = [math.exp(4 * part), 1.0, 0.7 + part, 0.4]
    top = [
        {"token_id": place, "text": text, "logprob": math.log(weight / sum(weights))}
        for place, (text, weight) in enumerate(zip(texts, weights, strict=True))
    ]
    return {
        "prediction": " Paris",
        "token_id": 0,
        "top": sorted(top, key=lambda one: -float(str(one["logprob"]))),
        "entropy": 1.2 - part,
        "kl": 0.4 * (1 - part) ** 2,
        "cosine": 1 - 0.3 * (1 - part) ** 2,
    }
