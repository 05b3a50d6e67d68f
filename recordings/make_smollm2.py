"""Makes this folder's recordings of SmolLM2 by real runs, replacing those that are there.

python recordings/make_smollm2.py    (on an idle machine: the timings are recorded too)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tracekit
from tracekit.sources.registry import load_source

FOLDER = Path(__file__).parent
CANCELLED_AFTER = 12


def asked(text: str) -> dict[str, Any]:
    """A request of one message."""
    return {"messages": [{"role": "user", "content": text}]}


STORY = asked("Tell me a story about a lighthouse keeper who finds a message in a bottle.")
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "smollm2-short": (asked("What is the capital of France?"), {}),
    "smollm2-long": (STORY, {"max_new_tokens": 200}),
    "smollm2-unicode": (asked("Translate into Chinese and add an emoji: Hello, world!"), {}),
    "smollm2-sampled": (
        asked("Invent a name for a café on the moon, and say why."),
        {"temperature": 0.8, "top_p": 0.95, "seed": 7},
    ),
}


def main() -> None:
    """Record every run, and one more that is cancelled."""
    source = load_source("smollm2")
    for name, (request, settings) in RUNS.items():
        target = tracekit.Target(FOLDER / f"{name}.json", overwrite=True)
        trace = tracekit.record(source.with_settings(settings), request, target)
        print(f"{name}: {trace['summary']['tokens']} tokens, {trace['summary']['stop_reason']}")
    cancelled = record_cancelled(source)
    print(f"smollm2-cancelled: {cancelled} tokens")


def record_cancelled(source: tracekit.Source) -> int:
    """The story, stopped by its listener after a dozen tokens; how many there are."""
    target = tracekit.Target(FOLDER / "smollm2-cancelled.json", overwrite=True)
    with tracekit.Recorder(source, STORY, target) as recorder:
        for _ in recorder.batches():
            if len(recorder.rows) >= CANCELLED_AFTER:
                break
    return len(recorder.rows)


if __name__ == "__main__":
    main()
