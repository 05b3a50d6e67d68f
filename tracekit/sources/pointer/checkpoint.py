"""Checkpoint folders in Hugging Face's layout, written whole and read with suspicion.

config.json         the architecture's name and the shape of the model
model.safetensors   the weights, never a pickle
tokenizer.json      the tokenizer, in the tokenizers library's format
README.md           the model card
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from tracekit.errors import CheckpointError
from tracekit.sources.devices import usable_device
from tracekit.sources.pointer.model import LoopedConfig, LoopedTransformer
from tracekit.sources.pointer.tokenizer import PromptTokenizer
from tracekit.storage.files import is_folder

__all__ = ["BUNDLED", "MODEL_NAME", "bundled_folder", "load", "save"]

MODEL_NAME = "tracekit-pointer"
BUNDLED = ("final", "early")

_ARCHITECTURE = "LoopedTransformer"
_PICKLE_NAMES = ("pytorch_model.bin", "model.bin", "model.pt", "model.pth", "model.pkl", "model.ckpt")
# A zip archive (torch.save since 1.6) and a bare pickle of protocol 2 or later.
_PICKLE_STARTS = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
# The tensor, and its axis, that shows each size that a config may choose.
_SIZED_BY = {
    "width": ("embedding.weight", 1),
    "hidden": ("core.expand.weight", 0),
    "code_bits": ("to_code.weight", 0),
    "completion_hidden": ("completion_head.0.weight", 0),
}
_LARGEST_SIZE = 65536


def save(model: LoopedTransformer, tokenizer: PromptTokenizer, folder: Path, card: str) -> None:
    """Write a checkpoint folder; what stood there before is replaced as a whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    contents = {
        "config.json": _config_text(model.config).encode(),
        "model.safetensors": safetensors.torch.save(weights, metadata={"format": "pt"}),
        "tokenizer.json": tokenizer.to_json().encode(),
        "README.md": card.encode(),
    }
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        fresh.mkdir()
        for name, content in contents.items():
            _write(fresh / name, content)
        if folder.exists():
            folder.rename(Path(scratch) / "old")
        fresh.rename(folder)


def load(
    checkpoint: str | Path | None = None, device: str = "cpu"
) -> tuple[LoopedTransformer, PromptTokenizer, dict[str, Any]]:
    """The model in eval mode on a device, its tokenizer, and its spec.

    `checkpoint` is None for the bundled final one, a bundled name ("final", "early"), or
    a folder. The spec has `token_ids` (of the letters A to Z), `name`, `checkpoint`,
    `sha256` (of the weights' file), `parameters` and `dtype`.

    Raises CheckpointError for a folder that cannot be used, DeviceError for a device that
    is unknown or not there.
    """
    label = str(checkpoint) if checkpoint is not None else BUNDLED[0]
    folder = bundled_folder(label) if label in BUNDLED else Path(label)
    target = usable_device(device)
    if not is_folder(folder):
        raise CheckpointError(folder, "is not a folder" if folder.exists() else "there is no such folder")
    config = _read_config(folder)
    content = _read_weights(folder)
    model = _build_model(folder, config, _parse_weights(folder, content))
    tokenizer = _read_tokenizer(folder)
    spec = {
        "token_ids": tokenizer.symbol_ids(),
        "name": MODEL_NAME,
        "checkpoint": label,
        "sha256": hashlib.sha256(content).hexdigest(),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "dtype": str(next(model.parameters()).dtype).removeprefix("torch."),
    }
    return model.to(target), tokenizer, spec


def bundled_folder(name: str) -> Path:
    """Where a checkpoint that ships with the package lies."""
    return Path(__file__).parent / "checkpoints" / name


def _config_text(config: LoopedConfig) -> str:
    document = {"architectures": [_ARCHITECTURE], "model_type": MODEL_NAME, "torch_dtype": "float32"}
    return json.dumps(document | asdict(config), indent=2) + "\n"


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _read_text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise CheckpointError(folder, f"has no {name}") from error
    except UnicodeDecodeError as error:
        raise CheckpointError(folder, f"{name} is not UTF-8 text") from error
    except OSError as error:
        raise CheckpointError(folder, f"{name} cannot be read: {error.strerror}") from error


def _read_config(folder: Path) -> LoopedConfig:
    try:
        document = json.loads(_read_text(folder, "config.json"))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(folder, f"config.json is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise CheckpointError(folder, "config.json is not an object")
    if document.get("architectures") != [_ARCHITECTURE]:
        found = json.dumps(document.get("architectures"))
        raise CheckpointError(folder, f'config.json: architectures must be ["{_ARCHITECTURE}"], not {found}')
    sizes = {field.name: _size(folder, document, field.name) for field in fields(LoopedConfig)}
    _check_task(folder, sizes)
    return LoopedConfig(**sizes)


def _size(folder: Path, document: dict[str, object], name: str) -> int:
    value = document.get(name)
    if type(value) is not int or not 1 <= value <= _LARGEST_SIZE:
        reason = f"config.json: {name} must be an integer from 1 to {_LARGEST_SIZE}, not {value!r:.60}"
        raise CheckpointError(folder, reason)
    return value


def _check_task(folder: Path, sizes: dict[str, int]) -> None:
    task = LoopedConfig()
    for name in ("vocab_size", "symbols", "rules", "rule_characters", "count_digits"):
        if sizes[name] != getattr(task, name):
            reason = f"config.json: {name} is {getattr(task, name)} in the pointer task, not {sizes[name]}"
            raise CheckpointError(folder, reason)
    if sizes["width"] % sizes["heads"]:
        reason = f"config.json: width {sizes['width']} is not a multiple of heads {sizes['heads']}"
        raise CheckpointError(folder, reason)


def _read_weights(folder: Path) -> bytes:
    path = folder / "model.safetensors"
    pickle = next((name for name in _PICKLE_NAMES if (folder / name).exists()), None)
    if not path.exists() and pickle is not None:
        reason = f"{pickle} is refused, since a pickle can run code; give model.safetensors instead"
        raise CheckpointError(folder, reason)
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise CheckpointError(folder, "has no model.safetensors") from error
    except OSError as error:
        raise CheckpointError(folder, f"model.safetensors cannot be read: {error.strerror}") from error


def _parse_weights(folder: Path, content: bytes) -> dict[str, Tensor]:
    if content.startswith(_PICKLE_STARTS):
        reason = "model.safetensors is a pickle, which is refused, since a pickle can run code"
        raise CheckpointError(folder, reason)
    try:
        return safetensors.torch.load(content)
    except SafetensorError as error:
        raise CheckpointError(folder, f"model.safetensors is damaged: {error}") from error


def _build_model(folder: Path, config: LoopedConfig, weights: dict[str, Tensor]) -> LoopedTransformer:
    _check_sizes(folder, config, weights)
    # The first weights are drawn only to be replaced, so nobody's random numbers may change by it.
    # (The meta device would draw none, but brings two seconds of torch's compiler with it.)
    with torch.random.fork_rng(devices=[]):
        model = LoopedTransformer(config)
    expected = model.state_dict()
    for name in sorted(expected.keys() | weights.keys()):
        fault = _tensor_fault(expected.get(name), weights.get(name))
        if fault is not None:
            raise CheckpointError(folder, f"model.safetensors: tensor {name} {fault}")
    model.load_state_dict(weights, assign=True)
    return model.requires_grad_(False).eval()


def _check_sizes(folder: Path, config: LoopedConfig, weights: dict[str, Tensor]) -> None:
    """Refuse sizes that the weights do not have, before a model of the claimed size is allocated."""
    for size, (name, axis) in _SIZED_BY.items():
        shape = list(weights[name].shape) if name in weights else None
        claimed = getattr(config, size)
        if shape is None:
            raise CheckpointError(folder, f"model.safetensors: tensor {name} is missing")
        if len(shape) <= axis or shape[axis] != claimed:
            found = f"has shape {shape}, where the config gives {size} {claimed}"
            raise CheckpointError(folder, f"model.safetensors: tensor {name} {found}")


def _tensor_fault(expected: Tensor | None, found: Tensor | None) -> str | None:
    if found is None:
        return "is missing"
    if expected is None:
        return "is not one of this model's"
    if found.shape != expected.shape:
        return f"has shape {list(found.shape)}, where the config gives {list(expected.shape)}"
    if found.dtype != torch.float32:
        return f"is {str(found.dtype).removeprefix('torch.')}, not float32"
    return None if bool(found.isfinite().all()) else "holds NaN or infinity"


def _read_tokenizer(folder: Path) -> PromptTokenizer:
    try:
        return PromptTokenizer.from_json(_read_text(folder, "tokenizer.json"))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(folder, f"tokenizer.json cannot be used: {error}") from error
