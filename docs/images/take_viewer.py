"""Take the pictures of the viewer that the README and the docs show, of a viewer that this starts and ends.

python docs/images/take_viewer.py           writes docs/images/viewer-*.png anew
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
TIMED = "recordings=pointer-cycle.json&recordings=pointer-long.json"
COLOURS = 256  # a picture of flat colours loses nothing that one sees


@dataclass(frozen=True)
class Shot:
    """One picture: of which page, light or dark, after which actions."""

    name: str
    path: str
    scheme: str
    act: Callable[[Page], object] = lambda _: None
    height: int = 900


def run_model(page: Page) -> None:
    """Run the model, and step back a little from the end."""
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Save as a recording").wait_for()
    for _ in range(6):
        page.get_by_role("button", name="A step back (←)").click()


SHOTS = (
    Shot("viewer-recordings", "/?recording=pointer-errs.json&step=13", "light"),
    Shot("viewer-live", "/live", "dark", run_model),
    Shot("viewer-timing", f"/timing?{TIMED}", "light", height=620),
)


def main() -> None:
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for shot in SHOTS:
            take(browser, shot, address)
        browser.close()


@contextmanager
def serving() -> Iterator[str]:
    """The viewer on the shipped recordings."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tracekit", "view", "recordings", "--no-browser", f"--port={port}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603
    address = f"http://127.0.0.1:{port}"
    try:
        await_answer(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait()


def await_answer(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url):  # noqa: S310
                return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError(url)


def take(browser: Browser, shot: Shot, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": shot.height}, color_scheme=shot.scheme)
    page = context.new_page()
    page.goto(address + shot.path)
    page.wait_for_timeout(6000)  # until the model is loaded and everything is drawn
    shot.act(page)
    page.mouse.move(900, 80)
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    page.wait_for_timeout(1500)
    out = HERE / f"{shot.name}.png"
    with Image.open(BytesIO(page.screenshot())) as picture:
        flat = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        flat.save(out, optimize=True)
    context.close()
    print(f"{out.name}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
