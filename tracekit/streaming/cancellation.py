"""How a run is stopped from outside."""

from __future__ import annotations

__all__ = ["Cancelled"]


class Cancelled(Exception):
    """Raised inside the model's forward by `emit`, to end it at the step it has reached.

    It is no error: the run ends with the status `cancelled`.
    """
