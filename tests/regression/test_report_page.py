"""The page of a check's failures in a real browser, with the network off."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.regression.traces import changed
from tracekit import compare, save
from tracekit.regression.check import Outcome
from tracekit.regression.report import write_report

HOSTILE = "</script><script>window.pwned = 1</script>\"'><img src=x onerror='window.pwned = 1'>"


@pytest.mark.parametrize("prediction", ["Q", HOSTILE], ids=["letter", "hostile"])
def test_a_failure_plays_beside_its_golden(browser: Browser, cycle, tmp_path: Path, prediction):
    path = save(cycle, tmp_path / "cycle.json")
    fresh = changed(cycle)
    fresh["trace"][3]["prediction"] = prediction
    report = write_report(tmp_path / "failures", [Outcome(path, compare(cycle, fresh), cycle, fresh)])
    context = browser.new_context(offline=True)
    page, said = context.new_page(), []
    page.on("request", lambda request: said.append(request.url))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))

    page.goto(report.as_uri())
    player = page.frame_locator("iframe")
    expect(player.get_by_role("button", name="Save this recording as JSON")).to_have_count(2)
    expect(player.get_by_text("52 steps from A")).to_have_count(2)
    page.get_by_text("the differences").click()

    expect(page.locator("pre")).to_contain_text("prediction")
    assert [frame.evaluate("window.pwned") for frame in page.frames] == [None, None]
    assert [line for line in said if not line.startswith(("file://", "about:"))] == []
    context.close()
