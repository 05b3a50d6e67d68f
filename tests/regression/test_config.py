"""`[tool.tracekit]` in pyproject.toml."""

from __future__ import annotations

import pytest

from tracekit.errors import StorageError, UsageError
from tracekit.regression.config import Config, find_config

PROJECT = """
[tool.tracekit]
recordings = "tests/goldens"
goldens = ["keep*"]
sources = ["app.model:open"]
[tool.tracekit.tolerance]
rtol = 0.01
"""


def test_the_nearest_project_above_speaks(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    inside = tmp_path / "src" / "app"
    inside.mkdir(parents=True)

    assert find_config(inside) == Config(
        tmp_path, tmp_path / "tests/goldens", ("keep*",), ("app.model:open",), {"rtol": 0.01}
    )


def test_without_a_project_the_defaults_hold(tmp_path):
    assert find_config(tmp_path) == Config(tmp_path, tmp_path / "recordings")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[tool.tracekit]\nrecording = 'x'", "tool.tracekit.recording is not a setting"),
        ("[tool.tracekit]\nrecordings = 3", "recordings: expected the name of a folder"),
        ("[tool.tracekit]\nsources = 'app:open'", "sources: expected a list of strings"),
        ("[tool.tracekit]\ntolerance = 1", "tolerance: expected a table"),
        ("tool = 3", "pyproject.toml: tool: expected a table"),
        ("[tool]\ntracekit = 1", "tool.tracekit: expected a table"),
    ],
)
def test_what_is_no_setting_is_refused_by_name(tmp_path, table, told):
    (tmp_path / "pyproject.toml").write_text(table)

    with pytest.raises(UsageError, match=told):
        find_config(tmp_path)


@pytest.mark.parametrize("text", ["[tool", f"rtol = {'9' * 5000}"])
def test_a_project_that_is_not_toml_is_an_error(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)

    with pytest.raises(StorageError, match="is not TOML"):
        find_config(tmp_path)
