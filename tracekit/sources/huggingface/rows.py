"""Measurements to rows, on the consumer's side, where they cost the model nothing."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tracekit.errors import NonFiniteOutput
from tracekit.format.numbers import shortest
from tracekit.format.types import Json
from tracekit.sources.huggingface.detokenize import Detokenizer
from tracekit.sources.huggingface.distribution import at_least, at_most, read
from tracekit.sources.huggingface.measurement import Measurement
from tracekit.streaming.source import Interpreter

__all__ = ["TokenInterpreter", "TokenObservation", "measured"]


class TokenObservation(NamedTuple):
    """A chosen token; `last` says that the text ends with it."""

    measurement: Measurement
    last: bool


class TokenInterpreter(Interpreter):
    """Makes rows of observed tokens, and text of their ids."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__("token")
        self._detokenizer = Detokenizer(tokenizer)

    def row(self, observation: TokenObservation, arrival_seconds: float) -> Json:
        """The next row; its text joins on to the rows before. Raises NonFiniteOutput."""
        token_id, logprob, sampled, *packed = observation.measurement.values()
        if not math.isfinite(packed[0]):  # the entropy is finite only where all of it is a distribution
            raise NonFiniteOutput("token", self._next, "output")
        values = measured(int(token_id), logprob, packed, self._detokenizer)
        if sampled != logprob:
            values["sampled_logprob"] = at_most(0.0, shortest([sampled])[0])
        piece = self._detokenizer.step(int(token_id), last=observation.last)
        values["text"] = piece.text
        if piece.note:
            values["note"] = piece.note
        return super().row(values, arrival_seconds)


def measured(token_id: int, logprob: float, packed: list[float], detokenizer: Detokenizer) -> Json:
    """What a model makes of a token at its place: `token_id`, `logprob`, `top` and `entropy`."""
    reading = read(packed)
    own, entropy = shortest([logprob, reading.entropy])
    return {
        "token_id": token_id,
        "logprob": at_most(0.0, own),
        "top": reading.top(detokenizer.text_of),
        "entropy": at_least(0.0, entropy),
    }
