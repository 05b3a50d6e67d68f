"""The still picture."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import Stamped, looped, record, sentence, token
from tracekit.player.picture import export_picture


@pytest.mark.parametrize("run", ["pointer-errs", "pointer-long"])
def test_a_png_of_a_pointer_run_is_a_readable_picture(run: str) -> None:
    data = export_picture(tracekit.load(RECORDINGS / f"{run}.json"), "png")

    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert (width, height > 600) == (1280, True)


@pytest.mark.parametrize("source", [sentence(6), looped(5)])
def test_the_same_run_gives_the_same_svg(source: tracekit.ScriptedSource, tmp_path: Path) -> None:
    trace = tracekit.load(record(source, tmp_path / "run.json"))

    first, second = export_picture(trace, "svg"), export_picture(trace, "svg")

    assert first == second
    assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_hostile_name_is_drawn_and_nothing_else(tmp_path: Path) -> None:
    name = "$\\frac{1}{0}$ --> <script>alert(1)</script> \x1b \u6a21\u578b"
    source = Stamped("token", tracekit.Script([token("a")], [0.1]), name=name)

    svg = export_picture(tracekit.load(record(source, tmp_path / "run.json")), "svg")

    tags = {node.tag.rpartition("}")[2] for node in ElementTree.fromstring(svg).iter()}
    assert tags.isdisjoint({"script", "image", "a", "foreignObject"})


def test_a_run_without_rows_says_that_there_is_nothing_to_draw(tmp_path: Path) -> None:
    trace = tracekit.load(record(Stamped("token", tracekit.Script([])), tmp_path / "run.json"))

    with pytest.raises(tracekit.TracekitError, match="no rows, so there is nothing to draw"):
        export_picture(trace, "png")
