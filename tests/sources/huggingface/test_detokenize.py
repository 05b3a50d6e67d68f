"""Pieces of text join to exactly what the tokenizer decodes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from tests.sources.huggingface.tiny import (
    byte_level_tokenizer,
    sentencepiece_tokenizer,
    wordpiece_tokenizer,
)
from tracekit.sources.huggingface.detokenize import Detokenizer, Piece, decode

BYTE_LEVEL = byte_level_tokenizer()
SENTENCEPIECE = sentencepiece_tokenizer()
WORDPIECE = wordpiece_tokenizer()


def pieces(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> list[Piece]:
    detokenizer = Detokenizer(tokenizer)
    return [detokenizer.step(token_id, last=at == len(ids) - 1) for at, token_id in enumerate(ids)]


def joined(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    return "".join(piece.text for piece in pieces(tokenizer, ids))


@given(ids=st.lists(st.integers(0, len(BYTE_LEVEL) - 1), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_ids_of_a_byte_level_tokenizer_join_to_the_decoded_text(ids: list[int]) -> None:
    assert joined(BYTE_LEVEL, ids) == decode(BYTE_LEVEL, ids)


@given(ids=st.lists(st.integers(0, len(WORDPIECE) - 1), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_ids_of_a_wordpiece_tokenizer_join_to_the_decoded_text(ids: list[int]) -> None:
    assert joined(WORDPIECE, ids) == decode(WORDPIECE, ids)


@given(text=st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_in_a_sentencepiece_tokenizer_joins_to_the_decoded_text(text: str) -> None:
    ids = SENTENCEPIECE(text, add_special_tokens=False)["input_ids"]
    assert joined(SENTENCEPIECE, ids) == decode(SENTENCEPIECE, ids)


@given(ids=st.lists(st.integers(0, len(SENTENCEPIECE) - 1), max_size=30))
@settings(max_examples=300, deadline=None)
def test_ids_that_a_sentencepiece_decoder_takes_back_are_said_to_be_so(ids: list[int]) -> None:
    taken_back = any("took back" in piece.note for piece in pieces(SENTENCEPIECE, ids))
    assert taken_back or joined(SENTENCEPIECE, ids) == decode(SENTENCEPIECE, ids)


def test_a_character_of_several_tokens_comes_with_its_last() -> None:
    ids = BYTE_LEVEL("🎉!", add_special_tokens=False)["input_ids"]
    assert [piece.text for piece in pieces(BYTE_LEVEL, ids)] == ["", "", "", "🎉", "!"]


def test_a_character_that_stays_incomplete_ends_as_decode_ends_it() -> None:
    ids = BYTE_LEVEL("a🎉", add_special_tokens=False)["input_ids"][:3]
    assert [piece.text for piece in pieces(BYTE_LEVEL, ids)] == ["a", "", "\ufffd"]


def test_a_special_token_has_no_text_but_a_note() -> None:
    end = BYTE_LEVEL.eos_token_id
    ids = [*BYTE_LEVEL("a", add_special_tokens=False)["input_ids"], end]
    assert pieces(BYTE_LEVEL, ids) == [Piece("a"), Piece("", "special token <|end|>")]


@pytest.mark.parametrize("between", [[], [1], [1, 1, 2]])
def test_words_keep_their_spaces_across_special_tokens(between: list[int]) -> None:
    first = SENTENCEPIECE("the", add_special_tokens=False)["input_ids"]
    second = SENTENCEPIECE("dog", add_special_tokens=False)["input_ids"]
    assert joined(SENTENCEPIECE, [*first, *between, *second]) == "the dog"


def test_a_candidate_has_the_text_that_it_would_have_within_a_text() -> None:
    word = SENTENCEPIECE.convert_tokens_to_ids("▁dog")
    assert Detokenizer(SENTENCEPIECE).text_of(word) == " dog"
    assert Detokenizer(SENTENCEPIECE).text_of(SENTENCEPIECE.eos_token_id) == "</s>"
