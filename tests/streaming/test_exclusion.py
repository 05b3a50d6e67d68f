"""Runs of one model wait in line."""

from __future__ import annotations

import gc
import threading

from tracekit.streaming.exclusion import exclusively, is_busy


class Model:
    """Something to hold."""


def held(owner: object):
    return exclusively(owner, threading.Event(), None)


def test_only_the_owner_that_is_held_is_busy():
    first, second = Model(), Model()
    with held(first):
        assert is_busy(first)
        assert not is_busy(second)

    assert not is_busy(first)


def test_equal_names_are_one_owner():
    with held("gpu" + str(0)):
        assert is_busy("".join(["g", "p", "u", "0"]))
        assert not is_busy("gpu1")

    assert not is_busy("gpu0")


def test_a_lock_goes_with_its_owner():
    model = Model()
    with held(model):
        key = id(model)
    del model
    gc.collect()

    assert key not in exclusion_keys()


def exclusion_keys() -> set[int]:
    from tracekit.streaming import exclusion

    return set(exclusion._locks)
