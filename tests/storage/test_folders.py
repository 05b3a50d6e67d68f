"""Folders: made where files go into them, read whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracekit.errors import StorageError
from tracekit.storage.files import files_under, is_folder, make_folder, refuse_unusable_folder
from tracekit.storage.store import inside


def test_a_folder_is_made_with_those_above_it_and_may_be_there(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("use", [make_folder, refuse_unusable_folder])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file", "file: is not a folder"),
        ("file/a/b", "file: is not a folder"),
        ("nowhere", "nowhere: there is no such folder; make it first"),
        ("x" * 300, "x: the name is too long"),
    ],
)
def test_a_folder_that_cannot_be_made_is_refused_in_words(
    tmp_path: Path, use: object, name: str, said: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("gone")

    with pytest.raises(StorageError) as refused:
        use(tmp_path / name)  # type: ignore[operator]

    assert str(refused.value).endswith(said)


def test_asking_whether_a_folder_could_be_made_makes_none(tmp_path: Path) -> None:
    refuse_unusable_folder(tmp_path / "a" / "b")

    assert list(tmp_path.iterdir()) == []


def test_whether_too_long_a_name_is_a_folder_the_system_will_not_say(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="the name is too long"):
        is_folder(tmp_path / ("x" * 300))


def test_hidden_files_are_not_among_those_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.json", "a/c.json", ".d.json", ".hidden/e.json", "f.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert files_under(tmp_path, ".json") == [tmp_path / "a/c.json", tmp_path / "b.json"]


def test_a_fresh_trace_is_no_recording_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.new.json").touch()

    assert inside(tmp_path) == []
