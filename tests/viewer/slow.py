"""The pointer model, slowed down so that a person, or a test, can stop it: `tests.viewer.slow:open_slow`."""

from __future__ import annotations

import time

from tracekit.sources.pointer.source import PointerSource, open_source
from tracekit.sources.registry import LoadOptions


class Slow:
    """An `emit` that rests after each loop."""

    def __init__(self, emit, seconds):
        self.emit, self.seconds = emit, seconds

    def __call__(self, observation, at=None):
        self.emit(observation, at)
        time.sleep(self.seconds)

    def now(self):
        return self.emit.now()


class SlowSource(PointerSource):
    seconds = 0.15

    def observe(self, request, emit):
        return super().observe(request, Slow(emit, self.seconds))

    def with_settings(self, settings):
        fast = super().with_settings(settings)
        return SlowSource(fast.model, fast.tokenizer, fast.spec, fast.settings)


def open_slow():
    fast = open_source("", LoadOptions())
    return SlowSource(fast.model, fast.tokenizer, fast.spec, fast.settings)
