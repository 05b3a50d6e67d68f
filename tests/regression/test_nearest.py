"""Which recorded request is closest."""

from __future__ import annotations

from tracekit.regression.nearest import differing, nearest


def test_the_nearest_differs_in_the_fewest_places():
    asked = {"prompt": "hello", "temperature": 0, "stop": ["a", "b"]}
    recorded = [
        {"prompt": "bye", "temperature": 1, "stop": []},
        {"prompt": "hello", "temperature": 0, "stop": ["a", "c"]},
        {"prompt": "hello", "temperature": 2, "stop": ["x", "y"]},
    ]

    assert nearest(asked, recorded) == 1
    assert differing(asked, recorded[1]) == ["/stop/1: asked 'b', recorded 'c'"]


def test_of_nothing_nothing_is_nearest():
    assert nearest({}, []) is None


def test_what_only_one_has_is_told():
    assert differing({"a": 1}, {"b": {}}) == [
        "/a: asked 1, recorded nothing",
        "/b: asked nothing, recorded {}",
    ]


def test_three_places_are_told_and_the_rest_counted():
    told = differing({"list": [1, 2, 3, 4, 5]}, {"list": [0, 0, 0, 0, 0]})

    assert told[3:] == ["2 more places"]


def test_long_and_unprintable_values_are_shown_short_and_safe():
    (told,) = differing({"text": "\x1b[31m" + "x" * 200}, {"text": ""})

    assert "\x1b" not in told
    assert len(told) < 90
