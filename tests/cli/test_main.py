"""The command line as a whole."""

from __future__ import annotations

import importlib
import re

import pytest

from tracekit.cli.main import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_a_runnable_example(tk, name):
    result = tk(name, "--help")

    assert result.code == 0
    assert re.search(rf"^    (.*\| )?tracekit {name}\b", result.out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_file_of_its_name(name):
    module = importlib.import_module(f"tracekit.cli.{name.replace('-', '_')}")

    assert module.command.callback.__doc__.strip()


def test_the_help_lists_every_command(tk):
    assert set(re.findall(r"^  ([a-z-]+)  ", tk("--help").out, re.MULTILINE)) >= set(COMMANDS)


def test_a_wrong_command_is_a_usage_error(tk):
    result = tk("recrod")

    assert result.code == 2
    assert "No such command 'recrod'" in result.err


def test_the_version_is_the_packages(tk):
    assert tk("--version").out == "tracekit, version 0.1.0\n"


@pytest.mark.parametrize("arguments", [["record"], ["check"], ["calibrate", "run.json"]], ids=" ".join)
def test_more_threads_than_torch_survives_are_a_usage_error(tk, arguments):
    result = tk(*arguments, "--threads", 100_000)

    assert result.code == 2
    assert "100000 is not in the range 1<=x<=1024" in result.err
