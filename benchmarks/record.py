"""What recording costs the pointer model, and what it costs to start.

    python benchmarks/record.py [ROUNDS]

The floor is the same forward with a callback that does nothing. The reference's way of
streaming is written out below: a queue without bound, a transfer for every number, the
whole run so far in every snapshot.
"""

from __future__ import annotations

import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import torch
from timing import interleaved, report

import tracekit
from tracekit.sources.pointer import SYMBOLS, PointerRequest, random_cycle, shuffled_pairs
from tracekit.sources.registry import load_source

LOOPS = 272


def main() -> None:
    source = load_source("pointer").with_settings({"threshold": 1.0, "safety_cap": LOOPS})
    chance = random.Random(0)
    request = PointerRequest(shuffled_pairs(random_cycle(chance), chance), "A", 256)
    with tempfile.TemporaryDirectory() as folder:
        record(source, request, Path(folder))
        start(Path(folder))


def record(source: Any, request: PointerRequest, folder: Path) -> None:
    """Everything on (rows, journal, final validated file) against the floor and the reference."""
    target = tracekit.Target(folder)  # a new file a run, as `tracekit record` makes
    contestants = {
        "forward, callback does nothing": lambda: forward(source, request, lambda *_: None),
        "tracekit.record, everything on": lambda: tracekit.record(source, request, target),
        "the reference's way of streaming": lambda: reference(source, request),
    }
    took = interleaved(contestants, rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    floor = "forward, callback does nothing"
    report(f"Recording {LOOPS} loops", took, floor, {"tracekit.record, everything on": 1.05})
    two = {name: took[name] for name in took if name != floor}
    report(
        "Against the reference",
        two,
        "the reference's way of streaming",
        {"tracekit.record, everything on": 1.0},
    )


def forward(source: Any, request: PointerRequest, callback: Any) -> Any:
    encoded = source.tokenizer(request.prompt(), add_special_tokens=False, return_tensors="pt")
    with torch.inference_mode():
        return source.model(
            input_ids=encoded["input_ids"],
            attention_mask=encoded["attention_mask"],
            num_loops=LOOPS,
            completion_threshold=1.0,
            readout_token_ids=source.spec["token_ids"],
            loop_callback=callback,
        )


def reference(source: Any, request: PointerRequest) -> list[dict[str, Any]]:
    """Snapshots as the reference makes them: every number fetched on its own, every view copied."""
    channel: queue.Queue[Any] = queue.Queue()
    started = time.perf_counter()

    def observe(loop: int, scores: Any, stop_logits: Any, state_logits: Any) -> None:
        row = scores[0].float().cpu()
        finite = bool(torch.isfinite(row).all())
        best, probabilities = row.topk(3), row.softmax(-1)
        channel.put(
            {
                "loop": loop,
                "prediction": SYMBOLS[int(row.argmax())],
                "direct_prediction": SYMBOLS[int(state_logits[0].argmax())],
                "stop_probability": float(stop_logits.sigmoid().item()),
                "top3": [
                    {"symbol": SYMBOLS[i], "probability": float(probabilities[i])}
                    for i in best.indices.tolist()
                ],
                "arrival_seconds": time.perf_counter() - started,
                "finite": finite,
            }
        )

    def work() -> None:
        forward(source, request, observe)
        channel.put(None)

    worker = threading.Thread(target=work)
    worker.start()
    rows: list[dict[str, Any]] = []
    snapshots = []
    while (row := channel.get()) is not None:
        rows.append(row)
        snapshots.append({"status": "streaming", "trace": list(rows)})
    worker.join()
    return snapshots


def start(folder: Path) -> None:
    """Whole processes: how long until there is an answer."""
    python = sys.executable
    recording = next(folder.glob("run-*.json"))  # one of those that were recorded above

    def process(*command: str) -> Any:
        return lambda: subprocess.run([python, *command], check=True, capture_output=True, cwd=folder)

    contestants = {
        "python -c 'import click'": process("-c", "import click"),
        "tracekit --help": process("-m", "tracekit", "--help"),
        "tracekit validate, 272 rows": process("-m", "tracekit", "validate", str(recording)),
    }
    bounds = {"tracekit --help": 3.0, "tracekit validate, 272 rows": 4.0}
    report("Starting", interleaved(contestants, rounds=11), "python -c 'import click'", bounds)
    command = ("-m", "tracekit", "record", "--steps", "24", "--out", "again.json", "--overwrite", "-q")
    heavy = {"python -c 'import torch'": process("-c", "import torch"), "tracekit record": process(*command)}
    took = interleaved(heavy, rounds=7)
    inference = tracekit.load(folder / "again.json")["inference_seconds"]
    took["tracekit record, less inference"] = [seconds - inference for seconds in took.pop("tracekit record")]
    report(
        "Recording from the shell",
        took,
        "python -c 'import torch'",
        {"tracekit record, less inference": 1.5},
    )


if __name__ == "__main__":
    main()
