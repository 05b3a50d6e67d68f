"""What every test of the plugin starts from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

# pytest inside pytest forgets what it imported: what is imported before is not loaded again each time.
import tracekit.regression.cassette
import tracekit.regression.golden
import tracekit.regression.obsolete
import tracekit.sources.scripted  # noqa: F401
from tests.pytest_plugin.project import ONE_TEST, SOURCE, forget_bytecode

Write = Callable[..., None]


@pytest.fixture(autouse=True)
def plain_environment(pytester, monkeypatch):
    """Each test says itself whether it runs under CI. Hypothesis's plugin would import it in every run."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")


@pytest.fixture
def write(pytester) -> Write:
    """A test module, test_chat.py, whose model's stop probability is `probability`."""

    def module(tests: str = ONE_TEST, probability: float = 0.5, name: str = "test_chat") -> None:
        pytester.makepyfile(**{name: SOURCE.format(probability=probability) + tests})
        forget_bytecode(pytester)

    return module
