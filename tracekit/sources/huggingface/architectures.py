"""Where each looped architecture's loops are, and how a loop's state is read.

A loop's state is what the model would go on with if it looped no more: it passes through
the layers behind the loop, the final norm and the head, exactly as the last loop's does.
So the last loop's reading is the model's own output. Checked against transformers 5.24.

| architecture | a loop is | its state is the output of | and goes through |
| --- | --- | --- | --- |
| dory | a pass through the recurrent layers | the last recurrent layer | output layers, norm, head |
| inkling2_loop | a pass through the looped layers | the last looped layer | later layers, norm, head |
| hrm_text | a high-level cycle | the high-level stack | head |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

__all__ = ["ARCHITECTURES", "LoopEnd", "LoopedArchitecture", "layer_arguments"]

# What a layer is called with that depends on the prompt and the layer's type, but on no loop.
_LAYER_ARGUMENTS = ("attention_mask", "position_embeddings", "position_ids", "relative_distance", "conv_mask")


@dataclass(frozen=True)
class LoopEnd:
    """The end of a loop: how its last module was called, and its output (1, T, D).

    `by_type` holds, for each attention type, what layers of that type are called with.
    """

    arguments: tuple[Any, ...]
    output: Tensor
    by_type: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class LoopedArchitecture:
    """One line of the table.

    Every output of the module `last` is a loop's state; `layers` are those that run, in
    order, and `behind` says how many of them come after the loop; `read` gives the logits
    (V,) of the last position.
    """

    last: Callable[[Any], Any]
    layers: Callable[[Any], Sequence[Any]]
    behind: Callable[[Any], int]
    read: Callable[[Any, LoopEnd], Tensor]

    def unreadable(self, model: Any) -> set[str]:
        """Attention types that only layers behind the loop have, so that none could show their arguments."""
        types = [layer.attention_type for layer in self.layers(model)]
        begin = len(types) - self.behind(model)
        return set(types[begin:]) - set(types[:begin])


def layer_arguments(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Of a layer's keyword arguments, those that another layer of its type may be called with."""
    return {name: keywords[name] for name in _LAYER_ARGUMENTS if name in keywords}


def _read_dory(model: Any, end: LoopEnd) -> Tensor:
    text = model.model
    hidden = end.output
    for layer in text.layers[len(text.layers) - text.config.n_output_layers :]:
        hidden = layer(hidden, cache=None, **end.by_type[layer.attention_type])
    return _last(model.lm_head(text.norm(hidden[:, -1:])))


def _read_inkling(model: Any, end: LoopEnd) -> Tensor:
    text, looped = _inkling_text(model), _inkling_last(model)
    hidden, (before, blocks) = end.output, end.arguments[:2]
    blocks = _with_block(looped, blocks, before)
    for layer in text.layers[text.config.loop_layer_index_end :]:
        after = layer(hidden, blocks, cache=None, **end.by_type[layer.attention_type])
        hidden, blocks = after, _with_block(layer, blocks, hidden)
    hidden = text.norm(text.final_input(blocks, hidden)[0]).to(end.output.dtype)
    return _last(model.logit_softcap(model.lm_head(hidden[:, -1:]).float()))


def _with_block(layer: Any, blocks: Tensor, hidden: Tensor) -> Tensor:
    """Block states (1, T, N, D), with the state that came before a layer on a block's boundary."""
    return torch.cat((blocks, hidden.unsqueeze(-2)), dim=-2) if layer.is_block_boundary else blocks


def _read_hrm(model: Any, end: LoopEnd) -> Tensor:
    return _last(model.lm_head(end.output[:, -1:]))


def _dory_last(model: Any) -> Any:
    config = model.config
    return model.model.layers[config.num_hidden_layers - config.n_output_layers - 1]


def _inkling_last(model: Any) -> Any:
    text = _inkling_text(model)
    return text.layers[text.config.loop_layer_index_end - 1]


def _inkling_behind(model: Any) -> int:
    config = _inkling_text(model).config
    behind: int = config.num_hidden_layers - config.loop_layer_index_end
    return behind


def _last(logits: Tensor) -> Tensor:
    return logits[0, -1]


def _inkling_text(model: Any) -> Any:
    return getattr(model.model, "language_model", model.model)


_INKLING = LoopedArchitecture(
    last=_inkling_last,
    layers=lambda model: _inkling_text(model).layers,
    behind=_inkling_behind,
    read=_read_inkling,
)

ARCHITECTURES: dict[str, LoopedArchitecture] = {
    "dory": LoopedArchitecture(
        last=_dory_last,
        layers=lambda model: model.model.layers,
        behind=lambda model: model.config.n_output_layers,
        read=_read_dory,
    ),
    "hrm_text": LoopedArchitecture(
        last=lambda model: model.model.H_module,
        layers=lambda model: (),  # noqa: ARG005
        behind=lambda model: 0,  # noqa: ARG005
        read=_read_hrm,
    ),
    "inkling2_loop": _INKLING,  # with its vision tower, which a prompt of text does not use
    "inkling2_loop_text": _INKLING,
}
