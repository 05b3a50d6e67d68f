"""`tracekit review`: decide on what a check left."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from tracekit.cli.golden_options import overrides_from, tolerance_options
from tracekit.errors import UsageError
from tracekit.format.identity import timestamp
from tracekit.regression.config import find_config
from tracekit.regression.review import (
    Pending,
    accept_pending,
    find_pending,
    load_pending,
    reject_pending,
    write_player,
)
from tracekit.regression.verdict import Verdict
from tracekit.regression.words import report

_CHOICES = {"a": "accept", "r": "reject", "s": "skip", "o": "open"}


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--accept-all", is_flag=True, help="Accept every fresh trace, unasked.")
@click.option("--reason", default="", metavar="TEXT", help="Why what is different is accepted.")
@tolerance_options
def command(
    paths: Sequence[Path], accept_all: bool, reason: str, tolerance: Sequence[str], tolerances: Path | None
) -> int:
    """Walk through the fresh traces that a check left: see what differs, then accept, reject or skip.

    Without PATH: the recordings of [tool.tracekit] in pyproject.toml, or recordings/.
    Accepting what is different wants a reason, which the golden's metadata keeps.

    \b
    Examples:
      tracekit review
      tracekit review recordings/pointer-cycle.json
      tracekit review --accept-all --reason 'retrained with twice the steps'
    """
    config = find_config(Path.cwd())
    overrides = overrides_from(config, tolerance, tolerances)
    waiting = find_pending(paths or [config.recordings])
    pending = [load_pending(path, overrides) for path in waiting]
    if accept_all:
        return _accept_all(pending, reason)
    done = [_decide(each, reason, f"{at} of {len(pending)}") for at, each in enumerate(pending, 1)]
    counts = ", ".join(f"{done.count(word)} {word}" for word in ("accepted", "rejected", "skipped"))
    click.echo(counts if pending else "nothing to review")
    return 0


def _accept_all(pending: Sequence[Pending], reason: str) -> int:
    different = [each for each in pending if each.comparison.verdict is Verdict.DIFFERENT]
    if different and not reason.strip():
        raise UsageError(
            f"{len(different)} of {len(pending)} are different: add --reason TEXT to accept them"
        )
    for each in pending:
        accept_pending(each, reason, timestamp(time.time()))
        click.echo(f"accepted {each.path}")
    if not pending:
        click.echo("nothing to review")
    return 0


def _decide(pending: Pending, reason: str, place: str) -> str:
    """Show one, and ask until it is decided; what was done with it."""
    click.echo(f"{pending.path} ({place})\n{report(pending.comparison)}")
    while True:
        asked = click.prompt(
            "accept, reject, skip or open", type=click.Choice([*_CHOICES, *_CHOICES.values()]), default="skip"
        )
        choice = _CHOICES.get(asked, asked)
        if choice == "accept":
            _accept(pending, reason)
            return "accepted"
        if choice == "reject":
            reject_pending(pending.path)
            return "rejected"
        if choice == "skip":
            return "skipped"
        _open(pending)


def _accept(pending: Pending, reason: str) -> None:
    if pending.comparison.verdict is Verdict.DIFFERENT and not reason.strip():
        reason = click.prompt("why is it right that it differs")
    accept_pending(pending, reason, timestamp(time.time()))


def _open(pending: Pending) -> None:
    folder = Path(tempfile.mkdtemp(prefix="tracekit-review-"))
    page = write_player(pending, folder / f"{pending.path.stem}.html")
    click.echo(f"opening {page}")
    click.launch(str(page))
