"""Many goldens: found, grouped by model, each model loaded once, each golden run again and compared.

What cannot be checked is an outcome too, with its reason: nothing is passed over.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from tracekit.errors import NoGoldens, TracekitError, UnsupportedVersion
from tracekit.format.parsing import parse_object
from tracekit.format.types import Trace
from tracekit.regression.files import load_golden
from tracekit.regression.loading import Loading, ModelKey
from tracekit.regression.rerun import Checked, Rules, recheck
from tracekit.regression.verdict import Comparison, Verdict
from tracekit.storage.files import read_file
from tracekit.storage.store import find, outline
from tracekit.streaming.source import Source, own_code

__all__ = [
    "CheckOptions",
    "Group",
    "Outcome",
    "check",
    "check_group",
    "counted",
    "find_goldens",
    "group_goldens",
]

ERROR = "error"


@dataclass(frozen=True)
class CheckOptions:
    """How to load and how to compare."""

    loading: Loading = field(default_factory=Loading)
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Outcome:
    """What came of one golden: a comparison, or the error for which there is none.

    Where it did not pass, `golden` and `fresh` are what was compared, whatever becomes of the files.
    `weights` is there where the loaded weights are not the recorded ones: both SHA-256.
    """

    path: Path
    comparison: Comparison | None = None
    golden: Trace | None = None
    fresh: Trace | None = None
    error: str = ""
    seconds: float = 0.0
    weights: tuple[str, str] | None = None

    @property
    def result(self) -> str:
        """The verdict's name, or `error`."""
        return ERROR if self.comparison is None else self.comparison.verdict.value

    @property
    def passed(self) -> bool:
        return self.comparison is not None and self.comparison.passed

    @property
    def exit_code(self) -> int:
        """0 passed, 1 different, 2 not checked."""
        return 2 if self.comparison is None else 0 if self.passed else 1


@dataclass(frozen=True)
class Group:
    """Goldens that one loaded model serves."""

    key: ModelKey
    paths: tuple[Path, ...]


def counted(outcomes: Sequence[Outcome]) -> str:
    """How many goldens came out how, from best to worst: `3 goldens: 2 identical, 1 different`."""
    results = [outcome.result for outcome in outcomes]
    names = [name for name in (*map(str, Verdict), ERROR) if name in results]
    said = ", ".join(f"{results.count(name)} {name.replace('_', ' ')}" for name in names)
    return f"{len(results)} goldens: {said}"


def find_goldens(paths: Sequence[Path], select: Sequence[str] = (), base: Path | None = None) -> list[Path]:
    """The goldens at `paths`, files and folders, whose path or name fits one of the patterns.

    A path fits as it is written; with `base`, as it is written from there.

    In folders, JSON that is no trace is passed over; what is named is taken as named.
    Raises NoGoldens where nothing is left, StorageError for a path that is not there.
    """
    found = [each for path in paths for each in find([path]) if each == path or _is_golden(each)]
    where = ", ".join(map(str, paths))
    if not found:
        raise NoGoldens(where)
    unique = list(dict.fromkeys(found))
    if not select:
        return unique
    chosen = [path for path in unique if any(_fits(path, pattern, base) for pattern in select)]
    if not chosen:
        raise NoGoldens(where, ", ".join(select))
    return chosen


def group_goldens(paths: Iterable[Path]) -> tuple[list[Group], list[Outcome]]:
    """Goldens by the model that they need, and an outcome for each whose head cannot be read."""
    groups: dict[ModelKey, list[Path]] = {}
    unreadable = []
    for path in paths:
        try:
            key = ModelKey.of(outline(path).document)
        except TracekitError as error:
            unreadable.append(Outcome(path, error=str(error)))
        else:
            groups.setdefault(key, []).append(path)
    return [Group(key, tuple(members)) for key, members in groups.items()], unreadable


def check(paths: Iterable[Path], options: CheckOptions) -> Iterator[Outcome]:
    """Every golden's outcome, as it is there; one model is loaded at a time."""
    groups, unreadable = group_goldens(paths)
    yield from unreadable
    for group in groups:
        yield from check_group(group, options)


def check_group(group: Group, options: CheckOptions) -> Iterator[Outcome]:
    """The outcomes of goldens of one model."""
    try:
        with own_code(group.key.source):
            source = options.loading.load(group.key, group.paths[0])
            loaded = source.describe().model.get("sha256", "")
    except TracekitError as error:
        for path in group.paths:
            yield Outcome(path, error=_naming(path, error))
        return
    for path in group.paths:
        yield _check_one(path, source, loaded, options.rules)


def _check_one(path: Path, source: Source, loaded: str, rules: Rules) -> Outcome:
    started = time.perf_counter()
    try:
        golden = load_golden(path)
        with own_code(ModelKey.of({**golden}).source):
            checked: Checked = recheck(golden, source, rules, path)
    except TracekitError as error:
        return Outcome(path, error=_naming(path, error))
    recorded = golden["model"].get("sha256", "")
    passed = checked.comparison.passed
    return Outcome(
        path,
        checked.comparison,
        golden=None if passed else golden,
        fresh=None if passed else checked.fresh,
        seconds=time.perf_counter() - started,
        weights=(recorded, loaded) if recorded and loaded and recorded != loaded else None,
    )


def _is_golden(path: Path) -> bool:
    """Whether a file is meant as a trace. One that cannot be read may be a damaged one, so it counts."""
    try:
        outline(path)
    except UnsupportedVersion:
        return not {"schema_version", "trace"}.isdisjoint(parse_object(read_file(path), path))
    except TracekitError:
        return True
    return True


def _fits(path: Path, pattern: str, base: Path | None) -> bool:
    written = path.as_posix() if base is None else os.path.relpath(path, base)
    return any(fnmatch(text, pattern) for text in (path.name, path.stem, written))


def _naming(path: Path, error: TracekitError) -> str:
    text = str(error)
    return text if str(path) in text else f"{path}: {text}"
