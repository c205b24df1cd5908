"""Alignments against exhaustive search, and the same file run uncompiled."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.uncompiled import uncompiled

from webgrain.papers import alignment

items = st.lists(st.integers(0, 3), max_size=5)
TRIALS = 20


@pytest.fixture(
    params=[alignment, uncompiled("papers.alignment")], ids=["as installed", "uncompiled"], scope="module"
)
def kernel(request):
    return request.param


def common_subsequences(a, b):
    for size in range(min(len(a), len(b)) + 1):
        for left in combinations(range(len(a)), size):
            for right in combinations(range(len(b)), size):
                if all(a[i] == b[j] for i, j in zip(left, right, strict=True)):
                    yield list(zip(left, right, strict=True))


@settings(max_examples=TRIALS, deadline=None)
@given(a=items, b=items, seed=st.integers(0, 9))
def test_no_common_subsequence_is_heavier(kernel, a, b, seed):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 5, len(a)).astype(float), rng.integers(0, 5, len(b)).astype(float)
    one, two = np.array(a, np.int32), np.array(b, np.int32)
    pairs = kernel.heaviest_common(one, two, left, right).tolist()
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    best = max(sum(left[i] + right[j] for i, j in found) for found in common_subsequences(a, b))
    assert sum(left[i] + right[j] for i, j in pairs) == best
    assert kernel.common_length(one, two) == max(map(len, common_subsequences(a, b)))


@settings(max_examples=TRIALS, deadline=None)
@given(a=st.lists(st.integers(0, 2), max_size=5), pattern=st.lists(st.integers(0, 2), max_size=3))
def test_no_assignment_places_more(kernel, a, pattern):
    weight = np.arange(1.0, len(a) + 1)
    places = kernel.assign(np.array(a, np.int32), weight, np.array(pattern, np.int32)).tolist()
    assert fits(a, pattern, places)
    choices = (tried for tried in product(range(-1, len(pattern)), repeat=len(a)) if fits(a, pattern, tried))
    best = max((placed(weight, tried) for tried in choices), default=0.0)
    assert placed(weight, places) == best


def fits(a, pattern, places):
    used = [place for place in places if place >= 0]
    alike = all(place < 0 or pattern[place] == item for item, place in zip(a, places, strict=True))
    return alike and used == sorted(used)


def placed(weight, places):
    return sum(mass for mass, place in zip(weight, places, strict=True) if place >= 0)
