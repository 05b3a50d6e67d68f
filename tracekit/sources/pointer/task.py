"""The pointer task: follow a table of 26 rules from a start letter, one rule a step.

A table says for each letter A to Z which letter comes next. From a start letter the
answer to n steps is f(f(…f(start)…)), n times. The model reads the table in the order
given, so the order of the rules is part of the request and of its prompt.

This module needs the standard library only: requests are parsed, shown and checked
where no model is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tracekit.errors import RequestError

__all__ = [
    "COUNT_DIGITS",
    "MAX_PROMPT_STEPS",
    "SYMBOLS",
    "PointerRequest",
    "execute",
    "random_cycle",
    "random_function",
    "random_permutation",
    "render_prompt",
    "shuffled_pairs",
]

SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COUNT_DIGITS = 5
MAX_PROMPT_STEPS = 10**COUNT_DIGITS - 1

_LETTER = "an upper-case letter A to Z"
_KEYS = ("mapping", "start", "steps")
_SHOWN_CHARACTERS = 60


def execute(mapping: Mapping[str, str], start: str, steps: int) -> list[str]:
    """The letters visited, [f(start), f(f(start)), …], `steps` long."""
    visited = []
    letter = start
    for _ in range(steps):
        letter = mapping[letter]
        visited.append(letter)
    return visited


def render_prompt(pairs: Sequence[Sequence[str]], start: str, steps: int) -> str:
    """The text that the model reads: `A>Q B>C … Z>M|K 00042`, always 111 characters.

    Raises RequestError when `steps` does not fit the five digits of the count.
    """
    if not 0 <= steps <= MAX_PROMPT_STEPS:
        raise RequestError("/steps", f"an integer from 0 to {MAX_PROMPT_STEPS}", str(steps))
    rules = " ".join(f"{source}>{destination}" for source, destination in pairs)
    return f"{rules}|{start} {steps:0{COUNT_DIGITS}d}"


@dataclass(frozen=True)
class PointerRequest:
    """An ordered table of 26 (source, destination) rules, a start letter, a number of steps."""

    pairs: tuple[tuple[str, str], ...]
    start: str
    steps: int

    @classmethod
    def parse(cls, value: object, *, max_steps: int = 256) -> PointerRequest:
        """The request that a JSON value describes.

        Raises RequestError, which says where in the value, what was expected and what
        was found, at the first rule that the value breaks.
        """
        mapping, start, steps = _members(value)
        pairs = _parse_pairs(mapping)
        if not _is_symbol(start):
            raise RequestError("/start", _LETTER, _shown(start))
        # bool is a subclass of int, and True must not pass for one step.
        if type(steps) is not int or not 1 <= steps <= max_steps:
            raise RequestError("/steps", f"an integer from 1 to {max_steps}", _shown(steps))
        return cls(pairs, str(start), steps)

    def payload(self) -> dict[str, object]:
        """The JSON value that `parse` reads back as this request."""
        return {"mapping": [list(pair) for pair in self.pairs], "start": self.start, "steps": self.steps}

    def prompt(self) -> str:
        """The text that the model reads for this request."""
        return render_prompt(self.pairs, self.start, self.steps)


def random_function(random: Random) -> dict[str, str]:
    """A table whose 26 destinations are drawn independently."""
    return {source: random.choice(SYMBOLS) for source in SYMBOLS}


def random_permutation(random: Random) -> dict[str, str]:
    """A table in which each letter is the destination of exactly one rule."""
    return dict(zip(SYMBOLS, random.sample(SYMBOLS, len(SYMBOLS)), strict=True))


def random_cycle(random: Random) -> dict[str, str]:
    """A table that visits all 26 letters before it comes back to the first."""
    order = random.sample(SYMBOLS, len(SYMBOLS))
    following = order[1:] + order[:1]
    return dict(zip(order, following, strict=True))


def shuffled_pairs(mapping: Mapping[str, str], random: Random) -> tuple[tuple[str, str], ...]:
    """The rules of a table in a random order, as `PointerRequest` holds them."""
    pairs = list(mapping.items())
    random.shuffle(pairs)
    return tuple(pairs)


def _members(value: object) -> tuple[object, object, object]:
    if not isinstance(value, dict):
        raise RequestError("", "an object with the keys mapping, start and steps", _shown(value))
    missing = [key for key in _KEYS if key not in value]
    if missing:
        raise RequestError("", "the keys mapping, start and steps", f"no {' and no '.join(missing)}")
    extra = [key for key in value if key not in _KEYS]
    if extra:
        raise RequestError("", "only the keys mapping, start and steps", f"also {_shown(extra[0])}")
    return value["mapping"], value["start"], value["steps"]


def _parse_pairs(mapping: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(mapping, list):
        raise RequestError("/mapping", "a list of 26 rules, one a letter", _shown(mapping))
    if len(mapping) != len(SYMBOLS):
        raise RequestError("/mapping", "26 rules, one a letter", str(len(mapping)))
    pairs = tuple(_parse_pair(rule, f"/mapping/{index}") for index, rule in enumerate(mapping))
    first_rule: dict[str, int] = {}
    for index, (source, _) in enumerate(pairs):
        if source in first_rule:
            found = f"{source!r} again, after /mapping/{first_rule[source]}"
            raise RequestError(f"/mapping/{index}/0", "each source letter once", found)
        first_rule[source] = index
    return pairs


def _parse_pair(rule: object, where: str) -> tuple[str, str]:
    if not isinstance(rule, list) or len(rule) != 2:
        raise RequestError(where, "a list of two letters, source and destination", _shown(rule))
    for index, letter in enumerate(rule):
        if not _is_symbol(letter):
            raise RequestError(f"{where}/{index}", _LETTER, _shown(letter))
    return rule[0], rule[1]


def _is_symbol(value: object) -> bool:
    # The length comes first: "" and "AB" are both `in` the string of all letters.
    return isinstance(value, str) and len(value) == 1 and value in SYMBOLS


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
