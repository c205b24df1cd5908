"""Expressions learnt from strings."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.templates.crx import (
    ALT,
    OPT,
    SEQ,
    STAR,
    TAG,
    ExpressionPart,
    learn_expression,
    pieces,
    runs_of,
    separate_symbols,
)

STRINGS = st.lists(st.lists(st.integers(0, 5), max_size=9), min_size=1, max_size=7)


def accepts(parts: Sequence[ExpressionPart], string: Sequence[int]) -> bool:
    """Whether a string is in the language of an expression."""
    runs, place = runs_of(parts, string), 0
    for part, run in zip(parts, runs, strict=True):
        if tuple(string[place : place + len(run)]) != run or not accepts_run(part, run):
            return False
        place += len(run)
    return place == len(string)


def accepts_run(part: ExpressionPart, run: tuple[int, ...]) -> bool:
    if part.op == TAG:
        return len(run) == 1
    if part.op == SEQ:
        return accepts(part.parts, run)
    if part.op == ALT:
        return any(accepts_run(choice, run) for choice in part.parts if not run or run[0] in choice.symbols)
    if not run or part.op == OPT:
        return not run or accepts_run(part.parts[0], run)
    (inner,) = part.parts
    if inner.op == SEQ:
        return run[0] == inner.lead and all(accepts(inner.parts, piece) for piece in pieces(run, inner.lead))
    return True


def learn(*strings: str) -> str:
    parts = learn_expression([[ord(letter) for letter in string] for string in strings])
    names = {str(ord(letter)): letter for string in strings for letter in string}
    text = "".join(map(str, parts))
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
        (["AXXB", "AYB"], "A((X)*|Y)B"),
        (["AB", "CD"], "(AB|CD)"),  # a choice between sequences
        (["XABY", "XCDY", "XAY"], "X(CD|A(B)?)Y"),
        (["XABY", "XABY", "XY"], "X(AB)?Y"),
        (["XAY", "XBY", *["XY"] * 8], "X(A)?(B)?Y"),  # never together by chance
        ([*["XAY"] * 9, *["XBY"] * 9, "XY"], "X(A|B)?Y"),
        (["AC", "AD", "BC", "BD", ""], "(A)?(B)?(C)?(D)?"),  # no class in all rows
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
    parts = learn_expression([list(map(ord, s)) for s in ("ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF")])
    assert accepts(parts, list(map(ord, string))) is expected


@given(STRINGS)
def test_the_expression_has_every_string_and_each_symbol_once(strings: list[list[int]]) -> None:
    parts = learn_expression(strings)
    assert all(accepts(parts, string) for string in strings)
    symbols = [symbol for part in parts for symbol in part.symbols]
    assert sorted(symbols) == sorted({symbol for string in strings for symbol in string})


@given(STRINGS)
def test_separated_strings_have_the_same_symbols_under_other_numbers(strings: list[list[int]]) -> None:
    found = separate_symbols(dict.fromkeys(map(tuple, strings), 2))
    stands_for: dict[int, int] = {}
    for string, numbers in found.items():
        assert len(string) == len(numbers)
        for symbol, number in zip(string, numbers, strict=True):
            assert stands_for.setdefault(number, symbol) == symbol
    parts = learn_expression(list(found.values()))
    assert all(accepts(parts, string) for string in found.values())


@pytest.mark.parametrize(
    ("strings", "expected"),
    [
        (["AXA", "AX", "XA", "AAXA"], ["axA", "ax", "xA", "aaxA"]),
        (["AB", "BA", "AB"], ["aB", "ba"]),  # two orders
        (["PHPPHP", "PPHP", "PHHPP"], None),  # text in any order
        (["DEDE", "DE", "DEDEDE"], None),  # records
    ],
)
def test_texts_before_and_after_an_anchor_are_distinguished(
    strings: list[str], expected: list[str] | None
) -> None:
    found = separate_symbols({tuple(map(ord, string)): 5 for string in strings})
    assert (list(found) == list(found.values())) == (expected is None)
    for string, numbers in zip(found, expected or (), strict=bool(expected)):
        own = [number != symbol for number, symbol in zip(found[string], string, strict=True)]
        assert own == [letter.islower() for letter in numbers]


@given(STRINGS, st.randoms(use_true_random=False))
def test_the_order_and_the_number_of_strings_do_not_matter(
    strings: list[list[int]], rng: random.Random
) -> None:
    shuffled = list(strings)
    rng.shuffle(shuffled)
    assert learn_expression(strings) == learn_expression(shuffled)


def random_expression(rng: random.Random, letters: list[int]) -> list[ExpressionPart]:
    parts = []
    while letters:
        tags = [
            ExpressionPart(TAG, letters.pop()) for _ in range(min(len(letters), rng.choice([1, 1, 1, 2])))
        ]
        part = tags[0] if len(tags) == 1 else ExpressionPart(ALT, parts=tuple(tags))
        op = rng.choice([STAR, OPT, TAG])
        parts.append(part if op == TAG else ExpressionPart(op, parts=(part,)))
    return parts


def sample(rng: random.Random, parts: list[ExpressionPart]) -> list[int]:
    string: list[int] = []
    for part in parts:
        times = rng.randint(0, 4) if part.op == STAR else rng.randint(0, 1) if part.op == OPT else 1
        string += [rng.choice(part.symbols) for _ in range(times)]
    return string


def test_expressions_are_learnt_from_their_strings() -> None:
    rng = random.Random(5)
    for _ in range(30):
        true = random_expression(rng, list(range(rng.randint(1, 7))))
        learnt = learn_expression([sample(rng, true) for _ in range(300)])
        assert all(accepts(learnt, sample(rng, true)) for _ in range(40))


def test_many_symbols_in_a_long_string() -> None:
    string = list(range(3000)) + [7] * 20_000
    assert accepts(learn_expression([string, string[::-1]]), string)


def test_pieces_begin_with_the_lead() -> None:
    assert pieces((), 1) == []
    assert pieces((1, 1, 2), 1) == [(1,), (1, 2)]
