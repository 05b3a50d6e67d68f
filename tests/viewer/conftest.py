"""One viewer, started as a person would, and pages in the one browser that may reach nothing else."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import RECORDINGS, ROOT

SLOW = "tests.viewer.slow:open_slow"
STARTING_SECONDS = 60
PATIENCE_MS = 20_000

Open = Callable[..., Page]


expect.set_options(timeout=PATIENCE_MS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_viewer(*arguments: object, port: int) -> subprocess.Popen[str]:
    """`tracekit view`, as soon as it answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tracekit", "view", *map(str, arguments), "--no-browser", f"--port={port}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    deadline = time.monotonic() + STARTING_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health") as answer:
                answer.read()
                return process
        except OSError:
            time.sleep(0.1)
    stop_viewer(process)
    raise RuntimeError(f"the viewer did not start: {process.args}")


def stop_viewer(process: subprocess.Popen[str]) -> str:
    """End it; what it printed."""
    process.terminate()
    return process.communicate(timeout=30)[0]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four real recordings, one of them in a folder below, beside a secret that is not to be read."""
    around = tmp_path_factory.mktemp("viewer")
    root = around / "recordings"
    (root / "below").mkdir(parents=True)
    for name in ("cycle", "errs", "long"):
        shutil.copy(RECORDINGS / f"pointer-{name}.json", root)
    shutil.copy(RECORDINGS / "pointer-short.json", root / "below")
    shutil.copy(RECORDINGS / "pointer-short.json", around / "secret.json")
    (root / "way-out.json").symlink_to(around / "secret.json")
    return root


@pytest.fixture(scope="session")
def viewer(folder: Path) -> Iterator[str]:
    """The address of a viewer on `folder` whose model makes six loops a second."""
    port = free_port()
    process = start_viewer(folder, f"--model={SLOW}", port=port)
    yield f"http://127.0.0.1:{port}"
    stop_viewer(process)


@pytest.fixture
def tab(browser: Browser, viewer: str) -> Iterator[Open]:
    """Open a page of the viewer in a new tab. A request elsewhere, a dialog or an error fails the test."""
    contexts, seen = [], []

    def open_tab(path: str = "/", **options: object) -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 1400}, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: seen.append(request.url))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        page.goto(viewer + path)
        return settle(page)

    yield open_tab
    for context in contexts:
        context.close()
    assert [what for what in seen if not what.startswith((viewer, "blob:", "data:"))] == []


def settle(page: Page) -> Page:
    """Once the script has run and nothing is drawn any more."""
    page.wait_for_selector('[data-test-script-state="notRunning"]')
    return page


def pick(page: Page, row: int) -> None:
    """Click a row of the list of recordings, which is drawn on a canvas."""
    box = page.get_by_test_id("stSidebar").get_by_test_id("stDataFrame").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 37 + 35 * row + 17)
