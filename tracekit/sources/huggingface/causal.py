"""A causal language model as a source: `generate` with eyes, a row a token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig, StoppingCriteriaList, StopStringCriteria

from tracekit.errors import NonFiniteOutput, UsageError
from tracekit.format.types import Json, Model
from tracekit.sources.huggingface.describing import environment, identity_of
from tracekit.sources.huggingface.detokenize import Detokenizer
from tracekit.sources.huggingface.distribution import Distribution
from tracekit.sources.huggingface.prompts import PromptRequest, context_length, parse_prompt
from tracekit.sources.huggingface.rows import TokenInterpreter, measured
from tracekit.sources.huggingface.settings import CANNOT_BE_STREAMED, GenerationSettings
from tracekit.sources.huggingface.steps import WARPERS, Ending, Ends, Watch, processors
from tracekit.streaming.source import Description, Emit, Source

__all__ = ["CausalSource"]


@dataclass(frozen=True, eq=False)
class CausalSource(Source):
    """A language model in eval mode with its tokenizer.

    `identity` is the header's `model`; without it, what the model tells of itself. Raises
    UsageError for a model that cannot generate token by token, and for settings that it
    or its tokenizer cannot be run with.
    """

    model: Any
    tokenizer: Any
    settings: GenerationSettings = field(default_factory=GenerationSettings)
    identity: Model | None = None

    kind = "token"

    def __post_init__(self) -> None:
        if self.model.training:
            raise UsageError("the model must be in eval mode, or dropout makes every run another")
        if self.model.config.is_encoder_decoder or not self.model.can_generate():
            raise UsageError(f"{type(self.model).__name__} is not a causal language model")
        for name, (neutral, reason) in CANNOT_BE_STREAMED.items():
            if getattr(self.model.generation_config, name, None) not in (None, neutral):
                raise UsageError(f"the model's generation_config sets {name}: {reason}")
        self._generation_config(self.settings.max_new_tokens)
        self._stop_strings()

    def parse_request(self, value: object) -> PromptRequest:
        return parse_prompt(value, self.tokenizer, context_length(self.model.config))

    def payload(self, request: PromptRequest) -> Json:
        return request.payload

    def with_settings(self, settings: Mapping[str, Any]) -> CausalSource:
        return CausalSource(self.model, self.tokenizer, self.settings.changed(settings), self.identity)

    def describe(self) -> Description:
        return Description(
            model=self.identity or identity_of(self.model, "hf"),
            settings=self.settings.payload(),
            environment=environment(),
        )

    def interpreter(self, request: PromptRequest) -> TokenInterpreter:  # noqa: ARG002
        return TokenInterpreter(self.tokenizer)

    @property
    def exclusive(self) -> object:
        return self.model

    def observe(self, request: PromptRequest, emit: Emit) -> str:
        """`generate`; why it stopped: `eos`, `length` or `stop_string`."""
        prompt = torch.tensor([request.token_ids], device=self.model.device)  # (1, P)
        ends = self._ends(request)
        watch = Watch(emit, ends, self.settings.alternatives)
        with watch.on(self.model):
            self.model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                generation_config=self._generation_config(ends.total_tokens - ends.prompt_tokens),
                logits_processor=processors(watch, self.settings, self.model.device),
                stopping_criteria=StoppingCriteriaList([Ending(watch)]),
            )
        return watch.stop_reason

    @property
    def can_score(self) -> bool:
        return True

    def score(self, request: PromptRequest, token_ids: Sequence[int]) -> list[Json]:
        if not token_ids:
            return []
        ids = torch.tensor([[*request.token_ids, *token_ids]], device=self.model.device)  # (1, P + T)
        with torch.inference_mode():
            # The logits at a place are about the token after it, so those of the last are not needed.
            logits = self.model(ids[:, :-1], use_cache=False, logits_to_keep=len(token_ids)).logits[0]
            values = [self._scored(*pair) for pair in zip(logits, token_ids, strict=True)]
        detokenizer = Detokenizer(self.tokenizer)
        rows = []
        for index, (token_id, (logprob, *packed)) in enumerate(zip(token_ids, values, strict=True)):
            if not math.isfinite(logprob + packed[0]):
                raise NonFiniteOutput("token", index, "output")
            rows.append(measured(token_id, logprob, packed, detokenizer))
        return rows

    def _scored(self, logits: Tensor, token_id: int) -> list[float]:
        own = Distribution.of(logits)
        packed = own.packed(self.settings.alternatives)
        values: list[float] = torch.cat((own.logprobs[token_id].view(1), packed)).tolist()
        return values

    def _ends(self, request: PromptRequest) -> Ends:
        eos = self.model.generation_config.eos_token_id
        prompt = len(request.token_ids)
        total = prompt + self.settings.max_new_tokens
        context = context_length(self.model.config)
        return Ends(
            eos=frozenset([] if eos is None else [eos] if isinstance(eos, int) else eos),
            strings=self._stop_strings(),
            prompt_tokens=prompt,
            total_tokens=total if context is None else min(total, context),
        )

    def _stop_strings(self) -> StopStringCriteria | None:
        if not self.settings.stop:
            return None
        try:
            return StopStringCriteria(self.tokenizer, list(self.settings.stop))
        except ValueError as error:
            raise UsageError(f"stop: no token of this model can end {list(self.settings.stop)}") from error

    def _generation_config(self, new_tokens: int) -> GenerationConfig:
        """Greedy for `generate`, since our own processors warp and sample; see `steps`."""
        own = self.model.generation_config
        eos = own.eos_token_id if isinstance(own.eos_token_id, int | None) else own.eos_token_id[0]
        try:
            return GenerationConfig(  # type: ignore[no-untyped-call]
                do_sample=False,
                temperature=1.0,
                top_k=50,
                top_p=1.0,
                max_new_tokens=new_tokens,
                pad_token_id=own.pad_token_id if own.pad_token_id is not None else eos,
                **{name: value for name, value in self.settings.custom.items() if name not in WARPERS},
            )
        except (ValueError, TypeError) as error:
            raise UsageError(f"custom: {error}") from error
