"""The document's types. A snapshot and a trace have one shape: a trace is the last snapshot.

They are plain dictionaries, because that is what a consumer gets from `json.loads`,
what a template renders and what travels to a browser; the types here are for readers
and for mypy, the schemas in `schemas/` are what is enforced.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

__all__ = [
    "Candidate",
    "Environment",
    "Failure",
    "Json",
    "Kind",
    "LetterCandidate",
    "LoopRow",
    "Model",
    "Row",
    "Snapshot",
    "Status",
    "TokenRow",
    "Trace",
]

Json: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["loop", "token"]
Status: TypeAlias = Literal["streaming", "complete", "cancelled", "failed", "interrupted"]


class LetterCandidate(TypedDict):
    """One of a loop's most probable letters."""

    symbol: str
    probability: float


class Candidate(TypedDict):
    """One of a step's most probable tokens; `logprob` is in nats."""

    token_id: int
    text: str
    logprob: float


class LoopRow(TypedDict):
    """What one loop showed. `arrival_seconds` counts from the start of inference."""

    loop: int
    prediction: str
    token_id: NotRequired[int]
    direct_prediction: NotRequired[str | None]
    stop_probability: NotRequired[float]
    top3: NotRequired[list[LetterCandidate]]
    top: NotRequired[list[Candidate]]
    entropy: NotRequired[float]
    kl: NotRequired[float]
    cosine: NotRequired[float]
    arrival_seconds: float
    expected: NotRequired[str]
    correct: NotRequired[bool]
    edge_valid: NotRequired[bool]


class TokenRow(TypedDict):
    """What one token showed. `arrival_seconds` counts from the start of inference."""

    index: int
    token_id: int
    text: str
    logprob: float
    sampled_logprob: NotRequired[float]
    top: list[Candidate]
    entropy: NotRequired[float]
    note: NotRequired[str]
    arrival_seconds: float
    expected: NotRequired[str]
    correct: NotRequired[bool]


Row: TypeAlias = LoopRow | TokenRow


class Model(TypedDict):
    """The observed model's provenance. `source` is what `--model` takes to load it again."""

    source: str
    name: str
    sha256: NotRequired[str]
    dtype: NotRequired[str]
    device: NotRequired[str]
    parameters: NotRequired[int]


class Environment(TypedDict):
    """Where the run happened."""

    python: str
    platform: str
    cpu: str
    threads: NotRequired[int]
    torch: NotRequired[str]
    transformers: NotRequired[str]


class Failure(TypedDict):
    """What the model raised."""

    type: str
    message: str


class Trace(TypedDict):
    """The whole document of the current version; field by field in `schemas/trace.v2.schema.json`."""

    schema_version: Literal[2]
    kind: Kind
    id: str
    created_at: str
    source: Literal["live", "recorded"]
    status: Status
    recorder: dict[str, str]
    checkpoint: str
    model: Model
    environment: Environment
    request: Json
    settings: Json
    metadata: Json
    trace: list[Any]  # of LoopRow or TokenRow, as `kind` says
    summary: NotRequired[Json]
    error: NotRequired[Failure]
    inference_seconds: NotRequired[float]


Snapshot: TypeAlias = Trace
