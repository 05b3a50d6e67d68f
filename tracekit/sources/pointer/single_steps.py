"""One loop checked against the code it should reach, for every count there is.

When the code after one loop is exactly the code that the prelude gives to the next
situation, for every situation, then every run is right at every length: the state
between loops is that code and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import torch
from torch import Generator, Tensor

from tracekit.sources.pointer.batches import rule_characters, state_characters
from tracekit.sources.pointer.model import LoopedTransformer, Memory, signs
from tracekit.sources.pointer.task import COUNT_DIGITS, SYMBOLS

__all__ = ["SingleSteps", "check_single_steps"]

_CHUNK = 2000
_COUNTS = 10**COUNT_DIGITS


class SingleSteps(TypedDict):
    """How many situations were stepped from, how many steps went wrong, and the least margin."""

    situations: int
    pointer_errors: int
    count_errors: int
    stop_errors: int
    smallest_margin: float


@dataclass(frozen=True)
class _Findings:
    """wrong pointers, wrong counts and wrong stops, (N,) each, and the margins (N,)."""

    pointer: Tensor
    count: Tensor
    stop: Tensor
    margin: Tensor


def check_single_steps(model: LoopedTransformer, situations: int, seed: int) -> SingleSteps:
    """Errors among single steps: each with its own random table, letter and rule order.

    The counts go through 0, 1, 2, … so that 100,000 situations meet every count once.
    `smallest_margin` is the least distance of any bit from its sign's edge, in the units
    of the bits before their signs; below 0 is an error.
    """
    generator = Generator().manual_seed(seed)
    firsts = range(0, situations, _CHUNK)
    with torch.inference_mode():
        chunks = [
            _check(model, torch.arange(first, min(first + _CHUNK, situations)) % _COUNTS, generator)
            for first in firsts
        ]
    return SingleSteps(
        situations=situations,
        pointer_errors=sum(int(chunk.pointer.sum()) for chunk in chunks),
        count_errors=sum(int(chunk.count.sum()) for chunk in chunks),
        stop_errors=sum(int(chunk.stop.sum()) for chunk in chunks),
        smallest_margin=min((float(chunk.margin.min()) for chunk in chunks), default=0.0),
    )


def _check(model: LoopedTransformer, counts: Tensor, generator: Generator) -> _Findings:
    device = next(model.parameters()).device
    shape = (len(counts), len(SYMBOLS))
    tables = torch.randint(len(SYMBOLS), shape, generator=generator)
    letters = torch.randint(len(SYMBOLS), (len(counts),), generator=generator)
    rules = rule_characters(tables, torch.rand(shape, generator=generator).argsort(dim=1))
    after = tables.gather(1, letters[:, None]).squeeze(1)
    remaining = (counts - 1) % _COUNTS
    memory: Memory = model.remember(rules.to(device))
    code = signs(model.encode_characters(state_characters(letters, counts).to(device)))
    target = signs(model.encode_characters(state_characters(after, remaining).to(device)))
    _, bits = model.step(code, memory)
    wrong = (signs(bits) != target).any(dim=2)  # (N, S)
    stops = model.complete(signs(bits)) >= 0
    return _Findings(
        pointer=wrong[:, 0].cpu(),
        count=wrong[:, 1:].any(dim=1).cpu(),
        stop=stops.cpu() != (remaining == 0),
        margin=(bits * target).flatten(1).amin(dim=1).cpu(),
    )
