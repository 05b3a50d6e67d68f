"""Floats of single precision, as the numbers that JSON gives back.

float32's 0.1 is 0.10000000149011612 as a Python float. JSON would carry those digits,
which say nothing; and a value rounded only on the way to disk would differ from the
one streamed live. So a producer rounds first: `shortest` gives the Python float whose
shortest decimal form is also float32's, and that value is streamed, written and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    import numpy

    Floats = Sequence[float] | numpy.ndarray[tuple[int], numpy.dtype[numpy.float32]]


def shortest(values: Floats) -> list[float]:
    """Each value in float32's shortest decimal form. A value that is not finite becomes None."""
    import numpy

    rounded: list[float] = orjson.loads(
        orjson.dumps(numpy.asarray(values, dtype=numpy.float32), option=orjson.OPT_SERIALIZE_NUMPY)
    )
    return rounded
