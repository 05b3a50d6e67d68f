"""What the pytest plugin costs those who do not use it: 1,000 trivial tests, with it and without.

Asked: at most 2 % more. Also: how long importing it takes, and that it brings in no torch.

    python benchmarks/plugin.py [--tests 1000] [--rounds 15]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

IMPORT = """
import sys, time
import pytest
started = time.perf_counter()
import tracekit.pytest_plugin
print(time.perf_counter() - started, "torch" in sys.modules)
"""


def main() -> None:
    """Print the ratio of user and system time, which other processes disturb less than the clock's."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tests = "\n".join(f"def test_{at}():\n    assert {at} + 1 > {at}\n" for at in range(arguments.tests))
        Path(folder, "test_trivial.py").write_text(tests)
        run(folder, "-p", "no:tracekit")
        ratios, without, with_it = [], [], []
        for _ in range(arguments.rounds):
            without.append(run(folder, "-p", "no:tracekit"))
            with_it.append(run(folder))
            ratios.append(with_it[-1] / without[-1])
    print(f"{arguments.tests} trivial tests, processor seconds, median of {arguments.rounds}")
    print(f"without the plugin  {statistics.median(without):.3f} s")
    print(f"with it             {statistics.median(with_it):.3f} s")
    print(f"with it costs {100 * (statistics.median(ratios) - 1):+.2f} % (pairwise median)")
    imports = [
        subprocess.run(
            [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(arguments.rounds)
    ]
    seconds = statistics.median(float(taken) for taken, _ in imports)
    print(f"importing it: {seconds * 1e3:.1f} ms, torch imported: {imports[0][1]}")


def run(folder: str, *options: str) -> float:
    """Processor seconds of one pytest run."""
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    before = os.times()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment, cwd=folder)
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)


if __name__ == "__main__":
    main()
