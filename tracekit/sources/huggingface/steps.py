"""What is measured at each token, inside `generate`, through its public seams.

`generate` calls, for each token: the model; its own processors (a repetition penalty, say);
then ours, which it takes in the order given: ours are the samplers' warpers, so that the
last of ours sees the distribution that is sampled from; then, the token chosen, the
stopping criteria. There the token is known on every device, at the first moment it can be,
and there it is stamped. A streamer would get it later: on some devices by a whole step.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    LogitsProcessor,
    LogitsProcessorList,
    MinPLogitsWarper,
    StoppingCriteria,
    TemperatureLogitsWarper,
    TopHLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from tracekit.errors import NonFiniteOutput
from tracekit.sources.huggingface.measurement import Measurement, Step
from tracekit.sources.huggingface.rows import TokenObservation
from tracekit.sources.huggingface.settings import GenerationSettings
from tracekit.streaming.source import Emit

__all__ = ["WARPERS", "Ending", "Ends", "Watch", "processors"]

# Tokens whose logits may be kept at once: of 250,000 entries each, 64 MB.
KEPT_STEPS = 32

# In the order in which `generate` would apply them.
WARPERS: dict[str, Callable[[Any], LogitsProcessor]] = {
    "temperature": TemperatureLogitsWarper,
    "top_h": TopHLogitsWarper,
    "top_k": TopKLogitsWarper,
    "top_p": TopPLogitsWarper,
    "min_p": MinPLogitsWarper,
    "typical_p": TypicalLogitsWarper,
    "epsilon_cutoff": EpsilonLogitsWarper,
    "eta_cutoff": EtaLogitsWarper,
}


@dataclass(frozen=True)
class Ends:
    """When a text ends: at one of these tokens, at a stop string, at this many tokens in all."""

    eos: frozenset[int]
    strings: StoppingCriteria | None
    prompt_tokens: int
    total_tokens: int

    def reason(self, token_ids: Tensor, token_id: int) -> str:
        """Why the text ends with the last of `token_ids`, (1, n), which is `token_id`; or nothing."""
        if token_id in self.eos:
            return "eos"
        # Only what was generated: a stop string must not end in the text and begin in the prompt.
        if self.strings is not None and bool(self.strings(token_ids[:, self.prompt_tokens :], None)):
            return "stop_string"
        return "length" if token_ids.shape[1] >= self.total_tokens else ""


@dataclass
class Watch:
    """One run's eyes inside `generate`; `stop_reason` is there once the text has ended."""

    emit: Emit
    ends: Ends
    alternatives: int
    stop_reason: str = ""
    _logits: Tensor = field(default_factory=lambda: torch.empty(0))
    _index: int = 0
    _latest: deque[Measurement] = field(default_factory=deque)
    _final_scores: Tensor = field(init=False)

    @contextmanager
    def on(self, model: Any) -> Iterator[None]:
        """Keep the model's own logits of each step, before any processor has changed them."""
        handle = model.register_forward_hook(self._keep)
        try:
            yield
        finally:
            handle.remove()

    def before_sampling(self) -> None:
        """Refuse a distribution that cannot be sampled from. Raises NonFiniteOutput.

        A sampler given NaN fails in words about itself, and on CUDA takes the process with it.
        Where nothing is sampled this need not be called, and saves waiting for the device.
        """
        # The largest is NaN if any is, infinite if any is, and minus infinite only if all are.
        if not math.isfinite(self._logits[0, -1].amax().item()):
            raise NonFiniteOutput("token", self._index, "output")

    def sampled_from(self, scores: Tensor) -> None:
        """Remember the distribution (V,) that the next token is chosen from, as logits."""
        self._final_scores = scores

    def chosen(self, token_ids: Tensor) -> bool:
        """A token has been chosen, the last of `token_ids`, (1, n). Whether it ends the text at a string.

        `emit` may raise `Cancelled`, which ends `generate` here.
        """
        measurement = Measurement(
            Step(token_ids[0, -1:], self._logits[0, -1], self._final_scores, self.alternatives)
        )
        at = self.emit.now()
        self.stop_reason = self.ends.reason(token_ids, measurement.token_id)
        self.emit(TokenObservation(measurement, last=bool(self.stop_reason)), at)
        self._index += 1
        self._latest.append(measurement)
        if len(self._latest) > KEPT_STEPS:  # a consumer that is so far behind must not fill the memory
            self._latest.popleft().values()
        return self.stop_reason == "stop_string"

    def _keep(self, model: Any, arguments: Any, output: Any) -> None:  # noqa: ARG002
        self._logits = output.logits


def processors(watch: Watch, settings: GenerationSettings, device: Any) -> LogitsProcessorList:
    """What to give `generate`: it measures, warps as the settings say, measures, and samples."""
    if settings.temperature == 0:
        return LogitsProcessorList([_After(watch)])
    generator = torch.Generator(device).manual_seed(settings.seed)
    return LogitsProcessorList([_Before(watch), *_warpers(settings), _After(watch), _Sampler(generator)])


def _warpers(settings: GenerationSettings) -> list[LogitsProcessor]:
    neutral = {"temperature": 1.0, "top_k": 0, "top_p": 1.0}
    given = {name: getattr(settings, name) for name in neutral}
    given = {name: value for name, value in given.items() if value != neutral[name]}
    given |= {name: settings.custom[name] for name in WARPERS if name in settings.custom}
    return [warper(given[name]) for name, warper in WARPERS.items() if name in given]


class _Before(LogitsProcessor):
    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # noqa: ARG002
        self._watch.before_sampling()
        return scores


class _After(LogitsProcessor):
    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # noqa: ARG002
        self._watch.sampled_from(scores[0])
        return scores


class _Sampler(LogitsProcessor):
    """Draws the token as `generate` does, but from a generator of this run's own.

    `generate` draws from the process's generator, so that two runs at once would disturb
    each other, and every run whoever else counts on it. Leaves one token possible.
    """

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # noqa: ARG002
        chosen = torch.multinomial(scores.softmax(dim=-1), 1, generator=self._generator)
        return torch.full_like(scores, -math.inf).scatter(1, chosen, 0.0)


class Ending(StoppingCriteria):
    """Where each chosen token is stamped, and where stop strings end the text."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def __call__(self, input_ids: Tensor, scores: Any, **_: Any) -> Any:  # noqa: ARG002
        ended = self._watch.chosen(input_ids)
        return torch.full((1,), ended, dtype=torch.bool, device=input_ids.device)
