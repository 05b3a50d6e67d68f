"""The examples, started and used as a reader would."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tracekit
from tests.conftest import RECORDINGS, ROOT, Cli
from tests.sources.huggingface.tiny import checkpoint

NEWTON = re.compile(r"<!-- newton.py -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_source_in_the_documentation_records(cli: Cli, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sources.md").read_text()
    (tmp_path / "newton.py").write_text(NEWTON.findall(page)[0])

    done = cli(
        "record", "--model", "newton:source", "--request", "-", "--out", "root.json", stdin='{"number": 2}'
    )

    assert (done.returncode, done.stderr) == (0, "")
    trace = tracekit.load(tmp_path / "root.json")
    assert trace["trace"][-1]["prediction"] == "1.414214"
    assert trace["summary"]["stop_reason"] == "converged"
    assert trace["model"] == {"source": "newton:source", "name": "newton"}


@contextmanager
def gradio_app(*arguments: object) -> Iterator[str]:
    """The app in a process of its own; its address, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, ROOT / "examples" / "gradio_demo.py", *arguments, "--port", port]
    environment = {**os.environ, "GRADIO_ANALYTICS_ENABLED": "False"}
    app = subprocess.Popen([*map(str, command)], env=environment, stdout=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(address, app))
        yield address
    finally:
        app.terminate()
        app.wait(30)


def answers(address: str, app: subprocess.Popen[bytes]) -> bool:
    assert app.poll() is None, "the app has ended"
    try:
        return urllib.request.urlopen(address, timeout=5).status == 200
    except OSError:
        return False


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline, "waited for two minutes"
        time.sleep(0.2)


def clicked(browser: object, address: str) -> tuple[str, str]:
    """The page's text and status after its button has been clicked and the run has ended."""
    page = browser.new_page()
    page.goto(address)
    page.locator("#run").click()
    page.locator("#status", has_text="complete").wait_for(timeout=60_000)
    text, status = page.locator("#text").inner_text(), page.locator("#status").inner_text()
    page.close()
    return "".join(text.split()), status


@pytest.mark.parametrize("name", ["smollm2-short", "pointer-short"])
def test_the_gradio_app_replays_a_recording_when_clicked(browser: object, name: str) -> None:
    trace = tracekit.load(RECORDINGS / f"{name}.json")
    steps = "".join(row.get("text", row.get("prediction", "")) for row in trace["trace"])

    with gradio_app("--recording", RECORDINGS / f"{name}.json") as address:
        text, status = clicked(browser, address)

    assert "".join(steps.split()) in text
    assert status.startswith(f"recorded · complete · {len(trace['trace'])} steps")


def test_the_gradio_app_runs_a_model_when_clicked(browser: object, tmp_path: Path) -> None:
    with gradio_app("--model", f"hf:{checkpoint(tmp_path / 'model')}") as address:
        _, status = clicked(browser, address)
    assert status.startswith("live · complete · 128 steps")
