"""Attribute values are numbers in a table that pages share."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webgrain.page import values
from webgrain.page.parsing import parse_html
from webgrain.page.values import GroupQuestion, PlacedQuestion, Question, ValueTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom


def attributes(dom: Dom) -> list[dict[str, str]]:
    return [dom.attributes(node) for node in range(len(dom))]


def test_pages_share_the_numbers_of_values() -> None:
    first, second = parse_html("<p class=a id=x>"), parse_html("<b id=y class=a>")
    assert first.values is second.values
    assert first.value[0] == second.value[1]
    assert first.value[1] != second.value[0]


def test_a_question_about_a_group_is_asked_once_for_each_new_value() -> None:
    asked = list[list[str]]()

    def lengths(texts: Sequence[str]) -> NDArray[np.int64]:
        asked.append([*texts])
        return np.array([[len(text), 1] for text in texts], np.int64)

    question = GroupQuestion(lengths, (np.int64, (2,)))
    table = ValueTable()
    for texts in (["a", "menu", "a"], ["menu"], ["menu", "third"], []):
        answers = table.answers(question, table.numbers_of(texts))
        assert answers.tolist() == [[len(text), 1] for text in texts]
    assert asked == [["a", "menu"], ["third"]]
    assert question.function("four").tolist() == [4, 1]


def test_a_question_is_asked_once_for_each_value() -> None:
    asked = []

    def length(value: str) -> int:
        asked.append(value)
        return len(value)

    question = Question(length, np.int64)
    for html in ("<p class=long-one><p class=b><p class=long-one>", "<i class=long-one><i class=third>"):
        dom = parse_html(html)
        chosen = dom.find_attribute("class")[0]
        expected = [len(value or "") for value in dom.values_of(chosen)]
        assert dom.ask(question, chosen).tolist() == expected
    assert sorted(asked) == ["b", "long-one", "third"]


def test_answers_can_be_objects() -> None:
    table = ValueTable()
    words = Question(str.split)
    assert table.answers(words, table.numbers_of(["a b", "", "a b"])).tolist() == [["a", "b"], [], ["a", "b"]]
    assert table.answers(words, table.numbers_of([])).tolist() == []


def test_answers_depend_on_the_place_of_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def path(tag: str, value: str) -> str:
        asked.append((tag, value))
        return f"{tag}.{value}"

    monkeypatch.setattr(values, "MAX_VALUES", 2)
    table, question = ValueTable(), PlacedQuestion(path)
    numbers = table.numbers_of(["a", "a", "b", "a"]).tolist()
    for _ in range(2):
        assert table.placed_answers(question, ["p", "li", "p", "p"], numbers) == ["p.a", "li.a", "p.b", "p.a"]
    assert len(asked) == 6  # three pairs, and again since the table of answers was full
    assert table.placed_answers(question, [], []) == []


@pytest.mark.parametrize("limit", ["MAX_VALUES", "MAX_VALUE_CHARACTERS"])
def test_a_full_table_is_replaced_and_kept_by_its_pages(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "_current", ValueTable())
    monkeypatch.setattr(values, limit, 3)
    pages = [parse_html(f"<p class=first-{k}><p class=second-{k}><p class=a>") for k in range(6)]
    assert 1 < len({id(page.values) for page in pages}) <= 6
    for k, page in enumerate(pages):
        assert [own["class"] for own in attributes(page)[3:]] == [f"first-{k}", f"second-{k}", "a"]


def test_a_pickled_page_has_its_own_values() -> None:
    dom = parse_html("<p class=ü id=''><p class=b><my-x my-name=3>")
    copy = pickle.loads(pickle.dumps(dom))
    assert attributes(copy) == attributes(dom)
    # In another process the same values have other numbers.
    monkey = ValueTable()
    monkey.numbers_of(["others", "b"])
    current, values._current = values._current, monkey
    try:
        other = pickle.loads(pickle.dumps(dom))
    finally:
        values._current = current
    assert other.values is monkey
    assert attributes(other) == attributes(dom)


def test_threads_get_the_same_values() -> None:
    length = Question(len, np.int64)

    def read(seed: int) -> bool:
        names = [f"name-{(seed + k) % 700}" for k in range(300)]
        dom = parse_html("".join(f"<p class={name}>" for name in names))
        chosen = dom.find_attribute("class")[0]
        return dom.values_of(chosen) == names and dom.ask(length, chosen).tolist() == list(map(len, names))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(0, 700, 7)))


def test_many_values_and_long_ones() -> None:
    names = [f"v{k}" for k in range(5000)] + ["x" * 100_000, "x" * 99_999 + "y", ""]
    dom = parse_html("".join(f'<i title="{name}">' for name in names))
    assert dom.values_of(dom.find_attribute("title")[0]) == names
    assert dom.distinct_values("title")[2] == names
