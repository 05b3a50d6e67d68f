"""`tracekit export`: a recording in other tools' formats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tracekit.cli.asciicast import export_asciicast
from tracekit.errors import UsageError
from tracekit.format.types import Trace
from tracekit.player.html import Entry, export_html
from tracekit.player.perfetto import export_chrome_trace
from tracekit.player.picture import export_picture
from tracekit.player.tables import export_csv, export_jsonl
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import place, refuse_input, refuse_unwritable
from tracekit.storage.store import load

Loaded = Sequence[tuple[str, Trace]]


@dataclass(frozen=True)
class Form:
    """One format: what makes it, how many recordings it holds, and whether it is text."""

    make: Callable[[Loaded], bytes]
    help: str
    most: int = 1
    is_text: bool = True


def _of_one(make: Callable[[Trace], bytes]) -> Callable[[Loaded], bytes]:
    return lambda loaded: make(loaded[0][1])


FORMS = {
    "html": Form(
        lambda loaded: export_html([Entry(trace, _saved_as(path)) for path, trace in loaded]),
        "The player and the recording in one page that needs no network; two play side by side.",
        most=2,
    ),
    "csv": Form(_of_one(export_csv), "The rows as a table."),
    "jsonl": Form(_of_one(export_jsonl), "The rows as JSON Lines."),
    "png": Form(_of_one(lambda trace: export_picture(trace, "png")), "A picture of the run.", is_text=False),
    "svg": Form(_of_one(lambda trace: export_picture(trace, "svg")), "The picture as vectors."),
    "chrome-trace": Form(
        lambda loaded: export_chrome_trace([trace for _, trace in loaded]),
        "A timeline for ui.perfetto.dev, a track a recording.",
        most=2,
    ),
    "asciicast": Form(_of_one(export_asciicast), "A terminal session for asciinema play, version 3."),
}


def _form_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, form in reversed(FORMS.items()):
        function = click.option(f"--{name}", metavar="OUT", help=form.help)(function)
    return function


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH [PATH]")
@_form_options
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def command(paths: tuple[str, ...], overwrite: bool, **outs: str | None) -> None:
    """Write a recording as a page, a table, a picture or a timeline. `-` for OUT is standard output.

    \b
    Examples:
      tracekit export recordings/pointer-short.json --html run.html
      tracekit export recordings/pointer-long.json recordings/pointer-errs.json --html pair.html
      tracekit export recordings/pointer-short.json --csv - | head
      tracekit export recordings/pointer-short.json --svg run.svg --chrome-trace run.trace.json
    """
    wanted = {name: out for name in FORMS if (out := outs[name.replace("-", "_")]) is not None}
    _refuse(wanted, paths, overwrite=overwrite)
    loaded = [(path, load(path)) for path in paths]
    for name, out in wanted.items():
        data = FORMS[name].make(loaded)
        if out == "-":
            sys.stdout.buffer.write(data)
        else:
            write_atomically(Path(out), [data], overwrite=overwrite)
            click.echo(f"{out}: {len(data):,} bytes", err=True)


def _refuse(wanted: dict[str, str], paths: Sequence[str], *, overwrite: bool) -> None:
    """Raise what would stop the export halfway, before anything is written."""
    if not wanted:
        raise UsageError(f"say what to write: {', '.join(f'--{name} OUT' for name in FORMS)}")
    if len(set(map(place, wanted.values()))) < len(wanted):
        raise UsageError("each format needs an OUT of its own")
    for name, out in wanted.items():
        if len(paths) > FORMS[name].most:
            most = "one recording" if FORMS[name].most == 1 else "one recording or two"
            raise UsageError(f"--{name} takes {most}, not {len(paths)}")
        if out == "-" and not FORMS[name].is_text:
            raise UsageError(f"--{name} is not text; name a file for it")
        if out != "-":
            refuse_input(Path(out), paths, "recording")
            refuse_unwritable(Path(out), overwrite=overwrite)


def _saved_as(path: str) -> str:
    return "recording.json" if path == "-" else Path(path).name
