"""What a run comes to, from its rows alone."""

from __future__ import annotations

import pytest

from tracekit.streaming.summary import gaps, percentile, summarize

ROWS = [{"text": text, "arrival_seconds": at} for text, at in [("He", 0.5), ("llo", 0.6), ("!", 1.0)]]


def test_tokens_have_text_rate_and_gaps():
    summary = summarize("token", ROWS, "eos")

    assert (summary["text"], summary["stop_reason"], summary["tokens"]) == ("Hello!", "eos", 3)
    assert summary["time_to_first_token_seconds"] == 0.5
    assert summary["tokens_per_second"] == pytest.approx(4.0)
    assert summary["gap_seconds"]["p50"] == pytest.approx(0.1)
    assert summary["gap_seconds"]["max"] == pytest.approx(0.4)


def test_no_token_has_no_times():
    assert summarize("token", [], "eos") == {"text": "", "stop_reason": "eos", "tokens": 0}


def test_one_token_has_no_rate():
    assert "tokens_per_second" not in summarize("token", ROWS[:1], "eos")


def test_tokens_that_arrived_at_one_moment_have_no_rate():
    assert "tokens_per_second" not in summarize("token", [ROWS[0], ROWS[0]], "eos")


def test_loops_without_a_reference_are_counted():
    assert summarize("loop", ROWS, "cap") == {"stop_reason": "cap", "executed_loops": 3}


def test_gaps_are_between_rows():
    assert gaps(ROWS) == pytest.approx([0.1, 0.4])


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 2), (75, 3), (76, 4), (100, 4)])
def test_a_percentile_is_one_of_the_values(percent, value):
    assert percentile([4, 1, 3, 2], percent) == value
