# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The boilerplate elements of a page, in a few passes over its nodes."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
FlagBuffer = cython.typedef(cython.uchar[::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])

ARTICLE, FIRST_HEADING, HEADING, EXCLUDED = 1, 2, 4, 8
"""Bits of a tag: an article; a heading of the first level; one of the first two; never boilerplate."""

NONE, HEADER, NAVIGATION, ASIDE, META, FOOTER = -1, 0, 1, 4, 5, 9
"""Numbers of the names that the rules mention, see `BOILERPLATE_NAMES`."""

TEXT, IMAGE = 1, 2
"""Kinds of leaves, as in `webgrain.page.leaves`."""


def boilerplate_elements(
    dom: tuple, kinds: object, links: Flags, bits: Flags, own: object, noise: object, limits: tuple
):
    """Return the boilerplate elements of a page, and what is in each of its nodes.

    dom: parent, end (n,) int32, and text_start (n + 1,) int32. kinds (n,) int8: of leaves; links (n,) uint8:
    1 at a link; bits (n,) uint8: of the tags. own (n,) int32: the number of the name that role, tag, id and
    classes give each element, -1 for none. noise (n,) float64: the probability of each leaf to be
    boilerplate. limits: the noise of an element, and of an element with a name; the share in links and the
    size of a menu; the share of the content at an edge; the number of elements.

    Returns size (n,) float64; node, name (e,) int32 of the elements; inside (n,) int32, the name of the
    innermost element around each node, -1 for none.
    """
    ARTICLE, FIRST_HEADING, HEADING, EXCLUDED = 1, 2, 4, 8  # as those of the module
    NONE, HEADER, NAVIGATION, ASIDE, META, FOOTER = -1, 0, 1, 4, 5, 9
    TEXT, IMAGE = 1, 2
    parent: Ints = dom[0]
    end: Ints = dom[1]
    start: Ints = dom[2]
    kind: Kinds = kinds
    name_of: Ints = own
    probability: Doubles = noise
    noisy_element: cython.double = limits[0]
    noisy_named: cython.double = limits[1]
    linked_menu: cython.double = limits[2]
    least_menu: cython.double = limits[3]
    edge: cython.double = limits[4]
    most: cython.Py_ssize_t = limits[5]
    n: cython.Py_ssize_t = len(parent)
    sizes: DoubleBuffer = np.zeros(n + 1)  # sums of what is before each node
    noises: DoubleBuffer = np.zeros(n + 1)
    linked: DoubleBuffer = np.zeros(n + 1)
    content: DoubleBuffer = np.zeros(n + 1)
    headings: IntBuffer = np.zeros(n + 1, np.int32)
    in_link: FlagBuffer = np.zeros(n, np.uint8)
    in_article: FlagBuffer = np.zeros(n, np.uint8)
    size: DoubleBuffer = np.zeros(n)
    weight: cython.double
    noisy: cython.double
    for i in range(n):
        above = parent[i]
        in_link[i] = links[i]
        if above >= 0:
            in_link[i] = links[i] or in_link[above]
            in_article[i] = in_article[above] or (bits[above] & ARTICLE) != 0
        weight = 0.0
        if kind[i] == TEXT:
            weight = start[i + 1] - start[i]
        elif kind[i] == IMAGE:
            weight = 10.0
        elif kind[i] > 0:
            weight = 5.0
        sizes[i + 1] = sizes[i] + weight
        noises[i + 1] = noises[i] + weight * probability[i]
        linked[i + 1] = linked[i] + weight * in_link[i]
    for i in range(n):
        size[i] = sizes[end[i]] - sizes[i]
        noisy = noises[end[i]] - noises[i]
        content[i + 1] = content[i]
        if end[i] == i + 1:
            content[i + 1] += size[i] - noisy
        headings[i + 1] = headings[i]
        if bits[i] & HEADING:
            headings[i + 1] += noisy < (noisy_element if bits[i] & FIRST_HEADING else noisy_named) * size[i]
    node: IntBuffer = np.empty(min(most, n), np.int32)
    names: IntBuffer = np.empty(min(most, n), np.int32)
    around: IntBuffer = np.empty(min(most, n) + 1, np.int32)  # the elements around a node
    inside: IntBuffer = np.empty(n, np.int32)
    inside[:] = NONE
    e: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0
    share: cython.double
    for i in range(n):
        if depth > 0 and end[node[around[depth - 1]]] <= i:
            while depth > 0 and end[node[around[depth - 1]]] <= i:
                depth -= 1
        innermost: cython.int = names[around[depth - 1]] if depth > 0 else NONE
        inside[i] = innermost
        noisy = noises[end[i]] - noises[i]
        if bits[i] & EXCLUDED or not size[i] > 0.0 or not noisy >= noisy_named * size[i] or e == most:
            continue
        name: cython.int = name_of[i]
        if in_article[i] and name in (HEADER, FOOTER):
            name = META  # information about the article
        if headings[end[i]] > headings[i] and name != NAVIGATION and name != ASIDE:
            continue  # it contains the title of an article
        share = -1.0
        if name in (HEADER, FOOTER):
            share = edge
        elif name == NONE:
            if noisy < noisy_element * size[i]:
                continue
            if linked[end[i]] - linked[i] >= linked_menu * size[i] and size[i] >= least_menu:
                name = NAVIGATION
            else:
                share = edge / 2.0
        if share >= 0.0:
            if content[i] <= share * content[n]:
                name = HEADER
            elif content[n] - content[end[i]] <= share * content[n]:
                name = FOOTER
            else:
                continue
        if depth == 0 or (name != innermost and name_of[i] != NONE):
            node[e] = i
            names[e] = name
            around[depth] = e
            depth += 1
            e += 1
            inside[i] = name
    return np.asarray(size), np.asarray(node)[:e], np.asarray(names)[:e], np.asarray(inside)
