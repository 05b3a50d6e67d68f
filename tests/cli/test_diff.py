"""`tracekit diff`."""

from __future__ import annotations

import orjson
import pytest

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS
from tracekit import load, save

CYCLE = RECORDINGS / "pointer-cycle.json"


@pytest.fixture
def moved(tmp_path):
    """The cycle recording with one number moved by a hundredth of itself."""
    trace = load(CYCLE)
    trace["trace"][6]["top3"][1]["probability"] *= 1.01
    return save(trace, tmp_path / "moved.json")


def test_a_recording_is_identical_to_itself(tk):
    result = tk("diff", CYCLE, CYCLE)

    assert result.code == 0
    assert result.out.startswith("identical: 52 loops\n")
    assert "tolerance (float32 defaults): atol 1e-12, rtol 0.0005" in result.out


def test_a_difference_is_exit_1_and_one_sentence_first(tk, moved):
    result = tk("diff", CYCLE, moved)

    assert result.code == 1
    assert result.out.startswith("different: loop 7: top3[")
    assert "top3: 1 different" in result.out


def test_an_option_widens_the_tolerance_and_is_named(tk, moved):
    result = tk("diff", CYCLE, moved, "-t", "rtol=0.02")

    assert result.code == 0
    assert result.out.startswith("within tolerance: loop 7: top3[")
    assert "tolerance (--tolerance): rtol 0.02" in result.out


def test_a_file_widens_the_tolerance_and_is_named(tk, moved, tmp_path):
    (tmp_path / "wide.toml").write_text("rtol = 0.02\n")

    result = tk("diff", CYCLE, moved, "--tolerances", "wide.toml")

    assert result.code == 0
    assert "tolerance (wide.toml): rtol 0.02" in result.out


def test_json_is_one_object(tk, moved):
    result = tk("diff", CYCLE, moved, "--json")

    assert result.code == 1
    found = orjson.loads(result.out)
    assert found["verdict"] == "different"
    assert found["differences"][0]["row"] == 7


def test_timing_is_compared_if_asked(tk, tmp_path):
    trace = load(CYCLE)
    for row in trace["trace"]:
        row["arrival_seconds"] *= 3
    trace["inference_seconds"] *= 3
    save(trace, tmp_path / "slow.json")

    assert tk("diff", CYCLE, "slow.json").code == 0
    assert tk("diff", CYCLE, "slow.json", "--timing", "2").code == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gone.json"], "gone.json: there is no such file"),
        ([CYCLE, "-t", "rtoll=1"], "there is no tolerance 'rtoll'"),
        ([CYCLE, "-t", "rtol"], "expected KEY=NUMBER"),
        ([CYCLE, "--timing", "0"], "timing must be a ratio of 1 or more"),
        ([CYCLE, "--tolerances", "gone.toml"], "gone.toml: there is no such file"),
    ],
)
def test_what_cannot_be_compared_is_exit_2_and_one_line(tk, arguments, told):
    assert told in one_line(tk("diff", CYCLE, *arguments))
