"""A golden's file from its test: one folder a module, one file a test."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath

from tracekit.errors import UsageError

__all__ = ["given_name", "module_folder", "test_name"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 80


def module_folder(root: Path, module: str) -> Path:
    """The folder of a test module's goldens: `tests/test_chat.py` has ROOT/tests/test_chat."""
    inside = [part for part in PurePosixPath(module).with_suffix("").parts if part not in ("..", "/")]
    return root.joinpath(*inside)


def test_name(test: str) -> str:
    """A test's name, `TestChat::test_reply[two words]`, as a file's.

    What a file system may refuse is replaced, and names that then are equal are told
    apart by a digest of the test's.
    """
    safe = _UNSAFE.sub("-", test.replace("::", ".")).strip("-.")[:_LONGEST]
    if safe == test.replace("::", "."):
        return safe
    return f"{safe}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"


def given_name(name: str) -> str:
    """A name that a test gives, such as `shared` or `chat/long`. Raises UsageError if it is no plain path."""
    name = name.removesuffix(".json")
    parts = name.split("/")
    plain = all(part and not part.startswith(".") and not _UNSAFE.search(part) for part in parts)
    if not plain or name.endswith(".new"):
        raise UsageError(
            f"golden name {name!r:.80}: expected letters, digits, '_', '-' and '.', in parts divided by '/'"
        )
    return name
