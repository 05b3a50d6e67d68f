"""What no command writes over: its own input, an interrupted run's journal, a file named `-`."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS
from tests.storage.journals import journal_of
from tracekit import load

SHORT = RECORDINGS / "pointer-short.json"


@pytest.fixture
def run(tk, tmp_path):
    """A recording in the commands' folder, which has another name by way of a link and one by way of `..`."""
    shutil.copy(SHORT, tmp_path / "run.json")
    (tmp_path / "link.csv").symlink_to("run.json")
    (tmp_path / "sub").mkdir()
    return tmp_path / "run.json"


@pytest.mark.parametrize("out", ["run.json", "sub/../run.json", "link.csv"])
def test_export_does_not_write_over_the_recording_by_any_of_its_names(tk, run, out):
    result = tk("export", "run.json", "--csv", out, "--overwrite")

    assert one_line(result).endswith(f"{out.removeprefix('./')} is the recording itself; name another file")
    assert run.read_bytes() == SHORT.read_bytes()


def test_two_formats_do_not_go_into_one_file_under_two_names(tk, run, tmp_path):
    result = tk("export", "run.json", "--csv", "o1", "--jsonl", "sub/../o1")

    assert "each format needs an OUT of its own" in one_line(result)
    assert not (tmp_path / "o1").exists()


def test_record_does_not_write_over_its_request(tk, tmp_path):
    request = json.dumps(load(SHORT)["request"])
    (tmp_path / "request.json").write_text(request)

    result = tk("record", "--request", "request.json", "--out", "./request.json", "--overwrite")
    table = tk("record", "--table", "request.json", "--out", "request.json", "--overwrite")

    assert "request.json is the request itself; name another file" in one_line(result)
    assert "request.json is the request itself; name another file" in one_line(table)
    assert (tmp_path / "request.json").read_text() == request


def test_check_does_not_write_its_report_over_a_golden(tk, run):
    result = tk("check", "run.json", "--junit", "sub/../run.json")

    assert "run.json is the golden itself; name another file" in one_line(result)
    assert run.read_bytes() == SHORT.read_bytes()


def test_check_says_before_it_runs_that_its_report_cannot_be_written(tk, run):
    assert "missing: there is no such folder" in one_line(tk("check", "run.json", "--junit", "missing/x.xml"))


@pytest.mark.parametrize(
    "command",
    [
        ("record", "--steps", 3, "--out"),
        ("convert", SHORT, "--out"),
        ("export", SHORT, "--csv"),
    ],
)
def test_no_command_writes_over_a_journal(tk, tmp_path, command):
    (tmp_path / "e.json.journal").write_bytes(b"rows")

    result = tk(*command, "e.json.journal", "--overwrite")

    assert "e.json.journal: only a journal's name ends in .journal; choose another name" in one_line(result)
    assert (tmp_path / "e.json.journal").read_bytes() == b"rows"


def test_recover_says_at_which_line_a_journal_is_damaged_and_keeps_it(tk, tmp_path):
    lines = journal_of(load(SHORT)).splitlines(keepends=True)
    (tmp_path / "f.json.journal").write_bytes(b"".join([*lines[:5], b"garbage\n", *lines[6:]]))
    left = 8 + sum(map(len, lines[6:]))

    result = tk("recover", "f.json.journal")

    assert result == (
        1,
        "f.json\n",
        f"f.json.journal: line 6 is damaged, so the {left} bytes from there on are left out; "
        "the journal stays until you remove it\n4 rows recovered\n",
    )
    assert (tmp_path / "f.json.journal").exists()


def test_recover_does_not_write_over_the_journal(tk, tmp_path):
    (tmp_path / "a.json.journal").write_bytes(journal := journal_of(load(SHORT)))

    result = tk("recover", "a.json.journal", "--out", "a.json.journal", "--overwrite")

    assert "a.json.journal is the journal itself; name another file" in one_line(result)
    assert (tmp_path / "a.json.journal").read_bytes() == journal


@pytest.mark.parametrize(
    "command", [("record", "--steps", 3, "--out"), ("recover", "a.json.journal", "--out")]
)
def test_a_dash_that_cannot_be_standard_output_is_refused(tk, tmp_path, command):
    (tmp_path / "a.json.journal").write_bytes(journal_of(load(SHORT)))

    assert "-: standard output cannot be written to here; name a file" in one_line(tk(*command, "-"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.json.journal"]


def test_upgrade_refuses_standard_input_and_says_what_takes_it(tk, run):
    result = tk("upgrade", "run.json", "-")

    assert one_line(result) == (
        "tracekit: an upgrade is in place, and - is standard input; run: tracekit convert -"
    )
    assert result.out == ""


def test_check_refuses_standard_input(tk):
    assert one_line(tk("check", "-")) == "tracekit: -: standard input cannot be used here; name a file"
