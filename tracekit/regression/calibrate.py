"""How far a golden's numbers move when nothing changed but threads and batch size; tolerances from that.

Every run asks the same model the same. What its floats move by is noise, and a tolerance
has to be wider than that, or the check flakes. What is proposed is the spread seen, times a
margin for the machines not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tracekit.errors import RunError, UsageError
from tracekit.format.types import Json, Trace
from tracekit.regression.candidates import LISTS
from tracekit.regression.loading import Loading, ModelKey
from tracekit.regression.rerun import run_again
from tracekit.regression.tolerances import Tolerance
from tracekit.streaming.source import Source, accepted, own_code

__all__ = ["BATCHES", "Calibration", "Spread", "Variation", "calibrate", "proposal", "variations"]

BATCHES = (1, 2, 4, 8)
_PROBABILITIES = ("stop_probability", "cosine")
_NATS = ("logprob", "sampled_logprob", "entropy", "kl")


class Variation(NamedTuple):
    """What is changed for a run: threads, and the batch the request is the first of."""

    threads: int
    batch: int


@dataclass(frozen=True)
class Spread:
    """How far one field moved from the golden: at most `absolute`, or `relative` of the golden's value.

    In `nats` the absolute counts; a probability is judged by the relative.
    """

    field: str
    nats: bool
    absolute: float
    relative: float
    values: int


@dataclass(frozen=True)
class Calibration:
    """What the runs showed. `flipped` runs predicted otherwise; `smallest_gap` is the top two's, in nats."""

    runs: tuple[Variation, ...]
    skipped: tuple[Variation, ...]
    spreads: tuple[Spread, ...]
    flipped: int
    smallest_gap: float | None

    def largest(self, *, nats: bool) -> float:
        """The largest spread of log probabilities (absolute), or of probabilities (relative)."""
        chosen = [each.absolute if nats else each.relative for each in self.spreads if each.nats is nats]
        return max(chosen, default=0.0)


def variations(runs: int, cores: int) -> list[Variation]:
    """`runs` different pairs of thread count and batch size, the thread counts by powers of two."""
    threads = [1 << power for power in range(max(1, cores).bit_length()) if 1 << power <= cores]
    pairs = [Variation(count, batch) for batch in BATCHES for count in threads]
    pairs += [Variation(count, 2 * batch * BATCHES[-1]) for batch in BATCHES for count in threads]
    return pairs[:runs]


def calibrate(
    golden: Trace, path: Path, loading: Loading, runs: Sequence[Variation], progress: Callable[[], object]
) -> Calibration:
    """Run the golden again under each variation; `progress` is called after each.

    A variation that the source cannot do is skipped, and said so. Raises as `Loading.load`
    does, and RunError where the model raises: a run that did not end shows no noise.
    """
    done, skipped, fresh = [], [], []
    key = ModelKey.of({**golden})
    for threads, group in groupby(sorted(runs), key=lambda each: each.threads):
        with own_code(key.source):
            source = replace(loading, threads=threads).load(key, path).with_settings(golden["settings"])
        for variation in group:
            trace = _run(golden, path, source, variation)
            if trace is None:
                skipped.append(variation)
            else:
                fresh.append(trace)
                done.append(variation)
            progress()
    rows = [list(zip(golden["trace"], trace["trace"], strict=False)) for trace in fresh]
    pairs = [pair for run in rows for pair in _alike(run)]
    return Calibration(
        tuple(done),
        tuple(skipped),
        tuple(_spreads(pairs)),
        sum(
            len(trace["trace"]) != len(golden["trace"]) or len(list(_alike(run))) < len(run)
            for trace, run in zip(fresh, rows, strict=True)
        ),
        _smallest_gap(golden["trace"]),
    )


def _run(golden: Trace, path: Path, source: Source, variation: Variation) -> Trace | None:
    """The golden run again under a variation; None if the source cannot do it."""
    with own_code(ModelKey.of({**golden}).source):
        batched = source if variation.batch == 1 else source.batched(variation.batch)
        if batched is None:
            return None
        trace = run_again(golden, batched, accepted(batched, golden["request"]))
    if trace["status"] == "failed":
        raised = "{type} ({message})".format(**trace["error"])
        how = f"with threads {variation.threads} and batch {variation.batch}"
        raise RunError(f"{path}: the model raised {raised} {how}, so there is nothing to calibrate by")
    return trace


def proposal(calibration: Calibration, margin: float, current: Tolerance) -> dict[str, tuple[float, str]]:
    """Tolerances with the basis of each: the spread times the margin, rounded up to one digit.

    Where nothing moved there is no basis, and the current number is kept. Raises UsageError
    for a margin below 1: such a tolerance would be tighter than the noise that was seen.
    """
    if not 1 <= margin < math.inf:
        raise UsageError(
            f"--margin {margin:g}: below 1, a tolerance would be tighter than the spread that was seen"
        )
    proposed: dict[str, tuple[float, str]] = {}
    for key, nats in (("rtol", False), ("logprob_atol", True)):
        spread = calibration.largest(nats=nats)
        if spread > 0:
            basis = f"{margin:g} × the largest spread seen, {spread:.3g}"
            proposed[key] = (_rounded_up(spread * margin), basis)
    nats_moved = max(calibration.largest(nats=True), calibration.largest(nats=False))
    if nats_moved > 0:
        margin_nats = _rounded_up(2 * margin * nats_moved)
        proposed["tie_margin"] = (margin_nats, "twice that, since both candidates may move")
    for key, (number, basis) in proposed.items():
        current_number = getattr(current, key)
        if number > current_number:
            proposed[key] = (number, f"{basis}; wider than what holds now, {current_number:g}")
    return proposed


def _alike(pairs: Sequence[tuple[Json, Json]]) -> Iterator[tuple[Json, Json]]:
    """Rows that decided the same, up to the first that did not if what was decoded is fed back."""
    for golden, fresh in pairs:
        name = "token_id" if "token_id" in golden else "prediction"
        if golden.get(name) == fresh.get(name):
            yield golden, fresh
        elif "index" in golden:
            return


def _spreads(pairs: Sequence[tuple[Json, Json]]) -> Iterator[Spread]:
    moved: dict[tuple[str, bool], list[tuple[float, float]]] = {}
    for golden, fresh in pairs:
        for key, old, new in _numbers(golden, fresh):
            moved.setdefault(key, []).append((old, new))
    for (name, nats), values in moved.items():
        deltas = [abs(old - new) for old, new in values]
        relative = [delta / abs(old) for delta, (old, _) in zip(deltas, values, strict=True) if old]
        yield Spread(name, nats, max(deltas), max(relative, default=0.0), len(values))


def _numbers(golden: Json, fresh: Json) -> Iterator[tuple[tuple[str, bool], float, float]]:
    for nats, names in ((False, _PROBABILITIES), (True, _NATS)):
        for name in names:
            if name in golden and name in fresh:
                yield (name, nats), golden[name], fresh[name]
    for name, listed in LISTS.items():
        if name in golden and name in fresh:
            after = listed.values(fresh[name])
            for key, old in listed.values(golden[name]).items():
                if key in after:
                    yield (name, listed.in_nats), old, after[key]


def _smallest_gap(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Nats between the two most probable candidates, where they were closest."""
    found = [
        listed.nats(row[name][0][listed.value]) - listed.nats(row[name][1][listed.value])
        for row in rows
        for name, listed in LISTS.items()
        if len(row.get(name, ())) > 1
    ]
    return min(found, default=None)


def _rounded_up(value: float) -> float:
    """The next larger number of one significant digit."""
    power = math.floor(math.log10(value))
    digit = math.ceil(round(value / 10.0**power, 9))
    return float(f"{digit}e{power}")
