"""The examples in the help: what each names is shipped, and what can run in a checkout as it stands runs."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS
from tracekit.cli.main import COMMANDS

# An interrupted run's journal is not shipped; nor is what a check leaves to review, nor a model's weights.
# The viewer would go on for ever, and jq is not everybody's.
CANNOT_RUN_HERE = re.compile(r"\.journal\b|\breview recordings/|\bsmollm2\b|\btracekit view\b|^jq ")
# The exit code of a comparison that finds differences, as this one is to show.
DIFFERENT = {"tracekit diff golden.json recordings/pointer-short.json --json": 1}
TEXT = {name: importlib.import_module(f"tracekit.cli.{name}").command.callback.__doc__ for name in COMMANDS}
TEXT["tracekit"] = importlib.import_module("tracekit.cli.main").cli.callback.__doc__


def examples(name):
    """A command's examples, a line each."""
    lines = TEXT[name].partition("Examples:\n")[2].splitlines()
    return [line.strip() for line in lines if line.strip() and "COMMAND" not in line]


@pytest.fixture
def checkout(tmp_path):
    """A folder with the shipped recordings of the pointer model, and the commands on the path."""
    shutil.copytree(RECORDINGS, tmp_path / "recordings", ignore=shutil.ignore_patterns("smollm2-*"))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("CI", None)

    def run(line):
        command = ["bash", "-c", line.replace("tracekit ", f"{sys.executable} -m tracekit ")]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    return run


@pytest.mark.parametrize("name", TEXT)
def test_every_recording_that_an_example_names_is_shipped(name):
    named = re.findall(r"recordings/[\w.*-]+", " ".join(examples(name)))

    assert [path for path in named if not list(RECORDINGS.parent.glob(path))] == []


@pytest.mark.parametrize("name", TEXT)
def test_the_examples_run_in_a_checkout_one_after_the_other(name, checkout):
    for line in examples(name):
        if not CANNOT_RUN_HERE.search(line):
            done = checkout(line)
            assert done.returncode == DIFFERENT.get(line, 0), done
            assert "tracekit: " not in done.stderr
