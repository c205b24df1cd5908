"""Expressions learnt from strings."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.templates.crx import Factor, accepts, learn_expression, pieces

STRINGS = st.lists(st.lists(st.integers(0, 5), max_size=9), min_size=1, max_size=7)


def learn(*strings: str) -> str:
    factors = learn_expression([[ord(letter) for letter in string] for string in strings])
    names = {str(ord(letter)): letter for string in strings for letter in string}
    text = "".join(map(str, factors))
    for number, letter in sorted(names.items(), reverse=True):
        text = text.replace(number, letter)
    return text


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        (["ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF"], "(A)*B(C)?D(E|F)"),  # the paper's example
        (["ABCD"], "ABCD"),
        (["", "A"], "(A)?"),
        (["", "AA"], "(A)*"),
        (["AB", "BA"], "(A|B)*"),
        (["AXB", "AYB", "AZB"], "A(X|Y|Z)B"),
        (["AXXB", "AYB"], "A(X)*(Y)?B"),  # what is repeated is no alternative
        (["ABABAB", "AB"], "(AB)*"),
        (["ABABCAB", "ABCABC"], "(AB(C)?)*"),
        (["AABAAAB", "ABBA", "BAAB"], "(A|B)*"),
        ([""], ""),
    ],
)
def test_the_expression_of_some_strings(strings: list[str], expected: str) -> None:
    assert learn(*strings) == expected


@pytest.mark.parametrize(
    ("string", "expected"),
    [("ABCDE", True), ("AABCDE", True), ("ABDE", True), ("ABDF", True), ("ABCDF", True), ("ABCD", False),
     ("BCDE", True), ("ABCDEF", False), ("ABCCDE", False), ("", False)],
)  # fmt: skip
def test_what_the_paper_s_example_has_and_has_not(string: str, expected: bool) -> None:
    factors = learn_expression([list(map(ord, s)) for s in ("ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF")])
    assert accepts(factors, list(map(ord, string))) is expected


@given(STRINGS)
def test_the_expression_has_every_string_and_each_symbol_once(strings: list[list[int]]) -> None:
    factors = learn_expression(strings)
    assert all(accepts(factors, string) for string in strings)
    symbols = [symbol for factor in factors for symbol in factor.symbols]
    assert sorted(symbols) == sorted({symbol for string in strings for symbol in string})


@given(STRINGS, st.randoms(use_true_random=False))
def test_the_order_and_the_number_of_the_strings_play_no_part(
    strings: list[list[int]], rng: random.Random
) -> None:
    shuffled = strings * 2
    rng.shuffle(shuffled)
    one, other = learn_expression(strings), learn_expression(shuffled)
    assert [(f.symbols, f.optional, f.repeated) for f in one] == [
        (f.symbols, f.optional, f.repeated) for f in other
    ]


@given(STRINGS, st.lists(st.integers(0, 5), max_size=9))
def test_another_string_never_takes_one_away(strings: list[list[int]], more: list[int]) -> None:
    factors = learn_expression([*strings, more])
    assert all(accepts(factors, string) for string in strings)


def random_expression(rng: random.Random, letters: list[int]) -> list[Factor]:
    factors = []
    while letters:
        symbols = tuple(letters.pop() for _ in range(min(len(letters), rng.choice([1, 1, 1, 2]))))
        repeated = rng.random() < 0.3
        factors.append(Factor(symbols, not repeated and rng.random() < 0.3, repeated))
    return factors


def sample(rng: random.Random, factors: list[Factor]) -> list[int]:
    string = []
    for factor in factors:
        times = rng.randint(0, 4) if factor.repeated else rng.randint(0, 1) if factor.optional else 1
        string += [rng.choice(factor.symbols) for _ in range(times)]
    return string


def test_expressions_are_learnt_back_from_their_strings() -> None:
    rng = random.Random(5)
    for _ in range(60):
        true = random_expression(rng, list(range(rng.randint(1, 7))))
        learnt = learn_expression([sample(rng, true) for _ in range(400)])
        fresh = [sample(rng, true) for _ in range(50)]
        assert all(accepts(learnt, string) for string in fresh)
        assert all(accepts(true, sample(rng, list(learnt))) for _ in range(50) if plain(learnt))


def plain(factors: tuple[Factor, ...]) -> bool:
    return not any(factor.record for factor in factors)


def test_many_symbols_in_a_long_string() -> None:
    string = list(range(3000)) + [7] * 20_000
    factors = learn_expression([string, string[::-1]])
    assert accepts(factors, string)


def test_pieces_begin_with_the_lead() -> None:
    assert pieces([], 1) == []
    assert pieces([1, 1, 2], 1) == [[1], [1, 2]]
