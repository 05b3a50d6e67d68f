"""How rows and summaries read, whichever of their optional keys are there."""

from __future__ import annotations

import pytest

from tracekit.cli.text import candidates, row_line, summary_line

LOOP = {"loop": 1, "prediction": "a", "arrival_seconds": 0.5}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({}, ""),
        ({"expected": "b", "correct": False}, "not b"),
        ({"expected": "a", "correct": True}, "ok"),
        ({"expected": "b"}, "expected b"),
        ({"correct": False}, "wrong"),
        ({"correct": True}, "ok"),
    ],
)
def test_a_loop_says_what_its_row_says_of_its_prediction(said, shown):
    assert " ".join(row_line({**LOOP, **said}).split()) == " ".join(f"1 a {shown} 0.5000 s".split())


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({}, ""),
        ({"answer_correct": False}, ": answer wrong"),
        ({"exact_stop": True}, ": stop exact"),
        ({"first_error": 3}, ": first error at loop 3"),
        ({"answer_correct": True, "first_error": None}, ": answer right"),
        (
            {"answer_correct": False, "exact_stop": False, "first_error": 2},
            ": answer wrong, stop not exact, first error at loop 2",
        ),
    ],
)
def test_a_summary_of_loops_says_what_it_has(said, shown):
    summary = {"stop_reason": "head", "executed_loops": 7, **said}

    line = summary_line({"status": "complete", "summary": summary, "inference_seconds": 1})

    assert line == f"7 loops, stopped by head{shown} in 1.000 s"


def test_emoji_and_chinese_stay_as_they_are():
    row = {**LOOP, "prediction": "你好", "top3": [{"symbol": "👨‍👩‍👧", "probability": 0.5}]}

    assert "你好" in row_line(row)
    assert candidates(row) == "👨‍👩‍👧 0.500"
