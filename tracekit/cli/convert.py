"""`tracekit convert`: a recording in another schema version."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tracekit.format.codec import encode
from tracekit.format.layout import CURRENT_VERSION
from tracekit.format.versions import downgrade
from tracekit.storage.atomic import write_atomically
from tracekit.storage.store import load


@click.command()
@click.argument("path")
@click.option("--schema-version", type=click.IntRange(1, CURRENT_VERSION), default=CURRENT_VERSION)
@click.option("--out", help="Where to; standard output by default.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
def command(path: str, schema_version: int, out: str | None, overwrite: bool) -> None:
    """Write a recording in another schema version, where that can hold it.

    \b
    Examples:
      tracekit convert recordings/pointer-short.json --schema-version 1 | head
      tracekit convert recordings/pointer-short.json --schema-version 1 --out old.json
    """
    trace = load(path)
    data = encode(downgrade(trace, path) if schema_version == 1 else trace, path)
    if out is None or out == "-":
        sys.stdout.buffer.write(data)
    else:
        write_atomically(Path(out), [data], overwrite=overwrite)
