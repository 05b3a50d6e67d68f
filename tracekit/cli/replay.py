"""`tracekit replay`: a recording with its timing, without the model."""

from __future__ import annotations

import itertools
import sys
import time
from typing import Any

import click

from tracekit.cli.text import summary_line
from tracekit.cli.views import choose_view
from tracekit.errors import RecordedFailure
from tracekit.format.types import Trace
from tracekit.storage.store import load
from tracekit.streaming.pacing import Pace
from tracekit.streaming.playhead import Playhead
from tracekit.streaming.replay import replay, timeline

_KEYS_HELP = "space pause · ← → step · < > speed · q quit"
_FRAME_SECONDS = 1 / 60
_SPEED_KEYS = {"<": 0.5, ">": 2.0, ",": 0.5, ".": 2.0}


@click.command()
@click.argument("path")
@click.option("--speed", type=float, default=1.0, show_default=True, help="Times as fast as recorded.")
@click.option("--max-pause", type=float, metavar="SECONDS", help="No gap longer than this.")
@click.option("--start", type=float, default=0.0, metavar="SECONDS", help="Begin at this moment.")
@click.option("--loop", is_flag=True, help="Begin again at the end.")
@click.option("--json", "as_json", is_flag=True, help="Rows as NDJSON on standard output, at their times.")
def command(path: str, loop: bool, as_json: bool, **pace: Any) -> None:
    """Play a recording again with its timing, without the model.

    On a terminal: space pauses, arrows step, < and > change the speed, q quits.

    \b
    Examples:
      tracekit replay recordings/pointer-short.json --speed 0.01
      tracekit replay recordings/pointer-long.json --json | head -n 3
    """
    trace = load(path)
    chosen = Pace(**pace)
    if not as_json and sys.stdout.isatty() and sys.stdin.isatty():
        _play(trace, chosen, loop=loop)
        return
    for _ in itertools.count() if loop else range(1):
        _print(trace, chosen, as_json=as_json)


def _print(trace: Trace, pace: Pace, *, as_json: bool) -> None:
    """Rows as they are due, into a pipe; a recorded failure is told at its time."""
    view = choose_view(quiet=False, as_json=as_json)
    view.begin({**trace})
    shown = 0
    try:
        for snapshot in replay(trace, pace.speed, pace.max_pause, pace.start):
            if snapshot["trace"][shown:]:
                view.rows(snapshot["trace"][shown:])
            shown = len(snapshot["trace"])
        view.end(trace)
    except RecordedFailure as failure:
        click.echo(str(failure), err=True)


def _play(trace: Trace, pace: Pace, *, loop: bool) -> None:
    """The live view under a keyboard, until the end or `q`."""
    from tracekit.cli.keyboard import read_key, single_keys
    from tracekit.cli.live import LiveView

    moments = Pace(max_pause=pace.max_pause).deadlines(timeline(trace))
    head = Playhead(moments, time.perf_counter, speed=pace.speed, loop=loop)
    head.seek(pace.start)
    view = LiveView(time.monotonic)
    view.begin({**trace})
    try:
        with single_keys():
            key = None
            while key != "q" and not (head.playing and head.at_end):
                view.show(trace["trace"][: head.passed()], _status(head))
                # Only a standing one waits for a key alone: a playing one may just have come to its end.
                key = read_key(max(head.next_due() or 0.0, _FRAME_SECONDS) if head.playing else None)
                _press(head, key)
        view.show(trace["trace"][: head.passed()], summary_line({**trace}))
    finally:
        view.close()


def _press(head: Playhead, key: str | None) -> None:
    if key == " ":
        head.toggle()
    elif key in ("left", "right"):
        head.step(1 if key == "right" else -1)
    elif key in _SPEED_KEYS:
        head.set_speed(min(16.0, max(0.001, head.speed * _SPEED_KEYS[key])))


def _status(head: Playhead) -> str:
    state = "playing" if head.playing else "paused"
    return f"{head.position:.3f} of {head.end:.3f} s · {state} · {head.speed:g}×   {_KEYS_HELP}"
