"""The player inside a component of Streamlit: `mount.js`, called as Streamlit calls it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import RECORDINGS
from tracekit.player.html import player_js
from tracekit.storage.store import load

GOOD = [load(RECORDINGS / "pointer-short.json")]
UNSHOWABLE = [None]


@pytest.fixture
def component(browser: Browser) -> Iterator[Page]:
    """A page whose script has `draw`, the component, in `around`."""
    page = browser.new_page()
    script = player_js() + files("tracekit.viewer").joinpath("mount.js").read_text()
    page.evaluate(
        """async (script) => {
             const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
             window.draw = (await import(url)).default;
             window.around = document.body;
             document.body.innerHTML = "<div data-player></div>";
           }""",
        script,
    )
    yield page
    page.close()


def draw(page: Page, run: str, traces: list[Any]) -> str:
    """Give the component new data; the titles and the text that it then shows."""
    page.evaluate(
        """(options) => {
             const data = new TextEncoder().encode(JSON.stringify(options));
             window.clear = draw({ data, parentElement: window.around });
           }""",
        {"run": run, "traces": traces},
    )
    return page.locator("[data-player]").inner_text()


def test_a_run_that_cannot_be_shown_is_told_and_the_next_is_shown(component: Page) -> None:
    told = draw(component, "first", UNSHOWABLE)
    draw(component, "second", GOOD)

    assert told.startswith("The player cannot show this run: ")
    assert component.locator(".tk").count() == 1
    assert component.locator("[data-player]").inner_text().startswith("tracekit-pointer")


def test_the_same_run_keeps_its_player_and_another_gets_its_own(component: Page) -> None:
    draw(component, "first", GOOD)
    component.locator(".tk").evaluate("node => { node.dataset.same = 'yes'; }")
    draw(component, "first", GOOD)
    kept = component.locator(".tk").get_attribute("data-same")
    draw(component, "second", GOOD)

    assert (kept, component.locator(".tk").get_attribute("data-same")) == ("yes", None)
    assert component.locator(".tk").count() == 1


def test_a_component_that_goes_leaves_nothing(component: Page) -> None:
    draw(component, "first", GOOD)

    component.evaluate("window.clear()")

    assert component.locator("[data-player] *").count() == 0
