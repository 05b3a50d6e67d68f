"""One pure step between neighbouring versions. Reading takes as many steps as it needs."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import orjson

from tracekit.errors import DocumentError, UnsupportedVersion
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.schemas import schema
from tracekit.format.types import Trace
from tracekit.format.validation import check

# A version 1 trace does not say when or where it was taken. The upgrade says so in
# words, and takes the epoch for the time, so that it is a pure function of its input.
UNKNOWN = "unknown"
EPOCH = "1970-01-01T00:00:00.000Z"


def upgrade(document: dict[str, Any]) -> Trace:
    """A valid document of any version as one of the current version."""
    while (version := document["schema_version"]) < CURRENT_VERSION:
        document = _STEPS[version](document)
    return cast(Trace, document)


def downgrade(trace: Trace, file: object = "trace") -> dict[str, Any]:
    """A trace as a version 1 document. Raises UnsupportedVersion where version 1 cannot hold it."""
    if trace["kind"] != "loop":
        raise UnsupportedVersion(
            file, "version 1 cannot hold this trace: it knows only loops, and this has tokens"
        )
    document: dict[str, Any] = {
        "schema_version": 1,
        "source": "live",
        "checkpoint": trace["checkpoint"],
        "request": trace["request"],
        **{key: trace["settings"][key] for key in ("threshold", "safety_cap") if key in trace["settings"]},
        "status": trace["status"],
        "trace": trace["trace"],
    }
    kept = set(schema(1)["properties"]) & set(trace)
    document |= {key: cast(dict[str, Any], trace)[key] for key in kept - set(document)}
    try:
        check(document, 1, file)
    except DocumentError as error:
        raise UnsupportedVersion(file, f"version 1 cannot hold this trace: {error.reason}") from error
    return document


def _from_1_to_2(old: dict[str, Any]) -> dict[str, Any]:
    new = {
        "schema_version": 2,
        "kind": "loop",
        "id": _content_id(old),
        "created_at": EPOCH,
        "source": old["source"],
        "recorder": {"name": "reference", "version": "1"},
        "checkpoint": old["checkpoint"],
        "model": {"source": "pointer", "name": "pointer"},
        "environment": {"python": UNKNOWN, "platform": UNKNOWN, "cpu": UNKNOWN},
        "request": old["request"],
        "settings": {"threshold": old["threshold"], "safety_cap": old["safety_cap"]},
        "metadata": {},
        "status": old["status"],
        "trace": old["trace"],
    }
    return new | {key: old[key] for key in ("summary", "inference_seconds") if key in old}


def _content_id(document: dict[str, Any]) -> str:
    """A UUID of version 7's shape whose time is zero and whose rest is the content's hash."""
    digest = hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return f"00000000-0000-7{digest[:3]}-8{digest[3:6]}-{digest[6:18]}"


_STEPS = {1: _from_1_to_2}
