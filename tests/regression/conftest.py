"""The recordings that ship, as goldens."""

from __future__ import annotations

import pytest

from tests.conftest import RECORDINGS
from tracekit import load
from tracekit.format.types import Trace


@pytest.fixture(scope="session")
def cycle() -> Trace:
    """A real run of 52 loops that stops exactly."""
    return load(RECORDINGS / "pointer-cycle.json")


@pytest.fixture(scope="session")
def cancelled() -> Trace:
    """A real run that was cancelled after 100 loops."""
    return load(RECORDINGS / "pointer-cancelled.json")
