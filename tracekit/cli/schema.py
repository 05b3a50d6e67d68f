"""`tracekit schema`: a JSON Schema of the format."""

from __future__ import annotations

import click

from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.schemas import schema_text


@click.command()
@click.argument("version", type=int, default=CURRENT_VERSION)
def command(version: int) -> None:
    """Print the JSON Schema of a version; of the current one by default.

    \b
    Examples:
      tracekit schema
      tracekit schema 1 > trace.v1.schema.json
    """
    click.echo(schema_text(version), nl=False)
