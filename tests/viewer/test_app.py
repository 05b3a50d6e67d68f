"""The widgets' logic, by Streamlit's own AppTest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tracekit.viewer.parts import plain

Start = Callable[..., AppTest]


@pytest.fixture
def app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """The whole app with these arguments, after its first run."""

    def start(*arguments: str, **query: str) -> AppTest:
        monkeypatch.setattr(sys, "argv", ["viewer.py", *(arguments or [str(folder)])])
        test = AppTest.from_file(ROOT / "viewer.py", default_timeout=60)
        for name, value in query.items():
            test.query_params[name] = value
        return test.run()

    return start


@pytest.fixture
def live(folder: Path) -> AppTest:
    """The Live page, after its first run."""

    def script(root):
        from tracekit.viewer.live import page, stop_run
        from tracekit.viewer.settings import Settings

        stop_run()
        page(Settings(root))

    return AppTest.from_function(script, kwargs={"root": folder}, default_timeout=60).run()


def listed(test: AppTest) -> list[str]:
    return list(test.sidebar.dataframe[0].value["Recording"])


def test_every_recording_in_the_folder_is_listed_with_its_outcome(app: Start) -> None:
    test = app()

    assert not test.exception
    assert listed(test) == ["below/pointer-short", "pointer-cycle", "pointer-errs", "pointer-long"]
    assert list(test.sidebar.dataframe[0].value[""]) == ["✓", "✓", "✗", "✓"]
    assert list(test.sidebar.dataframe[0].value["Steps"]) == [12, 52, 48, 256]


def test_search_and_filters_narrow_the_list(app: Start) -> None:
    test = app()

    test.text_input(key="search").set_value("pointer -").run()
    assert listed(test) == ["below/pointer-short", "pointer-cycle", "pointer-errs", "pointer-long"]
    test.pills(key="answer").set_value(["wrong"]).run()
    assert listed(test) == ["pointer-errs"]
    test.pills(key="kind").set_value(["token"]).run()

    assert not test.sidebar.dataframe
    assert not test.exception


def test_a_link_sets_the_filters(app: Start) -> None:
    test = app(search="long", answer="right")

    assert listed(test) == ["pointer-long"]
    assert test.text_input(key="search").value == "long"


def test_a_path_that_is_not_there_is_said_in_words(app: Start) -> None:
    test = app("/nowhere/at all")

    assert "there is no such file or folder" in test.error[0].value


def test_an_empty_folder_says_how_to_fill_it(app: Start, tmp_path: Path) -> None:
    test = app(str(tmp_path))

    assert "holds no recordings yet" in test.info[0].value
    assert not test.exception


def test_a_drawn_table_is_what_the_model_is_asked(live: AppTest) -> None:
    live.button(key="draw Permutation").click().run()
    drawn = live.session_state["pairs"]
    live.number_input(key="steps").set_value(7).run()
    live.selectbox(key="start").set_value("Q").run()

    live.button(key="run button").click().run()

    trace = live.session_state["run"].trace
    assert trace["request"] == {"mapping": [list(pair) for pair in drawn], "start": "Q", "steps": 7}
    assert (trace["status"], len(trace["trace"]), trace["checkpoint"]) == ("complete", 7, "final")
    assert sorted(to for _, to in drawn) == [chr(65 + at) for at in range(26)]


def test_the_threshold_and_the_cap_reach_the_model(live: AppTest) -> None:
    live.segmented_control(key="checkpoint").set_value("early").run()
    live.slider(key="threshold").set_value(0.99).run()
    live.number_input(key="cap").set_value(5).run()

    live.button(key="run button").click().run()

    trace = live.session_state["run"].trace
    assert trace["settings"] == {"threshold": 0.99, "safety_cap": 5}
    assert (trace["summary"]["stop_reason"], len(trace["trace"])) == ("cap", 5)
    assert trace["checkpoint"] == "early"


def test_the_model_is_loaded_once_for_all(live: AppTest) -> None:
    from tracekit.viewer.live import load_once

    assert load_once("pointer", "final") is load_once("pointer", "final")


@pytest.mark.parametrize(
    "text", ["![x](http://evil.test/x.png)", "$a$ :red[b] `c` <b> **d** ~e~ #f", "a\n# b"]
)
def test_plain_text_has_no_markdown_left(text: str) -> None:
    import re

    assert re.sub(r"\\([!-/:-@\[-`{-~])", "", plain(text)).replace(" ", "").isalnum()
