"""Train the pointer model from nothing, in minutes on two CPU cores.

    python -m tracekit.sources.pointer.train [--out DIR] [--seed 0] [--steps 1200]

leaves in DIR the checkpoints `final` and `early`, the losses as a picture, and the
training's last save, from which the same command goes on after an interruption.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor

from tracekit.errors import MissingExtra, TracekitError
from tracekit.sources.pointer import checkpoint
from tracekit.sources.pointer.card import Provenance, early_card, final_card
from tracekit.sources.pointer.evaluate import Evaluation, Subject, evaluate
from tracekit.sources.pointer.model import LoopedConfig
from tracekit.sources.pointer.tokenizer import PromptTokenizer
from tracekit.sources.pointer.training import LOSS_NAMES, Trainer, TrainingSettings

__all__ = ["main"]

EARLY_STEP = 138
SAVE_EVERY = 100
_EARLY_PLAN = Evaluation(requests=500).brief()


@dataclass(frozen=True)
class _Job:
    """One training: where it writes, and how the finished model is measured."""

    trainer: Trainer
    out: Path
    plan: Evaluation

    @property
    def last_save(self) -> Path:
        return self.out / "training.safetensors"


def main(arguments: Iterable[str] | None = None) -> int:
    """Train as the command line says; 130 when interrupted, to be resumed from the last save."""
    options = _parser().parse_args(None if arguments is None else list(arguments))
    torch.set_num_threads(options.threads)
    settings = TrainingSettings(seed=options.seed, steps=options.steps)
    plan = Evaluation(requests=options.requests)
    plan = plan.brief() if options.brief else plan
    job = _Job(Trainer(settings, LoopedConfig()), options.out, plan)
    console = Console(stderr=True)
    try:
        _train(job, console)
    except TracekitError as error:
        console.print(f"error: {error}", markup=False, soft_wrap=True)
        return error.exit_code
    except KeyboardInterrupt:
        # Nothing is saved here: the interruption may have come in the middle of a step.
        console.print(
            f"stopped; the same command goes on from the last save, {job.last_save}", soft_wrap=True
        )
        return 130
    sys.stdout.write(f"{job.out / 'final'}\n")
    return 0


def _train(job: _Job, console: Console) -> None:
    trainer = job.trainer
    job.out.mkdir(parents=True, exist_ok=True)
    if job.last_save.exists():
        trainer.resume(job.last_save)
    with _progress(console) as progress:
        task = progress.add_task("training", total=trainer.settings.steps, completed=trainer.step, loss="")

        def report(step: int, losses: Tensor) -> None:
            progress.update(task, completed=step, loss=f"{float(losses[:-1].sum()):.4f}")

        while trainer.step < trainer.settings.steps:
            trainer.run(_next_stop(trainer), report)
            if trainer.step == EARLY_STEP:
                _write_early(job)
            trainer.save(job.last_save)
    _write_final(job, console)


def _next_stop(trainer: Trainer) -> int:
    step = trainer.step
    stops = (step - step % SAVE_EVERY + SAVE_EVERY, EARLY_STEP, trainer.settings.steps)
    return min(stop for stop in stops if stop > step)


def _write_early(job: _Job) -> None:
    subject = Subject(job.trainer.model, PromptTokenizer.new())
    figures = evaluate(subject, _EARLY_PLAN, _ignore)
    card = early_card(figures, job.trainer.step)
    checkpoint.save(subject.model, subject.tokenizer, job.out / "early", card)


def _write_final(job: _Job, console: Console) -> None:
    trainer = job.trainer
    subject = Subject(trainer.model, PromptTokenizer.new())
    with _progress(console) as progress:
        task = progress.add_task("measuring", total=job.plan.total, loss="")
        figures = evaluate(subject, job.plan, lambda count: progress.advance(task, count))
    provenance = Provenance(
        parameters=sum(parameter.numel() for parameter in trainer.model.parameters()),
        seed=trainer.settings.seed,
        steps=trainer.settings.steps,
        seconds=trainer.seconds,
        threads=torch.get_num_threads(),
    )
    folder = job.out / "final"
    checkpoint.save(subject.model, subject.tokenizer, folder, final_card(figures, provenance))
    _draw(trainer.history, folder / "losses.png")


def _ignore(_count: int) -> None:
    """Nobody watches a measurement of seconds."""


def _draw(history: Tensor, path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtra("matplotlib", "plot") from error
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot(xlabel="step", ylabel="loss, or share of situations", yscale="log")
    for name, losses in zip(LOSS_NAMES, history.T, strict=True):
        axes.plot(losses.numpy(), label=name, linewidth=0.9)
    axes.set_ylim(bottom=1e-5)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=100)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, TextColumn("{task.fields[loss]}"), console=console)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tracekit.sources.pointer.train", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/pointer"), help="where to write")
    parser.add_argument("--seed", type=int, default=0, help="decides the weights and every batch")
    parser.add_argument("--steps", type=int, default=TrainingSettings.steps, help="steps of the optimizer")
    parser.add_argument("--requests", type=int, default=20_000, help="requests the result is measured on")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads")
    parser.add_argument("--brief", action="store_true", help="measure everyday requests only")
    return parser


if __name__ == "__main__":
    sys.exit(main())
