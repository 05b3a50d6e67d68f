"""What comparing costs: two traces of 100,000 rows in memory, against parsing one of them.

The rows are those of a shipped recording, over and over. Asked: at most 1 × the parse.

    python benchmarks/compare.py [--rows 100000] [--rounds 7]
"""

from __future__ import annotations

import argparse
import gc
import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from tracekit import compare, load

GOLDEN = Path(__file__).parents[1] / "recordings" / "pointer-long.json"


def main() -> None:
    """Print each comparison's processor time as a ratio of one parse; medians of interleaved rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    data = orjson.dumps(long_trace(arguments.rows))
    golden = orjson.loads(data)
    ways: dict[str, Callable[[], Any]] = {"parse one (orjson.loads)": lambda: orjson.loads(data)}
    for name, change in CHANGES.items():
        fresh = orjson.loads(data)
        change(fresh["trace"])
        ways[f"compare, {name}"] = lambda fresh=fresh: compare(golden, fresh)  # type: ignore[misc]
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _, (name, way) in itertools.product(range(arguments.rounds), ways.items()):
        gc.collect()
        started = time.process_time()
        way()
        seconds[name].append(time.process_time() - started)
    baseline = statistics.median(seconds["parse one (orjson.loads)"])
    print(f"{arguments.rows} rows, {len(data) / 1e6:.1f} MB, median of {arguments.rounds}")
    for name, taken in seconds.items():
        median = statistics.median(taken)
        print(f"{name:45} {median * 1e3:8.1f} ms  {median / baseline:5.2f} ×")


def long_trace(rows: int) -> dict[str, Any]:
    """The recording with its rows repeated."""
    trace: dict[str, Any] = {**load(GOLDEN)}
    repeated = itertools.islice(itertools.cycle(trace["trace"]), rows)
    trace["trace"] = [{**row, "loop": at} for at, row in enumerate(repeated, 1)]
    return trace


def other_times(rows: list[Any]) -> None:
    for row in rows:
        row["arrival_seconds"] += 0.5


def one_letter(rows: list[Any]) -> None:
    other_times(rows)
    rows[-1]["prediction"] = "?"


def noise_everywhere(rows: list[Any]) -> None:
    other_times(rows)
    for row in rows:
        row["stop_probability"] *= 1 - 1e-6
        for each in row["top3"]:
            each["probability"] *= 1 - 1e-6


CHANGES = {
    "equal but for the times": other_times,
    "the last letter differs": one_letter,
    "every probability moved within tolerance": noise_everywhere,
}

if __name__ == "__main__":
    main()
