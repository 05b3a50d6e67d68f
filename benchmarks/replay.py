"""How exactly a replay keeps the recorded times: in Python, in a terminal, beside `asciinema play`.

    python benchmarks/replay.py          asciinema from its own package, if it is installed

The error of a row is when it was shown, less when it was recorded, both counted from the
first row, so that what a process needs to start does not count. The browser's error is in
benchmarks/player.py, measured by the player itself.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import tracekit
from tracekit.streaming.summary import percentile

ROWS, SECONDS = 200, 4.0
TOKEN = {"token_id": 1, "text": "x", "logprob": -0.1, "top": []}
ROUNDS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording, cast = Path(folder) / "run.json", Path(folder) / "run.cast"
        times = [SECONDS * at / ROWS for at in range(ROWS)]
        source = tracekit.ScriptedSource("token", tracekit.Script([TOKEN] * ROWS, times))
        trace = tracekit.record(source, {}, recording)
        due = [row["arrival_seconds"] for row in trace["trace"]]
        write_cast(cast, due)
        contestants = {
            "tracekit.replay, in Python": lambda: python(trace),
            "tracekit replay, in a terminal": lambda: terminal(
                [sys.executable, "-m", "tracekit", "replay", "--json", str(recording)]
            ),
        }
        if player := shutil.which("asciinema", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"):
            contestants["asciinema play"] = lambda: terminal([player, "play", str(cast)])
        compare(contestants, due)


def compare(contestants: dict[str, object], due: list[float]) -> None:
    """Every contestant in turn, so that all see the machine's same moods; errors in milliseconds."""
    errors: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, contestant in contestants.items():
            shown = contestant()  # type: ignore[operator]
            errors[name] += [
                (at - shown[0] - (row - due[0])) * 1e3 for at, row in zip(shown, due, strict=True)
            ]
    print(f"Timing error of {len(due)} rows over {SECONDS:g} s, {ROUNDS} rounds in turn, in ms")
    for name, found in errors.items():
        absolute = [abs(error) for error in found]
        median, tail = statistics.median(absolute), percentile(absolute, 99)
        print(f"  {name:<32} median {median:7.3f}   99th percentile {tail:8.3f}")


def python(trace: tracekit.format.types.Trace) -> list[float]:
    """When each row came out of the iterator."""
    snapshots = tracekit.replay(trace)
    return [time.perf_counter() for _ in snapshots][:ROWS]


def terminal(command: list[str]) -> list[float]:
    """When each line came out of a process that writes to a terminal of its own."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, preexec_fn=lambda: os.login_tty(follower))
    os.close(follower)
    shown = list(arrivals(leader))
    process.wait()
    os.close(leader)
    return shown[:ROWS]


def arrivals(leader: int) -> Iterator[float]:
    """A moment for each line read from a terminal."""
    while True:
        try:
            data = os.read(leader, 1 << 16)
        except OSError:  # the other end has closed
            return
        now = time.perf_counter()
        yield from [now] * data.count(b"\n")


def write_cast(path: Path, due: list[float]) -> None:
    """The same timeline as an asciicast of version 2, which the packaged player reads."""
    events = [json.dumps([at, "o", f"row {index}\r\n"]) for index, at in enumerate(due)]
    path.write_text("\n".join([json.dumps({"version": 2, "width": 80, "height": 24}), *events]) + "\n")


if __name__ == "__main__":
    main()
