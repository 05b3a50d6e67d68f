"""How one moves within the exported page: keys, clicks, touches, links."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import tracekit
from tests.conftest import RECORDINGS
from tests.player.pages import Open, fact, press, speed, wait_for_end
from tests.player.runs import sentence


def test_each_key_that_moves_moves(play: Open) -> None:
    page = play(sentence(11, seconds=1.0))  # at 0.2, 0.28, … 1.0 s
    steps = {
        "ArrowRight": 1,
        "ArrowRight ArrowRight ArrowLeft": 1,
        ". . .": 3,
        ". . ,": 1,
        "End": 11,
        "End ArrowLeft": 10,
        "End Home": 0,
        "Shift+ArrowRight Shift+ArrowRight Shift+ArrowRight Shift+ArrowRight Shift+ArrowRight": 4,
        "End Shift+ArrowLeft Shift+ArrowLeft Shift+ArrowLeft Shift+ArrowLeft Shift+ArrowLeft": 4,
        "9": 9,
        "9 0": 0,
        "]": 11,
        "End [": 0,
    }

    reached = {keys: press(page, "Home", *keys.split()) or fact(page, "Token") for keys in steps}

    assert reached == {keys: f"{step} / 11" for keys, step in steps.items()}


def test_the_keys_for_speed_go_from_speed_to_speed(play: Open) -> None:
    page = play("short")
    press(page, "s")  # from slow motion to 1×
    keys = {">": "2", "<": "1", "< <": "0.25", "> > > > > > > > >": "16", "< < < < < < < < < < < <": "slow"}

    reached = {some: press(page, *some.split()) or speed(page) for some in keys}

    assert reached == keys


@pytest.mark.parametrize("name", ["Watch in slow motion, 20 s", "or at 1× (s)"])
def test_the_keys_work_on_after_a_click_on_what_is_offered(play: Open, name: str) -> None:
    page = play("long")

    page.get_by_role("button", name=name).click()
    press(page, "Space")
    page.get_by_role("button", name="Play (space)").wait_for()
    press(page, "Home", "ArrowRight", "ArrowRight")

    assert fact(page, "Loop") == "2 / 256"
    assert page.evaluate("document.activeElement.title") == "Play (space)"


def test_space_plays_and_pauses(play: Open) -> None:
    page = play("short")

    press(page, "Space")
    playing = page.get_by_role("button", name="Pause (space)").is_visible()
    press(page, "Space")

    assert (playing, page.get_by_role("button", name="Play (space)").is_visible()) == (True, True)


def test_l_begins_again_when_the_run_is_over(play: Open) -> None:
    page = play(sentence(18))

    press(page, "s", "l", "Space")
    wait_for_end(page)
    page.wait_for_selector(".tk-outcome:empty", state="attached")

    assert page.get_by_role("button", name="Loop (l)").get_attribute("aria-pressed") == "true"
    assert page.get_by_role("button", name="Pause (space)").is_visible()


def test_the_help_opens_and_closes_by_key_and_lists_every_key(play: Open) -> None:
    page = play("short")

    press(page, "?")
    keys = page.locator(".tk-keys dt").all_inner_texts()
    press(page, "?")

    assert {"Space", "0 – 9", "[", "]", "<", ">", "s", "l", "f", "i", "?"} < set(keys)
    assert page.locator(".tk-help").is_hidden()


def test_the_help_names_the_model_by_its_hash(play: Open) -> None:
    page = play("short")
    digest = tracekit.load(RECORDINGS / "pointer-short.json")["model"]["sha256"]

    press(page, "?")

    assert digest in page.locator(".tk-provenance").inner_text()


def test_the_markers_lead_to_the_first_error(play: Open) -> None:
    page = play("errs")
    trace = tracekit.load(RECORDINGS / "pointer-errs.json")
    wrong = trace["trace"][trace["summary"]["first_error"] - 1]

    press(page, "]")

    assert fact(page, "Loop").startswith(f"{wrong['loop']} / ")
    assert fact(page, "Readout").startswith(wrong["prediction"])
    assert fact(page, "Expected") == wrong["expected"]
    assert page.get_by_title(f"First error: loop {wrong['loop']}").is_visible()


def test_the_slider_goes_to_a_moment(play: Open) -> None:
    page = play(sentence(11, seconds=1.0))

    page.get_by_label("Position in the run").fill("0.61")

    assert fact(page, "Token") == "6 / 11"
    assert page.locator(".tk-now").inner_text() == "0.61 s / 1.00 s"


@pytest.mark.parametrize("target", [".tk-strip", ".tk-figure-stop canvas"])
def test_a_click_among_the_steps_goes_there(play: Open, target: str) -> None:
    page = play("short")
    box = page.locator(target).bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)

    assert fact(page, "Loop") in ("6 / 12", "7 / 12")


def test_a_touch_among_the_steps_goes_there(play: Open) -> None:
    page = play("short", has_touch=True, viewport={"width": 360, "height": 780})
    strip = page.locator(".tk-strip")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box is not None

    page.touchscreen.tap(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)

    assert fact(page, "Loop") == "12 / 12"


@pytest.mark.parametrize(
    ("link", "step", "at_speed"),
    [("#step=5", "5 / 11", "slow"), ("#t=0.65&speed=2", "6 / 11", "2"), ("#step=999", "11 / 11", "slow")],
)
def test_a_link_opens_the_page_where_it_points(play: Open, link: str, step: str, at_speed: str) -> None:
    page = play(sentence(11, seconds=1.0), link=link)

    assert fact(page, "Token") == step
    assert speed(page) == at_speed


def test_a_broken_link_opens_the_page_at_its_start(play: Open) -> None:
    page = play("short", link="#step=NaN&t=%%%&speed=-1")

    assert fact(page, "Loop") == "0 / 12"


def test_a_broken_link_on_the_open_page_leaves_it_where_it_is(play: Open) -> None:
    page = play("short", link="#step=2")
    links = ["#step=&t=", "#%%%", "#t=Infinity", "#speed=1e99x", "#step"]

    reached = [page.evaluate("(to) => void (location.hash = to)", to) or fact(page, "Loop") for to in links]

    assert reached == ["2 / 12"] * 5


def test_another_link_on_the_open_page_goes_there(play: Open) -> None:
    page = play("short", link="#step=2")

    page.evaluate("location.hash = '#step=7&speed=4'")

    expect(page.locator(".tk-facts dd").first).to_have_text("7 / 12")
    assert speed(page) == "4"
