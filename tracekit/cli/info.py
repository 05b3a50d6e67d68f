"""`tracekit info`: recordings' headers and summaries, without their rows."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tracekit.cli.text import head_lines, summary_line
from tracekit.format.codec import Outline, as_trace, encode_head
from tracekit.format.types import Json
from tracekit.format.versions import upgrade
from tracekit.storage.store import find, outline
from tracekit.terminal import printable


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a recording, a line each.")
def command(paths: Sequence[str], as_json: bool) -> None:
    """Print recordings' headers and summaries, without reading their rows.

    \b
    Examples:
      tracekit info recordings/pointer-short.json
      tracekit info --json recordings/ | head -n 1
    """
    files = [path for given in paths for path in ([given] if given == "-" else find([given]))]
    for path in files:
        found = outline(path)
        document = _current(found)
        if as_json:
            line = encode_head({"path": click.format_filename(path), **document, "rows": _count(found)})
            click.echo(line.decode(), nl=False)
        elif len(files) == 1:
            for label, text in [*head_lines(document), ("rows", str(_count(found)))]:
                click.echo(f"{label:<9} {text}")
            click.echo(f"{'ended':<9} {summary_line(document)}")
        else:
            click.echo(f"{path}  {printable(document['model']['name'])}  {summary_line(document)}")


def _current(found: Outline) -> Json:
    """The outline's document in the current version, still without rows."""
    upgraded: Json = {**upgrade({**found.document, "trace": []})}
    del upgraded["trace"]
    return dict(as_trace(upgraded))


def _count(found: Outline) -> int:
    row = found.last_row
    if row is None:
        return 0
    return int(row["loop"]) if "loop" in row else int(row["index"]) + 1
