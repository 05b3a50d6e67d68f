"""The one HTML file, as bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracekit
from tests.conftest import RECORDINGS
from tests.player.runs import record, sentence
from tracekit.player.html import Entry, escape_data, export_html, player_js, unescape_data

LARGEST_PLAYER = 60_000
SHORT = RECORDINGS / "pointer-short.json"


def digest(text: bytes) -> str:
    return base64.b64encode(hashlib.sha256(text).digest()).decode()


@pytest.fixture(scope="module")
def page() -> bytes:
    """The page of one recording."""
    return export_html([Entry(tracekit.load(SHORT), SHORT.name)])


def test_the_page_holds_the_recording_within_60_kb_of_player(page: bytes) -> None:
    assert SHORT.read_bytes() in page
    assert len(page) - len(SHORT.read_bytes()) <= LARGEST_PLAYER


def test_the_policy_names_the_player_as_it_stands_and_nothing_else(page: bytes) -> None:
    style, loader = (
        re.search(rb"<%s>(.*?)</" % tag, page, re.DOTALL)[1] for tag in (rb"style", rb'script type="module"')
    )
    packed = re.search(rb'id="player">(.*?)</script>', page)[1]
    player = zlib.decompress(base64.b64decode(packed))

    assert player.decode() == player_js() + "openPage(document);\n"
    assert (
        f"default-src 'none'; script-src 'sha256-{digest(loader)}' 'sha256-{digest(player)}'; "
        f"style-src 'sha256-{digest(style)}'; base-uri 'none'; form-action 'none'"
    ) in page.decode()


def test_the_page_names_no_place_on_the_network(page: bytes) -> None:
    unpacked = re.sub(rb'id="player">.*?</script>', b"", page).decode() + player_js()

    # The one name of a namespace is never fetched.
    assert set(re.findall(r"https?:[^\s\"']+|url\(|import\s*\(|fetch\(", unpacked)) == {
        "http://www.w3.org/2000/svg"
    }


def test_a_name_cannot_leave_its_place_in_the_page() -> None:
    name = "\"><script>$data</script>' &.json"

    page = export_html([Entry(tracekit.load(SHORT), name)]).decode()

    assert "<title>&quot;&gt;&lt;script&gt;$data&lt;/script&gt;&#x27; &amp;.json</title>" in page
    assert page.count("<script") == 3


def test_a_name_that_is_no_text_stands_with_a_mark() -> None:
    page = export_html([Entry(tracekit.load(SHORT), "run-\udcff.json")])

    assert b"<title>run-?.json</title>" in page


@given(
    st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_escaped_data_means_the_same_holds_nothing_dangerous_and_comes_back(value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")

    escaped = escape_data(data)

    assert not {"<", "\u2028", "\u2029"} & set(escaped.decode(errors="surrogatepass"))
    assert json.loads(escaped) == json.loads(data)


@given(st.lists(st.sampled_from(["<", "\\", "u003c", "\u2028", "u2029", '"', "a"])).map("".join))
def test_canonical_bytes_survive_the_escape(text: str) -> None:
    trace = {**tracekit.load(SHORT), "metadata": {"text": text}}
    data = tracekit.encode(trace)

    assert unescape_data(escape_data(data)) == data


@pytest.mark.parametrize(("count", "found"), [(0, "not 0"), (3, "not 3")])
def test_a_page_holds_one_or_two(count: int, found: str) -> None:
    entries = [Entry(tracekit.load(SHORT), SHORT.name)] * count

    with pytest.raises(tracekit.TracekitError, match=f"one recording or two side by side, {found}"):
        export_html(entries)


def test_two_kinds_do_not_play_side_by_side(tmp_path: Any) -> None:
    tokens = record(sentence(3), tmp_path / "tokens.json")

    with pytest.raises(tracekit.TracekitError, match="one kind play side by side, not loop and token"):
        export_html([Entry(tracekit.load(path), path.name) for path in (SHORT, tokens)])
