"""The model's contract: one callback a loop, an end of its own, and nothing between loops but the code."""

from __future__ import annotations

from random import Random

import pytest
import torch

from tracekit.sources.pointer import (
    SYMBOLS,
    LoopedConfig,
    LoopedTransformer,
    PointerRequest,
    execute,
    load,
    random_cycle,
    random_function,
    random_permutation,
    shuffled_pairs,
)
from tracekit.sources.pointer.model import signs
from tracekit.sources.pointer.tokenizer import PAD_ID


@pytest.fixture(name="loaded", scope="module")
def load_once():
    return load()


def make_request(steps, seed=0, table=random_permutation):
    random = Random(seed)
    return PointerRequest(shuffled_pairs(table(random), random), random.choice(SYMBOLS), steps)


def run(loaded, prompts, *, loops=272, threshold=0.5, encoded=None):
    """The letters of each row, (rows, loops), with the callback's raw tensors and the result."""
    model, tokenizer, spec = loaded
    calls = []
    with torch.inference_mode():
        result = model(
            **(encoded or tokenizer(prompts)),
            num_loops=loops,
            completion_threshold=threshold,
            readout_token_ids=spec["token_ids"],
            loop_callback=lambda *call: calls.append(call),
        )
    letters = torch.stack([scores.argmax(dim=1) for _, scores, _, _ in calls], dim=1)
    return ["".join(SYMBOLS[index] for index in row) for row in letters.tolist()], calls, result


def expected(request, loops=None):
    return "".join(execute(dict(request.pairs), request.start, loops or request.steps))


@pytest.mark.parametrize("steps", [1, 10, 100, 200, 256])
def test_it_follows_the_pointer_and_stops_by_itself(loaded, steps):
    request = make_request(steps)
    letters, _, result = run(loaded, request.prompt())
    assert letters == [expected(request)]
    assert result.stop_logits.shape == (1, steps)


def test_it_counts_down_from_a_thousand(loaded):
    request = make_request(1000, table=random_cycle)
    letters, _, _ = run(loaded, request.prompt(), loops=1100)
    assert letters == [expected(request)]


def test_loops_are_counted_from_one(loaded):
    _, calls, _ = run(loaded, make_request(4).prompt())
    assert [loop for loop, _, _, _ in calls] == [1, 2, 3, 4]


def test_the_callback_gets_scores_stop_and_state_a_row(loaded):
    prompts = [make_request(3, seed).prompt() for seed in range(5)]
    _, calls, _ = run(loaded, prompts)
    assert [tuple(tensor.shape) for tensor in calls[0][1:]] == [(5, 26), (5,), (5, 26)]


def test_the_state_head_says_the_same_letter(loaded):
    _, calls, _ = run(loaded, make_request(20).prompt())
    assert [scores.argmax().item() for _, scores, _, _ in calls] == [
        state.argmax().item() for _, _, _, state in calls
    ]


def test_the_result_holds_the_stop_logits_that_the_callback_saw(loaded):
    _, calls, result = run(loaded, make_request(5).prompt())
    assert torch.equal(result.stop_logits, torch.stack([stop for _, _, stop, _ in calls], dim=1))


def test_only_the_last_loop_reaches_the_threshold(loaded):
    _, _, result = run(loaded, make_request(30).prompt())
    assert (result.stop_logits.sigmoid() >= 0.5).tolist() == [[False] * 29 + [True]]


def test_a_batch_ends_when_its_last_row_has_stopped(loaded):
    requests = [make_request(steps, steps) for steps in (3, 9, 6)]
    letters, _, result = run(loaded, [request.prompt() for request in requests])
    assert result.stop_logits.shape == (3, 9)
    assert letters == [expected(request, loops=9) for request in requests]
    assert (result.stop_logits.sigmoid() >= 0.5).nonzero().tolist() == [[0, 2], [1, 8], [2, 5]]


def test_without_a_threshold_every_loop_runs(loaded):
    request = make_request(2)
    letters, _, result = run(loaded, request.prompt(), loops=7, threshold=None)
    assert result.stop_logits.shape == (1, 7)
    assert letters == [expected(request, loops=7)]


def test_the_cap_ends_a_run_that_has_not_stopped(loaded):
    _, _, result = run(loaded, make_request(50).prompt(), loops=8)
    assert result.stop_logits.shape == (1, 8)


def test_a_threshold_of_zero_ends_after_the_first_loop(loaded):
    _, _, result = run(loaded, make_request(50).prompt(), threshold=0.0)
    assert result.stop_logits.shape == (1, 1)


def test_no_callback_is_needed(loaded):
    model, tokenizer, spec = loaded
    encoded = tokenizer(make_request(12).prompt())
    result = model(
        **encoded,
        num_loops=20,
        completion_threshold=0.5,
        readout_token_ids=spec["token_ids"],
        loop_callback=None,
    )
    assert result.stop_logits.shape == (1, 12)


def test_an_exception_in_the_callback_comes_out_as_itself(loaded):
    model, tokenizer, spec = loaded

    def give_up(*_call):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        model(
            **tokenizer(make_request(12).prompt()),
            num_loops=20,
            readout_token_ids=spec["token_ids"],
            loop_callback=give_up,
        )


@pytest.mark.parametrize("left", [0, 4, 9])
def test_a_padded_batch_gives_the_letters_of_each_row_alone(loaded, left):
    requests = [make_request(40, 1), make_request(40, 2, random_function)]
    encoded = loaded[1]([request.prompt() for request in requests])
    padding = (left, 9 - left)
    padded = {
        "input_ids": torch.nn.functional.pad(encoded["input_ids"], padding, value=PAD_ID),
        "attention_mask": torch.nn.functional.pad(encoded["attention_mask"], padding),
    }
    together, _, _ = run(loaded, None, encoded=padded)
    alone = [run(loaded, request.prompt())[0][0] for request in requests]
    assert together == alone == [expected(request) for request in requests]


def test_rows_padded_on_different_sides_stand_together(loaded):
    request = make_request(15)
    encoded = loaded[1](request.prompt())
    sides = ((6, 0), (0, 6))
    pad = torch.nn.functional.pad
    padded = {key: torch.cat([pad(tensor, side) for side in sides]) for key, tensor in encoded.items()}
    assert run(loaded, None, encoded=padded)[0] == [expected(request)] * 2


def test_a_large_batch_decides_as_a_single_row(loaded):
    requests = [make_request(60, seed, random_function) for seed in range(64)]
    together, _, _ = run(loaded, [request.prompt() for request in requests])
    assert together[17] == run(loaded, requests[17].prompt())[0][0]


def test_the_number_of_threads_decides_nothing(loaded):
    prompts = [make_request(60, seed).prompt() for seed in range(64)]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    on_one, _, _ = run(loaded, prompts)
    torch.set_num_threads(2)
    on_two, _, _ = run(loaded, prompts)
    torch.set_num_threads(threads)
    assert on_one == on_two


def test_a_prompt_of_another_length_is_refused(loaded):
    with pytest.raises(ValueError, match=r"a prompt has 111 tokens; the batch has rows of \[3\]"):
        run(loaded, "A>B")


def test_fewer_than_one_loop_is_refused(loaded):
    with pytest.raises(ValueError, match="num_loops must be at least 1, not 0"):
        run(loaded, make_request(3).prompt(), loops=0)


def test_the_order_of_the_readout_tokens_is_the_order_of_the_scores(loaded):
    model, tokenizer, spec = loaded
    seen = []
    model(
        **tokenizer(make_request(1).prompt()),
        num_loops=1,
        readout_token_ids=spec["token_ids"][::-1],
        loop_callback=lambda _loop, scores, _stop, _state: seen.append(scores),
    )
    _, calls, _ = run(loaded, make_request(1).prompt())
    torch.testing.assert_close(seen[0].flip(1), calls[0][1])


def test_a_loop_knows_nothing_but_the_rules_and_the_code_before_it(loaded):
    model, tokenizer, _ = loaded
    before, after = make_request(31), make_request(30)
    start = execute(dict(before.pairs), before.start, 1)[0]
    prompts = [
        tokenizer(each.prompt())["input_ids"] for each in (before, PointerRequest(after.pairs, start, 30))
    ]
    with torch.inference_mode():
        _, bits = model.step(signs(model.encode(prompts[0])), model.remember(prompts[0]))
    assert torch.equal(signs(bits), signs(model.encode(prompts[1])))


def test_signs_are_never_zero():
    assert signs(torch.tensor([-2.0, -0.0, 0.0, 3.0])).tolist() == [-1.0, -1.0, 1.0, 1.0]


def test_one_request_gives_the_same_numbers_each_time(loaded):
    _, first, _ = run(loaded, make_request(25).prompt())
    _, second, _ = run(loaded, make_request(25).prompt())
    assert all(torch.equal(one[1], other[1]) for one, other in zip(first, second, strict=True))


def test_a_fresh_model_has_a_completion_head():
    assert LoopedTransformer(LoopedConfig()).completion_head is not None
