"""Counts of shards give what counts of the whole give."""

from __future__ import annotations

import pytest
from tests.pagetypes.sites import make_site

from webgrain.base.errors import InputError
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PageSample, PathCounts


def count(pages, queries):
    statistics = PathCounts()
    for page in pages:
        statistics.add(page, queries.get(page.id))
    return statistics


def test_merged_counts_are_the_counts_of_all_pages():
    pages, _, queries = make_site(12)
    whole = count(pages, queries)
    parts = count(pages[::2], queries)
    parts.merge(count(pages[1::2], queries))
    assert sorted(parts.ids) == sorted(whole.ids)
    kinds = [PageTypes().fit_counts(one).clustering_ for one in (whole, parts)]
    assert [kind.label for kind in kinds[0].types] == [kind.label for kind in kinds[1].types]
    by_page = [dict(zip(one.pages, one.labels.tolist(), strict=True)) for one in kinds]
    assert by_page[0] == by_page[1]


def test_a_page_is_counted_once():
    pages, _, queries = make_site(2)
    statistics = count(pages, queries)
    with pytest.raises(InputError, match=r"post/0\.html"):
        statistics.merge(count(pages[:1], queries))


def test_a_sample_does_not_depend_on_the_order():
    def sampled(names):
        sample = PageSample[str](3)
        for number, name in enumerate(names):
            sample.offer(number, name, name.upper)
        return sorted(sample.kept.values())

    names = [f"page-{k}" for k in range(30)]
    assert sampled(names) == sampled(names[::-1])
    assert len(sampled(names)) == 3
