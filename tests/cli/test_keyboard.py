"""Keys of a terminal of one's own."""

from __future__ import annotations

import os
import sys

import pytest

from tracekit.cli.keyboard import read_key, single_keys


@pytest.fixture
def keyboard(monkeypatch):
    """The other end of a terminal that is this process's standard input."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with single_keys():
            yield ours
    os.close(ours)


@pytest.mark.parametrize("timeout", [None, 0.5, 1e300, float("inf")])
def test_a_key_that_is_there_is_read_however_long_one_would_wait(keyboard, timeout):
    os.write(keyboard, b"\x1b[C")

    assert read_key(timeout) == "right"


def test_no_key_within_the_time_is_none(keyboard):
    assert read_key(0.01) is None


def test_other_keys_are_themselves(keyboard):
    os.write(keyboard, b"q")

    assert read_key(1.0) == "q"
