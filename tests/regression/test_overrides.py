"""Who may change a tolerance: the closest wins, and each number says whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.regression.traces import changed
from tracekit.errors import StorageError, UsageError
from tracekit.regression.overrides import Overrides, parse_options


def with_own(trace, **tolerance):
    """The trace with tolerances in its own metadata."""
    return changed(trace, metadata={"tracekit": {"tolerance": tolerance}})


def test_each_comes_before_the_one_behind_it(cycle, tmp_path):
    (tmp_path / "tolerances.toml").write_text("rtol = 3e-3\nlogprob_atol = 3e-3\ntie_margin = 3e-3\n")
    golden = with_own(cycle, logprob_atol=4e-3, tie_margin=4e-3)
    project = dict.fromkeys(("atol", "rtol", "logprob_atol", "tie_margin"), 2e-3)

    tolerance = Overrides(project, options={"tie_margin": 5e-3}).resolve(golden, path=tmp_path / "run.json")

    assert (tolerance.atol, tolerance.origins["atol"]) == (2e-3, "pyproject.toml")
    assert (tolerance.rtol, tolerance.origins["rtol"]) == (3e-3, str(tmp_path / "tolerances.toml"))
    assert (tolerance.logprob_atol, tolerance.origins["logprob_atol"]) == (4e-3, "the golden's metadata")
    assert (tolerance.tie_margin, tolerance.origins["tie_margin"]) == (5e-3, "--tolerance")
    assert (tolerance.logprob_rtol, tolerance.origins["logprob_rtol"]) == (1e-5, "float32 defaults")


def test_a_named_file_takes_the_place_of_the_one_beside_the_golden(cycle, tmp_path):
    (tmp_path / "tolerances.toml").write_text("rtol = 3e-3")
    (tmp_path / "wide.toml").write_text("atol = 1e-2")

    tolerance = Overrides(file=tmp_path / "wide.toml").resolve(cycle, path=tmp_path / "run.json")

    assert tolerance.atol == 1e-2
    assert tolerance.origins["rtol"] == "float32 defaults"


def test_a_named_file_that_is_not_there_is_an_error(cycle):
    with pytest.raises(StorageError, match=r"nope.toml: there is no such file"):
        Overrides(file=Path("nope.toml")).resolve(cycle)


def test_a_file_that_is_not_toml_is_an_error(cycle, tmp_path):
    (tmp_path / "tolerances.toml").write_text("rtol = ")

    with pytest.raises(StorageError, match="is not TOML"):
        Overrides().resolve(cycle, path=tmp_path / "run.json")


@pytest.mark.parametrize("own", [{"rtol": "wide"}, {"rtoll": 1}, {"rtol": -1}])
def test_a_goldens_own_nonsense_is_refused_by_name(cycle, own):
    with pytest.raises(UsageError, match=r"^the golden's metadata: "):
        Overrides().resolve(with_own(cycle, **own))


def test_metadata_of_others_is_none_of_our_business(cycle):
    golden = changed(cycle, metadata={"tracekit": "mine", "tolerance": "also mine"})

    assert Overrides().resolve(golden).origins["rtol"] == "float32 defaults"


def test_options_are_key_and_number():
    assert parse_options(["rtol=0.01", "tie-margin=1e-3"]) == {"rtol": 0.01, "tie_margin": 1e-3}


@pytest.mark.parametrize("option", ["rtol", "rtol=", "rtol=wide", "=1=2"])
def test_an_option_of_another_shape_is_refused(option):
    with pytest.raises(UsageError, match="expected KEY=NUMBER"):
        parse_options([option])
