"""A request as token ids: a prompt, or messages through the tokenizer's chat template."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import jinja2

from tracekit.errors import RequestError
from tracekit.format.types import Json

__all__ = ["PromptRequest", "context_length", "parse_prompt"]


@dataclass(frozen=True)
class PromptRequest:
    """What was asked, as JSON and as the model's token ids."""

    payload: Json
    token_ids: tuple[int, ...]


def parse_prompt(value: object, tokenizer: Any, context: int | None) -> PromptRequest:
    """`{"prompt": TEXT}`, or `{"messages": [{"role": …, "content": …}, …]}`.

    `context` is how many tokens the model can read; None if it has no limit. Raises
    RequestError for anything else, and for a prompt of no tokens or of as many as `context`.
    """
    if not isinstance(value, dict):
        raise RequestError("", "a JSON object", type(value).__name__)
    if set(value) not in ({"prompt"}, {"messages"}):
        raise RequestError("", "one key, 'prompt' or 'messages'", str(sorted(map(str, value)))[:80])
    if "prompt" in value:
        where, payload, ids = "/prompt", value, _encode_prompt(value["prompt"], tokenizer)
    else:
        where, payload, ids = "/messages", value, _encode_messages(value["messages"], tokenizer)
    if not ids:
        raise RequestError(where, "text of at least one token", "none")
    if context is not None and len(ids) >= context:
        raise RequestError(where, f"fewer tokens than the model's context of {context}", f"{len(ids)} tokens")
    return PromptRequest(json.loads(json.dumps(payload)), tuple(ids))


def context_length(config: Any) -> int | None:
    """How many tokens a model of this configuration can read; None if it does not say."""
    length = getattr(config.get_text_config(), "max_position_embeddings", None)
    return length if isinstance(length, int) and length > 0 else None


def _encode_prompt(prompt: object, tokenizer: Any) -> list[int]:
    if isinstance(prompt, list):
        raise RequestError("/prompt", "one text; a batch cannot be streamed, record each", "a list")
    _refuse_unless_text("/prompt", prompt)
    ids: list[int] = tokenizer(prompt)["input_ids"]
    return ids


def _encode_messages(messages: object, tokenizer: Any) -> list[int]:
    if not isinstance(messages, list) or not messages:
        raise RequestError("/messages", "a list of at least one message", _shown(messages))
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            raise RequestError(f"/messages/{at}", "an object with 'role' and 'content'", _shown(message))
        for key in ("role", "content"):
            _refuse_unless_text(f"/messages/{at}/{key}", message[key])
    if not tokenizer.chat_template:
        raise RequestError("/messages", "a model with a chat template; this one takes a prompt", "none")
    try:
        encoded = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
    except jinja2.TemplateError as error:
        raise RequestError("/messages", "what the chat template takes", str(error)) from error
    ids: list[int] = encoded["input_ids"]
    return ids


def _refuse_unless_text(where: str, value: object) -> None:
    if not isinstance(value, str):
        raise RequestError(where, "a string", _shown(value))
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise RequestError(where, "text that UTF-8 can hold", f"a lone surrogate at {error.start}") from error


def _shown(value: object) -> str:
    return f"{value!r:.60}"
