"""How the benchmarks measure: contestants in turn, so that all see the machine's same moods; medians."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping

Contestant = Callable[[], object]


def interleaved(contestants: Mapping[str, Contestant], rounds: int = 9) -> dict[str, list[float]]:
    """Seconds each took, a figure a round, after one round that does not count.

    Each takes turns at being first, since what ran before leaves the processor's caches warm or cold.
    """
    took: dict[str, list[float]] = {name: [] for name in contestants}
    order = list(contestants)
    for round_ in range(rounds + 1):
        for name in order:
            began = time.perf_counter()
            contestants[name]()
            if round_:
                took[name].append(time.perf_counter() - began)
        order = [*order[1:], order[0]]
    return took


def report(title: str, took: Mapping[str, list[float]], baseline: str, bounds: Mapping[str, float]) -> None:
    """Print a line a contestant: median, and the median of the ratios to the baseline round by round.

    Behind the ratio stands between what and what it lies with 19 chances in 20, whatever the noise.
    """
    print(f"\n{title}  (baseline: {baseline}, {len(took[baseline])} rounds)")
    for name, seconds in took.items():
        ratios = [ours / floor for ours, floor in zip(seconds, took[baseline], strict=True)]
        bound = f"   asked: at most {bounds[name]:g}" if name in bounds else ""
        median, ratio = statistics.median(seconds) * 1e3, statistics.median(ratios)
        low, high = certainty(ratios)
        print(
            f"  {name:<34} {median:9.2f} ms   {ratio:6.3f} ×  ({low:.3f} to {high:.3f})"
            f"   least {min(seconds) * 1e3:9.2f} ms{bound}"
        )


def certainty(samples: list[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the median, from the samples' order alone (the sign test's)."""
    ordered, half = sorted(samples), 0.98 * len(samples) ** 0.5
    middle = (len(samples) - 1) / 2
    return ordered[max(0, math.floor(middle - half))], ordered[
        min(len(samples) - 1, math.ceil(middle + half))
    ]
