"""Which files of a folder hold the weights, and whether they may be opened. Nothing is loaded here."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from tracekit.errors import CheckpointError
from tracekit.storage.files import in_words, open_regular, read_file

__all__ = ["Weights", "find_weights", "sha256_of"]

_INDEX = "model.safetensors.index.json"
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# A zip archive (torch.save since 1.6) and a bare pickle of protocol 2 or later.
_PICKLE_STARTS = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """The weights of a checkpoint: files of safetensors, or one file of GGUF.

    `parameters` is how many numbers they hold; None for GGUF, whose header is slow to read.
    """

    files: tuple[Path, ...]
    parameters: int | None

    @property
    def folder(self) -> Path:
        return self.files[0].parent

    @property
    def gguf(self) -> str | None:
        """The name of the GGUF file, if it is one."""
        return self.files[0].name if self.parameters is None else None

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in self.files)


def find_weights(path: Path) -> Weights:
    """The weights in a folder, or those of a .gguf file. Raises CheckpointError for all that is not safe,
    and StorageError for what the system will not read.

    Safetensors come first; then a GGUF file, if it is the only one. A pickle is never
    opened, since it can run code.
    """
    if path.suffix == ".gguf" and path.is_file():
        return _gguf(path)
    if not path.is_dir():
        raise CheckpointError(path, "is not a folder" if path.exists() else "there is no such folder")
    if (path / _INDEX).is_file():
        return _safetensors(path, _shards(path / _INDEX))
    if (path / "model.safetensors").is_file():
        return _safetensors(path, ["model.safetensors"])
    ggufs = sorted(path.glob("*.gguf"))
    if len(ggufs) > 1:
        names = ", ".join(file.name for file in ggufs)
        raise CheckpointError(path, f"holds several GGUF files ({names}); name one of them")
    if ggufs:
        return _gguf(ggufs[0])
    raise CheckpointError(path, _nothing_usable(path))


def sha256_of(files: Sequence[Path]) -> str:
    """SHA-256 of the files' bytes, one after the other, in lower-case hex."""
    digest = hashlib.sha256()
    for path in files:
        with in_words(path), open_regular(path) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _nothing_usable(path: Path) -> str:
    pickle = next((file.name for file in sorted(path.iterdir()) if file.suffix in _PICKLES), None)
    if pickle is not None:
        return f"{pickle} is refused, since a pickle can run code; save the model as safetensors"
    return "holds no model (no model.safetensors and no .gguf file)"


def _gguf(path: Path) -> Weights:
    start = _start(path)
    if start.startswith(_PICKLE_STARTS):
        raise CheckpointError(path, "is a pickle, which is refused, since a pickle can run code")
    if start != b"GGUF":
        raise CheckpointError(path, "is damaged: a GGUF file begins with the letters GGUF")
    return Weights((path,), None)


def _shards(index: Path) -> list[str]:
    try:
        shards = set(json.loads(read_file(index))["weight_map"].values())
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise CheckpointError(index.parent, f"{_INDEX} cannot be used: {error!r:.120}") from error
    for name in shards:
        if not isinstance(name, str) or Path(name).name != name:
            raise CheckpointError(index.parent, f"{_INDEX} names a file outside the folder: {name!r:.80}")
        if not (index.parent / name).is_file():
            raise CheckpointError(index.parent, f"has no {name}, which {_INDEX} names")
    return sorted(shards)


def _safetensors(folder: Path, names: Sequence[str]) -> Weights:
    if not names:
        raise CheckpointError(folder, f"{_INDEX} names no weights")
    files = tuple(folder / name for name in names)
    return Weights(files, sum(map(_count, files)))


def _count(file: Path) -> int:
    if _start(file).startswith(_PICKLE_STARTS):
        raise CheckpointError(file, "is a pickle, which is refused, since a pickle can run code")
    try:
        with safe_open(file, framework="numpy") as tensors:
            return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118
    except SafetensorError as error:
        raise CheckpointError(file, f"is damaged: {error}") from error


def _start(path: Path) -> bytes:
    with in_words(path), open_regular(path) as file:
        return file.read(4)
