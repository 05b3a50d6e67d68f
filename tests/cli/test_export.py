"""`tracekit export`, as a stranger runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS, Cli

SHORT, ERRS = RECORDINGS / "pointer-short.json", RECORDINGS / "pointer-errs.json"


def test_one_call_writes_every_format(cli: Cli, tmp_path: Path) -> None:
    forms = ["html", "csv", "jsonl", "png", "svg", "chrome-trace", "asciicast"]

    done = cli("export", SHORT, *(word for form in forms for word in (f"--{form}", f"run.{form}")))

    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"run.{form}" for form in forms)
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [f"run.{form}" for form in forms]


def test_a_dash_writes_to_standard_output_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    done = cli("export", SHORT, "--jsonl", "-")

    assert [json.loads(line)["loop"] for line in done.stdout.splitlines()] == list(range(1, 13))
    assert (done.stderr, list(tmp_path.iterdir())) == ("", [])


def test_a_recording_can_come_from_standard_input(cli: Cli) -> None:
    done = cli("export", "-", "--csv", "-", stdin=SHORT.read_text())

    assert len(done.stdout.splitlines()) == 13


def test_two_recordings_go_into_one_page_and_one_timeline(cli: Cli, tmp_path: Path) -> None:
    done = cli("export", SHORT, ERRS, "--html", "pair.html", "--chrome-trace", "pair.json")

    assert done.returncode == 0
    assert (tmp_path / "pair.html").read_text().count('<script type="application/json"') == 2
    assert {event["pid"] for event in json.loads((tmp_path / "pair.json").read_bytes())["traceEvents"]} == {
        1,
        2,
    }


def test_a_file_that_is_there_is_kept_unless_overwrite_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("mine")

    refused = cli("export", SHORT, "--csv", "run.csv")
    kept = (tmp_path / "run.csv").read_text()
    replaced = cli("export", SHORT, "--csv", "run.csv", "--overwrite")

    assert (refused.returncode, kept, replaced.returncode) == (2, "mine", 0)
    assert "run.csv: is there already" in refused.stderr
    assert (tmp_path / "run.csv").read_text().startswith("loop,prediction,")


def test_nothing_is_written_when_one_of_the_outputs_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("mine")

    cli("export", SHORT, "--html", "run.html", "--csv", "run.csv")

    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([SHORT], "say what to write: --html OUT, --csv OUT"),
        ([SHORT, ERRS, "--csv", "-"], "--csv takes one recording, not 2"),
        ([SHORT, ERRS, SHORT, "--html", "-"], "--html takes one recording or two, not 3"),
        ([SHORT, "--csv", "-", "--jsonl", "-"], "each format needs an OUT of its own"),
        ([SHORT, "--csv", "run", "--jsonl", "./run"], "each format needs an OUT of its own"),
        ([SHORT, "--html", SHORT, "--overwrite"], "pointer-short.json is the recording itself"),
        ([SHORT, "--png", "-"], "--png is not text; name a file for it"),
        (["missing.json", "--csv", "-"], "missing.json: there is no such file"),
        ([SHORT, "--csv", "missing/run.csv"], "missing: there is no such folder"),
        ([__file__, "--html", "-"], "line 1: is not JSON"),
    ],
)
def test_wrong_usage_gets_one_line_that_says_why(cli: Cli, arguments: list[object], said: str) -> None:
    done = cli("export", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
