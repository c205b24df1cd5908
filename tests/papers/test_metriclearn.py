"""The metric against its definition, triplet by triplet, and against data of which the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad, linprog

from webgrain.papers.weightlearning import _triplets, learn_metric, neighbours


def clusters(random_state=0, pages=4, segments=6, points=12, informative=4, junk=4):
    """Points around the centres of segments, the second half of the features being noise."""
    rng = np.random.default_rng(random_state)
    n = pages * segments * points
    page, segment = np.divmod(np.arange(n) // points, segments)
    centre = rng.normal(size=(pages, segments, informative))
    useful = centre[page, segment] + 0.25 * rng.normal(size=(n, informative))
    x = np.hstack([useful, 1.5 * rng.normal(size=(n, junk))])
    shuffled = rng.permutation(n)
    return x[shuffled] / np.sqrt(x.shape[1]), segment[shuffled], page[shuffled]


def brute_loss(x, segment, page, transform, mu, targets, impostors):
    """The loss as it is printed: a sum over triplets of points, each counted by its neighbours' ranks."""

    def length(i, j):
        return float(((transform @ (x[i] - x[j])) ** 2).sum())

    def nearest(i, k, same, distance):
        others = [j for j in range(len(x)) if j != i and page[j] == page[i]]
        others = [j for j in others if (segment[j] == segment[i]) == same]
        return sorted(others, key=lambda j: distance(i, j))[:k]

    def euclidean(i, j):
        return float(((x[i] - x[j]) ** 2).sum())

    total = 0.0
    for i in range(len(x)):
        for j in nearest(i, targets, True, euclidean):
            total += (1 - mu) * length(i, j)
            for other in nearest(i, impostors, False, length):
                total += mu * max(0.0, 1.0 + length(i, j) - length(i, other))
    return total


def triplets_at(x, segment, page, transform, targets=3, impostors=10):
    near = neighbours(x, segment, page, targets, same=True)
    return _triplets(x, near, neighbours(x @ transform.T, segment, page, impostors, same=False))


def accuracy(x, segment, page):
    """Share of points whose nearest neighbour of their page is of their segment."""
    right = 0
    for i in range(len(x)):
        apart = np.where(page == page[i], ((x - x[i]) ** 2).sum(axis=1), np.inf)
        apart[i] = np.inf
        right += segment[apart.argmin()] == segment[i]
    return right / len(x)


@pytest.mark.parametrize(("targets", "impostors"), [(1, 1), (3, 10), (50, 50)])
def test_loss_is_the_sum_over_all_triplets(targets, impostors):
    x, segment, page = clusters(pages=2, segments=3, points=5)
    transform = np.random.default_rng(1).normal(size=(8, 8))
    value, _ = triplets_at(x, segment, page, transform, targets, impostors).loss(transform, 0.3)
    expected = brute_loss(x, segment, page, transform, 0.3, targets, impostors)
    np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_a_diagonal_has_the_loss_of_its_matrix():
    x, segment, page = clusters()
    scale = np.linspace(0.2, 2.0, 8)
    triplets = triplets_at(x, segment, page, np.diag(scale))
    short, full = triplets.loss(scale, 0.5), triplets.loss(np.diag(scale), 0.5)
    np.testing.assert_allclose(short[0], full[0])
    np.testing.assert_allclose(short[1], np.diag(full[1]))


@pytest.mark.parametrize("shape", [(8,), (8, 8), (3, 8)], ids=["diagonal", "full", "rank 3"])
def test_gradient_against_finite_differences(shape):
    x, segment, page = clusters(pages=2)
    transform = np.random.default_rng(2).normal(size=shape)
    triplets = triplets_at(x, segment, page, np.eye(8))

    def value(flat):
        return triplets.loss(flat.reshape(shape), 0.5)[0]

    def gradient(flat):
        return triplets.loss(flat.reshape(shape), 0.5)[1].ravel()

    scale = np.linalg.norm(gradient(transform.ravel()))
    assert scale > 1.0
    assert check_grad(value, gradient, transform.ravel()) < 1e-5 * scale


@pytest.mark.parametrize("diagonal", [True, False])
def test_informative_features_are_found(diagonal):
    x, segment, page = clusters()
    transform = learn_metric(x, segment, page, diagonal=diagonal)
    weight = (transform**2).sum(axis=0)
    assert weight[:4].min() > 3 * weight[4:].max()
    fresh, its_segment, its_page = clusters(random_state=9)
    before, after = (accuracy(z, its_segment, its_page) for z in (fresh, fresh @ transform.T))
    assert after > before + 0.2


@pytest.mark.parametrize("diagonal", [True, False])
def test_loses_less_than_the_identity(diagonal):
    x, segment, page = clusters(random_state=3)
    transform = learn_metric(x, segment, page, diagonal=diagonal)
    values = [triplets_at(x, segment, page, at).loss(at, 0.5)[0] for at in (np.eye(8), transform)]
    assert values[1] < 0.8 * values[0]


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(3))
def test_a_diagonal_comes_to_the_optimum_of_the_linear_program(seed, mu):
    """With all points of other segments as impostors, triplets are fixed and the loss is linear in L'L."""
    x, segment, page = clusters(random_state=seed, pages=1, segments=3, points=5, informative=2, junk=2)
    triplets = triplets_at(x, segment, page, np.eye(4), targets=3, impostors=len(x))
    near, far = triplets.near**2, triplets.far**2
    n = len(triplets.of_near)
    cost = np.concatenate([(1 - mu) * near.sum(axis=0), np.full(n, mu)])  # the weights, then the hinges
    margin = np.hstack([near[triplets.of_near] - far[triplets.of_far], -np.eye(n)])
    best = linprog(cost, A_ub=margin, b_ub=np.full(n, -1.0)).fun
    found = learn_metric(
        x, segment, page, diagonal=True, mu=mu, n_targets=3, n_impostors=len(x), max_rounds=20
    )
    assert best <= triplets.loss(np.diag(found), mu)[0] <= 1.01 * best


def test_a_diagonal_is_not_negative():
    x, segment, page = clusters(random_state=4)
    transform = learn_metric(x, segment, page, diagonal=True)
    assert (transform >= 0).all()
    assert (transform == np.diag(np.diag(transform))).all()


def test_is_the_same_for_the_same_input():
    x, segment, page = clusters()
    assert (learn_metric(x, segment, page) == learn_metric(x, segment, page)).all()


def test_points_of_other_pages_and_of_no_segment_do_not_count():
    x, segment, page = clusters(pages=2)
    alone = learn_metric(x, segment, page)
    far = np.vstack([x, x[:20] + 0.01])
    none = np.append(segment, np.full(20, -1))
    np.testing.assert_array_equal(learn_metric(far, none, np.append(page, page[:20])), alone)
    single = np.arange(20) + 100  # each on a separate page
    np.testing.assert_array_equal(
        learn_metric(far, np.append(segment, np.zeros(20)), np.append(page, single)), alone
    )


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize(
    ("x", "segment", "page"),
    [
        (np.zeros((0, 3)), [], []),
        (np.ones((1, 3)), [0], [0]),
        (np.arange(12.0).reshape(4, 3), [0, 0, 0, 0], [0, 0, 0, 0]),
        (np.arange(12.0).reshape(4, 3), [0, 1, 2, 3], [0, 0, 0, 0]),
        (np.arange(12.0).reshape(4, 3), [0, 0, 1, 1], [0, 0, 1, 1]),
        (np.arange(12.0).reshape(4, 3), [-1, -1, -1, -1], [0, 0, 0, 0]),
        (np.ones((6, 3)), [0, 0, 0, 1, 1, 1], [0] * 6),
    ],
    ids=["nothing", "a point", "one segment", "no targets", "a segment a page", "no labels", "all the same"],
)
def test_with_nothing_to_learn_it_is_the_identity(x, segment, page, diagonal):
    found = learn_metric(x, np.array(segment, int), np.array(page, int), diagonal=diagonal)
    np.testing.assert_array_equal(found, np.eye(3))
