"""How far a float may move before it counts as changed, by the dtype the model computed in.

A probability p of a softmax or a sigmoid moves by at most p·ε when every logit moves by
ε/2, so ε is its *relative* tolerance and its logarithm's *absolute* one: `rtol` of
probabilities and `logprob_atol` are one number. `atol` only absorbs the rounding of a
probability that was computed in the dtype itself.

| dtype    | ε, nats | reason |
| -------- | ------- | ------ |
| float64  | 1e-9    | 2^-53 a sum, thousands of terms, logits up to 100: some 1e-11; a hundredfold above |
| float32  | 1e-3    | 2^-24 a sum: other kernels, threads and batches move logits by 1e-6 to 1e-4 |
| float16  | 0.05    | logits of 16 to 32 are spaced 2^-6 = 0.016; three of these |
| bfloat16 | 0.25    | logits of 16 to 32 are spaced 2^-3 = 0.125; two of these |

`tie_margin` is 2ε (each of the two candidates may move), but 0.2 at most: beyond it a
flip is a change, not a tie. A different type of device (cpu, cuda) multiplies all by
`device_factor`: 10 for float64 and float32 (a GPU may multiply float32 in TF32, whose
2^-11 is coarser), 2 for the half precisions, whose rounding is the same everywhere.

The three limits of a teacher-forced check are 0.20, 0.06 and 0.20 nat in half precision,
and 2ε, ε/3 and ε otherwise. An unknown dtype is taken for float32: too tight rather than
too wide.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from tracekit.errors import UsageError
from tracekit.format.types import Trace

__all__ = [
    "DEFAULTS",
    "DEVICE_FACTOR",
    "FORCED_KEYS",
    "TOLERANCE_KEYS",
    "Bound",
    "Tolerance",
    "default_tolerance",
]


_LARGEST = sys.float_info.max  # an integer may be larger, and no float can be compared with it


@dataclass(frozen=True)
class Bound:
    """A value may differ from the golden's by `atol + rtol·|golden|`."""

    atol: float
    rtol: float

    def allowed(self, golden: float) -> float:
        return self.atol + self.rtol * abs(golden)


@dataclass(frozen=True)
class Tolerance:
    """Numbers to compare with; each 0 or more. Raises UsageError.

    `atol`, `rtol` hold for probabilities and cosines; `logprob_atol` (nats) and
    `logprob_rtol` for log probabilities, entropies and divergences. `tie_margin` (nats)
    is how close two candidates must be for a flip to be a near-tie. The last three (nats)
    are for teacher-forced checks: the regret of the golden's token, the mean and the 99th
    percentile of |Δ log probability|. `origins` says where a number came from.
    """

    atol: float
    rtol: float
    logprob_atol: float
    logprob_rtol: float
    tie_margin: float
    max_regret: float
    mean_logprob: float
    p99_logprob: float
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for key in TOLERANCE_KEYS:
            value = getattr(self, key)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= _LARGEST:
                raise UsageError(f"tolerance {key}: expected a number of 0 or more; found {value!r:.60}")

    @property
    def probability(self) -> Bound:
        return Bound(self.atol, self.rtol)

    @property
    def logprob(self) -> Bound:
        return Bound(self.logprob_atol, self.logprob_rtol)

    def numbers(self) -> dict[str, float]:
        """The numbers by name."""
        return {key: value for key, value in asdict(self).items() if key != "origins"}

    def overridden(self, values: Mapping[str, Any], origin: str) -> Tolerance:
        """With these values in place of its own. Raises UsageError, naming `origin`, for what is none."""
        if not isinstance(values, Mapping):
            raise UsageError(f"{origin}: expected tolerances by name, such as rtol; found {values!r:.60}")
        if unknown := sorted(set(values) - set(TOLERANCE_KEYS)):
            known = ", ".join(TOLERANCE_KEYS)
            raise UsageError(f"{origin}: there is no tolerance {unknown[0]!r:.60}; there are {known}")
        try:
            return replace(self, **values, origins={**self.origins, **dict.fromkeys(values, origin)})
        except UsageError as error:
            raise UsageError(f"{origin}: {error}") from None


FORCED_KEYS = frozenset({"max_regret", "mean_logprob", "p99_logprob"})
TOLERANCE_KEYS = tuple(each.name for each in fields(Tolerance) if each.name != "origins")

DEFAULTS = {
    "float64": Tolerance(1e-15, 1e-9, 1e-9, 1e-9, 2e-9, 2e-9, 3e-10, 1e-9),
    "float32": Tolerance(1e-12, 5e-4, 5e-4, 1e-5, 1e-3, 1e-3, 1.5e-4, 5e-4),
    "float16": Tolerance(1e-7, 0.05, 0.05, 5e-3, 0.10, 0.20, 0.06, 0.20),
    "bfloat16": Tolerance(1e-12, 0.25, 0.25, 2e-2, 0.20, 0.20, 0.06, 0.20),
}
DEVICE_FACTOR = {"float64": 10.0, "float32": 10.0, "float16": 2.0, "bfloat16": 2.0}

_UNKNOWN_DTYPE = "float32"
_FROM_TIGHT_TO_WIDE = tuple(DEFAULTS)


def default_tolerance(golden: Trace, fresh: Trace | None = None) -> Tolerance:
    """The defaults for the wider of the two dtypes, wider still where the types of device differ."""
    traces = [golden] if fresh is None else [golden, fresh]
    dtype = max(map(_dtype, traces), key=_FROM_TIGHT_TO_WIDE.index)
    devices = {trace["model"].get("device", "").partition(":")[0] for trace in traces} - {""}
    origin = f"{dtype} defaults"
    numbers = DEFAULTS[dtype].numbers()
    if len(devices) > 1:
        factor = DEVICE_FACTOR[dtype]
        numbers = {key: value * factor for key, value in numbers.items()}
        origin = f"{dtype} defaults × {factor:g}, since {' and '.join(sorted(devices))} differ"
    if any(trace["model"].get("dtype") not in DEFAULTS for trace in traces):
        origin += " (a trace names no dtype known here)"
    return Tolerance(**numbers, origins=dict.fromkeys(TOLERANCE_KEYS, origin))


def _dtype(trace: Trace) -> str:
    named = trace["model"].get("dtype", "")
    return named if named in DEFAULTS else _UNKNOWN_DTYPE
