"""The same check in several processes."""

from __future__ import annotations

from tests.conftest import RECORDINGS
from tests.regression.app import open_source
from tests.regression.traces import EVERYTHING, changed
from tracekit import save
from tracekit.regression.check import CheckOptions, find_goldens
from tracekit.regression.jobs import check_with
from tracekit.regression.loading import Loading
from tracekit.regression.rerun import run_again


def test_two_processes_give_every_golden_its_outcome():
    goldens = find_goldens([RECORDINGS], ["pointer-*"])

    outcomes = list(check_with(2, goldens, CheckOptions()))

    assert sorted(outcome.path for outcome in outcomes) == sorted(goldens)
    assert {outcome.exit_code for outcome in outcomes} == {0}


def test_a_process_that_dies_leaves_errors_and_no_golden_passes_for_it(tmp_path):
    golden = run_again(EVERYTHING, open_source(), {})
    dying = "tests.regression.app:open_dying"
    for name in ("a", "b", "c"):
        save(changed(golden, model={"source": dying, "name": "x"}), tmp_path / f"{name}.json")

    outcomes = list(check_with(2, find_goldens([tmp_path]), CheckOptions(Loading(frozenset({dying})))))

    assert sorted(outcome.path.stem for outcome in outcomes) == ["a", "b", "c"]
    assert all("the process that checked it died" in outcome.error for outcome in outcomes)
