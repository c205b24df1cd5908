"""Tasks that take turns: the order of their steps, failures, facts of several pages, and groups of pages."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from webgrain.page.page import Page, of_last_page, results_kept
from webgrain.page.parsing import parse
from webgrain.page.turns import MOST_BYTES, MOST_PAGES, Steps, alone, in_turns, page_groups

if TYPE_CHECKING:
    from collections.abc import Iterator


def halved(number: int, steps: int = 2, fails: type[Exception] | None = None) -> Steps[float]:
    """Return half of a number after some steps, or raise after the first."""
    for step in range(steps):
        yield f"{number} {step}"
        if fails:
            raise fails
    return number / 2


def test_each_step_runs_for_all_tasks_before_the_next() -> None:
    laps: list[str] = []
    assert in_turns([halved(4), halved(6, 3), halved(8, 0)], laps.append) == [2.0, 3.0, 4.0]
    assert laps == ["4 0", "6 0", "4 1", "6 1", "6 2"]
    assert in_turns([]) == []


def test_a_task_that_raises_is_alone_with_it() -> None:
    first, second, third = in_turns([halved(4), halved(5, fails=KeyError), halved(6)])
    assert (first, third) == (2.0, 3.0)
    assert isinstance(second, KeyError)
    with pytest.raises(KeyError):
        alone(halved(5, fails=KeyError))


def test_a_lack_of_memory_is_that_of_all_tasks() -> None:
    with pytest.raises(MemoryError):
        in_turns([halved(4), halved(5, fails=MemoryError)])


def test_facts_of_the_last_page_are_kept_for_pages_that_take_turns() -> None:
    computed: Counter[tuple[str, object]] = Counter()

    @of_last_page
    def fact(page: Page, other: object) -> object:
        computed[page.id, other] += 1
        return object()

    def steps(page: Page) -> Steps[bool]:
        first = fact(page, None)
        yield "a"
        same = fact(page, None) is first
        yield "b"
        return same and fact(page, MOST_PAGES) is not first

    pages = [Page(name, parse("<p>a").dom) for name in "abc"]
    assert in_turns(map(steps, pages)) == [True, True, True]
    assert set(computed.values()) == {1}
    assert fact(pages[0], None)
    assert computed["a", None] == 2  # nothing is kept when the tasks have ended


def test_facts_are_not_kept_after_an_error() -> None:
    computed: list[str] = []

    @of_last_page
    def fact(page: Page) -> None:
        computed.append(page.id)

    pages = [Page(name, parse("<p>a").dom) for name in "ab"]

    def steps(page: Page) -> Steps[None]:
        fact(page)
        yield "a"
        raise MemoryError

    with pytest.raises(MemoryError):
        in_turns(map(steps, pages))
    fact(pages[0])
    fact(pages[1])
    fact(pages[0])
    assert computed == ["a", "b", "a", "b", "a"]


def test_groups_are_bounded_by_pages_and_bytes() -> None:
    sizes = [1] * (MOST_PAGES + 1) + [MOST_BYTES + 1, 2, MOST_BYTES - 2, 1]
    result = list(page_groups(sizes, int))
    assert [len(group) for group in result] == [MOST_PAGES, 1, 1, 2, 1]
    assert [size for group in result for size in group] == sizes
    assert list(page_groups([], int)) == []


def test_what_arrives_slowly_does_not_wait_for_others() -> None:
    arrived: list[int] = []

    def slowly() -> Iterator[int]:
        for number, seconds in enumerate((0.0, 0.0, 0.2, 0.2, 0.0)):
            time.sleep(seconds)
            arrived.append(number)
            yield number

    seen = [(group, len(arrived)) for group in page_groups(slowly(), int, patience=0.1)]
    assert seen == [([0], 1), ([1, 2], 3), ([3], 4), ([4], 5)]


def test_facts_are_kept_from_one_task_to_the_next_of_a_group() -> None:
    computed: Counter[str] = Counter()

    @of_last_page
    def fact(page: Page) -> object:
        computed[page.id] += 1
        return object()

    def steps(page: Page) -> Steps[object]:
        yield "a"
        return fact(page)

    pages = [Page(name, parse("<p>a").dom) for name in "abc"]
    with results_kept():
        assert in_turns(map(steps, pages)) == in_turns(map(steps, pages))
    assert set(computed.values()) == {1}
    assert in_turns(map(steps, pages))
    assert set(computed.values()) == {2}
