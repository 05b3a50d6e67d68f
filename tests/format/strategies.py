"""Strategies of valid documents: version 2 of both kinds, version 1, and mutations of them."""

from __future__ import annotations

import copy
import string
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

letters = st.sampled_from(string.ascii_uppercase)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
finite = st.floats(allow_nan=False, allow_infinity=False)
probabilities = st.floats(0, 1)
nats = st.floats(0, 1e9)
logprobs = st.floats(-1e9, 0)
whole = st.integers(0, (1 << 64) - 1)
hexadecimal = st.text("0123456789abcdef", min_size=64, max_size=64)
leaves = st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | finite | texts
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
free_objects = st.dictionaries(texts.filter(lambda key: key != "mapping"), values, max_size=3)


def some(required: Json, optional: Json) -> st.SearchStrategy[Json]:
    """Objects with the required keys and any of the optional ones."""
    return st.fixed_dictionaries(required, optional=optional)


pointer_requests = some(
    {
        "mapping": st.builds(
            lambda order, targets: [[one, other] for one, other in zip(order, targets, strict=True)],
            st.permutations(string.ascii_uppercase),
            st.text(string.ascii_uppercase, min_size=26, max_size=26),
        ),
        "start": letters,
        "steps": st.integers(1, 256),
    },
    {},
)
candidates = st.lists(some({"token_id": whole, "text": texts, "logprob": logprobs}, {}), max_size=3)
letter_candidates = some({"symbol": letters, "probability": probabilities}, {})
loop_rows = some(
    {"prediction": texts},
    {
        "token_id": whole,
        "direct_prediction": texts | st.none(),
        "stop_probability": probabilities,
        "top3": st.lists(letter_candidates, max_size=3),
        "top": candidates,
        "entropy": nats,
        "kl": nats,
        "cosine": st.floats(-1, 1),
        "expected": texts,
        "correct": st.booleans(),
        "edge_valid": st.booleans(),
    },
)
token_rows = some(
    {"token_id": whole, "text": texts, "logprob": logprobs, "top": candidates},
    {
        "sampled_logprob": logprobs,
        "entropy": nats,
        "note": texts,
        "expected": texts,
        "correct": st.booleans(),
    },
)
reference_rows = some(
    {
        "prediction": letters,
        "direct_prediction": letters | st.none(),
        "stop_probability": probabilities,
        "top3": st.lists(letter_candidates, min_size=3, max_size=3),
        "expected": letters,
        "correct": st.booleans(),
        "edge_valid": st.booleans(),
    },
    {},
)
verdicts = {
    key: st.booleans() for key in ("answer_correct", "complete_trajectory", "exact_stop", "joint_success")
}
names = texts.filter(bool)
first_errors = st.none() | st.integers(1, 256)
summaries = {
    "loop": some({"stop_reason": names, "executed_loops": whole}, verdicts | {"first_error": first_errors}),
    "token": some(
        {"text": texts, "stop_reason": names, "tokens": whole},
        {
            "time_to_first_token_seconds": nats,
            "tokens_per_second": nats,
            "gap_seconds": some(dict.fromkeys(("p50", "p90", "p99", "max"), nats), {}),
        },
    ),
}
reference_summaries = some(
    verdicts
    | {
        "stop_reason": st.sampled_from(["head", "cap"]),
        "executed_loops": st.integers(0, 272),
        "first_error": first_errors,
    },
    {},
)
models = some(
    {"source": names, "name": names},
    {"sha256": hexadecimal, "dtype": texts, "device": texts, "parameters": whole},
)
environments = some(
    {"python": texts, "platform": texts, "cpu": texts},
    {"threads": st.integers(1, 128), "torch": texts, "transformers": texts},
)
settings_objects = some(
    {},
    {
        "threshold": probabilities,
        "safety_cap": st.integers(1, 1000),
        "max_new_tokens": st.integers(1, 1000),
        "temperature": nats,
        "top_p": probabilities,
        "top_k": st.integers(0, 100),
        "seed": st.integers(-(1 << 63), (1 << 64) - 1),
        "stop": st.lists(names, max_size=2),
        "alternatives": st.integers(0, 10),
        "custom": free_objects,
    },
)
ids = st.uuids(version=4).map(lambda some_id: f"{str(some_id)[:14]}7{str(some_id)[15:]}")
# Also days that no calendar has: the schema looks at the digits alone.
moments = st.builds(
    "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:59.123Z".format,
    st.integers(0, 9999),
    st.integers(1, 12),
    st.integers(1, 31),
    st.integers(0, 23),
    st.integers(0, 59),
)


@st.composite
def traces(draw: st.DrawFn) -> Json:
    """A valid document of version 2, of either kind and any status."""
    kind = draw(st.sampled_from(["loop", "token"]))
    status = draw(st.sampled_from(["streaming", "complete", "cancelled", "failed", "interrupted"]))
    number, first, rows = ("loop", 1, loop_rows) if kind == "loop" else ("index", 0, token_rows)
    document = draw(
        some(
            {
                "kind": st.just(kind),
                "id": ids,
                "created_at": moments,
                "source": st.sampled_from(["live", "recorded"]),
                "recorder": some({"name": texts, "version": texts}, {}),
                "checkpoint": texts,
                "model": models,
                "environment": environments,
                "request": pointer_requests | free_objects,
                "settings": settings_objects,
                "metadata": free_objects,
                "status": st.just(status),
                "trace": numbered(rows, number, first),
            },
            {},
        )
    )
    return {"schema_version": 2, **document, **draw(ends(status, summaries[kind]))}


@st.composite
def reference_documents(draw: st.DrawFn) -> Json:
    """A valid document of version 1, of either status."""
    status = draw(st.sampled_from(["streaming", "complete"]))
    document = draw(
        some(
            {
                "source": st.just("live"),
                "checkpoint": texts,
                "request": pointer_requests,
                "threshold": probabilities,
                "safety_cap": st.integers(1, 272),
                "status": st.just(status),
                "trace": numbered(reference_rows, "loop", 1),
            },
            {},
        )
    )
    return {"schema_version": 1, **document, **draw(ends(status, reference_summaries))}


@st.composite
def numbered(draw: st.DrawFn, rows: st.SearchStrategy[Json], number: str, first: int) -> list[Json]:
    """Rows with their numbers, and with arrivals that never go back."""
    drawn = draw(st.lists(rows, max_size=4))
    arrivals = sorted(draw(st.lists(nats, min_size=len(drawn), max_size=len(drawn))))
    return [
        {number: first + at, **row, "arrival_seconds": arrival}
        for at, (row, arrival) in enumerate(zip(drawn, arrivals, strict=True))
    ]


def ends(status: str, summary: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """What a document of this status has after its rows."""
    members: Json = {"inference_seconds": nats} if status != "streaming" else {}
    members |= {"summary": summary} if status == "complete" else {}
    members |= {"error": some({"type": names, "message": texts}, {})} if status == "failed" else {}
    return some(members, {})


documents = traces() | reference_documents()


@st.composite
def mutated(draw: st.DrawFn, originals: st.SearchStrategy[Json] = documents) -> Json:
    """A document with one value, anywhere in it, put out, renamed or replaced by one of another kind."""
    document = copy.deepcopy(draw(originals))
    container, key = draw(st.sampled_from(places(document)))
    how = draw(st.sampled_from(["drop", "replace", "rename", "repeat"]))
    value = container.pop(key)
    if how == "replace":
        value = draw(leaves | values)
    if how == "repeat" and isinstance(value, str):
        value = f"{value}\n"
    if how != "drop":
        put(container, f"{key}x" if how == "rename" and isinstance(container, dict) else key, value)
    return document


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a value but its root's `schema_version`."""
    members = list(value.items() if isinstance(value, dict) else enumerate(value))
    here = [(value, key) for key, _ in members if key != "schema_version"]
    return here + [
        place for _, member in members if isinstance(member, dict | list) for place in places(member)
    ]


def put(container: Any, key: Any, value: Any) -> None:
    """Set a member of an object, or insert an item into an array."""
    if isinstance(container, dict):
        container[key] = value
    else:
        container.insert(key, value)


def shuffled(value: Any) -> Any:
    """An equal value whose objects hold their keys in reverse order."""
    if isinstance(value, dict):
        return {key: shuffled(member) for key, member in reversed(value.items())}
    return [shuffled(item) for item in value] if isinstance(value, list) else value
