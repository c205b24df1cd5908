from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import load_source

from webgrain.papers.solvers import neighbours


def run(sweep, seed, tries=4096):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    near, low = rng.integers(0, 50, (2, n)).astype(float)
    far, high = near + rng.integers(0, 9, n), low + rng.integers(0, 9, n)
    order = np.argsort(near, kind="stable").astype(np.int32)
    first = np.searchsorted(near[order], far).astype(np.int32)
    out = np.empty(n, np.int32)
    sweep(near, far, low, high, order, first, 20.0, 1.0, tries, out)
    return out.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_compiled_and_uncompiled_agree(seed, monkeypatch):
    twin = load_source(monkeypatch, "papers.solvers.neighbours")
    assert not twin.COMPILED
    assert run(neighbours.sweep, seed) == run(twin.sweep, seed)


@pytest.mark.parametrize("tries", [1, 3])
def test_the_number_of_boxes_of_a_search_is_limited(tries):
    # Box 0 looks right along a row of boxes of which only the last one, number 3, is at its height.
    near = np.array([0.0, 5, 6, 7])
    low, high = np.array([0.0, 50, 50, 0]), np.array([9.0, 59, 59, 9])
    order, first = np.arange(4, dtype=np.int32), np.array([1, 4, 4, 4], np.int32)
    out = np.empty(4, np.int32)
    neighbours.sweep(near, near + 1, low, high, order, first, 99.0, 1.0, tries, out)
    assert out[0] == (3 if tries == 3 else -1)
