"""A metric under which points of one segment lie closer together than points of others of the same page.

Source: Weinberger, Blitzer, Saul, Distance metric learning for large margin nearest neighbor classification,
NIPS 2005: [19] in Chakrabarti, Kumar, Punera, WWW 2008, section 4.3, which learns its D so.

    paper                   here         shape, unit
    x_i, y_i                x, segment   (n, d), (n,)
    L                       transform    (d, d); distance of x and y = |L (x - y)|
    eta_ij = 1, targets     near         (t, 2) points i, j of one segment
    y_il = 0, impostors     far          (m, 2) points i, l of different segments
    weight of the hinge     mu           mu / (1 - mu) is the paper's c

    loss(L) = (1 - mu) sum_near |L (x_i - x_j)|^2
                + mu sum_near sum_far of i [1 + |L (x_i - x_j)|^2 - |L (x_i - x_l)|^2]_+
    gradient = 2 L G
    G = (1 - mu) sum_near d_ij d_ij' + mu (sum_near n_ij d_ij d_ij' - sum_far n_il d_il d_il')

with d_ij = x_i - x_j and n the number of active triplets that a pair is in: two products of matrices a step.

Departures:
  - Only points of the same page are compared: pairs across pages say nothing about segments.
  - L is found by L-BFGS from the identity instead of L'L by semidefinite programming; with L the loss is not
    convex, in return any size is quick. L may be diagonal.
  - Only the nearest points of other segments count, found anew after every 10 steps.

Cost: a sort of all distances within each page per 10 steps, memory 16 p^2 bytes for a page of p points; per
step (t + m) d^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain._extras import require
from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]

STEPS = 10
"""Steps of L-BFGS between two searches for impostors."""


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Pairs of points that are to be near, pairs that are to be far, and which of them share their point i.

    Attributes:
        near, far: (t, d), (m, d) differences of the pairs.
        of_near, of_far: (s,) places among these, a triplet each.
    """

    near: Floats
    far: Floats
    of_near: Integers
    of_far: Integers

    def loss(self, transform: Floats, mu: float) -> tuple[float, Floats]:
        """Return the loss at L, and its gradient. transform: (d, d), or (d,) the diagonal of one.

        >>> one = Triplets(np.array([[1.0]]), np.array([[1.0]]), np.array([0]), np.array([0]))
        >>> one.loss(np.array([2.0]), mu=0.5)  # 4 / 2 + (1 + 4 - 4) / 2
        (2.5, array([2.]))
        """
        near, far = _square_length(self.near, transform), _square_length(self.far, transform)
        hinge = 1.0 + near[self.of_near] - far[self.of_far]
        active = hinge > 0
        pull = 1.0 - mu + mu * np.bincount(self.of_near[active], minlength=len(near))
        push = mu * np.bincount(self.of_far[active], minlength=len(far))
        value = (1.0 - mu) * float(near.sum()) + mu * float(hinge[active].sum())
        if transform.ndim == 1:
            return value, 2.0 * transform * (pull @ self.near**2 - push @ self.far**2)
        gram = self.near.T @ (pull[:, None] * self.near) - self.far.T @ (push[:, None] * self.far)
        return value, 2.0 * transform @ gram


def learn_metric(
    x: Floats,
    segment: NDArray[np.integer],
    page: NDArray[np.integer],
    *,
    diagonal: bool = False,
    mu: float = 0.5,
    n_targets: int = 3,
    n_impostors: int = 10,
    max_rounds: int = 5,
) -> Floats:
    """Return L (d, d), by which ``x @ L.T`` has points of one segment together; the same for the same input.

    x (n, d): features of comparable spread, small against the margin of 1 together: standardised and divided
    by sqrt(d), say; segment (n,): id within the page, negative where a point is in none: it is left out;
    page (n,): id. diagonal: weigh features only, L >= 0; n_targets, n_impostors: neighbours of a point that
    count; max_rounds: of `STEPS` steps each. Without two segments on some page, one of them of two points,
    there is nothing to learn: the identity. `ParameterError` for arrays or parameters that are none of this;
    `MissingExtraError` without SciPy.

    >>> x = np.array([[0.0, 0], [0, 2], [1, 0], [1, 2]])  # the second feature says nothing
    >>> L = learn_metric(x, np.array([0, 0, 1, 1]), np.zeros(4, int), diagonal=True)
    >>> bool(L[0, 0] > 10 * L[1, 1])
    True
    """
    x = _checked(x, segment, page, mu, (n_targets, n_impostors, max_rounds))
    segment, page = np.asarray(segment), np.asarray(page)
    known = segment >= 0
    x, segment, page = x[known], segment[known], page[known]
    transform = np.ones(x.shape[1]) if diagonal else np.eye(x.shape[1])
    targets = neighbours(x, segment, page, n_targets, same=True)
    best, least = transform, np.inf
    for k in range(max_rounds + 1):
        moved = x * transform if diagonal else x @ transform.T
        triplets = _triplets(x, targets, neighbours(moved, segment, page, n_impostors, same=False))
        if not len(triplets.of_near):
            break
        value = triplets.loss(transform, mu)[0]
        if value < least:
            best, least = transform, value
        if k < max_rounds:
            transform = _descend(triplets, transform, mu)
    return np.diag(np.abs(best)) if diagonal else best


def neighbours(
    x: Floats, segment: NDArray[np.integer], page: NDArray[np.integer], k: int, *, same: bool
) -> Integers:
    """Return pairs (m, 2) of each point and its k nearest, sorted by the first, the nearest first.

    same: whether they are of the point's own segment or of another one; of its page in any case. Of points
    equally near, the first count.

    >>> x, segment = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> neighbours(x, segment, np.zeros(3, int), 1, same=True).tolist()
    [[0, 1], [1, 0]]
    >>> neighbours(x, segment, np.zeros(3, int), 1, same=False).tolist()
    [[0, 2], [1, 2], [2, 1]]
    """
    pairs = [np.empty((0, 2), np.intp)]
    for name in np.unique(page):
        rows = np.flatnonzero(page == name)
        z = x[rows]
        square = (z * z).sum(axis=1)
        apart = square[:, None] + square - 2.0 * z @ z.T
        allowed = (segment[rows][:, None] == segment[rows]) == same
        np.fill_diagonal(allowed, val=False)
        order = np.where(allowed, apart, np.inf).argsort(axis=1, kind="stable")[:, :k]
        place, column = np.nonzero(np.take_along_axis(allowed, order, axis=1))
        pairs.append(np.stack([rows[place], rows[order[place, column]]], axis=1))
    found = np.concatenate(pairs)
    return found[found[:, 0].argsort(kind="stable")]


def _triplets(x: Floats, near: Integers, far: Integers) -> Triplets:
    """Join the pairs by their first point; both are sorted by it."""
    first, last = (far[:, 0].searchsorted(near[:, 0], side) for side in ("left", "right"))
    count = last - first
    of_near = np.repeat(np.arange(len(near)), count)
    within = np.arange(len(of_near)) - np.repeat(count.cumsum() - count, count)
    return Triplets(
        x[near[:, 0]] - x[near[:, 1]], x[far[:, 0]] - x[far[:, 1]], of_near, first[of_near] + within
    )


def _square_length(difference: Floats, transform: Floats) -> Floats:
    moved = difference * transform if transform.ndim == 1 else difference @ transform.T
    length: Floats = np.einsum("ij,ij->i", moved, moved)
    return length


def _descend(triplets: Triplets, transform: Floats, mu: float) -> Floats:
    def function(flat: Floats) -> tuple[float, Floats]:
        value, gradient = triplets.loss(flat.reshape(transform.shape), mu)
        return value, gradient.ravel()

    minimize = require("scipy.optimize", "learn", "metric learning").minimize
    found = minimize(function, transform.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    result: Floats = found.x.reshape(transform.shape)
    return result


def _checked(
    x: Floats,
    segment: NDArray[np.integer],
    page: NDArray[np.integer],
    mu: float,
    counts: tuple[int, int, int],
) -> Floats:
    x = np.asarray(x, np.float64)
    if x.ndim != 2 or np.shape(segment) != (len(x),) or np.shape(page) != (len(x),):
        shapes = ", ".join(str(np.shape(array)) for array in (x, segment, page))
        raise ParameterError(f"learn_metric expects x (n, d), segment (n,) and page (n,), got {shapes}.")
    if not np.isfinite(x).all():
        raise ParameterError("learn_metric expects finite features, got some that are not.")
    if not 0.0 < mu < 1.0:
        raise ParameterError(f"learn_metric: mu must be between 0 and 1, got {mu!r}.")
    if min(counts) < 1:
        raise ParameterError(
            f"learn_metric: n_targets, n_impostors and max_rounds must be at least 1, got {counts}."
        )
    return x
