"""The evaluation: its figures on the bundled checkpoints, and what each of them means."""

from __future__ import annotations

import json
from random import Random

import pytest

from tracekit.sources.pointer import SYMBOLS, PointerRequest, load, random_cycle, shuffled_pairs
from tracekit.sources.pointer.evaluate import (
    Evaluation,
    Outcome,
    Subject,
    evaluate,
    main,
    run_requests,
    summarize,
)
from tracekit.sources.pointer.held_out import HARD_TABLES
from tracekit.sources.pointer.single_steps import check_single_steps

PLAN = Evaluation(requests=60, seed=5, hard_requests=3, long_runs=((300, 2),), single_steps=2000)


@pytest.fixture(name="final", scope="module")
def load_final():
    return Subject(*load("final")[:2])


@pytest.fixture(name="figures", scope="module")
def evaluate_final(final):
    return evaluate(final, PLAN, ignore)


@pytest.fixture(name="early", scope="module")
def load_early():
    return Subject(*load("early")[:2])


def ignore(_count):
    pass


def test_the_final_checkpoint_makes_no_mistake(figures):
    assert figures["overall"]["joint_success"] == 1.0
    assert {
        name: shares["joint_failures"] for name, shares in figures["hard_tables"].items()
    } == dict.fromkeys(("identity", "constant", "one_cycle", "all_fixed_but_one", "swaps"), 0)
    assert figures["long_runs"]["300"]["complete_trajectory"] == 1.0


def test_the_bands_share_out_the_requests(figures):
    assert list(figures["by_length"]) == ["1-16", "17-64", "65-128", "129-256"]
    assert sum(shares["requests"] for shares in figures["by_length"].values()) == 60


def test_single_steps_of_the_final_checkpoint_are_right_with_room_to_spare(final):
    found = check_single_steps(final.model, 4000, seed=2)
    assert (found["pointer_errors"], found["count_errors"], found["stop_errors"]) == (0, 0, 0)
    assert found["smallest_margin"] > 1.0


def test_the_early_checkpoint_errs_visibly_and_is_partly_right(early):
    random = Random(3)
    requests = [
        PointerRequest(shuffled_pairs(random_cycle(random), random), random.choice(SYMBOLS), steps)
        for steps in range(20, 60)
    ]
    shares = summarize(run_requests(early, requests, ignore))
    assert shares["joint_success"] < 0.5
    assert 0.05 < shares["complete_trajectory"] < 0.95


def test_single_steps_of_the_early_checkpoint_show_its_errors(early):
    found = check_single_steps(early.model, 2000, seed=2)
    assert found["count_errors"] > 0
    assert found["smallest_margin"] < 0


def test_progress_is_told_of_every_request(final):
    counts = []
    evaluate(final, PLAN, counts.append)
    assert sum(counts) == PLAN.total == 60 + 5 * 3 + 2


def test_the_same_seed_gives_the_same_figures(final, figures):
    assert evaluate(final, PLAN, ignore) == figures


def test_joint_success_needs_the_letter_and_the_stop():
    outcomes = [
        Outcome(steps=3, answer_correct=True, complete_trajectory=True, exact_stop=True),
        Outcome(steps=3, answer_correct=True, complete_trajectory=True, exact_stop=False),
        Outcome(steps=3, answer_correct=False, complete_trajectory=False, exact_stop=True),
        Outcome(steps=3, answer_correct=False, complete_trajectory=True, exact_stop=False),
    ]
    assert summarize(outcomes) == {
        "requests": 4,
        "answer_correct": 0.5,
        "complete_trajectory": 0.75,
        "exact_stop": 0.5,
        "joint_success": 0.25,
        "joint_failures": 3,
    }


def test_of_no_requests_every_share_is_zero():
    assert set(summarize([]).values()) == {0}


def test_hard_tables_are_what_their_names_say():
    tables = {name: make(Random(6)) for name, make in HARD_TABLES.items()}
    assert all(tables["identity"][letter] == letter for letter in SYMBOLS)
    assert len(set(tables["constant"].values())) == 1
    assert sum(tables["all_fixed_but_one"][letter] != letter for letter in SYMBOLS) == 1
    swaps = tables["swaps"]
    assert all(swaps[swaps[letter]] == letter != swaps[letter] for letter in SYMBOLS)


def test_the_command_prints_json(capsys):
    assert main(["--requests", "5", "--seed", "2", "--brief"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["checkpoint"] == "final"
    assert figures["seed"] == 2
    assert figures["overall"]["requests"] == 5
    assert figures["overall"]["joint_success"] == 1.0


def test_the_command_refuses_a_missing_checkpoint_in_one_line(tmp_path, capsys):
    assert main(["--checkpoint", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"error: checkpoint {tmp_path / 'none'}: there is no such folder\n"
