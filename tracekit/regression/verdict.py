"""What a comparison says: a verdict, and what differs, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final, NamedTuple

from tracekit.regression.tolerances import Tolerance

__all__ = ["ABSENT", "Absent", "Comparison", "Counts", "Difference", "Verdict"]


class Verdict(StrEnum):
    """From best to worst. All but `different` pass."""

    IDENTICAL = "identical"
    WITHIN_TOLERANCE = "within_tolerance"
    NEAR_TIE = "near_tie"
    DIFFERENT = "different"


class Absent(Enum):
    """What a difference holds where one of the traces has no such field or row."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class Difference(NamedTuple):
    """One value that is not equal. `row` counts as the trace does (loops from 1); None for the trace itself.

    `delta` is |golden - fresh| and `allowed` what it may be, where both are numbers.
    """

    row: int | None
    field: str
    golden: Any
    fresh: Any
    delta: float | None = None
    allowed: float | None = None
    outcome: Verdict = Verdict.DIFFERENT


class Counts(NamedTuple):
    """How many values of one field are not equal, by what that means."""

    within_tolerance: int = 0
    near_tie: int = 0
    different: int = 0


@dataclass(frozen=True)
class Comparison:
    """Two traces, compared.

    `differences` are in the order of the run: each that is `different` or `near_tie`, and
    of those within tolerance the largest of each field; `counts` has them all, by field.
    `not_compared` rows were not: they come after a decoded token differed. `provenance`
    is what differs between the two headers, which is often the reason and never a
    difference. `unit` is what a row is, "loop" or "token". `forced`: the rows were scored,
    not generated.
    """

    verdict: Verdict
    differences: tuple[Difference, ...]
    counts: Mapping[str, Counts]
    compared: int
    not_compared: int
    unit: str
    tolerance: Tolerance
    provenance: tuple[Difference, ...] = ()
    forced: bool = False
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether a check is content with it."""
        return self.verdict is not Verdict.DIFFERENT

    @property
    def first(self) -> Difference | None:
        """The first of the differences that make the verdict; None if there are none."""
        return next((each for each in self.differences if each.outcome is self.verdict), None)
