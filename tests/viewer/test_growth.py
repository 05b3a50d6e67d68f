"""A journal's run while its recorder writes, and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracekit
from tracekit.errors import StorageError, UnreadableDocument
from tracekit.storage.journal import journal_path
from tracekit.streaming.recorder import Recorder, Target
from tracekit.viewer.growth import grown, slowed


def test_a_journal_that_is_being_written_is_a_streaming_trace(tmp_path: Path, tokens: Any) -> None:
    journal = journal_path(tmp_path / "run.json")

    with Recorder(tokens(3), {}, Target(tmp_path / "run.json")) as recorder:
        before = grown(journal)
        list(recorder.batches())
        after = grown(journal)

    assert before is not None
    assert after is not None
    assert (before.state, before.trace["status"], len(before.trace["trace"])) == ("growing", "streaming", 0)
    assert (after.state, after.trace["status"], len(after.trace["trace"])) == ("growing", "streaming", 3)


def test_a_journal_that_has_become_a_recording_is_that_recording(tmp_path: Path, tokens: Any) -> None:
    trace = tracekit.record(tokens(3), {}, tmp_path / "run.json")

    growth = grown(journal_path(tmp_path / "run.json"))

    assert growth is not None
    assert (growth.state, growth.trace) == ("recorded", trace)
    assert growth.data == (tmp_path / "run.json").read_bytes()


def test_a_journal_whose_recorder_died_is_interrupted_at_its_last_row(tmp_path: Path, tokens: Any) -> None:
    journal = journal_path(tmp_path / "run.json")
    with Recorder(tokens(3), {}, Target(tmp_path / "run.json")) as recorder:
        list(recorder.batches())
        left = journal.read_bytes()
    (tmp_path / "run.json").unlink()
    journal.write_bytes(left)

    growth = grown(journal)

    assert growth is not None
    assert (growth.state, growth.trace["status"], len(growth.trace["trace"])) == ("interrupted",) * 2 + (3,)


def test_an_empty_journal_holds_nothing_yet(tmp_path: Path) -> None:
    (tmp_path / "run.json.journal").touch()

    assert grown(tmp_path / "run.json.journal") is None


def test_neither_a_journal_nor_a_recording_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such file"):
        grown(tmp_path / "run.json.journal")


def test_what_is_no_journal_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "run.json.journal").write_text("hello\n")

    with pytest.raises(UnreadableDocument, match="is not a journal"):
        grown(tmp_path / "run.json.journal")


@pytest.mark.parametrize(("took", "period"), [(0.01, 0.5), (0.125, 0.5), (0.13, 1.0), (1.4, 8.0)])
def test_refreshes_come_less_often_where_one_takes_long(took: float, period: float) -> None:
    assert slowed(0.5, took) == period
