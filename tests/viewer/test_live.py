"""The Live page, in a real browser, with the real model slowed down to six loops a second."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.viewer.conftest import Open, settle
from tracekit.storage.store import load

LOOP = ".tk-facts dd >> nth=0"
RUNNING = re.compile(r"^[1-9]\d* / ")
LONG = 256  # 38 seconds, far more than a test waits for anything


def run(page: Page, steps: int) -> None:
    page.get_by_role("spinbutton", name="Steps").fill(str(steps))
    page.get_by_role("spinbutton", name="Steps").press("Enter")
    settle(page)
    page.get_by_role("button", name="Run").click()


def test_a_run_shows_as_it_goes_and_is_saved_as_a_recording(tab: Open, folder: Path) -> None:
    page = tab("/live")
    before = {path.name for path in folder.glob("run-*.json")}

    run(page, 6)
    expect(page.locator(LOOP)).to_have_text("6 / 6")
    expect(page.locator(".tk-badge")).to_have_text("complete")
    page.get_by_role("button", name="Save as a recording").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("Saved as run-")

    (name,) = {path.name for path in folder.glob("run-*.json")} - before
    trace = load(folder / name)
    (folder / name).unlink()
    assert (trace["status"], trace["request"]["steps"], len(trace["trace"])) == ("complete", 6, 6)
    assert trace["summary"]["joint_success"]


def test_stop_ends_the_run_at_the_loop_it_has_reached(tab: Open) -> None:
    page = tab("/live")
    run(page, LONG)
    expect(page.locator(LOOP)).to_have_text(RUNNING)

    page.get_by_role("button", name="Stop").click()

    expect(page.locator(".tk-badge")).to_have_text("cancelled")
    expect(page.locator(LOOP)).to_have_text(re.compile(r"^\d{1,2} / \d{1,2}$"))


def test_a_rerun_ends_the_run(tab: Open) -> None:
    page = tab("/live")
    run(page, LONG)
    expect(page.locator(LOOP)).to_have_text(RUNNING)

    page.get_by_role("button", name="Permutation").click()

    expect(page.locator(".tk-badge")).to_have_text("cancelled")


def test_a_second_tab_waits_in_line_is_told_so_and_runs_once_the_first_is_closed(tab: Open) -> None:
    first, second = tab("/live"), tab("/live")
    run(first, LONG)
    expect(first.locator(LOOP)).to_have_text(RUNNING)

    run(second, LONG)
    expect(second.get_by_test_id("stAlert")).to_contain_text("waiting in line")
    first.close()

    expect(second.locator(LOOP)).to_have_text(RUNNING)
    expect(second.get_by_test_id("stAlert")).to_have_count(0)


def test_the_table_is_drawn_before_anything_has_run(tab: Open) -> None:
    page = tab("/live")

    expect(page.locator(".tk-title")).to_have_text("Press Run")
    expect(page.locator(".tk-wheel")).to_be_visible()
    expect(page.locator(".tk-deck")).to_be_hidden()
