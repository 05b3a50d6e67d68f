"""The pointer source: a looped transformer that follows a table of rules, one a loop.

Requests need the standard library only; what needs torch is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tracekit.errors import MissingExtra
from tracekit.sources.pointer.task import (
    SYMBOLS,
    PointerRequest,
    execute,
    random_cycle,
    random_function,
    random_permutation,
    render_prompt,
    shuffled_pairs,
)

if TYPE_CHECKING:
    from tracekit.sources.pointer.checkpoint import load
    from tracekit.sources.pointer.model import LoopedConfig, LoopedTransformer
    from tracekit.sources.pointer.source import (
        PointerSettings,
        PointerSource,
        score_trace,
        stream_inference,
    )
    from tracekit.sources.pointer.tokenizer import PromptTokenizer

__all__ = [
    "SYMBOLS",
    "LoopedConfig",
    "LoopedTransformer",
    "PointerRequest",
    "PointerSettings",
    "PointerSource",
    "PromptTokenizer",
    "execute",
    "load",
    "random_cycle",
    "random_function",
    "random_permutation",
    "render_prompt",
    "score_trace",
    "shuffled_pairs",
    "stream_inference",
]

_TORCH_NAMES = {
    "LoopedConfig": "model",
    "LoopedTransformer": "model",
    "PromptTokenizer": "tokenizer",
    "PointerSettings": "source",
    "PointerSource": "source",
    "load": "checkpoint",
    "score_trace": "source",
    "stream_inference": "source",
}


def __getattr__(name: str) -> object:
    if name not in _TORCH_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_TORCH_NAMES[name]}")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors", "tokenizers"):
            raise
        raise MissingExtra(error.name, "torch") from error
    return getattr(module, name)
