# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Counts of a page that is matched with a template, in one pass over its nodes and one over the template."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])

TOTALS = (
    "placed", "text", "placed text", "misplaced", "lacking", "leaves", "largest unknown",
    "present", "core", "lost", "largest missing",
)  # fmt: skip
"""Nodes with a template node; characters, and those at such nodes; nodes out of place; missing parts; leaves,
and those in the largest unknown subtree; template nodes that the page has; core nodes, those that the page
lacks, and those in the largest missing subtree."""


def fit_counts(tree: object, start: object, alignment: object, template: object):
    """Return the counts of a page.

    tree: node, parent, end (k,) int32, kind (k,) int8 of the leaf, is_link (k,) uint8 of the visible tree.
    start (n + 1,) int32: of the text of each node of the Dom. alignment: at (k,) int32, how (k,) int8 and
    lacking (k,) int32, see `webgrain.templates.treematch.match_tree`. template: owner, end (m,) int32, core
    (m,) uint8: nodes that a page of the type has.

    Returns the `TOTALS` (11,) int64; of_nodes (4, m) int64: of each template node the first node of the page,
    -1 for none, the number of nodes, and the characters below them, all and in links; present (m,) uint8; the
    uppermost unknown nodes and the uppermost missing template nodes int32.
    """
    nodes, parents, ends, kinds, are_links = tree
    places, manners, lacks = alignment
    owners, template_ends, cores = template
    k: cython.Py_ssize_t = len(places)
    m: cython.Py_ssize_t = len(owners)
    node: Ints = memoryview(nodes)
    parent: Ints = memoryview(parents)
    end: Ints = memoryview(ends)
    kind: Kinds = memoryview(kinds)
    is_link: Flags = memoryview(are_links)
    text: Ints = memoryview(start)
    at: Ints = memoryview(places)
    how: Kinds = memoryview(manners)
    lacking: Ints = memoryview(lacks)
    owner: Ints = memoryview(owners)
    template_end: Ints = memoryview(template_ends)
    core: Flags = memoryview(cores)
    total_array = np.zeros(len(TOTALS), np.int64)
    total: cython.longlong[::1] = memoryview(total_array)
    of_nodes = np.zeros((4, m), np.int64)
    of_node: cython.longlong[:, ::1] = memoryview(of_nodes)
    present_array = np.zeros(m, np.uint8)
    present: cython.uchar[::1] = memoryview(present_array)
    # Sums of what is before each node: leaves, characters, and characters in links.
    sums: cython.longlong[::1] = memoryview(np.zeros(3 * (k + 1), np.int64))
    leaves: cython.longlong[::1] = sums[: k + 1]
    length: cython.longlong[::1] = sums[k + 1 : 2 * (k + 1)]
    linked: cython.longlong[::1] = sums[2 * (k + 1) :]
    in_link: cython.uchar[::1] = memoryview(np.zeros(k, np.uint8))
    unknown_array = np.zeros(k, np.int32)
    unknown: cython.int[::1] = memoryview(unknown_array)
    missing_array = np.zeros(m, np.int32)
    missing: cython.int[::1] = memoryview(missing_array)
    lost: cython.int[::1] = memoryview(np.zeros(m + 1, np.int32))
    n_unknown: cython.Py_ssize_t = 0
    n_missing: cython.Py_ssize_t = 0
    size: cython.longlong
    for i in range(k):
        in_link[i] = is_link[i]
        if parent[i] >= 0 and in_link[parent[i]]:
            in_link[i] = 1
        size = text[node[i] + 1] - text[node[i]] if kind[i] == 1 else 0
        leaves[i + 1] = leaves[i] + (kind[i] > 0)
        length[i + 1] = length[i] + size
        linked[i + 1] = linked[i] + (size if in_link[i] else 0)
        total[1] += size
        total[3] += how[i] == 1
        total[4] += lacking[i]
        if at[i] >= 0:
            total[0] += 1
            total[2] += size
            present[at[i]] = 1
        elif parent[i] < 0 or at[parent[i]] >= 0:
            unknown[n_unknown] = i
            n_unknown += 1
    if k:
        total[5] = leaves[end[0]]
    for u in range(n_unknown):
        i = unknown[u]
        total[6] = max(total[6], leaves[end[i]] - leaves[i])
    for t in range(m):
        of_node[0, t] = -1
    for i in range(k):
        t = at[i]
        if t >= 0:
            if of_node[0, t] < 0:
                of_node[0, t] = i
            of_node[1, t] += 1
            of_node[2, t] += length[end[i]] - length[i]
            of_node[3, t] += linked[end[i]] - linked[i]
    for t in range(m):
        total[7] += present[t]
        total[8] += core[t]
        lost[t + 1] = lost[t]
        if core[t] and not present[t]:
            lost[t + 1] += 1
    total[9] = lost[m]
    for t in range(m):
        if core[t] and not present[t] and (owner[t] < 0 or present[owner[t]]):
            total[10] = max(total[10], lost[template_end[t]] - lost[t])
            missing[n_missing] = t
            n_missing += 1
    return (
        total_array,
        of_nodes,
        present_array,
        unknown_array[:n_unknown].copy(),
        missing_array[:n_missing].copy(),
    )
