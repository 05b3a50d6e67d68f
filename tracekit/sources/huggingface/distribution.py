"""What a vector of logits says: log probabilities, the best candidates, entropy. All in nats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tracekit.format.numbers import shortest
from tracekit.format.types import Json

__all__ = ["Distribution", "Reading", "at_least", "at_most", "read"]

_LOWEST = -1e30


@dataclass(frozen=True)
class Distribution:
    """The softmax of logits, still on the model's device: `logprobs` is (V,) in float32."""

    logprobs: Tensor

    @classmethod
    def of(cls, logits: Tensor) -> Distribution:
        """Of logits (V,)."""
        return cls(torch.log_softmax(logits.float(), dim=-1))

    def entropy(self) -> Tensor:
        """`-sum p ln p`, a scalar; a token of probability 0 counts as 0, as the limit says."""
        # torch.special.entr says the same, and takes four times as long; softmax is the same as exp
        # here, and takes half as long. Finite, so that 0 times it is 0.
        return -(self.logprobs.softmax(dim=-1) @ self.logprobs.clamp_min(_LOWEST))

    def packed(self, count: int) -> Tensor:
        """Entropy, then the `count` best log probabilities, then their ids: (1 + 2 count,).

        One tensor, because each transfer from a device waits for all that runs there.
        float32 holds every id below 2^24 exactly.
        """
        values, ids = self.logprobs.topk(min(count, len(self.logprobs)))
        return torch.cat((self.entropy().view(1), values, ids.float()))


@dataclass(frozen=True)
class Reading:
    """A distribution's entropy and best candidates (id, log probability), as they came over."""

    entropy: float
    candidates: tuple[tuple[int, float], ...]

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.entropy)

    def top(self, text_of: Callable[[int], str]) -> list[Json]:
        """A row's `top`: most probable first, equal ones by id; without those of probability 0."""
        ranked = sorted(self.candidates, key=lambda candidate: (-candidate[1], candidate[0]))
        possible = [candidate for candidate in ranked if math.isfinite(candidate[1])]
        logprobs = shortest([logprob for _, logprob in possible])
        return [
            {"token_id": token_id, "text": text_of(token_id), "logprob": at_most(0.0, logprob)}
            for (token_id, _), logprob in zip(possible, logprobs, strict=True)
        ]


def read(packed: Sequence[float]) -> Reading:
    """What `Distribution.packed` packed."""
    entropy, *candidates = packed
    half = len(candidates) // 2
    ids = map(int, candidates[half:])
    return Reading(entropy, tuple(zip(ids, candidates[:half], strict=True)))


def at_most(limit: float, value: float) -> float:
    """The value, or the limit that rounding has carried it beyond; never a negative zero."""
    return limit if value >= limit else value


def at_least(limit: float, value: float) -> float:
    """The value, or the limit that rounding has carried it below; never a negative zero."""
    return limit if value <= limit else value
