"""What the kernels of segmentation features compute, by array operations on each column."""

from __future__ import annotations

import numpy as np

from webgrain.page.dom import ancestor_sum
from webgrain.page.kernels.treepass import innermost
from webgrain.segmentation.features.nodes import mixed
from webgrain.segmentation.features.segments import HINTS, hints


def text_counts(text, lengths):
    """Return characters, words and sentences (3, t) of joined texts, each with a space before it."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    start = np.cumsum([0, *lengths[:-1]])
    dark = (codes > ord(" ")) & ~np.isin(codes, [0x20, 0xA0, 0x3000])
    first = dark.copy()
    first[1:] &= ~dark[:-1] | ((codes[1:] >= 0x3040) & (codes[1:] < 0xA000))
    ends = np.isin(codes, [ord(char) for char in ".!?。！？"])
    counts = np.add.reduceat(np.stack([dark, first, ends]).astype(np.float64), start, axis=1)
    counts[2] = np.maximum(counts[2], 1.0)
    return counts


def inside(tree, mark):
    """Return True (k,) at marked nodes and at nodes in them."""
    return ancestor_sum(mark, tree.end) + mark > 0


def over_chain(units, x):
    """Return the sums (m, ...) of ``x`` (k, ...) over the chain of each unit."""
    total = np.concatenate([np.zeros((1, *x.shape[1:]), np.int64), np.cumsum(x, axis=0)])
    return total[units.bottom + 1] - total[units.top]


def hint_counts(nodes):
    """Return the hints (k, h) of visible nodes, and their numbers (k, h) among a node and its ancestors."""
    mark = hints(nodes.dom, nodes.tree)
    node, column = np.nonzero(mark)
    change = np.pad(mark, ((0, 1), (0, 0))).astype(np.int64)  # more from a node on, fewer after its end
    np.subtract.at(change, (nodes.tree.end[node], column), 1)
    return mark, change[:-1].cumsum(axis=0)


def hints_of_units(nodes, units):
    """Return the hints near a unit, the shares of its leaves in them, and the hints above (m, h)."""
    tree = nodes.tree
    mark, upon = hint_counts(nodes)
    above = upon[units.top] - mark[units.top]
    sums = np.zeros((len(tree) + 1, len(HINTS)), np.int64)
    sums[1:] = nodes.leaves[:, None] * mark
    inner = mark & (upon > 1)
    for column in range(len(HINTS)):
        node = np.flatnonzero(inner[:, column])
        marked = np.ascontiguousarray(mark[:, column]).view(np.uint8)
        np.subtract.at(
            sums[:, column], innermost(tree.parent, marked)[tree.parent[node]] + 1, nodes.leaves[node]
        )
    sums = np.cumsum(sums, axis=0)
    share = (sums[tree.end[units.bottom]] - sums[units.bottom + 1]) / units.leaves[:, None]
    return upon[units.bottom] > above, share, above > 0


def hints_of_segments(nodes, groups):
    """Return the hints near a segment, the shares of its leaves in them, and the hints above (s, h)."""
    tree, (_, upon) = nodes.tree, hint_counts(nodes)
    upon = np.concatenate([upon, np.zeros_like(upon[:1])])  # the parent of the root, place -1
    common, above = upon[groups.common], upon[tree.parent[groups.near]]
    inside = upon[tree.leaves] > common[groups.label]  # the mean ignores leaves of no segment
    return common > above, groups.mean(inside), above > 0


def alike_siblings(nodes, units, ratio):
    """Return the group (m,) of each unit."""
    kind, leaves = nodes.signature[units.top], units.leaves
    pairs = np.unique(np.stack([units.parent[units.child], kind[units.child]], axis=1), axis=0)
    children = np.zeros(len(units), np.int64)
    np.add.at(children, pairs[:, 0], mixed(pairs[:, 1].astype(np.uint64)))
    key = np.stack([units.parent, kind, children], axis=1)
    group = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    least, most = np.full(len(units), leaves.max()), np.zeros(len(units), np.int64)
    np.minimum.at(least, group, leaves)
    np.maximum.at(most, group, leaves)
    return np.where((most > ratio * least)[group], len(units) + np.arange(len(units)), group)


def same(units, kind):
    """Return the number (m,) of a unit's siblings, itself included, that are of its kind (m,)."""
    _, number = np.unique(kind, return_inverse=True)
    key = units.parent * (int(number.max()) + 1) + number
    key[0] = -1
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    return count[place]


def signature(nodes):
    """Return a number (k,) for each tag with its first class."""
    names = {"": 0}
    first = [(value.split(None, 1) or [""])[0] for value in nodes.classes]
    number = np.array([names.setdefault(name, len(names)) for name in first], np.int64)
    return number * len(nodes.dom.tags) + nodes.tag


def joined_children(units, chances, expected, labels, rate):
    """Return the unit whose segment each unit joins (m,)."""
    group = labels.copy()
    share, leaves = expected.out.copy(), units.leaves.astype(np.float64)
    first = np.arange(len(units))  # the segment of a unit that may join others in its parent
    for u in np.flatnonzero(labels < 0)[::-1].tolist():
        child = units.child[units.first[u] : units.last[u]]
        child = child[np.argsort(-share[child], kind="stable")]
        mass = np.cumsum(leaves[child])
        mean = np.cumsum(share[child] * leaves[child]) / mass
        chance = expected.cover[u] + expected.reach[u] * chances.opened[u] * share[child[1:]] * mean[:-1]
        n = 1 + int(np.append(chance > rate, False).argmin())
        group[first[child[:n]]] = first[child[0]]
        first[u], leaves[u] = first[child[0]], mass[n - 1]
        share[u] = (1.0 - chances.opened[u]) * chances.joins[u]
        share[u] += chances.opened[u] * chances.passes[u] * mean[n - 1]
    return group
