"""How far a golden's numbers move when nothing changed, and tolerances from that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS
from tests.regression.app import open_raising, open_source
from tests.regression.traces import EVERYTHING, letter, loops
from tracekit.errors import RunError, UsageError
from tracekit.regression.calibrate import (
    BATCHES,
    Calibration,
    Spread,
    Variation,
    calibrate,
    proposal,
    variations,
)
from tracekit.regression.loading import Loading
from tracekit.regression.rerun import run_again
from tracekit.regression.tolerances import DEFAULTS

FLOAT32 = DEFAULTS["float32"]


def seen(nats=0.0, relative=0.0, gap=None):
    """What runs showed, in one number each."""
    spreads = (Spread("top", True, nats, 0.0, 9), Spread("top3", False, 0.0, relative, 9))
    return Calibration((), (), spreads, 0, gap)


def test_runs_differ_in_threads_and_batch():
    runs = variations(8, cores=2)

    assert runs[:4] == [Variation(1, 1), Variation(2, 1), Variation(1, 2), Variation(2, 2)]
    assert len(set(runs)) == 8
    assert {run.batch for run in runs} == set(BATCHES)


def test_more_runs_than_there_are_pairs_take_larger_batches():
    assert len(set(variations(16, cores=2))) == 16


def test_the_pointer_model_is_run_again_and_its_spread_is_measured(pointer, cycle):
    steps = []

    found = calibrate(
        cycle, RECORDINGS / "pointer-cycle.json", Loading(), variations(4, 2), lambda: steps.append(1)
    )

    assert list(found.runs) == [Variation(1, 1), Variation(1, 2), Variation(2, 1), Variation(2, 2)]
    assert len(steps) == 4
    assert {spread.field: spread.values for spread in found.spreads} == {"stop_probability": 208, "top3": 624}
    assert 0 < found.largest(nats=False) < FLOAT32.rtol
    assert found.flipped == 0
    assert found.smallest_gap > 10


def test_a_source_that_runs_no_batches_skips_them_and_says_so(tmp_path):
    golden = run_again(EVERYTHING, open_source(), {})
    allowed = Loading(frozenset({"tests.regression.app:open_source"}))

    found = calibrate(golden, tmp_path / "a.json", allowed, variations(2, 1), lambda: None)

    assert found.runs == (Variation(1, 1),)
    assert found.skipped == (Variation(1, 2),)
    assert found.largest(nats=False) == 0.0


def test_what_is_proposed_is_the_spread_times_the_margin_rounded_up():
    proposed = proposal(seen(nats=0.0012, relative=2.1e-6), 10, FLOAT32)

    assert {key: number for key, (number, _) in proposed.items()} == {
        "rtol": 3e-5,
        "logprob_atol": 0.02,
        "tie_margin": 0.03,
    }
    assert proposed["rtol"][1] == "10 × the largest spread seen, 2.1e-06"


@pytest.mark.parametrize("spread", [1e-9, 3.3e-5, 0.0999, 0.1, 1.0, 7.7])
@pytest.mark.parametrize("margin", [1, 1.5, 10])
def test_nothing_is_proposed_that_is_tighter_than_the_spread(spread, margin):
    proposed = proposal(seen(nats=spread, relative=spread), margin, FLOAT32)

    assert proposed["rtol"][0] >= spread
    assert proposed["logprob_atol"][0] >= spread
    assert proposed["tie_margin"][0] >= spread


@pytest.mark.parametrize("margin", [0.99, 0.0, -1.0, float("nan"), float("inf")])
def test_a_margin_that_would_be_tighter_is_refused(margin):
    with pytest.raises(UsageError, match="tighter than the spread"):
        proposal(seen(relative=1e-6), margin, FLOAT32)


def test_a_proposal_wider_than_what_holds_says_so():
    proposed = proposal(seen(relative=0.1), 2, FLOAT32)

    assert "wider than what holds now, 0.0005" in proposed["rtol"][1]


def test_where_nothing_moved_nothing_is_proposed():
    assert proposal(seen(), 10, FLOAT32) == {}


def test_the_smallest_gap_is_that_of_the_two_most_probable(tmp_path):
    golden = loops(letter("A", 0.6, 0.3), letter("A", 0.4, 0.2))
    model = {"source": "tests.regression.app:open_source", "name": "app"}
    allowed = Loading(frozenset({model["source"]}))

    found = calibrate(
        {**golden, "model": model}, tmp_path / "a.json", allowed, [Variation(1, 1)], lambda: None
    )

    assert found.smallest_gap == pytest.approx(0.6931, abs=1e-4)
    assert replace(found, spreads=()).largest(nats=False) == 0.0


def test_a_model_that_raises_is_named_and_nothing_is_proposed(monkeypatch):
    golden = run_again(EVERYTHING, open_source(), {})
    loading = Loading(frozenset({"tests.regression.app:open_source"}))
    monkeypatch.setattr("tests.regression.app.open_source", open_raising)

    with pytest.raises(
        RunError, match=r"a\.json: the model raised RuntimeError \(out of memory\) .* batch 1"
    ):
        calibrate(golden, Path("a.json"), loading, variations(2, 1), lambda: None)
