"""`[tool.tracekit]` in pyproject.toml: what a project says once.

[tool.tracekit]
recordings = "recordings"                  # the root that `tracekit check` looks in
goldens = ["cycle*", "recordings/app/*"]   # which of them are goldens, by name or by path; all, if not said
sources = ["myapp.model:open_source"]      # own sources that a golden may name
[tool.tracekit.tolerance]
rtol = 1e-2
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracekit.errors import StorageError, UsageError
from tracekit.storage.files import in_words, read_file

__all__ = ["Config", "find_config", "read_toml"]

_LARGEST = 1 << 20
_KEYS = ("recordings", "goldens", "sources", "tolerance")


@dataclass(frozen=True)
class Config:
    """A project's settings. `folder` is where its pyproject.toml lies: all paths are relative to it."""

    folder: Path
    recordings: Path
    goldens: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tolerance: Mapping[str, Any] = field(default_factory=dict)


def find_config(start: Path) -> Config:
    """The settings of the nearest pyproject.toml at or above `start` that has any; else the defaults.

    Raises UsageError for what is not a setting, StorageError for a file that cannot be read.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        path = folder / "pyproject.toml"
        with in_words(path):
            is_there = path.is_file()
        if is_there and (table := _own_table(path)) is not None:
            return _parse(path, table)
    return Config(start, start / "recordings")


def _own_table(path: Path) -> object:
    """What stands under `tool.tracekit`; None if nothing does."""
    tools = read_toml(path).get("tool", {})
    if not isinstance(tools, dict):
        raise UsageError(f"{path}: tool: expected a table")
    return tools.get("tracekit")


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file's content. Raises StorageError, also for what is not TOML."""
    try:
        return tomllib.loads(read_file(path, _LARGEST).decode())
    except ValueError as error:  # of TOML, of UTF-8, or of an integer of too many digits
        raise StorageError(path, f"is not TOML: {error}") from error


def _parse(path: Path, table: object) -> Config:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.tracekit: expected a table")
    if unknown := sorted(set(table) - set(_KEYS)):
        raise UsageError(f"{path}: tool.tracekit.{unknown[0]} is not a setting; there are {', '.join(_KEYS)}")
    recordings, tolerance = table.get("recordings", "recordings"), table.get("tolerance", {})
    if not isinstance(recordings, str):
        raise UsageError(f"{path}: tool.tracekit.recordings: expected the name of a folder")
    if not isinstance(tolerance, dict):
        raise UsageError(f"{path}: tool.tracekit.tolerance: expected a table")
    return Config(
        path.parent,
        path.parent / recordings,
        _strings(path, table, "goldens"),
        _strings(path, table, "sources"),
        tolerance,
    )


def _strings(path: Path, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{path}: tool.tracekit.{key}: expected a list of strings")
    return tuple(values)
