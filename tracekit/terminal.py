"""Text that a terminal only shows.

What a recording or a model says may hold what a terminal obeys (escape sequences, line breaks,
marks that turn the text around them). Here it is written out instead.
"""

from __future__ import annotations

__all__ = ["printable", "printable_lines"]

# Python calls these unprintable; but texts of many scripts have them, and emoji are joined by one.
_HARMLESS = frozenset("\u00a0\u2007\u202f\u3000\u200c\u200d")


def printable(text: str, width: int | None = None) -> str:
    """Text on one line, what a terminal could act on escaped, cut to `width` with an ellipsis."""
    shown = text if text.isprintable() else "".join(map(_shown, text))
    return shown if width is None or len(shown) <= width else shown[: width - 1] + "…"


def printable_lines(text: str) -> str:
    """The same, but for the line breaks, which stay."""
    return "\n".join(map(printable, text.replace("\r\n", "\n").split("\n")))


def _shown(char: str) -> str:
    return char if char.isprintable() or char in _HARMLESS else char.encode("unicode_escape").decode()
