"""Who may change a tolerance. The closest to the comparison wins, and each number says whose it is.

1. the defaults of the dtype            tracekit.regression.tolerances
2. the project                          [tool.tracekit.tolerance] in pyproject.toml
3. a file                               tolerances.toml beside the golden, or the one named
4. the golden itself                    metadata.tracekit.tolerance
5. an option, or a test's argument      --tolerance rtol=0.01
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.types import Trace
from tracekit.regression.config import read_toml
from tracekit.regression.tolerances import Tolerance, default_tolerance

__all__ = ["FILE_NAME", "Overrides", "parse_options"]

FILE_NAME = "tolerances.toml"


@dataclass(frozen=True)
class Overrides:
    """What a project, a file and options say. `file` takes the place of one beside the golden."""

    project: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    option_origin: str = "--tolerance"

    def resolve(self, golden: Trace, fresh: Trace | None = None, path: Path | None = None) -> Tolerance:
        """The tolerance for a golden, at `path` if it lies in a file, each number with its origin.

        Raises UsageError for what is no tolerance, StorageError for a file that cannot be read.
        """
        tolerance = default_tolerance(golden, fresh).overridden(self.project, "pyproject.toml")
        file = self.file or (path.with_name(FILE_NAME) if path is not None else None)
        if file is not None and (self.file or file.is_file()):
            tolerance = tolerance.overridden(read_toml(file), str(file))
        tolerance = tolerance.overridden(_own(golden), "the golden's metadata")
        return tolerance.overridden(self.options, self.option_origin)


def parse_options(options: Iterable[str]) -> dict[str, float]:
    """`KEY=NUMBER` each, as a mapping. Raises UsageError."""
    values: dict[str, float] = {}
    for option in options:
        key, equals, number = option.partition("=")
        try:
            values[key.strip().replace("-", "_")] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError(f"--tolerance {option}: expected KEY=NUMBER, such as rtol=0.01")
    return values


def _own(golden: Trace) -> Mapping[str, Any]:
    ours = golden["metadata"].get("tracekit", {})
    tolerance = ours.get("tolerance", {}) if isinstance(ours, dict) else {}
    if not isinstance(tolerance, dict):
        raise UsageError("the golden's metadata: /metadata/tracekit/tolerance: expected an object")
    return tolerance
