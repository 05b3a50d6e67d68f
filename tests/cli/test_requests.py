"""A request from the command line: what fits together, and what would be of no effect."""

from __future__ import annotations

import pytest

from tests.cli.conftest import one_line

MANY = ("--requests", "many.jsonl", "--out-dir", "runs")
MODEL = ("--model", "hf:tiny", "--prompt", "hi")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*MANY, "--request", "r.json"), "--requests says it all: leave out --request"),
        ((*MANY, "--start", "Q", "--steps", 5), "--requests says it all: leave out --start and --steps"),
        ((*MANY, "--table", "cycle"), "--requests says it all: leave out --table"),
        ((*MANY, "--prompt", "hi", "--chat"), "--requests says it all: leave out --prompt and --chat"),
        ((*MANY, "--overwrite", "--json"), "--requests says it all: leave out --overwrite and --json"),
        ((*MANY, "--seed", 3), "--requests says it all: leave out --seed"),
        (("--request", "r.json", "--seed", 3), "--request says it all: leave out --seed"),
        (("--request", "r.json", "--chat"), "--request says it all: leave out --chat"),
        (("--requests", ""), "--requests and --out-dir go together"),
        (
            (*MODEL, "--steps", 5, "--start", "Q"),
            "--model hf:tiny takes no --start and no --steps: the pointer model does",
        ),
        ((*MODEL, "--table", "cycle"), "--model hf:tiny takes no --table: the pointer model does"),
    ],
)
def test_what_would_be_of_no_effect_is_refused_before_anything_is_read(tk, tmp_path, arguments, said):
    assert one_line(tk("record", *arguments)) == f"tracekit: {said}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "said"), [("--start", "request /start: "), ("--table", ": is a folder; expected a file")]
)
def test_an_option_without_a_value_is_not_one_that_was_left_out(tk, option, said):
    assert said in one_line(tk("record", option, ""))
