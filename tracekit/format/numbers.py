"""Floats of single precision, as the numbers that JSON gives back.

float32's 0.1 is 0.10000000149011612 as a Python float. JSON would carry those digits,
which say nothing; and a value rounded only on the way to disk would differ from the
one streamed live. So a producer rounds first: `shortest` gives the Python float whose
shortest decimal form is also float32's, and that value is streamed, written and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    import numpy


def shortest(values: numpy.ndarray[Any, Any] | Sequence[float]) -> list[Any]:
    """Each value in float32's shortest decimal form, in lists of the array's shape.

    A value that is not finite becomes None.
    """
    import numpy

    array = numpy.ascontiguousarray(values, dtype=numpy.float32)
    rounded: list[Any] = orjson.loads(orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY))
    return rounded
