"""Take the pictures of the player that the README and the docs show, from recordings of real runs.

    python docs/images/take.py           writes docs/images/player-*.png anew

Loops come from `recordings/`; so do tokens where a recording of them lies there, and else
SmolLM2 is asked once.
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
from tracekit.sources.registry import load_source

HERE = Path(__file__).parent
RECORDINGS = HERE.parents[1] / "recordings"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PROMPT = "The sky is blue because"
COLOURS = 256  # a picture of flat colours loses nothing that one sees


@dataclass(frozen=True)
class Shot:
    """One picture: which runs, after how many steps, light or dark, how wide."""

    name: str
    runs: tuple[Path, ...]
    step: int
    scheme: str
    width: int = 1280


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for shot in shots(tokens(Path(name))):
            take(browser, shot, Path(name))
        browser.close()


def shots(token_run: Path) -> list[Shot]:
    long, errs = (RECORDINGS / f"pointer-{name}.json" for name in ("long", "errs"))
    steps = len(tracekit.load(token_run)["trace"]) * 2 // 3
    return [
        Shot("player-loop-light", (long,), 120, "light"),
        Shot("player-loop-dark", (errs,), 13, "dark"),
        Shot("player-token-light", (token_run,), steps, "light"),
        Shot("player-token-dark", (token_run,), steps, "dark"),
        Shot("player-narrow", (errs,), 13, "light", width=360),
    ]


def tokens(folder: Path) -> Path:
    """A recording of tokens: one that ships, or else one made now."""
    for path in sorted(RECORDINGS.glob("*.json")):
        if tracekit.load(path)["kind"] == "token":
            return path
    path = folder / "smollm2.json"
    source = load_source("smollm2").with_settings({"max_new_tokens": 80})
    tracekit.record(source, {"prompt": PROMPT}, path)
    return path


def take(browser: Browser, shot: Shot, folder: Path) -> None:
    page = folder / "page.html"
    page.write_bytes(export_html([Entry(tracekit.load(run), run.name) for run in shot.runs]))
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
