"""A recording, or two side by side, as one HTML file that plays from disk with no network.

The player and its style lie in the page, named by their hash in its Content-Security-Policy, which
forbids everything else: no other script, no request, no form, no frame. The player travels
deflated, which keeps the page small without a minifier, and what runs is `player.js` as it stands.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import string
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from tracekit.errors import UsageError
from tracekit.format.codec import encode
from tracekit.format.types import Trace

__all__ = ["Entry", "escape_data", "export_html", "player_css", "player_js", "unescape_data"]

MOST_TRACES = 2

_POLICY = (
    "default-src 'none'; script-src 'sha256-{loader}' 'sha256-{player}'; style-src 'sha256-{style}'; "
    "base-uri 'none'; form-action 'none'"
)
_ESCAPES = {b"<": rb"\u003c", "\u2028".encode(): rb"\u2028", "\u2029".encode(): rb"\u2029"}
_PLAIN = {escape: plain for plain, escape in _ESCAPES.items()}
_DANGEROUS = re.compile(b"|".join(_ESCAPES))
_ESCAPE = re.compile(rb"\\(?:u003c|u2028|u2029|.)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A trace in the page, and the file name under which it is saved out of it."""

    trace: Trace
    name: str


def export_html(entries: Sequence[Entry]) -> bytes:
    """The page. Raises UsageError unless there are one or two traces of one kind.

    A trace's JSON lies in it escaped; the button that saves it gives its canonical bytes back.
    """
    if not 1 <= len(entries) <= MOST_TRACES:
        raise UsageError(f"a page holds one recording or two side by side, not {len(entries)}")
    if len(kinds := {entry.trace["kind"] for entry in entries}) > 1:
        raise UsageError(f"only recordings of one kind play side by side, not {' and '.join(sorted(kinds))}")
    player, loader, style = player_js() + "openPage(document);\n", _text("loader.js"), player_css()
    hashes = {"loader": _digest(loader), "player": _digest(player), "style": _digest(style)}
    values = {
        "policy": _POLICY.format(**hashes),
        "title": html.escape(" and ".join(entry.name for entry in entries)),
        "style": style,
        "loader": loader,
        "player": base64.b64encode(zlib.compress(player.encode(), 9)).decode(),
    }
    halves = _text("page.html").split("$data")
    before, after = (string.Template(half).substitute(values) for half in halves)
    # A file name may hold bytes that are no text; the page shows a mark in their place.
    return b"\n".join([before.encode(errors="replace"), *map(_data_block, entries), after.encode()])


def player_js() -> str:
    """The player's ES module, as `player/player.js` documents it."""
    return _text("player.js")


def player_css() -> str:
    """The player's stylesheet. All of it lies under the class `tk`."""
    return _text("player.css")


def escape_data(data: bytes) -> bytes:
    r"""Canonical JSON as it may stand in a script element: no `<`, and no separator that ends a line.

    These stand in strings only, and canonical JSON never spells them `\u003c`, `\u2028` or
    `\u2029` itself, so the escapes can be told apart from everything that was there before.
    """
    return _DANGEROUS.sub(lambda found: _ESCAPES[found.group()], data)


def unescape_data(data: bytes) -> bytes:
    """What `escape_data` was given, byte for byte."""
    return _ESCAPE.sub(lambda found: _PLAIN.get(found.group(), found.group()), data)


def _data_block(entry: Entry) -> bytes:
    name = html.escape(entry.name).encode(errors="replace")
    data = escape_data(encode(entry.trace, entry.name))
    return b'<script type="application/json" data-name="%s">%s</script>' % (name, data)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _text(name: str) -> str:
    return files("tracekit.player").joinpath(name).read_text(encoding="utf-8")
