"""The folder's shelf: what is listed, and that no name leads out."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS
from tracekit.errors import OutsideFolder, StorageError
from tracekit.storage.store import load
from tracekit.viewer.shelf import Entry, Filter, Shelf

ERRS = Entry("errs.json", "loop", "complete", 48, False, 0.05, "tracekit-pointer", "2026-12-01T11:00:00.000Z")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "below").mkdir(parents=True)
    shutil.copy(RECORDINGS / "pointer-errs.json", folder)
    shutil.copy(RECORDINGS / "pointer-cancelled.json", folder / "below")
    shutil.copy(RECORDINGS / "pointer-short.json", tmp_path / "secret.json")
    return folder


def test_a_recording_is_listed_with_what_its_outline_says(root: Path) -> None:
    cancelled, errs = Shelf(root).entries()

    assert (errs.name, errs.kind, errs.status, errs.steps, errs.outcome) == (
        "pointer-errs.json",
        "loop",
        "complete",
        48,
        "wrong",
    )
    assert (cancelled.name, cancelled.status, cancelled.outcome) == (
        "below/pointer-cancelled.json",
        "cancelled",
        "",
    )


def test_other_json_is_left_out_and_broken_json_is_listed_with_its_reason(root: Path) -> None:
    (root / "package.json").write_text('{"name": "something else"}')
    (root / "broken.json").write_text('{"schema_version": 2,')

    entries = {entry.name: entry for entry in Shelf(root).entries()}

    assert "package.json" not in entries
    assert entries["broken.json"].status == "unreadable"
    assert "is cut off" in entries["broken.json"].problem


def test_values_of_the_wrong_type_are_listed_as_unknown(root: Path) -> None:
    document = json.loads((root / "pointer-errs.json").read_text())
    document |= {"kind": ["loop"], "status": 7, "model": "me", "summary": [], "inference_seconds": "long"}
    (root / "odd.json").write_text(json.dumps(document))

    odd = next(entry for entry in Shelf(root).entries() if entry.name == "odd.json")

    assert odd.status == "unreadable"
    assert "expected" in odd.problem


def test_a_changed_file_is_read_again_and_a_removed_one_forgotten(root: Path) -> None:
    shelf = Shelf(root)
    assert [entry.steps for entry in shelf.entries()] == [100, 48]
    shutil.copy(RECORDINGS / "pointer-long.json", root / "pointer-errs.json")
    (root / "below" / "pointer-cancelled.json").unlink()

    assert [entry.steps for entry in shelf.entries()] == [256]


@pytest.mark.parametrize("name", ["../secret.json", "below/../../secret.json", "/etc/hostname", ".."])
def test_a_name_that_leads_out_is_refused(root: Path, name: str) -> None:
    with pytest.raises(OutsideFolder, match="leads out of the folder being viewed"):
        Shelf(root).path(name)


def test_a_link_that_leads_out_is_refused_and_not_listed(root: Path) -> None:
    (root / "out.json").symlink_to(root.parent / "secret.json")
    (root / "folder").symlink_to(root.parent)
    shelf = Shelf(root)

    assert "out.json" not in [entry.name for entry in shelf.entries()]
    for name in ("out.json", "folder/secret.json"):
        with pytest.raises(OutsideFolder):
            shelf.path(name)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have_is_an_error_in_words(root: Path, name: str) -> None:
    with pytest.raises(StorageError, match=r"is not a name of a file|the name is too long"):
        load(Shelf(root).path(name))


def test_a_folder_that_is_not_there_yet_holds_nothing(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "recordings")

    assert (shelf.entries(), shelf.journals()) == ([], [])


def test_journals_are_listed_with_the_newest_first(root: Path) -> None:
    for age, name in enumerate(["new.json.journal", "below/old.json.journal"]):
        (root / name).write_text("")
        os.utime(root / name, (1000 - age, 1000 - age))

    assert Shelf(root).journals() == ["new.json.journal", "below/old.json.journal"]


@pytest.mark.parametrize(
    ("chosen", "passes"),
    [
        (Filter(), True),
        (Filter("ERRS pointer"), True),
        (Filter("errs token"), False),
        (Filter(kinds=("token",)), False),
        (Filter(kinds=("token", "loop"), statuses=("complete",), outcomes=("wrong",)), True),
        (Filter(outcomes=("right",)), False),
        (Filter(statuses=("failed",)), False),
        (Filter(steps=(48, 60)), True),
        (Filter(steps=(49, 60)), False),
    ],
)
def test_every_part_of_a_filter_must_let_an_entry_through(chosen: Filter, passes: bool) -> None:
    assert chosen(ERRS) is passes
