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
    unfit,
)

__all__ = ["settle"]


def settle(outcome: Outcome, policy: WritePolicy, at: str) -> str:
    """Do to the files what the policy allows for this outcome; what was done, in words, or nothing.

    A golden that differs is replaced if all are to be updated and the fresh trace can be a
    golden; else the fresh trace is left beside it. One that passes keeps no fresh trace of an
    earlier check. Raises StorageError.
    """
    if not policy.may_write or outcome.comparison is None:
        return ""
    if outcome.passed:
        discard_fresh(outcome.path)
        return ""
    if outcome.golden is None or outcome.fresh is None:
        return ""
    reason = unfit(outcome.fresh)
    if policy.update is Update.ALL and not reason:
        why = Acceptance(outcome.comparison.verdict, "updated by a check with --update all", at)
        accept(outcome.path, outcome.golden, outcome.fresh, why)
        return "updated"
    refused = f" ({reason}, so it cannot be a golden)" if reason else ""
    return f"the fresh trace: {leave_fresh(outcome.path, outcome.fresh)}{refused}"
