"""A looped Hugging Face model as a source: one forward over the prompt, a row a loop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from tracekit.errors import NonFiniteOutput, SourceError, UsageError
from tracekit.format.numbers import shortest
from tracekit.format.types import Json, Model
from tracekit.sources.huggingface.architectures import (
    ARCHITECTURES,
    LoopedArchitecture,
    LoopEnd,
    layer_arguments,
)
from tracekit.sources.huggingface.describing import environment, identity_of
from tracekit.sources.huggingface.detokenize import Detokenizer
from tracekit.sources.huggingface.distribution import Distribution, at_least, read
from tracekit.sources.huggingface.prompts import PromptRequest, context_length, parse_prompt
from tracekit.streaming.source import Description, Emit, Interpreter, Source

__all__ = ["LoopObservation", "LoopedSource"]


class LoopObservation(NamedTuple):
    """A loop's packed distribution, and how it compares with the loop before, if there was one."""

    packed: list[float]
    kl: float | None
    cosine: float | None


@dataclass(frozen=True, eq=False)
class LoopedSource(Source):
    """A looped model in eval mode with its tokenizer; rows list `alternatives` candidates, at least one.

    Raises SourceError for an architecture that the table does not know.
    """

    model: Any
    tokenizer: Any
    alternatives: int = 5
    identity: Model | None = None

    kind = "loop"

    def __post_init__(self) -> None:
        if type(self.alternatives) is not int or self.alternatives < 1:
            raise UsageError(f"alternatives must be an integer of at least 1, not {self.alternatives!r}")
        if self.model.training:
            raise UsageError("the model must be in eval mode, or dropout makes every run another")
        if types := self._architecture.unreadable(self.model):
            names = ", ".join(sorted(types))
            raise SourceError(f"no layer before or in the loop has the attention behind it: {names}")

    def parse_request(self, value: object) -> PromptRequest:
        return parse_prompt(value, self.tokenizer, context_length(self.model.config))

    def payload(self, request: PromptRequest) -> Json:
        return request.payload

    def with_settings(self, settings: Mapping[str, Any]) -> LoopedSource:
        if unknown := set(settings) - {"alternatives"}:
            raise UsageError(f"a looped model has no setting {', '.join(sorted(unknown))}, only alternatives")
        return replace(self, **settings)

    def describe(self) -> Description:
        return Description(
            model=self.identity or identity_of(self.model, "hf-loop"),
            settings={"alternatives": self.alternatives},
            environment=environment(),
        )

    def interpreter(self, request: PromptRequest) -> LoopInterpreter:  # noqa: ARG002
        return LoopInterpreter(self.tokenizer)

    @property
    def exclusive(self) -> object:
        return self.model

    def observe(self, request: PromptRequest, emit: Emit) -> str:
        """One forward over the prompt; `emit` gets each loop's reading of the last position."""
        prompt = torch.tensor([request.token_ids], device=self.model.device)  # (1, T)
        watch = _Watch(self.model, self._architecture, self.alternatives, emit)
        with torch.inference_mode(), watch.on():
            self.model(prompt, use_cache=False, logits_to_keep=1)
        return "loops"

    @property
    def _architecture(self) -> LoopedArchitecture:
        name = self.model.config.model_type
        if name not in ARCHITECTURES:
            known = ", ".join(sorted(ARCHITECTURES))
            raise SourceError(f"{name} is not a looped architecture that tracekit can read; it reads {known}")
        return ARCHITECTURES[name]


@dataclass
class _Watch:
    """One forward's eyes: hooks on the layers, for what they are called with, and on the loop's end."""

    model: Any
    architecture: LoopedArchitecture
    alternatives: int
    emit: Emit
    by_type: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    before: tuple[Tensor, Distribution] | None = None

    @contextmanager
    def on(self) -> Iterator[None]:
        layers = self.architecture.layers(self.model)
        with ExitStack() as hooks:
            for layer in layers[: len(layers) - self.architecture.behind(self.model)]:
                hooks.callback(layer.register_forward_pre_hook(self._keep, with_kwargs=True).remove)
            last = self.architecture.last(self.model)
            hooks.callback(last.register_forward_hook(self._read).remove)
            yield

    def _keep(self, layer: Any, arguments: Any, keywords: Mapping[str, Any]) -> None:  # noqa: ARG002
        if layer.attention_type not in self.by_type:
            self.by_type[layer.attention_type] = layer_arguments(keywords)

    def _read(self, module: Any, arguments: tuple[Any, ...], output: Tensor) -> None:  # noqa: ARG002
        end = LoopEnd(arguments, output, self.by_type)
        state = output[0, -1].float()  # (D,)
        now = Distribution.of(self.architecture.read(self.model, end))
        parts = [now.packed(self.alternatives)]
        if self.before is not None:
            parts.append(_compared(state, now, *self.before))
        values = torch.cat(parts).tolist()
        at = self.emit.now()
        kl, cosine = values[-2:] if self.before is not None else (None, None)
        packed = values[:-2] if self.before is not None else values
        self.before = state, now
        self.emit(LoopObservation(packed, kl, cosine), at)


def _compared(state: Tensor, now: Distribution, state_before: Tensor, before: Distribution) -> Tensor:
    """KL(now | before) in nats and the cosine of the states' angle, (2,)."""
    kl = F.kl_div(before.logprobs, now.logprobs, reduction="sum", log_target=True)
    return torch.stack((kl, F.cosine_similarity(state, state_before, dim=0)))


class LoopInterpreter(Interpreter):
    """Makes rows of loops' readings, and text of their candidates' ids."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__("loop")
        self._detokenizer = Detokenizer(tokenizer)

    def row(self, observation: LoopObservation, arrival_seconds: float) -> Json:
        """The next row. Raises NonFiniteOutput for NaN or infinity."""
        reading = read(observation.packed)
        compared = [value for value in (observation.kl, observation.cosine) if value is not None]
        if not math.isfinite(sum(compared, reading.entropy)):
            raise NonFiniteOutput("loop", self._next, "output")
        top = reading.top(self._detokenizer.text_of)
        entropy, *compared = shortest([reading.entropy, *compared])
        values = {
            "prediction": top[0]["text"],
            "token_id": top[0]["token_id"],
            "top": top,
            "entropy": at_least(0.0, entropy),
        }
        if compared:
            values |= {"kl": at_least(0.0, compared[0]), "cosine": min(1.0, max(-1.0, compared[1]))}
        return super().row(values, arrival_seconds)
