"""Upgrades lose nothing; the one downgrade undoes them, and refuses what version 1 cannot hold."""

from __future__ import annotations

import copy
from pathlib import Path

import orjson
import pytest
from hypothesis import given

from tests.format.strategies import Json, reference_documents, shuffled, traces
from tracekit.errors import UnsupportedVersion
from tracekit.format.codec import decode
from tracekit.format.validation import check
from tracekit.format.versions import downgrade, upgrade

RECORDINGS = Path(__file__).parents[2] / "recordings"


def recorded(name: str) -> Json:
    return decode((RECORDINGS / f"pointer-{name}.json").read_bytes())


@given(reference_documents())
def test_an_upgraded_document_is_valid(old: Json) -> None:
    check(upgrade(old), 2, "run.json")


@given(reference_documents())
def test_an_upgrade_is_undone_by_the_downgrade(old: Json) -> None:
    assert downgrade(upgrade(old)) == old


@given(reference_documents())
def test_an_upgrade_is_a_pure_function_of_the_content(old: Json) -> None:
    before = copy.deepcopy(old)

    assert upgrade(old) == upgrade(shuffled(old))
    assert old == before


@given(traces())
def test_the_current_version_is_left_as_it_is(trace: Json) -> None:
    assert upgrade(trace) is trace


def test_an_upgrade_says_what_it_does_not_know() -> None:
    new = upgrade(downgrade(recorded("short")))

    assert new["created_at"] == "1970-01-01T00:00:00.000Z"
    assert new["environment"] == {"python": "unknown", "platform": "unknown", "cpu": "unknown"}
    assert new["recorder"] == {"name": "reference", "version": "1"}
    assert new["id"].startswith("00000000-0000-7")


def test_two_documents_have_two_ids() -> None:
    ids = {upgrade(downgrade(recorded(name)))["id"] for name in ("short", "long", "cycle")}

    assert len(ids) == 3


@pytest.mark.parametrize("name", ["short", "long", "cycle", "errs", "fixed-point"])
def test_a_shipped_recording_goes_to_version_1_and_its_run_comes_back(name: str) -> None:
    trace = recorded(name)

    back = upgrade(downgrade(trace))

    kept = ("kind", "checkpoint", "request", "settings", "status", "trace", "summary", "inference_seconds")
    assert {key: back[key] for key in kept} == {key: trace[key] for key in kept}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "cancelled"}, '/status: expected one of "streaming", "complete"; found "cancelled"'),
        ({"request": {"prompt": "a"}}, '/request: expected the key "mapping"; found an object with "prompt"'),
        ({"settings": {"threshold": 0.5}}, '/: expected the key "safety_cap"; found an object with "schem'),
        ({"trace": [{"loop": 1, "prediction": "A", "arrival_seconds": 0.0}]}, "/trace/0: expected the key"),
    ],
    ids=["status", "request", "settings", "rows"],
)
def test_what_version_1_cannot_hold_is_refused_in_words(change: Json, reason: str) -> None:
    with pytest.raises(UnsupportedVersion) as refused:
        downgrade({**recorded("short"), **change}, "run.json")

    assert str(refused.value).startswith(f"run.json: version 1 cannot hold this trace: {reason}")


def test_version_1_cannot_hold_tokens() -> None:
    with pytest.raises(UnsupportedVersion, match="it knows only loops, and this has tokens"):
        downgrade({**recorded("short"), "kind": "token"})


def test_nothing_of_a_recording_is_changed_by_a_downgrade() -> None:
    trace = recorded("short")
    before = orjson.dumps(trace)

    downgrade(trace)

    assert orjson.dumps(trace) == before
