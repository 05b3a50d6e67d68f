"""500 seeded changes to a real golden: no harmless one fails, no harmful one passes."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import Any

import pytest

from tests.regression.traces import changed
from tracekit import Verdict, compare
from tracekit.format.types import Trace
from tracekit.regression.tolerances import default_tolerance

SEEDS = range(50)


def other_letter(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    row = chance.choice(fresh["trace"])
    row["prediction"] = chance.choice([each for each in string.ascii_uppercase if each != row["prediction"]])


def beyond_tolerance(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    move(golden, fresh, chance, chance.uniform(1.01, 50.0))


def within_tolerance(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    move(golden, fresh, chance, chance.uniform(0.05, 0.99))


def dropped_row(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    del fresh["trace"][chance.randrange(len(fresh["trace"]))]
    renumber(fresh)


def doubled_row(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    at = chance.randrange(len(fresh["trace"]))
    fresh["trace"].insert(at, dict(fresh["trace"][at]))
    renumber(fresh)


def swapped_rows(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    rows = fresh["trace"]
    first, second = chance.sample(range(len(rows)), 2)
    rows[first], rows[second] = rows[second], rows[first]
    renumber(fresh)


def one_loop_late(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    late = {**fresh["trace"][-1], "prediction": chance.choice(string.ascii_uppercase)}
    fresh["trace"].append(late)
    fresh["summary"] |= {"executed_loops": len(fresh["trace"]), "exact_stop": False}
    renumber(fresh)


def near_equals_swapped(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    at = chance.randrange(len(golden["trace"]))
    second, third = golden["trace"][at]["top3"][1:]
    third["probability"] = second["probability"] * (1 - chance.uniform(0.0, 4e-4))
    fresh["trace"][at]["top3"][1:] = [
        {"symbol": third["symbol"], "probability": second["probability"]},
        {"symbol": second["symbol"], "probability": third["probability"]},
    ]


def another_request(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    rule = chance.choice(fresh["request"]["mapping"])
    rule[1] = chance.choice([each for each in string.ascii_uppercase if each != rule[1]])


def another_day(golden: Trace, fresh: Trace, chance: random.Random) -> None:
    pause = chance.uniform(0.0, 2.0)
    for row in fresh["trace"]:
        row["arrival_seconds"] += pause
    fresh["inference_seconds"] += pause
    fresh["created_at"] = f"2031-01-{chance.randint(10, 28)}T00:00:00.000Z"
    fresh["environment"]["cpu"] = f"another {chance.random()}"


def move(golden: Trace, fresh: Trace, chance: random.Random, share: float) -> None:
    """Move one probability by a share of what it may."""
    bound = default_tolerance(golden).probability
    row = chance.choice(fresh["trace"])
    holder, key = chance.choice([(row, "stop_probability"), *((each, "probability") for each in row["top3"])])
    down = holder[key] + share * bound.allowed(holder[key]) > 1
    holder[key] += share * bound.allowed(holder[key]) * (-1 if down else 1)


def renumber(trace: Trace) -> None:
    trace["trace"] = [{**row, "loop": at} for at, row in enumerate(trace["trace"], 1)]


@pytest.mark.parametrize(
    ("mutate", "verdict"),
    [
        (other_letter, Verdict.DIFFERENT),
        (beyond_tolerance, Verdict.DIFFERENT),
        (within_tolerance, Verdict.WITHIN_TOLERANCE),
        (dropped_row, Verdict.DIFFERENT),
        (doubled_row, Verdict.DIFFERENT),
        (swapped_rows, Verdict.DIFFERENT),
        (one_loop_late, Verdict.DIFFERENT),
        (near_equals_swapped, Verdict.WITHIN_TOLERANCE),
        (another_request, Verdict.DIFFERENT),
        (another_day, Verdict.IDENTICAL),
    ],
)
def test_every_verdict_on_a_seeded_change_is_right(
    cycle: Trace, mutate: Callable[[Any, Any, random.Random], None], verdict: Verdict
) -> None:
    verdicts = []
    for seed in SEEDS:
        golden, fresh = changed(cycle), changed(cycle)
        mutate(golden, fresh, random.Random(f"{mutate.__name__} {seed}"))
        verdicts.append(compare(golden, fresh).verdict)

    assert verdicts == [verdict] * len(SEEDS)
