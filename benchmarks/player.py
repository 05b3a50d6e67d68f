"""What the player in the browser costs: first picture, seeks, timing error, size of the page.

Runs of 1,000, 10,000 and 100,000 rows are recorded, exported and opened from disk in
chromium, in turn. The floors stand beside them: a page that only parses the same JSON,
and a page that only watches frames go by.

    python benchmarks/player.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import tracekit
from tracekit.player.html import Entry, escape_data, export_html

ROWS = (1_000, 10_000, 100_000)
SEEKS = 200
TIMED_ROWS, TIMED_SECONDS = 200, 4.0
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

PAINTED = """() => new Promise((done) => {
    const first = (entries) => entries.find((entry) => entry.name === "first-contentful-paint");
    new PerformanceObserver((list) => first(list.getEntries()) && done(first(list.getEntries()).startTime))
        .observe({ type: "paint", buffered: true });
})"""
SEEK = """(seeks) => {
    const slider = document.querySelector(".tk-slider"), took = [];
    for (let at = 0; at < seeks; at++) {
        slider.value = (at * 0.618034) % 1;
        const began = performance.now();
        slider.dispatchEvent(new Event("input"));
        document.body.offsetHeight;
        took.push(performance.now() - began);
    }
    return took.sort((a, b) => a - b);
}"""
# The frame nearest to each moment, by a page that draws nothing: no page can be nearer.
WATCH = """(moments) => new Promise((done) => {
    const errors = [], began = performance.now();
    let next = 0, before = began;
    const frame = (now) => {
        const half = (now - before) / 2;
        for (before = now; next < moments.length && moments[next] * 1000 <= now + half - began; next++)
            errors.push(Math.abs(performance.now() - began - moments[next] * 1000));
        if (next < moments.length) requestAnimationFrame(frame);
        else done(errors.sort((a, b) => a - b));
    };
    requestAnimationFrame(frame);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        print(f"The page beside its data: {beside_data(folder):,} bytes   asked: at most 60,000")
        pages = {(kind, rows): page_of(kind, rows, folder) for kind in ("loop", "token") for rows in ROWS}
        first_picture(browser, pages, rounds)
        seeks(browser, pages, rounds)
        timing(browser, folder, rounds)


def beside_data(folder: Path) -> int:
    path = folder / "small.json"
    trace = tracekit.record(script("token", 1), {}, path)
    return len(export_html([Entry(trace, path.name)])) - path.stat().st_size


def page_of(kind: str, rows: int, folder: Path) -> tuple[Path, Path]:
    """The player's page for a run of so many rows, and its floor: the same data, only parsed."""
    path = folder / f"{kind}-{rows}.json"
    trace = tracekit.record(script(kind, rows), request(kind), path)
    page, floor = path.with_suffix(".html"), path.with_suffix(".floor.html")
    page.write_bytes(export_html([Entry(trace, path.name)]))
    data = b'<script type="application/json">%s</script>' % escape_data(path.read_bytes())
    count = "document.body.append(JSON.parse(document.querySelector('script').textContent).trace.length)"
    floor.write_bytes(
        b"<!doctype html><meta charset=utf-8><body>%s<script>%s</script>" % (data, count.encode())
    )
    return page, floor


def script(kind: Any, rows: int, times: tuple[float, ...] = ()) -> tracekit.ScriptedSource:
    make = loop_row if kind == "loop" else token_row
    return tracekit.ScriptedSource(kind, tracekit.Script([make(at) for at in range(rows)], times))


def request(kind: str) -> dict[str, Any]:
    """For loops a table that leads from each letter to the next, so that the wheel is drawn."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rules = [[a, b] for a, b in zip(letters, letters[1:] + "A", strict=True)]
    return {"mapping": rules, "start": "A", "steps": 256} if kind == "loop" else {"prompt": "Count."}


def loop_row(at: int) -> dict[str, Any]:
    letter = "BCDEFGHIJKLMNOPQRSTUVWXYZA"[at % 26]
    top3 = [{"symbol": letter, "probability": 0.9}, {"symbol": "?", "probability": 0.05}]
    judged = {"expected": letter, "correct": True, "edge_valid": True}
    return {"prediction": letter, "stop_probability": at % 97 / 100, "top3": top3, **judged}


def token_row(at: int) -> dict[str, Any]:
    logprob = -(at % 31) / 10
    top = [{"token_id": at % 97, "text": f" word{at % 97}", "logprob": logprob}]
    return {"token_id": at % 97, "text": f" word{at % 97}", "logprob": logprob, "top": top}


def first_picture(browser: Browser, pages: dict[Any, tuple[Path, Path]], rounds: int) -> None:
    took: dict[Any, list[tuple[float, float]]] = {key: [] for key in pages}
    for _ in range(rounds):
        for key, (page, floor) in pages.items():
            took[key].append((painted(browser, page), painted(browser, floor)))
    print(f"\nFirst picture  (baseline: a page that only parses the JSON, {rounds} rounds; asked: 1,000 ms)")
    for (kind, rows), figures in took.items():
        ours, floor = (statistics.median(figure) for figure in zip(*figures, strict=True))
        ratio = statistics.median(mine / least for mine, least in figures)
        print(f"  {kind:<6} {rows:>7,} rows {ours:8.0f} ms   {ratio:5.2f} ×   floor {floor:6.0f} ms")


def seeks(browser: Browser, pages: dict[Any, tuple[Path, Path]], rounds: int) -> None:
    took: dict[Any, list[list[float]]] = {key: [] for key in pages}
    for _ in range(rounds):
        for key, (page, _) in pages.items():
            with opened(browser, page) as tab:
                took[key].append(tab.evaluate(SEEK, SEEKS))
    print(f"\nA seek, drawn and laid out  (baseline: {ROWS[0]:,} rows, {rounds} × {SEEKS}; asked: 16 ms)")
    for (kind, rows), runs in took.items():
        base = took[kind, ROWS[0]]
        ratio = statistics.median(
            run[SEEKS // 2] / least[SEEKS // 2] for run, least in zip(runs, base, strict=True)
        )
        median = statistics.median(run[SEEKS // 2] for run in runs)
        late = statistics.median(run[SEEKS * 99 // 100] for run in runs)
        print(f"  {kind:<6} {rows:>7,} rows {median:8.1f} ms   {ratio:5.2f} ×   99 % within {late:5.1f} ms")


def timing(browser: Browser, folder: Path, rounds: int) -> None:
    path = folder / "timed.json"
    moments = tuple(TIMED_SECONDS * (at + 1) / TIMED_ROWS for at in range(TIMED_ROWS))
    trace = tracekit.record(script("token", TIMED_ROWS, moments), {}, path)
    page = path.with_suffix(".html")
    page.write_bytes(export_html([Entry(trace, path.name)]))
    arrivals = [row["arrival_seconds"] for row in trace["trace"]]
    took: dict[str, list[tuple[float, float]]] = {"player": [], "floor": []}
    for _ in range(rounds):
        took["player"].append(played(browser, page))
        with opened(browser, page) as tab:
            errors = tab.evaluate(WATCH, arrivals)
        took["floor"].append((errors[len(errors) // 2], errors[len(errors) * 99 // 100]))
    print(f"\nTiming error at 1×  (baseline: a page that draws nothing, {rounds} × {TIMED_ROWS} rows)")
    for name, figures in took.items():
        median, late = (statistics.median(figure) for figure in zip(*figures, strict=True))
        print(
            f"  {name:<8} median {median:6.1f} ms   99 % within {late:6.1f} ms   asked: 99 % within 16.7 ms"
        )


def played(browser: Browser, page: Path) -> tuple[float, float]:
    """What the player's own help panel says, after one run at 1×: median, 99th percentile, in ms."""
    with opened(browser, page) as tab:
        tab.keyboard.press("Space")
        tab.wait_for_selector(".tk-outcome:not(:empty)")
        tab.keyboard.press("?")
        words = tab.inner_text(".tk-timing").split()
    return float(words[words.index("half") + 2]), float(words[words.index("%") + 2])


def painted(browser: Browser, page: Path) -> float:
    with opened(browser, page, ready="body") as tab:
        return float(tab.evaluate(PAINTED))


@contextmanager
def opened(browser: Browser, page: Path, ready: str = ".tk-now") -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 860}, offline=True)
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_selector(ready)
    yield tab
    context.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        yield browser
        browser.close()


if __name__ == "__main__":
    main()
