"""Names that nothing is written to, and two names of one file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import tracekit
from tests.storage.actors import source
from tracekit.errors import StorageError, UsageError
from tracekit.format.types import Trace
from tracekit.storage.files import place, refuse_input
from tracekit.storage.store import save

Listing = Callable[[Path], list[str]]


@pytest.mark.parametrize("name", ["run.json.journal", "link.json"])
def test_a_journal_is_never_written_over_by_a_recording(
    name: str, tmp_path: Path, short: Trace, listing: Listing
) -> None:
    journal = tmp_path / "run.json.journal"
    journal.write_bytes(b"rows")
    (tmp_path / "link.json").symlink_to("run.json.journal")

    with pytest.raises(StorageError) as refused:
        save(short, tmp_path / name, overwrite=True)

    assert str(refused.value) == (
        f"{tmp_path / name}: only a journal's name ends in .journal; choose another name"
    )
    assert journal.read_bytes() == b"rows"
    assert listing(tmp_path) == ["link.json", "run.json.journal"]


def test_a_run_that_would_be_recorded_under_a_journals_name_is_refused_before_it_begins(
    tmp_path: Path, listing: Listing
) -> None:
    with pytest.raises(StorageError, match="only a journal's name"):
        tracekit.record(source(3), {}, tmp_path / "run.json.journal")

    assert listing(tmp_path) == []


def test_no_file_is_written_that_is_named_like_standard_output(
    tmp_path: Path, short: Trace, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(StorageError) as refused:
        save(short, "-", overwrite=True)

    assert str(refused.value) == "-: standard output cannot be written to here; name a file"
    assert listing(tmp_path) == []


@pytest.mark.parametrize("name", ["sub/../run.json", "link.json", "folder/run.json", "hard.json"])
def test_every_name_of_a_file_is_of_one_place(name: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "run.json").write_bytes(b"")
    (tmp_path / "link.json").symlink_to("run.json")
    (tmp_path / "folder").symlink_to(tmp_path)
    os.link(tmp_path / "run.json", tmp_path / "hard.json")

    assert place(tmp_path / name) == place(tmp_path / "run.json")
    with pytest.raises(UsageError) as refused:
        refuse_input(tmp_path / name, [tmp_path / "run.json"], "recording")

    assert str(refused.value) == f"{tmp_path / name} is the recording itself; name another file"


def test_two_names_of_a_file_that_is_not_there_yet_are_of_one_place(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.json").symlink_to("run.json")

    assert (
        place(tmp_path / "sub/../run.json") == place(tmp_path / "link.json") == place(tmp_path / "run.json")
    )
    assert place(tmp_path / "run.json") != place(tmp_path / "sub/run.json")


def test_standard_input_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match="- is the recording itself"):
        refuse_input(Path("-"), ["./-"], "recording")
    assert refuse_input(Path("-"), ["-"], "recording") is None
