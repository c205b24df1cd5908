"""What is learnt of a template, by arrays of all pages, against the same leaf by leaf and node by node."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.templates import reference
from tests.templates.pages import random_page
from tests.templates.test_noisekernel import made_up
from tests.uncompiled import uncompiled

from webgrain.page.parsing import parse
from webgrain.templates import matchkernel
from webgrain.templates.leaffeatures import LeafKeys
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.statistics import learn_statistics
from webgrain.templates.structure import learn_structure


def check(pages):
    """Compare noise and statistics of the template of pages."""
    template, places = learn_structure(pages)
    statistics = reference.learn_statistics(template, pages, places)
    np.testing.assert_array_equal(learn_statistics(template, pages, places), statistics)
    for params in ({}, {"words": False, "controls": False}, {"self_links": False, "least_pages": 1}):
        method = SiteTemplate(**params)
        noise = method._learn_noise(template, pages, places, list(map(LeafKeys.of, pages)))
        expected = reference.learn_noise(method, template, pages, places)
        assert list(map(list, noise.values())) == list(map(list, expected.values()))
        assert noise == expected


def test_random_pages():
    rng = random.Random(5)
    for _ in range(8):
        check([random_page(rng) for _ in range(6)])


def test_pages_with_all_sorts_of_features():
    check([parse(made_up(n, "https://a.example/b/")) for n in range(6)])


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    check([parse(source) for source in islice(pages.sources(), 8)])


@pytest.mark.parametrize("kernel", [matchkernel, uncompiled("templates.matchkernel")])
def test_bits_that_shapes_share(kernel):
    rng = np.random.default_rng(1)
    shape = rng.integers(0, 2**64, (40, 4), np.uint64) | rng.integers(0, 2**64, (40, 4), np.uint64)
    places = rng.permutation(40)
    start = np.array([0, 0, 1, 4, 20, 40])
    shared = kernel.shared_bits(shape, places, start, 0.8)
    for group, bits in enumerate(shared):
        shapes = shape[places[start[group] : start[group + 1]]]
        assert bits.tolist() == reference.bits_of(shapes).tolist()
