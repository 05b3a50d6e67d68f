"""Beside peers, on the same data: a run of 272 loops as our golden, as a syrupy JSON snapshot and as a
pytest-regressions data frame. Time a check, bytes in git, lines of diff for one changed row.

The peers are installed into a folder of their own, which is removed again.

    python benchmarks/peers.py [--checks 30]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import orjson

from tracekit import load, save

GOLDEN = Path(__file__).parents[1] / "recordings" / "pointer-long.json"
ROWS = 272

COMMON = """
import time
from pathlib import Path
import orjson
trace = orjson.loads(Path("trace.json").read_bytes())

def timed(check):
    for _ in range(CHECKS):
        started = time.process_time()
        check()
        with Path("seconds").open("a") as file:
            print(time.process_time() - started, file=file)
"""
TESTS = {
    "tracekit golden": """
def test_check(golden):
    timed(lambda: golden.check(trace, name="run"))
""",
    "syrupy JSON snapshot": """
from syrupy.extensions.json import JSONSnapshotExtension

def test_check(snapshot):
    def check():
        assert snapshot(name="run", extension_class=JSONSnapshotExtension) == trace
    timed(check)
""",
    "pytest-regressions data frame": """
import pandas

def test_check(dataframe_regression):
    rows = [{**{key: value for key, value in row.items() if key != "top3"},
             **{f"top3_{at}": each["probability"] for at, each in enumerate(row["top3"])}}
            for row in trace["trace"]]
    frame = pandas.DataFrame(rows)
    timed(lambda: dataframe_regression.check(frame, basename="run"))
""",
}
WRITE = {
    "tracekit golden": ["--tracekit-update=all"],
    "syrupy JSON snapshot": ["--snapshot-update"],
    "pytest-regressions data frame": ["--regen-all"],
}


def main() -> None:
    """Print a line a peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checks", type=int, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packages = Path(folder, "packages")
        install = [
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
            str(packages),
            "syrupy",
            "pytest-regressions",
            "pandas",
        ]
        subprocess.run([sys.executable, "-m", "pip", *install], check=True)
        print(f"{ROWS} rows, {arguments.checks} checks each")
        print(f"{'':32}{'a check':>10}{'bytes':>10}{'zipped':>10}{'lines of diff for one row':>28}")
        for name in TESTS:
            measure(name, Path(folder, name.split()[0]), packages, arguments.checks)


def measure(name: str, folder: Path, packages: Path, checks: int) -> None:
    """Write the peer's file, check it, then change one row and count the lines that git shows."""
    folder.mkdir()
    text = (COMMON + TESTS[name]).replace("CHECKS", str(checks))
    (folder / "test_run.py").write_text(text)
    write_trace(folder, changed=False)
    before = set(folder.rglob("*"))
    pytest(folder, packages, *WRITE[name], ok=(0, 1))
    files = [
        path for path in set(folder.rglob("*")) - before if path.is_file() and "__pycache__" not in str(path)
    ]
    files = [path for path in files if path.name != "seconds"]
    stored = b"".join(path.read_bytes() for path in files)
    (folder / "seconds").unlink()
    pytest(folder, packages)
    seconds = [float(line) for line in (folder / "seconds").read_text().split()]
    lines = diff_lines(folder, packages, name, files)
    taken = f"{statistics.median(seconds) * 1e3:.2f} ms"
    print(f"{name:32}{taken:>10}{len(stored):>10}{len(zlib.compress(stored, 6)):>10}{lines:>28}")


def diff_lines(folder: Path, packages: Path, name: str, files: list[Path]) -> int:
    """Lines that `git diff` adds and takes away once the golden is updated for one changed row."""
    kept = {path: folder / f"before{at}" for at, path in enumerate(files)}
    for path, copy in kept.items():
        shutil.copy(path, copy)
    write_trace(folder, changed=True)
    pytest(folder, packages, *WRITE[name], ok=(0, 1))
    total = 0
    for path, copy in kept.items():
        command = ["git", "diff", "--no-index", "--numstat", str(copy), str(path)]
        shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        total += int(shown[0]) + int(shown[1]) if shown else 0
    return total


def write_trace(folder: Path, *, changed: bool) -> None:
    trace = load(GOLDEN)
    rows = (trace["trace"] * 2)[:ROWS]
    trace["trace"] = [
        {**row, "loop": at, "arrival_seconds": at / 1000, "top3": [dict(each) for each in row["top3"]]}
        for at, row in enumerate(rows, 1)
    ]
    trace["inference_seconds"] = 1.0
    if changed:
        trace["trace"][100]["stop_probability"] = 0.25
    save(trace, folder / "trace.json", overwrite=True)
    orjson.loads((folder / "trace.json").read_bytes())


def pytest(folder: Path, packages: Path, *options: str, ok: tuple[int, ...] = (0,)) -> None:
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    environment.pop("CI", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in ok:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-2000:])


if __name__ == "__main__":
    main()
