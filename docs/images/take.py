"""Take the pictures of the player that the README and the docs show, from recordings of real runs.

python docs/images/take.py           writes docs/images/player-*.png anew
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import tracekit
from tracekit.player.html import Entry, export_html

HERE = Path(__file__).parent
RECORDINGS = HERE.parents[1] / "recordings"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
COLOURS = 256  # a picture of flat colours loses nothing that one sees


@dataclass(frozen=True)
class Shot:
    """One picture: of which recording, after how many steps, light or dark, how wide."""

    name: str
    recording: str
    step: int
    scheme: str
    width: int = 1280


SHOTS = (
    Shot("player-loop-light", "pointer-long", 120, "light"),
    Shot("player-loop-dark", "pointer-errs", 13, "dark"),
    Shot("player-token-light", "smollm2-long", 105, "light"),
    Shot("player-token-dark", "smollm2-long", 105, "dark"),
    Shot("player-narrow", "pointer-errs", 13, "light", width=360),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for shot in SHOTS:
            take(browser, shot, Path(name))
        browser.close()


def take(browser: Browser, shot: Shot, folder: Path) -> None:
    page = folder / "page.html"
    run = RECORDINGS / f"{shot.recording}.json"
    page.write_bytes(export_html([Entry(tracekit.load(run), run.name)]))
    viewport = {"width": shot.width, "height": 720}
    context = browser.new_context(viewport=viewport, color_scheme=shot.scheme, offline=True)
    tab = context.new_page()
    tab.goto(f"{page.as_uri()}#step={shot.step}")
    tab.wait_for_selector(".tk-now")
    tab.wait_for_timeout(300)  # until the bars have come to rest
    tab.screenshot(path=folder / "page.png", full_page=True)
    context.close()
    out = HERE / f"{shot.name}.png"
    with Image.open(folder / "page.png") as picture:
        picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            out, optimize=True
        )
    print(f"{out.name}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
