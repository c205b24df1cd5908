"""The visible leaves of a page, and the tree above them.

A leaf is a visible node that a reader sees as one thing: a text, an image, a form control, an embedded
object, or an element whose only visible content is a background image. Everything inside a control or an
embedded object belongs to that leaf. Segmentation methods work on the leaves and their ancestors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int8, Int32
from webgrain.page.dom import Dom, ReadOnly, cached_on_page
from webgrain.page.kernels.treepass import outermost, pruned
from webgrain.page.page import Page
from webgrain.page.strings import bounded_cache, has_text, name_set

TEXT_LEAF, IMAGE, CONTROL, EMBED, BACKGROUND = 1, 2, 3, 4, 5
KINDS = ("none", "text", "image", "control", "embed", "background")
"""Kinds of leaves, by number; 0 is not a leaf."""

_KIND_OF_TAG = {
    "#text": TEXT_LEAF,
    "img": IMAGE,
    **dict.fromkeys(name_set("input select textarea button meter progress"), CONTROL),
    **dict.fromkeys(name_set("iframe object embed svg video canvas audio applet math"), EMBED),
}
_NEVER_SHOWN = name_set("head script style template noscript title noframes datalist param source")


@dataclass(frozen=True, slots=True, eq=False)
class VisibleTree(ReadOnly):
    """The leaves of a page and their ancestors; ``k`` nodes in document order, all arrays read-only.

    Attributes:
        node: (k,) int32, index in the Dom.
        parent: (k,) int32, index in this tree, -1 at the root; end: (k,) int32, one past the subtree.
        kind: (k,) int8 into `KINDS`; 0 at inner nodes. A node is a leaf of this tree iff its kind is not 0.
        size: number of nodes of the Dom.
    """

    node: Int32
    parent: Int32
    end: Int32
    kind: Int8
    size: int

    def __len__(self) -> int:
        return len(self.node)

    def __repr__(self) -> str:
        return f"VisibleTree({len(self)} nodes, {len(self.leaves)} leaves)"

    @property
    def leaves(self) -> NDArray[np.intp]:
        """(l,) the leaves, as indices in this tree."""
        return np.flatnonzero(self.kind)

    def to_dom(self, labels: NDArray[np.integer[Any]]) -> Int32:
        """Spread labels (k,) over the nodes of the Dom; -1 at nodes that are not in this tree."""
        out = np.full(self.size, -1, np.int32)
        out[self.node] = labels
        return out


def leaf_kinds(page: Page) -> Int8:
    """Kind of leaf of every node (n,); 0 at nodes that are not leaves.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>Hello <img src=x> <button>Go</button><script>1</script>")
    >>> [KINDS[k] for k in leaf_kinds(page) if k]
    ['text', 'image', 'control']
    """
    dom = page.dom
    visible = visible_nodes(page)
    kind = np.where(visible & (~dom.is_text | has_text(dom)), _kinds(dom.tags)[dom.tag], np.int8(0))
    # An element hides the leaves inside it: only the outermost leaf counts.
    leaves: Int8 = outermost(dom.parent, kind, (~dom.is_text).view(np.uint8))
    if page.view is not None:
        inside = dom.inside((leaves > 0) & ~dom.is_text)
        alone = page.view.background_image & visible & ~inside & (dom.subtree_sum(leaves > 0) == 0)
        # Of nested background images without other content, only the innermost one is a leaf.
        leaves[alone & (dom.subtree_sum(alone) == 1)] = BACKGROUND
    return leaves


@cached_on_page
def visible_tree(page: Page) -> VisibleTree:
    """Return the leaves of a page and all their ancestors.

    >>> from webgrain.page.parsing import parse
    >>> tree = visible_tree(parse("<div><p>One<p>Two</div><div></div>"))
    >>> len(tree), tree.parent.tolist()  # html, body, div, p, text, p, text
    (7, [-1, 0, 1, 2, 3, 2, 5])
    """
    dom = page.dom
    kind = leaf_kinds(page)
    node, parent, end = pruned(dom.parent, dom.end, kind)
    return VisibleTree(node, parent, end, kind[node], len(dom))


@cached_on_page
def visible_nodes(page: Page) -> Bool:
    """(n,) True at visible nodes; without a view, at nodes that the markup does not clearly hide; read-only.

    >>> from webgrain.page.parsing import parse
    >>> visible_nodes(parse("<p>a<p hidden>b")).tolist()  # html, head, body, p, text, p, text
    [True, False, True, True, True, False, False]
    """
    if page.view is not None:
        return page.view.visible
    dom = page.dom
    hidden = never_shown(dom)
    hidden[dom.find_attribute("hidden")[1]] = True
    visible: Bool = ~(hidden | dom.inside(hidden))
    visible.setflags(write=False)
    return visible


def never_shown(dom: Dom) -> Bool:
    """(n,) True at elements that no browser shows, such as ``<script>``, but not at the nodes inside."""
    return _hidden(dom.tags)[dom.tag]


@bounded_cache(16)
def _kinds(tags: tuple[str, ...]) -> Int8:
    return np.array([_KIND_OF_TAG.get(tag, 0) for tag in tags], np.int8)


@bounded_cache(16)
def _hidden(tags: tuple[str, ...]) -> Bool:
    return np.array([tag in _NEVER_SHOWN for tag in tags])
