from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.engines import tasks

from webgrain.base.failures import Failure
from webgrain.engines import engine
from webgrain.engines.local import Local
from webgrain.engines.ray import Ray

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.usefixtures("ray_cluster")]


def test_results_are_those_of_local_processes() -> None:
    expected = [(number, number**2) for number in range(6)]  # tests/engines/test_local.py
    assert sorted(engine("ray", 1).map(tasks.square, range(6))) == expected


@pytest.mark.full
def test_the_default_number_of_workers_gives_the_same_results() -> None:
    assert sorted(Ray().map(tasks.square, range(12))) == sorted(Local(2).map(tasks.square, range(12)))


@pytest.mark.full
def test_a_killed_process_of_the_cluster_loses_no_result(tmp_path: Path) -> None:
    found = Ray().map(partial(tasks.lose_the_engine_once, tmp_path), range(3))
    assert sorted(found) == [(0, 0), (1, 1), (2, 2)]
    assert len(list(tmp_path.iterdir())) == 3  # each was lost once


@pytest.mark.full
def test_pages_that_hang_or_crash_are_skipped_as_on_one_machine(tmp_path: Path) -> None:
    [(_, found)] = Ray().map(partial(tasks.shard, tmp_path), [("a", "crash-1", "hang-1", "killed-1")])
    assert [one[0] if isinstance(one, tuple) else one for one in found] == [
        "A",
        "crash-1",
        "hang-1",
        "KILLED-1",
    ]


@pytest.mark.full
def test_an_argument_that_kills_all_workers_is_named() -> None:
    [(argument, failure)] = Ray().map(tasks.die, ["shard 7"])
    assert argument == "shard 7"
    assert isinstance(failure, Failure)
    assert failure.page == "shard 7"


@pytest.mark.full
def test_what_a_task_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="3 is wrong"):
        list(Ray().map(tasks.wrong, [3]))
