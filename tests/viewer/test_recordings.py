"""The Recordings page, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.conftest import RECORDINGS
from tests.viewer.conftest import Open, pick
from tracekit.format.codec import encode
from tracekit.player.html import Entry, export_html
from tracekit.storage.store import load


def test_a_recording_picked_from_the_list_plays_and_stands_in_the_address(tab: Open) -> None:
    page = tab()
    expect(page.locator(".tk-title")).to_have_text("pointer-short.json")

    pick(page, 2)

    expect(page.locator(".tk-title")).to_have_text("pointer-errs.json")
    expect(page).to_have_url(re.compile(r"\?recording=pointer-errs\.json$"))


def test_a_link_opens_the_same_recording_at_the_same_step(tab: Open) -> None:
    first = tab("/?recording=below%2Fpointer-short.json")
    expect(first.locator(".tk-title")).to_have_text("pointer-short.json")
    first.get_by_role("button", name="A step on (→)").click()
    first.get_by_role("button", name="A step on (→)").click()
    expect(first).to_have_url(re.compile(r"step=2$"))

    second = tab(first.url.split("/", 3)[3].join(["/", ""]))

    expect(second.locator(".tk-title")).to_have_text("pointer-short.json")
    expect(second.locator(".tk-facts dd").first).to_have_text("2 / 12")


def test_the_player_animates_without_the_server(tab: Open) -> None:
    page = tab("/?recording=pointer-cycle.json")
    page.locator(".tk").evaluate("node => { node.dataset.same = 'yes'; }")
    page.evaluate("""() => {
        window.messages = 0;
        const deliver = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data").get;
        Object.defineProperty(MessageEvent.prototype, "data", { get() {
          if (this.target instanceof WebSocket) window.messages += 1;
          return deliver.call(this);
        } });
      }""")

    page.get_by_role("button", name="Play (space)").click()
    expect(page.locator(".tk-facts dd").first).to_have_text(re.compile(r"^([5-9]|\d\d) / 52"))

    assert page.evaluate("window.messages") == 0
    assert page.locator(".tk").get_attribute("data-same") == "yes"
    pick(page, 2)
    expect(page.locator(".tk-title")).to_have_text("pointer-errs.json")
    assert page.evaluate("window.messages") > 0


def test_keys_and_the_dark_theme_reach_the_player(tab: Open) -> None:
    page = tab("/?recording=pointer-cycle.json", color_scheme="dark")
    page.locator(".tk").focus()

    page.keyboard.press("5")

    expect(page.locator(".tk")).to_have_attribute("data-theme", "dark")
    expect(page.locator(".tk-now")).not_to_contain_text("0.00 ms /")


def test_a_link_out_of_the_folder_is_refused_in_words(tab: Open) -> None:
    page = tab("/?recording=..%2Fsecret.json")

    expect(page.get_by_test_id("stAlert")).to_contain_text("leads out of the folder being viewed")
    expect(page.locator(".tk")).to_have_count(0)


def test_a_link_to_nothing_says_so(tab: Open) -> None:
    page = tab("/?recording=gone.json")

    expect(page.get_by_test_id("stAlert")).to_contain_text("there is no such file")


def test_an_uploaded_recording_plays_and_the_list_leads_back(tab: Open) -> None:
    page = tab()

    page.locator('input[type="file"]').set_input_files(RECORDINGS / "pointer-fixed-point.json")
    expect(page.locator(".tk-title")).to_have_text("pointer-fixed-point.json")
    pick(page, 1)

    expect(page.locator(".tk-title")).to_have_text("pointer-cycle.json")


def test_an_upload_that_is_no_trace_gets_the_reason(tab: Open, tmp_path: Path) -> None:
    document = json.loads((RECORDINGS / "pointer-short.json").read_text())
    document["trace"][3]["loop"] = 17
    wrong = tmp_path / "wrong![x](http:evil).json"
    wrong.write_text(json.dumps(document))
    page = tab()

    page.locator('input[type="file"]').set_input_files(wrong)

    expect(page.get_by_test_id("stAlert")).to_contain_text("wrong![x](http:evil).json")
    expect(page.get_by_test_id("stAlert")).to_contain_text("/trace/3/loop: expected")


def test_an_upload_that_is_too_large_gets_the_reason(tab: Open, tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate((64 << 20) + 1)
    page = tab()

    page.locator('input[type="file"]').set_input_files(large)

    expect(page.get_by_text("File must be 64.0MB or smaller")).to_be_visible()


def test_the_downloads_are_the_recording_and_its_page(tab: Open) -> None:
    page = tab("/?recording=pointer-errs.json")
    trace = load(RECORDINGS / "pointer-errs.json")

    with page.expect_download() as as_json:
        page.get_by_role("button", name="JSON").click()
    with page.expect_download() as as_page:
        page.get_by_role("button", name="HTML page").click()

    assert Path(as_json.value.path()).read_bytes() == encode(trace)
    assert Path(as_page.value.path()).read_bytes() == export_html([Entry(trace, "pointer-errs.json")])


def test_one_damaged_recording_leaves_the_others_to_be_seen(tab: Open, folder: Path) -> None:
    path = folder / "damaged.json"
    data = (RECORDINGS / "pointer-short.json").read_bytes()
    path.write_bytes(data.replace(b'{"loop":12,', b'{"loop":9223372036854775807,'))

    good = tab("/?recording=pointer-errs.json")
    expect(good.locator(".tk-title")).to_have_text("pointer-errs.json")
    damaged = tab("/?recording=damaged.json")

    expect(damaged.get_by_test_id("stAlert")).to_contain_text("/trace/11/loop: expected 12")
    path.unlink()


def test_text_of_a_recording_is_only_text(tab: Open, folder: Path) -> None:
    hostile = '<img src="http://evil.test/a.png" onerror="alert(1)">![x](http://evil.test/b.png)</script>'
    document = json.loads((RECORDINGS / "pointer-short.json").read_text())
    document["model"]["name"] = document["checkpoint"] = document["metadata"]["note"] = hostile
    path = folder / "hostile ![x](http:evil.test) <b>.json"
    path.write_text(json.dumps(document))

    page = tab(f"/?recording={path.name.replace(' ', '%20').replace('<', '%3C').replace('>', '%3E')}")
    page.get_by_role("tab", name="About this run").click()

    expect(page.locator(".facts")).to_contain_text(hostile)
    expect(page.locator(".tk-title")).to_have_text(path.name)
    path.unlink()
