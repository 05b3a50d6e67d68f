"""The documentation's commands and code, run as they stand, page by page, in order."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# They set up the very environment in which this test runs, and run this test.
MAKE = re.compile(r"^make (record|test|view|bench|train|check)\b")


@pytest.fixture
def folder(tmp_path):
    """A reader's folder: the shipped recordings, and the commands on the path."""
    shutil.copytree(RECORDINGS, tmp_path / "recordings")
    return tmp_path


def run(command, folder):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("CI", None)
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def steps(page):
    """What a page says to run, in order, each with the output that the page shows below it."""
    for language, block in BLOCK.findall(page.read_text()):
        if language == "python":
            yield [sys.executable, "-c", block], ""
        else:
            yield from (step for step in _commands(block) if not MAKE.match(step[0][-1]))


def _commands(block):
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield ["bash", "-c", command.split("  #")[0].strip()], shown.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_to_run_runs_and_prints_what_it_shows(page, folder):
    for command, shown in steps(page):
        done = run(command, folder)
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
        assert shown in done.stdout, f"{command[-1]}\n{done.stdout}"


def test_the_formats_sample_is_the_recording_that_it_names():
    page = (ROOT / "docs" / "format.md").read_text()
    named = r"From `(\S+)`, shortened with `…`:\n\n```json\n(.*?)```"
    name, sample = re.search(named, page, re.DOTALL).groups()
    shortened = ".*".join(map(re.escape, sample.split("…")))

    assert re.fullmatch(shortened, (ROOT / name).read_text(), re.DOTALL)


def links(page):
    """The files that a page links."""
    found = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    return [page.parent / link for link in found if not link.startswith("http")]


def test_every_file_that_the_documentation_links_is_there():
    missing = [str(path) for page in PAGES for path in links(page) if not path.exists()]

    assert missing == []


def test_make_knows_the_two_commands():
    for target in ("record", "test"):
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
