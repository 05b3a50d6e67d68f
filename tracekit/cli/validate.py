"""`tracekit validate`: whether files are valid traces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tracekit.errors import TracekitError
from tracekit.format.codec import decode_document
from tracekit.storage.files import read_file
from tracekit.storage.store import find


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-q", "--quiet", is_flag=True, help="Print only what is wrong.")
def command(paths: Sequence[str], quiet: bool) -> int:
    """Say whether files are valid traces of any version. Folders are searched for *.json.

    Exit code 0 if all are; 1 if one is against its schema; 2 if one cannot be read.

    \b
    Examples:
      tracekit validate recordings/
      tracekit record --quiet | xargs tracekit validate
      tracekit validate - < recordings/pointer-short.json
    """
    worst = 0
    for given in paths:
        try:
            for path in [given] if given == "-" else find([given]):
                worst = max(worst, _validate(path, quiet=quiet))
        except TracekitError as error:
            click.echo(str(error), err=True)
            worst = max(worst, error.exit_code)
    return worst


def _validate(path: Path | str, *, quiet: bool) -> int:
    try:
        document = decode_document(read_file(path), path)
    except TracekitError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    if not quiet:
        kind = document.get("kind", "loop")
        rows = f"{len(document['trace'])} {kind} rows"
        click.echo(f"{path}: valid, version {document['schema_version']}, {rows}, {document['status']}")
    return 0
