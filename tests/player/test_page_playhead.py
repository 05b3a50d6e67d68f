"""The playhead of the exported page names a row, not only a time: several rows may come at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tests.player.pages import Open, fact, press
from tests.player.runs import Stamped, record, sentence, token


def at_once(seconds: float, count: int = 8) -> tracekit.ScriptedSource:
    """So many tokens, all of which arrive at one time."""
    return Stamped("token", tracekit.Script([token("x")] * count, [seconds] * count, "eos"))


@pytest.fixture
def unequal(tmp_path: Path) -> tuple[Path, Path]:
    """The first five loops of a run, cancelled, beside all twelve."""
    whole = tracekit.load(RECORDINGS / "pointer-short.json")
    part: Any = {**whole, "trace": whole["trace"][:5], "status": "cancelled"}
    del part["summary"]
    return tracekit.save(part, tmp_path / "part.json"), RECORDINGS / "pointer-short.json"


def slider_says(page: Any) -> str:
    return str(page.get_by_label("Position in the run").get_attribute("aria-valuetext"))


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_rows_that_came_at_one_time_are_stepped_through_one_by_one(play: Open, seconds: float) -> None:
    page = play(at_once(seconds))
    steps = {
        "Home": 0,
        "ArrowRight": 1,
        "ArrowRight ArrowRight ArrowRight": 3,
        "End": 8,
        "End ArrowLeft": 7,
        "End ArrowLeft ArrowLeft ArrowRight": 7,
    }

    reached = {keys: press(page, "Home", *keys.split()) or fact(page, "Token") for keys in steps}

    assert reached == {keys: f"{step} / 8" for keys, step in steps.items()}


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_a_link_and_a_click_lead_to_one_row_among_many_of_one_time(play: Open, seconds: float) -> None:
    page = play(at_once(seconds), link="#step=3")
    linked = fact(page, "Token")
    box = page.locator(".tk-strip").bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + box["width"] * 5.5 / 8, box["y"] + box["height"] / 2)

    assert (linked, fact(page, "Token")) == ("3 / 8", "6 / 8")


def test_a_run_that_took_no_time_opens_at_its_start_and_can_be_dragged_and_played(play: Open) -> None:
    page = play(at_once(0.0))
    opened = fact(page, "Token")

    page.get_by_label("Position in the run").fill("0.45")
    dragged = fact(page, "Token")
    press(page, "Space")
    page.wait_for_selector(".tk-outcome:not(:empty)")

    assert (opened, dragged, fact(page, "Token")) == ("0 / 8", "4 / 8", "8 / 8")


def test_a_step_back_within_a_pause_leads_to_the_row_before(play: Open) -> None:
    page = play(sentence(11, seconds=1.0), link="#t=0.65")

    press(page, "ArrowLeft")

    assert fact(page, "Token") == "5 / 11"


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("sync", ["by step", "by time"])
def test_the_first_difference_is_reached_whichever_run_is_the_shorter(
    play: Open, unequal: tuple[Path, Path], is_first: bool, sync: str
) -> None:
    page = play(*(unequal if is_first else reversed(unequal)))
    page.get_by_label("In step").select_option(sync)
    lane = int(is_first)

    page.get_by_role("button", name="step 6", exact=True).click()
    clicked = fact(page, "Loop", lane)
    press(page, "Home", "]")

    assert (clicked, fact(page, "Loop", lane)) == ("6 / 12", "6 / 12")


def test_by_time_the_step_of_each_run_is_told(play: Open, tmp_path: Path) -> None:
    slow = record(sentence(11, seconds=2.0), tmp_path / "slow.json")
    page = play(sentence(11, seconds=1.0), slow)
    page.get_by_label("In step").select_option("by time")

    page.evaluate("location.hash = '#t=0.61'")
    page.wait_for_function("document.querySelector('.tk-facts dd').textContent === '6 / 11'")

    assert slider_says(page) == "step 6 of 11 and step 2 of 11, 610 ms"
    assert fact(page, "Token", 1) == "2 / 11"


def test_by_time_a_link_to_a_step_leads_to_where_it_is_first_reached(play: Open, tmp_path: Path) -> None:
    slow = record(sentence(18, seconds=3.0), tmp_path / "slow.json")
    page = play(sentence(11, seconds=1.0), slow)
    page.get_by_label("In step").select_option("by time")
    reached = []

    for step in (6, 15, 99):
        page.evaluate("(step) => (location.hash = `#step=${step}`)", step)
        page.wait_for_timeout(50)
        reached.append((fact(page, "Token", 0), fact(page, "Token", 1)))

    assert [reached[0][0], reached[1][1], reached[2]] == ["6 / 11", "15 / 18", ("11 / 11", "18 / 18")]
