"""`tracekit calibrate`."""

from __future__ import annotations

import tomllib

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS
from tracekit import load, save

SHORT = RECORDINGS / "pointer-short.json"


def test_it_measures_and_proposes_with_the_basis(tk):
    result = tk("calibrate", SHORT, "--runs", "4", "--threads", "2")

    assert result.code == 0
    assert "# 4 runs (threads × batch): 1 × 1, 1 × 2, 2 × 1, 2 × 2" in result.out
    assert "# top3: moved by up to " in result.out
    assert "10 × the largest spread seen" in result.out
    assert 0 < tomllib.loads(result.out)["rtol"] < 5e-4


def test_what_it_writes_a_check_takes(tk, tmp_path):
    golden = load(SHORT)
    save(golden, tmp_path / "short.json")

    written = tk("calibrate", "short.json", "--runs", "4", "--threads", "2", "--write", "tolerances.toml")
    checked = tk("diff", "short.json", "short.json")

    assert written.code == 0
    assert "tolerance (tolerances.toml): rtol " in checked.out


def test_a_margin_below_1_is_refused_before_anything_runs(tk):
    assert "tighter than the spread" in one_line(tk("calibrate", SHORT, "--margin", "0.5"))


def test_a_file_that_is_there_is_not_overwritten(tk, tmp_path):
    (tmp_path / "tolerances.toml").write_text("rtol = 1\n")

    result = tk("calibrate", SHORT, "--runs", "2", "--write", "tolerances.toml")

    said = "tolerances.toml: is there already; choose another name, or remove it first"
    assert one_line(result) == f"tracekit: {said}"
    assert (tmp_path / "tolerances.toml").read_text() == "rtol = 1\n"


def test_a_golden_that_is_not_there_is_exit_2(tk):
    assert "gone.json: there is no such file" in one_line(tk("calibrate", "gone.json"))
