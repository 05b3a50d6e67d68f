"""A golden's file from its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracekit.errors import UsageError
from tracekit.regression.naming import given_name, module_folder
from tracekit.regression.naming import test_name as name_of


def test_a_module_has_a_folder_of_its_own():
    assert module_folder(Path("recordings"), "tests/chat/test_reply.py") == Path(
        "recordings/tests/chat/test_reply"
    )


def test_a_module_above_the_project_stays_inside_the_root():
    assert module_folder(Path("recordings"), "../other/test_reply.py") == Path("recordings/other/test_reply")


def test_a_plain_name_is_the_files_name():
    assert name_of("TestChat::test_reply") == "TestChat.test_reply"


def test_names_that_look_alike_on_disk_are_told_apart():
    names = {name_of(f"test_reply[{words}]") for words in ("a b", "a/b", "a-b", "a:b")}

    assert len(names) == 4
    assert all(name.startswith("test_reply-a-b-") for name in names)


def test_a_long_name_is_cut_and_still_its_own():
    first, second = (name_of(f"test[{'x' * 300}{end}]") for end in "ab")

    assert len(first) < 100
    assert first != second


@pytest.mark.parametrize("name", ["shared", "chat/long", "a.b-c_1", "shared.json"])
def test_a_given_name_is_taken(name):
    assert given_name(name) == name.removesuffix(".json")


@pytest.mark.parametrize(
    "name", ["", "../up", "/root", "a//b", ".hidden", "a/.b", "x.new", "a b", "a\\b", "a\0b"]
)
def test_a_given_name_that_is_no_plain_path_is_refused(name):
    with pytest.raises(UsageError, match="golden name"):
        given_name(name)
