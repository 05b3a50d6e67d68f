"""Which recorded request is closest to one that was not recorded, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tracekit.format.types import Json

__all__ = ["differing", "nearest"]

_SHOWN = 3
_WIDTH = 40


def nearest(asked: Json, recorded: Sequence[Json]) -> int | None:
    """The index of the recorded object that differs from `asked` in the fewest places."""
    wanted = dict(_leaves(asked, ""))
    distances = [len(_differing(wanted, dict(_leaves(each, "")))) for each in recorded]
    return distances.index(min(distances)) if distances else None


def differing(asked: Json, recorded: Json) -> list[str]:
    """The first places in which they differ, as JSON pointers with both values."""
    wanted, there = dict(_leaves(asked, "")), dict(_leaves(recorded, ""))
    places = _differing(wanted, there)
    told = [f"{place}: asked {_shown(wanted, place)}, recorded {_shown(there, place)}" for place in places]
    left = len(told) - _SHOWN
    return [*told[:_SHOWN], f"{left} more places"] if left > 0 else told


def _leaves(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from _leaves(member, f"{pointer}/{key}")
    elif isinstance(value, list) and value:
        for index, member in enumerate(value):
            yield from _leaves(member, f"{pointer}/{index}")
    else:
        yield pointer, value


def _differing(wanted: Json, there: Json) -> list[str]:
    places = {**wanted, **there}
    return [
        place
        for place in places
        if place not in wanted or place not in there or wanted[place] != there[place]
    ]


def _shown(values: Json, place: str) -> str:
    if place not in values:
        return "nothing"
    text = ascii(values[place])
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
