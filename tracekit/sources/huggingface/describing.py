"""What a loaded model tells about itself for a trace's header."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import torch
import transformers

from tracekit.format.types import Model

__all__ = ["environment", "identity_of", "short"]


def identity_of(model: Any, source: str, name: str = "") -> Model:
    """The header's `model` but for the weights' hash. `source` is what `--model` takes."""
    own = PurePath(str(model.config.name_or_path)).name
    return {
        "source": source,
        "name": name or own or type(model).__name__,
        "dtype": short(model.dtype),
        "device": str(model.device),
        "parameters": model.num_parameters(),
    }


def environment() -> dict[str, str | int]:
    """What its numbers depend on beyond the machine."""
    return {
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
        "threads": torch.get_num_threads(),
    }


def short(dtype: torch.dtype) -> str:
    """`float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")
