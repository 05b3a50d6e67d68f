"""`tracekit recover`: a recording of an interrupted run's journal."""

from __future__ import annotations

from pathlib import Path

import click

from tracekit.storage.recovery import recover


@click.command()
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The recording's path, if another.")
@click.option("--overwrite", is_flag=True, help="Replace a recording that is there.")
def command(journal: Path, out: Path | None, overwrite: bool) -> int:
    """Make the recording that an interrupted run was to leave, with every whole row.

    The journal is removed once the recording is safe on disk. If it is damaged before its last
    line, it stays, the recording holds the rows before that, and the exit code is 1.

    \b
    Examples:
      tracekit recover recordings/run.json.journal
      tracekit recover run.json.journal --out rescued.json
    """
    found = recover(journal, out, overwrite=overwrite)
    if found.damaged_line is not None:
        click.echo(
            f"{journal}: line {found.damaged_line} is damaged, so the {found.left_out} bytes from there on "
            "are left out; the journal stays until you remove it",
            err=True,
        )
    elif found.left_out:
        click.echo(f"{journal}: the last {found.left_out} bytes were torn and are left out", err=True)
    click.echo(f"{found.rows} rows recovered", err=True)
    click.echo(found.path)
    return 0 if found.damaged_line is None else 1
