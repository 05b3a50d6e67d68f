"""The exported page on a small screen, in the dark, by keyboard, by ear, and with many rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.player.pages import Open, fact, hostile, press
from tests.player.runs import looped, sentence


@pytest.mark.parametrize("runs", [["errs"], ["long", "cancelled"], [sentence(80)], [looped()], [hostile()]])
def test_nothing_overflows_at_360_pixels(play: Open, runs: list[Any]) -> None:
    page = play(*runs, viewport={"width": 360, "height": 780})

    press(page, "End")

    assert page.evaluate("document.documentElement.scrollWidth") == 360
    wide = (
        "[...document.querySelectorAll('.tk *')].filter((e) => e.getBoundingClientRect().right > 361).length"
    )
    assert page.evaluate(wide) == 0


def test_dark_and_light_follow_the_system_and_the_button(play: Open) -> None:
    page = play("short", color_scheme="dark")
    background = "getComputedStyle(document.querySelector('.tk')).backgroundColor"

    dark = page.evaluate(background)
    page.get_by_role("button", name="Light or dark").click()

    assert (dark, page.evaluate(background)) == ("rgb(18, 19, 21)", "rgb(246, 246, 243)")


@pytest.mark.parametrize(("motion", "rests"), [("reduce", True), ("no-preference", False)])
def test_the_pointer_glides_unless_less_motion_is_wanted(play: Open, motion: str, rests: bool) -> None:
    page = play("short", reduced_motion=motion, frozen=True)
    picture = "document.querySelector('.tk-wheel').toDataURL()"
    page.get_by_label("Pace", exact=True).select_option("even, 1/s")

    press(page, "Space")
    page.clock.run_for(1_050)  # the first loop has just arrived
    first = page.evaluate(picture)
    page.clock.run_for(200)

    assert fact(page, "Loop") == "1 / 12"
    assert (page.evaluate(picture) == first) is rests


def test_every_control_has_a_name_and_the_keyboard_reaches_it(play: Open) -> None:
    page = play("short")
    names = []

    for _ in range(14):
        press(page, "Tab")
        names.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))

    assert {
        "Save this recording as JSON",
        "Position in the run",
        "Play (space)",
        "Speed",
        "Pace",
        "Help (?)",
    } < set(names)


def test_a_screen_reader_hears_each_step(play: Open) -> None:
    page = play(sentence(11, seconds=1.0))

    press(page, "ArrowRight", "ArrowRight")

    assert page.locator("[aria-live=polite]").inner_text() == "Token 2 of 11: ␣river, at 280 ms."
    assert page.get_by_label("Position in the run").get_attribute("aria-valuetext") == "step 2 of 11, 280 ms"


def test_a_long_run_has_no_element_a_row(play: Open) -> None:
    page = play(sentence(20_000, seconds=20.0))

    press(page, "End")

    assert page.locator(".tk-pages").inner_text().startswith("Tokens 19,801 to 20,000 of 20,000.")
    assert page.evaluate("document.querySelectorAll('*').length") < 1_000
