"""`tracekit show`: a recording's run as a table."""

from __future__ import annotations

import sys

import click

from tracekit.cli.text import head_lines, is_wrong, row_line, summary_line
from tracekit.format.codec import encode
from tracekit.storage.store import load


@click.command()
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help="Print the trace as canonical JSON of this version.")
def command(path: str, as_json: bool) -> None:
    """Print a recording's run as a table; wrong steps stand in red.

    \b
    Examples:
      tracekit show recordings/pointer-short.json
      tracekit show --json recordings/pointer-short.json | head
      cat recordings/pointer-short.json | tracekit show -
    """
    trace = load(path)
    if as_json:
        sys.stdout.buffer.write(encode(trace, path))
        return
    for label, text in head_lines({**trace}):
        click.echo(f"{click.style(f'{label:<9}', dim=True)} {text}")
    for row in trace["trace"]:
        click.echo(click.style(row_line(row), fg="red" if is_wrong(row) else None))
    click.echo(summary_line({**trace}))
