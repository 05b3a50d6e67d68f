"""Training: decided by its seed, resumed without a trace, on situations the task would give."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import torch

from tracekit.errors import CheckpointError
from tracekit.sources.pointer import (
    SYMBOLS,
    LoopedConfig,
    PromptTokenizer,
    load,
    random_function,
    render_prompt,
    shuffled_pairs,
)
from tracekit.sources.pointer.batches import BatchShape, rule_characters, sample_batch, state_characters
from tracekit.sources.pointer.train import main
from tracekit.sources.pointer.training import LOSS_NAMES, Trainer, TrainingSettings, learning_rate

SMALL = LoopedConfig(width=16, heads=2, hidden=16, code_bits=8, completion_hidden=4)
SETTINGS = TrainingSettings(seed=3, steps=6, tables=4, situations=2, warmup=2)


def trainer(**changes):
    values = {name: getattr(SETTINGS, name) for name in ("seed", "steps", "tables", "situations", "warmup")}
    return Trainer(TrainingSettings(**(values | changes)), SMALL, clock=itertools.count().__next__)


def ignore(_step, _losses):
    pass


def weights(trained):
    return torch.cat([parameter.detach().flatten() for parameter in trained.model.parameters()])


def batch():
    return sample_batch(BatchShape(tables=64, situations=8), torch.Generator().manual_seed(1))


def test_the_same_seed_gives_the_same_weights():
    first, second = trainer(), trainer()
    first.run(6, ignore)
    second.run(6, ignore)
    assert torch.equal(weights(first), weights(second))


def test_another_seed_gives_other_weights():
    assert not torch.equal(weights(trainer()), weights(trainer(seed=4)))


def test_a_resumed_training_ends_at_the_same_weights_and_losses(tmp_path):
    straight, stopped, resumed = trainer(), trainer(), trainer()
    straight.run(6, ignore)
    stopped.run(4, ignore)
    stopped.save(tmp_path / "save")
    resumed.resume(tmp_path / "save")
    resumed.run(6, ignore)
    assert torch.equal(weights(resumed), weights(straight))
    assert torch.equal(resumed.history, straight.history)


def test_a_resumed_training_knows_how_far_it_is(tmp_path):
    stopped, resumed = trainer(), trainer()
    stopped.run(4, ignore)
    stopped.save(tmp_path / "save")
    resumed.resume(tmp_path / "save")
    assert (resumed.step, resumed.seconds) == (4, 4.0)


def test_a_save_leaves_nothing_beside_it(tmp_path):
    trained = trainer()
    trained.run(1, ignore)
    trained.save(tmp_path / "save")
    assert [path.name for path in tmp_path.iterdir()] == ["save"]


def test_a_save_of_other_settings_is_refused(tmp_path):
    trainer().save(tmp_path / "save")
    with pytest.raises(CheckpointError, match="was saved with other settings"):
        trainer(seed=4).resume(tmp_path / "save")


def test_a_damaged_save_is_refused(tmp_path):
    (tmp_path / "save").write_bytes(b"{}")
    with pytest.raises(CheckpointError, match="is not a training's save"):
        trainer().resume(tmp_path / "save")


def test_training_does_not_touch_the_global_random_state():
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    trainer().run(2, ignore)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_every_step_is_reported_with_its_losses():
    reported = []
    trainer().run(3, lambda step, losses: reported.append((step, losses.shape)))
    assert reported == [(step, (len(LOSS_NAMES),)) for step in (1, 2, 3)]


def test_the_losses_fall():
    trained = trainer(steps=200, tables=16)
    trained.run(80, ignore)
    totals = trained.history[:, :-1].sum(dim=1)
    assert totals[-10:].mean() < 0.9 * totals[:10].mean()


def test_the_learning_rate_warms_up_stays_and_falls():
    settings = TrainingSettings(steps=1000, learning_rate=1.0, warmup=100)
    rates = [learning_rate(settings, step) for step in (0, 99, 500, 750, 999)]
    assert rates == [0.01, 1.0, 1.0, 0.5, 0.02]


def test_a_batch_is_written_as_the_prompt_is():
    random = Random(2)
    pairs = shuffled_pairs(random_function(random), random)
    table = torch.tensor([[SYMBOLS.index(dict(pairs)[letter]) for letter in SYMBOLS]])
    order = torch.tensor([[SYMBOLS.index(source) for source, _ in pairs]])
    rules = rule_characters(table, order)[0].tolist()
    state = state_characters(torch.tensor([10]), torch.tensor([907]))[0].tolist()
    prompt = PromptTokenizer.new()(render_prompt(pairs, "K", 907))["input_ids"][0].tolist()
    assert rules == prompt[:104]
    assert state == [prompt[104], *prompt[106:]]


def test_what_follows_a_situation_is_the_rules_letter_and_one_step_less():
    drawn = batch()
    tokenizer = PromptTokenizer.new()
    for rules, current, following in zip(
        drawn.rules.repeat_interleave(8, dim=0).tolist(),
        drawn.current.tolist(),
        drawn.following.tolist(),
        strict=True,
    ):
        table = dict(rule.split(">") for rule in tokenizer.decode(rules)[:-1].split(" "))
        now, then = tokenizer.decode(current), tokenizer.decode(following)
        assert then == f"{table[now[0]]}{(int(now[1:]) - 1) % 100_000:05d}"


def test_done_marks_the_situations_with_no_step_left():
    drawn = batch()
    texts = [PromptTokenizer.new().decode(row) for row in drawn.following.tolist()]
    assert drawn.done.tolist() == [float(text.endswith("00000")) for text in texts]
    assert 20 < drawn.done.sum() < 100


def test_the_command_goes_on_from_its_last_save(tmp_path, capsys):
    command = ["--out", str(tmp_path), "--steps", "2", "--requests", "1", "--threads", "1", "--brief"]
    stopped = Trainer(TrainingSettings(steps=2), LoopedConfig())
    stopped.run(1, ignore)
    stopped.save(tmp_path / "training.safetensors")
    assert main(command) == 0
    stopped.run(2, ignore)
    finished = load(tmp_path / "final")[0].state_dict()
    assert all(torch.equal(finished[name], value) for name, value in stopped.model.state_dict().items())


def test_the_command_refuses_a_save_of_other_settings_in_one_line(tmp_path, capsys):
    Trainer(TrainingSettings(seed=9), LoopedConfig()).save(tmp_path / "training.safetensors")
    assert main(["--out", str(tmp_path), "--threads", "1"]) == 2
    assert "was saved with other settings" in capsys.readouterr().err


def test_the_command_trains_measures_and_leaves_a_checkpoint(tmp_path, capsys):
    command = ["--out", str(tmp_path), "--steps", "2", "--requests", "2", "--threads", "1", "--brief"]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'final'}\n"
    assert load(tmp_path / "final")[2]["parameters"] > 100_000
    assert (tmp_path / "final" / "losses.png").read_bytes().startswith(b"\x89PNG")
    assert "## Measured" in (tmp_path / "final" / "README.md").read_text()
