"""`tracekit upgrade`: recordings to the current schema version, in place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tracekit.errors import OutputExists, TracekitError, UsageError
from tracekit.format.codec import decode, encode
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import read_file
from tracekit.storage.store import find


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--backup", is_flag=True, help="Keep the old file as NAME.bak.")
def command(paths: Sequence[str], backup: bool) -> int:
    """Bring recordings to the current schema version and to canonical bytes, in place.

    Each file is replaced in one step, or left as it was; what is current is not touched.

    \b
    Examples:
      tracekit upgrade recordings/
      tracekit convert recordings/pointer-short.json --schema-version 1 --out old.json
      tracekit upgrade --backup old.json
    """
    if "-" in paths:
        raise UsageError("an upgrade is in place, and - is standard input; run: tracekit convert -")
    worst = 0
    for path in find(paths):
        try:
            click.echo(f"{path}: {_upgrade(path, backup=backup)}")
        except TracekitError as error:
            click.echo(str(error), err=True)
            worst = max(worst, error.exit_code)
    return worst


def _upgrade(path: Path, *, backup: bool) -> str:
    old = read_file(path)
    new = encode(decode(old, path), path)
    if new == old:
        return "is current"
    if backup:
        _back_up(path.with_name(path.name + ".bak"), old)
    write_atomically(path, [new], overwrite=True)
    return "upgraded"


def _back_up(path: Path, old: bytes) -> None:
    try:
        write_atomically(path, [old])
    except OutputExists as error:
        raise OutputExists(path, "move that backup away first, or leave out --backup") from error
