"""A hostile trace in the exported page, and the recording that comes out of it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import RECORDINGS
from tests.player.pages import HOSTILE, Open, hostile, press


def test_a_hostile_trace_is_shown_as_text_and_does_nothing(play: Open) -> None:
    page = play(hostile(), request={"prompt": HOSTILE[0]})

    press(page, "End")
    page.locator(".tk-token").nth(2).hover()

    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.images.length") == 0
    assert page.locator(".tk-token").nth(0).inner_text() == HOSTILE[0]
    assert page.locator(".tk-title").inner_text() == HOSTILE[0]
    assert page.title() == "run-0.json"


def test_a_token_that_would_turn_the_text_around_is_disarmed(play: Open) -> None:
    page = play(hostile())

    press(page, "End")

    assert "\u202e" not in page.locator(".tk-shell").inner_text()


def test_a_script_that_is_not_the_players_cannot_run_in_the_page(
    pages: Open, export: Callable[..., Path]
) -> None:
    file = export("short")
    foreign = b"<script>document.title = 'pwned'</script></html>"
    file.write_bytes(file.read_bytes().replace(b"</html>", foreign))
    page = pages(refused="violates the following Content Security Policy directive")

    page.goto(file.as_uri())
    page.wait_for_selector(".tk-now")

    assert page.title() == "pointer-short.json"


@pytest.mark.parametrize(("runs", "lane"), [(["short"], 0), (["errs", "short"], 1)])
def test_save_json_gives_the_recording_back_byte_for_byte(play: Open, runs: list[str], lane: int) -> None:
    page = play(*runs)

    with page.expect_download() as download:
        page.get_by_role("button", name="Save this recording as JSON").nth(lane).click()

    recording = RECORDINGS / f"pointer-{runs[lane]}.json"
    assert Path(download.value.path()).read_bytes() == recording.read_bytes()
    assert download.value.suggested_filename == recording.name


def test_save_json_gives_a_hostile_recording_back_byte_for_byte(play: Open, tmp_path: Path) -> None:
    page = play(hostile(), request={"prompt": HOSTILE[0]})

    with page.expect_download() as download:
        page.get_by_role("button", name="Save this recording as JSON").click()

    assert Path(download.value.path()).read_bytes() == (tmp_path / "run-0.json").read_bytes()
