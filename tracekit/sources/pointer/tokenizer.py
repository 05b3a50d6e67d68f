"""The prompt's tokenizer: one token a character, from a `tokenizer.json`.

It is called as a Hugging Face tokenizer is, without transformers being installed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import torch
from tokenizers import Regex, Tokenizer, decoders
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tracekit.errors import RequestError
from tracekit.sources.pointer.task import SYMBOLS

__all__ = ["PAD_ID", "VOCABULARY", "PromptTokenizer"]

PAD_ID = 0
VOCABULARY = {token: index for index, token in enumerate(("[PAD]", *SYMBOLS, *"0123456789", ">", " ", "|"))}

_DECISIVE_PARTS = ("model", "normalizer", "pre_tokenizer", "post_processor")


class PromptTokenizer:
    """Texts to token ids, one a character."""

    def __init__(self, backend: Tokenizer) -> None:
        self._backend = backend
        self._vocabulary = backend.get_vocab()

    @classmethod
    def new(cls) -> PromptTokenizer:
        """The tokenizer of the pointer task's prompts, made from its vocabulary."""
        backend = Tokenizer(WordLevel(VOCABULARY))
        backend.pre_tokenizer = Split(Regex(r"[\s\S]"), behavior="isolated")
        backend.decoder = decoders.Fuse()
        return cls(backend)

    @classmethod
    def from_json(cls, text: str) -> PromptTokenizer:
        """The tokenizer that a `tokenizer.json` describes.

        Raises ValueError for text that is not JSON, and for any other tokenizer than the
        pointer task's: the weights would read its ids as other characters.
        """
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError("it is not an object")
        tokenizer = cls.new()
        known = json.loads(tokenizer.to_json())
        for part in _DECISIVE_PARTS:
            if document.get(part) != known[part]:
                raise ValueError(f"its {part} is not the one of the pointer task")
        return tokenizer

    def to_json(self) -> str:
        """The `tokenizer.json` that `from_json` reads back as this tokenizer."""
        return self._backend.to_str(pretty=True) + "\n"

    def symbol_ids(self) -> list[int]:
        """The ids of the letters A to Z, in that order."""
        return [self._vocabulary[symbol] for symbol in SYMBOLS]

    def __call__(
        self, text: str | Sequence[str], *, add_special_tokens: bool = False, return_tensors: str = "pt"
    ) -> dict[str, Tensor]:
        """`input_ids` and `attention_mask`, (batch, tokens) each; one text is a batch of one.

        Shorter texts are padded on the right. Raises RequestError for a character that
        is not in the vocabulary, and ValueError for tensors other than torch's.
        """
        if return_tensors != "pt":
            raise ValueError(f"return_tensors must be 'pt', not {return_tensors!r}")
        texts = [text] if isinstance(text, str) else list(text)
        for each in texts:
            self._check(each)
        encodings = self._backend.encode_batch(texts, add_special_tokens=add_special_tokens)
        rows = [torch.tensor(encoding.ids, dtype=torch.long) for encoding in encodings]
        return {
            "input_ids": pad_sequence(rows, batch_first=True, padding_value=PAD_ID),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
        }

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of token ids."""
        return self._backend.decode(list(token_ids))

    def _check(self, text: str) -> None:
        for place, character in enumerate(text):
            if character not in self._vocabulary:
                expected = "a prompt of A to Z, 0 to 9, '>', ' ' and '|'"
                raise RequestError("", expected, f"{character!r} at character {place + 1}")
