"""The exported page on a small screen, in the dark, by keyboard, by ear, and with many rows."""

from __future__ import annotations

from typing import Any

import pytest

import tracekit
from tests.player.pages import Open, fact, hostile, press
from tests.player.runs import Stamped, looped, sentence, token


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


@pytest.mark.parametrize(
    ("arrived", "said"),
    [
        (0.00099949, "999 µs"),
        (0.0009996, "1.00 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.000 s"),
        (9.9996, "10.00 s"),
    ],
)
def test_a_time_is_rounded_into_the_next_unit(play: Open, arrived: float, said: str) -> None:
    page = play(Stamped("token", tracekit.Script([token("x")], [arrived], "eos")))

    press(page, "End")

    assert fact(page, "Arrived") == said


@pytest.mark.parametrize(
    ("moment", "said"), [(59.94, "0:59.9"), (59.97, "1:00.0"), (119.97, "2:00.0"), (125, "2:05.0")]
)
def test_the_clock_counts_no_sixty_seconds(play: Open, moment: float, said: str) -> None:
    page = play(Stamped("token", tracekit.Script([token("x")] * 2, [1, 200], "eos")), link=f"#t={moment}")

    assert page.locator(".tk-now").inner_text() == f"{said} / 3:20.0"
