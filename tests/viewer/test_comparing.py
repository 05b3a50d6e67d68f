"""The Compare page, in a real browser."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("side", ["golden", "fresh"])
def test_a_link_to_nothing_says_so_and_compares_nothing_else(tab: Open, side: str) -> None:
    other = {"golden": "fresh", "fresh": "golden"}[side]

    page = tab(f"/compare?{side}=gone.json&{other}=pointer-cycle.json")

    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    expect(page.get_by_test_id("stAlert")).to_contain_text("gone.json: there is no such file")
    expect(page.locator(".tk")).to_have_count(0)


def test_a_link_out_of_the_folder_is_refused_in_words(tab: Open) -> None:
    page = tab("/compare?golden=..%2Fsecret.json&fresh=pointer-cycle.json")

    expect(page.get_by_test_id("stAlert")).to_contain_text("leads out of the folder being viewed")


def test_another_choice_leads_on_from_a_link_to_nothing(tab: Open) -> None:
    page = tab("/compare?golden=gone.json&fresh=pointer-cycle.json")
    expect(page.get_by_test_id("stAlert")).to_contain_text("there is no such file")

    page.get_by_role("combobox", name="Golden").click()
    page.get_by_role("option", name="pointer-cycle.json").click()

    expect(page.get_by_test_id("stAlert")).to_have_text("identical: 52 loops")
