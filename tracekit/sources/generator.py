"""Any Python generator as a source: a model of one's own, an API's stream, a simulation."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

from tracekit.errors import SourceError, UsageError
from tracekit.format.types import Json, Kind
from tracekit.streaming.source import Description, Emit, Source

__all__ = ["GeneratorSource", "Steps"]

# A row without its number and arrival, or just the text of a prediction; returns the stop reason.
Steps: TypeAlias = Generator[Mapping[str, Any] | str, None, str | None]


@dataclass(frozen=True, eq=False)
class GeneratorSource(Source):
    """Runs `steps(request)` and records what it yields, stamped when it yields it.

    Each yield is a row without its number and arrival (`prediction` for a loop; `token_id`,
    `text`, `logprob` and `top` for a token), or, of kind `loop`, a string: the prediction.
    What the generator returns is the stop reason, `end` if it returns nothing. A run that
    is cancelled closes the generator at its next yield, so its `finally` blocks run.

    `source` is what `--model` takes to load it again, `module:factory`; by default the
    generator function's own place. `settings` are the header's. Raises UsageError where
    `steps` is not callable or the kind is unknown.
    """

    kind: Kind
    steps: Callable[[Any], Steps]
    name: str = ""
    source: str = ""
    settings: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("loop", "token"):
            raise UsageError(f"kind must be 'loop' or 'token', not {self.kind!r}")
        if not callable(self.steps):
            raise UsageError(f"steps must be a generator function, not {self.steps!r:.60}")

    def describe(self) -> Description:
        return Description(
            model={"source": self.source or self._place, "name": self.name or self._own_name},
            settings=dict(self.settings or {}),
        )

    def observe(self, request: Json, emit: Emit) -> str:
        """Run the generator; its stop reason. Raises SourceError for what is no generator, or no row."""
        steps = self.steps(request)
        if not isinstance(steps, Generator):
            raise SourceError(f"{self._place} returned {type(steps).__name__}, expected a generator")
        with closing(steps):
            while True:
                try:
                    step = next(steps)
                except StopIteration as stop:
                    return str(stop.value) if stop.value else "end"
                emit(self._observation(step))

    def _observation(self, step: Mapping[str, Any] | str) -> Mapping[str, Any]:
        if isinstance(step, str) and self.kind == "loop":
            return {"prediction": step}
        if not isinstance(step, Mapping):
            raise SourceError(f"{self._place} yielded {type(step).__name__}, expected a row")
        return deepcopy(dict(step))  # many generators yield one dictionary that they change again and again

    @property
    def _own_name(self) -> str:
        return getattr(self.steps, "__name__", type(self.steps).__name__)

    @property
    def _place(self) -> str:
        return f"{getattr(self.steps, '__module__', __name__)}:{self._own_name}"
