# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Matching of simple style sheet selectors against all nodes of a tree at once.

A selector is a chain of compounds, written right to left: ``ul.nav > li a`` is ``a``, descendant of ``li``,
child of ``ul.nav``. A compound asks for a tag, an id and classes; all of them are compared as 40-bit numbers,
see `token_hash`. Every selector waits under one key of its rightmost compound (its id, else a class, else the
tag, else 0), so a node tries only the selectors that wait under its own id, classes and tag.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def token_hash(text: str) -> int:
    """Return a number in 1..2**40 - 1 for a tag (``"p"``), class (``".a"``) or id (``"#a"``).

    >>> token_hash(".a") == token_hash(".a") != token_hash("#a")
    True
    """
    value: cython.ulonglong = 1469598103
    mask: cython.ulonglong = 0xFFFFFFFFFF
    i: cython.Py_ssize_t
    for i in range(len(text)):
        value = ((value ^ ord(text[i])) * 8388593) & mask
    return value or 1


def attribute_tokens(
    values: str,
    value_start: cython.const[cython.int][::1],
    attribute: cython.const[cython.longlong][::1],
    owner: cython.const[cython.longlong][::1],
    n: cython.Py_ssize_t,
    mark: str,
):
    """Return the tokens of one attribute, as hashes of mark + token: start (n + 1,) int32, hash (t,) int64.

    attribute: the attributes to read, by increasing owner; owner: the node of each.
    """
    count: cython.Py_ssize_t = attribute.shape[0]
    size: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t = 0
    inside: cython.bint
    value: cython.ulonglong = 0
    mask: cython.ulonglong = 0xFFFFFFFFFF
    seed: cython.ulonglong = ((1469598103 ^ ord(mark)) * 8388593) & mask
    c: cython.Py_UCS4
    for k in range(count):
        size += (value_start[attribute[k] + 1] - value_start[attribute[k]] + 1) // 2
    start = np.zeros(n + 1, np.int32)
    token = np.zeros(max(size, 1), np.int64)
    start_of: cython.int[::1] = start
    token_of: cython.longlong[::1] = token
    for k in range(count):
        while node < owner[k]:
            node += 1
            start_of[node] = found
        inside = False
        for i in range(value_start[attribute[k]], value_start[attribute[k] + 1]):
            c = values[i]
            if c == " " or c == "\n" or c == "\t" or c == "\r" or c == "\f":
                if inside:
                    token_of[found] = value if value else 1
                    found += 1
                inside = False
            else:
                if not inside:
                    value = seed
                value = ((value ^ ord(c)) * 8388593) & mask
                inside = True
        if inside:
            token_of[found] = value if value else 1
            found += 1
    for k in range(node + 1, n + 1):
        start_of[k] = found
    return start, token[:found]


@cython.cclass
class Matcher:
    """A tree whose nodes carry a tag, an id (0: none) and classes, ready to be asked for selectors.

    The compounds of selector s are ``first[s]..first[s + 1]``, right to left; compound c has ``tag[c]``,
    ``id[c]`` (0: any), the classes ``class_start[c]..class_start[c + 1]`` of `classes`, and ``child[c]`` = 1
    where the compound to its right must be its child.
    """

    parent: cython.const[cython.int][::1]
    node_tag: cython.const[cython.longlong][::1]
    node_id: cython.const[cython.longlong][::1]
    node_start: cython.const[cython.int][::1]
    node_class: cython.const[cython.longlong][::1]
    first: cython.const[cython.int][::1]
    tag: cython.const[cython.longlong][::1]
    id: cython.const[cython.longlong][::1]
    class_start: cython.const[cython.int][::1]
    classes: cython.const[cython.longlong][::1]
    child: cython.const[cython.schar][::1]
    budget: cython.longlong
    out_node: cython.int[::1]
    out_rank: cython.int[::1]
    n_out: cython.Py_ssize_t

    def __init__(self, parent, node_tag, node_id, node_start, node_class, selectors, budget):
        self.parent, self.node_tag, self.node_id = parent, node_tag, node_id
        self.node_start, self.node_class = node_start, node_class
        self.first, self.tag, self.id, self.class_start, self.classes, self.child = selectors
        self.budget = budget
        self.n_out = 0
        self.out_node = np.zeros(2 * len(parent) + 64, np.int32)
        self.out_rank = np.zeros(2 * len(parent) + 64, np.int32)

    def match(
        self,
        key: cython.const[cython.longlong][::1],
        key_start: cython.const[cython.int][::1],
        waiting: cython.const[cython.int][::1],
        rank: cython.const[cython.int][::1],
    ):
        """Return the pairs (node, rank of the selector) that match, two int32 arrays by node, then by rank.

        key: sorted; the selectors ``waiting[key_start[j]:key_start[j + 1]]`` wait under key j. rank: place of
        each selector in the cascade. When the budget of comparisons is used up, the nodes that are left match
        nothing.
        """
        n: cython.Py_ssize_t = self.parent.shape[0]
        u: cython.Py_ssize_t
        k: cython.Py_ssize_t
        before: cython.Py_ssize_t
        for u in range(n):
            if self.node_tag[u] == 0:
                continue
            if self.budget < 0:
                break
            before = self.n_out
            self.wake(u, 0, key, key_start, waiting, rank)
            self.wake(u, self.node_tag[u], key, key_start, waiting, rank)
            if self.node_id[u]:
                self.wake(u, self.node_id[u], key, key_start, waiting, rank)
            for k in range(self.node_start[u], self.node_start[u + 1]):
                self.wake(u, self.node_class[k], key, key_start, waiting, rank)
            self.sort_from(before)
        return np.asarray(self.out_node)[: self.n_out], np.asarray(self.out_rank)[: self.n_out]

    @cython.cfunc
    def wake(
        self,
        u: cython.Py_ssize_t,
        token: cython.longlong,
        key: cython.const[cython.longlong][::1],
        key_start: cython.const[cython.int][::1],
        waiting: cython.const[cython.int][::1],
        rank: cython.const[cython.int][::1],
    ):
        """Try the selectors under one key on node u."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = key.shape[0]
        middle: cython.Py_ssize_t
        while low < high:
            middle = (low + high) // 2
            if key[middle] < token:
                low = middle + 1
            else:
                high = middle
        if low == key.shape[0] or key[low] != token:
            return
        for middle in range(key_start[low], key_start[low + 1]):
            if self.fits(waiting[middle], u):
                self.emit(u, rank[waiting[middle]])

    @cython.cfunc
    def emit(self, u: cython.Py_ssize_t, rank: cython.int):
        """Note a match."""
        if self.n_out == self.out_node.shape[0]:
            self.out_node = np.concatenate([self.out_node, np.zeros(self.n_out, np.int32)])
            self.out_rank = np.concatenate([self.out_rank, np.zeros(self.n_out, np.int32)])
        self.out_node[self.n_out] = u
        self.out_rank[self.n_out] = rank
        self.n_out += 1

    @cython.cfunc
    def sort_from(self, before: cython.Py_ssize_t):
        """Sort the matches of one node, a handful, in the order of the cascade."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        rank: cython.int
        for i in range(before + 1, self.n_out):
            rank = self.out_rank[i]
            j = i - 1
            while j >= before and self.out_rank[j] > rank:
                self.out_rank[j + 1] = self.out_rank[j]
                j -= 1
                self.budget -= 1
            self.out_rank[j + 1] = rank

    @cython.cfunc
    def fits(self, selector: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Walk up from u; a failed child step goes back to the last free choice of an ancestor only."""
        c: cython.Py_ssize_t = self.first[selector]
        last: cython.Py_ssize_t = self.first[selector + 1]
        retry: cython.Py_ssize_t = -1
        retry_node: cython.Py_ssize_t = -1
        if not self.has(c, u):
            return False
        c += 1
        while c < last:
            u = self.parent[u]
            if not self.child[c]:
                while u >= 0 and not self.has(c, u):
                    u = self.parent[u]
                retry = c
                retry_node = u
            elif u >= 0 and not self.has(c, u):
                if retry < 0:
                    return False
                c = retry
                u = retry_node
                continue
            if u < 0 or self.budget < 0:
                return False
            c += 1
        return True

    @cython.cfunc
    def has(self, c: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one compound with one node."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        found: cython.bint
        self.budget -= 1
        if self.tag[c] and self.tag[c] != self.node_tag[u]:
            return False
        if self.id[c] and self.id[c] != self.node_id[u]:
            return False
        for i in range(self.class_start[c], self.class_start[c + 1]):
            found = False
            for k in range(self.node_start[u], self.node_start[u + 1]):
                self.budget -= 1
                if self.node_class[k] == self.classes[i]:
                    found = True
                    break
            if not found:
                return False
        return True
