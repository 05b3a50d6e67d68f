"""The command line in this process, for what needs no process of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tracekit.cli.main import run


class Result(NamedTuple):
    """What a command left: its exit code and its two streams."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def tk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command in an empty folder; exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Result:
        code = run([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return call


def one_line(result: Result, code: int = 2) -> str:
    """The one line on standard error with which a command failed; nothing else was said."""
    assert result.code == code, result
    assert result.err.count("\n") == 1, result.err
    assert "Traceback" not in result.err
    return result.err.strip()
