"""`tracekit view`, as a process of its own."""

from __future__ import annotations

import signal
import urllib.request
from pathlib import Path

from tests.conftest import Cli, lines
from tests.viewer.conftest import free_port, start_viewer


def test_it_serves_the_viewer_to_this_machine_and_ends_on_an_interrupt(tmp_path: Path) -> None:
    port = free_port()
    process = start_viewer(tmp_path, port=port)

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
        page = answer.read().decode()
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)

    assert "<title>" in page
    assert f"URL: http://127.0.0.1:{port}" in said
    assert "Traceback" not in said


def test_a_path_that_is_not_there_is_refused_before_anything_starts(cli: Cli) -> None:
    result = cli("view", "gone")

    assert result.returncode == 2
    assert "Path 'gone' does not exist" in lines(result.stderr)[-1]
