"""float32 in its shortest form: the value that streams is the value that is read back."""

from __future__ import annotations

import math

import numpy as np
import orjson
from hypothesis import given
from hypothesis import strategies as st

from tracekit.format.numbers import shortest

floats32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(floats32, max_size=20))
def test_every_value_is_the_one_that_numpy_prints(values: list[float]) -> None:
    array = np.array(values, dtype=np.float32)

    assert shortest(array) == [float(str(value)) for value in array]


@given(floats32)
def test_rounding_loses_nothing_of_a_float32(value: float) -> None:
    (rounded,) = shortest([value])

    assert np.float32(rounded) == np.float32(value)
    assert math.copysign(1, rounded) == math.copysign(1, value)


@given(st.lists(floats32, min_size=1, max_size=20))
def test_what_streams_is_what_is_read_back(values: list[float]) -> None:
    rounded = shortest(values)

    assert orjson.loads(orjson.dumps(rounded)) == rounded


def test_digits_that_say_nothing_are_gone() -> None:
    assert shortest(np.array([0.1, 1 / 3], dtype=np.float32)) == [0.1, 0.33333334]


def test_lists_have_the_shape_of_the_array() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)

    assert shortest(array) == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert shortest(array[:, ::2].T) == [[0.0, 3.0], [2.0, 5.0]]
    assert shortest(np.zeros(0, dtype=np.float32)) == []


def test_what_is_not_finite_becomes_none() -> None:
    assert shortest([math.nan, math.inf, -math.inf, 1.0]) == [None, None, None, 1.0]
