"""pytest inside pytest: the fixture `golden`, each mode, with CI and without."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.pytest_plugin.project import SOURCE, files
from tracekit import load

pytest_plugins = ("pytester",)


def test_without_a_golden_the_test_fails_and_says_how_to_write_one(pytester, write):
    write()

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_reply.json: there is no such golden*--tracekit-update=new*"])
    assert files(pytester) == []


@pytest.mark.parametrize("mode", ["new", "all"])
def test_a_new_golden_is_written_when_asked_and_then_holds(pytester, write, mode):
    write()

    pytester.runpytest_inprocess(f"--tracekit-update={mode}").assert_outcomes(passed=1)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)

    assert files(pytester) == ["test_chat/test_reply.json"]
    golden = load(pytester.path / "recordings/test_chat/test_reply.json")
    assert golden["request"] == {"ask": 1}
    assert golden["metadata"] == {"tracekit": {"test": "test_chat.py::test_reply"}}


@pytest.mark.parametrize("mode", ["new", "none"])
def test_a_run_that_differs_fails_shows_how_and_leaves_the_fresh_trace(pytester, write, mode):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    write(probability=0.6)

    result = pytester.runpytest_inprocess(f"--tracekit-update={mode}")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*different: loop 1: stop_probability is 0.6, was 0.5 (off by 0.1, allowed 0.00025)*",
            "*golden: recordings/test_chat/test_reply.json*",
            "*fresh trace: recordings/test_chat/test_reply.new.json*",
        ]
    )
    assert files(pytester) == ["test_chat/test_reply.json", "test_chat/test_reply.new.json"]
    assert (
        load(pytester.path / "recordings/test_chat/test_reply.new.json")["trace"][0]["stop_probability"]
        == 0.6
    )


def test_a_golden_that_passes_again_keeps_no_fresh_trace_of_an_earlier_session(pytester, write):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    write(probability=0.6)
    pytester.runpytest_inprocess()
    write()

    pytester.runpytest_inprocess().assert_outcomes(passed=1)

    assert files(pytester) == ["test_chat/test_reply.json"]


def test_all_replaces_a_golden_that_differs_and_keeps_why(pytester, write):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    write(probability=0.6)

    pytester.runpytest_inprocess("--tracekit-update=all").assert_outcomes(passed=1)

    golden = load(pytester.path / "recordings/test_chat/test_reply.json")
    assert golden["trace"][0]["stop_probability"] == 0.6
    (accepted,) = golden["metadata"]["tracekit"]["accepted"]
    assert accepted["verdict"] == "different"
    assert accepted["reason"] == "updated by pytest --tracekit-update=all"
    assert golden["metadata"]["tracekit"]["test"] == "test_chat.py::test_reply"


def test_a_run_in_which_the_model_raised_replaces_no_golden(pytester, write):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    golden = pytester.path / "recordings/test_chat/test_reply.json"
    before = golden.read_bytes()
    write("""
from tracekit import GeneratorSource

def steps(request):
    yield {"prediction": "A", "stop_probability": 0.5}
    raise RuntimeError("out of memory")

def test_reply(golden):
    golden.check(GeneratorSource("loop", steps), {"ask": 1})
""")

    result = pytester.runpytest_inprocess("--tracekit-update=all")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*error.message*out of memory*", "*fresh trace: *test_reply.new.json*"])
    assert golden.read_bytes() == before


@pytest.mark.parametrize("ci", ["1", "true", "yes"])
@pytest.mark.parametrize("mode", ["new", "all"])
def test_under_ci_nothing_is_written_whatever_is_asked(pytester, write, monkeypatch, ci, mode):
    monkeypatch.setenv("CI", ci)
    write()

    result = pytester.runpytest_inprocess(f"--tracekit-update={mode}")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*(CI: nothing is written)*", "*there is no such golden; under CI*"])
    assert files(pytester) == []


def test_under_ci_a_golden_that_differs_is_neither_replaced_nor_joined(pytester, write, monkeypatch):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    before = (pytester.path / "recordings/test_chat/test_reply.json").read_bytes()
    monkeypatch.setenv("CI", "1")
    write(probability=0.6)

    result = pytester.runpytest_inprocess("--tracekit-update=all")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*fresh trace: not left, since under CI nothing is written*"])
    assert files(pytester) == ["test_chat/test_reply.json"]
    assert (pytester.path / "recordings/test_chat/test_reply.json").read_bytes() == before


def test_a_difference_is_told_where_its_trace_cannot_be_left(pytester, write):
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    (pytester.path / "recordings" / "test_chat" / "test_reply.new.json").mkdir()
    write(probability=0.9)

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*different: loop 1: stop_probability*", "*not left, since *is a folder; *"])


def test_under_ci_writing_can_be_forced(pytester, write, monkeypatch):
    monkeypatch.setenv("CI", "1")
    write()

    pytester.runpytest_inprocess("--tracekit-update=new", "--tracekit-force-write").assert_outcomes(passed=1)

    assert files(pytester) == ["test_chat/test_reply.json"]


@pytest.mark.parametrize("ci", ["", "0", "false", "False"])
def test_ci_that_is_set_to_no_is_no_ci(pytester, write, monkeypatch, ci):
    monkeypatch.setenv("CI", ci)
    write()

    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=1)


def test_the_header_says_the_root_and_the_modes(pytester, write):
    write()
    pytester.makeini("[pytest]\ntracekit_recordings = tests/goldens\n")

    result = pytester.runpytest_inprocess("--tracekit-update=new", "--tracekit-record=once")

    result.stdout.fnmatch_lines(["tracekit: tests/goldens/, update new, record once"])
    assert (pytester.path / "tests/goldens/test_chat/test_reply.json").is_file()


def test_a_trace_can_be_checked_instead_of_a_source(pytester, write):
    write(
        """
import tracekit

def test_reply(golden):
    *_, trace = tracekit.stream(model(), {"ask": 1})
    golden.check(trace)
"""
    )

    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=1)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_trace_that_is_not_complete_does_not_become_a_golden(pytester, write):
    write(
        """
import tracekit

def test_reply(golden):
    golden.check(next(tracekit.stream(model(), {"ask": 1})))
"""
    )

    result = pytester.runpytest_inprocess("--tracekit-update=new")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*UncheckableGolden: *is streaming, not complete*"])
    assert files(pytester) == []


def test_a_tests_own_tolerance_wins_and_is_named(pytester, write):
    tests = "def test_reply(golden):\n    golden.check(model(), {}, tolerance={'rtol': %s})\n"
    write(tests % 0.5)
    pytester.runpytest_inprocess("--tracekit-update=new")

    write(tests % 0.5, probability=0.6)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    write(tests % 0.1, probability=0.6)
    result = pytester.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*tolerance (the test's argument): rtol 0.1*"])


def test_the_projects_tolerance_holds_and_is_named(pytester, write):
    pytester.makepyprojecttoml("[tool.tracekit.tolerance]\nrtol = 0.1\n")
    write()
    pytester.runpytest_inprocess("--tracekit-update=new")
    write(probability=0.6)

    result = pytester.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*tolerance (pyproject.toml): rtol 0.1*"])


def test_a_recording_can_be_run_again_by_its_path_with_a_source_that_the_project_allows(pytester):
    pytester.makepyfile(
        app=SOURCE.format(probability=0.5)
        + """
from tracekit.streaming.source import Description

class App(ScriptedSource):
    def describe(self):
        return Description(model={"source": "app:load_model", "name": "app"})

def load_model():
    return App("loop", model().script)
"""
    )
    check = "import app\ndef test_it(golden):\n    golden.check(app.load_model(), {'ask': 1})\n"
    pytester.makepyfile(test_chat=check)
    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=1)
    again = "def test_it(golden):\n    golden.recheck('recordings/test_chat/test_it.json')\n"
    pytester.makepyfile(test_again=again)

    refused = pytester.runpytest_inprocess("test_again.py")
    pytester.makepyprojecttoml('[tool.tracekit]\nsources = ["app:load_model"]\n')
    allowed = pytester.runpytest_inprocess("test_again.py")

    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines(["*UntrustedSource: *names the source 'app:load_model', which would run*"])
    allowed.assert_outcomes(passed=1)


def test_importing_the_plugin_brings_in_nothing_of_weight():
    code = (
        "import pytest, sys; before = set(sys.modules); import tracekit.pytest_plugin; "
        "print(sorted(set(sys.modules) - before))"
    )

    brought = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert brought.strip() == "['tracekit', 'tracekit.pytest_plugin']"
