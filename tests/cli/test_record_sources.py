"""What a source of one's own says, as `tracekit record` shows it."""

from __future__ import annotations

import sys

import pytest

import tracekit


@pytest.fixture
def record_own(tk, tmp_path, monkeypatch):
    """Record a generator function's body; what the command left, its recording in run.json."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own", raising=False)

    def record(*body):
        steps = "".join(f"    {line}\n" for line in body)
        (tmp_path / "own.py").write_text(
            f"import tracekit\ndef steps(request):\n{steps}"
            "make = lambda: tracekit.GeneratorSource('loop', steps)\n"
        )
        (tmp_path / "request.json").write_text("{}\n")
        return tk("record", "--model", "own:make", "--request", "request.json", "--out", "run.json")

    return record


def test_a_row_may_say_what_is_expected_and_no_more(record_own):
    result = record_own("yield {'prediction': 'a', 'expected': 'b'}")

    assert result.code == 0
    assert result.out.splitlines()[1].split()[:4] == ["1", "a", "expected", "b"]
    assert tracekit.load("run.json")["trace"][0]["expected"] == "b"


def test_a_models_error_is_one_line_whatever_is_in_it(record_own):
    result = record_own("yield 'a'", r"raise RuntimeError('one\ntwo\r\x1b]0;HACK\x07')")

    said = r"RuntimeError: one\ntwo\r\x1b]0;HACK\x07"
    assert result.err == f"tracekit: the model raised {said}; the rows before it are in run.json\n"
    assert result.out.splitlines()[-2].endswith(f" s: {said}")
    assert result.code == 2


def test_the_stop_reason_of_a_model_cannot_steer_the_terminal(record_own):
    result = record_own("yield 'a'", r"return '\x1b]0;HACK\x07'")

    assert r"1 loops, stopped by \x1b]0;HACK\x07 in " in result.out.splitlines()[-2]


def test_each_of_many_requests_that_fails_is_one_line(record_own, tk, tmp_path):
    record_own("yield 'a'", r"raise RuntimeError('one\ntwo')")
    (tmp_path / "many.jsonl").write_text("{}\n{}\n")
    (tmp_path / "runs").mkdir()

    result = tk("record", "--model", "own:make", "--requests", "many.jsonl", "--out-dir", "runs")

    assert result.err.splitlines()[:2] == [rf"request {at}: RuntimeError: one\ntwo" for at in (1, 2)]
