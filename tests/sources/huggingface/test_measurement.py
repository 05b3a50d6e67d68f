"""A token's numbers are measured beside the model, not in its way, and not from what it does next."""

from __future__ import annotations

import threading
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import tracekit
from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.measurement import Measurement, Step
from tracekit.sources.huggingface.rows import TokenObservation
from tracekit.sources.huggingface.steps import KEPT_STEPS, Ends, Watch
from tracekit.streaming.run import RunOptions

PROMPT = {"prompt": "The quick brown fox"}


class Emitted:
    """What a worker gives a source, with a consumer that has not come yet."""

    def __init__(self) -> None:
        self.observations: list[TokenObservation] = []

    def __call__(self, observation: TokenObservation, at: float | None = None) -> None:
        self.observations.append(observation)

    def now(self) -> float:
        return 0.0

    def wait(self, seconds: float) -> None:
        raise AssertionError("nobody waits here")


class Speaks(torch.nn.Module):
    """A model that says what it is given."""

    def forward(self, logits: torch.Tensor) -> SimpleNamespace:
        return SimpleNamespace(logits=logits)


def step(vocabulary: int = 50, chosen: int = 3) -> Step:
    logits = torch.randn(vocabulary, generator=torch.Generator().manual_seed(chosen))
    return Step(torch.tensor([chosen]), logits, logits.clone(), alternatives=5)


def numbers(trace: tracekit.Trace) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "arrival_seconds"} for row in trace["trace"]]


def test_a_step_is_measured_in_the_thread_that_makes_its_row(
    source: CausalSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()
    measure = Step.values

    def watched(self: Step) -> list[float]:
        threads.add(threading.current_thread().name)
        return measure(self)

    monkeypatch.setattr(Step, "values", watched)
    list(tracekit.stream(source.with_settings({"max_new_tokens": 8}), PROMPT))

    assert threads == {threading.current_thread().name}


def test_it_is_measured_once_and_its_logits_are_let_go() -> None:
    given = step()
    kept = weakref.ref(given.scores)
    measurement = Measurement(given)
    expected = given.values()
    del given

    assert measurement.values() == expected
    assert kept() is None
    assert measurement.values() == expected


def test_a_consumer_that_is_far_behind_does_not_fill_the_memory() -> None:
    emitted, model = Emitted(), Speaks()
    watch = Watch(emitted, Ends(frozenset(), None, 0, 10**6), alternatives=5)
    kept, expected = [], []
    with watch.on(model):
        for number in range(3 * KEPT_STEPS):
            given = step(chosen=number % 50)
            model(given.logits.view(1, 1, -1))
            watch.sampled_from(given.scores)
            watch.chosen(given.chosen.view(1, 1))
            kept.append(weakref.ref(given.scores))
            expected.append(given.values())
    del given

    alive = [number for number, scores in enumerate(kept) if scores() is not None]
    assert alive == list(range(2 * KEPT_STEPS, 3 * KEPT_STEPS))
    assert [each.measurement.values() for each in emitted.observations] == expected


def test_rows_are_the_same_whenever_the_consumer_comes(source: CausalSource) -> None:
    source = source.with_settings({"max_new_tokens": 3 * KEPT_STEPS})
    *_, at_once = tracekit.stream(source, PROMPT, options=RunOptions(interval_seconds=0.0))
    *_, late = tracekit.stream(source, PROMPT, options=RunOptions(interval_seconds=60.0))

    assert len(late["trace"]) == 3 * KEPT_STEPS
    assert numbers(late) == numbers(at_once)


def test_a_model_that_uses_its_logits_again_is_measured_as_it_was(source: CausalSource) -> None:
    *_, plain = tracekit.stream(source.with_settings({"max_new_tokens": 12}), PROMPT)
    buffer = torch.empty(0)

    def into_the_buffer(model: object, inputs: object, output: Any) -> Any:
        nonlocal buffer
        if not buffer.numel():
            buffer = torch.empty_like(output.logits[:, -1:])
        buffer.copy_(output.logits[:, -1:])
        output.logits = buffer
        return output

    source.model.register_forward_hook(into_the_buffer)
    late = RunOptions(interval_seconds=60.0)
    *_, reused = tracekit.stream(source.with_settings({"max_new_tokens": 12}), PROMPT, options=late)

    assert numbers(reused) == numbers(plain)
