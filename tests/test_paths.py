"""A path may be a string wherever the package's own names take one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tracekit.storage.journal import JournalWriter
from tracekit.streaming.header import new_header


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_load_and_save(here: Path) -> None:
    trace = tracekit.load(str(RECORDINGS / "pointer-short.json"))

    assert tracekit.save(trace, "x.json") == Path("x.json")
    assert tracekit.load("x.json") == trace


@pytest.mark.parametrize("target", ["x.json", tracekit.Target("x.json"), tracekit.Target(Path("x.json"))])
def test_record(here: Path, tokens, target) -> None:
    trace = tracekit.record(tokens(2), {}, target)

    assert tracekit.load("x.json") == trace


def test_a_recorder_into_a_folder(here: Path, tokens) -> None:
    with tracekit.Recorder(tokens(2), {}, tracekit.Target(".", metadata={"by": "me"})) as recorder:
        list(recorder.batches())

    assert tracekit.load(recorder.path)["metadata"] == {"by": "me"}


def test_equal_targets_are_equal() -> None:
    assert tracekit.Target("x.json") == tracekit.Target(Path("x.json"), False, {})


@pytest.mark.parametrize(
    ("out", "there"), [(None, "x.json"), ("y.json", "y.json"), (Path("y.json"), "y.json")]
)
def test_recover(here: Path, tokens, out, there: str) -> None:
    writer = JournalWriter(here / "x.json.journal")
    writer.begin(new_header(tokens(0), {}))
    writer.close()

    assert tracekit.recover("x.json.journal", out).path == Path(there)
    assert tracekit.load(there)["status"] == "interrupted"


def test_a_cassette(here: Path) -> None:
    (here / "tape").mkdir()
    shutil.copy(RECORDINGS / "pointer-short.json", "tape")
    recorded = tracekit.load("tape/pointer-short.json")

    *_, played = tracekit.stream(tracekit.cassette(None, "tape"), recorded["request"])

    assert played["summary"] == recorded["summary"]
