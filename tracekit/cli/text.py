"""How a trace reads in a terminal: one line a row, a few for the head and the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracekit.terminal import printable

__all__ = ["bar", "candidates", "head_lines", "is_wrong", "row_line", "summary_line"]

_VERSIONS = ("torch", "transformers", "threads")


def row_line(row: Mapping[str, Any]) -> str:
    """One row on one line, of about 100 columns."""
    return _loop_line(row) if "loop" in row else _token_line(row)


def is_wrong(row: Mapping[str, Any]) -> bool:
    """Whether the row has a reference answer and does not equal it."""
    return row.get("correct") is False


def head_lines(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The header as labelled lines: who ran, on what, where, what was asked."""
    model, environment = document["model"], document["environment"]
    where = [environment["cpu"], environment["platform"], f"python {environment['python']}"]
    where += [f"{name} {environment[name]}" for name in _VERSIONS if name in environment]
    parts = [model["name"], document["checkpoint"], model.get("dtype", ""), model.get("device", "")]
    lines = [
        ("id", f"{document['id']}  {document['created_at']}"),
        ("model", " · ".join(filter(None, parts)) + f"  ({model['source']})"),
        ("machine", " · ".join(where)),
        ("request", _request_text(document["request"])),
        ("settings", _pairs(document["settings"])),
        ("metadata", _pairs(document["metadata"])),
    ]
    return [(label, printable(text, 200)) for label, text in lines if text]


def summary_line(document: Mapping[str, Any]) -> str:
    """How the run ended, in one line."""
    status, seconds = document["status"], document.get("inference_seconds", 0.0)
    if "error" in document:
        kind, message = printable(document["error"]["type"], 60), printable(document["error"]["message"], 200)
        return f"failed after {seconds:.3f} s: {kind}: {message}"
    summary = document.get("summary")
    if summary is None:
        return f"{status} after {seconds:.3f} s"
    if "executed_loops" in summary:
        return f"{_loop_summary(summary)} in {seconds:.3f} s"
    speed = f", {summary['tokens_per_second']:.1f} tokens/s" if "tokens_per_second" in summary else ""
    return f"{summary['tokens']} tokens, {_stopped(summary)}{speed} in {seconds:.3f} s"


def candidates(row: Mapping[str, Any], count: int = 3) -> str:
    """The most probable candidates with their probabilities or log probabilities."""
    letters = [f"{printable(c['symbol'], 14)} {c['probability']:.3f}" for c in row.get("top3", ())]
    tokens = [f"{printable(repr(c['text']), 14)} {c['logprob']:.2f}" for c in row.get("top", ())]
    return "  ".join((letters or tokens)[:count])


def bar(fraction: float, width: int = 10, mark: float | None = None) -> str:
    """A bar of `width` cells filled to `fraction`, with `mark` as a line across it."""
    filled = round(min(max(fraction, 0.0), 1.0) * width)
    cells = ["█"] * filled + ["·"] * (width - filled)
    if mark is not None:
        cells[min(width - 1, int(mark * width))] = "┃" if fraction >= mark else "│"
    return "".join(cells)


def _loop_line(row: Mapping[str, Any]) -> str:
    parts = [f"{row['loop']:4d}", f"{printable(row['prediction'], 16):<2}"]
    if "expected" in row or "correct" in row:
        parts.append(f"{_judgement(row):<5}")
    if "stop_probability" in row:
        parts.append(f"stop {row['stop_probability']:.3f}")
    parts.append(f"{candidates(row):<26}")
    return "  ".join([*parts, f"{row['arrival_seconds']:.4f} s"])


def _judgement(row: Mapping[str, Any]) -> str:
    """What a loop's row says of its prediction: `expected` and `correct` may each stand alone."""
    expected = printable(row.get("expected", ""), 8)
    if "correct" not in row:
        return f"expected {expected}"
    return "ok" if row["correct"] else f"not {expected}" if "expected" in row else "wrong"


def _token_line(row: Mapping[str, Any]) -> str:
    text = printable(repr(row["text"]), 18)
    parts = [f"{row['index']:4d}", f"{text:<18}", f"{row['logprob']:8.3f}", f"{candidates(row):<50}"]
    return "  ".join([*parts, f"{row['arrival_seconds']:.4f} s"])


def _loop_summary(summary: Mapping[str, Any]) -> str:
    text = f"{summary['executed_loops']} loops, {_stopped(summary)}"
    said = []
    if "answer_correct" in summary:
        said.append(f"answer {'right' if summary['answer_correct'] else 'wrong'}")
    if "exact_stop" in summary:
        said.append(f"stop {'exact' if summary['exact_stop'] else 'not exact'}")
    if (first := summary.get("first_error")) is not None:
        said.append(f"first error at loop {first}")
    return f"{text}: {', '.join(said)}" if said else text


def _stopped(summary: Mapping[str, Any]) -> str:
    return f"stopped by {printable(summary['stop_reason'], 60)}"


def _request_text(request: Mapping[str, Any]) -> str:
    if "mapping" not in request:
        return _pairs(request)
    rules = " ".join("".join(rule) for rule in request["mapping"])
    return f"{request['start']}, {request['steps']} steps of {rules}"


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_value(value)}" for key, value in values.items())


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{len(value)}]"
    return str(value)
