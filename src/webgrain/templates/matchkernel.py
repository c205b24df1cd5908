# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True, cdivision=True
# mypy: ignore-errors
"""A page matched with a template: the alignment of two trees, and numbers of what agrees.

The shape of a node is a set of 256 bits: the tags and names of its children, grandchildren and the level
below. The children of a node that stands for a TAG are aligned with the content of the TAG, a program of
instructions: the cheapest way through the expression (Viterbi 1967), where a child without a place, a missing
part, other names and another shape cost something. A child without a place is looked up by its symbol: it
breaks the order, it is one too many, or a wrapper is missing; nodes below a node that is not in the template
are looked up, too (an additional wrapper).

`Aligner.align` does this for a page, and `Comparison.of` counts what the page and the template have in
common. What the page chooses at the operators of the template are its steps (`content_steps`).

k nodes of the visible tree of a page; m template nodes; t types of elements of the page.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleRows = cython.typedef(cython.const[cython.double][:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])
KeyRows = cython.typedef(cython.const[cython.ulonglong][:, ::1])
LongRows = cython.typedef(cython.const[cython.longlong][:, ::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Rows = cython.typedef(cython.int[:, ::1])

SHAPE_WORDS = 4
"""Words of 64 bits of a shape."""

MOST_WRAPPERS = 3
"""Additional wrappers in a row."""

UNPLACED, MISSING = 1.0, 0.4
"""Costs of a child without a place, and of a part that the content must have."""

OTHER_NAMES, OTHER_SHAPE, ANY_SHAPE = 0.6, 0.35, 0.05
"""Costs of different names, of a different shape, and of the latter at tags that may contain anything."""

LEAST_SHAPE = 0.1
"""Similarity of shapes below which a node without common names is another one."""

MOST_CELLS = 4_000_000
"""Children times places of one alignment; bounds memory."""

PLACE, OPT_BEGIN, OPT_END, ALT_BEGIN, ALT_NEXT, ALT_END, STAR_BEGIN, STAR_END = range(8)
"""Instructions."""

ALIGNED, MISPLACED, UNKNOWN = range(3)

PART, NEXT, LENGTH, DISORDER, OTHER = range(5)
"""Kinds of steps: a part begins; a place follows another one in the same part, or is the first; the length of
a repeated part; a part or place that is out of order or one too many; a child without a place."""

LENGTHS = 8
"""Classes of lengths: 1, 2 and 3, 4 to 7, ..., 128 and more."""

TOTALS = (
    "placed", "text", "placed text", "misplaced", "lacking", "leaves", "largest unknown",
    "present", "core", "lost", "largest missing",
    "part", "next", "length", "disorder", "other", "parts", "nexts", "lengths", "disorders", "others",
    "no parts", "elements", "disordered", "out of order", "replaced", "new symbols", "symbols", "most next",
)  # fmt: skip
"""Nodes with a template node; characters, and those at such nodes; nodes out of place; missing parts; leaves,
and those in the largest unknown subtree. Template nodes that the page has; core nodes, those that the page
lacks, and those in the largest missing subtree. Negative logarithms of the probabilities of the steps of each
kind, and their numbers; the same of the parts that no element has, and the number of elements with parts;
leaves that are out of order, and nodes; leaves in nodes with a new symbol, and these nodes; negative
logarithms of the probabilities of symbols; the largest sum of the steps NEXT below one node."""

CHARACTERS, LINKED, ITEMS = 0, 1, 4
"""Columns of the statistics of a template: mean characters of a node, their share in links, and items."""


@cython.cclass
class Aligner:
    """A template, as `align` reads it.

    template: tag (m,) int32, and as bits the names that any and that most of its nodes have, and those of
    their shapes (m, SHAPE_WORDS) uint64; free (m,) uint8: its tag may contain anything; sizes (m, 4) int32 of
    these sets of bits. program: start (m + 1,) int32 of the content of each TAG in the instructions;
    instruction and argument (i,) int32; the length of the longest content. lookup: key (d,) int64, ascending,
    the template node times the number of symbols plus the symbol; target (d,) int32 below it; the number of
    symbols.
    """

    cython.declare(tag=Ints, any_name=KeyRows, all_name=KeyRows, any_shape=KeyRows, all_shape=KeyRows)
    cython.declare(free=Flags, size=cython.const[cython.int][:, ::1], start=Ints, code=Ints, argument=Ints)
    cython.declare(longest=cython.Py_ssize_t, key=Longs, target=Ints, symbols=cython.longlong)
    arguments: tuple

    def __init__(self, template, program, lookup):
        self.arguments = template, program, lookup
        tag, any_name, all_name, any_shape, all_shape, free, size = map(memoryview, template)
        self.tag, self.free, self.size = tag, free, size
        self.any_name, self.all_name = any_name, all_name
        self.any_shape, self.all_shape = any_shape, all_shape
        self.start, self.code, self.argument = map(memoryview, program[:3])
        self.longest = program[3]
        self.key, self.target = map(memoryview, lookup[:2])
        self.symbols = lookup[2]

    def __reduce__(self):
        return Aligner, self.arguments

    def align(self, tree, rows):
        """Return the template node (k,) int32 of each node of a tree in document order, -1 for none.

        tree: parent, end and type (k,) int32; the root is node 0 of the template. rows (t, 3 + 3 *
        SHAPE_WORDS) int64 of the types: of `webgrain.templates.template.SymbolTable.rows`.

        The second array is ALIGNED, MISPLACED or UNKNOWN int8; the third the parts of the content that each
        node lacks (k,) int32.
        """
        parent, end, element_type = tree
        n: cython.Py_ssize_t = len(end)
        ends: Ints = memoryview(end)
        types: Ints = memoryview(element_type)
        number: LongRows = memoryview(rows)
        bits: KeyRows = memoryview(rows.view(np.uint64))
        own_tag: Ints = self.tag
        any_name: KeyRows = self.any_name
        all_name: KeyRows = self.all_name
        any_shape: KeyRows = self.any_shape
        all_shape: KeyRows = self.all_shape
        free: Flags = self.free
        size: cython.const[cython.int][:, ::1] = self.size
        starts: Ints = self.start
        code: Ints = self.code
        argument: Ints = self.argument
        longest: cython.Py_ssize_t = self.longest
        keys: Longs = self.key
        targets: Ints = self.target
        n_symbols: cython.longlong = self.symbols
        places = np.empty(n, np.int32)
        places.fill(-1)
        manner = np.empty(n, np.int8)
        manner.fill(UNKNOWN)
        lacking = np.zeros(n, np.int32)
        at: cython.int[::1] = memoryview(places)
        how: cython.schar[::1] = memoryview(manner)
        lacks: cython.int[::1] = memoryview(lacking)
        shape_array = np.zeros((n, SHAPE_WORDS), np.uint64)
        shape: cython.ulonglong[:, ::1] = memoryview(shape_array)
        _write_shapes(memoryview(parent), types, bits, 2 + SHAPE_WORDS, shape)
        # The template node below which the descendants of each node are looked up, the wrappers in between,
        # the sizes of the sets of bits, and the children of one node.
        of_nodes: cython.int[::1] = memoryview(np.zeros(5 * n, np.int32))
        context: cython.int[::1] = of_nodes[:n]
        skipped: cython.int[::1] = of_nodes[n : 2 * n]
        name_size: cython.int[::1] = of_nodes[2 * n : 3 * n]
        shape_size: cython.int[::1] = of_nodes[3 * n : 4 * n]
        children: cython.int[::1] = of_nodes[4 * n :]
        # Working memory of one alignment, by instruction; the last entry is the beginning.
        width: cython.Py_ssize_t = longest + 1
        costs: cython.double[::1] = memoryview(np.zeros(4 * width))
        before: cython.double[::1] = costs[:width]
        after: cython.double[::1] = costs[width : 2 * width]
        held: cython.double[::1] = costs[2 * width : 3 * width]
        best: cython.double[::1] = costs[3 * width :]
        origins: cython.int[::1] = memoryview(np.zeros(3 * width, np.int32))
        held_from: cython.int[::1] = origins[:width]
        best_from: cython.int[::1] = origins[width : 2 * width]
        second: cython.int[::1] = origins[2 * width :]
        back: cython.int[:, ::1] = memoryview(np.zeros((8, longest), np.int32))
        price: cython.double[:, ::1] = memoryview(np.zeros((8, longest)))
        # Constants of the module, which are no Python objects here.
        unplaced: cython.double = UNPLACED
        missing: cython.double = MISSING
        other_names: cython.double = OTHER_NAMES
        other_shape: cython.double = OTHER_SHAPE
        any_cost: cython.double = ANY_SHAPE
        least_shape: cython.double = LEAST_SHAPE
        most_cells: cython.Py_ssize_t = MOST_CELLS
        most_wrappers: cython.int = MOST_WRAPPERS
        place: cython.int = PLACE
        opt_begin: cython.int = OPT_BEGIN
        opt_end: cython.int = OPT_END
        alt_begin: cython.int = ALT_BEGIN
        alt_next: cython.int = ALT_NEXT
        alt_end: cython.int = ALT_END
        star_begin: cython.int = STAR_BEGIN
        aligned: cython.schar = ALIGNED
        misplaced: cython.schar = MISPLACED
        far: cython.double = 1e9
        run: cython.double
        cost: cython.double
        like: cython.double
        shared: cython.double
        total: cython.double
        run_from: cython.int
        j: cython.Py_ssize_t
        length: cython.Py_ssize_t
        u: cython.int
        instruction: cython.int
        symbol: cython.longlong
        for i in range(n):
            context[i] = -1
            name_size[i], shape_size[i] = _size(bits, types[i], 2), _size(shape, i, 0)
        if n:
            at[0] = context[0] = 0
            how[0] = aligned
        for v in range(n):
            t = context[v]
            if t < 0 or ends[v] == v + 1:
                continue
            if at[v] >= 0:  # align the children with the content of the TAG
                k = 0
                c = v + 1
                while c < ends[v]:
                    children[k] = c
                    k += 1
                    c = ends[c]
                first, length = starts[t], starts[t + 1] - starts[t]
                if length and k * length <= most_cells:
                    if back.shape[0] < k:
                        back = memoryview(np.zeros((2 * k, longest), np.int32))
                        price = memoryview(np.zeros((2 * k, longest)))
                    for j in range(length):
                        before[j] = far
                    before[length] = 0.0
                    for i in range(k + 1):  # the last round goes through the content to its end
                        c = children[i] if i < k else -1
                        run, run_from = before[length], length
                        level = 0
                        j = 0
                        while j < length:
                            instruction = code[first + j]
                            if instruction == place:
                                u = argument[first + j]
                                if c >= 0:
                                    cost = far
                                    if number[types[c], 0] == own_tag[u]:
                                        common = _common(bits, types[c], 2, any_name, u)
                                        if common:
                                            cost = 1.0 - common / (2.0 * name_size[c])
                                            if size[u, 1]:
                                                shared = 0.5 * _common(bits, types[c], 2, all_name, u)
                                                cost -= shared / size[u, 1]
                                            else:
                                                cost -= 0.5
                                        elif name_size[c]:
                                            cost = far if size[u, 0] else 0.8
                                        else:
                                            cost = 0.8 if size[u, 1] else 0.3 if size[u, 0] else 0.0
                                        cost *= other_names
                                        like = 1.0
                                        if shape_size[c] and size[u, 2]:
                                            like = 0.5 * _common(shape, c, 0, any_shape, u) / shape_size[c]
                                            if size[u, 3]:
                                                like += 0.5 * _common(shape, c, 0, all_shape, u) / size[u, 3]
                                            else:
                                                like *= 2.0
                                        elif shape_size[c] or size[u, 2]:
                                            like = 0.3
                                        if free[u]:
                                            cost += any_cost * (1.0 - like)
                                        elif common == 0 and like < least_shape:
                                            cost = far
                                        else:
                                            cost += other_shape * (1.0 - like)
                                    after[j] = run + cost
                                    back[i, j], price[i, j] = run_from, cost
                                run += missing
                                if before[j] <= run:
                                    run, run_from = before[j], j
                            elif instruction in (opt_begin, alt_begin, star_begin):
                                held[level], held_from[level] = run, run_from
                                best[level], best_from[level] = far * 2.0, -1
                                second[level] = 0
                                level += 1
                            elif instruction == opt_end:
                                level -= 1
                                if held[level] < run:
                                    run, run_from = held[level], held_from[level]
                            elif instruction == alt_next:
                                if run < best[level - 1]:
                                    best[level - 1], best_from[level - 1] = run, run_from
                                run, run_from = held[level - 1], held_from[level - 1]
                            elif instruction == alt_end:
                                level -= 1
                                if best[level] < run:
                                    run, run_from = best[level], best_from[level]
                            else:
                                if held[level - 1] < run:
                                    run, run_from = held[level - 1], held_from[level - 1]
                                if second[level - 1]:
                                    level -= 1
                                else:
                                    second[level - 1] = 1
                                    j = argument[first + j]  # go through the repeated part again
                            j += 1
                        if c < 0:
                            break
                        for j in range(length):
                            if code[first + j] != place:
                                continue
                            if after[j] < before[j] + unplaced and after[j] < far:
                                before[j] = after[j]
                            else:
                                before[j] += unplaced
                                back[i, j] = -1  # the child has no place
                        before[length] += unplaced
                    total = run
                    j = run_from
                    for i in range(k - 1, -1, -1):
                        c = children[i]
                        if j == length or back[i, j] < 0:
                            total -= unplaced
                            continue
                        at[c] = context[c] = argument[first + j]
                        how[c] = aligned
                        total -= price[i, j]
                        j = back[i, j]
                    while total > missing / 2.0:
                        lacks[v] += 1
                        total -= missing
            c = v + 1
            while c < ends[v]:
                if at[c] < 0:
                    u = -1
                    symbol = number[types[c], 1]
                    if symbol >= 0 and (at[v] >= 0 or name_size[c]):
                        i = _index(keys, t * n_symbols + symbol)
                        if i >= 0:
                            u = targets[i]
                    if u >= 0:
                        at[c] = context[c] = u
                        how[c] = misplaced
                    elif at[v] >= 0 or skipped[v] < most_wrappers:
                        context[c] = t
                        skipped[c] = skipped[v] + 1 if at[v] < 0 else 1
                c = ends[c]
        return places, manner, lacking


@cython.cclass
class Comparison:
    """What pages are compared with: a template, and the support of its nodes.

    template: owner, end (m,) int32; weight (m,) float64: the share of the pages that have each TAG, 0 at
    operators; core (m,) uint8: nodes that a page of the type has; listed (m,) uint8: items of lists;
    statistics (m, 5) float64, or no rows; the number that is added to lengths. content: part (m,) int32,
    repeats, several and free (m,) uint8, see `content_steps`.

    order: None for a template without choices; otherwise the logarithms (m,) of the odds of a part, and of
    the probability that an element has no part; has_parts (m,) uint8; key (r,) int64, ascending, and
    logarithm of what follows what, the context times m + 1 plus the outcome + 1; (m,) that of other outcomes;
    (m, 8) of lengths; (m,) of what no page has; key (y,) int64, ascending, the template node times the number
    of symbols plus the symbol, its logarithm, and whether no page has it, uint8; key (z,) int64, ascending,
    of the symbols below each TAG; the number of symbols.
    """

    cython.declare(owner=Ints, end=Ints, weight=Doubles, core=Flags, listed=Flags, statistics=DoubleRows)
    cython.declare(short=cython.double, part=Ints, repeats=Flags, several=Flags, free=Flags)
    cython.declare(part_log=Doubles, no_parts=Doubles, has_parts=Flags, next_key=Longs, next_log=Doubles)
    cython.declare(unseen=Doubles, length_log=DoubleRows, never=Doubles, symbol_key=Longs, symbol_log=Doubles)
    cython.declare(is_new=Flags, sibling_key=Longs, symbols=cython.longlong, has_order=cython.bint)
    arguments: tuple

    def __init__(self, template, content, order):
        self.arguments = template, content, order
        self.owner, self.end, self.weight, self.core, self.listed = map(memoryview, template[:5])
        self.statistics = memoryview(template[5])
        self.short = template[6]
        self.part, self.repeats, self.several, self.free = map(memoryview, content)
        self.has_order = order is not None
        if order is not None:
            self.part_log, self.no_parts, self.has_parts, self.next_key = map(memoryview, order[:4])
            self.next_log, self.unseen, self.length_log, self.never = map(memoryview, order[4:8])
            self.symbol_key, self.symbol_log, self.is_new, self.sibling_key = map(memoryview, order[8:12])
            self.symbols = order[12]

    def __reduce__(self):
        return Comparison, self.arguments

    def of(self, tree, page, alignment, rows):
        """Return what a page and the template have in common.

        tree: node, parent, end (k,) int32, kind (k,) int8 of the leaf and type (k,) int32 of the visible
        tree. page: tag (n,) and start (n + 1,) int32 of the text of each node of the Dom; the number of the
        tag of links. alignment: at (k,) int32, how (k,) int8 and lacking (k,) int32, of `Aligner.align`; rows
        (t, 3 + 3 * SHAPE_WORDS) int64: as there.

        Returns the `TOTALS` (29,) float64; the first node (m,) int32 of the page for each template node, -1
        for none; numbers (5, c) float64 of the c core nodes that the page has, see `_compare`; the weights
        float64 of the template nodes that the page has, and of the nodes of the page; the uppermost unknown
        nodes and the uppermost missing template nodes int32.
        """
        nodes, parents, ends, kinds, _ = tree
        tags, starts, anchor_tag = page
        places, manners, lacks = alignment
        node: Ints = memoryview(nodes)
        parent: Ints = memoryview(parents)
        end: Ints = memoryview(ends)
        kind: Kinds = memoryview(kinds)
        tag: Ints = memoryview(tags)
        text: Ints = memoryview(starts)
        anchor: cython.int = anchor_tag
        at: Ints = memoryview(places)
        how: Kinds = memoryview(manners)
        lacking: Ints = memoryview(lacks)
        owner: Ints = self.owner
        template_end: Ints = self.end
        core: Flags = self.core
        weight: Doubles = self.weight
        k: cython.Py_ssize_t = len(at)
        m: cython.Py_ssize_t = len(owner)
        total_array = np.zeros(len(TOTALS))
        total: cython.double[::1] = memoryview(total_array)
        first_array = np.empty(m, np.int32)
        first: cython.int[::1] = memoryview(first_array)
        # Of each template node: the number of nodes, and the characters below them, all and in links.
        of_node: cython.longlong[:, ::1] = memoryview(np.zeros((3, m), np.int64))
        # Sums of what is before each node: leaves, characters, and characters in links.
        sums: cython.longlong[:, ::1] = memoryview(np.zeros((3, k + 1), np.int64))
        in_link: cython.uchar[::1] = memoryview(np.zeros(k, np.uint8))
        weights_array = np.empty(k + m)
        weights: cython.double[::1] = memoryview(weights_array)
        uppermost_array = np.empty(k + m, np.int32)
        uppermost: cython.int[::1] = memoryview(uppermost_array)
        lost: cython.int[::1] = memoryview(np.zeros(m + 1, np.int32))
        n_placed: cython.Py_ssize_t = 0
        n_present: cython.Py_ssize_t = 0
        n_unknown: cython.Py_ssize_t = 0
        n_missing: cython.Py_ssize_t = 0
        size: cython.longlong
        for i in range(k):
            in_link[i] = tag[node[i]] == anchor or (parent[i] >= 0 and in_link[parent[i]])
            size = text[node[i] + 1] - text[node[i]] if kind[i] == 1 else 0
            sums[0, i + 1] = sums[0, i] + (kind[i] > 0)
            sums[1, i + 1] = sums[1, i] + size
            sums[2, i + 1] = sums[2, i] + (size if in_link[i] else 0)
            total[1] += size
            total[3] += how[i] == 1
            total[4] += lacking[i]
            if at[i] >= 0:
                weights[n_placed] = weight[at[i]]
                n_placed += 1
                total[2] += size
            elif parent[i] < 0 or at[parent[i]] >= 0:
                uppermost[n_unknown] = i
                n_unknown += 1
        total[0] = n_placed
        if k:
            total[5] = sums[0, end[0]]
        for u in range(n_unknown):
            i = uppermost[u]
            total[6] = max(total[6], sums[0, end[i]] - sums[0, i])
        for t in range(m):
            first[t] = -1
        for i in range(k):
            t = at[i]
            if t >= 0:
                if first[t] < 0:
                    first[t] = i
                of_node[0, t] += 1
                of_node[1, t] += sums[1, end[i]] - sums[1, i]
                of_node[2, t] += sums[2, end[i]] - sums[2, i]
        for t in range(m):
            lost[t + 1] = lost[t]
            if first[t] >= 0:
                weights[n_placed + n_present] = weight[t]
                n_present += 1
            elif core[t]:
                lost[t + 1] += 1
            total[8] += core[t]
        total[7] = n_present
        total[9] = lost[m]
        for t in range(m):
            if core[t] and first[t] < 0 and (owner[t] < 0 or first[owner[t]] >= 0):
                total[10] = max(total[10], lost[template_end[t]] - lost[t])
                uppermost[n_unknown + n_missing] = t
                n_missing += 1
        if self.has_order:
            self._add_order(tree, at, rows, total)
        return (
            total_array,
            first_array,
            self._compare(first, of_node),
            weights_array[n_placed : n_placed + n_present],
            weights_array[:n_placed],
            uppermost_array[:n_unknown].copy(),
            uppermost_array[n_unknown : n_unknown + n_missing].copy(),
        )

    @cython.cfunc
    def _compare(self, first: cython.int[::1], of_node: cython.longlong[:, ::1]):
        """Return numbers (5, c) of the core nodes that a page has.

        Their mean length over the usual one, both a little longer; the number of their items over the usual
        one; the greater of both lengths; the difference of the shares of links; whether they are in a list.
        of_node (3, m): the number of nodes of the page, and their characters, all and in links.
        """
        core: Flags = self.core
        usual: DoubleRows = self.statistics
        m: cython.Py_ssize_t = usual.shape[0]
        c: cython.Py_ssize_t = 0
        for t in range(m):
            c += core[t] and first[t] >= 0
        out_array = np.empty((5, c))
        out: cython.double[:, ::1] = memoryview(out_array)
        mean: cython.double
        c = 0
        for t in range(m):
            if not core[t] or first[t] < 0:
                continue
            mean = (of_node[1, t] * 1.0) / of_node[0, t]
            out[0, c] = (mean + self.short) / (usual[t, CHARACTERS] + self.short)
            out[1, c] = (of_node[0, t] + 1.0) / (usual[t, ITEMS] + 1.0)
            out[2, c] = max(mean, usual[t, CHARACTERS])
            out[3, c] = 0.0
            if of_node[1, t] > 0 and usual[t, CHARACTERS] > 0:
                out[3, c] = (of_node[2, t] * 1.0) / of_node[1, t] - usual[t, LINKED]
            out[4, c] = self.listed[t]
            c += 1
        return out_array

    @cython.cfunc
    def _add_order(self, tree, at: Ints, rows, total: cython.double[::1]):
        """Add what the steps of a page are to the `TOTALS`."""
        parents, ends, kinds, element_types = tree[1:]
        parent: Ints = memoryview(parents)
        end: Ints = memoryview(ends)
        kind: Kinds = memoryview(kinds)
        types: Ints = memoryview(element_types)
        number: LongRows = memoryview(rows)
        owner: Ints = self.owner
        next_key: Longs = self.next_key
        symbol_key: Longs = self.symbol_key
        sibling_key: Longs = self.sibling_key
        n_symbols: cython.longlong = self.symbols
        n: cython.Py_ssize_t = at.shape[0]
        m: cython.longlong = owner.shape[0]
        steps: Rows = memoryview(
            _content_steps(parent, end, at, owner, self.part, self.repeats, self.several, self.free)
        )
        below: cython.double[::1] = memoryview(np.zeros(n + 1))
        marks: cython.uchar[::1] = memoryview(np.zeros(2 * n, np.uint8))
        out_of_order: cython.uchar[::1] = marks[:n]
        replaced: cython.uchar[::1] = marks[n:]
        symbol: cython.longlong
        log: cython.double
        row: cython.Py_ssize_t
        for s in range(steps.shape[1]):
            step = steps[0, s]
            a = steps[2, s]
            b = steps[3, s]
            if step == PART:
                log = self.part_log[b]
            elif step == NEXT:
                row = _index(next_key, a * (m + 1) + b + 1)
                log = self.next_log[row] if row >= 0 else self.unseen[a]
                p = parent[steps[1, s]]
                below[max(p, 0)] -= log
            elif step == LENGTH:
                log = self.length_log[a, b]
            else:
                log = self.never[a]
                if step == DISORDER:
                    out_of_order[steps[1, s]] = 1
            total[11 + step] -= log
            total[16 + step] += 1.0
        for i in range(n):
            t = at[i]
            if t >= 0:
                symbol = number[types[i], 1]
                if self.has_parts[t]:
                    total[21] -= self.no_parts[t]
                    total[22] += 1.0
                row = _index(symbol_key, t * n_symbols + symbol) if symbol >= 0 else -1
                if row < 0 or self.is_new[row]:
                    replaced[i] = 1
                    total[26] += 1.0
                    log = self.never[t]
                    if symbol >= 0 and _index(sibling_key, owner[t] * n_symbols + symbol) >= 0:
                        out_of_order[i] = 1
                else:
                    log = self.symbol_log[row]
                total[27] -= log
            total[24] += out_of_order[i]
            total[28] = max(total[28], below[i])
            p = parent[i]
            if p >= 0:
                out_of_order[i] |= out_of_order[p]
                replaced[i] |= replaced[p]
            if kind[i] > 0:
                total[23] += out_of_order[i]
                total[25] += replaced[i]


def content_steps(
    parent: Ints,
    end: Ints,
    at: Ints,
    owner: Ints,
    part: Ints,
    repeats: Flags,
    several: Flags,
    free: Flags,
):
    """Return the steps (4, s) int32 of a page: kind, node of the page, context and outcome.

    parent, end, at (k,): of the nodes of the page in document order, and their template nodes, -1 for none.
    owner (m,): the TAG above each template node; part (m,): the part of its content that a TAG is in, -1 at
    the root; repeats (m,): whether a TAG is in a STAR of this part; several (m,): whether a part has several
    TAGs; free (m,): whether a TAG contains texts, so that its children may be in any order.

    The context of PART is the TAG, and the outcome the part. The context of NEXT is the place before, or the
    part; its outcome is the place. A part that is no STAR ends with the outcome -1. LENGTH has the part and
    a class, DISORDER a place that it follows and should precede, or itself, and the place, OTHER the TAG and
    -1.
    """
    return _content_steps(parent, end, at, owner, part, repeats, several, free)


@cython.cfunc
def _content_steps(
    parent: Ints, end: Ints, at: Ints, owner: Ints, part: Ints, repeats: Flags, several: Flags, free: Flags
):
    n: cython.Py_ssize_t = end.shape[0]
    steps = np.empty((4, 4 * n), np.int32)
    out: Rows = memoryview(steps)
    s: cython.Py_ssize_t = 0
    for v in range(n):
        t: cython.int = at[v]
        if t < 0 or end[v] == v + 1:
            continue
        current: cython.int = -1
        last: cython.int = -1
        reached: cython.int = -1
        farthest: cython.int = -1
        length: cython.int = 0
        c: cython.Py_ssize_t = v + 1
        while c <= end[v]:
            is_end = c == end[v]
            u: cython.int = -1 if is_end else at[c]
            x: cython.int = part[u] if u >= 0 and owner[u] == t else -1
            if not is_end and x < 0:
                out[0, s], out[1, s], out[2, s], out[3, s] = OTHER, c, t, -1
                s += 1
            elif x >= 0 and x == current:
                if not repeats[u] and u <= last:
                    if not free[t]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = DISORDER, c, last, u
                        s += 1
                elif several[x]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, c, last, u
                    s += 1
                last = u
                if x == reached:
                    farthest = u
                length += 1
            else:
                if current >= 0 and repeats[last]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = LENGTH, v, current, _length_class(length)
                    s += 1
                elif current >= 0 and several[current]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, v, last, -1
                    s += 1
                if x >= 0:
                    if x > reached:
                        out[0, s], out[1, s], out[2, s], out[3, s] = PART, c, t, x
                        s += 1
                        farthest = u
                    elif not free[t]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = DISORDER, c, farthest, u
                        s += 1
                    if several[x]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, c, x, u
                        s += 1
                    reached = max(reached, x)
                    last = u
                    length = 1
                current = x
            if is_end:
                break
            c = end[c]
    return steps[:, :s].copy()


def shapes(parent: Ints, element_type: Ints, bits: KeyRows):
    """Return the shape (n, SHAPE_WORDS) uint64 of each node.

    element_type (n,) int32: the type of each node; bits (t, 1 + 2 * SHAPE_WORDS) uint64: the code of the tag
    of each type, and the bits that a node of the type sets at its parent and at the node above that one.
    """
    shape = np.zeros((len(parent), SHAPE_WORDS), np.uint64)
    _write_shapes(parent, element_type, memoryview(bits), 0, memoryview(shape))
    return shape


@cython.cfunc
def _write_shapes(
    parent: Ints, element_type: Ints, bits: KeyRows, first: cython.Py_ssize_t, out: cython.ulonglong[:, ::1]
):
    """Write the shape of each node; first: the column of the code in the rows of the types."""
    factor: cython.ulonglong = 0x9E3779B1  # Knuth's multiplicative hash: eight bits that depend on all
    limit: cython.ulonglong = 0xFFFFFFFF
    single_bit: cython.ulonglong = 1
    bit: cython.ulonglong
    words: cython.Py_ssize_t = SHAPE_WORDS
    w: cython.Py_ssize_t
    for i in range(1, parent.shape[0]):
        p = parent[i]
        t = element_type[i]
        for w in range(words):
            out[p, w] |= bits[t, first + 1 + w]
        bit = bits[element_type[p], first] * 31 + bits[t, first]
        p = parent[p]
        if p < 0:
            continue
        for w in range(words):
            out[p, w] |= bits[t, first + 1 + words + w]
        bit = ((bit * factor) & limit) >> 24
        out[p, bit >> 6] |= single_bit << (bit & 63)
        p = parent[p]
        if p >= 0:
            bit = (bit * 31 + 7) & 255
            out[p, bit >> 6] |= single_bit << (bit & 63)


def shared_bits(shape: KeyRows, places: object, start: object, usual: cython.double):
    """Return the bits (m, 2, SHAPE_WORDS) uint64 that any and that most shapes of each of m groups have.

    shape (n, SHAPE_WORDS) uint64; places (p,) int64: the nodes of all groups; start (m + 1,) int64: of each
    group. usual: the share of the shapes that must have a bit, 0..1.
    """
    m: cython.Py_ssize_t = len(start) - 1
    bits = np.zeros((m, 2, SHAPE_WORDS), np.uint64)
    out: cython.ulonglong[:, :, ::1] = memoryview(bits)
    rows: KeyRows = memoryview(shape)
    place: Longs = memoryview(places)
    starts: Longs = memoryview(start)
    words: cython.Py_ssize_t = SHAPE_WORDS
    single_bit: cython.ulonglong = 1
    all_bits: cython.ulonglong
    common_bits: cython.ulonglong
    full: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    w: cython.Py_ssize_t
    for g in range(m):
        least: cython.double = usual * (starts[g + 1] - starts[g])
        for w in range(words):
            all_bits = 0
            common_bits = full
            for j in range(starts[g], starts[g + 1]):
                all_bits |= rows[place[j], w]
                common_bits &= rows[place[j], w]
            out[g, 0, w] = all_bits
            out[g, 1, w] = all_bits & common_bits
            all_bits ^= out[g, 1, w]
            for b in range(64):
                if not (all_bits >> b) & 1:
                    continue
                count: cython.Py_ssize_t = 0
                for j in range(starts[g], starts[g + 1]):
                    count += (rows[place[j], w] >> b) & 1
                if count >= least:
                    out[g, 1, w] |= single_bit << b
    return bits


@cython.cfunc
def _nibbles(bits: cython.uint) -> cython.uint:
    """Return the number of bits in each group of four, as groups of four bits."""
    bits = bits - ((bits >> 1) & 0x55555555)
    return (bits & 0x33333333) + ((bits >> 2) & 0x33333333)


@cython.cfunc
def _count(bits: cython.ulonglong) -> cython.int:
    """Return the number of bits."""
    upper: cython.ulonglong = bits >> 32
    high: cython.uint = upper
    low: cython.uint = bits ^ (upper << 32)
    low, high = _nibbles(low), _nibbles(high)
    low = (low & 0x0F0F0F0F) + ((low >> 4) & 0x0F0F0F0F) + (high & 0x0F0F0F0F) + ((high >> 4) & 0x0F0F0F0F)
    return ((low * 0x01010101) >> 24) & 255


@cython.cfunc
def _size(a: KeyRows, i: cython.Py_ssize_t, first: cython.Py_ssize_t) -> cython.int:
    """Return the number of bits in a row, in four words from a column on."""
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(first, first + 4):
        n += _count(a[i, w])
    return n


@cython.cfunc
def _common(
    a: KeyRows, i: cython.Py_ssize_t, first: cython.Py_ssize_t, b: KeyRows, j: cython.Py_ssize_t
) -> cython.int:
    """Return the number of bits that two rows have in common, the first row from a column on."""
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(4):
        n += _count(a[i, first + w] & b[j, w])
    return n


@cython.cfunc
def _index(keys: Longs, key: cython.longlong) -> cython.Py_ssize_t:
    """Return the index of a key among ascending keys, -1 if it is not among them."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


@cython.cfunc
def _length_class(length: cython.int) -> cython.int:
    """Return the class of a length, the logarithm to base 2."""
    k: cython.int = 0
    while length > 1 and k < LENGTHS - 1:
        length >>= 1
        k += 1
    return k
