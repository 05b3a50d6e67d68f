"""A request as token ids."""

from __future__ import annotations

from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from tests.sources.huggingface.tiny import sentencepiece_tokenizer
from tracekit.errors import RequestError
from tracekit.sources.huggingface.prompts import parse_prompt

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]


def test_a_prompt_is_its_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    request = parse_prompt({"prompt": "Why?"}, tokenizer, None)
    assert request.token_ids == tuple(tokenizer("Why?")["input_ids"])
    assert request.payload == {"prompt": "Why?"}


def test_messages_go_through_the_chat_template(tokenizer: PreTrainedTokenizerFast) -> None:
    request = parse_prompt({"messages": MESSAGES}, tokenizer, None)
    assert tokenizer.decode(list(request.token_ids)) == "<system>Be brief.<user>Why?<assistant>"


def test_a_parsed_request_parses_again_to_an_equal_one(tokenizer: PreTrainedTokenizerFast) -> None:
    request = parse_prompt({"messages": MESSAGES}, tokenizer, None)
    assert parse_prompt(request.payload, tokenizer, None) == request


def test_a_prompt_of_exactly_the_context_leaves_no_room(tokenizer: PreTrainedTokenizerFast) -> None:
    length = len(tokenizer("Why?")["input_ids"])
    assert len(parse_prompt({"prompt": "Why?"}, tokenizer, length + 1).token_ids) == length
    with pytest.raises(RequestError, match=f"the model's context of {length}; found {length} tokens"):
        parse_prompt({"prompt": "Why?"}, tokenizer, length)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("Why?", "request: expected a JSON object; found str"),
        ({}, r"request: expected one key, 'prompt' or 'messages'; found \[\]"),
        ({"prompt": "a", "messages": MESSAGES}, "expected one key, 'prompt' or 'messages'"),
        ({"prompt": "a", "temperature": 1}, "expected one key"),
        ({"prompt": ["a", "b"]}, "/prompt: expected one text; a batch cannot be streamed, record each"),
        ({"prompt": 3}, "/prompt: expected a string; found 3"),
        ({"prompt": ""}, "/prompt: expected text of at least one token; found none"),
        ({"prompt": "\ud800"}, "/prompt: expected text that UTF-8 can hold; found a lone surrogate at 0"),
        ({"messages": []}, r"/messages: expected a list of at least one message; found \[\]"),
        ({"messages": "Why?"}, "/messages: expected a list of at least one message"),
        ({"messages": [{"role": "user"}]}, "/messages/0: expected an object with 'role' and 'content'"),
        ({"messages": [{"role": "user", "content": None}]}, "/messages/0/content: expected a string"),
        ({"messages": [{"role": "bird", "content": "a"}]}, "roles are system, user and assistant"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_in_one_line(
    tokenizer: PreTrainedTokenizerFast, value: Any, reason: str
) -> None:
    with pytest.raises(RequestError, match=reason) as caught:
        parse_prompt(value, tokenizer, 1000)
    assert "\n" not in str(caught.value)


def test_messages_without_a_chat_template_are_refused() -> None:
    with pytest.raises(RequestError, match="a model with a chat template; this one takes a prompt"):
        parse_prompt({"messages": MESSAGES}, sentencepiece_tokenizer(), None)
