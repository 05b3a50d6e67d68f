"""What the command line says: `streamlit run viewer.py -- [PATH] [--model NAME] [--checkpoint NAME]`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tracekit.errors import StorageError, UsageError

__all__ = ["DEFAULT_FOLDER", "Settings"]

DEFAULT_FOLDER = Path("recordings")


@dataclass(frozen=True)
class Settings:
    """The folder to show, the recording in it to open first, and the model that the Live page runs."""

    root: Path = DEFAULT_FOLDER
    opened: str = ""
    model: str = "pointer"
    checkpoint: str | None = None

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> Settings:
        """Raises UsageError, and StorageError for a path that is not there."""
        parser = _Parser(add_help=False)
        parser.add_argument("path", nargs="?", type=Path)
        parser.add_argument("--model", default=cls.model)
        parser.add_argument("--checkpoint")
        said = parser.parse_args(arguments)
        return cls(*_place(said.path), said.model, said.checkpoint)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _place(path: Path | None) -> tuple[Path, str]:
    """The folder and the name in it. The default folder may come to be later, when a run is saved."""
    if path is None:
        return DEFAULT_FOLDER, ""
    if not path.exists():
        raise StorageError(path, "there is no such file or folder")
    return (path, "") if path.is_dir() else (path.parent, path.name)
