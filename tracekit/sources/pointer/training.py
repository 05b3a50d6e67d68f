"""Training of the looped transformer: one step at a time, never an unrolled run.

The losses of a situation (letter, count), all for one loop from its code:

- closure: each bit of the code after the loop against the sign it has in the code that
  the prelude gives to the situation one step on. When it holds everywhere, a run of any
  length is right by induction.
- commitment: each bit of the prelude's codes against its own sign. Without it a bit that
  drifts across zero changes a code that all else has learned to reach, and training
  falls back again and again.
- letter: the readout's cross entropy. It helps the lookup to form.
- state and stop: the direct state head and the completion head, read from the code of
  the situation one step on.

Every batch is drawn from the seed and its step alone, so a resumed training goes on
exactly as one that was never interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Generator, Tensor
from torch.nn import functional

from tracekit.errors import CheckpointError
from tracekit.sources.pointer.batches import Batch, BatchShape, sample_batch
from tracekit.sources.pointer.model import LoopedConfig, LoopedTransformer, Memory, signs, straight_through
from tracekit.sources.pointer.tokenizer import VOCABULARY

__all__ = ["LOSS_NAMES", "Trainer", "TrainingSettings"]

LOSS_NAMES = ("pointer closure", "count closure", "commitment", "letter", "state", "stop", "situations wrong")

_FIRST_LETTER = VOCABULARY["A"]
_STEPS_A_SEED = 1_000_003


@dataclass(frozen=True)
class TrainingSettings:
    """All that decides the weights: the same settings and threads give the same ones."""

    seed: int = 0
    steps: int = 1200
    tables: int = 64
    situations: int = 8
    learning_rate: float = 2e-3
    warmup: int = 100
    weight_decay: float = 0.01
    gradient_norm: float = 1.0


class Trainer:
    """A model in training: its optimizer, how far it is, the seconds it took, and the losses so far."""

    def __init__(
        self, settings: TrainingSettings, config: LoopedConfig, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.settings = settings
        self.step = 0
        self.seconds = 0.0
        self._clock = clock
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.model = LoopedTransformer(config)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            weight_decay=settings.weight_decay,
        )
        self._history: list[Tensor] = []

    @property
    def history(self) -> Tensor:
        """The losses of every step so far, (steps, 7), in the order of LOSS_NAMES."""
        return torch.stack(self._history) if self._history else torch.empty(0, len(LOSS_NAMES))

    def run(self, until: int, report: Callable[[int, Tensor], None]) -> None:
        """Train up to a step, and report each step with its losses (7,)."""
        while self.step < until:
            self.advance()
            report(self.step, self._history[-1])

    def advance(self) -> None:
        """One step of the optimizer."""
        settings, started = self.settings, self._clock()
        generator = Generator().manual_seed(settings.seed * _STEPS_A_SEED + self.step)
        batch = sample_batch(BatchShape(settings.tables, settings.situations), generator)
        losses = batch_losses(self.model, batch, settings.situations)
        self.optimizer.zero_grad()
        losses[:-1].sum().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.gradient_norm)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(settings, self.step)
        self.optimizer.step()
        self._history.append(losses.detach())
        self.step += 1
        self.seconds += self._clock() - started

    def save(self, path: Path) -> None:
        """Write weights, optimizer and losses to one safetensors file, whole or not at all."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state[parameter].items():
                tensors[f"optimizer.{key}.{name}"] = value
        tensors["history"] = self.history
        metadata = {
            "step": str(self.step),
            "seconds": str(self.seconds),
            "settings": json.dumps(asdict(self.settings)),
        }
        partial = path.with_name(f".{path.name}.partial")
        safetensors.torch.save_file(tensors, partial, metadata)
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from a file that `save` wrote.

        Raises CheckpointError for a file that cannot be read, or of other settings.
        """
        try:
            with safe_open(path, framework="pt") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        except (OSError, SafetensorError) as error:
            raise CheckpointError(path, f"is not a training's save: {error}") from error
        if metadata.get("settings") != json.dumps(asdict(self.settings)):
            raise CheckpointError(path, "was saved with other settings; choose another --out, or remove it")
        self._restore(tensors)
        self.step, self.seconds = int(metadata["step"]), float(metadata["seconds"])

    def _restore(self, tensors: dict[str, Tensor]) -> None:
        weights = {name: tensors[f"model.{name}"] for name in self.model.state_dict()}
        self.model.load_state_dict(weights)
        for name, parameter in self.model.named_parameters():
            self.optimizer.state[parameter] = {
                key: tensors[f"optimizer.{key}.{name}"] for key in ("step", "exp_avg", "exp_avg_sq")
            }
        self._history = list(tensors["history"].unbind())


def learning_rate(settings: TrainingSettings, step: int) -> float:
    """Linear warm-up, constant to half of the steps, then linear down to a fiftieth."""
    warm = min(1.0, (step + 1) / settings.warmup)
    falling = min(1.0, max(0.02, 2 * (settings.steps - step) / settings.steps))
    return settings.learning_rate * warm * falling


def batch_losses(model: LoopedTransformer, batch: Batch, situations: int) -> Tensor:
    """The losses of a batch, (7,), in the order of LOSS_NAMES; the last has no gradient."""
    memory = model.remember(batch.rules)
    shared = Memory(
        memory.keys.repeat_interleave(situations, dim=0),
        memory.values.repeat_interleave(situations, dim=0),
    )
    current = model.encode_characters(batch.current)  # (N, S, C)
    code = straight_through(current)
    target = signs(model.encode_characters(batch.following)).detach()  # (N, S, C)
    hidden, bits = model.step(code, shared)
    closure = functional.softplus(-target * bits).mean(dim=(0, 2))  # (S,)
    letters = model.readout.weight[_FIRST_LETTER : _FIRST_LETTER + model.config.symbols]
    wrong = (signs(bits) != target).any(dim=2).any(dim=1)
    return torch.stack(
        (
            closure[0],
            closure[1:].mean(),
            functional.softplus(-current.abs()).mean(),
            functional.cross_entropy(functional.linear(hidden[:, 0], letters), batch.letters),
            functional.cross_entropy(model.state_head(target[:, 0]), batch.letters),
            functional.binary_cross_entropy_with_logits(model.complete(target), batch.done),
            wrong.float().mean(),
        )
    )
