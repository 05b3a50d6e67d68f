"""Field orders, written once: what makes the same trace give the same bytes."""

from __future__ import annotations

from tracekit.format.types import Kind

CURRENT_VERSION = 2

# Everything before `trace` stands in the head, everything after it in the tail. Version 1's
# names take their places among version 2's, so one order serves both.
HEAD_KEYS = (
    "schema_version",
    "kind",
    "id",
    "created_at",
    "source",
    "recorder",
    "checkpoint",
    "model",
    "environment",
    "request",
    "threshold",
    "safety_cap",
    "settings",
    "metadata",
    "status",
)
TAIL_KEYS = ("summary", "error", "inference_seconds")

ROW_KEYS: dict[Kind, tuple[str, ...]] = {
    "loop": (
        "loop",
        "prediction",
        "token_id",
        "direct_prediction",
        "stop_probability",
        "top3",
        "top",
        "entropy",
        "kl",
        "cosine",
        "arrival_seconds",
        "expected",
        "correct",
        "edge_valid",
    ),
    "token": (
        "index",
        "token_id",
        "text",
        "logprob",
        "sampled_logprob",
        "top",
        "entropy",
        "note",
        "arrival_seconds",
        "expected",
        "correct",
    ),
}
CANDIDATE_KEYS = {"top3": ("symbol", "probability"), "top": ("token_id", "text", "logprob")}
