"""Folders and names that cannot be used: one line, before anything is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS

SHORT = RECORDINGS / "pointer-short.json"
# A model that cannot be loaded: what is said of the folder was said before anyone tried.
NO_MODEL = ("--checkpoint", "no-such-checkpoint")
LONG = "x" * 300

# Without a privileged user's rights, which no file mode would stop.
AS_NOBODY = """
import os, sys
from tracekit.cli import check, info, record, upgrade, validate
from tracekit.cli.main import main
os.chdir(sys.argv.pop(1))
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
main()
"""


@pytest.fixture
def place(tmp_path):
    """A folder with many requests, a file, and a link that leads nowhere but to itself."""
    request = json.loads(SHORT.read_text())["request"]
    (tmp_path / "many.jsonl").write_text(json.dumps(request) + "\n")
    (tmp_path / "afile").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


@pytest.fixture
def nobody():
    """Run a command as nobody in a folder of mode 0755; that folder is `nobody.folder`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)

        def run(*arguments):
            command = [sys.executable, "-c", AS_NOBODY, name, *map(str, arguments)]
            return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

        run.folder = folder
        yield run


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("afile", "tracekit: afile: is not a folder"),
        ("afile/runs", "tracekit: afile: is not a folder"),
        ("loop", "tracekit: loop: there is no such folder; make it first"),
        (LONG, f"tracekit: {LONG}: the name is too long"),
    ],
)
def test_a_folder_that_cannot_be_made_is_told_before_the_model_is_loaded(tk, place, folder, said):
    before = sorted(place.iterdir())

    result = tk("record", "--requests", "many.jsonl", "--out-dir", folder, *NO_MODEL)

    assert one_line(result) == said
    assert sorted(place.iterdir()) == before


def test_a_file_named_recordings_is_told_before_the_model_is_loaded(tk, tmp_path):
    (tmp_path / "recordings").write_text("")

    assert one_line(tk("record", *NO_MODEL)) == "tracekit: recordings: is not a folder"


def test_requests_that_cannot_be_read_are_told_before_the_model_is_loaded(tk, tmp_path):
    result = tk("record", "--requests", "nope.jsonl", "--out-dir", "runs", *NO_MODEL)

    assert one_line(result) == "tracekit: nope.jsonl: there is no such file"
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_cannot_be_loaded_leaves_no_folder(tk, place):
    one_line(tk("record", "--requests", "many.jsonl", "--out-dir", "runs/today", *NO_MODEL))

    assert not (place / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ((), "."),
        (("--out", "."), "."),
        (("--out", "run.json"), "."),
        (("--requests", "many.jsonl", "--out-dir", "runs/today"), "."),
    ],
)
def test_a_read_only_folder_is_told_before_the_model_is_loaded(nobody, arguments, refused):
    (nobody.folder / "many.jsonl").write_text('{"mapping": [], "start": "A", "steps": 1}\n')
    nobody.folder.chmod(0o555)

    result = nobody("record", *arguments, *NO_MODEL)

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"tracekit: {refused}: cannot be written to; check its permissions\n"


@pytest.mark.parametrize("command", ["validate", "info", "check", "upgrade", "record"])
def test_a_folder_that_cannot_be_entered_is_one_line(nobody, command):
    (nobody.folder / "closed").mkdir(mode=0o000)

    arguments = ("--out", "closed/a.json") if command == "record" else ("closed/a.json",)
    result = nobody(command, *arguments)

    assert result.returncode == 2
    assert result.stderr.removeprefix("tracekit: ") == "closed/a.json: permission denied\n"


def test_a_folder_inside_that_cannot_be_read_is_not_passed_over(nobody):
    (nobody.folder / "all").mkdir()
    (nobody.folder / "all" / "a.json").write_bytes(SHORT.read_bytes())
    (nobody.folder / "all" / "closed").mkdir(mode=0o000)

    result = nobody("validate", "all")

    assert (result.returncode, result.stderr) == (2, "all/closed: permission denied\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", LONG),
        ("info", LONG),
        ("upgrade", LONG),
        ("check", LONG),
        ("review", LONG),
        ("show", LONG),
        ("record", "--out", LONG),
        ("record", "--checkpoint", LONG),
        ("record", "--model", f"hf:{LONG}", "--prompt", "a"),
    ],
    ids=" ".join,
)
def test_too_long_a_name_is_one_line(tk, arguments):
    assert f"{LONG}: the name is too long" in one_line(tk(*arguments)).replace(".new.json", "")


@pytest.mark.parametrize(
    ("name", "said"),
    [("loop", "is a link that cannot be followed"), ("afile/x.json", "what leads there is not a folder")],
)
@pytest.mark.parametrize("command", ["validate", "info", "check", "upgrade"])
def test_what_leads_nowhere_is_one_line(tk, place, command, name, said):
    result = tk(command, name)

    assert result.code == 2
    assert f"{name}: {said}" in result.out + result.err
