"""A whole file or nothing, never in place of one that nobody named, and no trace of the attempt."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tracekit.errors import OutputExists, StorageError
from tracekit.storage.atomic import write_atomically

Listing = Callable[[Path], list[str]]


def failing(error: int) -> Callable[..., None]:
    """A system call that the system refuses."""

    def call(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    return call


def test_a_file_is_written_whole(tmp_path: Path, listing: Listing) -> None:
    write_atomically(tmp_path / "run.json", [b"one ", b"two"])

    assert (tmp_path / "run.json").read_bytes() == b"one two"
    assert listing(tmp_path) == ["run.json"]


def test_a_new_file_has_the_mode_that_the_users_mask_gives(tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, sys, pathlib; from tracekit.storage.atomic import write_atomically; os.umask(0o027);"
            "write_atomically(pathlib.Path(sys.argv[1]), [b'x'])",
            str(tmp_path / "run.json"),
        ],
        check=True,
    )

    assert stat.S_IMODE((tmp_path / "run.json").stat().st_mode) == 0o640


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    path.chmod(0o600)

    write_atomically(path, [b"new"], overwrite=True)

    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path, listing: Listing) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"theirs")

    with pytest.raises(OutputExists) as refused:
        write_atomically(path, [b"ours"])

    assert str(refused.value) == f"{path}: is there already; choose another name, or add --overwrite"
    assert path.read_bytes() == b"theirs"
    assert listing(tmp_path) == ["run.json"]


def test_a_file_that_appears_while_ours_is_written_is_not_replaced(tmp_path: Path, listing: Listing) -> None:
    path = tmp_path / "run.json"

    def chunks() -> Iterator[bytes]:
        yield b"ours"
        path.write_bytes(b"theirs")

    with pytest.raises(OutputExists):
        write_atomically(path, chunks())

    assert path.read_bytes() == b"theirs"
    assert listing(tmp_path) == ["run.json"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_at_any_step_of_a_replacement_leaves_the_old_file(
    call: str, tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, failing(errno.EIO))

    with pytest.raises(StorageError) as refused:
        write_atomically(path, [b"new"], overwrite=True)

    assert str(refused.value) == f"{path}: Input/output error"
    assert path.read_bytes() == b"old"
    assert listing(tmp_path) == ["run.json"]


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_failure_at_any_step_of_a_new_file_leaves_nothing(
    call: str, tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, call, failing(errno.ENOSPC))

    with pytest.raises(StorageError, match="the disk is full"):
        write_atomically(tmp_path / "run.json", [b"new"])

    assert listing(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_interruption_between_two_chunks_leaves_nothing(
    error: type[BaseException], tmp_path: Path, listing: Listing
) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise error

    with pytest.raises(error):
        write_atomically(tmp_path / "run.json", chunks())

    assert listing(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, listing: Listing) -> None:
    script = (
        "import sys, pathlib, resource; from tracekit.storage.atomic import write_atomically;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "write_atomically(pathlib.Path(sys.argv[1]), [b'x' * 999, b'y' * 999])"
    )

    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "run.json")], capture_output=True, text=True
    )

    assert ended.stderr.endswith("run.json: the file would be larger than the system allows\n")
    assert listing(tmp_path) == []


def test_without_hard_links_the_name_is_taken_first(
    tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", failing(errno.EPERM))

    write_atomically(tmp_path / "run.json", [b"new"])

    assert (tmp_path / "run.json").read_bytes() == b"new"
    assert listing(tmp_path) == ["run.json"]


def test_without_hard_links_a_file_that_appears_is_not_replaced(
    tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    monkeypatch.setattr(os, "link", failing(errno.EPERM))

    def chunks() -> Iterator[bytes]:
        yield b"ours"
        path.write_bytes(b"theirs")

    with pytest.raises(OutputExists):
        write_atomically(path, chunks())

    assert path.read_bytes() == b"theirs"
    assert listing(tmp_path) == ["run.json"]


def test_without_hard_links_a_failed_rename_gives_the_name_back(
    tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    monkeypatch.setattr(os, "replace", failing(errno.EIO))

    with pytest.raises(StorageError, match="Input/output error"):
        write_atomically(tmp_path / "run.json", [b"new"])

    assert listing(tmp_path) == []


def test_a_write_goes_where_a_link_leads(tmp_path: Path, listing: Listing) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/run.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to("real/run.json")

    write_atomically(tmp_path / "link.json", [b"new"], overwrite=True)

    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real/run.json").read_bytes() == b"new"
    assert listing(tmp_path / "real") == ["run.json"]


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125 + ".json")

    write_atomically(path, [b"x"])

    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_pipe_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(StorageError, match="is not a regular file, so nothing is written in its place"):
        write_atomically(tmp_path / "pipe", [b"x"], overwrite=overwrite)

    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
