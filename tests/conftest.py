"""What many tests start from: the real pointer model, a request, scripts for what a model cannot be asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import tracekit
from tests.browser import browser as browser
from tracekit.sources.registry import load_source

ROOT = Path(__file__).parents[1]
RECORDINGS = ROOT / "recordings"
TOKEN = {"token_id": 7, "text": "a", "logprob": -0.5, "top": [{"token_id": 7, "text": "a", "logprob": -0.5}]}

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def pointer() -> tracekit.Source:
    """The bundled pointer model. Loading it also sets torch to one thread."""
    return load_source("pointer")


@pytest.fixture
def request_json() -> dict[str, Any]:
    """Twelve steps along the alphabet, from A."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rules = [[a, b] for a, b in zip(letters, letters[1:] + letters[0], strict=True)]
    return {"mapping": rules, "start": "A", "steps": 12}


@pytest.fixture
def tokens() -> Callable[..., tracekit.ScriptedSource]:
    """A scripted source of so many tokens; what else happens is in the keywords of `Script`."""

    def make(count: int, **script: Any) -> tracekit.ScriptedSource:
        return tracekit.ScriptedSource("token", tracekit.Script([TOKEN] * count, **script))

    return make


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run the command line as a stranger would: a process of its own, in an empty folder."""

    def run(*arguments: object, stdin: str = "", env: dict[str, str] | None = None) -> Any:
        return subprocess.run(
            [sys.executable, "-m", "tracekit", *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **(env or {})},
        )

    return run


def lines(text: str) -> Sequence[str]:
    """Text's lines, without the empty ones."""
    return [line for line in text.splitlines() if line.strip()]
