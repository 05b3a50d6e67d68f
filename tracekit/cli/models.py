"""`tracekit models`: which sources there are, what each needs, and whether it is there."""

from __future__ import annotations

from pathlib import Path

import click

from tracekit.errors import MissingExtra, UsageError
from tracekit.sources.registry import SOURCES, LoadOptions, SourceEntry


@click.command()
@click.option(
    "--save",
    nargs=2,
    metavar="MODEL FOLDER",
    help="Save hf:DIR_OR_ID or smollm2 as a folder of safetensors, which loads faster than GGUF.",
)
def command(save: tuple[str, str] | None) -> None:
    """List the sources that `--model` takes: what each needs, and whether it is there.

    \b
    Examples:
      tracekit models
      tracekit models --save smollm2 smollm2-safetensors
    """
    if save is not None:
        click.echo(_save(save[0], Path(save[1])))
        return
    width = max(len(_name(entry)) for entry in SOURCES.values())
    for entry in SOURCES.values():
        click.echo(f"{_name(entry):<{width}}  {entry.summary}")
        click.echo(f"{'':<{width}}  {_state(entry)}")
    click.echo(f"{'MODULE:FACTORY':<{width}}  your own source; see docs/sources.md")


def _name(entry: SourceEntry) -> str:
    return f"{entry.name}:{entry.argument}" if entry.argument else entry.name


def _state(entry: SourceEntry) -> str:
    commands = [f"pip install 'tracekit[{entry.extra}]'"] if (missing := entry.missing()) else []
    if bring_weights := entry.missing_weights():
        missing, commands = [*missing, entry.weights], [*commands, bring_weights]
    if not missing:
        return "ready"
    return f"needs {', '.join(missing)}; run: {' && '.join(commands)}"


def _save(name: str, folder: Path) -> Path:
    entry = SOURCES["smollm2" if name == "smollm2" else "hf"]
    if not (name == "smollm2" or name.startswith("hf:")):
        raise UsageError(f"--save {name}: expected hf:DIR_OR_ID or smollm2")
    if missing := entry.missing():
        raise MissingExtra(missing[0], entry.extra)
    from tracekit.sources.huggingface.factories import load_named
    from tracekit.sources.huggingface.loading import save_folder

    save_folder(load_named(name, LoadOptions()), folder)
    return folder
