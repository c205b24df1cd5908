"""Pairs found in an index, against brute force over all pairs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates import search as module
from webgrain.duplicates.index import Document, DuplicateIndex
from webgrain.duplicates.minhash import MinHash
from webgrain.duplicates.search import VERDICTS, Search, find_pairs, meetings
from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from types import ModuleType

    from webgrain.duplicates.search import Pairs

MADE = list(make_texts(400, words=120, random_state=1))


def lines(name: str, n: int = 60) -> str:
    return " ".join(f"{name}{k}" for k in range(n))


def index_of(documents: list[Document], method: MinHash | None = None) -> DuplicateIndex:
    index = DuplicateIndex(None, method)
    for document in documents:
        assert isinstance(index.add(document), int)
    return index


def found(pairs: Pairs) -> dict[tuple[int, int], str]:
    verdicts = [VERDICTS[v].value for v in pairs.verdict]
    return dict(zip(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True), verdicts, strict=True))


def test_all_pairs_above_the_threshold_are_found() -> None:
    index = index_of([Document(made.id, made.text) for made in MADE])
    pairs = found(find_pairs([index]))
    signatures = [index.method.signature(made.text) for made in MADE]
    alike = {
        (a, b): float(index.method.similarity(signatures[a], signatures[b]))
        for a, b in combinations(range(len(MADE)), 2)
    }
    true = {pair for pair, share in alike.items() if share >= 0.8}
    assert len(true) > 15
    assert set(pairs) <= true
    assert len(set(pairs)) >= 0.98 * len(true)
    copies = {(int(made.copy_of), int(made.id)) for made in MADE if made.copy_of}
    halves = {(int(made.half_of), int(made.id)) for made in MADE if made.half_of}
    assert len(copies & set(pairs)) > 0.9 * len(copies)
    assert not halves & set(pairs)


@pytest.mark.parametrize(("where", "limit", "value"), [(module, "KEYS", 50), (module, "_PAIRS", 3)])
def test_limits_of_memory_change_nothing(
    where: ModuleType, limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = index_of([Document(made.id, made.text) for made in MADE])
    before = found(find_pairs([index]))
    monkeypatch.setattr(where, limit, value)
    assert found(find_pairs([index])) == before


FRAMES = [lines("menu", 300), lines("other", 300)]
DOCUMENTS = [
    Document("a", f"{FRAMES[0]} {lines('news')}", lines("news")),
    Document("b", f"{FRAMES[1]} {lines('news')}", lines("news")),
    Document("c", f"{FRAMES[0]} {lines('else')}", lines("else")),
    Document("d", f"{FRAMES[0]} {lines('news')} today", lines("news")),
    Document("e", f"{FRAMES[0]} {lines('news')}", lines("news")),
    Document("f", lines("lone", 99), lines("lone", 99)),
]


def test_a_pair_gets_its_verdict() -> None:
    pairs = find_pairs([index_of(DOCUMENTS)], search=Search(templates=True))
    assert found(pairs) == {
        (0, 1): "same-content",
        (0, 2): "same-template",
        (0, 3): "near-duplicate",
        (0, 4): "identical",
        (1, 3): "same-content",
        (1, 4): "same-content",
        (2, 3): "same-template",
        (2, 4): "same-template",
        (3, 4): "near-duplicate",
    }
    first = {name: getattr(pairs, name)[0] for name in ("whole", "content", "frame")}
    assert first["content"] == 1.0
    assert first["frame"] == 0.0
    assert 0.05 < first["whole"] < 0.25


def test_pages_that_share_only_their_frame_are_kept_apart() -> None:
    """Their texts are alike by more than four fifths, yet they are in no pair unless they are asked for."""
    pairs = find_pairs([index_of([DOCUMENTS[0], DOCUMENTS[2]])], search=Search(threshold=0.7, templates=True))
    assert found(pairs) == {(0, 1): "same-template"}
    assert not len(find_pairs([index_of([DOCUMENTS[0], DOCUMENTS[2]], MinHash(threshold=0.7))]))


def test_by_page_and_by_content() -> None:
    index = index_of(DOCUMENTS)
    assert set(found(find_pairs([index], search=Search("page")))) == {(0, 3), (0, 4), (3, 4)}
    by_content = found(find_pairs([index], search=Search("content")))
    assert by_content == dict.fromkeys(combinations((0, 1, 3, 4), 2), "same-content") | {(0, 4): "identical"}


def test_only_pairs_with_a_wanted_page() -> None:
    index = index_of(DOCUMENTS)
    assert set(found(find_pairs([index], np.array([1])))) == {(0, 1), (1, 3), (1, 4)}
    assert not len(find_pairs([index], np.zeros(0, np.int64)))


def test_between_two_indexes() -> None:
    older, newer = index_of(DOCUMENTS[:2]), index_of([Document("a", "Something new."), DOCUMENTS[4]])
    assert found(find_pairs([older, newer], np.array([2, 3]))) == {
        (0, 3): "identical",
        (1, 3): "same-content",
    }


def test_indexes_with_different_methods_raise() -> None:
    with pytest.raises(ParameterError, match="searched together only if they have one method"):
        find_pairs([DuplicateIndex(), DuplicateIndex(None, MinHash(hashes=64))])


def test_a_higher_threshold_finds_fewer() -> None:
    index = index_of([Document(made.id, made.text) for made in MADE])
    assert set(found(find_pairs([index], search=Search(threshold=0.95)))) < set(found(find_pairs([index])))


def test_an_unknown_text_raises() -> None:
    with pytest.raises(ParameterError, match="by must be one of page, content, both, got 'title'"):
        find_pairs([DuplicateIndex()], search=Search("title"))  # type: ignore[arg-type]


def test_an_empty_index_has_no_pairs() -> None:
    assert len(find_pairs([DuplicateIndex()])) == 0


def test_a_large_group_is_connected_without_all_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CROWD", 20)
    pairs = find_pairs([index_of([Document(str(k), lines("copy")) for k in range(200)])])
    assert 199 <= len(pairs) < 200 * (module.NEAR + 1)
    assert {(0, k) for k in range(1, 200)} <= set(found(pairs))


@pytest.mark.parametrize("seed", range(20))
def test_meetings_are_the_pairs_of_equal_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = rng.integers(12, size=int(rng.integers(50))).astype(np.uint32)
    pages = np.sort(rng.permutation(1000)[: len(keys)])
    met = [pair for a, b in meetings(pages, keys) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    expected = {
        (int(pages[i]), int(pages[j])) for i, j in combinations(range(len(keys)), 2) if keys[i] == keys[j]
    }
    assert len(met) == len(set(met))
    assert set(met) == expected
