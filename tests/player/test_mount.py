"""The player as a program embeds it: `mount` and its handle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import tracekit
from tests.player.runs import record, sentence

Open = Callable[..., Page]


@pytest.fixture
def trace(tmp_path: Path) -> tracekit.format.types.Trace:
    """Eleven tokens in a second: at 0.2, 0.28, … 1.0 s."""
    return tracekit.load(record(sentence(11, seconds=1.0), tmp_path / "run.json"))


def snapshot(trace: Any, rows: int) -> dict[str, Any]:
    """The trace as it streamed after so many rows."""
    head = {key: value for key, value in trace.items() if key not in ("summary", "inference_seconds")}
    return {**head, "status": "streaming", "trace": trace["trace"][:rows]}


def mount(page: Page, *traces: Any, **options: Any) -> dict[str, Any]:
    """Mount a player; the state it then has. Its events gather in `events`."""
    script = """(options) => {
        window.events = [];
        window.player = mount(host, { ...options, onEvent: (event) => events.push(event) });
        return player.state();
    }"""
    state: dict[str, Any] = page.evaluate(script, {"traces": traces, **options})
    return state


def test_a_live_run_is_followed_as_its_rows_arrive(mounted: Open, trace: Any) -> None:
    page = mounted()
    before = mount(page, snapshot(trace, 2))

    page.evaluate("(rows) => player.append(rows)", trace["trace"][2:5])
    after = page.evaluate("player.state()")

    assert [before[key] for key in ("step", "steps", "following", "playing")] == [2, 2, True, False]
    assert [after[key] for key in ("step", "steps", "following", "time")] == [5, 5, True, 0.52]


def test_going_back_stops_following_and_the_key_takes_it_up_again(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, snapshot(trace, 4))

    page.evaluate("player.seek({ step: 1 })")
    page.evaluate("(rows) => player.append(rows)", trace["trace"][4:6])
    left = page.evaluate("player.state()")
    page.get_by_role("button", name="Follow the live run (f)").click()
    again = page.evaluate("player.state()")

    assert [(state["step"], state["following"]) for state in (left, again)] == [(1, False), (6, True)]


def test_the_tail_of_a_live_run_ends_it(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, snapshot(trace, 10))
    tail = {key: trace[key] for key in ("status", "summary", "inference_seconds")}

    page.evaluate("([rows, tail]) => player.append(rows, tail)", [trace["trace"][10:], tail])
    page.wait_for_selector(".tk-outcome:not(:empty)")

    assert page.locator(".tk-badge").inner_text() == "complete"
    assert page.get_by_role("button", name="Follow the live run (f)").is_hidden()
    assert page.evaluate("player.state().following") is False


def test_the_keys_work_on_in_a_shadow_root_when_a_focused_control_goes(mounted: Open, trace: Any) -> None:
    page = mounted(in_shadow=True)
    mount(page, snapshot(trace, 10), following=False)
    tail = {key: trace[key] for key in ("status", "summary", "inference_seconds")}
    page.get_by_role("button", name="Follow the live run (f)").focus()

    page.evaluate("([rows, tail]) => player.append(rows, tail)", [trace["trace"][10:], tail])
    page.get_by_role("button", name="Follow the live run (f)").wait_for(state="hidden")
    page.keyboard.press("ArrowRight")

    assert page.evaluate("player.state().step") == 1


def test_a_run_whose_process_died_says_so_at_its_end(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, {**snapshot(trace, 5), "status": "interrupted", "inference_seconds": 0.52})

    page.evaluate("player.seek({ time: 0.52 })")

    said = page.locator(".tk-outcome").inner_text()
    assert said == "Interrupted: the process died at 5 tokens; recovered from its journal."


def test_updating_with_a_snapshot_of_the_same_run_keeps_the_place(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, snapshot(trace, 4), following=False, step=2)

    page.evaluate("(grown) => player.update([grown])", trace)
    state = page.evaluate("player.state()")

    assert (state["step"], state["steps"]) == (2, 11)


def test_updating_with_another_run_begins_it(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, trace, step=7)

    page.evaluate("(other) => player.update([other])", {**trace, "id": "another"})

    assert page.evaluate("player.state().step") == 0
    assert page.locator(".tk").count() == 1


def test_the_events_say_where_the_player_rests(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, trace, speed=16)

    page.evaluate("player.seek({ step: 3 })")
    page.evaluate("player.play()")
    page.wait_for_function("events.at(-1).type === 'step' && events.length > 3")

    assert page.evaluate("events") == [
        {"type": "step", "step": 3, "time": pytest.approx(0.36)},
        {"type": "play"},
        {"type": "end"},
        {"type": "step", "step": 11, "time": 1},
    ]


def test_an_even_pace_and_a_longest_pause_lay_time_out_as_pace_does(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, trace)
    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    expected = tracekit.Pace(rows_per_second=4, max_pause=0.1).deadlines(
        [*arrivals, trace["inference_seconds"]]
    )

    page.evaluate("player.set({ rowsPerSecond: 4, maxPause: 0.1 })")
    page.evaluate("player.seek({ step: 6 })")

    part = page.get_by_label("Position in the run").evaluate("(slider) => slider.valueAsNumber")
    assert part == pytest.approx(expected[5] / expected[-1])


def test_the_place_is_kept_under_another_pace(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, trace, step=6)

    page.evaluate("player.set({ rowsPerSecond: 100 })")

    assert page.evaluate("player.state().step") == 6


def test_it_measures_how_far_from_its_time_each_moment_is_shown(mounted: Open, trace: Any) -> None:
    page = mounted()
    mount(page, trace, speed=1)

    unmeasured = page.evaluate("player.timing()")
    page.evaluate("player.play()")
    page.wait_for_function("player.state().over")
    page.wait_for_function("player.timing().count === 12")
    measured = page.evaluate("player.timing()")

    assert unmeasured == {"count": 0, "median": None, "p99": None}
    assert 0 <= measured["median"] <= measured["p99"]


def test_it_works_in_a_shadow_root(mounted: Open, trace: Any) -> None:
    page = mounted(in_shadow=True)
    mount(page, trace, theme="dark")

    page.locator(".tk-lane").click()
    page.locator(".tk").focus()
    page.keyboard.press("End")

    assert page.evaluate("getComputedStyle(host.querySelector('.tk')).backgroundColor") == "rgb(18, 19, 21)"
    assert page.evaluate("player.state().step") == 11
    assert page.locator(".tk-here").inner_text().strip() == "At"


def test_destroying_it_leaves_nothing(mounted: Open, trace: Any) -> None:
    page = mounted()
    before = page.evaluate("Object.keys(window).length")
    mount(page, trace)

    page.evaluate("player.destroy()")
    page.keyboard.press("Space")

    assert page.evaluate("host.childElementCount") == 0
    assert page.evaluate("Object.keys(window).length") == before + 2  # events and player, the test's own
