"""What the system refuses, in our words."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.actors import ROOT
from tests.storage.conftest import actor
from tracekit.errors import StorageError
from tracekit.storage.files import open_regular, read_file, refuse_unwritable

Listing = Callable[[Path], list[str]]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is a folder; expected the name of a file"),
        ("missing/run.json", "missing: there is no such folder; make it first"),
        ("file/run.json", "file: is not a folder"),
        ("x" * 256, "the name is too long"),
    ],
)
def test_a_place_where_nothing_can_be_written_is_refused_beforehand(
    name: str, reason: str, tmp_path: Path, listing: Listing
) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StorageError) as refused:
        refuse_unwritable(tmp_path / name, overwrite=True)

    assert str(refused.value).endswith(reason)
    assert listing(tmp_path) == ["file"]


def test_a_folder_without_permission_is_refused() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)

        process = actor("save", ROOT / "recordings/pointer-short.json", folder / "run.json")
        _, message = process.communicate(timeout=60)

        assert message == f"StorageError: {folder}: cannot be written to; check its permissions\n"
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.json", "there is no such file"),
        ("", "is a folder; expected a file"),
        ("file/x", "what leads there is not a folder"),
        ("x" * 300, "the name is too long"),
        ("loop", "is a link that cannot be followed"),
        ("pipe", "is not a regular file; to read a pipe, give - and pipe it in"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(StorageError) as refused:
        read_file(tmp_path / name)

    assert str(refused.value) == f"{tmp_path / name}: {reason}"


def test_a_device_is_never_read() -> None:
    with pytest.raises(StorageError, match=r"^/dev/zero: is not a regular file"):
        open_regular(Path("/dev/zero"))


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"12345")

    assert read_file(tmp_path / "run.json", limit=5) == b"12345"
    with pytest.raises(StorageError, match="is larger than 4 bytes, so it is not read"):
        read_file(tmp_path / "run.json", limit=4)


def test_standard_input_is_read_to_its_end_or_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"x" * (3 << 20)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_file("-") == data

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(StorageError, match=r"^-: is larger than 1000 bytes"):
        read_file("-", limit=1000)
