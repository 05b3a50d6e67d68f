"""A new run's header: what stands before its rows."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracekit.format.identity import identity
from tracekit.format.types import Environment, Json
from tracekit.streaming.source import Source, own_code

__all__ = ["environment", "new_header"]


def new_header(source: Source, request: Any, metadata: Mapping[str, Any] | None = None) -> Json:
    """The header of a run that begins now, with the status `streaming`.

    Raises RunError for what the source's own code raises.
    """
    with own_code(type(source).__name__):
        description, payload, origin = source.describe(), source.payload(request), source.origin(request)
    return {
        "schema_version": 2,
        "kind": source.kind,
        **identity(),
        "source": origin,
        "recorder": {"name": "tracekit", "version": version()},
        "checkpoint": description.checkpoint,
        "model": dict(description.model),
        "environment": {**environment(), **description.environment},
        "request": payload,
        "settings": dict(description.settings),
        "metadata": dict(metadata or {}),
        "status": "streaming",
    }


@functools.cache
def version() -> str:
    """tracekit's own version, as installed."""
    return importlib.metadata.version("tracekit")


@functools.cache
def environment() -> Environment:
    """Python, platform and processor, as they are named in a header."""
    system = f"{platform.system()}-{platform.machine()}"
    return {"python": platform.python_version(), "platform": system, "cpu": _processor()}


def _processor() -> str:
    """The processor's name; Python itself knows only its architecture on Linux."""
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine() or "unknown"
