"""What a check leaves behind: fresh traces beside goldens that differ, or goldens updated."""

from __future__ import annotations

from tracekit.regression.check import Outcome
from tracekit.regression.files import (
    Acceptance,
    Update,
    WritePolicy,
    accept,
    discard_fresh,
    leave_fresh,
)
from tracekit.storage.store import load

__all__ = ["settle"]


def settle(outcome: Outcome, policy: WritePolicy, at: str) -> str:
    """Do to the files what the policy allows for this outcome; what was done, in words, or nothing.

    A golden that differs is replaced if all are to be updated; else its fresh trace is left
    beside it. One that passes keeps no fresh trace of an earlier check. Raises StorageError.
    """
    if not policy.may_write or outcome.comparison is None:
        return ""
    if outcome.passed:
        discard_fresh(outcome.path)
        return ""
    if outcome.fresh is None:
        return ""
    if policy.update is Update.ALL:
        reason = Acceptance(outcome.comparison.verdict, "updated by a check with --update all", at)
        accept(outcome.path, load(outcome.path), outcome.fresh, reason)
        return "updated"
    return f"the fresh trace: {leave_fresh(outcome.path, outcome.fresh)}"
