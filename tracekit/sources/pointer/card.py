"""Model cards: what a checkpoint is, and its measured figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tracekit.sources.pointer.evaluate import Figures, Shares

__all__ = ["Provenance", "early_card", "final_card"]

_HEAD = """---
license: apache-2.0
library_name: tracekit
tags: [looped-transformer, pointer-task, synthetic]
---
# {title}

"""

_ABOUT = """\
A looped transformer ({parameters:,} parameters, float32) that follows a table of 26 rules, A to Z,
from a start letter, one rule a loop, and stops by itself after the number of steps that the
prompt asks for. It is tracekit's bundled example of a model that thinks in steps. Its design is
told in the docstring of `tracekit/sources/pointer/model.py`, its losses in that of `training.py`.

- Prompt: `A>Q B>C … Z>M|K 00042`, the rules in any order, the start, the steps in five digits.
  The prompt can say 1 to 99,999 steps; other layouts, tables or alphabets mean nothing to it.
- After each loop: logits of the letter, a direct reading of the state, a stop logit.
- Data: random tables and situations made on the fly from a seed; no data set.
- Trained with seed {seed} for {steps:,} steps in {minutes:.1f} minutes, CPU threads {threads}:
  `python -m tracekit.sources.pointer.train`. ![losses](losses.png)

"""

_MEASURED = """## Measured
Held-out requests from seed {seed}: half random functions, half permutations, the rules in random
order, steps uniform in 1 to 256, a run cut off 16 loops past the longest of its batch. Again with
`python -m tracekit.sources.pointer.evaluate --requests {requests} --seed {seed}`.

"""

_EARLY = """\
The weights of tracekit's pointer model after {steps} of its training steps, kept because they err:
the letters are often right for a while and then leave the path, and the stop is late or never
comes. For recordings that show a failing run. On {requests} held-out requests of 1 to 256 steps
the last letter is right in {answer:.1%}, every letter in {trajectory:.1%}, the stop in {stop:.1%}.
"""


_COLUMNS = """\
| requests | n | answer correct | complete trajectory | exact stop | joint success | failures |
| --- | --- | --- | --- | --- | --- | --- |
"""

_SINGLE_STEPS = """
Single steps from {situations:,} situations, each with its own random table, the counts going
through 0 to 99,999: {pointer_errors} wrong pointers, {count_errors} wrong counts, {stop_errors} wrong stops.
The state between loops is a discrete code and nothing else, so a step that is right from every
situation makes runs of every length right. The least distance of a bit of the code from its edge
was {smallest_margin:.2f}, where rounding errors are near 1e-5.
"""


@dataclass(frozen=True)
class Provenance:
    """How a checkpoint came to be."""

    parameters: int
    seed: int
    steps: int
    seconds: float
    threads: int


def final_card(figures: Figures, provenance: Provenance) -> str:
    """The card of a trained checkpoint with everything that was measured."""
    about = _ABOUT.format(
        parameters=provenance.parameters,
        seed=provenance.seed,
        steps=provenance.steps,
        minutes=provenance.seconds / 60,
        threads=provenance.threads,
    )
    measured = _MEASURED.format(seed=figures["seed"], requests=figures["overall"]["requests"])
    rows = {"overall": figures["overall"]}
    rows |= {f"{band} steps": shares for band, shares in figures["by_length"].items()}
    rows |= {f"{name.replace('_', ' ')} tables": shares for name, shares in figures["hard_tables"].items()}
    rows |= {f"permutations, {int(steps):,} steps": shares for steps, shares in figures["long_runs"].items()}
    return (
        _HEAD.format(title="tracekit-pointer")
        + about
        + measured
        + _table(rows)
        + _SINGLE_STEPS.format(**figures["single_steps"])
    )


def early_card(figures: Figures, steps: int) -> str:
    """The one-paragraph card of a checkpoint saved early in training."""
    overall = figures["overall"]
    return _HEAD.format(title="tracekit-pointer, early") + _EARLY.format(
        steps=steps,
        requests=overall["requests"],
        answer=overall["answer_correct"],
        trajectory=overall["complete_trajectory"],
        stop=overall["exact_stop"],
    )


def _table(rows: Mapping[str, Shares]) -> str:
    return _COLUMNS + "".join(
        f"| {name} | {shares['requests']:,} | "
        + " | ".join(f"{share:.4f}" for share in _metrics(shares))
        + f" | {shares['joint_failures']} |\n"
        for name, shares in rows.items()
    )


def _metrics(shares: Shares) -> tuple[float, ...]:
    return (
        shares["answer_correct"],
        shares["complete_trajectory"],
        shares["exact_stop"],
        shares["joint_success"],
    )
