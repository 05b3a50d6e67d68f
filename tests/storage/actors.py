"""Processes that a test starts, to kill them, to fill a disk with them, or to have them hold a file.

Run as `python -m tests.storage.actors NAME ARGUMENTS…`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import tracekit
from tracekit.storage.atomic import write_atomically
from tracekit.storage.store import save

ROOT = Path(__file__).parents[2]
ROW = {"token_id": 7, "text": "a", "logprob": -0.5, "top": [{"token_id": 7, "text": "a", "logprob": -0.5}]}
CLOCKS = {"perf_counter": time.perf_counter, "still": lambda: 0.0}


def source(rows: int) -> tracekit.ScriptedSource:
    """A scripted source of so many tokens, all at once."""
    return tracekit.ScriptedSource("token", tracekit.Script([ROW] * rows))


def record_and_tell(path: str, rows: str, clock: str = "perf_counter") -> None:
    """Record, and print every row's number once it has been handed on; `still` is a clock that stands."""
    options = tracekit.RunOptions(interval_seconds=0.0, queue_rows=64, clock=CLOCKS[clock])
    target = tracekit.Target(Path(path))
    with tracekit.Recorder(source(int(rows)), {}, target, options) as recorder:
        for batch in recorder.batches():
            for row in batch:
                print(row["index"], flush=True)


def hold(path: str) -> None:
    """Begin a recording, say so, and keep it open until a line comes in."""
    with tracekit.Recorder(source(3), {}, tracekit.Target(Path(path))):
        print("holding", flush=True)
        sys.stdin.readline()


def write_half(path: str, rest: str) -> None:
    """Begin to write a file, say so, and write the rest when a line comes in."""

    def chunks() -> Iterator[bytes]:
        yield b"half, "
        print("half", flush=True)
        sys.stdin.readline()
        yield rest.encode()

    write_atomically(Path(path), chunks(), overwrite=True)


def save_as_nobody(recording: str, path: str) -> None:
    """Save a copy of a recording without a privileged user's rights."""
    trace = tracekit.load(recording)
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    save(trace, path)


ACTORS = {"record": record_and_tell, "hold": hold, "half": write_half, "save": save_as_nobody}


if __name__ == "__main__":
    try:
        ACTORS[sys.argv[1]](*sys.argv[2:])
    except tracekit.TracekitError as error:
        sys.exit(f"{type(error).__name__}: {error}")
