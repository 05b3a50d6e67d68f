"""Token goldens run again on a real, tiny language model: teacher-forced and generated."""

from __future__ import annotations

import pytest

from tests.regression.traces import EVERYTHING, changed
from tests.sources.huggingface.tiny import byte_level_tokenizer, tiny_llama
from tracekit import Verdict
from tracekit.regression.rerun import Rules, recheck, run_again
from tracekit.sources.huggingface.causal import CausalSource

FREE = Rules(free_run=True)


@pytest.fixture(scope="module")
def model():
    tokenizer = byte_level_tokenizer()
    return CausalSource(tiny_llama(tokenizer), tokenizer)


@pytest.fixture(params=[0.0, 1.0], ids=["greedy", "sampled"])
def golden(model, request):
    """Twenty tokens of the tiny model."""
    source = model.with_settings({"max_new_tokens": 20, "temperature": request.param, "seed": 3})
    return run_again(EVERYTHING, source, source.parse_request({"prompt": "hello"}))


@pytest.fixture
def scaled(model, golden):
    """The model, its golden recorded, with its output layer scaled; by 1.5, as random logits are small."""
    weights = model.model.get_output_embeddings().weight.data
    before = weights.clone()
    weights.mul_(1.5)
    yield model
    weights.copy_(before)


def test_a_golden_is_scored_in_one_pass_by_default(model, golden):
    checked = recheck(golden, model, Rules())

    assert checked.comparison.forced
    assert checked.comparison.passed
    assert checked.comparison.compared == 20
    assert checked.fresh is None


def test_a_golden_is_generated_again_if_asked(model, golden):
    checked = recheck(golden, model, FREE)

    assert not checked.comparison.forced
    assert checked.comparison.verdict is Verdict.IDENTICAL
    assert len(checked.fresh["trace"]) == 20


@pytest.mark.parametrize("rules", [Rules(), FREE], ids=["forced", "free"])
def test_other_weights_are_different_and_leave_a_fresh_trace(scaled, golden, rules):
    checked = recheck(golden, scaled, rules)

    assert checked.comparison.verdict is Verdict.DIFFERENT
    assert len(checked.fresh["trace"]) == 20
    assert checked.fresh["status"] == "complete"


def test_one_token_that_the_model_would_not_choose_is_found_at_its_place(model, golden):
    other = changed(golden)
    token = (other["trace"][7]["token_id"] + 1) % 200
    other["trace"][7]["token_id"] = token

    comparison = recheck(other, model, Rules()).comparison

    assert comparison.verdict is Verdict.DIFFERENT
    assert 7 in [each.row for each in comparison.differences if each.outcome is Verdict.DIFFERENT]


def test_timing_needs_the_times_of_a_run_and_so_generates(model, golden):
    comparison = recheck(golden, model, Rules(timing=1000.0)).comparison

    assert not comparison.forced
