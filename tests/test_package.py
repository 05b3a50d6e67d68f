"""The wheel, as a stranger gets it: built, installed without extras into an empty environment, used there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHORT = ROOT / "recordings/pointer-short.json"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def stranger(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the `tracekit` of an environment that holds the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("stranger")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--constraint", ROOT / "constraints.txt", wheel], check=True)
    # PYTHONPATH and the working folder must not bring the checkout back in.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*arguments: object, python: bool = False) -> subprocess.CompletedProcess[str]:
        program = folder / "venv/bin" / ("python" if python else "tracekit")
        return subprocess.run(
            [program, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True
        )

    return run


def test_the_wheel_carries_schemas_checkpoints_and_the_page(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    checkpoints = {
        f"tracekit/sources/pointer/checkpoints/{name}/{file}"
        for name in ("early", "final")
        for file in ("config.json", "model.safetensors", "tokenizer.json", "README.md")
    }

    assert {f"tracekit/schemas/trace.v{version}.schema.json" for version in (1, 2)} <= names
    assert checkpoints <= names
    assert {"tracekit/py.typed", "tracekit/viewer/app.py", "tracekit/player/player.js"} <= names


def test_the_wheel_carries_nothing_that_belongs_to_the_checkout(wheel: Path) -> None:
    folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert folders == {"tracekit", "tracekit-0.1.0.dist-info"}
    assert wheel.stat().st_size < 6_000_000


def test_a_stranger_validates_and_shows_a_recording_without_extras(stranger: Run) -> None:
    validated, shown = stranger("validate", SHORT), stranger("show", SHORT)

    assert (validated.returncode, validated.stderr) == (0, "")
    assert validated.stdout == f"{SHORT}: valid, version 2, 12 loop rows, complete\n"
    assert (shown.returncode, shown.stderr) == (0, "")
    assert len(shown.stdout.splitlines()) > 12


def test_a_stranger_reads_the_shipped_schema(stranger: Run) -> None:
    schema = stranger("schema", "2")

    assert schema.stdout == (ROOT / "schemas/trace.v2.schema.json").read_text()


def test_a_stranger_finds_no_checkout_behind_the_package(stranger: Run) -> None:
    script = "import tracekit, importlib.util as u; print(tracekit.__file__, u.find_spec('torch'))"
    found = stranger("-c", script, python=True)

    assert "/venv/lib/" in found.stdout
    assert found.stdout.endswith(" None\n")


def test_a_stranger_who_records_is_told_the_command_that_is_missing(stranger: Run) -> None:
    refused = stranger("record", "--steps", "3", "--out", "run.json")

    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr == "tracekit: torch is not installed; run: pip install 'tracekit[torch]'\n"


def test_a_strangers_broken_file_is_refused_in_one_line(stranger: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_bytes(SHORT.read_bytes()[:500])

    refused = stranger("validate", tmp_path / "cut.json")

    assert refused.returncode == 2
    assert refused.stderr == (
        f"{tmp_path / 'cut.json'}: line 10: is cut off; the JSON ends before it is complete\n"
    )
