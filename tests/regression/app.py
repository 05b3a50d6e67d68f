"""Sources of one's own, as a golden may name them: `tests.regression.app:open_source` and others."""

from __future__ import annotations

import os
from typing import Any

from tracekit import Script, ScriptedSource
from tracekit.streaming.source import Description, Emit

SHA = "a" * 64


class App(ScriptedSource):
    """Two loops, and who it is."""

    def describe(self) -> Description:
        return Description(model={"source": "tests.regression.app:open_source", "name": "app", "sha256": SHA})


class DyingApp(App):
    """Its process dies when it is asked for anything."""

    def observe(self, request: Any, emit: Emit) -> str:
        os._exit(9)


class RaisingApp(App):
    """Its model raises after the first loop."""

    def observe(self, request: Any, emit: Emit) -> str:
        emit(ROWS[0])
        raise RuntimeError("out of memory")


ROWS = [{"prediction": "A", "stop_probability": 0.5}, {"prediction": "B", "stop_probability": 0.9}]


def open_source() -> App:
    return App("loop", Script(ROWS))


def open_dying() -> DyingApp:
    return DyingApp("loop", Script(ROWS))


def open_raising() -> RaisingApp:
    return RaisingApp("loop", Script(ROWS))


class Careless(App):
    """What it does outside of its run raises, in the method `where`."""

    def __init__(self, where: str, error: BaseException) -> None:
        super().__init__("loop", Script(ROWS))
        setattr(self, where, self._raise)
        self._error = error

    def _raise(self, *_: Any) -> Any:
        raise self._error
