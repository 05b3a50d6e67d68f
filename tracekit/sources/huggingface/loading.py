"""Model and tokenizer, from a folder or a hub, read with suspicion.

A folder on this machine is read without any network, and a hub's model is first brought
into a folder. Weights are safetensors or GGUF, never a pickle; code that comes with a model
runs only where a person has said so.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import huggingface_hub
import psutil  # type: ignore[import-untyped]
import torch
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GgufConfig
from transformers.utils import logging as remarks

from tracekit.errors import CheckpointError, DeviceError, UsageError
from tracekit.format.types import Model
from tracekit.sources.devices import usable_device
from tracekit.sources.huggingface.describing import identity_of
from tracekit.sources.huggingface.folders import Weights, find_weights, sha256_of
from tracekit.sources.registry import LoadOptions
from tracekit.storage.files import in_words

__all__ = ["Loaded", "load", "save_folder"]

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "tekken.json")
_FROM_A_HUB = ("*.json", "*.safetensors", "*.jinja", "*.model", "*.txt")


@dataclass(frozen=True)
class Loaded:
    """A model in eval mode on its device, its tokenizer, and the header's `model`."""

    model: Any
    tokenizer: Any
    identity: Model


def load(
    name: str,
    source: str,
    options: LoadOptions,
    auto_class: Callable[[Any], Any] = lambda config: AutoModelForCausalLM,  # noqa: ARG005
) -> Loaded:
    """Load a folder, a .gguf file, or a hub's id. `source` is what `--model` took.

    `auto_class` gives the Auto class that builds a model of a config. Raises CheckpointError for what cannot
    be used, DeviceError for a device that is not there, cannot compute in the dtype or
    cannot hold the weights, UsageError for options that do not fit.
    """
    if options.checkpoint is not None:
        raise UsageError(f"--checkpoint is for the pointer model; {source} names its own")
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    device = usable_device(options.device)
    dtype = _usable_dtype(options.dtype, device)
    with in_words(name):
        weights = find_weights(_folder(name, options))
    shared = _shared(weights, options)
    with _quietly(), ThreadPoolExecutor(1) as beside:
        config = _config(weights, shared)
        _refuse_too_large(weights, _effective_dtype(dtype, config, weights), device)
        # Hashing frees the interpreter and reads what loading reads, so beside it it costs next to nothing.
        sha256 = beside.submit(sha256_of, weights.files)
        tokenizer = _tokenizer(weights, shared)
        model = _model(weights, auto_class(config), {**shared, "config": config, "dtype": dtype})
        own = weights.files[0].stem if weights.gguf else PurePath(name).name
        identity: Model = {**identity_of(model.to(device), source, own), "sha256": sha256.result()}
    return Loaded(model, tokenizer, identity)


def save_folder(loaded: Loaded, folder: Path) -> None:
    """Write model and tokenizer as a folder of safetensors, which loads many times faster than GGUF.

    All of it or nothing. Raises CheckpointError where something is there already, and
    StorageError where the system refuses.
    """
    if folder.exists():
        raise CheckpointError(folder, "is there already; choose another folder")
    model = loaded.model
    if hasattr(model.config, "quantization_config"):
        # What came from GGUF is floats now, but its config still says otherwise, and refuses to be saved.
        config = copy.deepcopy(model.config)
        del config.quantization_config
        with torch.device("meta"):
            plain = type(model)(config)
        plain.load_state_dict(model.state_dict(), assign=True)
        plain.tie_weights()
        plain.generation_config, model = model.generation_config, plain
    with _quietly(), in_words(folder), tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        model.save_pretrained(fresh)
        loaded.tokenizer.save_pretrained(fresh)
        fresh.rename(folder)


def _folder(name: str, options: LoadOptions) -> Path:
    try:
        path = Path(name).expanduser()
    except RuntimeError as error:  # ~ and a name that is no user's
        raise CheckpointError(name, "there is no such folder") from error
    if path.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1 or path.suffix == ".gguf":
        return path
    patterns = [*_FROM_A_HUB, *(["*.py"] if options.trust_remote_code else [])]
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = f"there is no such folder, and the hub gives no such model: {_in_one_line(error)}"
        raise CheckpointError(name, reason) from error


def _usable_dtype(name: str | None, device: torch.device) -> torch.dtype | None:
    """The dtype; None, where none was named, for the checkpoint's own."""
    if name in (None, "auto"):
        return None
    dtype = getattr(torch, str(name), None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise UsageError(f"--dtype {name}: expected auto, float32, bfloat16, float16 or float64")
    try:
        ones = torch.ones(2, 2, device=device).to(dtype)
        torch.log_softmax(ones @ ones, dim=-1)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        raise DeviceError(str(device), f"cannot compute in {name}") from error
    return dtype


def _shared(weights: Weights, options: LoadOptions) -> dict[str, Any]:
    """What every part is loaded with."""
    return {
        "local_files_only": True,
        "trust_remote_code": options.trust_remote_code,
        **({"gguf_file": weights.gguf} if weights.gguf else {}),
    }


def _effective_dtype(dtype: torch.dtype | None, config: Any, weights: Weights) -> torch.dtype:
    own = getattr(config, "dtype", None) if weights.gguf is None else torch.float32
    return dtype or (own if isinstance(own, torch.dtype) else torch.float32)


def _refuse_too_large(weights: Weights, dtype: torch.dtype, device: torch.device) -> None:
    # GGUF stores a number in at most 4 bytes, so its file's size bounds what it unpacks to from below.
    numbers = weights.size / 4 if weights.parameters is None else weights.parameters
    needed = numbers * dtype.itemsize
    if needed > (free := _free_bytes(device)):
        sizes = f"{needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free"
        raise DeviceError(str(device), f"the weights need {sizes}; --dtype bfloat16 takes two bytes a number")


def _free_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    available: int = psutil.virtual_memory().available
    return available


def _config(weights: Weights, shared: dict[str, Any]) -> Any:
    try:
        return _translated(weights, "config", lambda: AutoConfig.from_pretrained(weights.folder, **shared))
    except CheckpointError as error:
        if "custom code" in error.reason:
            reason = "needs code that comes with it; if you trust it, add --trust-remote-code"
            raise CheckpointError(weights.folder, reason) from error
        raise


def _tokenizer(weights: Weights, shared: dict[str, Any]) -> Any:
    if weights.gguf is None and not any((weights.folder / name).is_file() for name in _TOKENIZERS):
        raise CheckpointError(weights.folder, "has no tokenizer (tokenizer.json)")
    tokenizer = _translated(
        weights, "tokenizer", lambda: AutoTokenizer.from_pretrained(weights.folder, **shared)
    )
    if not tokenizer("a", add_special_tokens=False)["input_ids"]:
        raise CheckpointError(weights.folder, "its tokenizer makes no tokens of text")
    return tokenizer


def _model(weights: Weights, auto: Any, arguments: dict[str, Any]) -> Any:
    """The model with every weight in its place, in eval mode."""
    if weights.gguf:
        # Otherwise transformers would look for kernels on a hub, and compute on packed weights with them.
        arguments |= {"quantization_config": GgufConfig(dequantize=True)}
        arguments["dtype"] = arguments["dtype"] or torch.float32
    arguments["dtype"] = arguments["dtype"] or "auto"
    # A wrong shape is asked to be let through only to be named below.
    arguments |= {"use_safetensors": True, "output_loading_info": True, "ignore_mismatched_sizes": True}
    with _without_gguf_bar():
        load_model = functools.partial(auto.from_pretrained, weights.folder, **arguments)
        model, info = _translated(weights, "model", load_model)
    if missing := sorted(info["missing_keys"]):
        raise CheckpointError(weights.folder, f"lacks weights of the model: {', '.join(missing[:3])}")
    if wrong := sorted(info["mismatched_keys"]):
        name, found, expected = wrong[0]
        reason = f"weight {name} has shape {list(found)}, where the config gives {list(expected)}"
        raise CheckpointError(weights.folder, reason)
    return model.eval()


def _translated(weights: Weights, part: str, load_part: Callable[[], Any]) -> Any:
    try:
        return load_part()
    except MemoryError as error:
        raise DeviceError("cpu", f"the {part} does not fit into memory") from error
    # The boundary to a library that names no errors of its own: whatever broke it, the checkpoint did.
    except Exception as error:
        name = weights.files[0] if weights.gguf else weights.folder
        raise CheckpointError(name, f"its {part} cannot be loaded: {_in_one_line(error)}") from error


def _in_one_line(error: Exception) -> str:
    return f"{' '.join(str(error).split()):.300}" or type(error).__name__


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Without transformers' bars and remarks, which would mix with ours."""
    verbosity, bars = remarks.get_verbosity(), remarks.is_progress_bar_enabled()
    remarks.set_verbosity(logging.ERROR)
    remarks.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        remarks.set_verbosity(verbosity)
        if bars:
            remarks.enable_progress_bar()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _without_gguf_bar() -> Iterator[None]:
    # transformers draws its bar for GGUF whatever its settings say. On a terminal it is welcome.
    if sys.stderr.isatty():
        yield
    else:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
