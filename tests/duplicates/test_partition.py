"""A search in parts finds what one search in all indexes finds."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.duplicates import read_pages
from experiments.datasets.synthetic_texts import make_texts

from webgrain.base.errors import InputError, ParameterError, WebgrainError
from webgrain.base.failures import Failure
from webgrain.duplicates import search
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.partition import find_pairs_in_parts, make_plan
from webgrain.duplicates.search import Pairs, Search, find_pairs, join_pairs
from webgrain.duplicates.sketches import PageText
from webgrain.engines.local import Local
from webgrain.engines.ray import Ray
from webgrain.site.duplicates import duplicates_in_parts, duplicates_of, texts_to_compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

MADE = list(make_texts(200, words=120, random_state=1))
MENUS = [" ".join(f"{name}{k}" for k in range(150)) for name in ("menu", "other")]
TEXTS = [
    *(PageText(f"plain-{made.id}", made.text) for made in MADE),
    *(
        PageText(f"{k % 2}.org/{made.id}", f"{MENUS[k % 2]} {made.text}", title=made.id, site=str(k % 2))
        for k, made in enumerate(MADE[:150])
    ),
]


class Here:
    """An engine that works in this process; it fails after some tasks."""

    def __init__(self, tasks: int = 10**6) -> None:
        self.tasks = tasks

    def map(
        self, task: Callable[[int], None], arguments: Iterable[int]
    ) -> Iterator[tuple[int, Failure | None]]:
        for argument in arguments:
            self.tasks -= 1
            lost = Failure(str(argument), "run", "its machine is gone.") if self.tasks < 0 else None
            yield argument, lost or task(argument)


def indexes_of(folder: Path, texts: Sequence[PageText], many: int = 3) -> list[Path]:
    paths = [folder / f"{k}.db" for k in range(many)]
    size = -(-len(texts) // many)
    for k, path in enumerate(paths):
        with DuplicateIndex(path) as index:
            for text in texts[k * size : (k + 1) * size]:
                assert isinstance(index.add(text), int)
    return paths


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three indexes of all texts."""
    return indexes_of(tmp_path_factory.mktemp("indexes"), TEXTS)


def in_one(paths: Sequence[Path], sought: Search | None = None) -> Pairs:
    with ExitStack() as opened:
        return find_pairs([opened.enter_context(DuplicateIndex(path)) for path in paths], search=sought)


def assert_same(found: Pairs, expected: Pairs) -> None:
    for name in Pairs.__slots__:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("keys", [4_000, 10**6])
@pytest.mark.parametrize("sought", [Search(), Search(0.1), Search(0.9, templates=True)])
def test_the_pairs_are_those_of_one_search(
    sought: Search, keys: int, paths: list[Path], tmp_path: Path
) -> None:
    expected = in_one(paths, sought)
    assert len(expected) >= 10
    assert_same(join_pairs(list(find_pairs_in_parts(paths, tmp_path, Here(), sought, keys))), expected)


def test_large_groups_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "CROWD", 6)
    monkeypatch.setattr(search, "NEAR", 2)
    copies = [PageText(f"copy-{k}", f"{MENUS[0]} page {k % 3}") for k in range(20)]
    paths = indexes_of(tmp_path, [*copies, *TEXTS[:40], PageText("last", MENUS[0])])
    expected = in_one(paths)
    assert 20 < len(expected) < 190
    assert_same(join_pairs(list(find_pairs_in_parts(paths, tmp_path, Here(), keys=500))), expected)


def test_the_records_are_those_of_one_index(paths: list[Path], tmp_path: Path) -> None:
    with DuplicateIndex() as index:
        for text in TEXTS:
            index.add(text)
        expected = list(duplicates_of(index, search=Search(templates=True)))
    found = list(duplicates_in_parts(paths, tmp_path, Here(), Search(templates=True)))
    assert found == expected
    assert {record["cluster"] is None for record in found} == {True, False}


def test_processes_find_the_same(paths: list[Path], tmp_path: Path) -> None:
    found = find_pairs_in_parts(paths, tmp_path, Local(2), Search(0.1), keys=8_000)
    assert_same(join_pairs(list(found)), in_one(paths, Search(0.1)))


def test_an_interrupted_search_is_resumed(paths: list[Path], tmp_path: Path) -> None:
    expected = in_one(paths)
    with pytest.raises(WebgrainError, match=r"Part 2 of duplicates \(meet\) failed: its machine is gone\."):
        list(find_pairs_in_parts(paths, tmp_path, Here(5), keys=10_000))
    left = Here()
    assert_same(join_pairs(list(find_pairs_in_parts(paths, tmp_path, left, keys=10_000))), expected)
    parts = make_plan(paths, tmp_path, keys=10_000).parts
    assert parts > 3
    assert 10**6 - left.tasks == parts - 2 + len(paths)
    assert not list(tmp_path.glob(".*"))


def test_a_folder_of_another_search_raises(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, TEXTS[:20])
    list(find_pairs_in_parts(paths, tmp_path, Here()))
    with pytest.raises(InputError, match="has the parts of another search"):
        list(find_pairs_in_parts(paths, tmp_path, Here(), Search(0.1)))
    with DuplicateIndex(paths[0]) as index:
        index.add(PageText("new", "A page that came later."))
    with pytest.raises(InputError, match="has the parts of another search"):
        list(find_pairs_in_parts(paths, tmp_path, Here()))


def test_parts_of_an_older_version_raise(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, TEXTS[:20])
    (tmp_path / "plan.json").write_text('{"parts": 1}')
    with pytest.raises(InputError, match="has parts of version 1, not 2: delete it"):
        list(find_pairs_in_parts(paths, tmp_path, Here()))


@pytest.mark.full
@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_cluster_writes_the_files_of_one_machine(paths: list[Path], tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("here", "cluster")]
    for folder, engine in zip(folders, (Here(), Ray(2)), strict=True):
        folder.mkdir()
        list(find_pairs_in_parts(paths, folder, engine, Search(0.1), keys=8_000))
    files = [{file.name: file.read_bytes() for file in folder.glob("*-*")} for folder in folders]
    assert len(files[0]) > 6
    assert files[1] == files[0]


def test_indexes_without_pages_or_pairs(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, TEXTS[:1])
    assert [len(pairs) for pairs in find_pairs_in_parts(paths, tmp_path, Here())] == [0, 0, 0]


def test_wrong_arguments_raise(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least one index"):
        list(find_pairs_in_parts([], tmp_path, Here()))


@pytest.mark.data
def test_grafted_pages(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "duplicates"
    if not folder.is_dir():
        pytest.skip(f"no pages to compare: the folder {folder} does not exist")
    texts = [text for text in texts_to_compare(read_pages(folder, "grafted")) if isinstance(text, PageText)]
    paths = indexes_of(tmp_path, [replace(text, site=text.id.split("/")[1]) for text in texts], many=5)
    expected = in_one(paths, Search(templates=True))
    assert len(expected) > 100
    found = find_pairs_in_parts(paths, tmp_path, Here(), Search(templates=True), keys=6000)
    assert_same(join_pairs(list(found)), expected)
