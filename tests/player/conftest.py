"""Pages of the player's own making in the one browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import record
from tracekit.player.html import Entry, export_html, player_css, player_js

WIDE = {"width": 1280, "height": 860}

Open = Callable[..., Page]
Make = Callable[..., Path]


@pytest.fixture
def pages(browser: Browser) -> Iterator[Callable[..., Page]]:
    """New pages with the network off. A request, or an error but for a `refused` one, fails the test."""
    contexts: list[Any] = []
    seen: list[str] = []
    allowed = ["file://", "blob:"]

    def new(refused: str = "", **context: Any) -> Page:
        allowed.extend([refused] * bool(refused))
        contexts.append(browser.new_context(offline=True, **{"viewport": WIDE, **context}))
        page = contexts[-1].new_page()
        page.on("request", lambda request: seen.append(request.url))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("console", lambda message: seen.append(message.text))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        return page

    yield new
    for context in contexts:
        context.close()
    assert [what for what in seen if not any(one in what for one in allowed)] == []


@pytest.fixture
def export(tmp_path: Path) -> Make:
    """Recordings, or sources to record first, as an HTML file."""

    def make(*runs: Path | tracekit.ScriptedSource | str, request: Any = None) -> Path:
        paths = [
            RECORDINGS / f"pointer-{run}.json"
            if isinstance(run, str)
            else record(run, tmp_path / f"run-{place}.json", request)
            if isinstance(run, tracekit.ScriptedSource)
            else run
            for place, run in enumerate(runs)
        ]
        out = tmp_path / "page.html"
        out.write_bytes(export_html([Entry(tracekit.load(path), path.name) for path in paths]))
        return out

    return make


@pytest.fixture
def play(pages: Callable[..., Page], export: Make) -> Open:
    """The page of an export of these runs, opened from disk; `link` is what stands after its name.

    On a `frozen` page time passes only as the test lets it.
    """

    def open_page(
        *runs: Any, link: str = "", request: Any = None, frozen: bool = False, **context: Any
    ) -> Page:
        page = pages(**context)
        if frozen:
            page.clock.install(time=0)
        page.goto(f"{export(*runs, request=request).as_uri()}{link}")
        page.wait_for_selector(".tk-now")
        if frozen:
            page.clock.pause_at(60)  # until here it runs with the machine's own, or no page would load
        return page

    return open_page


@pytest.fixture
def mounted(pages: Callable[..., Page]) -> Open:
    """A page whose script has `mount`, as a program that embeds the player has it, and `host` to mount in."""

    def open_page(*, in_shadow: bool = False) -> Page:
        page = pages()
        page.add_script_tag(content=player_js() + "\nwindow.mount = mount;", type="module")
        page.wait_for_function("window.mount !== undefined")
        page.evaluate(
            """([inShadow, css]) => {
                 const outer = document.body.appendChild(document.createElement("div"));
                 const root = inShadow ? outer.attachShadow({ mode: "open" }) : outer;
                 root.appendChild(document.createElement("style")).textContent = css;
                 window.host = root.appendChild(document.createElement("div"));
               }""",
            [in_shadow, player_css()],
        )
        return page

    return open_page
