"""Accept or reject what a check left."""

from __future__ import annotations

import pytest

from tests.regression.traces import changed
from tracekit import load, save
from tracekit.errors import StorageError, UsageError
from tracekit.regression.overrides import Overrides
from tracekit.regression.review import (
    accept_pending,
    find_pending,
    load_pending,
    reject_pending,
    write_player,
)

AT = "2026-01-02T03:04:05.000Z"


@pytest.fixture
def folder(tmp_path, cycle):
    """A golden `moved` whose fresh run predicts otherwise, one `noise` within tolerance, one that passed."""
    other, noise = changed(cycle), changed(cycle)
    other["trace"][3]["prediction"] = "?"
    noise["trace"][3]["stop_probability"] *= 1.0001
    for name, fresh in (("moved", other), ("noise", noise)):
        save(cycle, tmp_path / f"{name}.json")
        save(fresh, tmp_path / f"{name}.new.json")
    save(cycle, tmp_path / "passed.json")
    return tmp_path


def pending(folder, name):
    return load_pending(folder / f"{name}.json", Overrides())


def test_what_has_a_fresh_trace_is_pending(folder):
    assert find_pending([folder]) == [folder / "moved.json", folder / "noise.json"]


@pytest.mark.parametrize("name", ["moved.json", "moved.new.json"])
def test_either_file_names_it(folder, name):
    assert find_pending([folder / name]) == [folder / "moved.json"]


def test_a_golden_without_a_fresh_trace_cannot_be_reviewed(folder):
    with pytest.raises(StorageError, match="no fresh trace to review; run: tracekit check"):
        find_pending([folder / "passed.json"])


@pytest.mark.parametrize("name", ["moved", "noise"])
def test_accepting_wants_a_reason_by_whatever_rules_the_check_failed(folder, name):
    with pytest.raises(UsageError, match="give a reason"):
        accept_pending(pending(folder, name), "  ", AT)

    assert (folder / f"{name}.new.json").exists()


def test_a_fresh_trace_whose_golden_is_gone_is_named(folder):
    (folder / "moved.json").unlink()

    with pytest.raises(StorageError, match=r"moved\.new\.json: its golden, moved\.json, is not there"):
        pending(folder, "moved")


def test_accepting_makes_it_the_golden_and_keeps_why(folder):
    accept_pending(pending(folder, "moved"), "retrained", AT)

    golden = load(folder / "moved.json")
    assert golden["trace"][3]["prediction"] == "?"
    accepted = {"verdict": "different", "reason": "retrained", "at": AT}
    assert golden["metadata"]["tracekit"]["accepted"] == [accepted]
    assert not (folder / "moved.new.json").exists()


def test_rejecting_leaves_the_golden_as_it_was(folder, cycle):
    reject_pending(folder / "moved.json")

    assert load(folder / "moved.json") == cycle
    assert not (folder / "moved.new.json").exists()


def test_both_play_side_by_side_in_one_page(folder, tmp_path):
    page = write_player(pending(folder, "moved"), tmp_path / "page.html").read_text()

    assert page.count('type="application/json"') == 2
    assert 'data-name="moved golden"' in page
    assert 'data-name="moved fresh"' in page
