"""A request from the command line: a file, standard input, or options."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from tracekit.cli.token_options import TokenOptions, token_options
from tracekit.errors import RequestError, UnreadableDocument, UsageError
from tracekit.format.parsing import parse_object, refuse_duplicate_keys
from tracekit.format.types import Json
from tracekit.sources.pointer.task import (
    SYMBOLS,
    PointerRequest,
    random_cycle,
    random_function,
    random_permutation,
    shuffled_pairs,
)
from tracekit.storage.files import read_file

__all__ = [
    "RequestOptions",
    "given",
    "metadata_of",
    "read_request",
    "read_requests",
    "refuse_beside",
    "request_options",
]

_TABLES = {"random": random_function, "permutation": random_permutation, "cycle": random_cycle}
_DEFAULT_STEPS = 24
_LARGEST_REQUEST = 16 << 20


@dataclass(frozen=True)
class RequestOptions:
    """What the command line says of the request and of how to run it. None is: not said."""

    request: str | None
    requests: str | None
    start: str | None
    steps: int | None
    table: str | None
    seed: int | None
    threshold: float | None
    loop_cap: int | None
    token: TokenOptions

    @property
    def files(self) -> list[str]:
        """The files that the request is read from."""
        table = None if self.table in _TABLES else self.table
        prompt = self.token.prompt or ""
        return [file for file in (self.request, table, prompt[1:] if prompt[:1] == "@" else None) if file]

    def making_one(self, model: str) -> list[str]:
        """The options given that make up one request, by name."""
        seed = self.seed if model == "pointer" else None
        prompt = {"--prompt": self.token.prompt, "--chat": self.token.chat, "--system": self.token.system}
        return [*given({"--request": self.request}), *self.pointers(), *given({"--seed": seed, **prompt})]

    def pointers(self) -> list[str]:
        """Those of them that only a request of the pointer model has."""
        return given({"--start": self.start, "--steps": self.steps, "--table": self.table})

    def settings(self, model: str) -> Json:
        """The settings that were said, under their names in a header."""
        said = {"threshold": self.threshold, "safety_cap": self.loop_cap}
        if model != "pointer":  # whose request is what its seed makes
            said["seed"] = self.seed
        return {name: value for name, value in said.items() if value is not None} | self.token.settings()


def request_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that make a `RequestOptions`."""
    for option in reversed(
        (
            click.option("--request", metavar="FILE", help="The request as JSON; - reads standard input."),
            click.option("--requests", metavar="FILE", help="Many requests, one JSON object a line."),
            click.option("--start", metavar="LETTER", help="Pointer: the letter to start from."),
            click.option("--steps", type=int, help=f"Pointer: how many steps.  [default: {_DEFAULT_STEPS}]"),
            click.option(
                "--table",
                metavar="KIND|FILE",
                help="Pointer: random (default), permutation, cycle, or a file.",
            ),
            click.option("--seed", type=int, help="Seed of the random table and start, and of sampling."),
            click.option("--threshold", type=float, help="Pointer: stop at this completion probability."),
            click.option("--loop-cap", type=int, help="Pointer: stop after this many loops in any case."),
        )
    ):
        command = option(command)
    return token_options(command)


def read_request(model: str, options: RequestOptions) -> Json:
    """The one request that the options describe. Raises UsageError, UnreadableDocument or StorageError."""
    if options.request is not None:
        refuse_beside("--request", [name for name in options.making_one(model) if name != "--request"])
        return _checked(model, _read_object(options.request))
    prompted = options.token.request()
    if model == "pointer":
        if prompted is not None:
            raise UsageError("--prompt is for a language model: say which with --model")
        return _checked(model, _pointer_request(options))
    if foreign := options.pointers():
        raise UsageError(f"--model {model} takes no {' and no '.join(foreign)}: the pointer model does")
    if prompted is None:
        raise UsageError(f"--model {model} needs --prompt TEXT, or --request FILE")
    return prompted


def given(options: Mapping[str, object]) -> list[str]:
    """The names of the options that were said: of a value, or of a flag that is set."""
    return [name for name, value in options.items() if value is not None and value is not False]


def refuse_beside(option: str, others: Sequence[str]) -> None:
    """Raise UsageError for options that would be of no effect beside `option`."""
    if others:
        raise UsageError(f"{option} says it all: leave out {' and '.join(others)}")


def read_requests(file: str) -> list[Json]:
    """A request a line, empty lines left out. Raises UnreadableDocument with the line's number."""
    lines = read_file(file, _LARGEST_REQUEST).splitlines()
    requests = [_parse(line, f"{file} line {at}") for at, line in enumerate(lines, 1) if line.strip()]
    if not requests:
        raise UnreadableDocument(file, "holds no requests; expected one JSON object a line")
    return requests


def metadata_of(pairs: Sequence[str]) -> Json:
    """`KEY=VALUE` pairs as an object of strings. Raises UsageError."""
    metadata = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"--metadata {pair!r}: expected KEY=VALUE")
        metadata[key] = value
    return metadata


def _checked(model: str, request: Json) -> Json:
    """The same request. What the pointer task refuses is refused before torch and a model are loaded."""
    if model == "pointer":
        PointerRequest.parse(request)
    return request


def _pointer_request(options: RequestOptions) -> Json:
    chance = random.Random(options.seed)  # noqa: S311
    table = "random" if options.table is None else options.table
    pairs = shuffled_pairs(_TABLES[table](chance), chance) if table in _TABLES else _read_table(table)
    return {
        "mapping": [list(pair) for pair in pairs] if isinstance(pairs, tuple) else pairs,
        "start": chance.choice(SYMBOLS) if options.start is None else options.start,
        "steps": _DEFAULT_STEPS if options.steps is None else options.steps,
    }


def _read_table(file: str) -> Any:
    """A table's rules from a file: a request, or an object with just its `mapping`."""
    document = _read_object(file)
    if "mapping" not in document:
        raise RequestError("", "the key 'mapping' in the table's file", str(sorted(document))[:80])
    return document["mapping"]


def _read_object(file: str) -> Json:
    return _parse(read_file(file, _LARGEST_REQUEST), file)


def _parse(data: bytes, file: object) -> Json:
    document = parse_object(data, file)
    refuse_duplicate_keys(data, file)
    return document
