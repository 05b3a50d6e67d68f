"""Checkpoint folders: what is written can be read, and everything else is refused in one line."""

from __future__ import annotations

import hashlib
import json
import pickle
import shutil

import pytest
import safetensors.torch
import torch

from tracekit.errors import CheckpointError, DeviceError
from tracekit.sources.pointer import LoopedConfig, LoopedTransformer, PromptTokenizer, load
from tracekit.sources.pointer.checkpoint import BUNDLED, bundled_folder, save

SMALL = LoopedConfig(width=8, heads=2, hidden=8, code_bits=4, completion_hidden=4)


@pytest.fixture(name="folder")
def make_folder(tmp_path):
    folder = tmp_path / "small"
    save(LoopedTransformer(SMALL), PromptTokenizer.new(), folder, "a card")
    return folder


def refusal(folder):
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    message = str(caught.value)
    assert message.startswith(f"checkpoint {folder}: ")
    assert "\n" not in message
    return caught.value.reason


def change_config(folder, **changes):
    document = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(document | changes))


def change_weights(folder, change):
    path = folder / "model.safetensors"
    tensors = safetensors.torch.load(path.read_bytes())
    change(tensors)
    safetensors.torch.save_file(tensors, path)


def test_what_is_saved_is_loaded(tmp_path):
    model = LoopedTransformer(SMALL)
    save(model, PromptTokenizer.new(), tmp_path / "made" / "here", "a card")
    loaded, _, _ = load(tmp_path / "made" / "here")
    assert loaded.config == SMALL
    assert all(torch.equal(loaded.state_dict()[name], value) for name, value in model.state_dict().items())


def test_a_folder_has_the_four_files_and_nothing_is_left_beside_it(folder):
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["README.md", "config.json", "model.safetensors", "tokenizer.json"]
    assert list(folder.parent.iterdir()) == [folder]


def test_saving_again_replaces_the_whole_folder(folder):
    (folder / "old.txt").write_text("old")
    save(LoopedTransformer(SMALL), PromptTokenizer.new(), folder, "a new card")
    assert (folder / "README.md").read_text() == "a new card"
    assert not (folder / "old.txt").exists()


def test_the_model_comes_in_eval_mode(folder):
    assert load(folder)[0].training is False


def test_the_spec_says_what_was_loaded(folder):
    model, _, spec = load(str(folder))
    assert spec == {
        "token_ids": list(range(1, 27)),
        "name": "tracekit-pointer",
        "checkpoint": str(folder),
        "sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "dtype": "float32",
    }


def test_without_a_name_the_final_checkpoint_is_loaded():
    assert load()[2] == load("final")[2]


def test_the_bundled_checkpoints_are_two_different_ones():
    assert load("early")[2]["sha256"] != load("final")[2]["sha256"]


def test_the_bundled_checkpoints_fit_in_four_megabytes():
    sizes = [path.stat().st_size for name in BUNDLED for path in bundled_folder(name).iterdir()]
    assert sum(sizes) <= 4_000_000


def test_loading_leaves_the_global_random_state_alone(folder):
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    load(folder)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_missing_folder(tmp_path):
    assert refusal(tmp_path / "none") == "there is no such folder"


def test_a_file_in_the_place_of_a_folder(folder):
    assert refusal(folder / "config.json") == "is not a folder"


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    assert f"has no {name}" in refusal(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_in_the_place_of_a_file(folder, name):
    (folder / name).unlink()
    (folder / name).mkdir()
    assert f"{name} cannot be read: Is a directory" in refusal(folder)


def test_a_config_that_is_cut_off(folder):
    (folder / "config.json").write_text('{"architectures": [')
    assert refusal(folder).startswith("config.json is not JSON: ")


def test_a_config_nested_beyond_reason(folder):
    (folder / "config.json").write_text("[" * 100_000)
    assert refusal(folder).startswith("config.json is not JSON: ")


def test_a_config_that_is_not_text(folder):
    (folder / "config.json").write_bytes(b"\xff\xfe{}")
    assert refusal(folder) == "config.json is not UTF-8 text"


def test_a_config_that_is_no_object(folder):
    (folder / "config.json").write_text("[]")
    assert refusal(folder) == "config.json is not an object"


def test_another_architecture(folder):
    change_config(folder, architectures=["GPT2LMHeadModel"])
    assert refusal(folder) == (
        'config.json: architectures must be ["LoopedTransformer"], not ["GPT2LMHeadModel"]'
    )


@pytest.mark.parametrize("value", [0, -8, 10**12, 8.0, True, "8", None])
def test_a_size_that_is_no_size(folder, value):
    change_config(folder, width=value)
    assert refusal(folder) == f"config.json: width must be an integer from 1 to 65536, not {value!r}"


def test_a_width_that_the_heads_do_not_divide(folder):
    change_config(folder, heads=3)
    assert refusal(folder) == "config.json: width 8 is not a multiple of heads 3"


def test_a_model_of_another_task(folder):
    change_config(folder, count_digits=3)
    assert refusal(folder) == "config.json: count_digits is 5 in the pointer task, not 3"


def test_a_config_that_claims_a_huge_model_allocates_nothing(folder):
    change_config(folder, width=65536, hidden=65536)
    assert "where the config gives width 65536" in refusal(folder)


def test_a_missing_tensor(folder):
    change_weights(folder, lambda tensors: tensors.pop("core.slots"))
    assert refusal(folder) == "model.safetensors: tensor core.slots is missing"


def test_an_extra_tensor(folder):
    change_weights(folder, lambda tensors: tensors.update(extra=torch.zeros(1)))
    assert refusal(folder) == "model.safetensors: tensor extra is not one of this model's"


def test_a_misshapen_tensor(folder):
    change_weights(folder, lambda tensors: tensors.update({"core.slots": torch.zeros(6, 9)}))
    assert refusal(folder) == (
        "model.safetensors: tensor core.slots has shape [6, 9], where the config gives [6, 8]"
    )


def test_a_tensor_of_another_type(folder):
    change_weights(folder, lambda tensors: tensors.update({"core.slots": torch.zeros(6, 8).half()}))
    assert refusal(folder) == "model.safetensors: tensor core.slots is float16, not float32"


def test_a_tensor_that_is_not_finite(folder):
    change_weights(folder, lambda tensors: tensors["core.slots"].fill_(float("nan")))
    assert refusal(folder) == "model.safetensors: tensor core.slots holds NaN or infinity"


@pytest.mark.parametrize("kept", [0, 7, 100, -1])
def test_weights_that_are_cut_off(folder, kept):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    assert refusal(folder).startswith("model.safetensors is damaged: ")


def test_weights_that_are_noise(folder):
    (folder / "model.safetensors").write_bytes(b"\xab" * 4096)
    assert refusal(folder).startswith("model.safetensors is damaged: ")


def test_a_pickle_under_the_weights_name_is_refused(folder):
    (folder / "model.safetensors").write_bytes(pickle.dumps({"core.slots": 1}))
    assert refusal(folder) == "model.safetensors is a pickle, which is refused, since a pickle can run code"


def test_torchs_own_archive_under_the_weights_name_is_refused(folder):
    torch.save({"core.slots": torch.zeros(1)}, folder / "model.safetensors")
    assert refusal(folder) == "model.safetensors is a pickle, which is refused, since a pickle can run code"


def test_a_pickle_in_place_of_the_weights_is_refused_unread(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert refusal(folder) == (
        "pytorch_model.bin is refused, since a pickle can run code; give model.safetensors instead"
    )


def test_a_broken_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{")
    assert refusal(folder).startswith("tokenizer.json cannot be used: ")


def test_another_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{}")
    assert refusal(folder) == "tokenizer.json cannot be used: its model is not the one of the pointer task"


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "", "cpu cpu"])
def test_a_device_that_torch_does_not_know(folder, device):
    with pytest.raises(DeviceError) as caught:
        load(folder, device)
    assert str(caught.value) == f"device {device!r}: torch knows no such device; cpu always works"


def test_a_device_that_is_not_there(folder):
    with pytest.raises(DeviceError, match="device 'cuda:99': is not available on this machine"):
        load(folder, "cuda:99")


def test_a_device_that_holds_no_numbers(folder):
    with pytest.raises(DeviceError, match="device 'meta': holds no numbers"):
        load(folder, "meta")


def test_a_copied_folder_is_the_same_checkpoint(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert load(copy)[2]["sha256"] == load(folder)[2]["sha256"]
