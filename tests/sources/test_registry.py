"""Sources by name."""

from __future__ import annotations

import pytest

from tracekit.errors import DeviceError, SourceError, UnknownSource, UsageError
from tracekit.sources.registry import SOURCES, LoadOptions, load_source


def test_a_name_loads_its_source(pointer):
    description = pointer.describe()

    assert description.model["source"] == "pointer"
    assert description.model["parameters"] == 186_843
    assert len(description.model["sha256"]) == 64
    assert description.checkpoint == "final"


def test_an_unknown_name_lists_those_that_are_known():
    with pytest.raises(
        UnknownSource, match=r"no source named 'gpt'; there are pointer, .*package\.module:factory"
    ):
        load_source("gpt")


def test_a_source_without_argument_refuses_one():
    with pytest.raises(UsageError, match="--model pointer:x: expected pointer"):
        load_source("pointer:x")


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(SourceError, match="there is no module 'no_such_package'"):
        load_source("no_such_package.models:factory")


def test_a_factory_that_is_not_there_is_named():
    with pytest.raises(SourceError, match="has no attribute 'nope'"):
        load_source("json.decoder:nope")


def test_a_factory_that_makes_no_source_is_refused():
    with pytest.raises(SourceError, match=r"expected it to return a tracekit\.Source; found JSONDecoder"):
        load_source("json.decoder:JSONDecoder")


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(DeviceError, match="device 'cuda:7'"):
        load_source("pointer", LoadOptions(device="cuda:7"))


def test_every_entry_says_what_it_is_and_needs():
    assert all(entry.summary and entry.extra and entry.packages for entry in SOURCES.values())
