"""Requests that an evaluation asks: everyday ones, hard tables, and runs far past 256 steps."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tracekit.sources.pointer.task import (
    SYMBOLS,
    PointerRequest,
    random_cycle,
    random_function,
    random_permutation,
    shuffled_pairs,
)

__all__ = ["HARD_TABLES", "everyday_request", "hard_request", "long_request"]

_LONGEST = 256


def everyday_request(random: Random) -> PointerRequest:
    """A random function or a permutation, evenly, and 1 to 256 steps."""
    table = random.choice((random_function, random_permutation))(random)
    return _request(table, random.randint(1, _LONGEST), random)


def hard_request(name: str, random: Random) -> PointerRequest:
    """A hard table of a name in HARD_TABLES, and 1 to 256 steps."""
    return _request(HARD_TABLES[name](random), random.randint(1, _LONGEST), random)


def long_request(steps: int, random: Random) -> PointerRequest:
    """A permutation, whose letters never settle, and this many steps."""
    return _request(random_permutation(random), steps, random)


def _request(table: dict[str, str], steps: int, random: Random) -> PointerRequest:
    return PointerRequest(shuffled_pairs(table, random), random.choice(SYMBOLS), steps)


def _identity(_random: Random) -> dict[str, str]:
    return dict(zip(SYMBOLS, SYMBOLS, strict=True))


def _constant(random: Random) -> dict[str, str]:
    return dict.fromkeys(SYMBOLS, random.choice(SYMBOLS))


def _one_moved(random: Random) -> dict[str, str]:
    source, destination = random.sample(SYMBOLS, 2)
    return _identity(random) | {source: destination}


def _swaps(random: Random) -> dict[str, str]:
    order = random.sample(SYMBOLS, len(SYMBOLS))
    there = dict(zip(order[::2], order[1::2], strict=True))
    return there | {destination: source for source, destination in there.items()}


HARD_TABLES: dict[str, Callable[[Random], dict[str, str]]] = {
    "identity": _identity,
    "constant": _constant,
    "one_cycle": random_cycle,
    "all_fixed_but_one": _one_moved,
    "swaps": _swaps,
}
