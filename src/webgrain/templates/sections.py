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

Sections of a page, cut with the template of its site, and how important each is.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), sections 2.2.2 (see
`webgrain.templates.sections`) and 2.2.3.

    paper                                   here                    shape, unit
    noise confidence of a leaf              KnownNoise              (k,) 0..1
    section importance                      Sections.importance     (s,) 1 - mean confidence, by size

Departure: the size of a leaf is its number of characters; an image counts as 10, another leaf as 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from webgrain.arrays import Bool, Float64, Int32
from webgrain.estimator import Estimator, check_number
from webgrain.page.dom import freeze, subtree_sum
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.page import Page
from webgrain.results import Segmentation, canonical
from webgrain.templates.regextree import KnownNoise, Match, Matcher
from webgrain.templates.template import TAG, Marked, Template, marked

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


def _area_share(page: Marked) -> Float64:
    """(k,) the area of each node's box over that of the page, or the share of its leaves."""
    view, tree = page.page.view, page.tree
    if view is None or not len(tree):
        leaves = subtree_sum(tree.kind > 0, tree.end)
        return leaves / max(int(leaves[0]) if len(leaves) else 1, 1)
    box = view.box[tree.node].astype(np.float64)
    share: Float64 = box[:, 2] * box[:, 3] / max(float(view.width) * float(view.height), 1.0)
    return share


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """The sections of one page.

    Attributes:
        match: how the page fits the template.
        labels: (n,) int32 per node of the Dom, the id of its section, -1 for none; numbered by first node.
        importance: (s,) 0..1, the less of a section is noise the more; noisy: (s,) bool.
        listed: (s,) bool, True for a list: what a STAR of the template stands for.
        noise: (n,) noise confidence of the leaves, 0 at other nodes.
    """

    match: Match
    labels: Int32
    importance: Float64
    noisy: Bool
    listed: Bool
    noise: Float64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Return the number of sections."""
        return len(self.importance)

    def segmentation(self, template: str) -> Segmentation:
        """Return the sections as segments, with the name of the template and what else is known of them."""
        told = {
            "template": template,
            "match": round(self.match.score, 3),
            "accepted": self.match.accepted,
            "noisy": self.noisy.tolist(),
            "listed": self.listed.tolist(),
        }
        return Segmentation(self.labels, "sections", told, importance=self.importance)


@dataclass(kw_only=True, eq=False)
class Sectioner(Estimator):
    """Cuts pages into sections with a template.

    Attributes:
        template: of the site, as `RegexTree` learns it.
        area: share of the page above which a node is cut further, 0..1.
        threshold: importance below which a section is noisy, 0..1.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> html = "<div><a href=/>Home</a><a href=/b>News</a></div><div><h1>{0}</h1>" + "<p>Text {0}" * 3
    >>> pages = [parse(Source(f"{n}", html.format("abc"[n]).encode())) for n in range(3)]
    >>> cutter = Sectioner(template=RegexTree().fit(pages).template_)
    >>> cutter.predict(pages[0]).importance.round(2).tolist()  # the menu, the heading, the text
    [0.0, 1.0, 1.0]
    """

    template: Template
    area: float = 0.15
    threshold: float = 0.25

    def __post_init__(self) -> None:
        check_number(self, "area", 0.0, 1.0)
        check_number(self, "threshold", 0.0, 1.0)
        self._matcher = Matcher(self.template)
        self._noise = KnownNoise(self.template)

    def predict(self, page: Page | Marked) -> Sections:
        """Return the sections of a page; where it does not fit the template, by area alone."""
        one = marked(page)
        return self.cut(one, self.match(one))

    def match(self, page: Page | Marked) -> Match:
        """Return how a page fits the template."""
        return self._matcher.match(page)

    def noise(self, page: Marked, match: Match) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page that was matched, 0 at other nodes."""
        node = page.tree.node
        noise = np.zeros(page.tree.size)
        noise[node] = self._noise.of(page, match.labels[node])
        return noise

    def cut(self, page: Marked, match: Match) -> Sections:
        """Return the sections of a page that was matched."""
        tree, noise = page.tree, self.noise(page, match)
        label, listed = Cutter(self.template, page, match.labels[tree.node], self.area).cut()
        leaf = tree.leaves
        label[~np.isin(label, label[leaf])] = -1  # all that such a section had stands in lists
        labels = canonical(tree.to_dom(label))
        worth = importance(page, labels, noise)
        is_list = np.zeros(len(worth), bool)
        is_list[labels[tree.node[leaf]]] = np.isin(label[leaf], listed)
        return Sections(match, labels, worth, worth < self.threshold, is_list, noise)


def importance(page: Marked, labels: Int32, noise: Float64) -> Float64:
    """Return how important each of the s parts of a page is (s,): how little of it is noise, by size.

    labels (n,): the part that each node of the Dom is in, -1 for none; noise (n,): of its leaves, 0..1.
    """
    leaf = page.tree.leaves
    leaf = leaf[labels[page.tree.node[leaf]] >= 0]
    node, size = page.tree.node[leaf], _sizes(page)[leaf]
    own, parts = labels[node], int(labels.max(initial=-1)) + 1
    noisy, whole = np.bincount(own, size * noise[node], parts), np.bincount(own, size, parts)
    worth: Float64 = 1.0 - noisy / np.maximum(whole, 1e-9)
    return worth


class BestSectioner:
    """Cuts a page with the one of several templates that it fits best, by their names.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> one, other = (parse(Source("a", html)) for html in (b"<p>a<p>b", b"<h1>a</h1><ul><li>b</ul>"))
    >>> templates = {"plain": RegexTree().fit([one]).template_, "list": RegexTree().fit([other]).template_}
    >>> best = BestSectioner({name: Sectioner(template=template) for name, template in templates.items()})
    >>> best.match(other)[0], best.predict(one).params["template"]
    ('list', 'plain')
    """

    def __init__(self, cutters: Mapping[str, Sectioner]) -> None:
        self.cutters = cutters

    def match(self, page: Page | Marked) -> tuple[str, Match]:
        """Return the name of the template that a page fits best, and how it does."""
        one = marked(page)
        matches = ((name, cutter.match(one)) for name, cutter in self.cutters.items())
        return max(matches, key=lambda found: found[1].score)

    def predict(self, page: Page | Marked) -> Segmentation:
        """Return the sections of a page."""
        one = marked(page)
        name, match = self.match(one)
        return self.cutters[name].cut(one, match).segmentation(name)


def _sizes(page: Marked) -> Float64:
    """(k,) the size of each leaf, 0 at other nodes."""
    dom, tree = page.page.dom, page.tree
    text = np.diff(dom.text_start)[tree.node].astype(np.float64)
    return np.select([tree.kind == TEXT_LEAF, tree.kind == IMAGE, tree.kind > 0], [text, 10.0, 5.0], 0.0)
