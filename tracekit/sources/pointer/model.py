"""The looped transformer of the pointer task, in plain torch.

    prompt ──▶ prelude ──▶ rules' memory (keys and values, computed once)
                  │                 │
                  └──▶ code 0 ──▶ core ──▶ code 1 ──▶ core ──▶ code 2 ──▶ …
                                    │                   │
                         letter, state, stop    letter, state, stop

What the design rests on, and why:

- **A rule is a patch.** The four characters of a rule become one vector by one linear
  map, as an image patch does in a vision transformer. Rules do not see each other, the
  start or the count, so the order of the rules and the rest of the table cannot bend
  what the core finds in one of them.
- **The state is six tokens**: where the pointer is, and the five digits of the steps
  that remain. The core is one transformer block, the same weights every loop, in which
  the six tokens attend to the rules' memory and to each other in one attention.
- **A discrete bottleneck.** Between loops each token is `code_bits` signs, -1 or +1, and
  nothing else. Continuous states drift over hundreds of loops; signs cannot.
- **One code a situation.** The prelude codes a start and a count by their characters
  alone, and training pulls the code after a loop to the code of (next letter, count
  minus one). A step that is right once is then right at every depth, by induction: how
  many loops came before leaves no mark on the state.
- **The core never sees start or count again**, nor any decoded letter: loop k depends on
  the rules' memory and the code after loop k-1 only.

B is the batch, R the 26 rules, S the six state tokens, C the code's bits, D the width,
H the heads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["LoopCallback", "LoopedConfig", "LoopedOutput", "LoopedTransformer", "Memory"]

LoopCallback = Callable[[int, Tensor, Tensor, Tensor], None]


@dataclass(frozen=True)
class LoopedConfig:
    """The shape of the model and of the prompt it reads."""

    vocab_size: int = 40
    symbols: int = 26
    rules: int = 26
    rule_characters: int = 4
    count_digits: int = 5
    width: int = 96
    heads: int = 4
    hidden: int = 384
    code_bits: int = 32
    completion_hidden: int = 32

    @property
    def rules_length(self) -> int:
        """Characters of the prompt that hold the rules."""
        return self.rules * self.rule_characters

    @property
    def prompt_length(self) -> int:
        """Characters of a whole prompt: the rules, the start, a space, the count."""
        return self.rules_length + 2 + self.count_digits


@dataclass(frozen=True)
class Memory:
    """What the core can look up in every loop: keys and values, (B, H, R, D/H) each."""

    keys: Tensor
    values: Tensor


@dataclass(frozen=True)
class LoopedOutput:
    """What a forward leaves behind: stop_logits, (B, executed loops)."""

    stop_logits: Tensor


class LoopedTransformer(nn.Module):
    """A looped transformer that follows a pointer through a table, one rule a loop."""

    def __init__(self, config: LoopedConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.patch = nn.Linear(config.rule_characters * width, width, bias=False)
        self.memory_projection = nn.Linear(width, 2 * width, bias=False)
        self.to_code = nn.Linear(width, config.code_bits)
        self.core = Core(config)
        self.readout = nn.Linear(width, config.vocab_size, bias=False)
        self.state_head = nn.Linear(config.code_bits, config.symbols)
        self.completion_head = nn.Sequential(
            nn.Linear(config.count_digits * config.code_bits, config.completion_hidden),
            nn.GELU(),
            nn.Linear(config.completion_hidden, 1),
        )

    def forward(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        num_loops: int,
        readout_token_ids: Sequence[int] | Tensor,
        completion_threshold: float | None = None,
        loop_callback: LoopCallback | None = None,
    ) -> LoopedOutput:
        """Run up to `num_loops` loops and end after the first in which every row has stopped.

        `input_ids` and `attention_mask` are (B, T); a row may be padded on either side.
        A row has stopped once its completion probability has reached
        `completion_threshold`; without a threshold every loop runs. After each loop,
        `loop_callback(loop, scores, stop_logits, state_logits)` gets the loop counted
        from 1, the logits over the readout tokens (B, 26), the stop logits (B,) and the
        direct state logits (B, 26).

        Raises ValueError for a prompt of another length, or fewer than one loop.
        """
        if num_loops < 1:
            raise ValueError(f"num_loops must be at least 1, not {num_loops}")
        prompt = self._unpadded(input_ids, attention_mask)
        memory, code = self.remember(prompt), signs(self.encode(prompt))
        readout = self.readout.weight[torch.as_tensor(readout_token_ids, device=prompt.device)]
        stopped = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
        history: list[Tensor] = []
        for loop in range(1, num_loops + 1):
            hidden, bits = self.step(code, memory)
            code = signs(bits)
            stop_logits = self.complete(code)
            history.append(stop_logits)
            if loop_callback is not None:
                scores = functional.linear(hidden[:, 0], readout)  # (B, 26)
                loop_callback(loop, scores, stop_logits, self.state_head(code[:, 0]))
            if completion_threshold is not None:
                stopped |= stop_logits.sigmoid() >= completion_threshold
                if bool(stopped.all()):
                    break
        return LoopedOutput(torch.stack(history, dim=1))

    def remember(self, prompt: Tensor) -> Memory:
        """The rules' memory from unpadded prompts (B, T)."""
        rules = self.embedding(prompt[:, : self.config.rules_length])  # (B, R * 4, D)
        patches = self.patch(rules.reshape(len(prompt), self.config.rules, -1))  # (B, R, D)
        projected = self.memory_projection(normalized(patches))  # (B, R, 2 * D)
        keys, values = _heads(projected, 2 * self.config.heads).chunk(2, dim=1)  # (B, H, R, D/H)
        return Memory(keys.contiguous(), values.contiguous())

    def encode(self, prompt: Tensor) -> Tensor:
        """The real-valued code of each prompt's start and count, (B, S, C), before its signs."""
        start = self.config.rules_length
        characters = torch.cat((prompt[:, start : start + 1], prompt[:, start + 2 :]), dim=1)  # (B, S)
        return self.encode_characters(characters)

    def encode_characters(self, characters: Tensor) -> Tensor:
        """The real-valued code of state tokens, from their token ids (…) to (…, C)."""
        return cast(Tensor, self.to_code(normalized(self.embedding(characters))))

    def step(self, code: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """One loop: from a code (B, S, C) to the hidden state (B, S, D) and the next code's bits."""
        hidden = self.core(code, memory)
        return hidden, self.to_code(hidden)

    def complete(self, code: Tensor) -> Tensor:
        """The stop logits (B,) of a code (B, S, C), from the tokens of the count."""
        return cast(Tensor, self.completion_head(code[:, 1:].flatten(1)).squeeze(-1))

    def _unpadded(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        # Every prompt has the same length, so dropping the padding gives a full matrix,
        # and a padded row is computed exactly as it would be alone.
        length = self.config.prompt_length
        lengths = attention_mask.sum(dim=1)
        if bool((lengths != length).any()):
            raise ValueError(f"a prompt has {length} tokens; the batch has rows of {lengths.tolist()}")
        return input_ids[attention_mask.bool()].view(-1, length)


class Core(nn.Module):
    """One pre-norm transformer block over the state tokens: (B, S, C) to (B, S, D)."""

    def __init__(self, config: LoopedConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.from_code = nn.Linear(config.code_bits, width, bias=False)
        self.slots = nn.Parameter(torch.randn(1 + config.count_digits, width))
        self.attention = nn.Linear(width, 3 * width, bias=False)
        self.attention_out = nn.Linear(width, width, bias=False)
        self.expand = nn.Linear(width, config.hidden)
        self.contract = nn.Linear(config.hidden, width)

    def forward(self, code: Tensor, memory: Memory) -> Tensor:
        state = self.from_code(code) + self.slots  # (B, S, D)
        state = state + self._attend(normalized(state), memory)
        state = state + self.contract(functional.gelu(self.expand(normalized(state))))
        return normalized(state)

    def _attend(self, state: Tensor, memory: Memory) -> Tensor:
        projected = _heads(self.attention(state), 3 * self.heads)  # (B, 3 * H, S, D/H)
        query, key, value = projected.chunk(3, dim=1)  # (B, H, S, D/H)
        keys = torch.cat((memory.keys, key), dim=2)  # (B, H, R + S, D/H)
        values = torch.cat((memory.values, value), dim=2)
        attended = functional.scaled_dot_product_attention(query, keys, values)  # (B, H, S, D/H)
        return cast(Tensor, self.attention_out(attended.transpose(1, 2).flatten(2)))


def signs(bits: Tensor) -> Tensor:
    """The discrete code of real-valued bits: -1 or +1, never 0, with no gradient."""
    return torch.copysign(torch.ones_like(bits), bits)


def straight_through(bits: Tensor) -> Tensor:
    """`signs` with the gradient of tanh, by which training reaches through the code."""
    smooth = bits.tanh()
    return smooth + (signs(bits) - smooth).detach()


def normalized(x: Tensor) -> Tensor:
    """RMS norm over the last dimension, without a learned gain."""
    return functional.rms_norm(x, (x.shape[-1],))


def _heads(x: Tensor, count: int) -> Tensor:
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)
