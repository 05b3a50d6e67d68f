"""`tracekit review`: decide on what a check left."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from tracekit.cli.golden_options import overrides_from, tolerance_options
from tracekit.errors import TracekitError, UsageError
from tracekit.format.identity import timestamp
from tracekit.regression.config import find_config
from tracekit.regression.overrides import Overrides
from tracekit.regression.review import (
    Pending,
    accept_pending,
    find_pending,
    load_pending,
    reject_pending,
    write_player,
)
from tracekit.regression.words import report

_CHOICES = {"a": "accept", "r": "reject", "s": "skip", "o": "open"}
_FAILED = "not reviewed"
_DONE = ("accepted", "rejected", "skipped", _FAILED)
_OTHER_RULES = (
    "(the check failed by other rules than these: its own tolerance or --timing, or teacher-forced)"
)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--accept-all", is_flag=True, help="Accept every fresh trace, unasked.")
@click.option("--reason", default="", metavar="TEXT", help="Why what a check found is accepted.")
@tolerance_options
def command(
    paths: Sequence[Path], accept_all: bool, reason: str, tolerance: Sequence[str], tolerances: Path | None
) -> int:
    """Walk through the fresh traces that a check left: see what differs, then accept, reject or skip.

    Without PATH: the recordings of [tool.tracekit] in pyproject.toml, or recordings/.
    Accepting one wants a reason, which the golden's metadata keeps. Exit code 2 if one cannot be reviewed.

    \b
    Examples:
      tracekit review
      tracekit review recordings/pointer-cycle.json
      tracekit review --accept-all --reason 'retrained with twice the steps'
    """
    config = find_config(Path.cwd())
    overrides = overrides_from(config, tolerance, tolerances)
    waiting = find_pending(paths or [config.recordings])
    if accept_all and waiting and not reason.strip():
        raise UsageError(
            f"checks of {len(waiting)} goldens failed: add --reason TEXT to accept what they found"
        )
    done = [
        _reviewed(path, overrides, accept_all, reason, f"{at} of {len(waiting)}")
        for at, path in enumerate(waiting, 1)
    ]
    counts = ", ".join(f"{done.count(word)} {word}" for word in _DONE if word != _FAILED or word in done)
    click.echo(counts if done else "nothing to review")
    return 2 if _FAILED in done else 0


def _reviewed(path: Path, overrides: Overrides, accept_all: bool, reason: str, place: str) -> str:
    """What was done with one; what is wrong with it is told, and does not stop the others."""
    try:
        pending = load_pending(path, overrides)
        if not accept_all:
            return _decide(pending, reason, place)
        accept_pending(pending, reason, timestamp(time.time()))
        click.echo(f"accepted {path}")
    except TracekitError as error:
        click.echo(f"ERR   {error}")
        return _FAILED
    return "accepted"


def _decide(pending: Pending, reason: str, place: str) -> str:
    """Show one, and ask until it is decided; what was done with it."""
    click.echo(f"{pending.path} ({place})\n{report(pending.comparison)}")
    if pending.comparison.passed:
        click.echo(_OTHER_RULES)
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
    if not reason.strip():
        reason = click.prompt("why is it right that it differs")
    accept_pending(pending, reason, timestamp(time.time()))


def _open(pending: Pending) -> None:
    folder = Path(tempfile.mkdtemp(prefix="tracekit-review-"))
    page = write_player(pending, folder / f"{pending.path.stem}.html")
    click.echo(f"opening {page}")
    click.launch(str(page))
