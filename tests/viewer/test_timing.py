"""The Timing page, in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.viewer.conftest import Open


def test_several_recordings_lie_over_each_other_in_a_curve_and_a_histogram(tab: Open) -> None:
    page = tab("/timing?recordings=pointer-long.json&recordings=below%2Fpointer-short.json")

    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(2)
    for chart in page.get_by_test_id("stVegaLiteChart").all():
        expect(chart).to_contain_text("pointer-long.json")
        expect(chart).to_contain_text("below/pointer-short.json")
        expect(chart).to_contain_text("Gap, ms")


def test_a_link_to_nothing_says_so(tab: Open) -> None:
    page = tab("/timing?recordings=pointer-long.json&recordings=gone.json")

    expect(page.get_by_test_id("stAlert")).to_contain_text("gone.json: there is no such file")
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(0)
