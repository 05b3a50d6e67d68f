"""Nesting: how deep a trace's free members may be, and that whatever is deeper is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import tracekit
from tests.conftest import RECORDINGS, TOKEN
from tracekit.errors import DocumentError, UnreadableDocument
from tracekit.format.codec import decode_outline, encode, encode_head
from tracekit.storage.store import outline

SHORT = (RECORDINGS / "pointer-short.json").read_bytes()
DEEPEST = 253


def nested(levels: int) -> dict[str, Any]:
    """An object that holds so many arrays, one in the other."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return {"a": value}


def with_metadata(levels: int) -> bytes:
    """The canonical bytes that a recording with so many levels would have."""
    array = b"[" * levels + b"]" * levels
    return SHORT.replace(b'"metadata": {}', b'"metadata": {"a":%s}' % array)


def test_the_deepest_metadata_is_written_read_and_outlined(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(with_metadata(DEEPEST))

    trace = tracekit.load(tmp_path / "run.json")

    assert encode(trace) == with_metadata(DEEPEST)
    assert outline(tmp_path / "run.json").document["metadata"] == trace["metadata"] == nested(DEEPEST)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 500, 1000, 2000])
def test_deeper_metadata_is_refused_by_an_outline_as_by_loading(levels: int, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(with_metadata(levels))

    assert decode_outline(path.read_bytes(), path.read_bytes(), path) is None
    for read in (outline, tracekit.load):
        with pytest.raises(UnreadableDocument, match="is nested too deeply to be a trace"):
            read(path)


def test_a_head_in_a_line_may_be_as_deep_as_in_a_recording() -> None:
    head = {"metadata": nested(DEEPEST), "status": "complete"}

    assert orjson.loads(encode_head(head)) == head
    with pytest.raises(DocumentError, match="header: is nested too deeply"):
        encode_head({"metadata": nested(DEEPEST + 1)})


def test_a_run_with_the_deepest_metadata_is_recorded(tmp_path: Path) -> None:
    source = tracekit.ScriptedSource("token", tracekit.Script([TOKEN]))

    tracekit.record(source, {}, tracekit.Target(tmp_path / "run.json", metadata=nested(DEEPEST)))

    assert tracekit.load(tmp_path / "run.json")["metadata"] == nested(DEEPEST)
