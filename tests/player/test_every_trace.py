"""Whatever the schema lets through plays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from playwright.sync_api import Page

import tracekit
from tests.conftest import RECORDINGS
from tests.format.strategies import documents
from tests.player.pages import Open
from tracekit.format.codec import decode, encode

_PLAY = """async (json) => {
    const player = mount(host, { traces: [JSON.parse(json)] });
    for (let step = 0; step <= player.state().steps; step++) {
        player.seek({ step });
        await new Promise(requestAnimationFrame);
    }
    player.seek({ time: Infinity });
    const { steps } = player.state();
    player.destroy();
    return steps;
}"""


@pytest.fixture
def page(mounted: Open) -> Page:
    return mounted()


@pytest.fixture
def short() -> dict[str, Any]:
    return {**tracekit.load(RECORDINGS / "pointer-short.json")}


def play(page: Page, trace: Any) -> int:
    """Every step of a trace in the player, drawn; how many there were."""
    steps: int = page.evaluate(_PLAY, json.dumps(trace))
    return steps


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(document=documents)
def test_every_valid_trace_plays_to_its_end(page: Page, document: dict[str, Any]) -> None:
    trace = decode(encode(document))

    assert play(page, trace) == len(trace["trace"])


@pytest.mark.parametrize("said", [{"messages": 5}, {"messages": [None]}, {"messages": {}}, {"steps": "many"}])
def test_a_request_of_any_shape_plays(page: Page, short: dict[str, Any], said: dict[str, Any]) -> None:
    assert play(page, short | {"request": said}) == 12


def test_a_wrong_step_whose_step_before_says_nothing_of_what_is_expected_plays(
    page: Page, short: Any
) -> None:
    first, second, *rest = short["trace"]
    del first["expected"]
    rows = [first, {**second, "correct": False, "expected": "A"}, *rest]

    assert play(page, short | {"trace": rows}) == 12
