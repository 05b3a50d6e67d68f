"""What recording costs a language model: SmolLM2, 64 tokens, everything on.

Against plain `generate` without a streamer, and against `generate` with transformers'
TextIteratorStreamer, which gives text but no log probabilities. Each runs in a new thread, as
streaming must: where torch has several threads, the same `generate` was seen to take four
times as long in the main thread, which would flatter us. All three are interleaved, so that
what else the machine does falls on each alike; the figures are medians of the rounds'
ratios. Then: how long loading takes, from GGUF and from safetensors.

    python benchmarks/tokens.py [--rounds 9] [--tokens 64] [--threads 2]
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from timing import interleaved, report
from transformers import TextIteratorStreamer

import tracekit
from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.factories import load_named
from tracekit.sources.huggingface.loading import Loaded, save_folder
from tracekit.sources.registry import LoadOptions

PROMPT = "Once upon a time, in a village by the sea, there lived a clockmaker who"
OURS = "tracekit.record"
AGAIN = "plain generate, once more"  # how far from 1 the machine alone goes
ASKED = {"plain generate": 1.02, "TextIteratorStreamer": 1.01}


def main() -> None:
    """Print the ratios, each against its named baseline."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--threads", type=int, help="threads that torch may use")
    arguments = parser.parse_args()
    options = LoadOptions(threads=arguments.threads)
    started = time.perf_counter()
    loaded = load_named("smollm2", options)
    from_gguf = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        report_recording(loaded, arguments.rounds, arguments.tokens, Path(folder))
        report_loading(loaded, from_gguf, Path(folder) / "safetensors")


def report_recording(loaded: Loaded, rounds: int, tokens: int, folder: Path) -> None:
    """Recording's cost, as ratios of seconds."""
    ways = ways_to_run(loaded, tokens, folder)
    took = interleaved({**ways, AGAIN: ways["plain generate"]}, rounds)
    print(f"SmolLM2-135M, {tokens} tokens, {torch.get_num_threads()} threads")
    for baseline, bound in ASKED.items():
        three = {name: took[name] for name in (baseline, OURS, AGAIN)}
        report(f"Against {baseline}", three, baseline, {OURS: bound})


def ways_to_run(loaded: Loaded, tokens: int, folder: Path) -> dict[str, Callable[[], object]]:
    """The same request, run in each way."""
    source = CausalSource(loaded.model, loaded.tokenizer, identity=loaded.identity)
    source = source.with_settings({"max_new_tokens": tokens, "custom": {"min_new_tokens": tokens}})
    prompt = loaded.tokenizer(PROMPT, return_tensors="pt")
    arguments: dict[str, Any] = {
        **prompt,
        "do_sample": False,
        "max_new_tokens": tokens,
        "min_new_tokens": tokens,
    }
    target = tracekit.Target(folder / "run.json", overwrite=True)
    return {
        "plain generate": lambda: in_a_thread(loaded, arguments),
        OURS: lambda: tracekit.record(source, {"prompt": PROMPT}, target),
        "TextIteratorStreamer": lambda: stream_text(loaded, arguments),
    }


def in_a_thread(loaded: Loaded, arguments: dict[str, Any]) -> None:
    """`generate`, and nobody listens."""
    worker = threading.Thread(target=loaded.model.generate, kwargs=arguments)
    worker.start()
    worker.join()


def stream_text(loaded: Loaded, arguments: dict[str, Any]) -> str:
    """What transformers itself offers for streaming."""
    streamer = TextIteratorStreamer(loaded.tokenizer, skip_prompt=True, skip_special_tokens=True)
    worker = threading.Thread(target=loaded.model.generate, kwargs={**arguments, "streamer": streamer})
    worker.start()
    text = "".join(streamer)
    worker.join()
    return text


def report_loading(loaded: Loaded, from_gguf: float, folder: Path) -> None:
    """Loading from GGUF, and from safetensors saved once."""
    save_folder(loaded, folder)
    started = time.perf_counter()
    load_named(f"hf:{folder}", LoadOptions())
    from_safetensors = time.perf_counter() - started
    ratio = from_gguf / from_safetensors
    seconds = f"{from_gguf:.1f} s from GGUF, {from_safetensors:.1f} s from safetensors"
    print(f"  loading: {seconds}; ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
