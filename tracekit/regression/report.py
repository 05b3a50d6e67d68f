"""A check as one HTML page that opens from disk: every failure with its golden beside it, in the player.

The page frames one player a failure, each a whole document with its own policy, and
loads nothing from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from tracekit.player.html import Entry, export_html
from tracekit.regression.check import Outcome
from tracekit.regression.words import headline, report
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import make_folder

__all__ = ["NAME", "page", "write_report"]

NAME = "index.html"

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; overflow-wrap: anywhere; }
pre, iframe { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
pre { overflow-x: auto; padding: .75rem; }
iframe { width: 100%; height: 60rem; }
"""
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    "<title>tracekit check</title>\n<style>{style}</style>\n</head>\n<body>\n"
)


def write_report(folder: Path, outcomes: Sequence[Outcome], obsolete: Sequence[str] = ()) -> Path:
    """Write the page into `folder`, made if it is not there, in place of an older one; its path."""
    make_folder(folder)
    # A golden's name may hold bytes that are no text; the page shows a mark in their place.
    pieces = (piece.encode(errors="replace") for piece in page(outcomes, obsolete))
    write_atomically(folder / NAME, pieces, overwrite=True)
    return folder / NAME


def page(outcomes: Sequence[Outcome], obsolete: Sequence[str] = ()) -> Iterator[str]:
    """The page, in pieces: the numbers, then each failure."""
    failed = [each for each in outcomes if not each.passed]
    yield _HEAD.format(style=_STYLE)
    yield f"<h1>{len(outcomes)} goldens, {len(failed)} failed</h1>\n"
    if not failed and not obsolete:
        yield "<p>Every golden passed.</p>\n"
    for outcome in failed:
        yield from _failure(outcome)
    for path in obsolete:
        yield f"<h2>{escape(path)}</h2>\n<p>Obsolete: nothing uses this golden.</p>\n"
    yield "</body>\n</html>\n"


def _failure(outcome: Outcome) -> Iterator[str]:
    yield f"<section>\n<h2>{escape(str(outcome.path))}</h2>\n"
    if outcome.comparison is None:
        yield f"<p>Not checked: {escape(outcome.error)}</p>\n</section>\n"
        return
    yield f"<p>{escape(headline(outcome.comparison))}</p>\n"
    details = escape(report(outcome.comparison))
    yield f"<details><summary>the differences</summary><pre>{details}</pre></details>\n"
    if outcome.golden is not None and outcome.fresh is not None:
        name = outcome.path.stem
        entries = [Entry(outcome.golden, f"{name} golden"), Entry(outcome.fresh, f"{name} fresh")]
        player = export_html(entries if outcome.fresh["kind"] == entries[0].trace["kind"] else entries[1:])
        title = escape(f"{name}: golden and fresh")
        yield "<p>Left the golden, right the fresh run; they play together.</p>\n"
        yield f'<iframe loading="lazy" title="{title}" srcdoc="'
        yield escape(player.decode())
        yield '"></iframe>\n'
    yield "</section>\n"
