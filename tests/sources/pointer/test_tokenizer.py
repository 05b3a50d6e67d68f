"""The tokenizer: one token a character, called as transformers' are."""

from __future__ import annotations

import json

import pytest
import torch

from tracekit.errors import RequestError
from tracekit.sources.pointer import SYMBOLS, render_prompt
from tracekit.sources.pointer.tokenizer import VOCABULARY, PromptTokenizer


@pytest.fixture(name="tokenizer")
def make_tokenizer():
    return PromptTokenizer.new()


def test_a_text_is_a_batch_of_one(tokenizer):
    encoded = tokenizer("A>Z|K 07", add_special_tokens=False, return_tensors="pt")
    assert encoded["input_ids"].tolist() == [[VOCABULARY[character] for character in "A>Z|K 07"]]
    assert encoded["attention_mask"].tolist() == [[1] * 8]


def test_ids_are_long_integers(tokenizer):
    assert tokenizer("A")["input_ids"].dtype == torch.long


def test_a_shorter_text_is_padded_on_the_right(tokenizer):
    encoded = tokenizer(["ABC", "A"])
    assert encoded["input_ids"].tolist() == [[1, 2, 3], [1, 0, 0]]
    assert encoded["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]


def test_decoding_gives_the_prompt_back(tokenizer):
    prompt = render_prompt([(letter, "Q") for letter in SYMBOLS], "K", 42)
    assert tokenizer.decode(tokenizer(prompt)["input_ids"][0].tolist()) == prompt


def test_the_letters_have_26_ids(tokenizer):
    assert tokenizer.symbol_ids() == list(range(1, 27))


@pytest.mark.parametrize("character", ["a", "é", "[", "\n", "𝐀"])
def test_an_unknown_character_is_refused_with_its_place(tokenizer, character):
    with pytest.raises(RequestError) as caught:
        tokenizer("A>" + character)
    assert caught.value.found == f"{character!r} at character 3"


def test_tensors_of_another_library_are_refused(tokenizer):
    with pytest.raises(ValueError, match="return_tensors must be 'pt', not 'np'"):
        tokenizer("A", return_tensors="np")


def test_its_json_gives_it_back(tokenizer):
    again = PromptTokenizer.from_json(tokenizer.to_json())
    assert again("B>C")["input_ids"].tolist() == tokenizer("B>C")["input_ids"].tolist()


def test_a_tokenizer_with_other_ids_is_refused(tokenizer):
    document = json.loads(tokenizer.to_json())
    document["model"]["vocab"]["A"] = 2
    with pytest.raises(ValueError, match="its model is not the one of the pointer task"):
        PromptTokenizer.from_json(json.dumps(document))


def test_a_tokenizer_that_splits_otherwise_is_refused(tokenizer):
    document = json.loads(tokenizer.to_json()) | {"pre_tokenizer": {"type": "Whitespace"}}
    with pytest.raises(ValueError, match="its pre_tokenizer is not the one"):
        PromptTokenizer.from_json(json.dumps(document))
