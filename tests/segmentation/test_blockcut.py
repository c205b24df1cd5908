from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from tests.papers.reference import certified, cut_problem
from tests.segmentation import reference
from tests.segmentation.pages import BLOG, read
from tests.uncompiled import uncompiled

from webgrain.page.outline import leaf_outline
from webgrain.papers.solvers.treepotts import labelling_energy
from webgrain.segmentation import thresholds
from webgrain.segmentation.learntcut import Chances, best_rate, cut, expect, join_remaining, rate_at
from webgrain.segmentation.solvers import treedp

UNITS = leaf_outline(read(BLOG))


def chances_of(units, seed):
    rng = np.random.default_rng(seed)
    opened = np.zeros(len(units))
    opened[units.inner] = rng.random(len(units.inner))
    return Chances(opened, *rng.random((2, len(units))))


def cuts(units, u=0):
    """All cuts of the units from u on, as lists of the closed ones."""
    below = [[]]
    for child in np.flatnonzero(units.parent == u).tolist():
        below = [one + two for one in below for two in cuts(units, child)]
    return [[u], *below] if units.leaves[u] > 1 else [[u]]


@pytest.mark.parametrize("seed", range(5))
def test_the_cut_is_the_best_of_all(seed):
    cost = np.random.default_rng(seed).normal(size=len(UNITS))
    labels = cut(UNITS, cost)
    closed = np.flatnonzero(labels == np.arange(len(labels)))
    assert cost[closed].sum() == pytest.approx(min(cost[one].sum() for one in cuts(UNITS)))


@pytest.mark.parametrize("seed", range(5))
def test_the_energy_is_that_of_gcuts_and_its_minimum_is_proven(seed):
    cost = np.random.default_rng(seed).normal(size=len(UNITS))
    labels = cut(UNITS, cost)
    closed = np.flatnonzero(labels == np.arange(len(labels)))
    shown = cut_problem(UNITS, cost)
    found = certified(shown)
    assert labelling_energy(shown, np.minimum(labels, 0)) == pytest.approx(cost[closed].sum() - cost[0])
    assert found.energy == pytest.approx(found.lower_bound)
    assert found.energy == pytest.approx(cost[closed].sum() - cost[0])


@pytest.mark.parametrize("seed", range(5))
def test_without_shift_no_cut_has_a_greater_expected_index(seed, monkeypatch):
    monkeypatch.setattr(thresholds, "RATE_SHIFT", 0.0)
    monkeypatch.setattr(thresholds, "MAX_RATE", np.inf)
    expected = expect(UNITS, chances_of(UNITS, seed))
    total, among = expected.total, expected.pairs[0]

    def index(closed):
        a, b = expected.together[closed].sum(), expected.pairs[closed].sum()
        return (a - b * total / among) / ((b + total) / 2 - b * total / among)

    labels = cut(UNITS, expected.cost(best_rate(UNITS, expected)))
    best = index(np.flatnonzero(labels == np.arange(len(labels))))
    assert best == pytest.approx(max(index(one) for one in cuts(UNITS)))


@pytest.mark.parametrize("seed", range(5))
def test_cuts_by_rate_are_nested(seed):
    expected = expect(UNITS, chances_of(UNITS, seed))
    opened = [cut(UNITS, expected.cost(rate)) < 0 for rate in np.linspace(0.0, 1.0, 21)]
    assert all((coarse <= fine).all() for coarse, fine in pairwise(opened))
    assert not opened[0].any()
    assert opened[-1][UNITS.inner].all()


def test_rates_increase_from_zero_to_one():
    assert [rate_at(g, 0.3) for g in (0.0, 0.25, 0.5, 0.75, 1.0)] == pytest.approx([0, 0.15, 0.3, 0.65, 1])


def test_the_remaining_leaves_of_a_unit_are_one_segment():
    units = leaf_outline(read("<p>1<p>2<p>3<p>4"))
    opened = np.array([1.0, 0, 0, 0, 0])
    joins = np.array([0.0, 0.9, 0.9, 0.1, 0.1])
    chances = Chances(opened, joins, np.zeros(5))
    expected = expect(units, chances)
    labels = cut(units, expected.cost(0.5))
    assert labels.tolist() == [-1, 1, 2, 3, 4]
    assert join_remaining(units, chances, expected, labels, 0.5).tolist() == [-1, 1, 1, 3, 4]
    assert join_remaining(units, chances, expected, labels, 0.85).tolist() == [-1, 1, 2, 3, 4]


def test_leaves_on_both_sides_of_another_segment_are_two_segments():
    units = leaf_outline(read("<p>1<p>2<p>3<p>4"))
    chances = Chances(np.array([1.0, 0, 0, 0, 0]), np.array([0.0, 0.9, 0.1, 0.9, 0.9]), np.zeros(5))
    expected = expect(units, chances)
    labels = cut(units, expected.cost(0.5))
    assert join_remaining(units, chances, expected, labels, 0.5).tolist() == [-1, 1, 2, 3, 3]


def test_remaining_leaves_belong_to_a_higher_segment():
    units = leaf_outline(read("<div><p>1<p>2</div><p>3<p>4"))  # page, div, 1, 2, 3, 4
    opened, joins = np.array([1.0, 1, 0, 0, 0, 0]), np.array([0, 0, 0.1, 0.9, 0.9, 0.0])
    for passes, expected_labels in ((1.0, [-1, -1, 2, 3, 3, 5]), (0.0, [-1, -1, 2, 3, 4, 5])):
        chances = Chances(opened, joins, np.full(6, passes))
        expected = expect(units, chances)
        labels = cut(units, expected.cost(0.5))
        assert join_remaining(units, chances, expected, labels, 0.5).tolist() == expected_labels


@dataclass
class SomeUnits:
    child: np.ndarray
    first: np.ndarray
    last: np.ndarray
    leaves: np.ndarray

    def __len__(self):
        return len(self.leaves)


class SomeExpected(NamedTuple):
    reach: np.ndarray
    cover: np.ndarray
    out: np.ndarray


@pytest.mark.parametrize("solver", [treedp, uncompiled("segmentation.solvers.treedp")])
def test_children_join_as_by_array_operations(solver):
    rng = np.random.default_rng(2)
    for size in (3, 12, 40, 200):
        for _ in range(8):
            parent, path = np.full(size, -1), [0]
            for k in range(1, size):
                path = path[: int(rng.integers(1, min(len(path), 3) + 1))]  # many children for each
                parent[k] = path[-1]
                path.append(k)
            end = np.arange(1, size + 1, dtype=np.int32)
            for u in range(size - 1, 0, -1):
                end[parent[u]] = max(end[parent[u]], end[u])
            child = np.argsort(parent, kind="stable")[1:]
            places = np.searchsorted(parent[child], np.arange(size + 1))
            leaves = (places[1:] == places[:-1]).astype(np.float64)
            for u in range(size - 1, 0, -1):
                leaves[parent[u]] += leaves[u]
            units = SomeUnits(child, places[:-1], places[1:], leaves)
            chances = Chances(*rng.random((3, size)).round(1))
            expected = SomeExpected(*rng.random((3, size)).round(1))
            labels = np.where(leaves == 1, np.arange(size), -1).astype(np.int32)
            known = expected.reach, expected.cover, expected.out
            found = solver.joined_children(end, labels, leaves, chances, known, 0.3)
            assert found.tolist() == reference.joined_children(units, chances, expected, labels, 0.3).tolist()
