"""Sources by name."""

from __future__ import annotations

import pytest

from tracekit.errors import DeviceError, SourceError, UnknownSource, UsageError
from tracekit.sources.registry import MOST_THREADS, SOURCES, LoadOptions, load_source


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


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("json:loads", "loads() missing 1 required positional argument: 's'"),
        ("os.path:sep", "'str' object is not callable"),
        ("builtins:type", "type() takes 1 or 3 arguments"),
        ("tracekit:Source", "Can't instantiate abstract class Source with abstract method observe"),
    ],
)
def test_what_cannot_be_called_as_a_factory_is_refused(place, found):
    with pytest.raises(SourceError) as refused:
        load_source(place)

    expected = "expected a function without arguments that returns a tracekit.Source"
    assert str(refused.value) == f"--model {place}: {expected}; {found}"


def test_what_a_factory_raises_comes_out_as_itself(tmp_path, monkeypatch):
    (tmp_path / "broken_factory.py").write_text("def make():\n    return len(3)\n")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(TypeError, match="object of type 'int' has no len"):
        load_source("broken_factory:make")


@pytest.mark.parametrize("threads", [0, MOST_THREADS + 1, 99_999_999_999])
def test_a_number_of_threads_that_torch_would_die_of_is_refused(threads):
    with pytest.raises(UsageError, match=f"threads must be from 1 to 1024, not {threads}"):
        LoadOptions(threads=threads)


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(DeviceError, match="device 'cuda:7'"):
        load_source("pointer", LoadOptions(device="cuda:7"))


def test_every_entry_says_what_it_is_and_needs():
    assert all(entry.summary and entry.extra and entry.packages for entry in SOURCES.values())
