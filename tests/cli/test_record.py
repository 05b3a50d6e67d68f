"""`tracekit record`."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tracekit
from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS, lines

RULES = json.loads((RECORDINGS / "pointer-short.json").read_text())["request"]


def start(tmp_path, *arguments, **options):
    command = [sys.executable, "-u", "-m", "tracekit", "record", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    return subprocess.Popen(command, **{**pipes, **options})


def own_source(tmp_path, body):
    """A module with a factory `make`, and the environment that finds it."""
    (tmp_path / "own.py").write_text(
        "import tracekit\n"
        "T = {'token_id': 1, 'text': 'a', 'logprob': -1.0, 'top': []}\n"
        "class Own(tracekit.Source):\n"
        "    kind = 'token'\n"
        "    def observe(self, request, emit):\n"
        + "".join(f"        {line}\n" for line in body)
        + "make = Own\n"
    )
    (tmp_path / "request.json").write_text("{}")
    return {**os.environ}


ENDLESS = ("while True:", "    emit(T)", "    emit.wait(0.002)")


def test_without_arguments_a_new_file_in_recordings(tk, tmp_path):
    result = tk("record")

    path = tmp_path / lines(result.out)[-1]
    trace = tracekit.load(path)
    assert result.code == 0
    assert path.parent == tmp_path / "recordings"
    assert trace["request"]["steps"] == 24
    assert len(trace["trace"]) == 24
    assert lines(result.out)[-2].startswith("24 loops, stopped by head: answer right, stop exact in ")


def test_a_seed_gives_the_same_request_again(tk):
    first = tk("record", "--seed", 5, "--table", "cycle", "--steps", 3, "--out", "a.json")
    second = tk("record", "--seed", 5, "--table", "cycle", "--steps", 3, "--out", "b.json")

    assert (first.code, second.code) == (0, 0)
    assert tracekit.load("a.json")["request"] == tracekit.load("b.json")["request"]


def test_a_request_from_a_file_and_metadata(tk, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(RULES))

    tk(
        "record",
        "--request",
        "r.json",
        "--metadata",
        "ticket=A-1",
        "--metadata",
        "by=me=you",
        "--out",
        "x.json",
    )

    trace = tracekit.load("x.json")
    assert trace["request"] == RULES
    assert trace["metadata"] == {"ticket": "A-1", "by": "me=you"}


def test_a_request_from_standard_input(cli, tmp_path):
    result = cli("record", "--request", "-", "--out", "x.json", "-q", stdin=json.dumps(RULES))

    assert (result.returncode, result.stdout) == (0, "x.json\n")
    assert tracekit.load(tmp_path / "x.json")["request"] == RULES


def test_json_gives_a_row_a_line_then_the_path(tk):
    result = tk("record", "--steps", 3, "--json", "--out", "x.json")

    *rows, path = lines(result.out)
    assert [json.loads(row) for row in rows] == tracekit.load("x.json")["trace"]
    assert path == "x.json"


def test_settings_and_checkpoint_stand_in_the_header(tk):
    tk("record", "--steps", 9, "--checkpoint", "early", "--loop-cap", 4, "--threshold", 1, "--out", "x.json")

    trace = tracekit.load("x.json")
    assert trace["settings"] == {"safety_cap": 4, "threshold": 1.0}
    assert trace["checkpoint"] == "early"
    assert trace["summary"]["stop_reason"] == "cap"


def test_a_table_from_a_file(tk, tmp_path):
    (tmp_path / "table.json").write_text(json.dumps({"mapping": RULES["mapping"]}))

    tk("record", "--table", "table.json", "--start", "Q", "--steps", 2, "--out", "x.json")

    assert tracekit.load("x.json")["request"] == {"mapping": RULES["mapping"], "start": "Q", "steps": 2}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "0"], "/steps"),
        (["--steps", "257"], "/steps"),
        (["--start", "a"], "/start"),
        (["--table", "nope.json"], "nope.json: there is no such file"),
        (["--request", "nope.json"], "nope.json: there is no such file"),
        (["--request", "."], ".: is a folder; expected a file"),
        (["--request", "r.json", "--steps", "3"], "--request says it all: leave out --steps"),
        (["--requests", "r.jsonl"], "--requests and --out-dir go together"),
        (["--metadata", "novalue"], "--metadata 'novalue': expected KEY=VALUE"),
        (["--model", "gpt5", "--prompt", "x"], "no source named 'gpt5'"),
        (["--out", "nowhere/x.json"], "nowhere: there is no such folder; make it first"),
        (["--checkpoint", "nope"], "checkpoint"),
        (["--device", "abacus"], "device 'abacus'"),
        (["--threshold", "2"], "a probability from 0 to 1"),
        (["--loop-cap", "0"], "the loop cap must be an integer of at least 1"),
    ],
)
def test_a_wrong_argument_is_one_line_and_writes_nothing(tk, tmp_path, arguments, said):
    result = tk("record", *arguments, *([] if "--out" in arguments else ["--out", "x.json"]))

    assert said in result.err
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_as_output_gets_a_new_file(tk, tmp_path):
    result = tk("record", "--steps", 2, "--out", ".", "-q")

    assert len(tracekit.load(lines(result.out)[-1])["trace"]) == 2


def test_a_broken_request_names_its_fault(tk, tmp_path):
    broken = {**RULES, "mapping": [["A", "a"], *RULES["mapping"][1:]]}
    (tmp_path / "r.json").write_text(json.dumps(broken))

    assert "/mapping/0/1" in one_line(tk("record", "--request", "r.json"))


def test_an_output_that_is_there_is_kept_unless_overwritten(tk, tmp_path):
    (tmp_path / "x.json").write_text("mine")
    assert "is there already" in one_line(tk("record", "--steps", 2, "--out", "x.json"))
    assert (tmp_path / "x.json").read_text() == "mine"

    assert tk("record", "--steps", 2, "--out", "x.json", "--overwrite").code == 0

    assert len(tracekit.load("x.json")["trace"]) == 2


def test_a_missing_extra_says_the_command(cli, tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
    )

    result = cli("record", env={"PYTHONPATH": str(tmp_path)})

    assert (result.returncode, result.stderr) == (
        2,
        "tracekit: torch is not installed; run: pip install 'tracekit[torch]'\n",
    )


def test_an_error_in_the_model_is_one_line_and_the_rows_before_it_are_kept(tmp_path):
    env = own_source(tmp_path, ["emit(T)", "emit(T)", "raise ArithmeticError('overflow in layer 3')"])

    process = start(tmp_path, "--model", "own:make", "--request", "request.json", "--out", "x.json", env=env)
    out, err = process.communicate(timeout=60)

    trace = tracekit.load(tmp_path / "x.json")
    assert process.returncode == 2
    assert err == (
        "tracekit: the model raised ArithmeticError: overflow in layer 3; the rows before it are in x.json\n"
    )
    assert lines(out)[-1] == "x.json"
    assert (trace["status"], len(trace["trace"])) == ("failed", 2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_recording_as_cancelled(tmp_path, number):
    env = own_source(tmp_path, ENDLESS)
    arguments = ("--model", "own:make", "--request", "request.json", "--out", "x.json", "--json")
    process = start(tmp_path, *arguments, env=env)
    first = process.stdout.readline()

    process.send_signal(number)
    with process:
        out, err = process.stdout.read(), process.stderr.read()

    trace = tracekit.load(tmp_path / "x.json")
    *rows, path = lines(first + out)
    assert (process.returncode, path, err) == (130, "x.json", "")
    assert trace["status"] == "cancelled"
    assert [json.loads(row) for row in rows] == trace["trace"]
    assert not (tmp_path / "x.json.journal").exists()


def test_a_closed_pipe_finishes_the_recording_as_cancelled(tmp_path):
    env = own_source(tmp_path, ENDLESS)
    arguments = ("--model", "own:make", "--request", "request.json", "--out", "x.json", "--json")
    with start(tmp_path, *arguments, env=env) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()

    assert (process.returncode, err) == (130, "")
    assert tracekit.load(tmp_path / "x.json")["status"] == "cancelled"


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_run_is_recovered_with_every_row_that_was_shown(tmp_path, cli, seed):
    env = own_source(tmp_path, ENDLESS)
    arguments = ("--model", "own:make", "--request", "request.json", "--out", "x.json", "--json")
    process = start(tmp_path, *arguments, env=env)
    shown = [process.stdout.readline()]
    time.sleep(random.Random(seed).uniform(0.0, 0.4))

    process.kill()
    with process:
        shown += process.stdout.read().splitlines(keepends=True)
    result = cli("recover", "x.json.journal")

    trace = tracekit.load(tmp_path / "x.json")
    whole = [json.loads(line) for line in shown if line.endswith("}\n")]
    assert (result.returncode, result.stdout) == (0, "x.json\n")
    assert trace["status"] == "interrupted"
    assert trace["trace"][: len(whole)] == whole
    assert not (tmp_path / "x.json.journal").exists()


def test_many_requests_one_recording_each_and_a_failure_stops_none(tk, tmp_path):
    wrong = {**RULES, "steps": 999}
    (tmp_path / "many.jsonl").write_text(
        "\n".join(map(json.dumps, [RULES, wrong, {**RULES, "steps": 3}])) + "\n"
    )

    result = tk("record", "--requests", "many.jsonl", "--out-dir", "runs", "-q")

    files = sorted(Path("runs").iterdir())
    assert result.code == 2
    assert [tracekit.load(path)["request"]["steps"] for path in files] == [12, 3]
    assert lines(result.err)[0].startswith("request 2: request /steps: ")
    assert lines(result.err)[-1] == "2 recorded, 1 failed"
    assert lines(result.out)[-1] == "runs"


def test_a_second_time_what_is_done_is_skipped(tk, tmp_path):
    (tmp_path / "many.jsonl").write_text(json.dumps(RULES) + "\n")
    tk("record", "--requests", "many.jsonl", "--out-dir", "runs")
    before = [(path.name, path.read_bytes()) for path in Path("runs").iterdir()]

    result = tk("record", "--requests", "many.jsonl", "--out-dir", "runs")

    assert result.code == 0
    assert lines(result.err)[-1] == "1 skipped"
    assert [(path.name, path.read_bytes()) for path in Path("runs").iterdir()] == before
