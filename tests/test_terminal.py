"""Text that a terminal only shows."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracekit.terminal import printable, printable_lines


@pytest.mark.parametrize(
    "text",
    ["naïve", "你好，世界", "全角　空格", "👍🏽", "👨‍👩‍👧", "❤️", "می‌خواهم", "l’été : « oui »", ""],
)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("\x7f\x9b31m", r"\x7f\x9b31m"),
        ("\u202etxet\u2066", r"\u202etxet\u2066"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\udcff", r"\udcff"),
    ],
)
def test_what_a_terminal_obeys_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("\x1b" * 10, 9) == r"\x1b\x1b…"


def test_lines_keep_their_breaks_and_nothing_else() -> None:
    assert printable_lines("a\r\nb\n\x1b[2J\r") == "a\nb\n\\x1b[2J\\r"


@given(st.text())
def test_no_control_character_and_no_line_break_is_left(text: str) -> None:
    shown = printable(text)

    categories = {unicodedata.category(char) for char in shown if char not in "\u200c\u200d"}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
    assert printable(shown) == shown
