"""docs/golden.md and docs/ci.md: the tests hold, the settings are settings, the YAML's commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

GOLDEN, CI = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("golden.md", "ci.md"))


def blocks(text, language):
    """The code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(command, folder, **environment):
    """A command as the page has it, with this Python's tracekit and pytest on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {key: value for key, value in os.environ.items() if key not in ("CI", "PYTEST_ADDOPTS")}
    return subprocess.run(
        ["bash", "-ec", command],
        cwd=folder,
        env={**plain, "PATH": path, **environment},
        capture_output=True,
        text=True,
        input="",
        check=False,
    )


def steps(job):
    """The commands of a CI's job, but for the installation, which this environment is."""
    commands = job["script"] if "script" in job else [step["run"] for step in job["steps"] if "run" in step]
    return [command for command in commands if not command.startswith("pip install ")]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with the recording that docs/golden.md begins with."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "recordings").mkdir()
    done = run(re.search(r"^\$ (tracekit record .*)$", GOLDEN, re.MULTILINE)[1], folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_tests_of_the_page_hold_once_their_golden_is_written(project):
    (project / "test_model.py").write_text(blocks(GOLDEN, "python")[0])

    written = run("pytest -q --tracekit-update=new", project)
    held = run("pytest -q", project)

    assert written.returncode == held.returncode == 0, written.stdout + held.stdout
    assert (project / "recordings/test_model/test_the_model_still_does_it.json").is_file()


def test_the_settings_of_the_page_are_settings(project):
    (project / "pyproject.toml").write_text(blocks(GOLDEN, "toml")[0])

    assert run("tracekit check", project).returncode == 0


@pytest.mark.parametrize("at", [0, 1], ids=["github", "gitlab"])
def test_a_ci_job_passes_while_goldens_hold_and_fails_when_one_does_not(tmp_path, at):
    document = yaml.safe_load(blocks(CI, "yaml")[at])
    job = document["jobs"]["goldens"] if "jobs" in document else document["goldens"]
    (tmp_path / "recordings").mkdir()
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    run("tracekit record --seed 1 --steps 12 --quiet --out recordings/short.json", tmp_path)
    summary = {"CI": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}

    green = [run(command, tmp_path, **summary).returncode for command in steps(job)]
    golden = (tmp_path / "recordings/short.json").read_text()
    (tmp_path / "recordings/short.json").write_text(
        golden.replace('"stop_reason":"head"', '"stop_reason":"cap"')
    )
    red = run(steps(job)[0], tmp_path, **summary)

    assert green == [0, 0]
    assert red.returncode == 1
    assert "summary.stop_reason is 'head', was 'cap'" in red.stdout
    assert (tmp_path / "failures" / "index.html").is_file()
    assert (tmp_path / "goldens.xml").is_file()
