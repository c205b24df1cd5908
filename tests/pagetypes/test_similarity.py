"""Columns of traits and merging of pages by the kernels, compiled and not, against array operations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pagetypes import reference
from tests.uncompiled import load_source

from webgrain.pagetypes import similarity


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        plain = load_source(monkeypatch, "pagetypes.similaritykernel")
        monkeypatch.setattr(similarity, "similaritykernel", plain)


@pytest.mark.parametrize(("pages", "traits"), [(0, 5), (1, 5), (2, 9), (40, 60), (40, 4)])
@pytest.mark.usefixtures("kernel")
def test_columns_of_traits(pages, traits):
    rng = np.random.default_rng(pages)
    keys = rng.integers(0, 2**64, traits, np.uint64)
    share = rng.random(traits).round(1)  # some traits of all pages, some of none, some of the same pages
    of_pages = [keys[rng.random(traits) < share] for _ in range(pages)]
    of_pages = [np.unique(np.concatenate([of_page, of_page + np.uint64(1)])) for of_page in of_pages]
    columns, expected = similarity.trait_columns(of_pages), reference.trait_columns(of_pages)
    for name in ("present", "size", "of_all"):
        np.testing.assert_array_equal(getattr(columns, name), getattr(expected, name), name)
        assert getattr(columns, name).dtype == getattr(expected, name).dtype
    assert [column.tolist() for column in columns.keys] == [column.tolist() for column in expected.keys]


@pytest.mark.parametrize("size", [0, 1, 2, 30])
@pytest.mark.parametrize("least", [0.0, 0.4, 0.6, 1.0])
@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.usefixtures("kernel")
def test_groups_of_pages(size, least, digits):
    probability = np.random.default_rng(size).random((size, size)).round(digits)
    probability = (probability + probability.T) / 2
    groups = similarity.average_linkage(probability, least)
    np.testing.assert_array_equal(groups, reference.average_linkage(probability, least))
    assert groups.dtype == np.int64
