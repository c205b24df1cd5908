from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from webgrain.base.errors import MissingExtraError, ParameterError, ReadError
from webgrain.base.failures import Failure
from webgrain.engines import guard
from webgrain.engines.guard import (
    KEY,
    Guard,
    RunningStep,
    SharedStep,
    Watch,
    memory_of,
    running_step,
    step_key,
    under,
)
from webgrain.page.page import Source

PAGE = Source("a", b"<p>Hello", url="http://example.org/a")
needs_linux = pytest.mark.skipif(memory_of() is None, reason="memory is limited on Linux only")


def state() -> object:
    return (
        signal.getsignal(signal.SIGALRM),
        signal.getsignal(signal.SIGPROF),
        signal.getitimer(signal.ITIMER_REAL),
        signal.getitimer(signal.ITIMER_PROF),
        resource.getrlimit(resource.RLIMIT_DATA),
    )


def failed(found: object) -> Failure:
    assert isinstance(found, Failure)
    return found


def test_a_step_within_its_limits_gives_its_result() -> None:
    before = state()
    assert Guard().call(PAGE, "count", lambda page: len(page.body)) == 8
    assert state() == before


def test_a_step_beyond_the_time_limit_is_a_failure_in_its_stage() -> None:
    before = state()
    failure = failed(Guard(seconds=0.05).call(PAGE, "apply", lambda page: time.sleep(100)))
    assert (failure.page, failure.stage, failure.url) == ("a", "apply", "http://example.org/a")
    assert failure.error == "it takes longer than 0.05 s."
    assert 0.05 <= failure.seconds < 50
    assert state() == before


def work(seconds: float) -> Callable[[Source], float]:
    """Return a step that takes this processor time."""

    def step(page: Source) -> float:
        start = time.process_time()
        while time.process_time() < start + seconds:
            pass
        return seconds

    return step


def test_processor_time_counts_and_not_waiting() -> None:
    failure = failed(Guard(seconds=0.1).call(PAGE, "apply", work(60)))
    assert failure.error == "it takes longer than 0.1 s."
    assert Guard(seconds=0.2).call(PAGE, "apply", lambda page: time.sleep(0.4)) is None


def test_a_step_that_waits_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "WAITING", 2)
    failure = failed(Guard(seconds=0.2).call(PAGE, "apply", lambda page: time.sleep(100)))
    assert 0.4 <= failure.seconds < 50


@needs_linux
def test_the_parent_counts_the_processor_time_of_a_worker() -> None:
    step = RunningStep(b"", seconds=1.0, memory=0.0, used=0.0, taken=3.0)
    used = guard.processor_time(os.getpid())
    assert used is not None
    assert abs(used - time.process_time()) < 1
    assert step._replace(seconds=used / 2).exceeds_time(os.getpid())
    assert not step._replace(seconds=used + 5).exceeds_time(os.getpid())
    assert step._replace(used=used).exceeds_time(2**30)  # there is no such process: its duration counts
    assert not step._replace(used=used).exceeds_time(os.getpid())
    assert step._replace(used=used, taken=1 + guard.WAITING).exceeds_time(os.getpid())


def swallow(page: Source) -> str:
    for _ in range(2):
        try:
            time.sleep(100)
        except BaseException:
            continue
    time.sleep(100)
    return "never"


def test_a_step_that_swallows_the_interruption_is_interrupted_again() -> None:
    assert "longer" in failed(Guard(seconds=0.05).call(PAGE, "apply", swallow)).error


@needs_linux
def test_a_step_beyond_the_memory_limit_is_a_failure() -> None:
    before = state()
    failure = failed(Guard(megabytes=50).call(PAGE, "apply", lambda page: len(bytearray(200 * 2**20))))
    assert failure.error == "it needs more than 50 MB of memory."
    assert state() == before
    assert Guard(megabytes=400).call(PAGE, "apply", lambda page: len(bytearray(200 * 2**20))) == 200 * 2**20


@needs_linux
def test_an_inner_guard_has_at_most_the_limits_of_the_outer_one() -> None:
    inner = Guard(megabytes=400)
    outer = Guard(megabytes=50)
    found = outer.call(PAGE, "out", lambda page: inner.call(page, "in", lambda page: bytearray(200 * 2**20)))
    assert failed(found).stage == "in"


def test_errors_become_failures_as_in_any_attempt() -> None:
    def read(page: Source) -> None:
        raise ReadError("the bytes are gone")

    assert failed(Guard().call(PAGE, "apply", read)).stage == "read"
    assert "ZeroDivisionError" in failed(Guard().call(PAGE, "apply", lambda page: 1 / 0)).error
    assert Guard().call(Failure("b", "read", "gone"), "apply", read) == Failure("b", "read", "gone")


def test_what_would_come_up_on_every_page_is_raised() -> None:
    def step(page: Source) -> None:
        raise MissingExtraError("pip install 'webgrain[render]'")

    with pytest.raises(MissingExtraError):
        Guard().call(PAGE, "apply", step)


def test_outside_the_main_thread_there_is_no_timer_but_all_else() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(Guard().call(PAGE, "apply", lambda page: page.id)))
    thread.start()
    thread.join()
    assert found == ["a"]


def test_who_watches_sees_the_step_and_its_hard_limits() -> None:
    place = SharedStep()
    with under(Watch(place)):
        step = Guard(seconds=3, megabytes=5).call(PAGE, "apply", lambda page: running_step(place))
    assert isinstance(step, RunningStep)
    assert (step.key, step.seconds) == (step_key("a", "apply"), 6.0)
    assert step.memory > 10 * 2**20
    assert step.taken >= 0
    assert running_step(place) is None


class _Observed:
    """A place that calls a function before each access to a field."""

    def __init__(self, place: SharedStep, before: Callable[[str], object]) -> None:
        self.__dict__.update(place=place, before=before)

    def __getattr__(self, name: str) -> Any:
        self.before(name)
        return getattr(self.place, name)

    def __setattr__(self, name: str, value: object) -> None:
        self.before(name)
        setattr(self.place, name, value)


@pytest.mark.parametrize("field", ["key", "seconds", "memory"])
def test_a_step_that_ends_while_it_is_read_is_ignored(field: str) -> None:
    place, open_steps = SharedStep(), ExitStack()
    open_steps.enter_context(Watch(place).step(b"k" * KEY, seconds=2, memory=1e9))
    observed = _Observed(place, lambda name: open_steps.close() if name == field else None)
    assert running_step(observed) is None


def test_a_step_is_not_seen_while_its_fields_are_written() -> None:
    place, seen = SharedStep(), list[RunningStep | None]()
    watch = Watch(_Observed(place, lambda name: seen.append(running_step(place))))
    with watch.step(b"a" * KEY, seconds=2, memory=1e9), watch.step(b"b" * KEY, seconds=3, memory=2e9):
        pass
    found = {(one.key, one.seconds, one.memory) for one in seen if one}
    assert found == {(b"a" * KEY, 2.0, 1e9), (b"b" * KEY, 3.0, 2e9)}


def test_a_step_within_a_step_is_seen_and_the_outer_one_again() -> None:
    place = SharedStep()

    def step(page: Source) -> list[bytes]:
        inner = Guard().call(page, "in", lambda page: running_step(place))
        return [one.key for one in (inner, running_step(place)) if isinstance(one, RunningStep)]

    with under(Watch(place)):
        assert Guard().call(PAGE, "out", step) == [step_key("a", "in"), step_key("a", "out")]
    assert running_step(place) is None


def test_a_step_that_failed_before_is_skipped() -> None:
    with under(Watch(SharedStep(), {step_key("a", "apply"): "it hangs."})):
        assert failed(Guard().call(PAGE, "apply", lambda page: 1)) == Failure(
            "a", "apply", "it hangs.", url=PAGE.url, seconds=pytest.approx(0, abs=10)
        )
        assert Guard().call(PAGE, "read", lambda page: 1) == 1


def test_a_memory_limit_without_a_time_limit_sets_no_timer() -> None:
    timer = Guard(seconds=None).call(PAGE, "apply", lambda page: signal.getitimer(signal.ITIMER_REAL))
    assert timer == (0.0, 0.0)


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": float("nan")}, {"megabytes": 0.5}])
def test_wrong_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Guard(**wrong)  # type: ignore[arg-type]


def test_items_that_fail_together_run_again_alone() -> None:
    before = state()
    calls: list[object] = []

    def together(numbers: Sequence[int]) -> list[int | Exception]:
        calls.append(numbers)
        return [ValueError("no") if number == 1 else number for number in numbers]

    def alone(number: int) -> int:
        calls.append(number)
        raise KeyError(number)

    items = [PAGE, PAGE, Failure("b", "read", "no page"), PAGE]
    first, second, third, last = Guard().call_all(items, "apply", together, alone)
    assert (first, third, last) == (0, items[2], 3)
    assert failed(second).error == "internal error: KeyError: 1"
    assert calls == [[0, 1, 3], 1]
    assert state() == before


@pytest.mark.parametrize("seconds", [0.1, None])
def test_items_beyond_a_limit_together_have_limits_of_their_own(seconds: float | None) -> None:
    def together(numbers: Sequence[int]) -> list[int | Exception]:
        if seconds is None:
            raise MemoryError
        time.sleep(100)
        return []

    def alone(number: int) -> int:
        if number == 1:
            raise MemoryError
        return number

    first, second, third = Guard(seconds).call_all([PAGE, PAGE, PAGE], "apply", together, alone)
    assert (first, third) == (0, 2)
    assert "memory" in failed(second).error


def test_an_item_runs_alone_at_once() -> None:
    def together(numbers: Sequence[int]) -> list[int | Exception]:
        raise AssertionError

    assert Guard().call_all([PAGE], "apply", together, lambda number: number) == [0]
