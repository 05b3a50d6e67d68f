"""The exported page in a real browser, with the network off."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import Stamped, failing, looped, sentence, token

Open = Callable[..., Page]

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


def test_a_page_opens_at_the_start_of_the_run(play: Open) -> None:
    page = play("short")

    assert fact(page, "Loop") == "0 / 12"
    assert page.locator(".tk-title").inner_text() == "tracekit-pointer"
    assert page.locator(".tk-about").inner_text() == "12 steps from C"
    assert page.locator(".tk-outcome").inner_text() == ""


def test_a_chat_is_named_by_what_was_said_last(play: Open) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who are\nyou?"}]

    page = play(sentence(3), request={"messages": messages})

    assert page.locator(".tk-about").inner_text() == "“Who are you?”"


def test_a_page_opens_with_no_request_but_its_own(pages: Open, export: Callable[..., Path]) -> None:
    page, asked = pages(), []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(export("short").as_uri())
    page.wait_for_selector(".tk-now")

    assert asked == [page.url]


def test_a_short_run_is_offered_in_slow_motion_with_its_speed_in_words(play: Open) -> None:
    page = play("short")

    page.get_by_role("button", name="Watch in slow motion, 20 s").click()

    lasted = tracekit.load(RECORDINGS / "pointer-short.json")["inference_seconds"]
    said = f"Slow motion, {20 / lasted:,.0f} times slower than it ran"
    assert speed(page) == "slow"
    assert said in page.locator(".tk-remark").inner_text()
    assert page.get_by_role("button", name="Pause (space)").is_visible()


def test_one_key_leads_from_slow_motion_to_the_recorded_speed_and_back(play: Open) -> None:
    page = play("short")

    press(page, "s")
    recorded = speed(page)
    press(page, "s")

    assert (recorded, speed(page)) == ("1", "slow")


def test_an_even_pace_is_as_many_rows_a_second_as_it_says(play: Open) -> None:
    page = play("short")

    page.get_by_label("Pace", exact=True).select_option("even, 10/s")

    assert speed(page) == "1"
    assert page.locator(".tk-remark").inner_text() == ""


def test_a_run_long_enough_to_see_starts_at_the_recorded_speed(play: Open) -> None:
    page = play(sentence(seconds=3.0))

    assert speed(page) == "1"
    assert page.locator(".tk-remark").inner_text() == ""


def test_playing_at_the_recorded_speed_ends_with_the_outcome_and_measures_itself(play: Open) -> None:
    page = play(sentence(18))

    press(page, "s", "Space")
    wait_for_end(page)
    press(page, "?")

    assert fact(page, "Token") == "18 / 18"
    assert "Stopped by eos after 18 tokens" in page.locator(".tk-outcome").inner_text()
    assert re.search(
        r"^19 moments shown: half within \d+\.\d ms of their recorded time, 99 % within \d+\.\d ms\. ",
        page.locator(".tk-timing").inner_text(),
    )


def test_every_row_belongs_to_the_frame_nearest_to_its_time(play: Open) -> None:
    page = play(sentence(18), frozen=True)  # frames come every 16 ms, and drawing takes none

    press(page, "s", "Space")
    page.clock.run_for(1_000)
    press(page, "?")

    said = re.search(r"^(\d+) moments .* 99 % within (\d+\.\d) ms", page.locator(".tk-timing").inner_text())
    assert said is not None
    assert (said[1], float(said[2]) <= 8.5) == ("19", True)


def test_a_token_run_shows_its_first_token_its_gap_and_its_rate(play: Open) -> None:
    page = play(sentence(11, seconds=1.0))

    press(page, "End")

    assert fact(page, "First token") == "200 ms"
    assert fact(page, "Since previous") == "80.0 ms"
    assert fact(page, "Rate") == "13/s"
    assert page.locator(".tk-figure-gaps .tk-value").inner_text() == "80.0 ms"


def test_the_text_holds_only_what_has_arrived(play: Open) -> None:
    page = play(sentence(6))

    press(page, "ArrowRight", "ArrowRight", "ArrowRight")

    assert page.locator(".tk-text").inner_text() == "The river does"
    assert page.locator(".tk-here").inner_text().strip() == "does"


def test_hovering_a_token_shows_what_else_it_might_have_been(play: Open) -> None:
    page = play(sentence(6))
    press(page, "End")

    page.locator(".tk-token").nth(1).hover()

    assert page.locator(".tk-candidates h3").inner_text() == "Alternatives at token 2"
    assert page.locator(".tk-chosen .tk-name").inner_text() == "␣river"
    assert page.locator(".tk-bars .tk-name").all_inner_texts() == ["␣river", "␣a", "␣sea"]


def test_the_focus_reaches_the_token_and_steps_with_it(play: Open) -> None:
    page = play(sentence(6))
    press(page, "ArrowRight", "ArrowRight")

    page.locator(".tk-here").focus()
    press(page, "ArrowRight")

    assert page.evaluate("document.activeElement.textContent") == " does"
    assert page.locator(".tk-candidates h3").inner_text() == "Alternatives at token 3"


def test_a_click_on_a_token_goes_there(play: Open) -> None:
    page = play(sentence(8))
    press(page, "End")

    page.locator(".tk-token").nth(4).click()

    assert fact(page, "Token") == "5 / 8"


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


def test_a_hostile_trace_is_shown_as_text_and_does_nothing(play: Open) -> None:
    page = play(hostile(), request={"prompt": HOSTILE[0]})

    press(page, "End")
    page.locator(".tk-token").nth(2).hover()

    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.images.length") == 0
    assert page.locator(".tk-token").nth(0).inner_text() == HOSTILE[0]
    assert page.locator(".tk-title").inner_text() == HOSTILE[0]
    assert page.title() == "run-0.json"


def test_a_token_that_would_turn_the_text_around_is_disarmed(play: Open) -> None:
    page = play(hostile())

    press(page, "End")

    assert "\u202e" not in page.locator(".tk-shell").inner_text()


def test_a_script_that_is_not_the_players_cannot_run_in_the_page(
    pages: Open, export: Callable[..., Path]
) -> None:
    file = export("short")
    foreign = b"<script>document.title = 'pwned'</script></html>"
    file.write_bytes(file.read_bytes().replace(b"</html>", foreign))
    page = pages(refused="violates the following Content Security Policy directive")

    page.goto(file.as_uri())
    page.wait_for_selector(".tk-now")

    assert page.title() == "pointer-short.json"


@pytest.mark.parametrize(("runs", "lane"), [(["short"], 0), (["errs", "short"], 1)])
def test_save_json_gives_the_recording_back_byte_for_byte(play: Open, runs: list[str], lane: int) -> None:
    page = play(*runs)

    with page.expect_download() as download:
        page.get_by_role("button", name="Save this recording as JSON").nth(lane).click()

    recording = RECORDINGS / f"pointer-{runs[lane]}.json"
    assert Path(download.value.path()).read_bytes() == recording.read_bytes()
    assert download.value.suggested_filename == recording.name


def test_save_json_gives_a_hostile_recording_back_byte_for_byte(play: Open, tmp_path: Path) -> None:
    page = play(hostile(), request={"prompt": HOSTILE[0]})

    with page.expect_download() as download:
        page.get_by_role("button", name="Save this recording as JSON").click()

    assert Path(download.value.path()).read_bytes() == (tmp_path / "run-0.json").read_bytes()


def test_two_runs_play_side_by_side_with_their_first_difference(play: Open) -> None:
    page = play(sentence(8), Stamped("token", tracekit.Script([token("The"), token(" sea")], [0.1, 0.2])))

    said = page.locator(".tk-remark").inner_text()
    page.get_by_role("button", name="step 2", exact=True).click()

    assert re.sub(r"\s+", " ", said).endswith("First difference at step 2 ␣river against ␣sea")
    assert [fact(page, "Token", lane) for lane in (0, 1)] == ["2 / 8", "2 / 2"]
    assert page.locator(".tk-differs").count() == 2


def test_two_equal_runs_are_said_to_be_equal(play: Open) -> None:
    page = play("short", "short")

    assert page.locator(".tk-remark").inner_text().endswith("The two runs say the same at every step.")


def test_two_runs_keep_step_by_index_or_by_time(play: Open) -> None:
    page = play(sentence(11, seconds=1.0), sentence(11, seconds=2.0))

    press(page, "5")
    by_index = [fact(page, "Token", lane) for lane in (0, 1)]
    press(page, "i")
    press(page, "5")
    by_time = [fact(page, "Token", lane) for lane in (0, 1)]

    assert by_index == ["4 / 11", "4 / 11"]
    assert by_time == ["11 / 11", "4 / 11"]


def test_a_failed_run_shows_its_error_at_its_time_and_not_before(play: Open) -> None:
    page = play(failing("out of memory"))

    press(page, "End", "ArrowLeft")
    before = page.locator(".tk-outcome").inner_text()
    press(page, "End")

    assert before == ""
    assert page.locator(".tk-badge").inner_text() == "failed"
    assert page.locator(".tk-outcome").inner_text() == "Failed after 300 ms: RuntimeError: out of memory"


def test_a_cancelled_run_says_so(play: Open) -> None:
    page = play("cancelled")

    press(page, "End")

    assert page.locator(".tk-badge").inner_text() == "cancelled"
    assert re.search(r"Cancelled after [\d.]+ ms, at 100 loops\.", page.locator(".tk-outcome").inner_text())


def test_a_run_without_rows_opens_and_ends(play: Open) -> None:
    page = play(Stamped("token", tracekit.Script([], error=RuntimeError("boom"))))

    press(page, "Space")
    wait_for_end(page)

    assert fact(page, "Token") == "0 / 0"
    assert page.locator(".tk-outcome").inner_text() == "Failed after 0 s: RuntimeError: boom"


def test_a_looped_model_without_a_table_shows_its_curves_and_no_wheel(play: Open) -> None:
    page = play(looped(), request={"prompt": "The capital of France is"})

    press(page, "End")

    assert page.locator(".tk-wheel").count() == 0
    assert page.locator(".tk-word").inner_text() == "Paris"
    visible = page.locator("figcaption span:visible").all_inner_texts()
    assert visible == [
        "Entropy",
        "Change of the readout (KL)",
        "Cosine to the loop before",
        "Time since the previous loop",
    ]


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
