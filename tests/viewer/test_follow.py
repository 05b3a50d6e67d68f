"""The Follow page: another process records, the browser shows it grow."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from tests.conftest import ROOT
from tests.viewer.conftest import SLOW, Open

LOOP = ".tk-facts dd >> nth=0"


def test_a_recording_that_another_process_writes_plays_as_it_grows(
    tab: Open, folder: Path, tmp_path: Path, request_json: dict[str, object]
) -> None:
    asked = tmp_path / "request.json"
    asked.write_text(json.dumps({**request_json, "steps": 40}))
    page = tab("/follow")
    expect(page.get_by_test_id("stAlert")).to_contain_text("Nothing is being recorded")

    out = folder / "growing.json"
    command = [sys.executable, "-m", "tracekit", "record", f"--model={SLOW}", f"--request={asked}", "--quiet"]
    recorder = subprocess.Popen(
        [*command, f"--out={out}"], env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    expect(page.locator(".tk-badge")).to_have_text("streaming")
    expect(page.locator(LOOP)).to_have_text(re.compile(r"^([3-9]|1\d) / "))
    recorder.terminate()

    expect(page.get_by_test_id("stAlert")).to_contain_text("its recording is on the Recordings page")
    expect(page.locator(".tk-badge")).to_have_text("cancelled")
    assert recorder.wait(timeout=30) == 130
    out.unlink()
