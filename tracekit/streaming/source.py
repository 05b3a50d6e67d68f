"""The source protocol: given a request, emit an observation a step.

A source has one method to write, `observe`. It runs in a worker thread that nothing else
disturbs, and calls `emit` as soon as a step is there. Everything else has a default; a
source overrides what it knows better. What is computed from an observation afterwards
(its row, whether it is right, the summary) is the `Interpreter`'s, on the consumer's side,
so that it costs the model nothing and can tell it nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from tracekit.errors import RequestError, RunError, TracekitError, UsageError
from tracekit.format.layout import ROW_KEYS
from tracekit.format.types import Json, Kind, Model
from tracekit.streaming.summary import summarize

__all__ = ["Description", "Emit", "Interpreter", "Observed", "Source", "accepted", "own_code"]


class Emit(Protocol):
    """What a source calls with each observation, in the worker's thread."""

    def __call__(self, observation: Any, at: float | None = None) -> None:
        """Hand an observation on, stamped with now, or with `at` as `now` gave it earlier.

        It is looked at later, in another thread: do not change it afterwards.
        Raises `Cancelled`, to be let through, where the consumer has gone.
        """

    def now(self) -> float:
        """Seconds on the run's monotonic clock."""

    def wait(self, seconds: float) -> None:
        """Sleep, unless the run is stopped meanwhile: then raises `Cancelled`, soon."""


@dataclass(frozen=True)
class Description:
    """Who a source is, for the trace's header."""

    model: Model
    checkpoint: str = ""
    settings: Json = field(default_factory=dict)
    environment: Mapping[str, str | int] = field(default_factory=dict)  # beyond python, platform and cpu


class Observed(NamedTuple):
    """An observation with its arrival, in seconds from the start of inference."""

    observation: Any
    arrival_seconds: float


class Interpreter:
    """Makes one run's rows from its observations, in order, and its summary.

    This one takes observations that are rows already, but for their number and arrival.
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._number, self._next = ("loop", 1) if kind == "loop" else ("index", 0)

    def rows(self, observed: Sequence[Observed]) -> Iterator[Json]:
        """A row for each; all that have arrived together come together."""
        for observation, arrival_seconds in observed:
            yield self.row(observation, arrival_seconds)

    def row(self, observation: Any, arrival_seconds: float) -> Json:
        """The next row. Raises what the run is to fail with where the observation is unusable."""
        values = {**observation, self._number: self._next, "arrival_seconds": arrival_seconds}
        self._next += 1
        return {key: values.pop(key) for key in ROW_KEYS[self.kind] if key in values} | values

    def summary(self, rows: Sequence[Json], stop_reason: str) -> Json:
        """The summary of a complete run."""
        return summarize(self.kind, rows, stop_reason)


class Source(ABC):
    """What is observed: a model with its checkpoint."""

    kind: Kind

    @abstractmethod
    def observe(self, request: Any, emit: Emit) -> str:
        """Run the request, `emit` every step, return the stop reason in a word.

        Called in a worker thread, by one run at a time. An exception from it, or from
        the model, comes out of the consumer's iterator as itself.
        """

    def parse_request(self, value: object) -> Any:
        """The request as `observe` takes it. Raises RequestError for what the source refuses."""
        if not isinstance(value, dict):
            raise RequestError("", "a JSON object", type(value).__name__)
        return value

    def payload(self, request: Any) -> Json:
        """A parsed request as JSON, such that parsing it again gives an equal request."""
        return dict(request)

    def with_settings(self, settings: Mapping[str, Any]) -> Source:
        """The same loaded model, run with these settings, as `describe` names them in a header.

        Raises UsageError for a setting that the source does not have.
        """
        if settings:
            raise UsageError(f"{type(self).__name__} has no settings, so not {', '.join(settings)}")
        return self

    def batched(self, size: int) -> Source | None:  # noqa: ARG002
        """The same loaded model, each request run as the first of a batch of `size` equal ones.

        It shows how far the numbers move with the batch's size. None if the source cannot.
        """
        return None

    def describe(self) -> Description:
        """Who the source is. `model["source"]` is what `--model` takes to load it again."""
        name = type(self).__name__
        return Description(model={"source": f"{type(self).__module__}:{name}", "name": name})

    def origin(self, request: Any) -> Literal["live", "recorded"]:  # noqa: ARG002
        """Whether a model will run for this request, or a recording answers it."""
        return "live"

    def interpreter(self, request: Any) -> Interpreter:  # noqa: ARG002
        """What turns one run's observations into rows, on the consumer's side."""
        return Interpreter(self.kind)

    @property
    def can_score(self) -> bool:
        """Whether `score` works: whether the source can be fed tokens that it did not choose."""
        return False

    def score(self, request: Any, token_ids: Sequence[int]) -> list[Json]:  # noqa: ARG002
        """Teacher-forced: one forward pass over a parsed request followed by `token_ids`.

        One object a token, in order, with what the model makes of it at its place: `token_id`,
        `logprob` and `top`, in nats under the model's own distribution, and `entropy` where
        the source's rows have it. `top` lists as many candidates as a run's rows do.
        Called in any thread, by a caller that holds `exclusive`. Raises UsageError where
        `can_score` is false, NonFiniteOutput for a step whose output is not finite.
        """
        raise UsageError(f"{type(self).__name__} cannot score given tokens; it can only generate")

    @property
    def exclusive(self) -> object:
        """What two runs may not use at once: runs whose `exclusive` is one object wait in line."""
        return self


@contextmanager
def own_code(name: str) -> Iterator[None]:
    """Raise RunError for what a source's own code raises outside of its run, where no trace can tell it."""
    try:
        yield
    except TracekitError:
        raise
    except (Exception, SystemExit) as error:  # of a source of one's own, which may use any
        raise RunError(f"the source {name} raised {type(error).__name__}: {error}") from error


def accepted(source: Source, request: object) -> Any:
    """The request as the source takes it. Raises RequestError for what it refuses, in whatever way."""
    try:
        return source.parse_request(request)
    except TracekitError:
        raise
    except Exception as error:  # of a source of one's own, which may use any
        found = f"{type(error).__name__}: {error}"
        raise RequestError("", f"what {type(source).__name__} takes", found) from error
