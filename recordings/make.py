"""Record the pointer recordings that ship: real runs, each of which can be run again.

python recordings/make.py            writes recordings/pointer-*.json anew
"""

from __future__ import annotations

import random
from pathlib import Path

import tracekit
from tracekit.sources.pointer import (
    SYMBOLS,
    PointerRequest,
    random_cycle,
    random_function,
    random_permutation,
    shuffled_pairs,
)
from tracekit.sources.registry import LoadOptions, load_source

FOLDER = Path(__file__).parent


def request(table: dict[str, str], start: str, steps: int, seed: int) -> PointerRequest:
    """A request with the table's rules in a random order."""
    return PointerRequest(shuffled_pairs(table, random.Random(seed)), start, steps)


def fixed_point(seed: int) -> dict[str, str]:
    """A table whose every path goes down the alphabet, a few letters a step, and stays at A."""
    chance = random.Random(seed)
    return {letter: SYMBOLS[max(0, at - chance.randint(1, 3))] for at, letter in enumerate(SYMBOLS)}


def record(
    source: tracekit.Source, name: str, asked: PointerRequest, cancel_after: int | None = None
) -> None:
    """One recording; cancelled by its consumer after so many rows, if that is asked for."""
    target = tracekit.Target(FOLDER / f"pointer-{name}.json", overwrite=True)
    # Who cancels at a row has to look at every row; who does not leaves the model its interpreter.
    options = tracekit.RunOptions() if cancel_after is None else tracekit.RunOptions(interval_seconds=0)
    with tracekit.Recorder(source, asked, target, options) as recorder:
        for _ in recorder.batches():
            if cancel_after is not None and len(recorder.rows) >= cancel_after:
                break
    trace = recorder.trace
    print(recorder.path.name, trace["status"], len(trace["trace"]), "rows", trace.get("summary", {}))


def main() -> None:
    """Record them all."""
    final = load_source("pointer")
    for _ in tracekit.stream(final, request(random_cycle(random.Random(0)), "A", 256, 0)):
        pass  # the first run of a process is slower than any later one
    record(final, "short", request(random_function(random.Random(1)), "C", 12, 1))
    record(final, "long", request(random_permutation(random.Random(2)), "K", 256, 2))
    record(final, "cycle", request(random_cycle(random.Random(3)), "A", 52, 3))
    record(final, "fixed-point", request(fixed_point(4), "Z", 20, 4))
    record(final, "cancelled", request(random_permutation(random.Random(5)), "M", 200, 5), cancel_after=100)
    early = load_source("pointer", LoadOptions(checkpoint="early"))
    record(
        early.with_settings({"safety_cap": 48}),
        "errs",
        request(random_permutation(random.Random(11)), "T", 40, 11),
    )


if __name__ == "__main__":
    main()
