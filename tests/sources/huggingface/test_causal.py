"""A language model, a row a token, on transformers' own `generate`."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

import tracekit
from tests.sources.huggingface.tiny import tiny_llama
from tracekit.errors import NonFiniteOutput, RequestError, UsageError
from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.detokenize import decode

PROMPT = {"prompt": "The quick brown fox"}
SAMPLING = {"temperature": 0.7, "top_k": 40, "top_p": 0.9, "seed": 11}


def run(source: CausalSource, request: dict[str, Any] = PROMPT, **settings: Any) -> tracekit.Trace:
    *_, last = tracekit.stream(source.with_settings({"max_new_tokens": 24, **settings}), request)
    return last


def ids_of(trace: tracekit.Trace) -> list[int]:
    return [row["token_id"] for row in trace["trace"]]


def generated(source: CausalSource, **arguments: Any) -> list[int]:
    """What plain `generate` gives for the same prompt."""
    prompt = source.tokenizer(PROMPT["prompt"], return_tensors="pt")["input_ids"]
    output = source.model.generate(
        prompt, attention_mask=torch.ones_like(prompt), pad_token_id=0, max_new_tokens=24, **arguments
    )
    return output[0, prompt.shape[1] :].tolist()


def own_logprobs(source: CausalSource, ids: list[int]) -> torch.Tensor:
    """The model's log probabilities at each generated place, (T, V), by one forward without a cache."""
    prompt = source.tokenizer(PROMPT["prompt"])["input_ids"]
    with torch.no_grad():
        logits = source.model(torch.tensor([[*prompt, *ids]]), use_cache=False).logits[0]
    return logits[len(prompt) - 1 : -1].log_softmax(dim=-1)


def test_greedy_rows_are_the_tokens_that_generate_gives(source: CausalSource) -> None:
    assert ids_of(run(source)) == generated(source, do_sample=False)


def test_a_row_has_the_models_own_log_probability_candidates_and_entropy(source: CausalSource) -> None:
    trace = run(source, alternatives=3)
    logprobs = own_logprobs(source, ids_of(trace))
    best, best_ids = logprobs.topk(3)
    entropy = -(logprobs.exp() * logprobs).sum(dim=-1)

    for at, row in enumerate(trace["trace"]):
        assert row["logprob"] == pytest.approx(logprobs[at, row["token_id"]].item(), abs=1e-4)
        assert row["entropy"] == pytest.approx(entropy[at].item(), abs=1e-3)
        assert [candidate["token_id"] for candidate in row["top"]] == best_ids[at].tolist()
        assert [candidate["logprob"] for candidate in row["top"]] == pytest.approx(
            best[at].tolist(), abs=1e-4
        )
        assert "sampled_logprob" not in row


def test_texts_join_to_the_decoded_text(any_tokenizer: PreTrainedTokenizerFast) -> None:
    source = CausalSource(tiny_llama(any_tokenizer), any_tokenizer)

    trace = run(source, max_new_tokens=60)

    text = "".join(row["text"] for row in trace["trace"])
    assert text == trace["summary"]["text"] == decode(any_tokenizer, ids_of(trace))


def test_a_sampled_run_draws_what_generate_draws_from_the_same_seed(source: CausalSource) -> None:
    torch.manual_seed(SAMPLING["seed"])
    expected = generated(source, do_sample=True, temperature=0.7, top_k=40, top_p=0.9)

    assert ids_of(run(source, **SAMPLING)) == expected


def test_a_sampled_row_has_the_log_probability_it_was_sampled_with(source: CausalSource) -> None:
    trace = run(source, temperature=0.5, top_k=2, seed=3)
    logprobs = own_logprobs(source, ids_of(trace))
    for at, row in enumerate(trace["trace"]):
        two, ids = (logprobs[at] / 0.5).topk(2)
        place = ids.tolist().index(row["token_id"])
        assert row["sampled_logprob"] == pytest.approx(two.log_softmax(0)[place].item(), abs=1e-3)


def test_sampling_at_temperature_one_from_all_tokens_changes_no_distribution(source: CausalSource) -> None:
    trace = run(source, temperature=1.0, seed=3)
    assert [row for row in trace["trace"] if "sampled_logprob" in row] == []


def test_a_seed_gives_the_same_tokens_again_and_another_gives_others(source: CausalSource) -> None:
    first, again = run(source, **SAMPLING), run(source, **SAMPLING)
    other = run(source, **{**SAMPLING, "seed": 12})
    assert ids_of(first) == ids_of(again) != ids_of(other)


def test_sampling_leaves_the_processes_random_numbers_alone(source: CausalSource) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    run(source, **SAMPLING)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_penalty_changes_the_choice_but_not_the_models_own_log_probability(source: CausalSource) -> None:
    trace = run(source, custom={"repetition_penalty": 1.7})

    ids = ids_of(trace)
    own = own_logprobs(source, ids).gather(1, torch.tensor(ids)[:, None])[:, 0]
    assert ids == generated(source, do_sample=False, repetition_penalty=1.7)
    assert [row["logprob"] for row in trace["trace"]] == pytest.approx(own.tolist(), abs=1e-4)
    assert any("sampled_logprob" in row for row in trace["trace"])


def test_min_p_is_applied_as_generate_applies_it(source: CausalSource) -> None:
    torch.manual_seed(4)
    expected = generated(source, do_sample=True, temperature=0.8, top_k=0, min_p=0.1)

    assert ids_of(run(source, temperature=0.8, seed=4, custom={"min_p": 0.1})) == expected


def test_a_text_ends_at_the_end_token(source: CausalSource) -> None:
    third = ids_of(run(source))[2]
    source.model.generation_config.eos_token_id = [third]

    trace = run(source)

    assert trace["summary"]["stop_reason"] == "eos"
    assert ids_of(trace)[-1] == third
    assert len(trace["trace"]) <= 3


def test_a_text_ends_at_its_length(source: CausalSource) -> None:
    trace = run(source, max_new_tokens=7)
    assert (trace["summary"]["stop_reason"], trace["summary"]["tokens"]) == ("length", 7)


def test_a_text_ends_with_the_token_that_completes_a_stop_string(source: CausalSource) -> None:
    texts = [row["text"] for row in run(source)["trace"]]
    stop = next(text for text in texts if text.isascii() and len(text) > 1)

    trace = run(source, stop=["never to be seen", stop])

    assert trace["summary"]["stop_reason"] == "stop_string"
    assert stop in trace["summary"]["text"]
    assert stop not in "".join(row["text"] for row in trace["trace"][:-1])


def test_a_stop_string_does_not_begin_in_the_prompt(source: CausalSource) -> None:
    first = run(source, max_new_tokens=1)["summary"]["text"]
    trace = run(source, max_new_tokens=3, stop=[f"fox{first}"])
    assert trace["summary"]["stop_reason"] == "length"


def test_a_cancelled_run_ends_within_one_token(source: CausalSource) -> None:
    options = tracekit.RunOptions(interval_seconds=0)
    seen = []

    def cancel_in_the_fourth(*_: object) -> None:
        seen.append(1)
        if len(seen) == 4:
            options.cancel.set()

    source.model.register_forward_hook(cancel_in_the_fourth)

    *_, last = tracekit.stream(source.with_settings({"max_new_tokens": 200}), PROMPT, options=options)

    assert last["status"] == "cancelled"
    assert (len(seen), len(last["trace"])) == (4, 3)


def test_what_the_model_raises_comes_out_as_itself(source: CausalSource) -> None:
    calls = []

    def fail_at_the_third(*_: object) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise FileNotFoundError("the expert is not there")

    source.model.register_forward_hook(fail_at_the_third)
    rows = []

    with pytest.raises(FileNotFoundError, match="the expert is not there"):
        rows.extend(tracekit.stream(source, PROMPT))

    assert len(rows) == 2


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_model_that_gives_nan_is_stopped_by_name_of_the_token(
    source: CausalSource, temperature: float
) -> None:
    calls = []

    def spoil_the_third(model: object, inputs: object, output: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            output.logits[:] = math.nan
        return output

    source.model.register_forward_hook(spoil_the_third)

    with pytest.raises(NonFiniteOutput, match="token 2: the model's output is not finite"):
        run(source, temperature=temperature)


def test_a_masked_vocabulary_is_no_fault(source: CausalSource) -> None:
    masked = len(source.tokenizer) - 3

    def mask(model: object, inputs: object, output: Any) -> Any:
        output.logits[..., :masked] = -math.inf
        return output

    source.model.register_forward_hook(mask)
    trace = run(source, alternatives=5)
    assert {len(row["top"]) for row in trace["trace"]} == {3}


def test_arrivals_grow_with_the_run_and_come_before_its_end(source: CausalSource) -> None:
    trace = run(source)
    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    assert all(early < late for early, late in pairwise(arrivals))
    assert arrivals[0] > 0
    assert arrivals[-1] < trace["inference_seconds"]


def test_a_recording_reads_back_as_it_streamed(source: CausalSource, tmp_path: Path) -> None:
    trace = tracekit.record(source.with_settings(SAMPLING), PROMPT, tmp_path / "run.json")
    assert tracekit.load(tmp_path / "run.json") == trace


def test_a_header_says_who_ran_and_how(source: CausalSource) -> None:
    trace = run(source, stop=["."])
    assert trace["request"] == PROMPT
    assert trace["settings"] == {
        "max_new_tokens": 24,
        "temperature": 0.0,
        "top_p": 1.0,
        "top_k": 0,
        "seed": 0,
        "stop": ["."],
        "alternatives": 5,
    }
    assert trace["model"]["dtype"] == "float32"
    assert trace["model"]["parameters"] == source.model.num_parameters()
    assert trace["environment"]["torch"] == torch.__version__


def test_given_tokens_score_as_they_did_when_they_were_generated(source: CausalSource) -> None:
    trace = run(source)
    scored = source.with_settings({"max_new_tokens": 24}).score(source.parse_request(PROMPT), ids_of(trace))
    for row, score in zip(trace["trace"], scored, strict=True):
        assert score["token_id"] == row["token_id"]
        assert score["logprob"] == pytest.approx(row["logprob"], abs=1e-4)
        assert score["entropy"] == pytest.approx(row["entropy"], abs=1e-3)
        assert [c["token_id"] for c in score["top"]] == [c["token_id"] for c in row["top"]]


def test_no_tokens_score_as_nothing(source: CausalSource) -> None:
    assert source.score(source.parse_request(PROMPT), []) == []


def test_a_prompt_longer_than_the_context_is_refused(source: CausalSource) -> None:
    with pytest.raises(RequestError, match="fewer tokens than the model's context of 256; found 3"):
        run(source, {"prompt": "fox " * 300})


def test_a_text_ends_where_the_context_does(source: CausalSource) -> None:
    prompt = {"prompt": "9" * 250}
    trace = run(source, prompt, max_new_tokens=100)
    assert (trace["summary"]["tokens"], trace["summary"]["stop_reason"]) == (6, "length")


@pytest.mark.parametrize(
    "name", ["num_beams", "num_return_sequences", "prompt_lookup_num_tokens", "watermarking_config"]
)
def test_a_model_whose_defaults_cannot_be_streamed_is_refused(source: CausalSource, name: str) -> None:
    setattr(source.model.generation_config, name, 4)
    with pytest.raises(UsageError, match=f"the model's generation_config sets {name}: "):
        CausalSource(source.model, source.tokenizer)


def test_an_encoder_decoder_is_refused(tokenizer: PreTrainedTokenizerFast) -> None:
    config = T5Config(vocab_size=400, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    with pytest.raises(UsageError, match="T5ForConditionalGeneration is not a causal language model"):
        CausalSource(T5ForConditionalGeneration(config).eval(), tokenizer)


def test_a_model_in_training_mode_is_refused(source: CausalSource) -> None:
    with pytest.raises(UsageError, match="eval mode"):
        CausalSource(source.model.train(), source.tokenizer)


def test_the_real_model_answers(smollm2: CausalSource) -> None:
    question = {"messages": [{"role": "user", "content": "What is the capital of France?"}]}
    trace = run(smollm2, question)
    assert trace["summary"]["text"] == "The capital of France is Paris."
    assert trace["summary"]["stop_reason"] == "eos"
    assert trace["trace"][-1]["note"] == "special token <|im_end|>"
    assert trace["model"]["source"] == "smollm2"
    assert len(trace["model"]["sha256"]) == 64


def test_the_real_model_scores_what_it_said(smollm2: CausalSource) -> None:
    trace = run(smollm2, {"prompt": "The largest planet is"})
    scored = smollm2.score(smollm2.parse_request(trace["request"]), ids_of(trace))
    drift = [
        abs(score["logprob"] - row["logprob"]) for score, row in zip(scored, trace["trace"], strict=True)
    ]
    assert max(drift) < 1e-3
