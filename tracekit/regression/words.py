"""A comparison for a terminal, and as JSON.

Texts of a trace are shown as Python writes them, so that a terminal obeys none of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tracekit.format.types import Json
from tracekit.regression.tolerances import FORCED_KEYS
from tracekit.regression.verdict import ABSENT, Comparison, Difference, Verdict
from tracekit.terminal import printable

__all__ = ["headline", "report", "sentence", "to_json", "tolerance_lines"]

_WORST = 10
_WIDTH = 40
_PHRASES = {
    Verdict.IDENTICAL: "identical",
    Verdict.WITHIN_TOLERANCE: "within tolerance",
    Verdict.NEAR_TIE: "a near-tie flipped",
    Verdict.DIFFERENT: "different",
}


def headline(comparison: Comparison) -> str:
    """The verdict and what changed first, in one line."""
    phrase = _PHRASES[comparison.verdict]
    if comparison.first is None:
        return f"{phrase}: {comparison.compared} {comparison.unit}s"
    left = f"; {comparison.not_compared} rows not compared" if comparison.not_compared else ""
    return f"{phrase}: {sentence(comparison.first, comparison.unit)}{left}"


def sentence(difference: Difference, unit: str) -> str:
    """One difference: where, what it is now, what it was, by how much."""
    where = "" if difference.row is None else f"{unit} {difference.row}: "
    fresh, golden = _shown(difference.fresh), _shown(difference.golden)
    text = f"{where}{printable(difference.field, _WIDTH)} is {fresh}, was {golden}"
    if difference.delta is None or difference.allowed is None:
        return text
    return f"{text} (off by {difference.delta:.3g}, allowed {difference.allowed:.3g})"


def report(comparison: Comparison) -> str:
    """The first difference in a sentence, a table of the worst, counts by field, whose tolerance held."""
    parts = [headline(comparison)]
    if comparison.differences:
        parts += ["", *_table(comparison), "", *_count_lines(comparison)]
    if comparison.not_compared:
        rest = f"{comparison.not_compared} rows not compared: they follow a token that differs"
        parts += ["", f"{rest}, so they continue another text"]
    if comparison.differences and comparison.provenance:
        parts += ["", "also differs, and is often the reason:"]
        parts += [
            f"  {printable(each.field, _WIDTH)}: {_shown(each.fresh)}, was {_shown(each.golden)}"
            for each in comparison.provenance
        ]
    return "\n".join([*parts, "", *comparison.notes, *tolerance_lines(comparison)])


def tolerance_lines(comparison: Comparison) -> list[str]:
    """Which tolerances held, and who said so, a line an origin; without those of the other way to check."""
    numbers, origins = comparison.tolerance.numbers(), comparison.tolerance.origins
    used = FORCED_KEYS if comparison.forced else set(numbers) - FORCED_KEYS
    named = sorted((key for key in numbers if key in used), key=lambda key: origins.get(key, "given"))
    return [
        f"tolerance ({printable(origin)}): " + ", ".join(f"{key} {numbers[key]:g}" for key in keys)
        for origin, keys in groupby(named, key=lambda key: origins.get(key, "given"))
    ]


def to_json(comparison: Comparison) -> Json:
    """The comparison as a JSON object. A number that JSON cannot hold is null."""
    tolerance = comparison.tolerance
    return {
        "verdict": comparison.verdict.value,
        "headline": headline(comparison),
        "differences": [_difference_json(each) for each in comparison.differences],
        "counts": {name: counts._asdict() for name, counts in comparison.counts.items()},
        "rows": {"compared": comparison.compared, "not_compared": comparison.not_compared},
        "provenance": [_difference_json(each) for each in comparison.provenance],
        "tolerance": {
            key: {"value": value, "from": tolerance.origins.get(key, "given")}
            for key, value in tolerance.numbers().items()
        },
        "notes": list(comparison.notes),
    }


def _difference_json(difference: Difference) -> Json:
    values = difference._asdict() | {"outcome": difference.outcome.value}
    return {key: value for key, value in values.items() if value is not ABSENT}


def _table(comparison: Comparison) -> list[str]:
    worst = _worst(comparison)
    rows: list[tuple[str, ...]] = [(comparison.unit, "field", "golden", "fresh", "delta", "allowed", "")]
    rows += [_cells(each) for each in worst]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    left = len(comparison.differences) - len(worst)
    return lines + ([f"… and {left} more"] if left else [])


def _worst(comparison: Comparison) -> Sequence[Difference]:
    """What counts most, in the order of the run: by outcome, then by how far beyond what is allowed."""
    rank = list(Verdict).index

    def weight(difference: Difference) -> tuple[int, float]:
        delta, allowed = difference.delta, difference.allowed
        if delta is None or allowed is None or math.isnan(delta):
            return rank(difference.outcome), math.inf
        return rank(difference.outcome), delta / allowed if allowed else math.inf

    ordered = sorted(enumerate(comparison.differences), key=lambda item: weight(item[1]), reverse=True)
    return [difference for _, difference in sorted(ordered[:_WORST], key=lambda item: item[0])]


def _cells(difference: Difference) -> tuple[str, ...]:
    numbers = (difference.delta, difference.allowed)
    return (
        "" if difference.row is None else str(difference.row),
        printable(difference.field, _WIDTH),
        _shown(difference.golden),
        _shown(difference.fresh),
        *("" if number is None else f"{number:.3g}" for number in numbers),
        _PHRASES[difference.outcome],
    )


def _count_lines(comparison: Comparison) -> list[str]:
    lines = []
    for name, counts in comparison.counts.items():
        said = [f"{count} {key.replace('_', ' ')}" for key, count in counts._asdict().items() if count]
        lines.append(f"{printable(name, _WIDTH)}: {', '.join(said)}")
    return lines


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    text = f"{value:.9g}" if isinstance(value, float) and value % 1 else ascii(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
