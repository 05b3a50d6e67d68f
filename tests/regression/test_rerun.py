"""The shipped goldens run again, on the model they name and on others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.conftest import RECORDINGS
from tests.regression.traces import EVERYTHING, changed, letter
from tracekit import Script, ScriptedSource, Verdict, load
from tracekit.errors import UsageError
from tracekit.regression.rerun import Rules, recheck, run_again
from tracekit.sources.pointer import load as load_pointer
from tracekit.sources.pointer.source import PointerSource

# Of the model's tensors, those whose scale the model undoes again: what is RMS-normalized
# right after, what only its signs are taken of, what only an argmax is taken of.
SCALE_FREE = {
    "embedding.weight",
    "patch.weight",
    "to_code.weight",
    "to_code.bias",
    "state_head.weight",
    "state_head.bias",
}


@pytest.fixture
def threads() -> Iterator[None]:
    """Whatever a test sets, the next has the threads it had."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("batch", [1, 3, 8])
@pytest.mark.parametrize("name", ["short", "long", "cycle", "fixed-point", "cancelled"])
def test_goldens_pass_whatever_the_threads_and_the_batch(pointer, threads, name, batch, count):
    torch.set_num_threads(count)
    golden = load(RECORDINGS / f"pointer-{name}.json")

    comparison = recheck(golden, pointer.batched(batch), Rules()).comparison

    assert comparison.passed, comparison.first
    assert comparison.compared == len(golden["trace"])


@pytest.mark.parametrize("name", sorted(set(load_pointer()[0].state_dict()) - SCALE_FREE))
def test_a_check_fails_and_says_where_when_one_tensor_is_scaled(cycle, name):
    model, tokenizer, spec = load_pointer()
    model.state_dict()[name].mul_(1.01)

    comparison = recheck(cycle, PointerSource(model, tokenizer, spec), Rules()).comparison

    assert comparison.verdict is Verdict.DIFFERENT
    assert comparison.first.row is not None
    assert comparison.first.field.startswith(("stop_probability", "top3", "prediction"))


def test_a_cancelled_golden_stops_the_model_at_its_last_row(pointer, cancelled):
    checked = recheck(cancelled, pointer, Rules())

    assert checked.comparison.passed
    assert len(checked.fresh["trace"]) == len(cancelled["trace"])
    assert checked.fresh["status"] == "cancelled"


def test_a_model_that_raises_is_a_failed_run_and_so_different(cycle):
    source = ScriptedSource("loop", Script([letter("A")], error=ValueError("bad weights")))

    checked = recheck(changed(cycle, settings={}), source, Rules())

    assert checked.fresh["error"] == {"type": "ValueError", "message": "bad weights"}
    assert checked.comparison.verdict is Verdict.DIFFERENT


def test_a_row_that_no_recording_could_hold_is_a_failed_run():
    source = ScriptedSource("loop", Script([letter("A", stop_probability=1.5)]))

    fresh = run_again(EVERYTHING, source, {})

    assert fresh["status"] == "failed"
    assert fresh["error"]["type"] == "InvalidTrace"


def test_a_setting_that_the_source_no_longer_has_is_an_error(pointer, cycle):
    with pytest.raises(UsageError, match="no setting temper"):
        recheck(changed(cycle, settings={"temper": 1}), pointer, Rules())
