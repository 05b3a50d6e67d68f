"""`tracekit record`: run a model, watch it, keep what it did."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tracekit.cli.main import INTERRUPTED
from tracekit.cli.requests import (
    RequestOptions,
    given,
    metadata_of,
    read_request,
    read_requests,
    refuse_beside,
    request_options,
)
from tracekit.cli.signals import cancel_on_signals
from tracekit.cli.views import View, choose_view
from tracekit.errors import RunFailed, UsageError
from tracekit.format.types import Json
from tracekit.sources.registry import MOST_THREADS, LoadOptions, load_source
from tracekit.storage.files import (
    is_folder,
    make_folder,
    refuse_input,
    refuse_unusable_folder,
    refuse_unwritable,
)
from tracekit.streaming.batch import Outcome, record_many
from tracekit.streaming.recorder import Recorder, Target
from tracekit.streaming.run import RunOptions
from tracekit.streaming.source import Source
from tracekit.terminal import printable

DEFAULT_FOLDER = Path("recordings")


@dataclass(frozen=True)
class Output:
    """Where it goes, and how it is shown meanwhile."""

    out: Path | None
    out_dir: Path | None
    overwrite: bool
    quiet: bool
    as_json: bool
    metadata: dict[str, Any]

    def refuse_unwritable(self) -> None:
        """Raise what would stop the recording, before a model is loaded for it."""
        if self.out is not None and not is_folder(self.out):
            refuse_unwritable(self.out, overwrite=self.overwrite)
        else:
            refuse_unusable_folder(self.out_dir or self.out or DEFAULT_FOLDER)

    def beside_requests(self) -> list[str]:
        """The options given that say nothing of many recordings."""
        return given({"--out": self.out, "--overwrite": self.overwrite, "--json": self.as_json})


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that make an `Output`."""
    for option in reversed(
        (
            click.option("--out", type=click.Path(path_type=Path), help="The recording's path, or a folder."),
            click.option("--out-dir", type=click.Path(path_type=Path), help="A folder, for --requests."),
            click.option("--overwrite", is_flag=True, help="Replace a recording that is there."),
            click.option("-q", "--quiet", is_flag=True, help="Print the recording's path only."),
            click.option("--json", "as_json", is_flag=True, help="Print rows as NDJSON as they arrive."),
            click.option("--metadata", multiple=True, metavar="KEY=VALUE", help="Yours to add; repeatable."),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.option("--model", default="pointer", show_default=True, help="The source; see `tracekit models`.")
@click.option("--checkpoint", help="A bundled checkpoint's name, or a folder.")
@click.option("--device", default="cpu", show_default=True, help="Where to run, such as cpu or cuda:0.")
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), help="Threads that torch may use.")
@request_options
@output_options
def command(model: str, checkpoint: str | None, device: str, threads: int | None, **values: Any) -> int:
    """Run a model and record every step, with its timing, into a validated JSON file.

    Without arguments: the pointer model on a random table, into a new file in recordings/.
    The last line on standard output is the recording's path, alone.

    \b
    Examples:
      tracekit record
      tracekit record --start C --steps 40 --table cycle --out cycle.json
      tracekit record --request request.json --json | head
      tracekit record --model smollm2 --chat --prompt "What is the capital of France?"
      tracekit record --requests many.jsonl --out-dir runs/
    """
    metadata = metadata_of(values.pop("metadata"))
    names = ("out", "out_dir", "overwrite", "quiet", "as_json")
    output = Output(**{name: values.pop(name) for name in names}, metadata=metadata)
    options = RequestOptions(**values)
    requests = _requests(model, options, output)
    if output.out is not None:
        refuse_input(output.out, options.files, "request")
    output.refuse_unwritable()
    loading = LoadOptions(checkpoint, device, options.token.dtype, threads, options.token.trust_remote_code)
    source = _loaded(model, loading).with_settings(options.settings(model))
    if output.out_dir is None:
        return _record_one(source, requests[0], output)
    return _record_many(source, requests, output.out_dir, output)


def _requests(model: str, options: RequestOptions, output: Output) -> list[Json]:
    """What to run: many requests where there is a folder for them, else one."""
    if (options.requests is None) != (output.out_dir is None):
        raise UsageError("--requests and --out-dir go together")
    if options.requests is None:
        return [read_request(model, options)]
    refuse_beside("--requests", [*options.making_one(model), *output.beside_requests()])
    return read_requests(options.requests)


def _loaded(model: str, options: LoadOptions) -> Source:
    """The source, with a spinner while it loads if there is someone to see it."""
    if not sys.stderr.isatty():
        return load_source(model, options)
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"loading {printable(model)}")):
        return load_source(model, options)


def _record_one(source: Source, request: object, output: Output) -> int:
    if output.out is None:
        make_folder(DEFAULT_FOLDER)
    target = Target(output.out or DEFAULT_FOLDER, output.overwrite, output.metadata)
    view = choose_view(quiet=output.quiet, as_json=output.as_json)
    with cancel_on_signals() as cancel:
        options = RunOptions(cancel=cancel, watched=not output.quiet)
        recorder = Recorder(source, request, target, options)
        _watch(recorder, view)
    click.echo(recorder.path)
    if recorder.error is not None:
        raise RunFailed(recorder.error, recorder.path) from recorder.error
    return INTERRUPTED if recorder.tail["status"] == "cancelled" else 0


def _watch(recorder: Recorder, view: View) -> None:
    try:
        with recorder:
            view.begin(recorder.header)
            for rows in recorder.batches():
                view.rows(rows)
        view.end(recorder.trace)
    finally:
        view.close()


def _record_many(source: Source, requests: Sequence[Json], folder: Path, output: Output) -> int:
    make_folder(folder)
    outcomes: list[Outcome] = []
    with cancel_on_signals() as cancel:
        target = Target(folder, metadata=output.metadata)
        runs = record_many(source, requests, target, RunOptions(cancel=cancel))
        hidden = not sys.stderr.isatty()
        with click.progressbar(runs, len(requests), "recording", file=sys.stderr, hidden=hidden) as progress:
            for outcome in progress:
                outcomes.append(outcome)
                _report(outcome, quiet=output.quiet)
    failed = [outcome for outcome in outcomes if outcome.result == "failed"]
    click.echo(_tally(outcomes), err=True)
    click.echo(folder)
    if len(outcomes) < len(requests) or (outcomes and outcomes[-1].result == "cancelled"):
        return INTERRUPTED
    return 2 if failed else 0


def _report(outcome: Outcome, *, quiet: bool) -> None:
    if outcome.result == "failed":
        click.echo(f"request {outcome.number}: {printable(outcome.reason)}", err=True)
    elif not quiet:
        click.echo(f"{outcome.path}  {outcome.result}")


def _tally(outcomes: list[Outcome]) -> str:
    counts = dict.fromkeys(("recorded", "skipped", "failed", "cancelled"), 0)
    for outcome in outcomes:
        counts[outcome.result] += 1
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
