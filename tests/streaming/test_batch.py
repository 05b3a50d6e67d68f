"""Many requests on one loaded source."""

from __future__ import annotations

import threading

import tracekit
import tracekit.errors
from tracekit import RunOptions, Target
from tracekit.streaming.batch import record_many
from tracekit.streaming.source import Description


class Doubling(tracekit.Source):
    """Emits as many tokens as asked for; refuses what is no number, fails for a negative one."""

    kind = "token"

    def parse_request(self, value):
        if not isinstance(value, dict) or not isinstance(value.get("count"), int):
            raise tracekit.errors.RequestError("/count", "an integer", "something else")
        return value

    def observe(self, request, emit):
        if request["count"] < 0:
            raise ArithmeticError("negative")
        for _ in range(request["count"]):
            emit({"token_id": 1, "text": "a", "logprob": -1.0, "top": []})
        return "length"


def results(outcomes):
    return [(outcome.number, outcome.result) for outcome in outcomes]


def test_each_request_gets_a_file_and_a_failure_stops_none(tmp_path):
    requests = [{"count": 2}, {"count": "x"}, {"count": -1}, {"count": 3}]

    outcomes = list(record_many(Doubling(), requests, Target(tmp_path)))

    assert results(outcomes) == [(1, "recorded"), (2, "failed"), (3, "failed"), (4, "recorded")]
    assert outcomes[2].reason == "ArithmeticError: negative"
    assert tracekit.load(outcomes[2].path)["status"] == "failed"
    assert len(tracekit.load(outcomes[3].path)["trace"]) == 3


def test_a_second_time_what_is_complete_is_skipped_and_what_failed_runs_again(tmp_path):
    requests = [{"count": 2}, {"count": -1}]
    list(record_many(Doubling(), requests, Target(tmp_path)))

    again = list(record_many(Doubling(), requests, Target(tmp_path)))

    assert results(again) == [(1, "skipped"), (2, "failed")]


def test_a_changed_request_is_not_skipped(tmp_path):
    list(record_many(Doubling(), [{"count": 2}], Target(tmp_path)))

    assert results(record_many(Doubling(), [{"count": 4}], Target(tmp_path))) == [(1, "recorded")]


def test_what_another_checkpoint_answered_is_neither_skipped_nor_replaced(tmp_path):
    class Early(Doubling):
        def describe(self):
            return Description(model={"source": "mine:doubling", "name": "doubling"}, checkpoint="early")

    (first,) = record_many(Doubling(), [{"count": 2}], Target(tmp_path))
    (second,) = record_many(Early(), [{"count": 2}], Target(tmp_path))

    assert second.result == "recorded"
    assert tracekit.load(first.path)["checkpoint"] == ""
    assert tracekit.load(second.path)["checkpoint"] == "early"


def test_a_request_that_breaks_the_sources_own_code_stops_no_other(tmp_path):
    class Careless(Doubling):
        def parse_request(self, value):
            return {"count": int(value["count"])}

    outcomes = list(record_many(Careless(), [{"count": "two"}, {"count": "2"}], Target(tmp_path)))

    assert results(outcomes) == [(1, "failed"), (2, "recorded")]
    assert outcomes[0].reason.startswith("request: expected what Careless takes; found ValueError: invalid")


def test_a_request_that_no_recording_can_hold_stops_no_other(tmp_path):
    deep: object = 0
    for _ in range(300):
        deep = [deep]

    outcomes = list(record_many(Doubling(), [{"count": 1, "deep": deep}, {"count": 1}], Target(tmp_path)))

    assert results(outcomes) == [(1, "failed"), (2, "recorded")]


def test_a_cancel_stops_the_whole_batch(tmp_path):
    cancel = threading.Event()
    cancel.set()

    outcomes = list(record_many(Doubling(), [{"count": 1}] * 3, Target(tmp_path), RunOptions(cancel=cancel)))

    assert results(outcomes) == [(1, "cancelled")]
