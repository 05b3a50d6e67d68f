"""What may be written when, and what stays when a fresh trace is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.regression.traces import changed, failed
from tracekit import Verdict, load, save
from tracekit.errors import UncheckableGolden
from tracekit.regression.files import (
    Acceptance,
    Update,
    WritePolicy,
    accept,
    discard_fresh,
    fresh_path,
    golden_of,
    in_ci,
    leave_fresh,
)

AT = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, False),
        ({"CI": ""}, False),
        ({"CI": "0"}, False),
        ({"CI": "false"}, False),
        ({"CI": "FALSE"}, False),
        ({"CI": "1"}, True),
        ({"CI": "true"}, True),
        ({"CI": "woodpecker"}, True),
    ],
)
def test_ci_is_set_and_not_to_no(environment, found):
    assert in_ci(environment) is found


@pytest.mark.parametrize("asked", list(Update))
def test_under_ci_no_update_is_done_unless_forced(asked):
    assert WritePolicy(asked, ci=True).update is Update.NONE
    assert WritePolicy(asked, ci=True, force=True).update is asked
    assert WritePolicy(asked).update is asked


def test_a_fresh_trace_lies_beside_its_golden():
    assert fresh_path(Path("a/run.json")) == Path("a/run.new.json")
    assert golden_of(Path("a/run.new.json")) == Path("a/run.json")


def test_a_fresh_trace_replaces_an_older_one_and_can_be_discarded(tmp_path, cycle):
    leave_fresh(tmp_path / "run.json", cycle)
    leave_fresh(tmp_path / "run.json", changed(cycle, checkpoint="newer"))

    assert load(tmp_path / "run.new.json")["checkpoint"] == "newer"
    discard_fresh(tmp_path / "run.json")
    discard_fresh(tmp_path / "run.json")
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_trace_that_failed_is_not_accepted(tmp_path, cycle):
    save(cycle, tmp_path / "run.json")

    with pytest.raises(UncheckableGolden, match=r"run\.new\.json: is failed, not complete"):
        accept(tmp_path / "run.json", cycle, failed(cycle), Acceptance(Verdict.DIFFERENT, "why not", AT))

    assert load(tmp_path / "run.json") == cycle


@pytest.mark.parametrize("accepted", [3, None, {}])
def test_what_people_wrote_in_place_of_the_list_of_reasons_is_replaced(tmp_path, cycle, accepted):
    golden = changed(cycle, metadata={"tracekit": {"accepted": accepted}})

    accept(tmp_path / "run.json", golden, cycle, Acceptance(Verdict.DIFFERENT, "retrained", AT))

    (entry,) = load(tmp_path / "run.json")["metadata"]["tracekit"]["accepted"]
    assert entry["reason"] == "retrained"


def test_accepting_keeps_what_people_wrote_and_adds_why(tmp_path, cycle):
    path = tmp_path / "run.json"
    own = {"note": "mine", "tracekit": {"tolerance": {"rtol": 0.1}, "accepted": [{"reason": "before"}]}}
    golden = changed(cycle, metadata=own)
    save(golden, path)
    leave_fresh(path, cycle)

    fresh = changed(cycle, metadata={"run": 2})
    accept(path, golden, fresh, Acceptance(Verdict.DIFFERENT, "retrained", AT))

    assert load(path)["metadata"] == {
        "run": 2,
        "note": "mine",
        "tracekit": {
            "tolerance": {"rtol": 0.1},
            "accepted": [
                {"reason": "before"},
                {"verdict": "different", "reason": "retrained", "at": AT},
            ],
        },
    }
    assert not fresh_path(path).exists()
