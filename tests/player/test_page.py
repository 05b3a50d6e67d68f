"""What the exported page shows and plays, in a real browser, with the network off."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tracekit
from tests.conftest import RECORDINGS
from tests.player.pages import Open, fact, press, speed, wait_for_end
from tests.player.runs import Stamped, failing, looped, sentence, token


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


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": {}},
        {"messages": 5},
        {"messages": "text"},
        {"messages": []},
        {"messages": [None]},
        {"messages": [{"content": [{"type": "text"}]}]},
        {"prompt": {"at": 1}},
        {"steps": "x", "start": {}},
    ],
)
def test_a_request_of_any_shape_is_shown(play: Open, request_: Any) -> None:
    page = play(looped(3), request=request_)

    press(page, "End")

    assert page.locator(".tk-asked").inner_text() == "loops"
    assert fact(page, "Loop") == "3 / 3"


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
    before = page.locator(".tk-outcome").inner_text(), page.locator(".tk-badge").is_visible()
    press(page, "End")

    assert before == ("", False)
    assert page.locator(".tk-badge").inner_text() == "failed"
    assert page.locator(".tk-outcome").inner_text() == "Failed after 300 ms: RuntimeError: out of memory"


def test_at_the_start_nothing_tells_how_the_run_ended(play: Open) -> None:
    page = play(failing("out of memory"))

    said = page.locator(".tk-head").inner_text()

    assert said.split() == ["scripted", "tokens", "Save", "JSON"]


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
