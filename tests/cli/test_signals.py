"""Ctrl-C, once more, where the model does not listen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import tracekit

STUCK = """
import time
import tracekit

def steps(request):
    yield "first"
    time.sleep(600)

def source():
    return tracekit.GeneratorSource("loop", steps)
"""


def test_a_second_ctrl_c_ends_a_run_whose_model_is_stuck_and_its_rows_are_kept(tmp_path):
    (tmp_path / "stuck.py").write_text(STUCK)
    (tmp_path / "request.json").write_text("{}")
    arguments = ("record", "--model", "stuck:source", "--request", "request.json", "--out", "run.json")
    process = subprocess.Popen(
        [sys.executable, "-m", "tracekit", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = tmp_path / "run.json.journal"
    while not (journal.is_file() and b'"first"' in journal.read_bytes()):
        time.sleep(0.02)

    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "Traceback" not in complaint
    trace = tracekit.load(tmp_path / "run.json")
    assert trace["status"] == "cancelled"
    assert [row["prediction"] for row in trace["trace"]] == ["first"]
