"""pq-grams: pages as sets of small pieces of their trees, put together by shingles of these.

Source: Augsten, Böhlen, Gamper, Approximate matching of hierarchical data using pq-grams, VLDB 2005; as the
baseline of Chakrabarti, Mehta, The paths more taken, WWW 2010, section 4.1: (p, q) = (2, 3) and others.

    paper            here                     shape, unit
    p, q             p, q                     nodes upwards from a node, children beside each other
    index of a tree  `gram_set`               (g,) uint64 keys; a set, as for paths
    distance         `gram_distance`          0..1

Departure: texts are left out, as they are no steps of paths.

Cost: a pass over the nodes, q + 1 keys for each.
"""

from __future__ import annotations

import numpy as np

from webgrain.arrays import UInt64
from webgrain.errors import ParameterError
from webgrain.page.dom import Dom
from webgrain.page.paths import step_of, tag_key, text_key
from webgrain.pagetypes.pqkernel import pq_grams


def gram_set(dom: Dom, p: int = 2, q: int = 3, *, attributes: bool = False) -> UInt64:
    """Return the keys of the distinct pq-grams of a page; attributes: with ids and classes.

    `ParameterError` unless p and q are at least 1.

    >>> from webgrain.page.parsing import parse_html
    >>> len(gram_set(parse_html("<p>"), 1, 1))  # (html, head), (html, body), (head, -), (body, p), (p, -)
    5
    """
    if min(p, q) < 1:
        raise ParameterError(f"p and q must be at least 1, got {p} and {q}.")
    if attributes:
        elements = range(len(dom))
        label = np.array(
            [0 if dom.tag[i] == 0 else text_key(step_of(dom, i).css) for i in elements], np.uint64
        )
    else:
        label = np.array([tag_key(tag) for tag in dom.tags], np.uint64)[dom.tag]
    return np.unique(pq_grams(dom.parent, dom.end, label, p, q))


def gram_distance(a: UInt64, b: UInt64) -> float:
    """Return the pq-gram distance of two sets, 0..1: 1 - 2 |a ∩ b| / (|a| + |b|).

    >>> gram_distance(np.array([1, 2], np.uint64), np.array([2, 3], np.uint64))
    0.5
    """
    return 1 - 2 * len(np.intersect1d(a, b)) / max(len(a) + len(b), 1)
