"""Token ids to pieces of text that join to exactly the decoded text.

A tokenizer decodes a sequence, not a token: a character may be spread over several tokens,
and a leading space depends on what stands before it. So a piece is the difference between
two decodings of the last few tokens, which begin at a place where the text was whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Detokenizer", "Piece", "decode"]

_INCOMPLETE = "\ufffd"


class Piece(NamedTuple):
    """The text that a token completes, and what a reader must know of it, if anything."""

    text: str
    note: str = ""


def decode(tokenizer: Any, token_ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
    """The text of the ids, as it stands: without special tokens, and with no spaces cleaned up."""
    text: str = tokenizer.decode(
        list(token_ids), skip_special_tokens=skip_special_tokens, clean_up_tokenization_spaces=False
    )
    return text


class Detokenizer:
    """Give it the ids of one text, in order; each comes back as the text it completes.

    Special tokens have no text. A character of several tokens comes with its last one; if
    the text ends before that, the last piece holds the replacement character that `decode`
    gives. Where a decoder takes text back that was whole (byte fallback does, after bytes
    that are no UTF-8), the piece says so: then, and only then, pieces join to something else.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []  # from the last place on at which visible text begins
        self._read = 0  # how many of them have been turned into text,
        self._text = ""  # namely this
        self._names: dict[int, str] = {}
        self._anchor: list[int] = tokenizer("a", add_special_tokens=False)["input_ids"]
        self._special = frozenset(tokenizer.all_special_ids)

    def step(self, token_id: int, *, last: bool = False) -> Piece:
        """The text that this token completes; `last` if no token follows."""
        self._ids.append(token_id)
        before, text = self._text, decode(self._tokenizer, self._ids)
        note = f"special token {self.text_of(token_id)}" if token_id in self._special else ""
        if text.endswith(_INCOMPLETE) and not last:
            return Piece("", note)
        self._advance(text)
        if not text.startswith(before):
            note = "the decoder took back text of the rows before"
        return Piece(text[len(before) :], note)

    def text_of(self, token_id: int) -> str:
        """The text that a token would have within a text; a special token's name."""
        if token_id not in self._names:
            before = decode(self._tokenizer, self._anchor, skip_special_tokens=False)
            after = decode(self._tokenizer, [*self._anchor, token_id], skip_special_tokens=False)
            self._names[token_id] = after[len(before) :]
        return self._names[token_id]

    def _advance(self, text: str) -> None:
        # A sentencepiece decoder strips the space of what it takes for the first token, so
        # the window keeps older tokens until the new ones have text of their own.
        fresh = decode(self._tokenizer, self._ids[self._read :])
        if fresh:
            self._ids, text = self._ids[self._read :], fresh
        self._read, self._text = len(self._ids), text
