# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Lower bounds of the energy of a labelled tree with pairs, by block-coordinate dual ascent.

**Blocks.** A block (slot s, label a) gives all leaves below s the label a. In the terms of
`webgrain.papers.solvers.treepotts`, it costs F_s(a) = sum of leaf_cost - sum of gains, both over s and
below, without the pairs. An inner slot without a gain for a has no block: the blocks of its children cost the
same.

**The bound.** The energy is split into one tree, with costs sum_e d_ep(a) added at each leaf p, and one
factor for each pair e = (p, q) with costs w_e [a != b] - d_ep(a) - d_eq(b). For any messages d,

    bound = least cost of the tree (a dynamic program) + sum of the least costs of the pairs  <=  E - constant

Only the given blocks are searched; a candidate of a leaf is the label of a block that contains the leaf.

**Sweeps.** A sweep visits the leaves in document order, the next one in reverse order. At leaf p:

    pull   d_ep(a) = min(-d_eq(a), w_e - max_b d_eq(b)) for each pair: the least cost of its factor becomes 0
    m(a)   the least cost of the tree with p labelled a, over the blocks of p and of the slots above it
    push   d_ep(a) -= (m(a) - min m) / (1 + n) for the pairs whose other leaf comes later, n the number of
           these or of the others, whichever is larger: the least cost of the tree does not change, and the
           other leaf can pull what was pushed
    keep   d_ep(a) = max(d_ep(a), max_b d_ep(b) - w_e): what the other leaf cannot pull stays in the tree

No step lowers the bound; the last one makes few sweeps sufficient. Source of the scheme: Kolmogorov,
Convergent tree-reweighted message passing for energy minimization, PAMI 2006; here the tree is the page's.

value[block] is the cost of the block with all messages, below[s] the least cost of the slots below s, and
least[s] that of s with its own blocks. After the visit of a leaf they are updated from the leaf up.

**Arrays.** Rows of different lengths are stored one after the other, row i at first[i]:first[i + 1]. A pair
is an arc at both of its leaves; an arc has one message for each candidate of its leaf.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


def list_candidates(
    above: Ints,
    block_first: Longs,
    block_label: Ints,
    n_leaves: cython.Py_ssize_t,
    n_labels: cython.Py_ssize_t,
):
    """Return the candidates of each leaf: the labels of the blocks of the leaf and of the slots above it.

    Returns first (leaves + 1,) int64 and label (any,) int32.
    """
    seen: IntBuffer = np.empty(n_labels, np.int32)
    firsts = np.zeros(n_leaves + 1, np.int64)
    first: cython.longlong[::1] = firsts
    labels = np.empty(0, np.int32)
    label: IntBuffer = labels
    count: cython.Py_ssize_t = 0
    for filling in (False, True):  # the first pass counts
        if filling:
            labels = np.empty(count, np.int32)
            label = labels
        count = 0
        seen[:] = -1
        for p in range(n_leaves):
            v = p
            while v >= 0:
                for b in range(block_first[v], block_first[v + 1]):
                    if seen[block_label[b]] != p:
                        seen[block_label[b]] = p
                        if filling:
                            label[count] = block_label[b]
                        count += 1
                v = above[v]
            first[p + 1] = count
    return firsts, labels


def list_arcs(pairs, weight, n_leaves):
    """Return the arcs of pairs, one at each of the two leaves, sorted by leaf.

    Returns first (leaves + 1,) int64, the other leaf (2 m,) int32, the arc back (2 m,) int32, weight (2 m,).
    """
    m = len(pairs)
    tail, head = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    by_tail = np.argsort(tail, kind="stable")
    place = np.empty(2 * m, np.int32)
    place[by_tail] = np.arange(2 * m)
    first = np.zeros(n_leaves + 1, np.int64)
    np.cumsum(np.bincount(tail, minlength=n_leaves), out=first[1:])
    twin = np.ascontiguousarray(np.roll(place, m)[by_tail])
    return first, head[by_tail].astype(np.int32), twin, np.concatenate([weight, weight])[by_tail]


def list_partners(
    candidate_first: Longs,
    candidate: Ints,
    arc_first: Longs,
    arc_leaf: Ints,
    arc_twin: Ints,
    message_first: Longs,
    n_labels: cython.Py_ssize_t,
):
    """Return the partner (messages,) int32 of each message: that of the arc back for the same label.

    If the other leaf has no such candidate, the partner is the number of messages.
    """
    n_messages: cython.Py_ssize_t = message_first[arc_leaf.shape[0]]
    partners = np.full(n_messages, n_messages, np.int32)
    partner: IntBuffer = partners
    place: IntBuffer = np.full(n_labels, -1, np.int32)
    for p in range(candidate_first.shape[0] - 1):
        for i in range(candidate_first[p], candidate_first[p + 1]):
            place[candidate[i]] = i - candidate_first[p]
        for arc in range(arc_first[p], arc_first[p + 1]):
            back = message_first[arc_twin[arc]]
            j = candidate_first[arc_leaf[arc]]
            for i in range(candidate_first[arc_leaf[arc] + 1] - j):
                k = place[candidate[j + i]]
                if k >= 0:
                    partner[back + i] = message_first[arc] + k
        for i in range(candidate_first[p], candidate_first[p + 1]):
            place[candidate[i]] = -1
    return partners


@cython.cclass
class DualAscent:
    """The lower bound of one problem on lists of blocks, and its messages.

    above (S,) int32, n_labels, pairs (m, 2) int32 and weight (m,) as in `LabelTable`; blocks: by slot, first
    (S + 1,) int64, label int32, cost float64, at least one for each leaf; candidates: of `list_candidates`.
    """

    cython.declare(above=Ints, n_leaves=cython.int, forward=cython.bint, path=IntBuffer)
    cython.declare(block_first=Longs, block_label=Ints, block_cost=Doubles, value=DoubleBuffer)
    cython.declare(candidate_first=Longs, candidate=Ints, added=DoubleBuffer)
    cython.declare(arc_first=Longs, arc_leaf=Ints, arc_twin=Ints, arc_weight=Doubles, top=DoubleBuffer)
    cython.declare(message_first=Longs, message=DoubleBuffer, partner=Ints)
    cython.declare(below=DoubleBuffer, least=DoubleBuffer)
    cython.declare(change=DoubleBuffer, best=DoubleBuffer, spare=DoubleBuffer)

    def __init__(self, above, n_labels, pairs, weight, blocks, candidates) -> None:
        self.above, self.n_leaves, self.forward = above, len(candidates[0]) - 1, True
        self.block_first, self.block_label, self.block_cost = blocks
        self.candidate_first, self.candidate = candidates
        self.arc_first, self.arc_leaf, self.arc_twin, self.arc_weight = list_arcs(
            pairs, weight, self.n_leaves
        )
        length = np.repeat(np.diff(candidates[0]), np.diff(self.arc_first))
        self.message_first = np.append(0, np.cumsum(length, dtype=np.int64))
        self.partner = list_partners(
            self.candidate_first, self.candidate, self.arc_first, self.arc_leaf, self.arc_twin,
            self.message_first, n_labels,
        )  # fmt: skip
        self.message = np.zeros(len(self.partner) + 1)
        self.message[len(self.partner)] = -np.inf  # stands for missing partners
        self.value, self.added = np.zeros(len(self.block_cost)), np.zeros(len(self.candidate))
        self.below, self.least = np.zeros(len(above)), np.zeros(len(above))
        self.path = np.zeros(len(above), np.int32)
        self.change, self.best, self.spare = np.zeros(n_labels), np.zeros(n_labels), np.zeros(n_labels)
        self.bound()

    def bound(self) -> tuple[float, float]:
        """Recompute all costs from the messages; return the bound, and the sum of the largest messages."""
        self.value[:] = self.block_cost
        self.added[:] = 0.0
        for p in range(self.n_leaves):
            self.collect(p)
            v = p
            while v >= 0:
                for b in range(self.block_first[v], self.block_first[v + 1]):
                    self.value[b] += self.change[self.block_label[b]]
                v = self.above[v]
        self.below[:] = 0.0
        self.least[:] = 0.0
        self.change[:] = 0.0
        for v in range(self.above.shape[0]):
            self.update(v)
        first, twin = np.asarray(self.message_first)[: len(self.arc_twin)], np.asarray(self.arc_twin)
        message, partner = np.asarray(self.message), np.asarray(self.partner)
        sent = message[: len(partner)]
        top = np.maximum.reduceat(sent, first)
        shared = np.minimum.reduceat(-sent - message[partner], first)
        both = np.minimum(shared, np.asarray(self.arc_weight) - top - top[twin])  # the same for both arcs
        self.top = top
        size = np.maximum.reduceat(np.abs(sent), first).sum()
        return self.least[self.above.shape[0] - 1] + both.sum() / 2, size

    @cython.cfunc
    def collect(self, p: cython.int) -> cython.void:
        """Compute the change of the sums of the messages of leaf p, by label."""
        total: DoubleBuffer = self.spare
        j: cython.Py_ssize_t = self.candidate_first[p]
        n: cython.Py_ssize_t = self.candidate_first[p + 1] - j
        for i in range(n):
            total[i] = 0.0
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            m = self.message_first[arc]
            for i in range(n):
                total[i] += self.message[m + i]
        for i in range(n):
            self.change[self.candidate[j + i]] = total[i] - self.added[j + i]
            self.added[j + i] = total[i]

    @cython.cfunc
    def update(self, v: cython.int) -> cython.void:
        """Add the change to the blocks of slot v; compute its least cost."""
        least: cython.double = self.below[v] if v >= self.n_leaves else np.inf
        for b in range(self.block_first[v], self.block_first[v + 1]):
            self.value[b] += self.change[self.block_label[b]]
            if self.value[b] < least:
                least = self.value[b]
        if self.above[v] >= 0:
            self.below[self.above[v]] += least - self.least[v]
        self.least[v] = least

    def sweep(self) -> None:
        """Visit all leaves."""
        for i in range(self.n_leaves):
            p = i if self.forward else self.n_leaves - 1 - i
            self.pull(p)
            self.descend(p)
            self.push(p)
            v = p
            while v >= 0:
                self.update(v)
                v = self.above[v]
        self.forward = not self.forward

    @cython.cfunc
    def pull(self, p: cython.int) -> cython.void:
        """Take all that the other leaves of the pairs of p allow."""
        message: DoubleBuffer = self.message
        partner: Ints = self.partner
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            most = self.arc_weight[arc] - self.top[self.arc_twin[arc]]
            top: cython.double = -np.inf
            for m in range(self.message_first[arc], self.message_first[arc + 1]):
                x = -message[partner[m]]
                x = most if x > most else x
                top = x if x > top else top
                message[m] = x
            self.top[arc] = top
        self.collect(p)

    @cython.cfunc
    def descend(self, p: cython.int) -> cython.void:
        """Add the change to the blocks above leaf p, from the root down; compute m(a) in `best`."""
        value: DoubleBuffer = self.value
        best: DoubleBuffer = self.best
        label: Ints = self.block_label
        depth: cython.Py_ssize_t = 0
        outside: cython.double = 0.0
        v: cython.int = p
        while v >= 0:
            self.path[depth] = v
            depth += 1
            v = self.above[v]
        for i in range(self.candidate_first[p], self.candidate_first[p + 1]):
            best[self.candidate[i]] = np.inf
        for d in range(depth - 1, -1, -1):
            v = self.path[d]
            for b in range(self.block_first[v], self.block_first[v + 1]):
                value[b] += self.change[label[b]]
                if outside + value[b] < best[label[b]]:
                    best[label[b]] = outside + value[b]
            if d > 0:
                outside += self.below[v] - self.least[self.path[d - 1]]

    @cython.cfunc
    def push(self, p: cython.int) -> cython.void:
        """Give the surplus of the tree to the pairs whose other leaf comes later."""
        message: DoubleBuffer = self.message
        surplus: DoubleBuffer = self.spare
        j: cython.Py_ssize_t = self.candidate_first[p]
        n: cython.Py_ssize_t = self.candidate_first[p + 1] - j
        arcs: cython.Py_ssize_t = self.arc_first[p + 1] - self.arc_first[p]
        later: cython.Py_ssize_t = 0
        least: cython.double = np.inf
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            later += (self.arc_leaf[arc] > p) == self.forward
        for i in range(n):
            least = min(least, self.best[self.candidate[j + i]])
        for i in range(n):
            surplus[i] = (self.best[self.candidate[j + i]] - least) / (1 + max(later, arcs - later))
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            if (self.arc_leaf[arc] > p) != self.forward:
                continue
            m = self.message_first[arc]
            top: cython.double = -np.inf
            for i in range(n):
                message[m + i] -= surplus[i]
                top = message[m + i] if message[m + i] > top else top
            self.top[arc] = top
            top -= self.arc_weight[arc]
            for i in range(n):
                message[m + i] = max(message[m + i], top)
        self.collect(p)

    def labels(self) -> np.ndarray:
        """Return the label (leaves,) int32 of each leaf in the best tree; call `bound` before."""
        chosen = np.full(len(self.above), -1, np.int32)
        label_of: IntBuffer = chosen
        for v in range(len(self.above) - 1, -1, -1):
            if self.above[v] >= 0 and label_of[self.above[v]] >= 0:
                label_of[v] = label_of[self.above[v]]
                continue
            for b in range(self.block_first[v], self.block_first[v + 1]):
                if self.value[b] <= self.least[v]:
                    label_of[v] = self.block_label[b]
                    break
        return chosen[: self.n_leaves]
