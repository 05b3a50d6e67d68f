"""The journal: whatever is cut off, every whole row before it is kept."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

import tracekit
from tests.storage.actors import source
from tests.storage.conftest import actor
from tests.storage.journals import header, journal_of, tail
from tracekit.errors import (
    DocumentError,
    InvalidTrace,
    JournalLeft,
    NonFiniteNumber,
    OutputBusy,
    OutputExists,
    StorageError,
    UnreadableDocument,
)
from tracekit.format.codec import encode_line
from tracekit.format.types import Trace
from tracekit.storage.files import try_lock
from tracekit.storage.journal import (
    JournalWriter,
    claimed,
    is_being_written,
    journal_path,
    parse_journal,
    read_journal,
)

Listing = Callable[[Path], list[str]]


def test_a_journal_lies_beside_its_recording() -> None:
    assert journal_path(Path("a/run.json")) == Path("a/run.json.journal")


def test_what_is_written_reads_back(tmp_path: Path, short: Trace) -> None:
    writer = JournalWriter(tmp_path / "j")
    writer.begin(header(short))
    writer.append(b"".join(map(encode_line, short["trace"][:5])))
    writer.append(b"".join(map(encode_line, short["trace"][5:])))
    writer.end(tail(short))
    writer.close()

    found = read_journal(tmp_path / "j")

    assert (found.header, found.rows, found.end) == (header(short), short["trace"], tail(short))
    assert found.left_out == 0


def test_a_row_is_with_the_kernel_when_append_returns(tmp_path: Path, short: Trace) -> None:
    writer = JournalWriter(tmp_path / "j")
    writer.begin(header(short))

    writer.append(encode_line(short["trace"][0]))

    assert read_journal(tmp_path / "j").rows == short["trace"][:1]
    writer.close()


def test_rows_reach_the_disk_once_a_second(
    tmp_path: Path, short: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, synced = [0.0], []
    writer = JournalWriter(tmp_path / "j", clock=lambda: now[0])
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(now[0]))
    writer.begin(header(short))
    writer.sync()

    for moment in (0.4, 0.9, 1.1, 1.5, 2.0, 2.2):
        now[0] = moment
        writer.append(encode_line(short["trace"][0]))
    now[0] = 2.3
    writer.end(tail(short))
    writer.close()

    assert synced == [0.0, 1.1, 2.2, 2.3]


def test_a_journal_cut_at_any_byte_keeps_every_whole_row(short: Trace) -> None:
    data = journal_of(short)
    lines = data.splitlines()
    ends = [len(b"\n".join(lines[: at + 1])) for at in range(len(lines))]  # a lost line break is no loss

    for cut in range(ends[0], len(data) + 1):
        found = parse_journal(data[:cut], "j")
        whole = sum(cut >= end for end in ends) - 1
        assert found.rows == short["trace"][:whole]
        assert (found.end is not None) == (cut >= ends[-1])
        assert cut - found.left_out in (ends[whole], ends[whole] + 1)
        assert found.damaged_line is None


def test_a_journal_cut_within_its_header_is_refused_at_any_byte(short: Trace) -> None:
    data = journal_of(short)

    for cut in range(data.index(b"\n")):
        with pytest.raises(UnreadableDocument, match="cut off within its first line"):
            parse_journal(data[:cut], "j")


DAMAGE = {
    "torn in the middle": lambda lines: [*lines[:5], lines[5][:40] + b"\n", *lines[6:]],
    "a row is missing": lambda lines: [*lines[:5], *lines[6:]],
    "a row stands twice": lambda lines: [*lines[:5], lines[4], *lines[5:]],
    "a row is invalid": lambda lines: [*lines[:5], lines[5].replace(b'"loop"', b'"lop"'), *lines[6:]],
    "a row arrived earlier": lambda lines: [
        *lines[:5],
        encode_line({**orjson.loads(lines[5]), "arrival_seconds": 0.0}),
        *lines[6:],
    ],
    "zeros, and then more": lambda lines: [*lines[:5], b"\0" * 4096, *lines[6:]],
    "a carriage return": lambda lines: [*lines[:5], b"\r", *lines[6:]],
    "deep nesting": lambda lines: [*lines[:5], b'{"loop": ' + b"[" * 1000 + b"]" * 1000 + b"}\n"],
    "an end that does not fit": lambda lines: [*lines[:5], b'{"status":"complete"}\n'],
    "an end with more than ends": lambda lines: [
        *lines[:5],
        b'{"status":"cancelled","inference_seconds":1.0,"id":"x"}\n',
    ],
    "a status that does not end": lambda lines: [*lines[:5], b'{"status":"streaming"}\n'],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_what_comes_after_damage_is_left_out(
    damage: Callable[[list[bytes]], list[bytes]], short: Trace
) -> None:
    lines = journal_of(short).splitlines(keepends=True)
    data = b"".join(damage(lines))

    found = parse_journal(data, "j")

    assert found.rows == short["trace"][:4]
    assert found.end is None
    assert found.left_out == len(data) - sum(map(len, lines[:5])) > 0
    assert found.damaged_line == 6


def test_zeros_at_the_end_as_after_a_loss_of_power_are_a_torn_line(short: Trace) -> None:
    lines = journal_of(short).splitlines(keepends=True)

    found = parse_journal(b"".join([*lines[:5], b"\0" * 4096]), "j")

    assert (found.rows, found.left_out, found.damaged_line) == (short["trace"][:4], 4096, None)


def test_a_journal_that_went_on_after_its_end_is_damaged_there(short: Trace) -> None:
    found = parse_journal(journal_of(short) + b"{}\n", "j")

    assert (found.end, found.left_out, found.damaged_line) == (tail(short), 3, 15)


@pytest.mark.parametrize(
    ("first", "error"),
    [
        (b"[1]\n", UnreadableDocument),
        (b"{}\n", DocumentError),
        (b'{"schema_version": 3}\n', DocumentError),
        (b'{"schema_version": 2, "kind": []}\n', InvalidTrace),
    ],
)
def test_what_is_not_a_journal_is_refused_by_name(first: bytes, error: type[DocumentError]) -> None:
    with pytest.raises(error, match=r"^run\.json\.journal: "):
        parse_journal(first, "run.json.journal")


def test_a_header_that_could_never_be_saved_is_refused_before_anything_runs(
    tmp_path: Path, listing: Listing
) -> None:
    target = tracekit.Target(tmp_path / "run.json", metadata={"note": float("nan")})

    with pytest.raises(NonFiniteNumber) as refused:
        tracekit.record(source(3), {}, target)

    assert str(refused.value).endswith(
        "run.json.journal: /metadata/note: expected a finite number; found nan"
    )
    assert listing(tmp_path) == []


def test_a_second_recorder_is_refused_before_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    holder = actor("hold", path)
    assert holder.stdout.readline() == "holding\n"

    with pytest.raises(OutputBusy) as refused:
        tracekit.record(Untouchable("token", tracekit.Script([])), {}, path)
    holder.communicate("go\n", timeout=60)

    assert str(refused.value).startswith(f"{path}.journal: another recorder is writing this recording")
    assert tracekit.load(path)["status"] == "cancelled"


def test_a_second_recorder_in_the_same_process_is_refused(tmp_path: Path) -> None:
    target = tracekit.Target(tmp_path / "run.json")

    with tracekit.Recorder(source(3), {}, target) as first:
        with pytest.raises(OutputBusy):
            tracekit.record(Untouchable("token", tracekit.Script([])), {}, target)
        rows = [row for batch in first.batches() for row in batch]

    assert tracekit.load(target.path)["trace"] == rows


class Untouchable(tracekit.ScriptedSource):
    """A source that must not run."""

    def observe(self, request: object, emit: object) -> str:
        raise AssertionError("it ran")


def test_a_recording_that_is_there_is_refused_before_anything_runs(tmp_path: Path, listing: Listing) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b"theirs")

    with pytest.raises(OutputExists):
        tracekit.record(Untouchable("token", tracekit.Script([])), {}, path)

    assert listing(tmp_path) == ["run.json"]


def test_a_journal_that_a_dead_recorder_left_is_not_overwritten(tmp_path: Path, short: Trace) -> None:
    journal = tmp_path / "my run.json.journal"
    journal.write_bytes(journal_of(short)[:2000])

    with pytest.raises(JournalLeft) as refused:
        tracekit.record(Untouchable("token", tracekit.Script([])), {}, tmp_path / "my run.json")

    assert str(refused.value).endswith(f"run: tracekit recover '{journal}'")
    assert journal.read_bytes() == journal_of(short)[:2000]


def test_a_recorder_that_ends_while_another_opens_its_journal_leaves_nothing_to_recover(
    tmp_path: Path, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.ExitStack() as first:
        first.enter_context(tracekit.Recorder(source(3), {}, tracekit.Target(tmp_path / "run.json")))

        def end_first(descriptor: int, mode: int) -> bool:
            first.close()
            return try_lock(descriptor, mode)

        monkeypatch.setattr("tracekit.storage.journal.try_lock", end_first)
        with pytest.raises(OutputBusy):
            JournalWriter(tmp_path / "run.json.journal")

    assert listing(tmp_path) == ["run.json"]


def test_an_empty_journal_holds_nothing_and_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "run.json.journal").write_bytes(b"")

    assert len(tracekit.record(source(3), {}, tmp_path / "run.json")["trace"]) == 3


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("elsewhere"), Path.mkdir])
def test_a_journal_is_only_ever_a_regular_file(
    make: Callable[[Path], None], tmp_path: Path, listing: Listing
) -> None:
    make(tmp_path / "run.json.journal")

    with pytest.raises(StorageError):
        tracekit.record(Untouchable("token", tracekit.Script([])), {}, tmp_path / "run.json")

    assert listing(tmp_path) == ["run.json.journal"]


def test_a_journal_in_use_is_known(tmp_path: Path, short: Trace) -> None:
    writer = JournalWriter(tmp_path / "j")
    writer.begin(header(short))
    assert is_being_written(tmp_path / "j")
    with pytest.raises(OutputBusy), claimed(tmp_path / "j"):
        pass

    writer.close()
    writer.close()

    assert not is_being_written(tmp_path / "j")
    with claimed(tmp_path / "j"), pytest.raises(OutputBusy), claimed(tmp_path / "j"):
        pass
