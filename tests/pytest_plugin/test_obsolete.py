"""pytest inside pytest: goldens that no test uses, and full runs only; pytest-xdist."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import SOURCE, files, forget_bytecode

pytest_plugins = ("pytester",)

TWO = """
def test_one(golden):
    golden.check(model(), {"ask": 1})

def test_two(golden):
    golden.check(model(), {"ask": 2})
"""
ONE = TWO.partition("def test_two")[0]


@pytest.fixture
def left_over(pytester):
    """A project whose test_two is gone, but not its golden."""
    pytester.makepyfile(test_chat=SOURCE.format(probability=0.5) + TWO)
    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=2)
    rewrite(pytester, ONE)
    return pytester


def rewrite(pytester, tests):
    """The module test_chat.py with other tests."""
    pytester.makepyfile(test_chat=SOURCE.format(probability=0.5) + tests)
    forget_bytecode(pytester)


OBSOLETE = ["*obsolete goldens: no test uses them*", "recordings/test_chat/test_two.json"]


def test_an_obsolete_golden_is_listed_and_fails_nothing(left_over):
    result = left_over.runpytest_inprocess()

    assert result.ret == 0
    result.stdout.fnmatch_lines(OBSOLETE)


def test_under_ci_an_obsolete_golden_fails_the_run(left_over, monkeypatch):
    monkeypatch.setenv("CI", "true")

    result = left_over.runpytest_inprocess()

    assert result.ret == 1
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(OBSOLETE)


def test_obsolete_goldens_can_fail_anywhere(left_over):
    assert left_over.runpytest_inprocess("--tracekit-unreferenced=fail").ret == 1


def test_obsolete_goldens_can_be_warned_of_under_ci(left_over, monkeypatch):
    monkeypatch.setenv("CI", "true")

    result = left_over.runpytest_inprocess("--tracekit-unreferenced=warn")

    assert result.ret == 0
    result.stdout.fnmatch_lines(OBSOLETE)


def test_obsolete_goldens_can_be_ignored(left_over):
    result = left_over.runpytest_inprocess("--tracekit-unreferenced=ignore")

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*obsolete goldens*")


def test_obsolete_goldens_can_be_deleted(left_over):
    result = left_over.runpytest_inprocess("--tracekit-unreferenced=delete")

    assert result.ret == 0
    result.stdout.fnmatch_lines([OBSOLETE[0], f"{OBSOLETE[1]} (deleted)"])
    assert files(left_over) == ["test_chat/test_one.json"]


def test_under_ci_nothing_is_deleted_and_the_run_fails(left_over, monkeypatch):
    monkeypatch.setenv("CI", "true")

    result = left_over.runpytest_inprocess("--tracekit-unreferenced=delete")

    assert result.ret == 1
    assert files(left_over) == ["test_chat/test_one.json", "test_chat/test_two.json"]


def test_a_module_that_is_gone_leaves_obsolete_goldens(left_over):
    (left_over.path / "test_chat.py").unlink()
    left_over.makepyfile(test_other="def test_nothing():\n    pass\n")

    result = left_over.runpytest_inprocess()

    assert result.ret == 0
    result.stdout.fnmatch_lines([OBSOLETE[0], "recordings/test_chat/test_one.json", OBSOLETE[1]])


@pytest.mark.parametrize(
    "selection",
    [
        ("-k", "one"),
        ("test_chat.py::test_one",),
        ("test_chat.py",),
        ("--deselect", "test_chat.py::test_none"),
        ("--collect-only",),
        ("--setup-only",),
    ],
)
def test_only_a_full_run_knows_what_is_obsolete(left_over, selection):
    rewrite(left_over, TWO)

    result = left_over.runpytest_inprocess(*selection, "--tracekit-unreferenced=fail")

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*obsolete goldens*")


def test_the_folder_named_is_a_full_run(left_over):
    result = left_over.runpytest_inprocess(str(left_over.path))

    assert result.ret == 0
    result.stdout.fnmatch_lines(OBSOLETE)


def test_last_failed_is_no_full_run(left_over):
    rewrite(left_over, TWO + "\ndef test_three():\n    assert False\n")
    left_over.runpytest_inprocess()

    result = left_over.runpytest_inprocess("--lf", "--tracekit-unreferenced=fail")

    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*obsolete goldens*")


@pytest.mark.parametrize(("instead", "exit_code"), [("pytest.skip('today')", 0), ("assert False", 1)])
def test_a_test_that_did_not_pass_may_have_a_golden_that_it_did_not_come_to(left_over, instead, exit_code):
    rewrite(left_over, f"{ONE}\ndef test_two(golden):\n    {instead}\n")

    result = left_over.runpytest_inprocess()

    assert result.ret == exit_code
    result.stdout.no_fnmatch_line("*obsolete goldens*")


def test_recordings_of_others_are_none_of_our_business(left_over):
    rewrite(left_over, TWO)
    other = left_over.path / "recordings" / "demo"
    other.mkdir()
    source = (left_over.path / "recordings/test_chat/test_one.json").read_text()
    (other / "mine.json").write_text(source.replace('{"tracekit":{"test":"test_chat.py::test_one"}}', "{}"))

    result = left_over.runpytest_inprocess("--tracekit-unreferenced=fail")

    assert result.ret == 0


def test_other_json_beside_the_goldens_of_a_test_is_none_of_our_business(left_over):
    rewrite(left_over, TWO)
    (left_over.path / "recordings" / "test_chat" / "data.json").write_text('{"hello": 1}')

    result = left_over.runpytest_inprocess("--tracekit-unreferenced=delete")

    result.stdout.no_fnmatch_line("*obsolete goldens*")
    assert "test_chat/data.json" in files(left_over)


def test_with_xdist_nothing_that_any_process_used_is_obsolete(left_over):
    rewrite(left_over, TWO)

    result = left_over.runpytest_subprocess("-n2", "--tracekit-unreferenced=fail")

    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_with_xdist_what_is_obsolete_is_found(left_over):
    result = left_over.runpytest_subprocess("-n2", "--tracekit-unreferenced=fail")

    assert result.ret == 1
    result.stdout.fnmatch_lines(OBSOLETE)


def test_with_xdist_a_selection_is_no_full_run(left_over):
    rewrite(left_over, TWO)

    result = left_over.runpytest_subprocess("-n2", "-k", "one", "--tracekit-unreferenced=fail")

    assert result.ret == 0


def test_with_xdist_a_process_that_died_leaves_nothing_to_judge_by(left_over):
    rewrite(left_over, TWO)
    left_over.makepyfile(test_death="import os\n\ndef test_dies():\n    os._exit(9)\n")

    result = left_over.runpytest_subprocess("-n2", "--tracekit-unreferenced=delete")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.no_fnmatch_line("*obsolete goldens*")
    assert files(left_over) == ["test_chat/test_one.json", "test_chat/test_two.json"]


def test_with_xdist_tests_that_share_a_golden_write_it_once(pytester):
    tests = """
@pytest.mark.parametrize("number", range(8))
def test_shared(golden, number):
    golden.check(model(0.5 + number / 100), {"ask": 1}, name="shared")
"""
    pytester.makepyfile(test_chat=SOURCE.format(probability=0.5) + tests)

    result = pytester.runpytest_subprocess("-n4", "--tracekit-update=all")

    result.assert_outcomes(passed=1, failed=7)
    assert files(pytester) == ["test_chat/shared.json", "test_chat/shared.new.json"]
