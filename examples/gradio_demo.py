"""A Gradio app over a live model or over a recording, by the same code.

python examples/gradio_demo.py --recording recordings/smollm2-short.json
python examples/gradio_demo.py --model smollm2
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import gradio as gr

import tracekit
from tracekit.format.types import Snapshot
from tracekit.sources.registry import load_source

Snapshots = Callable[[str], Iterator[Snapshot]]


def live(model: str) -> Snapshots:
    """Runs of a model."""
    source = load_source(model)
    return lambda prompt: tracekit.stream(source, {"messages": [{"role": "user", "content": prompt}]})


def recorded(path: str) -> Snapshots:
    """Replays of a recording, with its own timing; the prompt changes nothing."""
    trace = tracekit.load(path)
    return lambda prompt: tracekit.replay(trace)  # noqa: ARG005


def app(snapshots: Snapshots, prompt: str) -> gr.Blocks:
    """The page: a prompt, the text as it comes with improbable tokens shaded, and how the run stands."""

    def show(prompt: str) -> Iterator[tuple[list[tuple[str, float]], str]]:
        for snapshot in snapshots(prompt):
            yield shaded(snapshot), status(snapshot)

    with gr.Blocks(title="tracekit") as page:
        question = gr.Textbox(prompt, label="Prompt")
        run = gr.Button("Run", variant="primary", elem_id="run")
        text = gr.HighlightedText(label="Text", elem_id="text")
        line = gr.Markdown(elem_id="status")
        run.click(show, question, [text, line])
    return page


def shaded(snapshot: Snapshot) -> list[tuple[str, float]]:
    """Each step's text with how improbable it was, from 0 to 1."""
    if snapshot["kind"] == "loop":
        return [(f"{row['prediction']} ", 1 - row.get("stop_probability", 1.0)) for row in snapshot["trace"]]
    return [(row["text"], min(1.0, -row["logprob"] / 5)) for row in snapshot["trace"]]


def status(snapshot: Snapshot) -> str:
    """Source, status and time in one line."""
    rows = snapshot["trace"]
    seconds = rows[-1]["arrival_seconds"] if rows else 0.0
    return f"{snapshot['source']} · {snapshot['status']} · {len(rows)} steps in {seconds:.2f} s"


def main() -> None:
    """Start the app."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model")
    which.add_argument("--recording")
    parser.add_argument("--port", type=int)
    arguments = parser.parse_args()
    snapshots = recorded(arguments.recording) if arguments.recording else live(arguments.model)
    app(snapshots, "What is the capital of France?").launch(server_port=arguments.port)


if __name__ == "__main__":
    main()
