"""A check for CI: JUnit, GitHub's annotations and summary, and the page with every failure in the player."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.regression.traces import changed
from tracekit import compare, load, save
from tracekit.regression.check import Outcome
from tracekit.regression.checkrun import settle
from tracekit.regression.files import Update, WritePolicy
from tracekit.regression.github import annotate, step_summary
from tracekit.regression.junit import junit
from tracekit.regression.report import page, write_report

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m|`*\n::error::"


def different(cycle, path="a.json", prediction="?"):
    """The outcome of a golden whose fresh run predicted otherwise."""
    fresh = changed(cycle)
    fresh["trace"][3]["prediction"] = prediction
    return Outcome(Path(path), compare(cycle, fresh), cycle, fresh, seconds=0.5)


def passed(cycle, path="b.json"):
    return Outcome(Path(path), compare(cycle, cycle), seconds=0.25)


ERROR = Outcome(Path("c.json"), error="c.json: is failed, not complete")


def test_junit_has_a_case_a_golden(cycle):
    root = ElementTree.fromstring(junit([different(cycle), passed(cycle), ERROR], ["old.json"]))

    (suite,) = root
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "time")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
        "time": "0.750",
    }
    assert [(case.get("name"), *(child.tag for child in case)) for case in suite] == [
        ("a.json", "failure"),
        ("b.json", "system-out"),
        ("c.json", "error"),
        ("old.json", "failure"),
    ]
    assert suite[0][0].get("message").startswith("different: loop 4: prediction is '?', was ")
    assert suite[2][0].get("message") == "c.json: is failed, not complete"


def test_junit_holds_any_text(cycle):
    outcome = Outcome(Path(HOSTILE), error="\x00\x1b\ud800￿ fine")

    (case,) = ElementTree.fromstring(junit([outcome]))[0]

    assert case[0].get("message").endswith("fine")
    assert case.get("name").startswith("</script>")


def test_an_annotation_a_failure_names_its_file(cycle):
    was = cycle["trace"][3]["prediction"]

    assert annotate([different(cycle), passed(cycle), ERROR], ["old.json"]) == [
        f"::error file=a.json,line=1::different: loop 4: prediction is '?', was {was!r}",
        "::error file=c.json,line=1::c.json: is failed, not complete",
        "::error file=old.json,line=1::obsolete: nothing uses this golden",
    ]


@pytest.mark.parametrize("failures", [10, 11, 200])
def test_there_are_ten_annotations_at_most(cycle, failures):
    told = annotate([different(cycle, f"{at}.json") for at in range(failures)])

    assert len(told) == 10
    assert ("more goldens fail" in told[-1]) is (failures > 10)


def test_the_last_annotation_counts_the_rest(cycle):
    told = annotate([different(cycle, f"{at}.json") for at in range(30)])

    assert told[-1] == "::error::21 more goldens fail, beginning with 9.json; the step summary has them all"


def test_no_text_ends_an_annotation_or_begins_another(cycle):
    told = annotate([Outcome(Path("a,b:c.json"), error=HOSTILE)])

    assert len(told) == 1
    assert "\n" not in told[0]
    assert told[0].startswith("::error file=a%2Cb%3Ac.json,line=1::")


def test_the_step_summary_is_a_table_of_what_fails(cycle):
    text = step_summary([different(cycle), passed(cycle), ERROR])

    assert text.splitlines()[0] == "### tracekit check: 3 goldens: 1 identical, 1 different, 1 error"
    assert [line.split(" | ")[0] for line in text.splitlines() if line.startswith("|")] == [
        "| golden",
        "| ---",
        "| a.json",
        "| c.json",
    ]


def test_the_step_summary_shows_any_text_as_it_is(cycle):
    text = step_summary([Outcome(Path("a|b.json"), error=HOSTILE)])

    assert "<img" not in text
    assert "| a\\|b.json |" in text
    assert text.count("\n| ") == len(["golden", "---", "a|b.json"])


class Page(HTMLParser):
    """The tags of a page, and the documents that its frames hold."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.frames = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attrs)["srcdoc"])


def test_the_page_has_each_failure_side_by_side_in_the_player(cycle, tmp_path):
    save(cycle, tmp_path / "a.json")
    outcomes = [different(cycle, tmp_path / "a.json"), passed(cycle), ERROR]

    path = write_report(tmp_path / "failures", outcomes, ["old.json"])

    text = path.read_text()
    found = Page(text)
    assert path == tmp_path / "failures" / "index.html"
    assert "<h1>3 goldens, 2 failed</h1>" in text
    assert "Not checked: c.json: is failed, not complete" in text
    (frame,) = found.frames
    assert re.findall(r'data-name="([^"]*)"', frame) == ["a golden", "a fresh"]
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in frame


def test_the_page_loads_nothing_and_obeys_nothing_of_a_trace(cycle, tmp_path):
    save(cycle, tmp_path / "a.json")

    text = "".join(
        page([different(cycle, tmp_path / "a.json", HOSTILE), Outcome(Path(HOSTILE), error=HOSTILE)])
    )

    assert not {"img", "script", "link"} & set(Page(text).tags)


def test_the_page_plays_the_golden_that_was_compared_although_it_was_replaced(cycle, tmp_path):
    outcome = different(cycle, tmp_path / "a.json")
    settle(outcome, WritePolicy(Update.ALL), "2026-01-02T03:04:05.000Z")

    (frame,) = Page("".join(page([outcome]))).frames

    assert load(tmp_path / "a.json")["trace"][3]["prediction"] == "?"
    assert frame.count('"prediction":"?"') == 1


def test_a_page_without_failures_says_so(cycle):
    assert "<p>Every golden passed.</p>" in "".join(page([passed(cycle)]))
