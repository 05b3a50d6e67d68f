"""The pointer model as a source, and the reference's own stream.

The worker's side does as little as it can: one transfer from the device a loop, of scores,
stop and state packed together. Letters, probabilities and the comparison with the
reference answer are made of it on the consumer's side, where they cannot reach the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from threading import Event
from typing import Any, TypeAlias

import numpy
import torch
from torch import Tensor

from tracekit.errors import NonFiniteOutput, UsageError
from tracekit.format.numbers import shortest
from tracekit.format.types import Json
from tracekit.sources.pointer.batched import FirstOfBatch, RepeatingTokenizer
from tracekit.sources.pointer.checkpoint import load
from tracekit.sources.pointer.model import LoopedTransformer
from tracekit.sources.pointer.task import SYMBOLS, PointerRequest, execute
from tracekit.sources.registry import LoadOptions
from tracekit.streaming.run import Run, RunOptions
from tracekit.streaming.source import Description, Emit, Interpreter, Observed, Source

__all__ = ["PointerSettings", "PointerSource", "open_source", "score_trace", "stream_inference"]

Floats: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.floating[Any]]]

SAFETY_CAP = 272
STOP_THRESHOLD = 0.5


@dataclass(frozen=True)
class PointerSettings:
    """When a run stops: at this completion probability, or after this many loops. Raises UsageError."""

    threshold: float = STOP_THRESHOLD
    safety_cap: int = SAFETY_CAP

    def __post_init__(self) -> None:
        if type(self.safety_cap) is not int or self.safety_cap < 1:
            raise UsageError(f"the loop cap must be an integer of at least 1, not {self.safety_cap!r}")
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"the threshold must be a probability from 0 to 1, not {self.threshold!r}")


class PointerSource(Source):
    """A looped transformer with its tokenizer and spec, as `load` gives them.

    Raises UsageError for a model in training mode or without a completion head.
    """

    kind = "loop"

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        spec: Mapping[str, Any],
        settings: PointerSettings | None = None,
    ) -> None:
        if model.training or model.completion_head is None:
            raise UsageError("the model must be in eval mode and have a completion head")
        self.model, self.tokenizer, self.spec = model, tokenizer, spec
        self.settings = settings or PointerSettings()

    def parse_request(self, value: object) -> PointerRequest:
        return value if isinstance(value, PointerRequest) else PointerRequest.parse(value)

    def payload(self, request: PointerRequest) -> Json:
        return request.payload()

    def with_settings(self, settings: Mapping[str, Any]) -> PointerSource:
        if unknown := set(settings) - set(asdict(self.settings)):
            raise UsageError(f"the pointer source has no setting {', '.join(sorted(unknown))}")
        return PointerSource(self.model, self.tokenizer, self.spec, replace(self.settings, **settings))

    def batched(self, size: int) -> PointerSource:
        return BatchedPointerSource(self, size)

    def describe(self) -> Description:
        known = {key: self.spec[key] for key in ("sha256", "dtype", "parameters") if key in self.spec}
        return Description(
            model={
                "source": "pointer",
                "name": str(self.spec.get("name", "pointer")),
                **known,  # type: ignore[typeddict-item]
                "device": str(self._device),
            },
            checkpoint=str(self.spec.get("checkpoint", "")),
            settings=asdict(self.settings),
            environment={"torch": str(torch.__version__), "threads": torch.get_num_threads()},
        )

    def interpreter(self, request: PointerRequest) -> PointerInterpreter:
        return PointerInterpreter(request)

    @property
    def exclusive(self) -> object:
        return self.model

    def observe(self, request: PointerRequest, emit: Emit) -> str:
        """One forward; `emit` gets a loop's 26 scores, stop logit and any state logits, as tensors."""

        def hand_over(_: int, *tensors: Tensor) -> None:
            emit(tensors)

        def pack(_: int, scores: Tensor, stop_logits: Tensor, state_logits: Tensor | None) -> None:
            parts = (scores, stop_logits.unsqueeze(1)) + (() if state_logits is None else (state_logits,))
            emit((torch.cat(parts, 1).float().cpu(),))  # (1, 27 or 53), in one transfer

        # Our own model makes new tensors every loop, so on the processor there is nothing to copy
        # or transfer: packing there would cost a loop a thirtieth of its time.
        is_plain = self._device.type == "cpu" and isinstance(self.model, LoopedTransformer)
        encoded = self.tokenizer(request.prompt(), add_special_tokens=False, return_tensors="pt")
        with torch.inference_mode():
            result = self.model(
                input_ids=encoded["input_ids"].to(self._device),
                attention_mask=encoded["attention_mask"].to(self._device),
                num_loops=self.settings.safety_cap,
                completion_threshold=self.settings.threshold,
                readout_token_ids=self.spec["token_ids"],
                loop_callback=hand_over if is_plain else pack,
            )
            signaled = result.stop_logits[0, -1].sigmoid().item() >= self.settings.threshold
        return "head" if signaled else "cap"

    @property
    def _device(self) -> Any:
        return next(self.model.parameters()).device


class BatchedPointerSource(PointerSource):
    """Asks the model the same request `size` times at once, and shows the first."""

    def __init__(self, single: PointerSource, size: int) -> None:
        super().__init__(
            single.model, RepeatingTokenizer(single.tokenizer, size), single.spec, single.settings
        )
        self._single, self._size = single, size

    def with_settings(self, settings: Mapping[str, Any]) -> BatchedPointerSource:
        return BatchedPointerSource(self._single.with_settings(settings), self._size)

    def observe(self, request: PointerRequest, emit: Emit) -> str:
        return super().observe(request, FirstOfBatch(emit))


class PointerInterpreter(Interpreter):
    """Makes rows of logits, and walks the reference answer beside them.

    All that has arrived together is computed together: at a third of a millisecond a loop,
    a softmax of its own for every row would cost the model a tenth of its time.
    """

    def __init__(self, request: PointerRequest) -> None:
        super().__init__("loop")
        self._request = request
        self._mapping = dict(request.pairs)
        self._reference = self._previous = request.start

    def rows(self, observed: Sequence[Observed]) -> Iterator[Json]:
        """A row for each. Raises NonFiniteOutput at the first with NaN or infinity among its logits."""
        parts = [
            torch.cat(part).view(len(observed), -1)
            for part in zip(*[seen for seen, _ in observed], strict=True)
        ]
        logits = torch.cat(parts, 1).numpy()  # (rows, 27 or 53)
        finite = numpy.isfinite(logits).all(axis=1)
        usable = len(observed) if finite.all() else int(finite.argmin())
        if usable:
            yield from self._finite_rows(logits[:usable], [arrival for _, arrival in observed])
        if usable < len(observed):
            raise NonFiniteOutput("loop", self._next, "output")

    def _finite_rows(self, logits: Floats, arrivals: Sequence[float]) -> Iterator[Json]:
        scores, stop, state = logits[:, :26], logits[:, 26:27], logits[:, 27:]
        order = numpy.argsort(-scores, axis=1, kind="stable")[:, :3]  # (rows, 3)
        tops = _softmax(scores)[numpy.arange(len(logits))[:, None], order]
        numbers = shortest(numpy.concatenate([_sigmoid(stop), tops], axis=1))  # (rows, 4)
        direct = state.argmax(axis=1).tolist() if state.shape[1] else [None] * len(logits)
        for row in zip(order.tolist(), numbers, direct, arrivals, strict=False):
            yield self._row(*row)

    def _row(self, top: list[int], values: list[float], state: int | None, arrival: float) -> Json:
        loop, self._next = self._next, self._next + 1
        first, second, third = top
        prediction = SYMBOLS[first]
        self._reference = self._mapping[self._reference]
        edge_valid = self._mapping[self._previous] == prediction
        self._previous = prediction
        return {
            "loop": loop,
            "prediction": prediction,
            "direct_prediction": None if state is None else SYMBOLS[state],
            "stop_probability": values[0],
            "top3": [
                {"symbol": prediction, "probability": values[1]},
                {"symbol": SYMBOLS[second], "probability": values[2]},
                {"symbol": SYMBOLS[third], "probability": values[3]},
            ],
            "arrival_seconds": arrival,
            "expected": self._reference,
            "correct": prediction == self._reference,
            "edge_valid": edge_valid,
        }

    def summary(self, rows: Sequence[Json], stop_reason: str) -> Json:
        return score_trace(self._request, rows, stop_reason)


def score_trace(request: PointerRequest, rows: Sequence[Json], stop_reason: str) -> Json:
    """How a run went, each metric on its own: the last letter, the requested steps, the stop."""
    expected = execute(dict(request.pairs), request.start, request.steps)
    predictions = [row["prediction"] for row in rows]
    answer_correct = bool(predictions) and predictions[-1] == expected[-1]
    exact_stop = stop_reason == "head" and len(rows) == request.steps
    return {
        "answer_correct": answer_correct,
        "complete_trajectory": predictions[: request.steps] == expected,
        "exact_stop": exact_stop,
        "joint_success": answer_correct and exact_stop,
        "stop_reason": stop_reason,
        "executed_loops": len(rows),
        "first_error": next((row["loop"] for row in rows[: request.steps] if not row["correct"]), None),
    }


def stream_inference(
    model: Any,
    tokenizer: Any,
    spec: Mapping[str, Any],
    request: PointerRequest,
    *,
    checkpoint_id: str,
    cancel: Event | None = None,
    loop_cap: int | None = None,
) -> Iterator[Json]:
    """The reference's stream: version 1 snapshots, a loop each, then the one with the summary.

    Setting `cancel` ends it at the next loop, without a summary; closing it does too, and
    returns when the model is free. What the model raises comes out as itself. Raises
    UsageError for a model in training mode and a loop cap that is no positive integer,
    NonFiniteOutput for a loop whose output is not finite.
    """
    settings = PointerSettings(safety_cap=SAFETY_CAP if loop_cap is None else loop_cap)
    run = Run(PointerSource(model, tokenizer, spec, settings), request, RunOptions(cancel=cancel or Event()))
    header = {
        "schema_version": 1,
        "source": "live",
        "checkpoint": checkpoint_id,
        "request": request.payload(),
        "threshold": settings.threshold,
        "safety_cap": settings.safety_cap,
    }
    return _snapshots_v1(run, header)


def open_source(argument: str, options: LoadOptions) -> PointerSource:  # noqa: ARG001
    """The registry's factory. Raises CheckpointError, DeviceError, or UsageError for what it cannot use."""
    if options.dtype not in (None, "float32"):
        raise UsageError(f"the pointer model computes in float32 only, not {options.dtype}")
    # Its matrices are so small that a second thread only waits, and on a busy machine for long.
    torch.set_num_threads(options.threads or 1)
    return PointerSource(*load(options.checkpoint, options.device))


def _snapshots_v1(run: Run, header: Json) -> Iterator[Json]:
    rows: list[Json] = []
    for batch in run.batches():
        for row in batch:
            rows.append(row)
            yield {**header, "status": "streaming", "trace": list(rows)}
    tail = run.tail(rows)
    if run.error is not None:
        raise run.error
    if tail["status"] == "complete":
        yield {**header, "status": "complete", "trace": list(rows), **tail}


def _sigmoid(logits: Floats) -> Floats:
    with numpy.errstate(over="ignore"):  # exp of a very negative logit is infinite, and 1 / inf is 0
        return 1 / (1 + numpy.exp(-logits))


def _softmax(logits: Floats) -> Floats:
    """Over the last axis, in double precision."""
    exponentials = numpy.exp(logits.astype(numpy.float64) - logits.max(axis=1, keepdims=True))
    probabilities: Floats = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities
