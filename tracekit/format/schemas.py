"""The schemas as they ship: one file a version, never edited once released."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import orjson

from tracekit.errors import UnsupportedVersion
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.wording import shown

VERSIONS = (1, 2)


def schema_folder() -> Path:
    """Where the schemas lie: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "schemas"
    return installed if installed.is_dir() else package.parent / "schemas"


def schema_text(version: int = CURRENT_VERSION) -> str:
    """The JSON Schema of a version, as the file's text. Raises UnsupportedVersion."""
    if version not in VERSIONS:
        raise UnsupportedVersion("schema", f"there is no version {version}; there are {_named(VERSIONS)}")
    return (schema_folder() / f"trace.v{version}.schema.json").read_text(encoding="utf-8")


@functools.cache
def schema(version: int) -> dict[str, Any]:
    """The JSON Schema of a version, parsed. Raises UnsupportedVersion."""
    parsed: dict[str, Any] = orjson.loads(schema_text(version))
    return parsed


def version_of(document: dict[str, Any], file: object) -> int:
    """The document's `schema_version`, one that we know. Raises UnsupportedVersion."""
    found = document.get("schema_version")
    if type(found) is int and found in VERSIONS:
        return found
    if type(found) is int and found > CURRENT_VERSION:
        raise UnsupportedVersion(
            file,
            f"schema version {found} is newer than this tracekit knows ({CURRENT_VERSION}); upgrade tracekit",
        )
    what = (
        "there is no schema_version"
        if "schema_version" not in document
        else f"schema_version is {shown(found)}"
    )
    raise UnsupportedVersion(file, f"{what}; expected one of {_named(VERSIONS)}, so this is not a trace")


def _named(versions: tuple[int, ...]) -> str:
    return ", ".join(map(str, versions))
