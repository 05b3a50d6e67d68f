"""Training examples: random tables, each with several independent situations to step from.

A situation is a letter and a count of the steps that remain. What one loop must make of
it depends on the table alone, not on how the run came there, so situations are drawn
one by one and no run is ever unrolled.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from tracekit.sources.pointer.task import COUNT_DIGITS, SYMBOLS
from tracekit.sources.pointer.tokenizer import VOCABULARY

__all__ = ["Batch", "BatchShape", "count_characters", "rule_characters", "sample_batch", "state_characters"]

_LETTERS = len(SYMBOLS)
_COUNTS = 10**COUNT_DIGITS
_HARD_SHARE = 0.1
_EVERYDAY_COUNTS = 300
_SPARSE_DIGITS = 0.3


@dataclass(frozen=True)
class BatchShape:
    """How many tables, and how many situations in each."""

    tables: int
    situations: int


@dataclass(frozen=True)
class Batch:
    """Token ids, in the layout of the prompt.

    rules: (tables, 104). current and following: (tables * situations, 6), the start and
    the digits of the count before and after one step. letters: (tables * situations,),
    the index of the letter after the step. done: the same shape, 1.0 where no step remains.
    """

    rules: Tensor
    current: Tensor
    following: Tensor
    letters: Tensor
    done: Tensor


def sample_batch(shape: BatchShape, generator: Generator) -> Batch:
    """A batch drawn from the generator alone."""
    tables = _sample_tables(shape.tables, generator)
    letters = torch.randint(_LETTERS, (shape.tables, shape.situations), generator=generator)
    counts = _sample_counts((shape.tables, shape.situations), generator).flatten()
    after = tables.gather(1, letters).flatten()
    # A run that goes on after its end counts down from the largest count again.
    remaining = (counts - 1) % _COUNTS
    return Batch(
        rules=rule_characters(tables, torch.rand(tables.shape, generator=generator).argsort(dim=1)),
        current=state_characters(letters.flatten(), counts),
        following=state_characters(after, remaining),
        letters=after,
        done=(remaining == 0).float(),
    )


def rule_characters(tables: Tensor, order: Tensor) -> Tensor:
    """The rules' token ids (tables, 104), for destinations and an order of sources, (tables, 26) each."""
    rules = torch.full((*tables.shape, 4), VOCABULARY[" "])
    rules[..., 0] = order + VOCABULARY["A"]
    rules[..., 1] = VOCABULARY[">"]
    rules[..., 2] = tables.gather(1, order) + VOCABULARY["A"]
    rules[:, -1, 3] = VOCABULARY["|"]
    return rules.flatten(1)


def state_characters(letters: Tensor, counts: Tensor) -> Tensor:
    """The token ids (N, 6) of letters and counts, (N,) each."""
    return torch.cat((letters[:, None] + VOCABULARY["A"], count_characters(counts)), dim=1)


def count_characters(counts: Tensor) -> Tensor:
    """The token ids (N, 5) of the digits of counts (N,)."""
    return counts[:, None] // _powers() % 10 + VOCABULARY["0"]


def _sample_tables(count: int, generator: Generator) -> Tensor:
    # (count, 26): half functions, half permutations, and among them a share of hard tables.
    functions = torch.randint(_LETTERS, (count, _LETTERS), generator=generator)
    permutations = torch.rand((count, _LETTERS), generator=generator).argsort(dim=1)
    draw = torch.rand((count, 1), generator=generator)
    tables = torch.where(draw < 0.5, functions, permutations)
    kinds = torch.stack(_hard_tables(functions, permutations))  # (kinds, count, 26)
    kind = torch.randint(len(kinds), (count,), generator=generator)
    hard = torch.rand((count, 1), generator=generator) < _HARD_SHARE
    return torch.where(hard, kinds[kind, torch.arange(count)], tables)


def _hard_tables(functions: Tensor, permutations: Tensor) -> list[Tensor]:
    # Identity, constant, one 26-cycle, all fixed but one, 13 swaps: (count, 26) each.
    identity = torch.arange(_LETTERS).expand_as(functions)
    constant = functions[:, :1].expand_as(functions)
    cycle = torch.empty_like(permutations).scatter_(1, permutations, permutations.roll(-1, dims=1))
    one_moved = torch.where(identity == permutations[:, :1], functions, identity)
    partners = permutations.view(-1, _LETTERS // 2, 2).flip(2).flatten(1)
    swaps = torch.empty_like(permutations).scatter_(1, permutations, partners)
    return [identity, constant, cycle, one_moved, swaps]


def _sample_counts(shape: tuple[int, int], generator: Generator) -> Tensor:
    # A quarter each: any count; one that ends in zeros, where a step borrows; one after a
    # step to mostly zeros, where the end must not be seen too soon; an everyday count.
    digits = torch.randint(10, (*shape, COUNT_DIGITS), generator=generator)
    zeros = torch.randint(COUNT_DIGITS + 1, (*shape, 1), generator=generator)
    borrows = digits * (torch.arange(COUNT_DIGITS) < COUNT_DIGITS - zeros)
    sparse = digits * (torch.rand(digits.shape, generator=generator) < _SPARSE_DIGITS)
    kinds = torch.stack(
        (
            _number(digits),
            _number(borrows),
            (_number(sparse) + 1) % _COUNTS,
            torch.randint(1, _EVERYDAY_COUNTS, shape, generator=generator),
        )
    )
    kind = torch.randint(len(kinds), (1, *shape), generator=generator)
    return kinds.gather(0, kind).squeeze(0)


def _number(digits: Tensor) -> Tensor:
    return (digits * _powers()).sum(dim=-1)


def _powers() -> Tensor:
    return 10 ** torch.arange(COUNT_DIGITS - 1, -1, -1)
