"""Counts of shards in separate processes, merged in any order, equal those of one pass over all pages.

Counts of pages and the keys of signatures merge. Templates do not, and need not: a template is learnt from a
bounded sample of a type's pages, chosen by the hashes of their ids, by whoever has them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.conftest import ROOT

from webgrain.engines.local import Local
from webgrain.io.queries import read_queries
from webgrain.io.read import read
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

SHARDS = 5


def count(shard: int, shards: int = SHARDS) -> PathCounts:
    """Count every n-th page of the sample site."""
    log = read_queries(ROOT / "examples" / "queries.tsv")
    counts = PathCounts()
    for number, source in enumerate(read([ROOT / "examples" / "site"])):
        assert isinstance(source, Source)
        if number % shards == shard:
            page = parse(source)
            counts.add(page, log.queries_for(page))
    return counts


def merged(shards: Iterable[PathCounts]) -> PathCounts:
    counts = PathCounts()
    for shard in shards:
        counts.merge(shard)
    return counts


def values(counts: PathCounts) -> Any:
    """What is learnt from counts, but for the examples that show them and the order of types of one size."""
    found = PageTypes().fit_counts(counts).clustering_
    assert found is not None
    types = {
        kind.label: (kind.key_path, kind.size, kind.tab, [(one.path, one.share) for one in kind.fields])
        for kind in found.types
    }
    labels = [found.types[k].label for k in found.labels.tolist()]
    return types, sorted(
        zip(found.pages, labels, np.nan_to_num(found.confidence, nan=-1).tolist(), strict=True)
    )


def test_counts_of_processes_give_the_types_of_one_pass() -> None:
    whole = values(count(0, 1))
    assert len(whole[0]) > 3
    shards = dict(Local(2).map(count, range(SHARDS)))
    assert values(merged(shards.values())) == whole  # in the order in which they were completed
    assert values(merged(shards[k] for k in (3, 0, 4, 2, 1))) == whole
    pairs = [merged(shards[k] for k in some) for some in ((1, 2), (0, 4), (3,))]
    assert values(merged(pairs)) == whole


def test_samples_of_shards_give_the_sample_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "MAX_SNIPPET_PAGES", 9)

    def sampled(counts: PathCounts) -> list[str]:
        return sorted(counts.ids[k] for k in counts.snippets.kept)

    whole = count(0, 1)
    assert len(sampled(whole)) == 9
    assert sampled(merged(count(k) for k in (2, 0, 1, 4, 3))) == sampled(whole)
