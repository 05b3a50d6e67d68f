"""Standard streams that are full, closed, or read by nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import tracekit
from tests.conftest import RECORDINGS

SHORT = RECORDINGS / "pointer-short.json"
FULL = "tracekit: standard output: the disk is full\n"


@pytest.fixture
def shell(tmp_path):
    """A line of shell in an empty folder, where `$T` is tracekit and `$R` a recording."""

    def run(line):
        environment = {"T": f"{sys.executable} -m tracekit", "R": str(SHORT)}
        return subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env={**os.environ, **environment},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(
    "command",
    ["show $R", "show --json $R", "validate $R $R", "info $R", "info --json $R $R", "--help", "show --help",
     "convert $R", "export $R --csv -", "replay $R", "schema", "models", "upgrade --help"],
)  # fmt: skip
def test_a_full_disk_behind_standard_output_is_one_line(shell, command):
    done = shell(f"$T {command} > /dev/full")

    assert (done.returncode, done.stderr) == (2, FULL)


@pytest.mark.parametrize("how", ["", "--json"])
def test_a_run_whose_output_cannot_be_written_is_kept_as_cancelled(shell, tmp_path, how):
    done = shell(f"$T record --steps 3 --out run.json {how} > /dev/full")

    assert (done.returncode, done.stderr) == (2, FULL)
    assert tracekit.load(tmp_path / "run.json")["status"] == "cancelled"


def test_a_run_that_is_complete_stays_so_whoever_hears_of_it(shell, tmp_path):
    done = shell("$T record --steps 3 --out run.json --quiet > /dev/full")

    assert (done.returncode, done.stderr) == (2, FULL)
    assert tracekit.load(tmp_path / "run.json")["status"] == "complete"


def test_closed_output_is_as_dev_null(shell, tmp_path):
    done = shell("$T record --steps 3 --out run.json >&- && $T show run.json >&- && $T show --json $R >&-")

    assert (done.returncode, done.stderr) == (0, "")
    assert len(tracekit.load(tmp_path / "run.json")["trace"]) == 3


@pytest.mark.parametrize("command", ["show -", "validate -", "record --request -"])
def test_closed_input_is_empty(shell, command):
    done = shell(f"$T {command} <&-")

    assert (done.returncode, done.stderr.removeprefix("tracekit: ")) == (2, "-: is empty\n")


@pytest.mark.parametrize("nowhere", ["2> /dev/full", "2>&-"])
def test_the_exit_code_is_the_same_where_no_message_can_be_told(shell, nowhere):
    assert shell(f"$T show gone.json {nowhere}").returncode == 2


@pytest.mark.parametrize("command", ["--help", "show $R", "show --json $R"])
def test_a_reader_that_has_gone_is_an_interruption_without_a_word(shell, command):
    done = shell(f"(sleep 0.5; $T {command}; echo $? >&2) | true")

    assert done.stderr == "130\n"


def test_all_streams_closed_still_make_a_recording(shell, tmp_path):
    shell("$T record --steps 3 --out run.json <&- >&- 2>&-; echo $? > code")

    assert (tmp_path / "code").read_text() == "0\n"
    assert len(tracekit.load(tmp_path / "run.json")["trace"]) == 3


def test_a_name_that_is_not_utf_8_goes_out_as_its_bytes(shell, tmp_path):
    shell("cp $R $'\\xff.json'")

    done = shell("$T validate $'\\xff.json' | tr '\\377' '?'")

    assert (done.stdout, done.stderr) == ("?.json: valid, version 2, 12 loop rows, complete\n", "")


def test_a_name_that_is_not_utf_8_is_marked_in_json_which_cannot_hold_it(shell):
    done = shell("cp $R $'\\xff.json' && $T info --json $'\\xff.json'")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["path"] == "\ufffd.json"
