"""A search in parts finds what one search in all indexes finds."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from experiments.datasets.duplicates import read_pages
from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates import partition, search
from webgrain.duplicates.index import Document, DuplicateIndex
from webgrain.duplicates.minhash import MinHash
from webgrain.duplicates.partition import find_pairs_in_parts
from webgrain.duplicates.repeats import PageText
from webgrain.duplicates.search import Pairs, Search, find_pairs, join
from webgrain.engines.local import Local
from webgrain.errors import InputError, ParameterError, WebgrainError
from webgrain.pipeline import Layout
from webgrain.results import Failure
from webgrain.site.duplicates import duplicates_in_parts, duplicates_of, page_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

MADE = list(make_texts(200, words=120, random_state=1))
FRAMES = [" ".join(f"{name}{k}" for k in range(300)) for name in ("menu", "other")]
DOCUMENTS = [
    *(Document(f"plain-{made.id}", made.text) for made in MADE),
    *(Document(f"framed-{m.id}", f"{FRAMES[k % 2]} {m.text}", m.text) for k, m in enumerate(MADE[:150])),
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


def indexes_of(folder: Path, documents: Sequence[Document], many: int = 3) -> list[Path]:
    paths = [folder / f"{k}.db" for k in range(many)]
    size = -(-len(documents) // many)
    for k, path in enumerate(paths):
        with DuplicateIndex(path) as index:
            for document in documents[k * size : (k + 1) * size]:
                assert isinstance(index.add(document), int)
    return paths


def in_one(paths: Sequence[Path], sought: Search | None = None) -> Pairs:
    with ExitStack() as opened:
        return find_pairs([opened.enter_context(DuplicateIndex(path)) for path in paths], search=sought)


def assert_same(found: Pairs, expected: Pairs) -> None:
    for name in Pairs.__slots__:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("keys", [100, 10**6])
@pytest.mark.parametrize(
    "sought", [Search(), Search("page"), Search("content"), Search(threshold=0.9, templates=True)]
)
def test_the_pairs_are_those_of_one_search(sought: Search, keys: int, tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, DOCUMENTS)
    expected = in_one(paths, sought)
    assert len(expected) >= 10
    assert_same(join(list(find_pairs_in_parts(paths, tmp_path, Here(), sought, keys))), expected)


def test_large_groups_and_several_runs_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CROWD", 6)
    monkeypatch.setattr(search, "NEAR", 2)
    monkeypatch.setattr(partition, "_RUN", 3)
    copies = [Document(f"copy-{k}", f"{FRAMES[0]} page {k % 3}") for k in range(20)]
    paths = indexes_of(tmp_path, [*copies, *DOCUMENTS[:40], Document("last", FRAMES[0])])
    expected = in_one(paths)
    assert 20 < len(expected) < 190
    assert_same(join(list(find_pairs_in_parts(paths, tmp_path, Here(), keys=10))), expected)


def test_the_records_are_those_of_one_index(tmp_path: Path) -> None:
    with DuplicateIndex() as index:
        for document in DOCUMENTS:
            index.add(document)
        expected = list(duplicates_of(index, search=Search(templates=True)))
    found = list(
        duplicates_in_parts(indexes_of(tmp_path, DOCUMENTS), tmp_path, Here(), Search(templates=True))
    )
    assert found == expected
    assert {record["cluster"] is None for record in found} == {True, False}


def test_processes_find_the_same(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, DOCUMENTS)
    found = find_pairs_in_parts(paths, tmp_path, Local(2), Search("page"), keys=200)
    assert_same(join(list(found)), in_one(paths, Search("page")))


def test_an_interrupted_search_is_resumed(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, DOCUMENTS)
    expected = in_one(paths)
    with pytest.raises(WebgrainError, match=r"Part 17 of duplicates \(meet\) failed: its machine is gone\."):
        list(find_pairs_in_parts(paths, tmp_path, Here(20)))
    left = Here()
    assert_same(join(list(find_pairs_in_parts(paths, tmp_path, left))), expected)
    done = 10**6 - left.tasks
    assert done == 2 * MinHash().bands - 17 + len(paths)
    assert not list(tmp_path.glob(".*"))


def test_a_folder_of_another_search_raises(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, DOCUMENTS[:20])
    list(find_pairs_in_parts(paths, tmp_path, Here()))
    with pytest.raises(InputError, match="has the parts of another search"):
        list(find_pairs_in_parts(paths, tmp_path, Here(), Search("page")))
    with DuplicateIndex(paths[0]) as index:
        index.add(Document("new", "A page that came later."))
    with pytest.raises(InputError, match="has the parts of another search"):
        list(find_pairs_in_parts(paths, tmp_path, Here()))


def test_indexes_without_pages_or_pairs(tmp_path: Path) -> None:
    paths = indexes_of(tmp_path, DOCUMENTS[:1])
    assert [len(pairs) for pairs in find_pairs_in_parts(paths, tmp_path, Here())] == [0, 0, 0]


def test_wrong_arguments_raise(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least one index"):
        list(find_pairs_in_parts([], tmp_path, Here()))
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path, width in zip(paths, (6, 4), strict=True):
        with DuplicateIndex(path, MinHash(width=width)):
            pass
    with pytest.raises(ParameterError, match="only if they have one method"):
        list(find_pairs_in_parts(paths, tmp_path, Here()))


@pytest.mark.data
def test_grafted_pages(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "duplicates"
    if not folder.is_dir():
        pytest.skip(f"no pages to compare: the folder {folder} does not exist")
    read: list[Any] = list(page_texts(read_pages(folder, "grafted"), layout=Layout(render="none")))
    texts = [one for one in read if isinstance(one, PageText)]
    lines = [(one.id, one.text.split("\n")) for one in texts]
    documents = [Document(name, "\n".join(x), "\n".join(sorted(x, key=len)[-8:])) for name, x in lines]
    paths = indexes_of(tmp_path, documents, many=5)
    expected = in_one(paths, Search(templates=True))
    assert len(expected) > 100
    found = find_pairs_in_parts(paths, tmp_path, Here(), Search(templates=True), keys=60)
    assert_same(join(list(found)), expected)
