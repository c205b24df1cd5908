from __future__ import annotations

import numpy as np
import pytest

from webgrain.duplicates.search import clusters


def by_hand(pairs: list[tuple[int, int]]) -> dict[int, int]:
    groups: list[set[int]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched] + [set(pair).union(*touched)]
    return {page: min(group) for group in groups for page in group}


@pytest.mark.parametrize("seed", range(30))
def test_clusters_are_the_connected_components(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = np.sort(rng.integers(60, size=(int(rng.integers(60)), 2)), axis=1).T
    found = clusters(a, b)
    assert dict(zip(found.page.tolist(), found.representative.tolist(), strict=True)) == by_hand(
        list(zip(a.tolist(), b.tolist(), strict=True))
    )
    assert found.of(b).tolist() == found.of(a).tolist()


def test_a_long_chain_is_one_cluster() -> None:
    order = np.random.default_rng(0).permutation(5000)
    assert set(clusters(order, order + 1).representative.tolist()) == {0}


def test_no_pairs_no_clusters() -> None:
    none = np.zeros(0, np.int64)
    assert len(clusters(none, none).page) == 0
