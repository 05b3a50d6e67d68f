"""A journal becomes the recording it was to be, once, and never in place of another."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import tracekit
from tests.storage.journals import header, journal_of
from tracekit.errors import OutputBusy, OutputExists, StorageError, UnreadableDocument, UsageError
from tracekit.format.codec import encode, encode_line
from tracekit.format.types import Trace
from tracekit.storage.journal import Journal, JournalWriter
from tracekit.storage.recovery import Recovery, recover, trace_of

Listing = Callable[[Path], list[str]]


@pytest.fixture
def journal(tmp_path: Path, short: Trace) -> Path:
    """The journal of a run that was to be complete, torn in its ninth row."""
    data = journal_of(short)
    path = tmp_path / "run.json.journal"
    path.write_bytes(data[: data.index(b'{"loop":9') + 50])
    return path


def test_a_torn_journal_becomes_an_interrupted_run(journal: Path, short: Trace, listing: Listing) -> None:
    recovered = recover(journal)

    trace = tracekit.load(journal.with_suffix(""))
    assert recovered == Recovery(journal.with_suffix(""), 8, 50)
    assert trace["trace"] == short["trace"][:8]
    assert trace["status"] == "interrupted"
    assert trace["inference_seconds"] == short["trace"][7]["arrival_seconds"]
    assert trace["id"] == short["id"]
    assert listing(journal.parent) == ["run.json"]


def test_a_journal_with_its_end_becomes_the_very_recording(tmp_path: Path, short: Trace) -> None:
    (tmp_path / "run.json.journal").write_bytes(journal_of(short))

    recover(tmp_path / "run.json.journal")

    assert (tmp_path / "run.json").read_bytes() == encode(short)


def test_a_journal_without_rows_becomes_a_run_of_none(tmp_path: Path, short: Trace) -> None:
    (tmp_path / "run.json.journal").write_bytes(encode_line(header(short)))

    assert recover(tmp_path / "run.json.journal").rows == 0
    assert tracekit.load(tmp_path / "run.json")["inference_seconds"] == 0.0


def test_the_recording_may_go_elsewhere(journal: Path, tmp_path: Path, listing: Listing) -> None:
    recover(journal, tmp_path / "rescued.json")

    assert listing(tmp_path) == ["rescued.json"]


def test_a_second_recovery_finds_nothing_to_do(journal: Path, listing: Listing) -> None:
    recover(journal)

    with pytest.raises(StorageError, match="there is no such file"):
        recover(journal)

    assert listing(journal.parent) == ["run.json"]


def test_a_recording_that_is_there_is_kept_and_so_is_the_journal(journal: Path, short: Trace) -> None:
    recording, torn = journal.with_suffix(""), journal.read_bytes()
    recording.write_bytes(b"theirs")

    with pytest.raises(OutputExists):
        recover(journal)

    assert recording.read_bytes() == b"theirs"
    assert journal.read_bytes() == torn
    assert recover(journal, overwrite=True).rows == 8
    assert tracekit.load(recording)["id"] == short["id"]


def test_a_journal_that_is_being_written_is_left_alone(
    tmp_path: Path, short: Trace, listing: Listing
) -> None:
    writer = JournalWriter(tmp_path / "run.json.journal")
    writer.begin(header(short))

    with pytest.raises(OutputBusy):
        recover(tmp_path / "run.json.journal")
    writer.close()

    assert listing(tmp_path) == ["run.json.journal"]


def test_a_journal_torn_within_its_header_is_refused_and_kept(tmp_path: Path, listing: Listing) -> None:
    (tmp_path / "run.json.journal").write_bytes(b'{"schema_version":2')

    with pytest.raises(UnreadableDocument, match="nothing can be recovered"):
        recover(tmp_path / "run.json.journal")

    assert listing(tmp_path) == ["run.json.journal"]


def test_a_recording_is_not_taken_for_a_journal(tmp_path: Path, short: Trace) -> None:
    tracekit.save(short, tmp_path / "run.json")

    with pytest.raises(UsageError) as refused:
        recover(tmp_path / "run.json")

    assert str(refused.value) == (
        f"{tmp_path / 'run.json'}: a journal's name ends in .journal (run.json.journal, perhaps)"
    )


def test_a_folder_is_not_a_journal(tmp_path: Path) -> None:
    (tmp_path / "run.json.journal").mkdir()

    with pytest.raises(StorageError, match="is a folder; expected a file"):
        recover(tmp_path / "run.json.journal")


@pytest.mark.parametrize("name", ["run.json.journal", "link.json", "sub/../run.json.journal", "hard.json"])
def test_a_recording_in_its_journals_own_place_is_refused_before_anything_is_written(
    name: str, journal: Path, tmp_path: Path
) -> None:
    torn = journal.read_bytes()
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.json").symlink_to(journal)
    os.link(journal, tmp_path / "hard.json")

    with pytest.raises(UsageError) as refused:
        recover(journal, tmp_path / name, overwrite=True)

    assert str(refused.value) == f"{tmp_path / name} is the journal itself; name another file"
    assert journal.read_bytes() == torn


def test_a_journal_damaged_in_the_middle_stays_beside_what_can_be_read(
    tmp_path: Path, short: Trace, listing: Listing
) -> None:
    journal = tmp_path / "run.json.journal"
    lines = journal_of(short).splitlines(keepends=True)
    damaged = b"".join([*lines[:5], b"garbage\n", *lines[6:]])
    journal.write_bytes(damaged)

    recovered = recover(journal)

    assert recovered == Recovery(tmp_path / "run.json", 4, len(damaged) - sum(map(len, lines[:5])), 6)
    assert tracekit.load(tmp_path / "run.json")["trace"] == short["trace"][:4]
    assert journal.read_bytes() == damaged
    assert listing(tmp_path) == ["run.json", "run.json.journal"]


def test_an_empty_file_of_the_recordings_name_is_nothing(journal: Path, listing: Listing) -> None:
    journal.with_suffix("").write_bytes(b"")

    assert recover(journal).rows == 8
    assert listing(journal.parent) == ["run.json"]


def test_the_trace_of_a_journal_in_memory(short: Trace) -> None:
    end = {key: short[key] for key in ("status", "summary", "inference_seconds")}

    assert trace_of(Journal(header(short), short["trace"], end)) == short
