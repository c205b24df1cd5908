"""How a page is cut into sections: by the lists of its template, by area, tags and separators.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), section 2.2.2.

    paper                                   here                    shape, unit
    nodes mapping to a STAR node            Cutter._without_lists   one section a list, the uppermost ones
    ratio of a node's area to the page's    _area_share             (k,) 0..1
    Cond1, Cond2, Cond3                     Cutter.opens, _stretches

Departures:
  - A STAR of which no page repeats an item (the pages only differ in the order) is no list.
  - Sectioning tags are those of today too: main, section, article, nav, aside, header, footer, form.
  - A page without a layout has no areas: the share of the leaves stands for them.
Unclear: what becomes of that part of a node which is in none of its lists. Here it is a section of its own.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.subtrees import subtree_sum
from webgrain.template.expression import TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webgrain.template.expression import Template
    from webgrain.template.forest import Marked

    Int32 = NDArray[np.int32]
    Floats = NDArray[np.float64]

FEWEST = 2
"""Items on a page that make a list of items of several kinds; one alone is cut as any other node."""

SECTIONING = frozenset(
    ("body", "table", "div", "main", "section", "article", "nav", "aside", "header", "footer", "form")
)
SEPARATORS = frozenset(("hr", "frameset"))
FORMATTING = frozenset(
    (
        *("#text", "a", "abbr", "b", "big", "br", "cite", "code", "em", "font", "i", "img", "kbd", "mark"),
        *("q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var"),
    )
)
"""Elements within a line: a run of such siblings is one section."""


class Cutter:
    """Cuts one page; sections are numbered as they are found.

    at (k,): the node of the template that each node of the page is, -1 for none. area: share of the page
    above which a node is cut further, 0..1.
    """

    def __init__(self, template: Template, page: Marked, at: Int32, area: float) -> None:
        self.page, self.at = page, at
        self.op, self.list_of = template.op, template.list_of
        share = _area_share(page)
        sectioning, self.inline = (
            np.array([tag in tags for tag, _ in page.kinds], bool)[page.kind]
            for tags in (SECTIONING, FORMATTING)
        )
        large = share > area
        below = page.tree.parent[1:][(large & sectioning)[1:]]
        self.opens = large & (np.bincount(below, minlength=len(page)) > 0)
        self.label = np.full(len(page), -1, np.int32)
        self.listed: list[int] = []
        self.count = 0

    def cut(self) -> tuple[Int32, list[int]]:
        """Return the section (k,) of each node, -1 above them, and which sections are lists."""
        work = [0] if len(self.page) else []
        while work:
            node = work.pop()
            rest = self._without_lists(node) if self._has_children(node) else [node]
            if self.opens[node]:
                work.extend(self._without_runs(rest))
            else:
                for stretch in self._stretches(node, rest):
                    self._fill(stretch)
        return self.label, self.listed

    def _without_lists(self, node: int) -> list[int]:
        """Make sections of the lists among the children of a node; return the other children."""
        children = list(self._children(node))
        stars = [int(self.list_of[self.at[child]]) if self.at[child] >= 0 else -1 for child in children]
        count = Counter(star for star in stars if star >= 0)
        sections = {star: self._new() for star, n in count.items() if n >= FEWEST or self.op[star + 1] == TAG}
        self.listed += sections.values()
        rest = []
        for child, star in zip(children, stars, strict=True):
            if star in sections:
                self.label[child : self.page.tree.end[child]] = sections[star]
            else:
                rest.append(child)
        return rest

    def _without_runs(self, nodes: list[int]) -> list[int]:
        """Make a section of each run of formatting elements and texts; return the other nodes."""
        rest: list[int] = []
        for inline, run in groupby(nodes, key=lambda node: bool(self.inline[node])):
            if inline:
                self._fill(list(run))
            else:
                rest += run
        return rest

    def _fill(self, nodes: list[int]) -> None:
        """Put nodes with all that is below them, but for their lists, into one section."""
        section, work = self._new(), list(nodes)
        while work:
            node = work.pop()
            self.label[node] = section
            if self._has_children(node):
                work.extend(self._without_lists(node))

    def _stretches(self, node: int, children: list[int]) -> list[list[int]]:
        """Return the children of a node between its separators (Cond3), all of them where it has none."""
        dom, nodes = self.page.page.dom, self.page.tree.node
        numbers = [k for k, tag in enumerate(dom.tags) if tag in SEPARATORS]
        top = int(nodes[node])
        found = np.flatnonzero(np.isin(dom.tag[top : dom.end[top]], numbers)) + top
        cuts = found[dom.parent[found] == top]
        turn = np.searchsorted(cuts, nodes[children]).tolist()
        return [
            [child for child, own in zip(children, turn, strict=True) if own == k] for k in sorted(set(turn))
        ]

    def _children(self, node: int) -> Iterator[int]:
        child, end = node + 1, self.page.tree.end
        while child < end[node]:
            yield child
            child = int(end[child])

    def _has_children(self, node: int) -> bool:
        return bool(self.page.tree.end[node] > node + 1)

    def _new(self) -> int:
        self.count += 1
        return self.count - 1


def _area_share(page: Marked) -> Floats:
    """(k,) the area of each node's box over that of the page, or the share of its leaves."""
    view, tree = page.page.view, page.tree
    if view is None or not len(tree):
        leaves = subtree_sum(tree.kind > 0, tree.end)
        return leaves / max(int(leaves[0]) if len(leaves) else 1, 1)
    box = view.box[tree.node].astype(np.float64)
    share: Floats = box[:, 2] * box[:, 3] / max(float(view.width) * float(view.height), 1.0)
    return share
