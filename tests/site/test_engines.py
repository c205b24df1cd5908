"""An audit gives the same results with every engine, also if processes die."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.engines.tasks import die_and_do, lose_the_engine_and_do
from tests.site.sites import Here, plan, shop

from webgrain.base.failures import Failure
from webgrain.engines import engine
from webgrain.site import thresholds
from webgrain.site.audit import audit
from webgrain.site.stages.samples import lay_out
from webgrain.site.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from webgrain.engines import Engine


class Dying:
    """An engine whose processes die."""

    def __init__(self, engine: Engine, way: Callable[..., Any]) -> None:
        self._engine, self._way = engine, way

    def map(self, task: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        return self._engine.map(partial(self._way, task), arguments)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "SHARD_PAGES", 8)


def results(folder: Path, runs: Any) -> dict[str, object]:
    """Audit two small sites, and return what is found, but for the paths of reports and times."""
    pages = [*shop(12, "a.example"), *shop(12, "b.example", seed=1)]
    audit(lambda first: pages[first:], folder, plan(), runs)
    found: dict[str, object] = {
        str(path.relative_to(folder)): path.read_bytes()
        for name in ("site-model.json", "segments.jsonl", "duplicates.csv", "failures.jsonl")
        for path in folder.rglob(name)
    }
    rows = {str(path.relative_to(folder)): list(read_rows(path)) for path in folder.glob("*/pages.parquet")}
    assert len(found) >= 6
    assert [len(table) for table in rows.values()] == [12, 12]
    return found | rows


class Losing(Here):
    """An engine whose processes die while sample pages are laid out."""

    def map(self, task: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for argument, result in super().map(task, arguments):
            is_lost = getattr(task, "func", None) is lay_out
            yield argument, Failure(str(argument), "run", "the process ended.") if is_lost else result


def test_sample_pages_that_are_lost_are_named(tmp_path: Path) -> None:
    pages = shop(12, "a.example")
    [site] = audit(lambda first: pages[first:], tmp_path, plan(), Losing())
    lost = [failure for failure in site.failures if failure.stage == "lay out"]
    assert len(lost) > 3
    assert {failure.page for failure in lost} <= {page.id for page in pages}
    assert {failure.error for failure in lost} == {"the process ended."}


@pytest.fixture
def dead(tmp_path: Path) -> Path:
    folder = tmp_path / "dead"
    folder.mkdir()
    return folder


@pytest.mark.full
def test_processes_that_die_lose_nothing(dead: Path, tmp_path: Path) -> None:
    dying = Dying(engine("local", 2), partial(die_and_do, dead))
    assert results(tmp_path / "local", dying) == results(tmp_path / "here", Here())
    assert len(list(dead.iterdir())) >= 6  # each once: two models, four shards


@pytest.mark.full
@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_killed_process_of_the_cluster_loses_no_other_results(dead: Path, tmp_path: Path) -> None:
    dying = Dying(engine("ray"), partial(lose_the_engine_and_do, dead))
    assert results(tmp_path / "ray", dying) == results(tmp_path / "here", Here())
    assert list(dead.iterdir())
