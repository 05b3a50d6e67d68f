"""A golden's files: what may be written when, the fresh trace beside it, and taking that for the golden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tracekit.errors import UncheckableGolden
from tracekit.format.types import Json, Trace
from tracekit.regression.verdict import Verdict
from tracekit.storage.files import in_words
from tracekit.storage.store import load, save

__all__ = [
    "Acceptance",
    "Update",
    "WritePolicy",
    "accept",
    "discard_fresh",
    "fresh_path",
    "golden_of",
    "in_ci",
    "leave_fresh",
    "load_golden",
    "refuse_uncheckable",
    "unfit",
]

_FRESH_SUFFIX = ".new.json"


class Update(StrEnum):
    """Which goldens may be written: all that differ, only those that are not there yet, or none."""

    ALL = "all"
    NEW = "new"
    NONE = "none"


@dataclass(frozen=True)
class WritePolicy:
    """What may be written. Under CI nothing is, whatever is asked, unless it is forced."""

    asked: Update = Update.NONE
    ci: bool = False
    force: bool = False

    @property
    def may_write(self) -> bool:
        return self.force or not self.ci

    @property
    def update(self) -> Update:
        return self.asked if self.may_write else Update.NONE


@dataclass(frozen=True)
class Acceptance:
    """Why a fresh trace takes the golden's place, and when (RFC 3339). Kept in the golden's metadata."""

    verdict: Verdict
    reason: str
    at: str


def in_ci(environment: Mapping[str, str]) -> bool:
    """Whether `CI` is set, and not to 0, false or nothing."""
    return environment.get("CI", "").strip().lower() not in ("", "0", "false")


def fresh_path(golden: Path) -> Path:
    """Where a golden's fresh trace is left: `NAME.new.json` beside `NAME.json`."""
    return golden.with_name(golden.name.removesuffix(".json") + _FRESH_SUFFIX)


def golden_of(fresh: Path) -> Path:
    """Whose fresh trace it is."""
    return fresh.with_name(fresh.name.removesuffix(_FRESH_SUFFIX) + ".json")


def load_golden(path: Path) -> Trace:
    """A golden, fit to be compared with. Raises UncheckableGolden, and what `load` raises."""
    golden = load(path)
    refuse_uncheckable(golden, path)
    return golden


def refuse_uncheckable(golden: Trace, path: Path) -> None:
    """Raise UncheckableGolden for a trace that is `unfit`."""
    if reason := unfit(golden):
        raise UncheckableGolden(path, reason)


def unfit(trace: Trace) -> str:
    """Why a trace can be no golden: it neither ran to its end nor was cancelled after a row. Else nothing."""
    if trace["status"] not in ("complete", "cancelled"):
        return f"is {trace['status']}, not complete"
    if trace["status"] == "cancelled" and not trace["trace"]:
        return "was cancelled before its first row"
    return ""


def leave_fresh(golden: Path, fresh: Trace) -> Path:
    """Leave the fresh trace beside its golden, in place of an older one."""
    return save(fresh, fresh_path(golden), overwrite=True)


def discard_fresh(golden: Path) -> None:
    """Remove the fresh trace beside a golden, if there is one."""
    fresh = fresh_path(golden)
    with in_words(fresh):
        if fresh.exists():  # a read-only file system refuses to remove even what is not there
            fresh.unlink(missing_ok=True)


def accept(path: Path, golden: Trace, fresh: Trace, acceptance: Acceptance) -> None:
    """The fresh trace becomes the golden; what people wrote in the golden's metadata stays.

    Raises UncheckableGolden for a fresh trace that is `unfit`.
    """
    refuse_uncheckable(fresh, fresh_path(path))
    ours: Json = _own(golden)
    entry = {"verdict": acceptance.verdict.value, "reason": acceptance.reason, "at": acceptance.at}
    before = ours.get("accepted")
    accepted = [*before, entry] if isinstance(before, list) else [entry]
    metadata: dict[str, Any] = {
        **fresh["metadata"],
        **golden["metadata"],
        "tracekit": {**ours, "accepted": accepted},
    }
    save({**fresh, "metadata": metadata}, path, overwrite=True)
    discard_fresh(path)


def _own(golden: Trace) -> Json:
    ours = golden["metadata"].get("tracekit")
    return ours if isinstance(ours, dict) else {}
