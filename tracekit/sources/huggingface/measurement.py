"""What is measured of a chosen token, and when.

Log probabilities, the best candidates and the entropy take a processor a third of a
millisecond over a vocabulary of 49,152, and more over a larger one. The model need not wait
for that: its thread keeps a token's logits, and whoever makes the token's row measures them,
on another processor while the model is at its next token.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from tracekit.sources.huggingface.distribution import Distribution

__all__ = ["Measurement", "Step"]


@dataclass(frozen=True)
class Step:
    """A chosen token, (1,), with the model's logits and those it was chosen by, (V,) each, on one device."""

    chosen: Tensor
    logits: Tensor
    scores: Tensor
    alternatives: int

    def values(self) -> list[float]:
        """Its id, its two log probabilities, and its packed distribution, in one transfer from the device."""
        own = Distribution.of(self.logits)
        by_scores = torch.log_softmax(self.scores, dim=-1)
        logprobs = own.logprobs.gather(0, self.chosen), by_scores.gather(0, self.chosen)
        packed = own.packed(self.alternatives)
        values: list[float] = torch.cat((self.chosen.float(), *logprobs, packed)).tolist()
        return values


class Measurement:
    """A step's values, made once, by whoever asks first, in any thread; its logits are then let go.

    Where the logits are not in the processor's own memory they are measured at once: there
    the device does it, and to fetch the logits themselves would take longer.
    """

    def __init__(self, step: Step) -> None:
        self._step: Step | None = None
        if step.logits.device.type == "cpu":
            self.token_id = int(step.chosen)
            self._step = replace(step, logits=step.logits.clone())  # a model may use its own again
        else:
            self._values = step.values()
            self.token_id = int(self._values[0])

    def values(self) -> list[float]:
        """As `Step.values` gives them."""
        # Two threads that ask at once both measure, and find the same.
        if (step := self._step) is not None:
            self._values = step.values()
            self._step = None
        return self._values
