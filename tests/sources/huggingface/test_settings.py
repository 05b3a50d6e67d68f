"""How text is generated: what is taken, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from transformers import GenerationConfig

from tracekit.errors import UsageError
from tracekit.sources.huggingface.settings import CANNOT_BE_STREAMED, OPTIONS, GenerationSettings


def test_settings_come_back_from_their_payload() -> None:
    settings = GenerationSettings(
        64, 0.7, 0.9, 40, seed=3, stop=("\n", "END"), alternatives=2, custom={"min_p": 0.1}
    )
    assert GenerationSettings().changed(settings.payload()) == settings


def test_the_default_is_greedy() -> None:
    assert GenerationSettings().temperature == 0


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be an integer of at least 1, not 0"),
        ({"max_new_tokens": 2.0}, "max_new_tokens must be an integer"),
        ({"temperature": -1}, "temperature must be a number of at least 0, not -1"),
        ({"temperature": float("nan")}, "temperature must be a number of at least 0, not nan"),
        ({"top_p": 0}, "top_p must be a number above 0 and at most 1, not 0"),
        ({"top_p": 1.5}, "top_p must be a number above 0 and at most 1, not 1.5"),
        ({"top_k": -1}, "top_k must be an integer of at least 0"),
        ({"seed": "7"}, "seed must be an integer of at least 0, not '7'"),
        ({"alternatives": True}, "alternatives must be an integer"),
        ({"stop": "END"}, "stop must be a list of strings, not 'END'"),
        ({"stop": [3]}, "stop must be strings that are not empty, not 3"),
        ({"stop": [""]}, "stop must be strings that are not empty, not ''"),
        ({"loops": 3}, "a language model has no setting loops"),
        ({"custom": ["min_p"]}, "custom must be an object"),
        ({"custom": {"minp": 0.1}}, "generation has no option minp; custom takes bad_words_ids, "),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        GenerationSettings().changed(settings)


@pytest.mark.parametrize("name", sorted(CANNOT_BE_STREAMED))
def test_what_cannot_be_streamed_is_refused_in_words(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name}: .{{20,}}"):
        GenerationSettings().changed({"custom": {name: 4}})


def test_every_option_is_one_of_transformers() -> None:
    assert set(GenerationConfig().to_dict()) >= OPTIONS
