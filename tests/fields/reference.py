"""Texts that elements hold, items and sizes, one node after the other: what the kernels must compute."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain, pairwise

import numpy as np

from webgrain.fields.thresholds import LONGEST_LABEL, MAX_PARTS, WHOLE
from webgrain.page.text import is_inline, visible_texts

ITEM_LEVELS, MOST_SIBLINGS, SHAPE = 4, 40, 8


def held_texts(page):
    """Return node, text outside of parts, whether it has parts, and whether it is whole, of each element."""
    dom = page.dom
    visible = visible_texts(page).node
    size = np.zeros(len(dom), np.int64)
    size[visible] = np.diff(dom.text_start)[visible]
    contained = dom.subtree_sum(size).tolist()
    texts_of_block = defaultdict(list)
    lines = {}
    for text in visible.tolist():
        line = lines[text] = line_of(dom, int(dom.parent[text]))
        texts_of_block[line[-1]].append(text)
    held = []
    for block, texts in texts_of_block.items():
        is_whole = WHOLE * contained[block] <= sum(size[texts].tolist())
        held += held_in_block(dom, block, texts, [lines[text][:-1] for text in texts], is_whole)
    return sorted(held)


def line_of(dom, node):
    """Return the nearest elements within a line around a text in a node, and then their block."""
    parts = []
    while node > 0 and is_inline(dom.name(node)):
        parts.append(node)
        node = int(dom.parent[node])
    return (*parts[:MAX_PARTS], node)


def held_in_block(dom, block, texts, parts_of_texts, is_whole):
    count = Counter(chain.from_iterable(parts_of_texts))
    most = len(texts) if is_whole else len(texts) + 1  # of other blocks, the whole line is a part
    rest = defaultdict(list)
    holders = {block}
    for text, parts in zip(texts, parts_of_texts, strict=True):
        chosen = [part for part in parts if count[part] < most]
        holders.update(chosen)
        rest[chosen[0] if chosen else block].append(text)
    for holder, following in pairwise([*sorted(holders), len(dom)]):
        outside = " ".join(" ".join(dom.text_of(text).split()) for text in rest[holder])
        yield holder, outside, following < int(dom.end[holder]), is_whole or holder != block


def begins_with_label(dom, node):
    """Return whether a colon is among the first characters of a node, but for white space."""
    text = "".join(dom.text_of(node).split())
    places = [place for place in (text.find(":"), text.find("\uff1a")) if place >= 0]
    return bool(places) and min(places) <= LONGEST_LABEL


def is_in_item(dom, node):
    """Return whether a node, or one of a few elements around it, has a sibling of the same shape."""
    for _ in range(ITEM_LEVELS):
        above = int(dom.parent[node])
        if above <= 0:
            return False
        shape = shape_of(dom, node)
        others = list(dom.children(above))[:MOST_SIBLINGS]
        is_alike = any(shape_of(dom, child) == shape for child in others if child != node)
        if (len(shape) > 1 or dom.name(node) == "li") and is_alike:
            return True
        node = above
    return False


def shape_of(dom, node):
    """Return the tags and classes of an element and of the first elements in it."""
    inside = range(node, min(int(dom.end[node]), node + 4 * SHAPE))
    elements = [i for i in inside if not dom.is_text[i]]
    return [(dom.name(i), dom.get(i, "class")) for i in elements[:SHAPE]]
