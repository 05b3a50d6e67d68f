"""A trace of 100,000 rows: what loading, saving and outlining cost beside bare orjson, in time and in memory.

    python benchmarks/format.py [ROUNDS]

Each is run in turn with its baseline, so that all see the machine's same moods. Memory is the
peak of a process of its own that only loads, above what it had before; the loaded document's
share is what a process holds that parses the same bytes with bare orjson.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import orjson
from timing import interleaved, report

from tracekit.format.codec import decode, encode
from tracekit.storage.store import load, outline, save

ROWS = 100_000
RECORDINGS = Path(__file__).parents[1] / "recordings"

# Prints what loading held at its peak and what it leaves, in bytes above what was there before.
MEMORY = """
import os, pathlib, sys, orjson
from tracekit.storage.store import load
load(sys.argv[1])  # modules, schemas and their validators, on a small recording
def kept():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
def peak():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
before = kept()
how = {"load": load, "orjson": lambda path: orjson.loads(pathlib.Path(path).read_bytes())}
document = how[sys.argv[3]](sys.argv[2])
print(peak() - before, kept() - before)
"""


def loop_trace() -> dict[str, object]:
    """The shipped run of 256 loops, its rows over and over."""
    trace = orjson.loads((RECORDINGS / "pointer-long.json").read_bytes())
    return {**trace, "trace": repeated(trace["trace"], "loop", 1)}


def token_trace() -> dict[str, object]:
    """Tokens with five candidates each, shaped as a language model's."""
    top = [{"token_id": at, "text": f" word{at}", "logprob": -0.1234567 * (at + 1)} for at in range(5)]
    row = {
        "index": 0,
        "token_id": 0,
        "text": " word0",
        "logprob": -0.1234567,
        "top": top,
        "entropy": 1.2345678,
    }
    summary = {"text": " word0" * ROWS, "stop_reason": "length", "tokens": ROWS}
    trace = orjson.loads((RECORDINGS / "pointer-long.json").read_bytes())
    request = {"prompt": "one"}
    rows = repeated([{**row, "arrival_seconds": 0.0}], "index", 0)
    return {**trace, "kind": "token", "request": request, "settings": {}, "summary": summary, "trace": rows}


def repeated(rows: list[dict[str, object]], number: str, first: int) -> list[dict[str, object]]:
    """As many rows as a long trace has, each an object of its own, its arrivals going on."""
    return [
        {
            **orjson.loads(orjson.dumps(rows[at % len(rows)])),
            number: first + at,
            "arrival_seconds": at * 0.000391,
        }
        for at in range(ROWS)
    ]


def measure(kind: str, trace: dict[str, object], folder: Path, rounds: int) -> None:
    """Print the ratios for one kind of trace."""
    data, path = encode(trace), folder / f"{kind}.json"
    path.write_bytes(data)
    print(f"\n== {ROWS:,} {kind} rows, {len(data) / 1e6:.1f} MB")
    reading: dict[str, Callable[[], object]] = {
        "orjson.loads": lambda: orjson.loads(data),
        "decode, with validation": lambda: decode(data),
        "load a file, with validation": lambda: load(path),
    }
    report("Loading", interleaved(reading, rounds), "orjson.loads", {"load a file, with validation": 3})
    writing: dict[str, Callable[[], object]] = {
        "orjson.dumps": lambda: orjson.dumps(trace),
        "encode, with validation": lambda: encode(trace),
        "save a file, fsynced": lambda: save(trace, folder / f"{kind}-saved.json", overwrite=True),
    }
    report("Saving", interleaved(writing, rounds), "orjson.dumps", {"encode, with validation": 4})
    outlining: dict[str, Callable[[], object]] = {
        "load": lambda: load(path),
        "outline": lambda: outline(path),
    }
    report("Outline (tracekit info)", interleaved(outlining, rounds), "load", {"outline": 0.05})
    print_memory(path)


def print_memory(path: Path) -> None:
    """Print the peak of a process that loads, as a multiple of what the loaded document takes."""
    figures = {}
    for how in ("orjson", "load"):
        script = [sys.executable, "-c", MEMORY, str(RECORDINGS / "pointer-short.json"), str(path), how]
        ended = subprocess.run(script, capture_output=True, text=True, check=True)
        figures[how] = [int(figure) for figure in ended.stdout.split()]
    peak, document = figures["load"][0], figures["orjson"][1]
    print(
        f"\nMemory  (the loaded document: {document / 1e6:.0f} MB)\n"
        f"  load's peak                        {peak / 1e6:9.0f} MB   {peak / document:6.3f} ×"
        f"   bare orjson's: {figures['orjson'][0] / document:.3f} ×   asked: at most 3"
    )


def main() -> None:
    """Measure both kinds."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as name:
        for kind, trace in {"loop": loop_trace(), "token": token_trace()}.items():
            measure(kind, trace, Path(name), rounds)


if __name__ == "__main__":
    main()
