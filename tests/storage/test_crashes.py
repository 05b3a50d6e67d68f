"""What is left when the process is killed or the disk fills, and what can be made of it."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tracekit
from tests.storage.actors import source
from tests.storage.conftest import SmallDisk, actor, limit_files
from tests.storage.journals import journal_of
from tracekit.errors import (
    RecordingUnfinished,
)
from tracekit.storage.recovery import recover

Listing = Callable[[Path], list[str]]


@pytest.mark.parametrize("seed", range(6))
def test_a_recorder_killed_at_any_point_loses_no_row_that_it_has_handed_on(
    seed: int, tmp_path: Path, listing: Listing
) -> None:
    wanted = random.Random(seed).choice([1, 2, 10, 500, 3000, 9000]) + seed
    process = actor("record", tmp_path / "run.json", 200_000)

    told = [int(process.stdout.readline()) for _ in range(wanted)]
    process.send_signal(signal.SIGKILL)
    told += [int(line) for line in process.stdout if line.endswith("\n")]
    process.communicate(timeout=60)

    assert process.returncode == -signal.SIGKILL
    assert listing(tmp_path) == ["run.json.journal"]
    recovered = recover(tmp_path / "run.json.journal")
    trace = tracekit.load(recovered.path)
    assert [row["index"] for row in trace["trace"][: len(told)]] == told
    assert trace["status"] == "interrupted"
    assert listing(tmp_path) == ["run.json"]


def test_a_disk_that_fills_stops_the_run_and_keeps_every_row(
    tmp_path: Path, small_disk: SmallDisk, listing: Listing
) -> None:
    process = actor("record", small_disk.folder / "run.json", 20_000, limit=small_disk.limit)
    told, message = process.communicate(timeout=60)

    journal = small_disk.folder / "run.json.journal"
    assert message == (
        f"RecordingUnfinished: {journal}: {small_disk.refusal}; the rows so far are kept here; "
        f"when that is mended, run: tracekit recover {journal}\n"
    )
    assert listing(small_disk.folder) == ["run.json.journal"]
    recovered = recover(journal, tmp_path / "rescued.json")
    rows = [row["index"] for row in tracekit.load(recovered.path)["trace"]]
    assert rows == list(range(len(rows)))
    assert 100 < len(told.splitlines()) <= len(rows) < 20_000
    assert listing(small_disk.folder) == []


def test_a_disk_that_fills_at_the_very_end_keeps_the_whole_run(tmp_path: Path, listing: Listing) -> None:
    still = tracekit.RunOptions(clock=lambda: 0.0)  # so that two runs leave as many bytes
    whole = tracekit.record(source(2000), {}, tmp_path / "whole.json", still)
    journal_bytes = len(journal_of(whole))
    assert journal_bytes + 500 < (tmp_path / "whole.json").stat().st_size
    (tmp_path / "whole.json").unlink()

    process = actor("record", tmp_path / "run.json", 2000, "still", limit=limit_files(journal_bytes + 500))
    told, message = process.communicate(timeout=60)

    assert message.startswith("RecordingUnfinished: ")
    assert len(told.splitlines()) == 2000
    assert listing(tmp_path) == ["run.json.journal"]
    recover(tmp_path / "run.json.journal")
    trace = tracekit.load(tmp_path / "run.json")
    assert (trace["status"], len(trace["trace"])) == ("complete", 2000)


def test_a_full_disk_at_the_header_leaves_nothing_and_runs_nothing(tmp_path: Path, listing: Listing) -> None:
    process = actor("record", tmp_path / "run.json", 10, limit=limit_files(100))
    told, message = process.communicate(timeout=60)

    assert message.endswith("the file would be larger than the system allows\n")
    assert told == ""
    assert listing(tmp_path) == []


def test_the_command_line_recovers_what_a_killed_process_left(
    tmp_path: Path, cli: Callable[..., object]
) -> None:
    process = actor("record", tmp_path / "run.json", 200_000)
    process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)

    ended = cli("recover", "run.json.journal")

    assert isinstance(ended, subprocess.CompletedProcess)
    assert (ended.returncode, ended.stdout) == (0, "run.json\n")
    assert " rows recovered\n" in ended.stderr


def test_a_run_that_could_not_be_finished_says_so_as_one_error() -> None:
    error = RecordingUnfinished("my run.json.journal", "the disk is full")

    assert str(error) == (
        "my run.json.journal: the disk is full; the rows so far are kept here; when that is mended, "
        "run: tracekit recover 'my run.json.journal'"
    )
