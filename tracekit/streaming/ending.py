"""How a run ended: what the source returned or raised, and what of it stands in a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tracekit.format.types import Json
from tracekit.streaming.cancellation import Cancelled
from tracekit.streaming.source import Emit, Source

__all__ = ["Ending", "observe_to_the_end"]


@dataclass(frozen=True)
class Ending:
    """How a run ended. `stop_reason` and `summary` are there when complete, `error` when failed."""

    status: Literal["complete", "cancelled", "failed"]
    seconds: float
    stop_reason: str = ""
    error: BaseException | None = None
    summary: Json | None = None

    def tail(self) -> Json:
        """What an ended run adds to its header: status, summary or error, and the time it took."""
        tail: Json = {"status": self.status}
        if self.summary is not None:
            tail["summary"] = self.summary
        if self.error is not None:
            tail["error"] = {"type": type(self.error).__name__, "message": _message(self.error)}
        return tail | {"inference_seconds": self.seconds}


def observe_to_the_end(source: Source, request: Any, emit: Emit, elapsed: Callable[[], float]) -> Ending:
    """Let the source observe; what the model raises lies in the ending, whatever it is."""
    try:
        stop_reason = source.observe(request, emit)
    except Cancelled:
        return Ending("cancelled", elapsed())
    except Exception as error:  # the model's: a failed run is a result
        return Ending("failed", elapsed(), error=error)
    return Ending("complete", elapsed(), stop_reason)


def _message(error: BaseException) -> str:
    """An error's text, such that JSON can hold it. A file's name may come with half a surrogate pair."""
    try:
        return str(error).encode(errors="backslashreplace").decode()
    except Exception:  # someone's own `__str__`, which must not hide the error itself
        return "(its message cannot be read)"
