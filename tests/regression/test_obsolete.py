"""Recordings that nothing uses, as the command line finds them."""

from __future__ import annotations

import pytest

from tracekit import save
from tracekit.regression.files import WritePolicy
from tracekit.regression.obsolete import Unreferenced, action_for, delete_all, unselected


@pytest.mark.parametrize(
    ("asked", "policy", "action"),
    [
        (None, WritePolicy(), "warn"),
        (None, WritePolicy(ci=True), "fail"),
        ("ignore", WritePolicy(ci=True), "ignore"),
        ("warn", WritePolicy(ci=True), "warn"),
        ("fail", WritePolicy(), "fail"),
        ("delete", WritePolicy(), "delete"),
        ("delete", WritePolicy(ci=True), "fail"),
        ("delete", WritePolicy(ci=True, force=True), "delete"),
    ],
)
def test_what_is_done_depends_on_what_is_asked_and_on_ci(asked, policy, action):
    assert action_for(asked and Unreferenced(asked), policy) is Unreferenced(action)


def test_what_is_not_selected_is_found_and_can_be_deleted(tmp_path, cycle):
    for name in ("kept", "old"):
        save(cycle, tmp_path / f"{name}.json")

    found = unselected(tmp_path, [tmp_path / "kept.json"])
    delete_all(found)

    assert found == [tmp_path / "old.json"]
    assert list(tmp_path.iterdir()) == [tmp_path / "kept.json"]


@pytest.mark.parametrize("content", ['{"hello": 1}', "// a comment\n{}", "", '{"schema_version": 2, "kind"'])
def test_what_does_not_read_as_a_trace_is_not_obsolete(tmp_path, cycle, content):
    save(cycle, tmp_path / "kept.json")
    (tmp_path / "tsconfig.json").write_text(content)
    (tmp_path / "folder.json").mkdir()

    assert unselected(tmp_path, [tmp_path / "kept.json"]) == []
