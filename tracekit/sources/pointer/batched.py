"""A request asked many times at once, to see how far the numbers move with the batch's size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from tracekit.streaming.source import Emit

__all__ = ["FirstOfBatch", "RepeatingTokenizer"]


@dataclass(frozen=True)
class RepeatingTokenizer:
    """A tokenizer whose every batch is `size` times as large."""

    tokenizer: Any
    size: int

    def __call__(self, text: str, **options: Any) -> dict[str, Tensor]:
        encoded = self.tokenizer(text, **options)
        return {name: tensor.repeat(self.size, 1) for name, tensor in encoded.items()}


@dataclass(frozen=True)
class FirstOfBatch:
    """Emits a batch's first row."""

    emit: Emit

    def now(self) -> float:
        return self.emit.now()

    def wait(self, seconds: float) -> None:
        self.emit.wait(seconds)

    def __call__(self, observation: Any, at: float | None = None) -> None:
        self.emit(tuple(tensor[:1] for tensor in observation), at)
