"""How text is generated. What the header's `settings` say is all there is to say."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.types import Json

__all__ = ["CANNOT_BE_STREAMED", "OPTIONS", "GenerationSettings"]

_BEAMS = "a beam search takes tokens back, so none can be streamed when it is chosen"
_ASSISTED = "assisted decoding delivers several tokens at once, so none has a time of its own"

# Fields of transformers' GenerationConfig: the value that changes nothing, and why no other is taken.
CANNOT_BE_STREAMED: dict[str, tuple[object, str]] = {
    "num_beams": (1, _BEAMS),
    "num_beam_groups": (1, _BEAMS),
    "num_return_sequences": (1, "a run streams one text; record each on its own"),
    "prompt_lookup_num_tokens": (None, _ASSISTED),
    "assistant_early_exit": (None, _ASSISTED),
    "use_mtp": (False, _ASSISTED),
    "guidance_scale": (1.0, "guidance runs the model twice a token, so no token has one distribution"),
    "watermarking_config": (None, "a watermark changes the distribution after it could be recorded"),
    "penalty_alpha": (None, "contrastive search chooses without a distribution over tokens"),
    "dola_layers": (None, "DoLa's distribution is not the model's own"),
}
OPTIONS = frozenset(
    (
        "bad_words_ids",
        "begin_suppress_tokens",
        "cache_implementation",
        "epsilon_cutoff",
        "eta_cutoff",
        "exponential_decay_length_penalty",
        "min_new_tokens",
        "min_p",
        "no_repeat_ngram_size",
        "prefill_chunk_size",
        "repetition_penalty",
        "sequence_bias",
        "suppress_tokens",
        "top_h",
        "typical_p",
        "use_cache",
    )
)


@dataclass(frozen=True)
class GenerationSettings:
    """Greedy by default, so that a recording can be a golden. Raises UsageError.

    `temperature` 0 is greedy; `top_k` 0 is all; `seed` is of this run's own generator and
    matters only where the temperature is above 0. `alternatives` is how many candidates a
    row lists. `custom` holds further fields of transformers' GenerationConfig (`OPTIONS`),
    such as `repetition_penalty` or `min_p`.
    """

    max_new_tokens: int = 128
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0
    stop: tuple[str, ...] = ()
    alternatives: int = 5
    custom: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("max_new_tokens", 1), ("top_k", 0), ("seed", 0), ("alternatives", 0)):
            if type(value := getattr(self, name)) is not int or not least <= value < 2**63:
                raise UsageError(f"{name} must be an integer of at least {least}, not {value!r}")
        if not _is_number(self.temperature) or self.temperature < 0:
            raise UsageError(f"temperature must be a number of at least 0, not {self.temperature!r}")
        if not _is_number(self.top_p) or not 0 < self.top_p <= 1:
            raise UsageError(f"top_p must be a number above 0 and at most 1, not {self.top_p!r}")
        for text in self.stop:
            if not isinstance(text, str) or not text:
                raise UsageError(f"stop must be strings that are not empty, not {text!r}")
        for name in self.custom:
            if name in CANNOT_BE_STREAMED:
                raise UsageError(f"{name}: {CANNOT_BE_STREAMED[name][1]}")
            if name not in OPTIONS:
                options = ", ".join(sorted(OPTIONS))
                raise UsageError(f"generation has no option {name}; custom takes {options}")

    def changed(self, settings: Mapping[str, Any]) -> GenerationSettings:
        """These settings with others in their place. Raises UsageError for an unknown one."""
        known = {field.name for field in dataclasses.fields(self)}
        if unknown := set(settings) - known:
            raise UsageError(f"a language model has no setting {', '.join(sorted(unknown))}")
        values = dict(settings)
        if "stop" in values:
            values["stop"] = _strings(values["stop"])
        if not isinstance(values.get("custom", {}), Mapping):
            raise UsageError(f"custom must be an object, not {values['custom']!r}")
        return dataclasses.replace(self, **values)

    def payload(self) -> Json:
        """As they stand in a header; `changed` takes it back."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values["stop"] = list(self.stop)
        if not self.custom:
            del values["custom"]
        return values


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise UsageError(f"stop must be a list of strings, not {value!r}")
    return tuple(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
