"""What the viewer's command line says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracekit.errors import StorageError, UsageError
from tracekit.viewer.settings import Settings


def test_nothing_said_is_the_recordings_folder_and_the_pointer_model() -> None:
    assert Settings.parse([]) == Settings(Path("recordings"), "", "pointer", None)


def test_a_folder_and_a_model(tmp_path: Path) -> None:
    said = Settings.parse([str(tmp_path), "--model=hf:somewhere", "--checkpoint=early"])

    assert said == Settings(tmp_path, "", "hf:somewhere", "early")


def test_a_recording_is_opened_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run.json").touch()

    assert Settings.parse([str(tmp_path / "run.json")]) == Settings(tmp_path, "run.json")


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such file or folder"):
        Settings.parse([str(tmp_path / "gone")])


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(UsageError, match="--colour"):
        Settings.parse(["--colour=red"])
