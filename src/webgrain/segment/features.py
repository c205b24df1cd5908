"""Features of nodes (for D) and of pairs of leaves (for V): what they are, and the passes that compute them.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Node features". The paper names examples only (position, shape, background colour, types, sizes and colours
of text; share of text in anchors, tag names); this is a small set of them. All lie within fixed bounds, so
that a weight means the same on every page. Pair features are differences: 0 is alike, 1 is far apart.

    page, tree --look--> columns (k, ...) --> node_features (k, f)
                                          --> PairFeatures: places of leaves (m,), (m,) -> (m, g)

Cost: a fixed number of array passes, with l log l to prepare the pairs of l leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from webgrain.kernels.lca import LeafAncestors
from webgrain.kernels.subtrees import subtree_sum
from webgrain.page.dom import TEXT
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.segment.look import Look, leaves_before, look, marked_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]


View = Literal["visual", "content", "structure"]
VIEWS: tuple[View, ...] = get_args(View)
"""Views of a page, which may weigh more or less on different kinds of sites (section 4.3)."""


class Feature(NamedTuple):
    """One column: its name, its unit, its bounds, the view of a page that it belongs to, what it measures.

    view: ``visual``: how things look and where they stand; ``content``: texts, links, images, headings;
    ``structure``: tags, classes, the tree.
    """

    name: str
    unit: str
    low: float
    high: float
    view: View
    meaning: str


NODE_FEATURES = (
    Feature("x", "page widths", 0, 1, "visual", "centre of the node's box"),
    Feature("y", "page heights", 0, 1, "visual", "centre of the node's box"),
    Feature("width", "page widths", 0, 1, "visual", "width of the node's box"),
    Feature("height", "page heights", 0, 1, "visual", "height of the node's box"),
    Feature("font_size", "log2(px / 16)", -4, 6, "visual", "mean over the text below"),
    Feature("bold", "share of text", 0, 1, "visual", "text of weight 600 or more"),
    Feature("red", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("green", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("blue", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("back_red", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("back_green", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("back_blue", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("text", "log share", 0, 1, "content", "log(1 + characters) over that of the page"),
    Feature("anchor", "share of text", 0, 1, "content", "text inside links"),
    Feature("image", "share of leaves", 0, 1, "content", "leaves that are images"),
    Feature("heading", "share of leaves", 0, 1, "content", "leaves inside h1 ... h6"),
    Feature("list", "share of leaves", 0, 1, "structure", "leaves inside li, dt or dd"),
    Feature("paragraph", "share of leaves", 0, 1, "structure", "leaves inside p"),
)
"""Columns of `node_features`."""

PAIR_FEATURES = (
    Feature("gap_x", "log px", 0, 1, "visual", "horizontal gap of the boxes; 1 from 1000 px on"),
    Feature("gap_y", "log px", 0, 1, "visual", "vertical gap of the boxes; 1 from 1000 px on"),
    Feature("unaligned", "0 or 1", 0, 1, "visual", "no common left or top edge, within 4 px"),
    Feature("font_size", "|log2| of the ratio", 0, 1, "visual", "difference of the font sizes"),
    Feature("bold", "0 or 1", 0, 1, "visual", "exactly one is bold"),
    Feature("color", "1", 0, 1, "visual", "greatest difference of a channel of the text colours"),
    Feature("background", "1", 0, 1, "visual", "greatest difference of a channel of the backgrounds"),
    Feature("painter", "0 or 1", 0, 1, "visual", "different elements paint the backgrounds"),
    Feature("anchor", "0 or 1", 0, 1, "content", "exactly one stands inside a link"),
    Feature("heading", "0 or 1", 0, 1, "content", "exactly one stands inside h1 ... h6"),
    Feature("kind", "0 or 1", 0, 1, "content", "different kinds of leaves"),
    Feature("tag", "0 or 1", 0, 1, "structure", "parents of different tags"),
    Feature("steps", "log", 0, 1, "structure", "edges between them in the tree; 1 from 63 on"),
    Feature(
        "common",
        "log share",
        0,
        1,
        "structure",
        "leaves below their lowest common ancestor, to those of the page",
    ),
    Feature(
        "branch", "log share", 0, 1, "structure", "leaves of the larger branch below it, to those of the page"
    ),
    Feature("order", "log share", 0, 1, "structure", "distance in document order, to the number of leaves"),
)
"""Columns of `PairFeatures`."""

NEAR = 4.0
"""px within which two edges are aligned."""

FAR = 1000.0
"""px from which on a gap counts no more."""

_TAGS = {
    "anchor": ("a",),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "list": ("li", "dt", "dd"),
    "paragraph": ("p",),
}


def node_features(page: Page, tree: VisibleTree) -> Floats:
    """Return the features (k, f) of the nodes of the visible tree of ``page``; f as `NODE_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One <a>two</a>"))
    >>> names = [feature.name for feature in NODE_FEATURES]
    >>> node_features(page, visible_tree(page))[:, names.index("anchor")].tolist()  # html body p text a text
    [0.5, 0.5, 0.5, 0.0, 1.0, 1.0]
    """
    if not len(tree):
        return np.zeros((0, len(NODE_FEATURES)))
    seen, length, leaf = look(page, tree), text_length(page, tree), tree.kind > 0
    low, high = _in_page(seen, seen.box[:, :2]), _in_page(seen, seen.box[:, 2:])
    below = subtree_sum(np.where(tree.kind == TEXT_LEAF, length, 0.0), tree.end)
    columns = dict(zip(("x", "y"), ((low + high) / 2).T, strict=True))
    columns |= zip(("width", "height"), (high - low).T, strict=True)
    columns |= zip(("back_red", "back_green", "back_blue"), seen.background.T, strict=True)
    columns["text"] = np.log1p(below) / max(np.log1p(below[0]), 1.0)
    by_text = dict(zip(("red", "green", "blue"), seen.color.T, strict=True))
    by_text["font_size"] = np.log2(seen.font_size / 16.0).clip(-4.0, 6.0)
    by_text |= {"bold": seen.bold, "anchor": _inside(page, tree, _TAGS["anchor"])}
    columns |= _means(tree, length, by_text)
    by_leaf = {name: _inside(page, tree, _TAGS[name]) for name in ("heading", "list", "paragraph")}
    columns |= _means(tree, leaf.astype(np.float64), {"image": tree.kind == IMAGE, **by_leaf})
    return np.stack([columns[feature.name] for feature in NODE_FEATURES], axis=1)


class PairFeatures:
    """Features of pairs of leaves of one page; prepared once, asked for any pairs.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<h1>One</h1><p>two<p>three"))
    >>> features = PairFeatures(page, visible_tree(page))(np.array([0, 1]), np.array([1, 2]))
    >>> features.shape, features[:, [f.name for f in PAIR_FEATURES].index("heading")].tolist()
    ((2, 16), [1.0, 0.0])
    """

    def __init__(self, page: Page, tree: VisibleTree) -> None:
        leaves, before = tree.leaves, leaves_before(tree)
        seen = look(page, tree)
        self.box = seen.box[leaves]
        self.log_size = np.log2(seen.font_size[leaves])
        self.color, self.background = seen.color[leaves], seen.background[leaves]
        traits = {
            "bold": seen.bold,
            "painter": seen.painter,
            "anchor": _inside(page, tree, _TAGS["anchor"]),
            "heading": _inside(page, tree, _TAGS["heading"]),
            "kind": tree.kind,
            "tag": page.dom.tag[tree.node][np.maximum(tree.parent, 0)],
        }
        self.traits = {name: column[leaves] for name, column in traits.items()}
        self.depth = marked_above(tree, np.ones(len(tree), bool))
        self.leaf_depth = self.depth[leaves]
        self.size = np.log1p((before[tree.end] - before[:-1]).astype(np.float64))
        self.total = np.log1p(float(len(leaves)))
        self.ancestors = LeafAncestors(tree.parent, tree.end, leaves)

    def __call__(self, p: NDArray[np.integer], q: NDArray[np.integer]) -> Floats:
        """Return the features (m, g) of leaves p < q (m,), places among the leaves; g as `PAIR_FEATURES`."""
        columns = self._of_look(p, q) | self._of_tree(p, q)
        columns |= {name: trait[p] != trait[q] for name, trait in self.traits.items()}
        return np.stack([columns[feature.name] for feature in PAIR_FEATURES], axis=1).astype(np.float64)

    def _of_look(self, p: NDArray[np.integer], q: NDArray[np.integer]) -> dict[str, NDArray[Any]]:
        box_p, box_q = self.box[p], self.box[q]
        gap = np.maximum(box_p[:, :2], box_q[:, :2]) - np.minimum(box_p[:, 2:], box_q[:, 2:])
        gap_x, gap_y = (np.log1p(gap.clip(0.0, FAR)) / np.log1p(FAR)).T
        return {
            "gap_x": gap_x,
            "gap_y": gap_y,
            "unaligned": (np.abs(box_p[:, :2] - box_q[:, :2]) >= NEAR).all(axis=1),
            "font_size": np.abs(self.log_size[p] - self.log_size[q]).clip(0.0, 1.0),
            "color": np.abs(self.color[p] - self.color[q]).max(axis=1),
            "background": np.abs(self.background[p] - self.background[q]).max(axis=1),
        }

    def _of_tree(self, p: NDArray[np.integer], q: NDArray[np.integer]) -> dict[str, NDArray[Any]]:
        common, left, right = self.ancestors.meet(p, q)
        steps = self.leaf_depth[p] + self.leaf_depth[q] - 2 * self.depth[common]
        return {
            "steps": (np.log1p(steps) / np.log(64.0)).clip(0.0, 1.0),
            "common": self.size[common] / self.total,
            "branch": np.maximum(self.size[left], self.size[right]) / self.total,
            "order": np.log1p(q - p) / self.total,
        }


def text_length(page: Page, tree: VisibleTree) -> Floats:
    """(k,) characters of a text leaf that are not white space; 10 for an image, 5 for other leaves, 0 above.

    The figures for leaves without text let them count among the means over text.
    """
    dom = page.dom
    codes = np.frombuffer(dom.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    dark = np.concatenate([[0], np.cumsum(codes > ord(" "))])
    text = np.diff(dark[dom.text_start])[tree.node].astype(np.float64)
    return np.select([tree.kind == TEXT_LEAF, tree.kind == IMAGE, tree.kind > 0], [text, 10.0, 5.0], 0.0)


def _in_page(seen: Look, corner: Floats) -> Floats:
    """(k, 2) corners of boxes in page widths and heights, drawn back to the page."""
    share: Floats = corner / np.array([seen.width, seen.height])
    return share.clip(0.0, 1.0)


def _means(tree: VisibleTree, weight: Floats, columns: dict[str, NDArray[Any]]) -> dict[str, Floats]:
    """Weighted means of columns (k,) over the leaves below every node."""
    weight = np.where(tree.kind > 0, np.maximum(weight, 1e-3), 0.0)[:, None]
    x = np.stack(list(columns.values()), axis=1)
    means = subtree_sum(weight * x, tree.end) / subtree_sum(weight, tree.end)
    return dict(zip(columns, means.T, strict=True))


def _inside(page: Page, tree: VisibleTree, tags: tuple[str, ...]) -> NDArray[np.bool_]:
    """(k,) True at nodes that are, or stand inside, an element of these tags."""
    wanted = [number for number, tag in enumerate(page.dom.tags) if tag in tags and number != TEXT]
    return marked_above(tree, np.isin(page.dom.tag[tree.node], wanted)) > 0
