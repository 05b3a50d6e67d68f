"""What the tests of an open page share."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

import tracekit
from tests.player.runs import Stamped, token

HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<!-- <img src=x onerror='window.pwned = 1'>",
    '" onmouseover="window.pwned = 1" x="',
    "\u2028\u2029 \\u003c \\\\u2028 &lt; $data ${data}",
    "\u202e txet desrever",
    "שלום עולם مرحبا",
    "x" * 20_000,
    "\x00\x1b[31m\x07",
]


Open = Callable[..., Page]


def hostile() -> tracekit.ScriptedSource:
    """A run whose every text would like to be something else."""
    rows = [{**token(text, others=(text,)), "note": text} for text in HOSTILE]
    return Stamped(
        "token", tracekit.Script(rows, [0.1 * at for at in range(len(rows))], HOSTILE[0]), HOSTILE[0]
    )


def fact(page: Page, name: str, lane: int = 0) -> str:
    """The value that stands under `name`."""
    return (
        page.locator(".tk-lane").nth(lane).locator(f".tk-facts div:has(dt:text-is('{name}')) dd").inner_text()
    )


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def speed(page: Page) -> str:
    return page.get_by_label("Speed").input_value()


def wait_for_end(page: Page) -> None:
    page.wait_for_selector(".tk-outcome:not(:empty)")
