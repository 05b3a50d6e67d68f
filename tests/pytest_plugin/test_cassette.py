"""pytest inside pytest: the fixture `cassette`, each mode."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import SOURCE, files, forget_bytecode
from tracekit import load

pytest_plugins = ("pytester",)

# The model counts its own loads in a file, so that a test can say it was not needed.
APP = """
import tracekit
from pathlib import Path

def load_model():
    with Path("loads").open("a") as file:
        file.write(".")
    return model()

def test_reply(cassette):
    source = cassette(load_model)
    for ask in {asked}:
        *_, trace = tracekit.stream(source, {{"ask": ask}})
        assert trace["trace"][1]["prediction"] == "B"
        assert trace["source"] == ("live" if Path("loads").exists() else "recorded")
"""


@pytest.fixture
def app(pytester):
    """A project whose test asks these; no model was loaded yet."""

    def write(*asked, probability=0.5):
        text = SOURCE.format(probability=probability) + APP.format(asked=asked)
        pytester.makepyfile(test_app=text)
        forget_bytecode(pytester)
        (pytester.path / "loads").unlink(missing_ok=True)

    return write


def loads(pytester):
    """How often the model was loaded."""
    path = pytester.path / "loads"
    return len(path.read_text()) if path.exists() else 0


def recorded(pytester):
    """What was recorded: each request with its first row's stop probability."""
    traces = [load(path) for path in sorted((pytester.path / "recordings").rglob("*.json"))]
    return {trace["request"]["ask"]: trace["trace"][0]["stop_probability"] for trace in traces}


def test_none_plays_without_the_model(pytester, app):
    app(1, 2)
    pytester.runpytest_inprocess("--tracekit-record=new").assert_outcomes(passed=1)
    app(1, 2)

    pytester.runpytest_inprocess().assert_outcomes(passed=1)

    assert loads(pytester) == 0


def test_none_without_recordings_fails_and_says_how_to_record(pytester, app):
    app(1)

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_reply.cassette: holds no recordings; record some with mode 'once'*"])


def test_once_records_into_an_empty_folder_only(pytester, app):
    app(1)
    pytester.runpytest_inprocess("--tracekit-record=once").assert_outcomes(passed=1)
    app(1, 2)

    result = pytester.runpytest_inprocess("--tracekit-record=once")

    assert recorded(pytester) == {1: 0.5}
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*no recording of this request; the nearest, *, differs in /request/ask: asked 2*"]
    )


def test_new_records_what_is_not_there_and_leaves_what_is(pytester, app):
    app(1)
    pytester.runpytest_inprocess("--tracekit-record=new")
    app(1, 2, probability=0.9)

    pytester.runpytest_inprocess("--tracekit-record=new")

    assert recorded(pytester) == {1: 0.5, 2: 0.9}


def test_all_records_again(pytester, app):
    app(1)
    pytester.runpytest_inprocess("--tracekit-record=new")
    app(1, probability=0.9)

    pytester.runpytest_inprocess("--tracekit-record=all").assert_outcomes(passed=1)

    assert recorded(pytester) == {1: 0.9}


def test_under_ci_nothing_is_recorded(pytester, app, monkeypatch):
    monkeypatch.setenv("CI", "1")
    app(1)

    pytester.runpytest_inprocess("--tracekit-record=all").assert_outcomes(failed=1)

    assert files(pytester) == []


def test_a_miss_that_the_app_swallows_fails_the_test_all_the_same(pytester, app):
    app(1)
    pytester.runpytest_inprocess("--tracekit-record=new")
    text = SOURCE.format(probability=0.5) + (
        "import tracekit\n"
        "def test_reply(cassette):\n"
        "    source = cassette()\n"
        "    try:\n"
        "        list(tracekit.stream(source, {'ask': 2}))\n"
        "    except Exception:\n"
        "        pass\n"
    )
    pytester.makepyfile(test_app=text)
    forget_bytecode(pytester)

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*differs in /request/ask: asked 2, recorded 1; to record it: pytest --tracekit-record=new"]
    )


def test_a_cassette_recording_that_is_no_longer_asked_for_is_obsolete(pytester, app):
    app(1, 2)
    pytester.runpytest_inprocess("--tracekit-record=new")
    app(1)

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*obsolete goldens*", "recordings/test_app/test_reply.cassette/*.json"])
