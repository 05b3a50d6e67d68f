"""Model and tokenizer from a folder: whole, and nothing from a network; or one clear line."""

from __future__ import annotations

import hashlib
import json
import pickle
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGUFWriter

from tests.conftest import Cli
from tests.sources.huggingface.tiny import checkpoint
from tracekit.errors import CheckpointError, DeviceError, UsageError
from tracekit.sources.huggingface.causal import CausalSource
from tracekit.sources.huggingface.loading import Loaded, load, save_folder
from tracekit.sources.registry import LoadOptions, load_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return checkpoint(tmp_path / "tiny")


def opened(folder: Path, **options: Any) -> Any:
    return load(str(folder), f"hf:{folder}", LoadOptions(**options))


def edit_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_loaded_model_says_who_it_is(folder: Path) -> None:
    loaded = opened(folder)
    assert loaded.identity == {
        "source": f"hf:{folder}",
        "name": "tiny",
        "sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "dtype": "float32",
        "device": "cpu",
        "parameters": loaded.model.num_parameters(),
    }
    assert not loaded.model.training


def test_a_folder_is_loaded_without_any_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a local folder reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert isinstance(load_source(f"hf:{folder}"), CausalSource)


def test_shards_hash_as_one_after_the_other(folder: Path, tmp_path: Path) -> None:
    opened(folder).model.save_pretrained(tmp_path / "sharded", max_shard_size="60KB")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "sharded" / name).write_bytes((folder / name).read_bytes())
    shards = sorted((tmp_path / "sharded").glob("*.safetensors"))
    together = b"".join(shard.read_bytes() for shard in shards)

    identity = opened(tmp_path / "sharded").identity

    assert len(shards) > 1
    assert identity["sha256"] == hashlib.sha256(together).hexdigest()


def test_a_dtype_is_what_the_model_computes_in(folder: Path) -> None:
    loaded = opened(folder, dtype="bfloat16")
    assert loaded.model.dtype is torch.bfloat16
    assert loaded.identity["dtype"] == "bfloat16"


def test_a_saved_folder_is_the_same_model(folder: Path, tmp_path: Path) -> None:
    loaded = opened(folder)
    save_folder(loaded, tmp_path / "copy")
    copied = opened(tmp_path / "copy").model.state_dict()
    assert all(torch.equal(copied[name], weight) for name, weight in loaded.model.state_dict().items())
    with pytest.raises(CheckpointError, match="copy: is there already; choose another folder"):
        save_folder(loaded, tmp_path / "copy")


def test_what_came_from_gguf_is_saved_as_safetensors(smollm2: CausalSource, tmp_path: Path) -> None:
    save_folder(Loaded(smollm2.model, smollm2.tokenizer, smollm2.identity), tmp_path / "copy")
    copied = opened(tmp_path / "copy").model.state_dict()
    assert smollm2.identity["name"] == "SmolLM2-135M-Instruct.Q4_1"
    assert all(torch.equal(copied[name], weight) for name, weight in smollm2.model.state_dict().items())


def keep_no(*patterns: str) -> Callable[[Path], None]:
    return lambda folder: [file.unlink() for pattern in patterns for file in folder.glob(pattern)] and None


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def as_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": 1}))


def cut_off(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-100])


def as_empty_gguf(folder: Path) -> None:
    """A real header, and no weights behind it."""
    (folder / "model.safetensors").unlink()
    writer = GGUFWriter(folder / "model.gguf", "llama")
    writer.add_block_count(2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def as_damaged_gguf(folder: Path) -> None:
    as_empty_gguf(folder)
    (folder / "model.gguf").write_bytes((folder / "model.gguf").read_bytes()[:40])


def as_no_gguf(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model.gguf")


def with_own_code(folder: Path) -> None:
    edit_config(
        folder, model_type="mine", auto_map={"AutoConfig": "mine.C", "AutoModelForCausalLM": "mine.M"}
    )
    (folder / "mine.py").write_text("raise SystemExit('code of the checkpoint has run')")


def with_a_terabyte(folder: Path) -> None:
    """A valid header whose numbers are a hole in the file."""
    header = json.dumps({"x": {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 4 << 38]}}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + (4 << 38))


BROKEN: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no model": (keep_no("*"), "holds no model"),
    "no tokenizer": (keep_no("tokenizer*"), "has no tokenizer"),
    "a broken tokenizer": (write("tokenizer.json", b"{}"), "its tokenizer cannot be loaded: "),
    "no config": (keep_no("config.json"), "its config cannot be loaded: Unrecognized model"),
    "a broken config": (write("config.json", b"[1"), "its config cannot be loaded: .*not a valid JSON"),
    "a broken generation config": (
        write("generation_config.json", b"{"),
        r"its generation_config\.json cannot be loaded: .*not a valid JSON",
    ),
    "a generation config that is no object": (
        write("generation_config.json", b"[]"),
        r"its generation_config\.json cannot be loaded: ",
    ),
    "a generation config that contradicts itself": (
        write("generation_config.json", b'{"max_new_tokens": -1}'),
        r"its generation_config\.json cannot be loaded: .*greater than 0",
    ),
    "an unknown architecture": (lambda folder: edit_config(folder, model_type="new"), "has model type `new`"),
    "no language model": (lambda folder: edit_config(folder, model_type="t5"), "its model cannot be loaded"),
    "a pickle": (as_pickle, "pytorch_model.bin is refused, since a pickle can run code"),
    "a pickle by another name": (
        write("model.safetensors", pickle.dumps([1])),
        "is a pickle, which is refused",
    ),
    "safetensors cut off": (cut_off, "model.safetensors: is damaged: .*incomplete metadata"),
    "no safetensors": (write("model.safetensors", b"garbage!" * 9), "model.safetensors: is damaged"),
    "a wrong shape": (
        lambda folder: edit_config(folder, intermediate_size=96),
        r"has shape \[.*\], where the config gives \[",
    ),
    "weights that are missing": (
        lambda folder: edit_config(folder, num_hidden_layers=3),
        r"lacks weights of the model: model.layers.2",
    ),
    "a shard that is missing": (
        write("model.safetensors.index.json", b'{"weight_map": {"a": "one.safetensors"}}'),
        "has no one.safetensors, which model.safetensors.index.json names",
    ),
    "a shard elsewhere": (
        write("model.safetensors.index.json", b'{"weight_map": {"a": "../one.safetensors"}}'),
        "names a file outside the folder",
    ),
    "a GGUF file without weights": (as_empty_gguf, "lacks weights of the model: "),
    "a damaged GGUF file": (as_damaged_gguf, "model.gguf: its config cannot be loaded"),
    "no GGUF file": (as_no_gguf, "model.gguf: is damaged: a GGUF file begins with the letters GGUF"),
    "code of its own": (
        with_own_code,
        "needs code that comes with it; if you trust it, add --trust-remote-code",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_checkpoint_that_cannot_be_used_is_refused_in_one_line(folder: Path, name: str) -> None:
    spoil, reason = BROKEN[name]
    spoil(folder)
    with pytest.raises(CheckpointError, match=reason) as caught:
        opened(folder)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_several_gguf_files_are_refused_by_name(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for name in ("one.gguf", "two.gguf"):
        (folder / name).write_bytes(b"GGUF")
    with pytest.raises(CheckpointError, match=r"holds several GGUF files \(one.gguf, two.gguf\); name one"):
        opened(folder)


def test_weights_that_do_not_fit_into_memory_are_refused_before_they_are_read(folder: Path) -> None:
    with_a_terabyte(folder)
    with pytest.raises(DeviceError, match=r"the weights need 1099.5 GB, and .* GB are free"):
        opened(folder)


@pytest.mark.parametrize("path", ["./nowhere", "/nowhere/at/all", "nowhere.gguf", "~no-such-user/model"])
def test_a_folder_that_is_not_there_is_not_looked_for_on_a_hub(path: str) -> None:
    with pytest.raises(CheckpointError, match=r"there is no such folder$"):
        load(path, f"hf:{path}", LoadOptions())


def test_a_hubs_model_that_is_not_there_is_one_line(cli: Cli, tmp_path: Path) -> None:
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    done = cli("record", "--model", "hf:nobody/nothing", "--prompt", "a", env=offline)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "tracekit: checkpoint nobody/nothing: there is no such folder, and the hub gives no such model: "
    )
    assert done.stderr.count("\n") == 1


def test_a_hubs_model_is_loaded_from_the_cache_when_offline(cli: Cli, tmp_path: Path) -> None:
    cached = tmp_path / "cache" / "hub" / "models--some--tiny"
    checkpoint(cached / "snapshots" / ("0" * 40))
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("0" * 40)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    arguments = ("--prompt", "a", "--max-new-tokens", "2", "--json", "--out", "run.json")

    done = cli("record", "--model", "hf:some/tiny", *arguments, env=offline)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "run.json").read_text())["model"]["name"] == "tiny"


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({"device": "banana"}, DeviceError, "device 'banana': torch knows no such device"),
        ({"device": "meta"}, DeviceError, "device 'meta': holds no numbers"),
        ({"device": "cuda:99"}, DeviceError, "device 'cuda:99': is not available on this machine"),
        ({"dtype": "float8_e4m3fn"}, DeviceError, "device 'cpu': cannot compute in float8_e4m3fn"),
        ({"dtype": "int8"}, UsageError, "--dtype int8: expected auto, float32, bfloat16"),
        ({"checkpoint": "early"}, UsageError, "--checkpoint is for the pointer model"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(
    folder: Path, options: dict[str, Any], kind: type[Exception], reason: str
) -> None:
    with pytest.raises(kind, match=reason):
        opened(folder, **options)
