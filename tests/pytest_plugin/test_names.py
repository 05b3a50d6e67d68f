"""pytest inside pytest: which golden a test's name leads to."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import files
from tracekit import load

pytest_plugins = ("pytester",)


def test_parametrized_ids_and_classes_make_the_name(pytester, write):
    write(
        """
class TestChat:
    @pytest.mark.parametrize("words", ["one", "two words", "two/words"])
    def test_reply(self, golden, words):
        golden.check(model(), {"ask": words})
"""
    )

    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=3)
    pytester.runpytest_inprocess().assert_outcomes(passed=3)

    one, *others = files(pytester)
    assert one == "test_chat/TestChat.test_reply-one-c1ef09f3.json"
    assert len(set(others)) == 2


def test_a_test_may_check_many_and_name_its_goldens(pytester, write):
    write(
        """
def test_reply(golden):
    golden.check(model(), {"ask": 1})
    golden.check(model(), {"ask": 2})
    golden.check(model(), {"ask": 3}, name="chat/third")
"""
    )

    pytester.runpytest_inprocess("--tracekit-update=new").assert_outcomes(passed=1)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)

    assert files(pytester) == [
        "test_chat/chat/third.json",
        "test_chat/test_reply-2.json",
        "test_chat/test_reply.json",
    ]


@pytest.mark.parametrize("name", ["../escape", "/etc/passwd", "a//b", ".hidden", "x.new", "", "a\\\\b"])
def test_a_name_that_is_no_plain_path_is_refused(pytester, write, name):
    write(f'def test_reply(golden):\n    golden.check(model(), {{}}, name="{name}")\n')

    result = pytester.runpytest_inprocess("--tracekit-update=all")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*UsageError: golden name *expected letters, digits*"])
    assert files(pytester) == []


def test_tests_that_share_a_golden_compare_with_what_the_first_wrote(pytester, write):
    write(
        """
def test_first(golden):
    golden.check(model(0.5), {"ask": 1}, name="shared")

def test_second(golden):
    golden.check(model(0.7), {"ask": 1}, name="shared")
"""
    )

    result = pytester.runpytest_inprocess("--tracekit-update=all")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*stop_probability is 0.7, was 0.5*"])
    assert load(pytester.path / "recordings/test_chat/shared.json")["trace"][0]["stop_probability"] == 0.5
