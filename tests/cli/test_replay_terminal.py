"""`tracekit replay` on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading

import pytest

from tests.conftest import RECORDINGS

SHORT = RECORDINGS / "pointer-short.json"


class Terminal:
    """A command on a terminal of its own: what it shows, and keys for it."""

    def __init__(self, *arguments):
        self._screen, theirs = pty.openpty()
        command = [sys.executable, "-m", "tracekit", *map(str, arguments)]
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self.process = subprocess.Popen(command, env={**os.environ, "TERM": "xterm"}, **streams)
        os.close(theirs)
        self.shown = b""
        self._began = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        while piece := self._piece():
            self.shown += piece
            if b"quit" in self.shown:
                self._began.set()

    def _piece(self):
        try:
            return os.read(self._screen, 1 << 16)
        except OSError:  # the other end is closed
            return b""

    def press(self, key):
        assert self._began.wait(30), self.shown
        os.write(self._screen, key)

    def ended(self):
        """Its exit code and all that it showed."""
        try:
            code = self.process.wait(30)
        finally:
            self.process.kill()
            self._reader.join()
            os.close(self._screen)
        return code, self.shown.decode()


@pytest.mark.parametrize("attempt", range(3))
def test_a_run_of_milliseconds_ends_by_itself(attempt):
    code, shown = Terminal("replay", SHORT).ended()

    assert code == 0
    assert "12 loops, stopped by head: answer right, stop exact" in shown


def test_a_replay_that_would_take_for_ever_can_be_left():
    terminal = Terminal("replay", SHORT, "--speed", "1e-320")

    terminal.press(b"q")

    assert terminal.ended()[0] == 0


def test_a_row_that_would_come_beyond_any_clock_can_be_left(tmp_path):
    late = json.loads(SHORT.read_text())
    late["trace"][-1]["arrival_seconds"] = late["inference_seconds"] = 1e300
    (tmp_path / "late.json").write_text(json.dumps(late))
    terminal = Terminal("replay", tmp_path / "late.json")

    terminal.press(b"q")

    assert terminal.ended()[0] == 0


def test_text_of_a_recording_reaches_the_terminal_only_as_text(tmp_path):
    hostile = json.loads(SHORT.read_text())
    hostile["summary"]["stop_reason"] = "\x1b]0;HACK\x07"
    hostile["trace"][3]["expected"] = "[/b]"
    (tmp_path / "hostile.json").write_text(json.dumps(hostile))

    code, shown = Terminal("replay", tmp_path / "hostile.json", "--speed", "0.1").ended()

    assert code == 0
    assert "[/b]" in shown
    assert r"stopped by \x1b]0;HACK\x07" in shown
    assert "\x1b]" not in shown
