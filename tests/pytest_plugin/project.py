"""A project whose tests hold a model to goldens, as pytester makes it."""

from __future__ import annotations

import shutil

SOURCE = """
import pytest
from tracekit import Script, ScriptedSource, load

def model(probability={probability}):
    rows = [{{"prediction": "A", "stop_probability": probability}}, {{"prediction": "B"}}]
    return ScriptedSource("loop", Script(rows))

"""
ONE_TEST = """
def test_reply(golden):
    golden.check(model(), {"ask": 1})
"""


def forget_bytecode(pytester):
    """A module rewritten within a second would be taken for the one compiled before."""
    shutil.rmtree(pytester.path / "__pycache__", ignore_errors=True)


def files(pytester):
    """Every file under recordings/, by path."""
    root = pytester.path / "recordings"
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
