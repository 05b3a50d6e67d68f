"""What stands before a run's rows."""

from __future__ import annotations

import platform
from importlib.metadata import version

import pytest
import torch

from tracekit import Script, ScriptedSource
from tracekit.errors import RunError
from tracekit.streaming.header import new_header


def test_the_header_says_who_what_where_and_when(pointer, request_json):
    header = new_header(pointer, pointer.parse_request(request_json), {"ticket": "A-1"})

    assert header["recorder"] == {"name": "tracekit", "version": version("tracekit")}
    assert header["model"]["name"] == "tracekit-pointer"
    assert header["model"]["device"] == "cpu"
    assert header["environment"]["python"] == platform.python_version()
    assert header["environment"]["torch"] == str(torch.__version__)
    assert header["environment"]["threads"] == torch.get_num_threads()
    assert header["request"] == request_json
    assert header["settings"] == {"threshold": 0.5, "safety_cap": 272}
    assert header["metadata"] == {"ticket": "A-1"}
    assert header["status"] == "streaming"


def test_no_two_runs_have_one_id(pointer, request_json):
    request = pointer.parse_request(request_json)

    assert len({new_header(pointer, request)["id"] for _ in range(100)}) == 100


def test_a_source_that_cannot_describe_itself_is_named_with_what_it_raised():
    class Nameless(ScriptedSource):
        def describe(self):
            raise KeyError("name")

    with pytest.raises(RunError, match="the source Nameless raised KeyError: 'name'"):
        new_header(Nameless("token", Script([])), {})
