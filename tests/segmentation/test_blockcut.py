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
from webgrain.segmentation.learntcut import (
    Chances,
    Costs,
    best_cut,
    cut,
    energy,
    expect,
    join_remaining,
)
from webgrain.segmentation.solvers import treedp

UNITS = leaf_outline(read(BLOG))


def chances_of(units, seed):
    rng = np.random.default_rng(seed)
    opened = np.zeros(len(units))
    opened[units.inner] = rng.random(len(units.inner))
    return Chances(opened, *rng.random((3, len(units))))


def cuts(units, u=0):
    """All cuts of the units from u on, as lists of the closed ones."""
    below = [[]]
    for child in np.flatnonzero(units.parent == u).tolist():
        below = [one + two for one in below for two in cuts(units, child)]
    return [[u], *below] if units.leaves[u] > 1 else [[u]]


def cost_of(costs, units, closed):
    """The cost of a cut: of its segments and of the units around them."""
    return costs.closed[closed].sum() + costs.opened[around(units, closed)].sum()


def around(units, closed):
    """The units that are opened in a cut with these segments."""
    above = set()
    for u in closed:
        while units.parent[u] >= 0:
            u = int(units.parent[u])
            above.add(u)
    return sorted(above)


def random_costs(seed):
    rng = np.random.default_rng(seed)
    return Costs(rng.normal(size=len(UNITS)), 0.3 * rng.random(len(UNITS)))


@pytest.mark.parametrize("seed", range(5))
def test_the_cut_is_the_best_of_all(seed):
    costs = random_costs(seed)
    labels = cut(UNITS, costs)
    closed = np.flatnonzero(labels == np.arange(len(labels)))
    least = min(cost_of(costs, UNITS, one) for one in cuts(UNITS))
    assert cost_of(costs, UNITS, closed) == pytest.approx(least)


@pytest.mark.parametrize("seed", range(5))
def test_the_energy_is_that_of_gcuts_and_its_minimum_is_proven(seed):
    costs = random_costs(seed)
    labels = cut(UNITS, costs)
    shown = cut_problem(UNITS, costs)
    found = certified(shown)
    assert labelling_energy(shown, np.minimum(labels, 0)) == pytest.approx(energy(labels, costs))
    assert found.energy == pytest.approx(found.lower_bound)
    assert found.energy == pytest.approx(energy(labels, costs))


def by_hand(expected, units, closed):
    """The expected index and F1 of a cut."""
    a, b = expected.together[closed].sum(), expected.pairs[closed].sum()
    chance = expected.total / expected.pairs[0]
    segments = expected.alone[closed].sum() + expected.remaining[around(units, closed)].sum()
    index = (a - b * chance) / ((b + expected.total) / 2 - b * chance)
    return index, 2.0 * expected.right[closed].sum() / (segments + expected.marks)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weight", [0.0, 0.1])
def test_no_cut_has_a_greater_expected_agreement(weight, seed, monkeypatch):
    monkeypatch.setattr(thresholds, "INDEX_WEIGHT", weight)
    expected = expect(UNITS, chances_of(UNITS, seed))

    def agreement(closed):
        index, f1 = by_hand(expected, UNITS, closed)
        return weight * index + (1.0 - weight) * f1

    labels = cut(UNITS, best_cut(UNITS, expected)[0].costs(expected))
    best = agreement(np.flatnonzero(labels == np.arange(len(labels))))
    assert best == pytest.approx(max(agreement(one) for one in cuts(UNITS)))


@pytest.mark.parametrize("seed", range(5))
def test_without_shift_no_cut_has_a_greater_expected_index(seed, monkeypatch):
    monkeypatch.setattr(thresholds, "RATE_SHIFT", 0.0)
    monkeypatch.setattr(thresholds, "MAX_RATE", np.inf)
    expected = expect(UNITS, chances_of(UNITS, seed))
    _, rate = best_cut(UNITS, expected)
    cost = rate * expected.pairs - expected.together
    labels = cut(UNITS, Costs(cost, np.zeros(len(UNITS))))
    best, _ = by_hand(expected, UNITS, np.flatnonzero(labels == np.arange(len(labels))))
    assert best == pytest.approx(max(by_hand(expected, UNITS, one)[0] for one in cuts(UNITS)))


@pytest.mark.parametrize("seed", range(5))
def test_compiled_prices_are_those_of_the_plain_program(seed):
    plain, expected = uncompiled("segmentation.solvers.treedp"), expect(UNITS, chances_of(UNITS, seed))
    tree, pairs = (UNITS.parent, UNITS.end), (expected.pairs, expected.together)
    counts = expected.right, expected.alone, expected.remaining
    totals = expected.total, expected.marks
    for solver in (treedp, plain):
        rate = solver.best_rate(tree, *pairs, expected.total, 0.05, 0.9, 30)
        prices = solver.best_prices(tree, *pairs, counts, totals, rate, 0.1, 30)
        chosen, rate_of_cut = best_cut(UNITS, expected)
        assert (*prices, rate) == pytest.approx((*chosen, rate_of_cut))


def test_the_expected_numbers_are_those_of_sampled_pages():
    units, rng = leaf_outline(read("<div><p>1<p>2</div><p>3")), np.random.default_rng(0)
    chances = Chances(np.array([0.9, 0.5, 0, 0, 0]), np.zeros(5), np.zeros(5), rng.random(5))
    right, n = np.zeros(5), 20_000
    for opened, marked in zip(
        rng.random((n, 5)) < chances.opened, rng.random((n, 5)) < chances.marked, strict=True
    ):
        for u in range(5):
            above = [units.parent[u]] if u else []
            while above and above[-1] > 0:
                above.append(units.parent[above[-1]])
            right[u] += marked[u] and not opened[u] and all(opened[v] for v in above)
    assert expect(units, chances).right == pytest.approx(right / n, abs=0.02)
    assert expect(units, chances).marks == pytest.approx(chances.marked.sum())


def test_leaves_that_leave_a_unit_are_part_of_one_remaining_segment():
    units = leaf_outline(read("<p>1<p>2<p>3"))
    joins = np.array([0.0, 0.5, 0.5, 0.0])
    expected = expect(units, Chances(np.array([1.0, 0, 0, 0]), joins, np.zeros(4), np.ones(4)))
    assert expected.alone.tolist() == [1.0, 0.5, 0.5, 1.0]
    assert expected.remaining == pytest.approx([0.75, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(5))
def test_cuts_by_granularity_are_nested(seed):
    expected = expect(UNITS, chances_of(UNITS, seed))
    prices, _ = best_cut(UNITS, expected)
    opened = [cut(UNITS, prices.costs(expected, g)) < 0 for g in [*np.linspace(0.0, 1.0, 41), 1.0 - 1e-12]]
    assert all((coarse <= fine).all() for coarse, fine in pairwise([*opened[:-2], opened[-1], opened[-2]]))
    assert not opened[0].any()
    assert opened[-2][UNITS.inner].all()


def test_the_remaining_leaves_of_a_unit_are_one_segment():
    units = leaf_outline(read("<p>1<p>2<p>3<p>4"))
    opened = np.array([1.0, 0, 0, 0, 0])
    joins = np.array([0.0, 0.9, 0.9, 0.1, 0.1])
    chances = Chances(opened, joins, np.zeros(5), np.ones(5))
    expected = expect(units, chances)
    labels = cut(units, Costs(0.5 * expected.pairs - expected.together, np.zeros(len(units))))
    assert labels.tolist() == [-1, 1, 2, 3, 4]
    assert join_remaining(units, chances, expected, labels, 0.5).tolist() == [-1, 1, 1, 3, 4]
    assert join_remaining(units, chances, expected, labels, 0.85).tolist() == [-1, 1, 2, 3, 4]


def test_leaves_on_both_sides_of_another_segment_are_two_segments():
    units = leaf_outline(read("<p>1<p>2<p>3<p>4"))
    chances = Chances(
        np.array([1.0, 0, 0, 0, 0]), np.array([0.0, 0.9, 0.1, 0.9, 0.9]), np.zeros(5), np.ones(5)
    )
    expected = expect(units, chances)
    labels = cut(units, Costs(0.5 * expected.pairs - expected.together, np.zeros(len(units))))
    assert join_remaining(units, chances, expected, labels, 0.5).tolist() == [-1, 1, 2, 3, 3]


def test_remaining_leaves_belong_to_a_higher_segment():
    units = leaf_outline(read("<div><p>1<p>2</div><p>3<p>4"))  # page, div, 1, 2, 3, 4
    opened, joins = np.array([1.0, 1, 0, 0, 0, 0]), np.array([0, 0, 0.1, 0.9, 0.9, 0.0])
    for passes, expected_labels in ((1.0, [-1, -1, 2, 3, 3, 5]), (0.0, [-1, -1, 2, 3, 4, 5])):
        chances = Chances(opened, joins, np.full(6, passes), np.ones(6))
        expected = expect(units, chances)
        labels = cut(units, Costs(0.5 * expected.pairs - expected.together, np.zeros(len(units))))
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
            chances = Chances(*rng.random((4, size)).round(1))
            expected = SomeExpected(*rng.random((3, size)).round(1))
            labels = np.where(leaves == 1, np.arange(size), -1).astype(np.int32)
            known = expected.reach, expected.cover, expected.out
            found = solver.joined_children(end, labels, leaves, chances[:3], known, 0.3)
            assert found.tolist() == reference.joined_children(units, chances, expected, labels, 0.3).tolist()
