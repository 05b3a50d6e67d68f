"""`tracekit review`, with answers on standard input."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS
from tests.regression.traces import failed
from tracekit import load, save


@pytest.fixture
def waiting(tmp_path):
    """Two goldens with a fresh trace each: `a` differs, `b` moved within tolerance."""
    (tmp_path / "recordings").mkdir()
    for name in "ab":
        shutil.copy(RECORDINGS / "pointer-short.json", tmp_path / "recordings" / f"{name}.json")
    fresh = load(RECORDINGS / "pointer-short.json")
    fresh["trace"][0]["stop_probability"] *= 1.0001
    save(fresh, tmp_path / "recordings" / "b.new.json")
    fresh["trace"][0]["prediction"] = "?"
    save(fresh, tmp_path / "recordings" / "a.new.json")
    return tmp_path / "recordings"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_each_is_shown_and_decided(cli, waiting):
    result = cli("review", stdin="accept\nthe new task\nreject\n")

    assert result.returncode == 0, result.stderr
    assert "recordings/a.json (1 of 2)\ndifferent: loop 1: prediction is '?'" in result.stdout
    assert result.stdout.endswith("1 accepted, 1 rejected, 0 skipped\n")
    assert load(waiting / "a.json")["metadata"]["tracekit"]["accepted"][0]["reason"] == "the new task"
    assert load(waiting / "b.json") == load(RECORDINGS / "pointer-short.json")
    assert names(waiting) == ["a.json", "b.json"]


def test_skipping_leaves_everything_for_the_next_time(cli, waiting):
    result = cli("review", stdin="\nskip\n")

    assert result.returncode == 0
    assert names(waiting) == ["a.json", "a.new.json", "b.json", "b.new.json"]


def test_where_the_answers_end_what_was_decided_stays(cli, waiting):
    result = cli("review", stdin="r\n")

    assert result.returncode == 130
    assert names(waiting) == ["a.json", "b.json", "b.new.json"]


def test_accept_all_wants_a_reason_and_else_writes_nothing(tk, waiting):
    assert "checks of 2 goldens failed: add --reason" in one_line(tk("review", "--accept-all"))
    assert names(waiting) == ["a.json", "a.new.json", "b.json", "b.new.json"]


def test_accept_all_with_a_reason_accepts_all(tk, waiting):
    result = tk("review", "--accept-all", "--reason", "retrained")

    assert result.code == 0
    assert names(waiting) == ["a.json", "b.json"]
    assert load(waiting / "a.json")["trace"][0]["prediction"] == "?"


def test_what_cannot_be_reviewed_is_named_and_does_not_stop_the_others(tk, waiting):
    (waiting / "a.json").unlink()
    save(failed(load(waiting / "b.json")), waiting / "b.new.json", overwrite=True)
    for name in ("c.json", "c.new.json"):
        shutil.copy(RECORDINGS / "pointer-short.json", waiting / name)

    result = tk("review", "--accept-all", "--reason", "retrained")

    assert result.code == 2
    assert result.out == (
        f"ERR   {waiting}/a.new.json: its golden, a.json, is not there; remove it or restore that\n"
        f"ERR   {waiting}/b.new.json: is failed, not complete, so it cannot be a golden; record it again\n"
        f"accepted {waiting}/c.json\n1 accepted, 0 rejected, 0 skipped, 2 not reviewed\n"
    )


def test_one_that_passes_by_the_reviews_rules_is_told_to_have_failed_by_others(cli, waiting):
    (waiting / "a.new.json").unlink()

    result = cli("review", stdin="skip\n")

    assert "within tolerance" in result.stdout
    assert "(the check failed by other rules than these" in result.stdout


def test_nothing_to_review_is_said(tk, tmp_path):
    (tmp_path / "recordings").mkdir()

    result = tk("review")

    assert (result.code, result.out) == (0, "nothing to review\n")


def test_a_path_without_a_fresh_trace_is_exit_2(tk):
    assert "there is no fresh trace to review" in one_line(tk("review", RECORDINGS / "pointer-short.json"))
