"""Defaults by dtype and device, and who may change them."""

from __future__ import annotations

import itertools

import pytest

from tests.regression.traces import changed
from tracekit import Tolerance
from tracekit.errors import UsageError
from tracekit.regression.tolerances import DEFAULTS, TOLERANCE_KEYS, default_tolerance


def of(trace, **model):
    """The trace with another model."""
    return changed(trace, model={"source": "pointer", "name": "pointer", **model})


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_defaults_follow_the_dtype_and_say_so(cycle, dtype):
    tolerance = default_tolerance(of(cycle, dtype=dtype))

    assert tolerance == DEFAULTS[dtype]
    assert set(tolerance.origins.values()) == {f"{dtype} defaults"}


def test_the_wider_of_two_dtypes_holds(cycle):
    assert default_tolerance(of(cycle, dtype="float32"), of(cycle, dtype="bfloat16")) == DEFAULTS["bfloat16"]


def test_another_type_of_device_widens_every_number(cycle):
    golden = of(cycle, dtype="float32", device="cpu")

    tolerance = default_tolerance(golden, of(cycle, dtype="float32", device="cuda:1"))

    assert tolerance.numbers() == {key: 10 * value for key, value in DEFAULTS["float32"].numbers().items()}
    assert "cpu and cuda differ" in tolerance.origins["rtol"]


def test_another_device_of_the_same_type_widens_nothing(cycle):
    pair = (of(cycle, dtype="float32", device="cuda:0"), of(cycle, dtype="float32", device="cuda:1"))

    assert default_tolerance(*pair) == DEFAULTS["float32"]


def test_an_unknown_dtype_is_taken_for_float32_and_that_is_said(cycle):
    tolerance = default_tolerance(of(cycle))

    assert tolerance == DEFAULTS["float32"]
    assert "names no dtype" in tolerance.origins["rtol"]


def test_each_dtype_is_at_least_as_wide_as_the_one_before():
    rows = [tuple(DEFAULTS[name].numbers().values())[1:] for name in DEFAULTS]

    for tight, wide in itertools.pairwise(rows):
        assert all(a <= b for a, b in zip(tight, wide, strict=True))


def test_half_precision_has_the_thresholds_of_a_teacher_forced_check():
    for dtype in ("float16", "bfloat16"):
        tolerance = DEFAULTS[dtype]
        assert (tolerance.max_regret, tolerance.mean_logprob, tolerance.p99_logprob) == (0.20, 0.06, 0.20)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "0.1", True, None, 10**400])
def test_a_tolerance_is_a_number_of_zero_or_more(value):
    numbers = {**DEFAULTS["float32"].numbers(), "rtol": value}

    with pytest.raises(UsageError, match="tolerance rtol: expected a number of 0 or more"):
        Tolerance(**numbers)


def test_an_unknown_tolerance_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match=r"here: there is no tolerance 'rtoll'; there are atol, rtol"):
        DEFAULTS["float32"].overridden({"rtoll": 1}, "here")


def test_what_is_no_table_of_tolerances_is_refused():
    with pytest.raises(UsageError, match=r"here: expected tolerances by name, such as rtol; found 0\.1"):
        DEFAULTS["float32"].overridden(0.1, "here")


def test_the_documented_table_is_the_defaults():
    """docs/golden.md states every default."""
    from tests.conftest import ROOT

    text = (ROOT / "docs" / "golden.md").read_text()
    for dtype, tolerance in DEFAULTS.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| {dtype} |")]
        cells = [float(cell) for cell in row.split("|")[2 : 2 + len(TOLERANCE_KEYS)]]
        assert cells == [*tolerance.numbers().values()]
