# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Lower bounds of the energy of a labelled tree with pairs, by block-coordinate dual ascent.

**Blocks.** A block (slot s, label a) gives all leaves below s the label a. In the terms of
`webgrain.segmentation.solvers.treepotts`, it costs F_s(a) = sum of leaf_cost - sum of gains, both over s and
below, without the pairs; M_s = min(min_a F_s(a), sum_{q below s} M_q) is the least cost of any labels below
s. An inner slot without a gain for a has no block: the blocks of its children cost the same.

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

During a sweep, for the current leaf and the slots above it: value[block] is the cost of the block with all
messages, outside[s] the least cost of the tree without s; least[s] is updated when the walk leaves s.

**Arrays.** Rows of different lengths are stored one after the other, row i at first[i]:first[i + 1]. A pair
is an arc at both of its leaves; an arc has one message for each candidate of its leaf.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


@cython.cfunc
def block_costs(
    above: Ints,
    spans: Ints,
    leaf_cost: Doubles,
    leaf_first: cython.Py_ssize_t,
    gain_slot: Ints,
    gain_value: Doubles,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    cost: DoubleBuffer,
) -> cython.void:
    """Fill F_s(a) of the slots spans[0]:spans[1] and spans[2]:spans[3] for one label a.

    The gains of the label are at first:last.
    """
    for s in range(spans[0], spans[1]):
        cost[s] = leaf_cost[leaf_first + s - spans[0]]
    for s in range(spans[2], spans[3]):
        cost[s] = 0.0
    for k in range(first, last):
        cost[gain_slot[k]] = -gain_value[k]
    top: cython.int = spans[3] - 1 if spans[3] > spans[2] else spans[1] - 1
    for s in range(spans[0], spans[1]):
        if s != top:
            cost[above[s]] += cost[s]
    for s in range(spans[2], spans[3]):
        if s != top:
            cost[above[s]] += cost[s]


def least_costs(
    above: Ints,
    spans: cython.const[cython.int][:, ::1],
    leaf_cost: Doubles,
    leaf_first: Longs,
    gain_first: Ints,
    gain_slot: Ints,
    gain_value: Doubles,
    n_leaves: cython.Py_ssize_t,
):
    """Return min_a F_s(a) (S,) and M_s (S,)."""
    n_slots: cython.Py_ssize_t = above.shape[0]
    cost: DoubleBuffer = np.empty(n_slots)
    uniform, best = np.full(n_slots, np.inf), np.empty(n_slots)
    least: DoubleBuffer = uniform
    value: DoubleBuffer = best
    below: DoubleBuffer = np.zeros(n_slots)
    for a in range(spans.shape[0]):
        block_costs(
            above, spans[a], leaf_cost, leaf_first[a], gain_slot, gain_value, gain_first[a],
            gain_first[a + 1], cost,
        )  # fmt: skip
        for half in range(0, 4, 2):
            for s in range(spans[a, half], spans[a, half + 1]):
                if cost[s] < least[s]:
                    least[s] = cost[s]
    for s in range(n_slots):
        value[s] = least[s]
        if s >= n_leaves and below[s] < least[s]:
            value[s] = below[s]
        if above[s] >= 0:
            below[above[s]] += value[s]
    return uniform, best


def list_blocks(
    above: Ints,
    spans: cython.const[cython.int][:, ::1],
    leaf_cost: Doubles,
    leaf_first: Longs,
    gain_first: Ints,
    gain_slot: Ints,
    gain_value: Doubles,
    limit: Doubles,
):
    """Return the blocks with F_s(a) <= limit[s], by slot: first (S + 1,) int64, label (any,) int32, F (any,).

    Within a slot, labels ascend.
    """
    n_slots: cython.Py_ssize_t = above.shape[0]
    cost: DoubleBuffer = np.empty(n_slots)
    firsts = np.zeros(n_slots + 1, np.int64)
    place: cython.longlong[::1] = np.zeros(n_slots, np.int64)
    labels, costs = np.empty(0, np.int32), np.empty(0)
    label_of: IntBuffer = labels
    cost_of: DoubleBuffer = costs
    for filling in (False, True):  # the first pass counts
        for a in range(spans.shape[0]):
            block_costs(
                above, spans[a], leaf_cost, leaf_first[a], gain_slot, gain_value, gain_first[a],
                gain_first[a + 1], cost,
            )  # fmt: skip
            n_leaves = spans[a, 1] - spans[a, 0]
            for k in range(n_leaves + gain_first[a + 1] - gain_first[a]):
                s = spans[a, 0] + k if k < n_leaves else gain_slot[gain_first[a] + k - n_leaves]
                if cost[s] <= limit[s]:
                    if filling:
                        label_of[place[s]] = a
                        cost_of[place[s]] = cost[s]
                    place[s] += 1
        if not filling:
            np.cumsum(place, out=firsts[1:])
            place = firsts[:n_slots].copy()
            labels, costs = np.empty(firsts[n_slots], np.int32), np.empty(firsts[n_slots])
            label_of, cost_of = labels, costs
    return firsts, labels, costs


def list_candidates(
    above: Ints,
    block_first: Longs,
    block_label: Ints,
    n_leaves: cython.Py_ssize_t,
    n_labels: cython.Py_ssize_t,
):
    """Return the candidates of each leaf: the labels of the blocks of the leaf and of the slots above it.

    Returns first (leaves + 1,) int64, label (any,) int32, and the number of blocks read.
    """
    seen: IntBuffer = np.empty(n_labels, np.int32)
    firsts = np.zeros(n_leaves + 1, np.int64)
    first: cython.longlong[::1] = firsts
    labels = np.empty(0, np.int32)
    label: IntBuffer = labels
    count: cython.Py_ssize_t = 0
    steps: cython.longlong = 0
    for filling in (False, True):  # the first pass counts
        if filling:
            labels = np.empty(count, np.int32)
            label = labels
        count = steps = 0
        seen[:] = -1
        for p in range(n_leaves):
            v = p
            while v >= 0:
                steps += block_first[v + 1] - block_first[v]
                for b in range(block_first[v], block_first[v + 1]):
                    if seen[block_label[b]] != p:
                        seen[block_label[b]] = p
                        if filling:
                            label[count] = block_label[b]
                        count += 1
                v = above[v]
            first[p + 1] = count
    return firsts, labels, steps


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


def list_messages(candidate_first, arc_first):
    """Return first (2 m + 1,) int64: an arc has one message for each candidate of its leaf."""
    length = np.repeat(np.diff(candidate_first), np.diff(arc_first))
    first = np.zeros(len(length) + 1, np.int64)
    np.cumsum(length, out=first[1:])
    return first


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


def keep_messages(
    message: Doubles,
    old_message_first: Longs,
    old_candidate_first: Longs,
    old_candidate: Ints,
    message_first: Longs,
    candidate_first: Longs,
    candidate: Ints,
    arc_first: Longs,
    n_labels: cython.Py_ssize_t,
):
    """Return the messages of the remaining candidates, followed by one more place."""
    messages = np.zeros(message_first[message_first.shape[0] - 1] + 1)
    kept: DoubleBuffer = messages
    place: IntBuffer = np.zeros(n_labels, np.int32)
    for p in range(candidate_first.shape[0] - 1):
        for i in range(old_candidate_first[p], old_candidate_first[p + 1]):
            place[old_candidate[i]] = i - old_candidate_first[p]
        for arc in range(arc_first[p], arc_first[p + 1]):
            for i in range(candidate_first[p + 1] - candidate_first[p]):
                kept[message_first[arc] + i] = message[
                    old_message_first[arc] + place[candidate[candidate_first[p] + i]]
                ]
    return messages


@cython.cclass
class DualAscent:
    """The lower bound of one problem on lists of blocks, and its messages.

    above (S,) int32, n_labels, pairs (m, 2) int32 and weight (m,) as in `LabelTable`; the blocks by slot:
    first (S + 1,) int64, label int32, cost float64, at least one for each leaf; room: the greatest number of
    messages. If it is too small, the lightest pairs have no messages; the bound is still valid.
    """

    cython.declare(above=Ints, n_labels=cython.Py_ssize_t, n_leaves=cython.int, n_slots=cython.int)
    cython.declare(forward=cython.bint, block_first=Longs, block_label=Ints, block_cost=Doubles)
    cython.declare(value=DoubleBuffer, candidate_first=Longs, candidate=Ints, added=DoubleBuffer)
    cython.declare(arc_first=Longs, arc_leaf=Ints, arc_twin=Ints, arc_weight=Doubles, top=DoubleBuffer)
    cython.declare(message_first=Longs, message=DoubleBuffer, partner=Ints, below=DoubleBuffer)
    cython.declare(least=DoubleBuffer, outside=DoubleBuffer, pair_value=cython.double, path=IntBuffer)
    cython.declare(depth=cython.Py_ssize_t, climbed=IntBuffer, on_path=cython.schar[::1])
    cython.declare(path_steps=cython.longlong, change=DoubleBuffer, best=DoubleBuffer, spare=DoubleBuffer)

    def __init__(self, above, n_labels, pairs, weight, first, label, cost, room) -> None:
        n_slots = len(above)
        n_leaves = n_slots - len(np.unique(above[above >= 0]))
        self.above, self.n_labels, self.n_leaves, self.n_slots = above, n_labels, n_leaves, n_slots
        self.block_first, self.block_label, self.block_cost = first, label, cost
        self.below, self.least, self.outside = np.zeros(n_slots), np.zeros(n_slots), np.zeros(n_slots)
        self.path, self.climbed = np.zeros(n_slots, np.int32), np.zeros(n_slots, np.int32)
        self.on_path, self.depth, self.forward = np.zeros(n_slots, np.int8), 0, True
        self.change, self.best, self.spare = np.zeros(n_labels), np.zeros(n_labels), np.zeros(n_labels)
        self.list_candidates()
        length = np.diff(self.candidate_first)[pairs].sum(axis=1)
        heavy = np.argsort(-weight, kind="stable")
        fitting = np.sort(heavy[np.cumsum(length[heavy]) <= room])
        self.arc_first, self.arc_leaf, self.arc_twin, self.arc_weight = list_arcs(
            pairs[fitting], weight[fitting], n_leaves
        )
        self.top = np.zeros(2 * len(fitting))
        self.message_first = list_messages(self.candidate_first, self.arc_first)
        self.message = np.zeros(self.message_first[2 * len(fitting)] + 1)
        self.list_partners()
        self.bound()

    def list_candidates(self):
        """Compute the candidates of the blocks."""
        self.candidate_first, self.candidate, self.path_steps = list_candidates(
            self.above, self.block_first, self.block_label, self.n_leaves, self.n_labels
        )
        self.added, self.value = np.zeros(self.candidate.shape[0]), np.zeros(self.block_cost.shape[0])

    def list_partners(self):
        """Compute the partners of all messages; the last message stands for missing partners."""
        self.partner = list_partners(
            self.candidate_first, self.candidate, self.arc_first, self.arc_leaf, self.arc_twin,
            self.message_first, self.n_labels,
        )  # fmt: skip
        self.message[self.partner.shape[0]] = -np.inf

    def steps(self) -> int:
        """Return the approximate number of values that a sweep reads."""
        return 4 * self.partner.shape[0] + 2 * self.path_steps

    def bound(self) -> tuple[float, float]:
        """Recompute all costs from the messages; return the bound, and the sum of the largest messages."""
        self.value[:] = self.block_cost
        self.added[:] = 0.0
        for p in range(self.n_leaves):
            j = self.candidate_first[p]
            n = self.candidate_first[p + 1] - j
            for arc in range(self.arc_first[p], self.arc_first[p + 1]):
                for i in range(n):
                    self.added[j + i] += self.message[self.message_first[arc] + i]
            for i in range(n):
                self.change[self.candidate[j + i]] = self.added[j + i]
            v = p
            while v >= 0:
                for b in range(self.block_first[v], self.block_first[v + 1]):
                    self.value[b] += self.change[self.block_label[b]]
                v = self.above[v]
        self.below[:] = 0.0
        for v in range(self.n_slots):
            self.least[v] = self.least_of(v)
            if self.above[v] >= 0:
                self.below[self.above[v]] += self.least[v]
        size: cython.double = self.bound_pairs()
        return self.least[self.n_slots - 1] + self.pair_value, size

    @cython.cfunc
    def bound_pairs(self) -> cython.double:
        """Sum the least costs of the pairs; update the largest message of each arc."""
        size: cython.double = 0.0
        self.pair_value = 0.0
        for arc in range(self.arc_leaf.shape[0]):
            self.top[arc] = -np.inf
            largest = 0.0
            for i in range(self.message_first[arc], self.message_first[arc + 1]):
                x = self.message[i]
                self.top[arc] = max(self.top[arc], x)
                largest = max(largest, abs(x))
            size += largest
        for arc in range(self.arc_leaf.shape[0]):
            if arc < self.arc_twin[arc]:
                least = self.arc_weight[arc] - self.top[arc] - self.top[self.arc_twin[arc]]
                for i in range(self.message_first[arc], self.message_first[arc + 1]):
                    least = min(least, -self.message[i] - self.message[self.partner[i]])
                self.pair_value += least
        return size

    @cython.cfunc
    def least_of(self, v: cython.int) -> cython.double:
        """Return the least cost of slot v, from its blocks and the slots below it."""
        least: cython.double = self.below[v] if v >= self.n_leaves else np.inf
        for b in range(self.block_first[v], self.block_first[v + 1]):
            if self.value[b] < least:
                least = self.value[b]
        return least

    def sweep(self) -> None:
        """Visit all leaves."""
        last: cython.int = self.n_leaves - 1
        for i in range(self.n_leaves):
            self.visit(i if self.forward else last - i)
        while self.depth > 0:
            self.leave()
        self.forward = not self.forward

    @cython.cfunc
    def visit(self, leaf: cython.int) -> cython.void:
        """Make the path from the root to a leaf the current one, then pull and push at the leaf."""
        v: cython.int = leaf
        count: cython.Py_ssize_t = 0
        while v >= 0 and not self.on_path[v]:
            self.climbed[count] = v
            count += 1
            v = self.above[v]
        while self.depth > 0 and self.path[self.depth - 1] != v:
            self.leave()
        for i in range(count - 1, -1, -1):
            c = self.climbed[i]
            self.outside[c] = self.outside[v] + self.below[v] - self.least[c] if v >= 0 else 0.0
            self.path[self.depth] = c
            self.depth += 1
            self.on_path[c] = 1
            v = c
        self.pull(leaf)
        self.push(leaf)

    @cython.cfunc
    def leave(self) -> cython.void:
        """Leave the last slot of the path, and update the cost of the slot above."""
        self.depth -= 1
        c: cython.int = self.path[self.depth]
        least: cython.double = self.least_of(c)
        self.on_path[c] = 0
        if self.above[c] >= 0:
            self.below[self.above[c]] += least - self.least[c]
        self.least[c] = least

    @cython.cfunc
    def pull(self, p: cython.int) -> cython.void:
        """Take all that the other leaves of the pairs of p allow; compute m in `best`."""
        message: DoubleBuffer = self.message
        partner: Ints = self.partner
        total: DoubleBuffer = self.spare
        j: cython.Py_ssize_t = self.candidate_first[p]
        n: cython.Py_ssize_t = self.candidate_first[p + 1] - j
        for i in range(n):
            total[i] = 0.0
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            most = self.arc_weight[arc] - self.top[self.arc_twin[arc]]
            top: cython.double = -np.inf
            m = self.message_first[arc]
            for i in range(n):
                x = -message[partner[m + i]]
                x = most if x > most else x
                top = x if x > top else top
                message[m + i] = x
                total[i] += x
            self.top[arc] = top
        for i in range(n):
            self.change[self.candidate[j + i]] = total[i] - self.added[j + i]
            self.best[self.candidate[j + i]] = np.inf
            self.added[j + i] = total[i]
        self.shift_path()

    @cython.cfunc
    def shift_path(self) -> cython.void:
        """Add the change of the current leaf's messages to the blocks above it; lower `best`."""
        value: DoubleBuffer = self.value
        label: Ints = self.block_label
        for d in range(self.depth):
            outside = self.outside[self.path[d]]
            for b in range(self.block_first[self.path[d]], self.block_first[self.path[d] + 1]):
                value[b] += self.change[label[b]]
                if outside + value[b] < self.best[label[b]]:
                    self.best[label[b]] = outside + value[b]

    @cython.cfunc
    def push(self, p: cython.int) -> cython.void:
        """Give the surplus of the tree to the pairs whose other leaf comes later."""
        message: DoubleBuffer = self.message
        spare: DoubleBuffer = self.spare
        change: DoubleBuffer = self.change
        candidate: Ints = self.candidate
        j: cython.Py_ssize_t = self.candidate_first[p]
        n: cython.Py_ssize_t = self.candidate_first[p + 1] - j
        arcs: cython.Py_ssize_t = self.arc_first[p + 1] - self.arc_first[p]
        later: cython.Py_ssize_t = 0
        least: cython.double = np.inf
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            later += (self.arc_leaf[arc] > p) == self.forward
        if later == 0:
            return
        for i in range(n):
            least = min(least, self.best[candidate[j + i]])
        for i in range(n):
            spare[i] = (self.best[candidate[j + i]] - least) / (1 + max(later, arcs - later))
        for arc in range(self.arc_first[p], self.arc_first[p + 1]):
            if (self.arc_leaf[arc] > p) != self.forward:
                continue
            m = self.message_first[arc]
            top: cython.double = -np.inf
            for i in range(n):
                x = message[m + i] - spare[i]
                top = x if x > top else top
            self.top[arc] = top
            top -= self.arc_weight[arc]
            for i in range(n):
                x = message[m + i] - spare[i]
                message[m + i] = x if x > top else top
        for i in range(n):
            x = 0.0
            for arc in range(self.arc_first[p], self.arc_first[p + 1]):
                x += message[self.message_first[arc] + i]
            change[candidate[j + i]] = x - self.added[j + i]
            self.added[j + i] = x
        self.shift_path()

    def labels(self) -> np.ndarray:
        """Return the label (leaves,) int32 of each leaf in the best tree; call `bound` before."""
        chosen = np.full(self.n_slots, -1, np.int32)
        label_of: IntBuffer = chosen
        for v in range(self.n_slots - 1, -1, -1):
            if self.above[v] >= 0 and label_of[self.above[v]] >= 0:
                label_of[v] = label_of[self.above[v]]
                continue
            for b in range(self.block_first[v], self.block_first[v + 1]):
                if self.value[b] <= self.least[v]:
                    label_of[v] = self.block_label[b]
                    break
        return chosen[: self.n_leaves]

    def fix(self, limit: cython.double):
        """Remove the blocks whose use raises the bound above the limit; call `bound` before.

        A leaf always keeps its best block, so all costs stay finite. Removes nothing if few blocks exceed.
        """
        keeps = np.zeros(self.block_cost.shape[0], np.bool_)
        keep: cython.uchar[::1] = keeps.view(np.uint8)
        kept: cython.Py_ssize_t = 0
        for v in range(self.n_slots - 1, -1, -1):
            self.outside[v] = 0.0
            if self.above[v] >= 0:
                self.outside[v] = self.outside[self.above[v]] + self.below[self.above[v]] - self.least[v]
            for b in range(self.block_first[v], self.block_first[v + 1]):
                keep[b] = self.outside[v] + self.value[b] + self.pair_value <= limit
                if v < self.n_leaves and self.value[b] <= self.least[v]:
                    keep[b] = True
                if keep[b]:  # uncompiled, a sum of bytes would wrap around
                    kept += 1
        if kept < 0.9 * self.block_cost.shape[0]:
            self.pack(keeps)

    def pack(self, keep):
        """Keep some blocks, their candidates, and the messages of these candidates."""
        old_first, old_candidates = np.asarray(self.candidate_first), np.asarray(self.candidate)
        old_messages, old_message_first = np.asarray(self.message), np.asarray(self.message_first)
        count = np.zeros(len(keep) + 1, np.int64)
        np.cumsum(keep, out=count[1:])
        self.block_first = count[np.asarray(self.block_first)]
        self.block_label = np.asarray(self.block_label)[keep]
        self.block_cost = np.asarray(self.block_cost)[keep]
        self.list_candidates()
        self.message_first = list_messages(self.candidate_first, self.arc_first)
        self.message = keep_messages(
            old_messages, old_message_first, old_first, old_candidates, self.message_first,
            self.candidate_first, self.candidate, self.arc_first, self.n_labels,
        )  # fmt: skip
        self.list_partners()
        self.bound()
