"""What a writer leaves when it is killed goes with the next one; what a live one writes is its own."""

from __future__ import annotations

import errno
import fcntl
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tracekit
from tests.storage.actors import ROOT
from tests.storage.conftest import actor
from tests.storage.journals import journal_of
from tracekit.errors import OutputExists
from tracekit.format.types import Trace
from tracekit.storage.atomic import write_atomically
from tracekit.storage.recovery import recover

Listing = Callable[[Path], list[str]]


def half_written(path: Path) -> subprocess.Popen[str]:
    """A process that has written half a file."""
    process = actor("half", path, "theirs")
    assert process.stdout.readline() == "half\n"
    return process


@pytest.fixture
def killed(tmp_path: Path, listing: Listing) -> Path:
    """The path of a recording whose writer was killed; half of it lies beside."""
    path = tmp_path / "run.json"
    process = half_written(path)
    process.kill()
    process.communicate(timeout=60)
    assert len(listing(tmp_path)) == 1
    return path


def test_the_next_writer_of_a_path_removes_what_a_killed_one_left(killed: Path, listing: Listing) -> None:
    write_atomically(killed, [b"ours"])

    assert killed.read_bytes() == b"ours"
    assert listing(killed.parent) == ["run.json"]


def test_a_writer_of_another_path_leaves_it(killed: Path, listing: Listing) -> None:
    write_atomically(killed.with_name("other.json"), [b"ours"])

    assert len(listing(killed.parent)) == 2


@pytest.mark.parametrize("out", ["run.json", "rescued.json"])
def test_recovery_removes_what_the_recordings_killed_writer_left(
    out: str, killed: Path, short: Trace, listing: Listing
) -> None:
    journal = killed.with_name("run.json.journal")
    journal.write_bytes(journal_of(short))

    recover(journal, killed.with_name(out))

    assert listing(killed.parent) == [out]


def test_two_writers_of_one_path_at_once_each_write_a_whole_file(tmp_path: Path, listing: Listing) -> None:
    path = tmp_path / "run.json"
    process = half_written(path)

    write_atomically(path, [b"ours"], overwrite=True)
    between = path.read_bytes()
    process.communicate("go\n", timeout=60)

    assert (between, process.returncode) == (b"ours", 0)
    assert path.read_bytes() == b"half, theirs"
    assert listing(tmp_path) == ["run.json"]


def test_a_writer_within_a_writer_of_one_path_leaves_no_file_behind(tmp_path: Path, listing: Listing) -> None:
    path = tmp_path / "run.json"

    def chunks() -> Iterator[bytes]:
        yield b"outer"
        write_atomically(path, [b"inner"])

    with pytest.raises(OutputExists):
        write_atomically(path, chunks())

    assert path.read_bytes() == b"inner"
    assert listing(tmp_path) == ["run.json"]


def test_without_locks_a_writer_leaves_what_it_cannot_tell_from_a_live_ones(
    killed: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    write_atomically(killed, [b"ours"])

    assert killed.read_bytes() == b"ours"
    assert len(listing(killed.parent)) == 2


def test_a_file_is_written_into_a_folder_that_may_be_written_but_not_listed(short: Trace) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o333)

        process = actor("save", ROOT / "recordings/pointer-short.json", folder / "run.json")
        _, message = process.communicate(timeout=60)
        folder.chmod(0o700)

        assert (message, process.returncode) == ("", 0)
        assert [path.name for path in folder.iterdir()] == ["run.json"]
        assert tracekit.load(folder / "run.json") == short
