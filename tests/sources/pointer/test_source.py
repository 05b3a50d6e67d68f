"""The pointer model as a source, held to the reference's stream."""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace

import pytest
import torch

import tracekit
from tracekit.errors import NonFiniteOutput, UsageError
from tracekit.format.validation import check
from tracekit.sources.pointer import SYMBOLS, PointerRequest, load, score_trace, stream_inference
from tracekit.sources.pointer.source import PointerSettings, PointerSource

CYCLE = tuple(zip(SYMBOLS, SYMBOLS[1:] + SYMBOLS[0], strict=True))


@pytest.fixture(scope="module")
def loaded():
    return load()


@pytest.fixture
def request_():
    return PointerRequest(CYCLE, "A", 5)


class Broken(torch.nn.Module):
    """A model that is called as the real one is, and does at loop 3 what it was made for."""

    completion_head = object()

    def __init__(self, at_third):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.at_third = at_third
        self.eval()

    def forward(self, *, num_loops, loop_callback, **_):
        for loop in range(1, num_loops + 1):
            scores = torch.zeros(1, 26)
            if loop == 3:
                self.at_third(scores)
            loop_callback(loop, scores, torch.zeros(1) - 9, None)
        return SimpleNamespace(stop_logits=torch.zeros(1, num_loops) - 9)


def test_version_1_snapshots_field_for_field(loaded, request_):
    snapshots = list(stream_inference(*loaded, request_, checkpoint_id="final"))

    for snapshot in snapshots:
        check(snapshot, 1, "snapshot")
    assert [len(s["trace"]) for s in snapshots] == [1, 2, 3, 4, 5, 5]
    assert list(snapshots[0]) == [
        *("schema_version", "source", "checkpoint", "request", "threshold", "safety_cap", "status", "trace")
    ]
    assert list(snapshots[-1])[-2:] == ["summary", "inference_seconds"]
    assert list(snapshots[0]["trace"][0]) == [
        *("loop", "prediction", "direct_prediction", "stop_probability", "top3", "arrival_seconds"),
        *("expected", "correct", "edge_valid"),
    ]


def test_the_numbers_are_the_models_own(loaded, request_):
    model, tokenizer, spec = loaded
    seen = []
    encoded = tokenizer(request_.prompt(), add_special_tokens=False, return_tensors="pt")
    with torch.inference_mode():
        model(
            **encoded,
            num_loops=272,
            completion_threshold=0.5,
            readout_token_ids=spec["token_ids"],
            loop_callback=lambda _, scores, stop, state: seen.append((scores[0], stop, state[0])),
        )

    rows = list(stream_inference(*loaded, request_, checkpoint_id="x"))[-1]["trace"]

    assert len(rows) == len(seen)
    for row, (scores, stop, state) in zip(rows, seen, strict=True):
        probabilities, indices = scores.softmax(-1).topk(3)
        assert row["stop_probability"] == pytest.approx(stop.sigmoid().item(), rel=1e-6)
        assert [top["symbol"] for top in row["top3"]] == [SYMBOLS[i] for i in indices]
        assert [t["probability"] for t in row["top3"]] == pytest.approx(probabilities.tolist(), rel=1e-5)
        assert row["direct_prediction"] == SYMBOLS[int(state.argmax())]


def test_the_reference_answer_stands_beside_every_row(loaded, request_):
    rows = list(stream_inference(*loaded, request_, checkpoint_id="x"))[-1]["trace"]

    assert [row["expected"] for row in rows] == list("BCDEF")
    assert all(row["correct"] and row["edge_valid"] for row in rows)


def test_floats_are_streamed_as_they_are_read_back(pointer, request_json, tmp_path):
    trace = tracekit.record(pointer, request_json, tmp_path / "run.json")

    probability = trace["trace"][0]["top3"][0]["probability"]
    assert tracekit.load(tmp_path / "run.json")["trace"] == trace["trace"]
    assert len(repr(probability).lstrip("0.")) <= 9


def test_a_closed_stream_leaves_the_model_free(loaded):
    snapshots = stream_inference(*loaded, PointerRequest(CYCLE, "A", 256), checkpoint_id="x")
    next(snapshots)

    snapshots.close()

    assert "tracekit-run" not in [thread.name for thread in threading.enumerate()]
    assert len(list(stream_inference(*loaded, PointerRequest(CYCLE, "A", 2), checkpoint_id="x"))) == 3


def test_a_cancelled_stream_ends_without_a_summary(loaded, request_):
    cancel = threading.Event()
    cancel.set()

    assert list(stream_inference(*loaded, request_, checkpoint_id="x", cancel=cancel)) == []


def test_the_cap_ends_a_run_that_does_not_stop(loaded, request_):
    last = list(stream_inference(*loaded, request_, checkpoint_id="x", loop_cap=3))[-1]

    assert last["summary"]["stop_reason"] == "cap"
    assert last["summary"]["executed_loops"] == 3
    assert last["safety_cap"] == 3


@pytest.mark.parametrize("cap", [0, -1, True, 1.5, "9"])
def test_a_cap_that_is_no_positive_integer_is_refused(loaded, request_, cap):
    with pytest.raises(ValueError, match="the loop cap must be an integer of at least 1"):
        stream_inference(*loaded, request_, checkpoint_id="x", loop_cap=cap)


def test_a_model_in_training_mode_is_refused(loaded, request_):
    model = Broken(lambda scores: None).train()

    with pytest.raises(ValueError, match="eval mode"):
        stream_inference(model, *loaded[1:], request_, checkpoint_id="x")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_output_that_is_not_finite_stops_the_run_and_names_the_loop(loaded, request_, value):
    model = Broken(lambda scores: scores.fill_(value))
    seen = []

    with pytest.raises(FloatingPointError, match="loop 3: the model's output is not finite") as raised:
        seen.extend(stream_inference(model, *loaded[1:], request_, checkpoint_id="x"))

    assert isinstance(raised.value, NonFiniteOutput)
    assert len(seen) == 2


def test_what_the_model_raises_comes_out_as_itself(loaded, request_):
    error = RuntimeError("kernel launch failed")

    def fail(_):
        raise error

    with pytest.raises(RuntimeError) as raised:
        list(stream_inference(Broken(fail), *loaded[1:], request_, checkpoint_id="x"))

    assert raised.value is error


def test_a_model_without_a_state_head_has_no_direct_prediction(loaded, request_):
    model = Broken(lambda scores: None)

    rows = list(stream_inference(model, *loaded[1:], request_, checkpoint_id="x", loop_cap=2))[-1]["trace"]

    assert [row["direct_prediction"] for row in rows] == [None, None]


def test_two_sources_of_one_model_wait_for_each_other(loaded, request_):
    first = PointerSource(*loaded)

    assert PointerSource(*loaded).exclusive is first.exclusive


def test_settings_go_into_the_header_and_unknown_ones_are_refused(pointer):
    source = pointer.with_settings({"threshold": 0.9, "safety_cap": 7})

    assert source.describe().settings == {"threshold": 0.9, "safety_cap": 7}
    with pytest.raises(UsageError, match="no setting temperature"):
        pointer.with_settings({"temperature": 1})
    with pytest.raises(UsageError, match="a probability from 0 to 1"):
        PointerSettings(threshold=1.5)


def rows(predictions, expected):
    return [
        {"loop": at, "prediction": p, "correct": p == e}
        for at, (p, e) in enumerate(zip(predictions, expected, strict=False), 1)
    ]


@pytest.mark.parametrize(
    ("predictions", "stop_reason", "metrics"),
    [
        ("BCDEF", "head", (True, True, True, True, None)),
        ("BCXEF", "head", (True, False, True, True, 3)),
        ("BCDEX", "head", (False, False, True, False, 5)),
        ("BCDE", "head", (False, False, False, False, None)),
        ("BCDEF", "cap", (True, True, False, False, None)),
    ],
)
def test_each_metric_stands_on_its_own(request_, predictions, stop_reason, metrics):
    summary = score_trace(request_, rows(predictions, "BCDEF"), stop_reason)

    names = ("answer_correct", "complete_trajectory", "exact_stop", "joint_success", "first_error")
    assert tuple(summary[name] for name in names) == metrics
