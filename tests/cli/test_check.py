"""`tracekit check`: never green for the wrong reason, and what it writes where."""

from __future__ import annotations

import os
import shutil
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS
from tracekit import load, save

NAMES = ("short", "cycle")


@pytest.fixture(autouse=True)
def no_ci(monkeypatch):
    """Each test says itself whether it runs under CI."""
    for name in ("CI", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def goldens(tmp_path):
    """recordings/ with two goldens of the pointer model, short and cycle."""
    (tmp_path / "recordings").mkdir()
    for name in NAMES:
        shutil.copy(RECORDINGS / f"pointer-{name}.json", tmp_path / "recordings" / f"{name}.json")
    return tmp_path / "recordings"


@pytest.fixture
def wrong(goldens):
    """The same, but short predicts what the model does not."""
    trace = load(goldens / "short.json")
    trace["trace"][2]["prediction"] = "?"
    save(trace, goldens / "short.json", overwrite=True)
    return goldens


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_goldens_that_hold_are_a_line_each_and_a_summary(tk, goldens):
    result = tk("check")

    assert result.code == 0
    assert result.out.splitlines()[-1].startswith("2 goldens: ")
    assert [line.split()[:2] for line in result.out.splitlines()[:-1]] == [
        ["ok", "recordings/cycle.json"],
        ["ok", "recordings/short.json"],
    ]
    assert names(goldens) == ["cycle.json", "short.json"]


def test_a_golden_that_differs_is_exit_1_and_leaves_its_fresh_trace(tk, wrong):
    result = tk("check")

    assert result.code == 1
    assert "FAIL  recordings/short.json  different: loop 3: prediction is '" in result.out
    assert "the fresh trace: recordings/short.new.json" in result.out
    assert names(wrong) == ["cycle.json", "short.json", "short.new.json"]


def test_the_next_check_that_passes_removes_the_fresh_trace(tk, wrong):
    tk("check")
    shutil.copy(RECORDINGS / "pointer-short.json", wrong / "short.json")

    assert tk("check").code == 0
    assert names(wrong) == ["cycle.json", "short.json"]


def test_update_all_replaces_what_differs_and_touches_nothing_else(tk, wrong):
    before = (wrong / "cycle.json").read_bytes()

    result = tk("check", "--update", "all")

    assert result.code == 1
    assert "updated" in result.out
    assert load(wrong / "short.json")["metadata"]["tracekit"]["accepted"][0]["verdict"] == "different"
    assert (wrong / "cycle.json").read_bytes() == before
    assert tk("check").code == 0


def test_update_all_takes_no_run_in_which_the_model_raised(tk, goldens):
    trace = load(goldens / "short.json")
    model = {"source": "tests.regression.app:open_raising", "name": "app"}
    save({**trace, "model": model, "request": {}, "settings": {}}, goldens / "short.json", overwrite=True)
    before = (goldens / "short.json").read_bytes()

    result = tk("check", "--update", "all", "--allow-source", "tests.regression.app:open_raising")

    assert result.code == 1
    left = "the fresh trace: recordings/short.new.json (is failed, not complete, so it cannot be a golden)"
    assert left in result.out
    assert (goldens / "short.json").read_bytes() == before


@pytest.mark.parametrize("update", ["all", "new", "none"])
def test_under_ci_nothing_is_written_whatever_is_asked(tk, wrong, monkeypatch, update):
    monkeypatch.setenv("CI", "true")
    before = (wrong / "short.json").read_bytes()

    result = tk("check", "--update", update)

    assert result.code == 1
    assert names(wrong) == ["cycle.json", "short.json"]
    assert (wrong / "short.json").read_bytes() == before


def test_under_ci_writing_can_be_forced(tk, wrong, monkeypatch):
    monkeypatch.setenv("CI", "true")

    tk("check", "--update", "all", "--force-write")

    assert tk("check").code == 0


def test_other_weights_are_told_before_any_golden(tk, goldens):
    result = tk("check", "--checkpoint", "early", "--select", "cycle")

    assert result.code == 1
    assert result.out.startswith("weights differ: recorded with sha256 ")
    assert "model.sha256" in result.out


def test_no_folder_is_exit_2(tk):
    assert "no golden found; nothing was checked" in one_line(tk("check"))


def test_an_empty_folder_is_exit_2(tk, tmp_path):
    (tmp_path / "recordings").mkdir()

    assert "holds no recordings" in one_line(tk("check"))


def test_a_selection_that_matches_nothing_is_exit_2(tk, goldens):
    assert "no golden matches 'none*'; nothing was checked" in one_line(tk("check", "--select", "none*"))


def test_a_projects_selection_that_matches_nothing_is_exit_2(tk, goldens, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.tracekit]\ngoldens = ["none*"]\n')

    assert "no golden matches 'none*'" in one_line(tk("check"))


def test_a_golden_that_is_not_complete_is_exit_2_and_the_others_are_checked(tk, goldens):
    trace = load(goldens / "short.json")
    del trace["summary"]
    save({**trace, "status": "interrupted"}, goldens / "short.json", overwrite=True)

    result = tk("check")

    assert result.code == 2
    assert "ERR   recordings/short.json: is interrupted, not complete" in result.out
    assert "ok    recordings/cycle.json" in result.out


def test_a_source_that_cannot_be_loaded_is_exit_2(tk, goldens):
    result = tk("check", "--checkpoint", "gone")

    assert result.code == 2
    assert result.out.count("ERR ") == 2


def test_a_source_of_ones_own_has_to_be_allowed(tk, goldens):
    trace = load(goldens / "short.json")
    model = {"source": "tests.regression.app:open_source", "name": "app"}
    save({**trace, "model": model, "request": {}, "settings": {}}, goldens / "short.json", overwrite=True)

    refused = tk("check", "-s", "short")
    allowed = tk("check", "-s", "short", "--allow-source", "tests.regression.app:open_source")

    assert refused.code == 2
    assert "--allow-source" in refused.out
    assert allowed.code == 1


@pytest.mark.parametrize("pattern", ["cycle*", "recordings/cy*", "rec*/cycle.json"])
@pytest.mark.parametrize("folder", [".", "recordings", "src/app"])
def test_a_projects_selection_is_the_same_from_every_folder(
    tk, goldens, tmp_path, monkeypatch, folder, pattern
):
    (tmp_path / "pyproject.toml").write_text(f'[tool.tracekit]\ngoldens = ["{pattern}"]\n')
    (tmp_path / "src/app").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / folder)

    result = tk("check", "--unreferenced", "ignore")

    assert result.out.endswith("1 goldens: 1 identical\n")
    assert result.out.count("cycle.json") == 1


@pytest.fixture
def left_over(goldens, tmp_path):
    """A project that selects cycle only."""
    (tmp_path / "pyproject.toml").write_text('[tool.tracekit]\ngoldens = ["cycle*"]\n')
    return goldens


def test_an_obsolete_golden_is_listed_and_fails_under_ci(tk, left_over, monkeypatch):
    here = tk("check")
    monkeypatch.setenv("CI", "1")
    there = tk("check")

    assert (here.code, there.code) == (0, 1)
    for result in (here, there):
        assert "obsolete: recordings/short.json: no selection in pyproject.toml uses it" in result.out


@pytest.mark.parametrize(
    ("action", "code", "left"), [("fail", 1, 2), ("warn", 0, 2), ("ignore", 0, 2), ("delete", 0, 1)]
)
def test_what_is_done_about_obsolete_goldens_can_be_said(tk, left_over, action, code, left):
    assert tk("check", "--unreferenced", action).code == code
    assert len(names(left_over)) == left


@pytest.mark.parametrize("arguments", [["recordings/cycle.json"], ["--select", "cycle"]])
def test_only_a_full_check_knows_what_is_obsolete(tk, left_over, arguments):
    result = tk("check", *arguments, "--unreferenced", "fail")

    assert result.code == 0
    assert "obsolete" not in result.out


def test_junit_and_report_are_written(tk, wrong, tmp_path):
    result = tk("check", "--junit", "out.xml", "--report", "failures")

    assert result.code == 1
    (suite,) = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "short golden" in (tmp_path / "failures" / "index.html").read_text()
    assert "report: failures/index.html" in result.out


def test_github_gets_an_annotation_and_a_step_summary(tk, wrong, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("before\n")

    result = tk("check", "--github")

    assert result.out.count("::error file=recordings/short.json,line=1::different: loop 3") == 1
    assert (tmp_path / "summary.md").read_text().startswith("before\n### tracekit check: 2 goldens: ")


def test_two_processes_say_the_same(tk, wrong):
    one, two = tk("check"), tk("check", "--jobs", "2")

    assert two.code == one.code == 1
    assert sorted(two.out.splitlines()) == sorted(one.out.splitlines())


def test_nothing_is_drawn_where_nobody_watches(tk, goldens):
    assert tk("check").err == ""


def test_a_golden_whose_name_is_not_utf_8_is_reported_everywhere(tk, wrong, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (wrong / "short.json").rename(os.fsdecode(os.fsencode(wrong) + b"/\xff.json"))

    result = tk("check", "--junit", "out.xml", "--report", "failures", "--github", "-s", "*.json")

    assert result.code == 1
    assert "recordings/\ufffd.json" in (tmp_path / "out.xml").read_text()
    assert "recordings/?.json" in (tmp_path / "failures" / "index.html").read_text()
    assert "recordings/?.json" in (tmp_path / "summary.md").read_text()


def test_what_the_system_refuses_to_write_is_told_when_everything_else_has_been(tk, wrong, tmp_path):
    (wrong / "short.new.json").mkdir()

    result = tk("check", "--junit", "out.xml", "--report", "failures")

    said = "recordings/short.new.json: is a folder; expected the name of a file"
    assert result == (2, result.out, f"tracekit: {said}\n")
    assert "FAIL  recordings/short.json  different: " in result.out
    assert "ok    recordings/cycle.json" in result.out
    assert "2 goldens: 1 identical, 1 different" in result.out
    assert (tmp_path / "out.xml").exists()
    assert (tmp_path / "failures" / "index.html").exists()


def test_a_summary_that_cannot_be_written_keeps_no_other_report(tk, wrong, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "gone" / "summary.md"))

    result = tk("check", "--github", "--report", "failures")

    assert one_line(result) == f"tracekit: {tmp_path}/gone/summary.md: there is no such file"
    assert (tmp_path / "failures" / "index.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--junit", "gone/out.xml"), "gone: there is no such folder; make it first"),
        (("--junit", "recordings"), "recordings: is a folder; expected the name of a file"),
        (("--report", "recordings/short.json"), "recordings/short.json: is not a folder"),
    ],
)
def test_where_no_report_can_be_written_nothing_is_checked(tk, wrong, arguments, said):
    result = tk("check", *arguments)

    assert result == (2, "", f"tracekit: {said}\n")
    assert names(wrong) == ["cycle.json", "short.json"]
