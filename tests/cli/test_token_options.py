"""The options of a language model's run, from the command line to the recording."""

from __future__ import annotations

from pathlib import Path

import pytest

import tracekit
from tests.conftest import Cli
from tests.sources.huggingface.tiny import checkpoint


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"hf:{checkpoint(tmp_path_factory.mktemp('model') / 'tiny')}"


def test_every_option_reaches_the_recording(cli: Cli, tmp_path: Path, model: str) -> None:
    (tmp_path / "prompt.txt").write_text("Why is the sky blue?\n")
    options = {
        "--max-new-tokens": 5,
        "--temperature": 0.5,
        "--top-p": 0.9,
        "--top-k": 20,
        "--seed": 3,
        "--alternatives": 2,
        "--dtype": "bfloat16",
    }
    said = [str(part) for pair in options.items() for part in pair]

    done = cli(
        "record", "--model", model, "--prompt", "@prompt.txt", "--chat", "--system", "Be brief.",
        *said, "--stop", "zzz", "--stop", "yyy", "--out", "run.json",
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    trace = tracekit.load(tmp_path / "run.json")
    assert trace["request"] == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Why is the sky blue?"},
        ]
    }
    assert trace["settings"] == {
        "max_new_tokens": 5,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 20,
        "seed": 3,
        "stop": ["zzz", "yyy"],
        "alternatives": 2,
    }
    assert (trace["model"]["source"], trace["model"]["dtype"]) == (model, "bfloat16")
    assert len(trace["trace"]) == 5


def test_a_prompt_comes_from_standard_input(cli: Cli, tmp_path: Path, model: str) -> None:
    arguments = ("record", "--model", model, "--max-new-tokens", "2", "--out", "run.json", "--prompt", "-")
    assert cli(*arguments, stdin="Why?\n").returncode == 0
    assert tracekit.load(tmp_path / "run.json")["request"] == {"prompt": "Why?"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--prompt", "a", "--system", "b"], "--system needs --chat"),
        (["--chat"], "--chat and --system need --prompt"),
        (["--prompt", "@nowhere.txt"], "nowhere.txt: there is no such file"),
        (["--prompt", "a", "--temperature", "-1"], "temperature must be a number of at least 0, not -1.0"),
        (["--prompt", "a", "--dtype", "int8"], "--dtype int8: expected auto, float32, bfloat16,"),
        (["--prompt", "a", "--device", "cuda:7"], "device 'cuda:7': is not available on this machine"),
        (["--prompt", "a " * 300], "/prompt: expected fewer tokens than the model's context of 256"),
    ],
)
def test_a_wrong_option_is_one_line_and_nothing_is_written(
    cli: Cli, tmp_path: Path, model: str, options: list[str], reason: str
) -> None:
    done = cli("record", "--model", model, *options, "--out", "run.json")
    assert done.returncode == 2
    assert done.stderr.startswith("tracekit: ")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
