"""The pointer model run on a batch, to see how far its numbers move with the batch's size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from tracekit.sources.pointer.source import PointerSource
from tracekit.sources.pointer.task import PointerRequest
from tracekit.streaming.source import Emit

__all__ = ["BatchedPointerSource"]


class BatchedPointerSource(PointerSource):
    """Asks the model the same request `size` times at once, and shows the first."""

    def __init__(self, single: PointerSource, size: int) -> None:
        super().__init__(single.model, _Repeating(single.tokenizer, size), single.spec, single.settings)
        self._single, self._size = single, size

    def with_settings(self, settings: Mapping[str, Any]) -> BatchedPointerSource:
        return BatchedPointerSource(self._single.with_settings(settings), self._size)

    def observe(self, request: PointerRequest, emit: Emit) -> str:
        return super().observe(request, _First(emit))


@dataclass(frozen=True)
class _Repeating:
    """A tokenizer whose every batch is `size` times as large."""

    tokenizer: Any
    size: int

    def __call__(self, text: str, **options: Any) -> dict[str, Tensor]:
        encoded = self.tokenizer(text, **options)
        return {name: tensor.repeat(self.size, 1) for name, tensor in encoded.items()}


@dataclass(frozen=True)
class _First:
    """Emits a batch's first row."""

    emit: Emit

    def now(self) -> float:
        return self.emit.now()

    def wait(self, seconds: float) -> None:
        self.emit.wait(seconds)

    def __call__(self, observation: Any, at: float | None = None) -> None:
        self.emit(observation[:1], at)
