"""Steps with several pages that take turns, within limits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import MissingExtraError
from webgrain.base.failures import Failure
from webgrain.engines.groups import run_in_turns, single_step
from webgrain.engines.guard import Guard, limits
from webgrain.page.page import Source

if TYPE_CHECKING:
    from webgrain.page.turns import Steps

PAGES = [Source(name, name.encode()) for name in "abcd"]


def test_pages_take_turns_and_one_that_fails_is_a_failure() -> None:
    calls: list[str] = []

    def steps(page: Source) -> Steps[str]:
        calls.append(page.id)
        yield "first"
        if page.id == "b":
            raise KeyError(page.id)
        calls.append(page.id.upper())
        return page.id

    failure = Failure("z", "read", "no page")
    first, second, third, fourth = run_in_turns([*PAGES[:2], failure, PAGES[2]], "count", steps)
    assert (first, third, fourth) == ("a", failure, "c")
    assert isinstance(second, Failure)
    assert (second.page, second.stage, second.error) == ("b", "count", "internal error: KeyError: 'b'")
    assert calls == ["a", "b", "c", "A", "C", "b"]  # what fails runs again alone


def test_each_page_has_the_limits_of_a_page() -> None:
    def steps(page: Source) -> Steps[str]:
        yield "first"
        end = time.process_time() + (60 if page.id == "c" else 0)
        while time.process_time() < end:
            pass
        return page.id

    with limits(Guard(seconds=0.1)):
        *others, third, fourth = run_in_turns(PAGES, "count", steps)
    assert [*others, fourth] == ["a", "b", "d"]
    assert isinstance(third, Failure)
    assert "longer than 0.1 s" in third.error


def test_a_missing_library_is_raised() -> None:
    def missing(page: Source) -> None:
        raise MissingExtraError("It needs a library.")

    with pytest.raises(MissingExtraError):
        run_in_turns(PAGES, "count", single_step(missing))
