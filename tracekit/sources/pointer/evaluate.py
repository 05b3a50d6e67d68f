"""How good a checkpoint is, on requests it was not trained on.

    python -m tracekit.sources.pointer.evaluate --requests 2000 --seed 1 [--checkpoint DIR]

prints JSON: the shares of requests that are right, overall, by length and on hard
tables; how it does past 256 loops; and a check of single steps, every count among them,
which by induction speaks for runs of any length. Progress goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypedDict

import torch
from rich.console import Console
from rich.progress import Progress
from torch import Tensor

from tracekit.errors import TracekitError
from tracekit.sources.pointer.checkpoint import load
from tracekit.sources.pointer.held_out import HARD_TABLES, everyday_request, hard_request, long_request
from tracekit.sources.pointer.model import LoopedTransformer
from tracekit.sources.pointer.single_steps import SingleSteps, check_single_steps
from tracekit.sources.pointer.task import SYMBOLS, PointerRequest, execute
from tracekit.sources.pointer.tokenizer import PromptTokenizer

__all__ = [
    "Evaluation",
    "Figures",
    "Outcome",
    "Shares",
    "Subject",
    "evaluate",
    "main",
    "run_requests",
    "summarize",
]

STOP_THRESHOLD = 0.5
SPARE_LOOPS = 16
LENGTH_BANDS = ((1, 16), (17, 64), (65, 128), (129, 256))
LONG_RUNS = ((1_000, 200), (10_000, 50))
HARD_REQUESTS = 200
_BATCH = 500

Advance = Callable[[int], None]


class Shares(TypedDict):
    """Of how many requests, the share that each metric holds for, and how many failed jointly."""

    requests: int
    answer_correct: float
    complete_trajectory: float
    exact_stop: float
    joint_success: float
    joint_failures: int


class Figures(TypedDict):
    """Everything that is measured of a checkpoint."""

    seed: int
    overall: Shares
    by_length: dict[str, Shares]
    hard_tables: dict[str, Shares]
    long_runs: dict[str, Shares]
    single_steps: SingleSteps


@dataclass(frozen=True)
class Evaluation:
    """What is measured: how many requests, drawn from which seed, and how many of each extra.

    long_runs holds (steps, requests); no check of single steps is made at 0.
    """

    requests: int = 2000
    seed: int = 1
    hard_requests: int = HARD_REQUESTS
    long_runs: tuple[tuple[int, int], ...] = LONG_RUNS
    single_steps: int = 100_000

    def brief(self) -> Evaluation:
        """This plan with the everyday requests only."""
        return replace(self, hard_requests=0, long_runs=(), single_steps=0)

    @property
    def total(self) -> int:
        """Requests in all, for a progress bar."""
        runs = self.requests + self.hard_requests * len(HARD_TABLES)
        return runs + sum(count for _, count in self.long_runs)


@dataclass(frozen=True)
class Outcome:
    """How one request went; each metric as the summary of a trace defines it."""

    steps: int
    answer_correct: bool
    complete_trajectory: bool
    exact_stop: bool

    @property
    def joint_success(self) -> bool:
        """The right letter at the right loop."""
        return self.answer_correct and self.exact_stop


@dataclass(frozen=True)
class Subject:
    """What is measured."""

    model: LoopedTransformer
    tokenizer: PromptTokenizer


def evaluate(subject: Subject, plan: Evaluation, advance: Advance) -> Figures:
    """Every figure of a plan; `advance` is told of requests as they are done."""
    random = Random(plan.seed)  # noqa: S311 (held-out requests, not secrets)

    def shares(requests: Sequence[PointerRequest]) -> Shares:
        return summarize(run_requests(subject, requests, advance))

    outcomes = run_requests(subject, [everyday_request(random) for _ in range(plan.requests)], advance)
    return Figures(
        seed=plan.seed,
        overall=summarize(outcomes),
        by_length={
            f"{low}-{high}": summarize([each for each in outcomes if low <= each.steps <= high])
            for low, high in LENGTH_BANDS
        },
        hard_tables={
            name: shares([hard_request(name, random) for _ in range(plan.hard_requests)])
            for name in HARD_TABLES
            if plan.hard_requests
        },
        long_runs={
            str(steps): shares([long_request(steps, random) for _ in range(count)])
            for steps, count in plan.long_runs
        },
        single_steps=check_single_steps(subject.model, plan.single_steps, plan.seed),
    )


def summarize(outcomes: Sequence[Outcome]) -> Shares:
    """The shares of some outcomes; all 0 where there are none."""
    count = len(outcomes)
    joint = sum(each.joint_success for each in outcomes)
    divisor = max(count, 1)
    return Shares(
        requests=count,
        answer_correct=sum(each.answer_correct for each in outcomes) / divisor,
        complete_trajectory=sum(each.complete_trajectory for each in outcomes) / divisor,
        exact_stop=sum(each.exact_stop for each in outcomes) / divisor,
        joint_success=joint / divisor,
        joint_failures=count - joint,
    )


def run_requests(subject: Subject, requests: Sequence[PointerRequest], advance: Advance) -> list[Outcome]:
    """The outcome of each request, in no particular order."""
    # A batch runs as long as its longest request, so requests of like length go together.
    ordered = sorted(requests, key=lambda request: request.steps)
    outcomes: list[Outcome] = []
    for first in range(0, len(ordered), _BATCH):
        batch = ordered[first : first + _BATCH]
        outcomes += _run_batch(subject, batch)
        advance(len(batch))
    return outcomes


def _run_batch(subject: Subject, requests: Sequence[PointerRequest]) -> list[Outcome]:
    encoded = subject.tokenizer([request.prompt() for request in requests])
    device = next(subject.model.parameters()).device
    letters: list[Tensor] = []

    def observe(_loop: int, scores: Tensor, _stop: Tensor, _state: Tensor) -> None:
        letters.append(scores.argmax(dim=1))

    with torch.inference_mode():
        result = subject.model(
            input_ids=encoded["input_ids"].to(device),
            attention_mask=encoded["attention_mask"].to(device),
            num_loops=max(request.steps for request in requests) + SPARE_LOOPS,
            completion_threshold=STOP_THRESHOLD,
            readout_token_ids=subject.tokenizer.symbol_ids(),
            loop_callback=observe,
        )
    predictions = torch.stack(letters, dim=1).tolist()  # (B, loops)
    signals = (result.stop_logits.sigmoid() >= STOP_THRESHOLD).tolist()
    return [_score(*each) for each in zip(requests, predictions, signals, strict=True)]


def _score(request: PointerRequest, predictions: list[int], signals: list[bool]) -> Outcome:
    expected = [
        SYMBOLS.index(letter) for letter in execute(dict(request.pairs), request.start, request.steps)
    ]
    executed = signals.index(True) + 1 if True in signals else len(signals)
    found = predictions[:executed]
    return Outcome(
        steps=request.steps,
        answer_correct=found[-1] == expected[-1],
        complete_trajectory=found[: request.steps] == expected,
        exact_stop=signals[executed - 1] and executed == request.steps,
    )


def main(arguments: Iterable[str] | None = None) -> int:
    """Evaluate the checkpoint that the command line names, and print the figures."""
    options = _parser().parse_args(None if arguments is None else list(arguments))
    try:
        model, tokenizer, spec = load(options.checkpoint, options.device)
    except TracekitError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    plan = Evaluation(requests=options.requests, seed=options.seed)
    plan = plan.brief() if options.brief else plan
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("requests", total=plan.total)
        figures = evaluate(Subject(model, tokenizer), plan, lambda count: progress.advance(task, count))
    head = {"checkpoint": spec["checkpoint"], "sha256": spec["sha256"]}
    sys.stdout.write(json.dumps({**head, **figures}, indent=2) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tracekit.sources.pointer.evaluate", description=__doc__)
    parser.add_argument("--requests", type=int, default=2000, help="held-out requests (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="what the requests are drawn from (default 1)")
    parser.add_argument("--checkpoint", help="final, early or a folder (default final)")
    parser.add_argument("--device", default="cpu", help="cpu or a device torch knows (default cpu)")
    parser.add_argument("--brief", action="store_true", help="no hard tables, long runs or single steps")
    return parser


if __name__ == "__main__":
    sys.exit(main())
