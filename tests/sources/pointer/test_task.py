"""The task: what a table makes of a start, what the model reads, and what a request may not be."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from tracekit.errors import RequestError
from tracekit.sources.pointer import (
    SYMBOLS,
    PointerRequest,
    execute,
    random_cycle,
    random_function,
    random_permutation,
    render_prompt,
    shuffled_pairs,
)

ROTATION = {letter: SYMBOLS[(index + 1) % 26] for index, letter in enumerate(SYMBOLS)}


def value(**changes):
    pairs = [[source, destination] for source, destination in ROTATION.items()]
    return {"mapping": pairs, "start": "A", "steps": 3} | changes


def mapping_with(index, rule):
    pairs = value()["mapping"]
    pairs[index] = rule
    return pairs


def refusal(request, **options):
    with pytest.raises(RequestError) as caught:
        PointerRequest.parse(request, **options)
    return caught.value.where, caught.value.expected, caught.value.found


def test_execute_lists_every_letter_visited():
    assert execute(ROTATION, "Y", 4) == ["Z", "A", "B", "C"]


def test_execute_stays_at_a_fixed_point():
    assert execute({"A": "B", "B": "B"}, "A", 3) == ["B", "B", "B"]


def test_the_prompt_is_the_rules_in_order_the_start_and_five_digits():
    prompt = render_prompt([(letter, "Q") for letter in reversed(SYMBOLS)], "K", 42)
    assert prompt.startswith("Z>Q Y>Q X>Q ")
    assert prompt.endswith(" B>Q A>Q|K 00042")
    assert len(prompt) == 111


def test_the_prompt_can_say_ninety_nine_thousand_steps():
    assert render_prompt(list(ROTATION.items()), "A", 99_999).endswith("|A 99999")


@pytest.mark.parametrize("steps", [-1, 100_000])
def test_steps_that_the_count_cannot_say_are_refused(steps):
    with pytest.raises(RequestError, match=f"/steps: expected an integer from 0 to 99999; found {steps}"):
        render_prompt(list(ROTATION.items()), "A", steps)


def test_the_order_of_the_rules_is_part_of_the_prompt():
    request = PointerRequest.parse(value())
    turned = PointerRequest.parse(value(mapping=value()["mapping"][::-1]))
    assert dict(request.pairs) == dict(turned.pairs)
    assert request.prompt() != turned.prompt()


def test_a_request_is_its_payload_and_back():
    payload = value(start="Q", steps=256)
    assert PointerRequest.parse(payload).payload() == payload


def test_a_request_knows_its_prompt():
    request = PointerRequest.parse(value())
    assert request.prompt() == render_prompt(request.pairs, "A", 3)


@pytest.mark.parametrize("found", [None, [], "A", 3])
def test_a_request_that_is_no_object_is_refused(found):
    assert refusal(found)[:2] == ("", "an object with the keys mapping, start and steps")


def test_a_missing_key_is_named():
    assert refusal({"mapping": [], "steps": 3}) == ("", "the keys mapping, start and steps", "no start")


def test_an_extra_key_is_named():
    found = refusal(value(seed=1))
    assert found == ("", "only the keys mapping, start and steps", "also 'seed'")


def test_a_key_that_is_no_string_is_refused():
    assert refusal({**value(), 7: 1})[2] == "also 7"


def test_a_mapping_that_is_an_object_is_refused():
    found = refusal(value(mapping=ROTATION))
    assert found == ("/mapping", "a list of 26 rules, one a letter", "an object of 26")


def test_a_mapping_of_another_length_is_refused():
    assert refusal(value(mapping=value()["mapping"][:25])) == ("/mapping", "26 rules, one a letter", "25")


@pytest.mark.parametrize("rule", [["A"], ["A", "B", "C"], "AB", ("A", "B"), None])
def test_a_rule_that_is_no_pair_is_refused(rule):
    found = refusal(value(mapping=mapping_with(3, rule)))
    assert found[:2] == ("/mapping/3", "a list of two letters, source and destination")


@pytest.mark.parametrize("letter", ["", "AB", "a", "Ä", "1", None, 1, ["A"]])
def test_a_destination_that_is_no_letter_is_refused(letter):
    found = refusal(value(mapping=mapping_with(3, ["D", letter])))
    assert found[:2] == ("/mapping/3/1", "an upper-case letter A to Z")


def test_a_source_that_is_no_letter_is_refused_with_what_was_found():
    found = refusal(value(mapping=mapping_with(0, ["AB", "C"])))
    assert found == ("/mapping/0/0", "an upper-case letter A to Z", "'AB'")


def test_a_source_that_occurs_twice_is_refused_where_it_comes_again():
    found = refusal(value(mapping=mapping_with(5, ["A", "C"])))
    assert found == ("/mapping/5/0", "each source letter once", "'A' again, after /mapping/0")


@pytest.mark.parametrize("start", ["", "AB", "a", None, 1])
def test_a_start_that_is_no_letter_is_refused(start):
    assert refusal(value(start=start)) == ("/start", "an upper-case letter A to Z", repr(start))


@pytest.mark.parametrize("steps", [0, -1, 257, True, 3.0, "3", None])
def test_steps_that_are_no_integer_in_range_are_refused(steps):
    assert refusal(value(steps=steps)) == ("/steps", "an integer from 1 to 256", repr(steps))


def test_the_largest_number_of_steps_can_be_set():
    assert PointerRequest.parse(value(steps=10_000), max_steps=10_000).steps == 10_000
    assert refusal(value(steps=10), max_steps=9) == ("/steps", "an integer from 1 to 9", "10")


def test_a_long_value_is_cut_in_the_message():
    assert len(refusal(value(start="A" * 10_000))[2]) < 100


def test_a_random_function_maps_every_letter_to_a_letter():
    table = random_function(Random(1))
    assert list(table) == list(SYMBOLS)
    assert set(table.values()) < set(SYMBOLS)


def test_a_random_permutation_reaches_every_letter():
    assert sorted(random_permutation(Random(1)).values()) == list(SYMBOLS)


def test_a_random_cycle_comes_back_after_all_26_letters():
    assert sorted(execute(random_cycle(Random(1)), "A", 26)) == list(SYMBOLS)


def test_shuffled_rules_are_the_same_table_in_another_order():
    pairs = shuffled_pairs(ROTATION, Random(1))
    assert dict(pairs) == ROTATION
    assert pairs != tuple(ROTATION.items())


def test_the_same_seed_draws_the_same_table():
    assert random_function(Random(4)) == random_function(Random(4))


def test_a_request_needs_no_torch():
    program = "import sys; from tracekit.sources.pointer import PointerRequest; print('torch' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
