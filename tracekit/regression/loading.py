"""Which model a golden needs, and loading it: only what ships with tracekit, or what a person allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tracekit.errors import UntrustedSource
from tracekit.format.types import Json
from tracekit.regression.tolerances import DEFAULTS
from tracekit.sources.registry import SOURCES, LoadOptions, load_source
from tracekit.streaming.source import Source

__all__ = ["Loading", "ModelKey"]


class ModelKey(NamedTuple):
    """Goldens of one key are checked with one loaded model."""

    source: str
    checkpoint: str
    dtype: str

    @classmethod
    def of(cls, header: Json) -> ModelKey:
        model = header.get("model", {})
        return cls(model.get("source", "pointer"), header.get("checkpoint", ""), model.get("dtype", ""))


@dataclass(frozen=True)
class Loading:
    """How goldens' models are loaded. `allowed` are names of own sources that a person trusts."""

    allowed: frozenset[str] = frozenset()
    checkpoint: str | None = None
    device: str = "cpu"
    threads: int | None = None

    def refuse_untrusted(self, key: ModelKey, path: Path) -> None:
        """Raise UntrustedSource for a golden that names a module nobody allowed."""
        if (
            ":" in key.source
            and key.source.partition(":")[0] not in SOURCES
            and key.source not in self.allowed
        ):
            raise UntrustedSource(path, key.source)

    def load(self, key: ModelKey, path: Path) -> Source:
        """The model that the golden at `path` names. Never with code from a checkpoint.

        Raises UntrustedSource, and what `load_source` raises.
        """
        self.refuse_untrusted(key, path)
        options = LoadOptions(
            checkpoint=self.checkpoint or key.checkpoint or None,
            device=self.device,
            dtype=key.dtype if key.dtype in DEFAULTS else None,
            threads=self.threads,
            trust_remote_code=False,
        )
        return load_source(key.source, options)
