"""A looped model, a row a loop, read through its own layers, norm and head."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from transformers import (
    AutoModelForCausalLM,
    DoryConfig,
    HrmTextConfig,
    Inkling2LoopTextConfig,
    PreTrainedTokenizerFast,
)

import tracekit
from tests.sources.huggingface.tiny import tiny_llama
from tracekit.errors import NonFiniteOutput, SourceError, UsageError
from tracekit.sources.huggingface.architectures import ARCHITECTURES
from tracekit.sources.huggingface.looped import LoopedSource

PROMPT = {"prompt": "The quick brown fox jumps over the lazy dog"}
LOOPS = 3

SHAPE = {"hidden_size": 32, "num_attention_heads": 4, "head_dim": 8, "initializer_range": 0.2}
CONFIGS: dict[str, Any] = {
    "dory": lambda vocabulary: DoryConfig(
        vocab_size=vocabulary,
        **SHAPE,
        intermediate_size=64,
        num_hidden_layers=6,
        num_key_value_heads=2,
        sliding_window=4,
        n_input_layers=4,
        n_output_layers=1,
        n_recurrent_loops=LOOPS,
    ),
    "hrm_text": lambda vocabulary: HrmTextConfig(
        vocab_size=vocabulary,
        **SHAPE,
        intermediate_size=64,
        num_hidden_layers=2,
        H_cycles=LOOPS,
        L_cycles=2,
    ),
    "inkling2_loop_text": lambda vocabulary: Inkling2LoopTextConfig(
        vocab_size=vocabulary,
        unpadded_vocab_size=vocabulary,
        **SHAPE,
        num_hidden_layers=6,
        num_key_value_heads=2,
        swa_num_attention_heads=4,
        swa_num_key_value_heads=2,
        swa_head_dim=8,
        sliding_window_size=4,
        d_rel=4,
        rel_extent=8,
        moe_intermediate_size=16,
        n_routed_experts=4,
        num_experts_per_tok=2,
        n_layers_per_attn_res_block=2,
        layer_types=["hybrid_sliding", "hybrid"] * 3,
        loop_layer_index_start=2,
        loop_layer_index_end=4,
        loop_num_passes=LOOPS,
        loop_gate_rank=4,
        eos_token_id=None,
    ),
}


def looped_model(name: str, tokenizer: PreTrainedTokenizerFast) -> Any:
    """A model whose every weight is random, those too that training starts from zero."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIGS[name](len(tokenizer))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model


@pytest.fixture(params=sorted(CONFIGS))
def looped(request: pytest.FixtureRequest, tokenizer: PreTrainedTokenizerFast) -> LoopedSource:
    return LoopedSource(looped_model(request.param, tokenizer), tokenizer)


def run(source: LoopedSource) -> tracekit.Trace:
    *_, last = tracekit.stream(source, PROMPT)
    return last


def own_logprobs(source: LoopedSource) -> torch.Tensor:
    ids = torch.tensor([source.parse_request(PROMPT).token_ids])
    with torch.no_grad():
        return source.model(ids, use_cache=False).logits[0, -1].float().log_softmax(dim=-1)


def test_the_last_loops_reading_is_the_models_own(looped: LoopedSource) -> None:
    last = run(looped)["trace"][-1]
    logprobs = own_logprobs(looped)
    best, ids = logprobs.topk(5)
    assert [candidate["token_id"] for candidate in last["top"]] == ids.tolist()
    assert [candidate["logprob"] for candidate in last["top"]] == pytest.approx(best.tolist(), abs=1e-5)
    assert last["entropy"] == pytest.approx(-(logprobs.exp() * logprobs).sum().item(), abs=1e-4)


def test_every_loop_is_a_row_with_what_it_predicts(looped: LoopedSource) -> None:
    trace = run(looped)
    assert trace["summary"] == {"stop_reason": "loops", "executed_loops": LOOPS}
    for row in trace["trace"]:
        assert row["token_id"] == row["top"][0]["token_id"]
        assert row["prediction"] == row["top"][0]["text"]


def test_a_row_is_compared_with_the_loop_before(looped: LoopedSource) -> None:
    first, *later = run(looped)["trace"]
    assert not {"kl", "cosine"} & set(first)
    assert len(later) == LOOPS - 1
    assert all(row["kl"] > 0 and -1 <= row["cosine"] < 1 for row in later)


@pytest.mark.parametrize("loops", [1, 2])
def test_an_earlier_loops_reading_is_that_of_a_model_that_stops_there(
    tokenizer: PreTrainedTokenizerFast, loops: int
) -> None:
    """The same weights with fewer loops give, as their own output, what the longer run read at that loop."""
    whole = LoopedSource(looped_model("dory", tokenizer), tokenizer)
    rows = run(whole)["trace"]

    whole.model.config.n_recurrent_loops = loops
    logprobs = own_logprobs(whole)

    best, ids = logprobs.topk(5)
    assert [candidate["token_id"] for candidate in rows[loops - 1]["top"]] == ids.tolist()
    assert [c["logprob"] for c in rows[loops - 1]["top"]] == pytest.approx(best.tolist(), abs=1e-5)


def test_kl_and_cosine_are_those_of_the_readings(tokenizer: PreTrainedTokenizerFast) -> None:
    source = LoopedSource(looped_model("hrm_text", tokenizer), tokenizer)
    states: list[torch.Tensor] = []
    source.model.model.H_module.register_forward_hook(lambda _m, _i, out: states.append(out[0, -1].clone()))

    second = run(source)["trace"][1]

    with torch.no_grad():
        logprobs = [source.model.lm_head(state).log_softmax(dim=-1) for state in states]
    kl = (logprobs[1].exp() * (logprobs[1] - logprobs[0])).sum().item()
    assert second["kl"] == pytest.approx(kl, abs=1e-5)
    assert second["cosine"] == pytest.approx(
        F.cosine_similarity(states[1], states[0], dim=0).item(), abs=1e-5
    )


def test_the_model_is_left_without_hooks(looped: LoopedSource) -> None:
    run(looped)
    assert [m for m in looped.model.modules() if m._forward_hooks or m._forward_pre_hooks] == []


def test_a_cancelled_run_ends_within_one_loop(looped: LoopedSource) -> None:
    options = tracekit.RunOptions()
    calls = []

    def cancel_in_the_second(*_: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            options.cancel.set()

    last = ARCHITECTURES[looped.model.config.model_type].last(looped.model)
    last.register_forward_hook(cancel_in_the_second)

    *_, end = tracekit.stream(looped, PROMPT, options=options)

    assert (end["status"], len(end["trace"]), len(calls)) == ("cancelled", 1, 2)


def test_what_a_looped_model_raises_comes_out_as_itself(looped: LoopedSource) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("in the embedding")

    looped.model.get_input_embeddings().register_forward_hook(fail)
    with pytest.raises(ZeroDivisionError, match="in the embedding"):
        run(looped)


def test_nan_is_named_by_its_loop(looped: LoopedSource) -> None:
    with torch.no_grad():
        looped.model.lm_head.weight[0] = torch.nan
    with pytest.raises(NonFiniteOutput, match="loop 1: the model's output is not finite"):
        run(looped)


def test_settings_are_the_number_of_alternatives(looped: LoopedSource) -> None:
    trace = run(looped.with_settings({"alternatives": 2}))
    assert trace["settings"] == {"alternatives": 2}
    assert {len(row["top"]) for row in trace["trace"]} == {2}
    with pytest.raises(UsageError, match="a looped model has no setting temperature, only alternatives"):
        looped.with_settings({"temperature": 1.0})


def test_another_architecture_is_refused_with_those_that_are_known(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    known = "dory, hrm_text, inkling2_loop, inkling2_loop_text"
    with pytest.raises(SourceError, match=f"llama is not a looped architecture .* it reads {known}"):
        LoopedSource(tiny_llama(tokenizer), tokenizer)
