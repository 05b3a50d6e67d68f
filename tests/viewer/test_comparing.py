"""The Compare page, in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.viewer.conftest import Open


def test_two_recordings_play_side_by_side_and_the_first_difference_is_said(tab: Open) -> None:
    page = tab("/compare?golden=pointer-cycle.json&fresh=pointer-errs.json")

    expect(page.locator(".tk-title")).to_have_text(["Golden: pointer-cycle.json", "Fresh: pointer-errs.json"])
    expect(page.get_by_test_id("stAlert")).to_contain_text("different: request.mapping is")
    expect(page.locator(".tk-remark")).to_contain_text("First difference at step 1")


def test_a_recording_compared_with_itself_is_identical(tab: Open) -> None:
    page = tab("/compare?golden=pointer-long.json&fresh=pointer-long.json")

    expect(page.get_by_test_id("stAlert")).to_have_text("identical: 256 loops")
    expect(page.get_by_text("Every value is equal.")).to_be_visible()
