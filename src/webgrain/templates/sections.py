"""Sections of a page: the template of its site cuts them and measures their importance (ours).

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), sections 2.2.2 and
2.2.3. The method as printed is `webgrain.papers.regextree.RegexTree`.

    paper                                   here                     shape, unit
    nodes mapping to a STAR node            `_Cutter._cut_lists`     one section for each uppermost list
    ratio of a node's area to the page's    `area_shares`           (k,) 0..1
    Cond1, Cond2                            `_Cutter.is_cut`         (k,) bool
    Cond3                                   `_Cutter._parts`         separators before a child
    15 %, 25 %                              area, threshold          0..1
    section importance                      `importance`             (s,) 1 - mean noise confidence, by size

Departures:
  - A STAR of which no page repeats an item (the pages only differ in the order) is no list.
  - A list with an item that itself satisfies Cond1 and has a sectioning tag is not one section: its items are
    cut further.
  - A node that contains the first and the last text of the page is always cut, so that no section spans the
    page unless the page is a single unit: text, or a list of items without sectioning tags.
  - Sectioning tags include parts of tables, and those of HTML 5.
  - Between the parts of a node that is cut, not only formatting elements but all elements of a text
    (paragraphs, headings) are one section.
  - For a page without a rendering, the share of the leaves replaces that of the area.
  - The size of a leaf is its number of characters; an image counts as 10, another leaf as 5.
Unclear: what becomes of that part of a node which is in none of its lists. Here it is a separate section.

Cost: linear in the number of nodes, and n log n in that of separators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.base.estimator import Estimator, real
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import subtree_sum
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.segmentation import Segmentation, renumbered, segment_records
from webgrain.page.strings import name_set
from webgrain.templates.crx import TAG
from webgrain.templates.matching import Match, TemplateMatcher, harmonic_mean
from webgrain.templates.template import Template, children, node_types
from webgrain.templates.thresholds import MIN_LIST_ITEMS

SECTIONING_TAGS = name_set(
    "body table tbody tr td div main section article nav aside header footer form fieldset center frameset"
)
SEPARATING_TAGS = name_set("hr frameset")
FORMATTING_TAGS = name_set(
    "#text a abbr b big br cite code em font i img kbd mark q s samp small span strong sub sup time tt u var"
)
"""Elements within a line."""

PROSE = FORMATTING_TAGS | name_set("p pre blockquote h1 h2 h3 h4 h5 h6")
"""Parts of a text: a run of such siblings is one section."""


class _Cutter:
    """Cuts one page (2.2.2); sections are numbered in the order in which they are made.

    at (k,): the template node of each node of the page, -1 for none. area: share of the page above which a
    node is cut further, 0..1.
    """

    def __init__(self, template: Template, page: Page, at: Int32, area: float) -> None:
        self.dom, self.tree, self.at = page.dom, visible_tree(page), at
        size = len(self.tree)
        self.op, self.list_of = template.op, template.list_of
        self.is_block, self.is_prose = (
            node_types(page).where(tags.__contains__) for tags in (SECTIONING_TAGS, PROSE)
        )
        self.is_prose &= subtree_sum(self.is_block, self.tree.end) == 0
        large = area_shares(page) > area  # Cond1
        self.spans = _spanning(page)
        self.is_large = large & self.is_block | self.spans
        above = self.tree.parent[1:][self.is_large[1:]]
        self.is_cut = large & (np.bincount(above, minlength=size) > 0) | self.spans  # Cond1 and Cond2
        separator = np.flatnonzero(self.dom.tagged(*SEPARATING_TAGS))
        self.separator = separator[np.argsort(self.dom.parent[separator], kind="stable")]
        self.above = self.dom.parent[self.separator]
        self.label = np.full(size, -1, np.int32)
        self.lists: list[int] = []
        self.count = 0

    def cut(self) -> tuple[Int32, list[int]]:
        """Return the section (k,) of each node, -1 above them, and which sections are lists."""
        work = [0] if len(self.tree) else []
        while work:
            node = work.pop()
            rest = self._cut_lists(node) or ([node] if self.tree.kind[node] else [])
            part = self._parts(node, rest)
            # Whole children are not cut further, but are in one section with their neighbours.
            whole = {child: bool(self.is_prose[child] or not self.is_cut[node]) for child in rest}
            for _, run in groupby(rest, key=lambda child: (part[child], whole[child])):
                nodes = list(run)
                if whole[nodes[0]]:
                    self._make_section(nodes)
                else:
                    work.extend(nodes)
        return self.label, self.lists

    def _cut_lists(self, node: int) -> list[int]:
        """Make sections of the lists among the children of a node; return the other children."""
        nodes = list(children(self.tree.end, node))
        stars = [int(self.list_of[self.at[child]]) if self.at[child] >= 0 else -1 for child in nodes]
        count = Counter(star for star in stars if star >= 0)
        lists = {star for star, n in count.items() if n >= MIN_LIST_ITEMS or self.op[star + 1] == TAG}
        lists -= {star for child, star in zip(nodes, stars, strict=True) if self.is_large[child]}
        if self.spans[node] and stars[0] == stars[-1] and self.is_block[nodes[0]]:
            lists.discard(stars[0])  # it would span the page
        sections = dict(zip(sorted(lists), range(self.count, self.count + len(lists)), strict=True))
        self.count += len(lists)
        self.lists += sections.values()
        rest = []
        for child, star in zip(nodes, stars, strict=True):
            if star in sections:
                self.label[child : self.tree.end[child]] = sections[star]
            else:
                rest.append(child)
        return rest

    def _make_section(self, nodes: list[int]) -> None:
        """Put nodes and everything below them, except their lists, into one section."""
        section = self.count
        work = list(nodes)
        self.count += 1
        while work:
            node = work.pop()
            self.label[node] = section
            work.extend(self._cut_lists(node))

    def _parts(self, node: int, rest: list[int]) -> dict[int, int]:
        """Return the number of separators among the children of a node before each child (Cond3)."""
        first, last = np.searchsorted(self.above, [self.tree.node[node], self.tree.node[node] + 1])
        before = np.searchsorted(self.separator[first:last], self.tree.node[rest])
        return dict(zip(rest, before.tolist(), strict=True))


def _spanning(page: Page) -> Bool:
    """(k,) the nodes that contain the first and the last text of the page; none on a page with one text."""
    tree = visible_tree(page)
    texts = np.flatnonzero(tree.kind == TEXT_LEAF)
    spans = np.zeros(len(tree), bool)
    if len(texts) > 1:
        spans[: texts[0]] = tree.end[: texts[0]] > texts[-1]
    return spans


def area_shares(page: Page) -> Float64:
    """(k,) the area of each node's box over that of the page, or the share of its leaves."""
    view, tree = page.view, visible_tree(page)
    if view is None or not len(tree):
        return tree.leaves / max(len(tree.leaf), 1)
    box = view.box[tree.node].astype(np.float64)
    share: Float64 = box[:, 2] * box[:, 3] / max(float(view.width) * float(view.height), 1.0)
    return share


@dataclass(frozen=True, slots=True, eq=False)
class Sections(ReadOnly):
    """The sections of one page.

    Attributes:
        match: the page matched with the template.
        labels: (n,) int32 per node of the Dom, the id of its section, -1 for none; numbered by first node.
        importance: (s,) share of each section that is not noise, 0..1; noisy: (s,) bool.
        listed: (s,) bool, True for a list: the nodes of a STAR of the template.
        noise: (n,) noise confidence of the leaves, 0 at other nodes.
    """

    match: Match
    labels: Int32
    importance: Float64
    noisy: Bool
    listed: Bool
    noise: Float64

    def __len__(self) -> int:
        """Return the number of sections."""
        return len(self.importance)

    def segmentation(self, template: str) -> Segmentation:
        """Return the sections as segments; template: its name, for the parameters of the result."""
        params = {
            "template": template,
            "match": round(self.match.score, 3),
            "accepted": self.match.accepted,
            "exact": self.match.exact,
            "differences": list(self.match.reasons),
            "noisy": self.noisy.tolist(),
            "listed": self.listed.tolist(),
        }
        return Segmentation(self.labels, "sections", params, importance=self.importance)


@dataclass(kw_only=True, eq=False, repr=False)
class Sectioner(Estimator):
    """Cuts pages into sections with a template.

    Attributes:
        template: of the site, learnt by `SiteTemplate` or `RegexTree`.
        area: share of the page above which a node is cut further, 0..1.
        threshold: importance below which a section is noisy, 0..1.
        matcher: of the template.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> html = "<div><a href=/>Home</a><a href=/b>News</a></div><div><h1>{0}</h1>" + "<p>Text {0}" * 3
    >>> pages = [parse(html.format(letter)) for letter in "abc"]
    >>> cutter = Sectioner(template=SiteTemplate().fit(pages).template_)
    >>> cutter.predict(pages[0]).importance.round(2).tolist()  # the menu, the heading, the text
    [0.0, 1.0, 1.0]
    """

    template: Template
    area: float = real(0.15, 0.0, 1.0)
    threshold: float = real(0.25, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.matcher = TemplateMatcher(self.template)

    def predict(self, page: PageLike) -> Sections:
        """Return the sections of a page; parts that do not fit the template are cut by area alone."""
        page = as_page(page)
        return self.cut(page, self.match(page))

    def match(self, page: PageLike) -> Match:
        """Return the match of a page with the template."""
        return self.matcher.match(page)

    def labels(self, page: PageLike) -> Int32:
        """Return the template node (n,) of each node of a page, -1 for none: `Match.labels`."""
        page = as_page(page)
        return visible_tree(page).to_dom(self.matcher.align(page).at)

    def noise(self, page: Page, labels: Int32) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes; labels: of `labels`."""
        return self.matcher.noise(page, labels[visible_tree(page).node])

    def cut(self, page: Page, match: Match) -> Sections:
        """Return the sections of a matched page."""
        tree = visible_tree(page)
        noise = self.noise(page, match.labels)
        label, listed = _Cutter(self.template, page, match.labels[tree.node], self.area).cut()
        leaf = tree.leaf
        label[~np.isin(label, label[leaf])] = -1  # a section whose leaves are all in lists
        labels = renumbered(tree.to_dom(label))
        worth = importance(page, labels, noise)
        is_list = np.zeros(len(worth), bool)
        is_list[labels[tree.node[leaf]]] = np.isin(label[leaf], listed)
        return Sections(match, labels, worth, worth < self.threshold, is_list, noise)


def importance(page: Page, labels: Int32, noise: Float64) -> Float64:
    """Return the importance (s,) of the parts of a page: 1 - mean noise confidence of their leaves, by size.

    labels (n,): the part of each node of the Dom, -1 for none; noise (n,): of its leaves, 0..1.
    """
    tree = visible_tree(page)
    leaf = tree.leaf[labels[tree.leaf_node] >= 0]
    node = tree.node[leaf]
    size = _sizes(page)[leaf]
    part = labels[node]
    parts = int(labels.max(initial=-1)) + 1
    noisy = np.bincount(part, size * noise[node], parts)
    whole = np.bincount(part, size, parts)
    worth: Float64 = 1.0 - noisy / np.maximum(whole, 1e-9)
    return worth


class BestSectioner:
    """Cuts a page with the one of several named templates that it fits best.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> one, other = parse("<p>a<p>b"), parse("<h1>a</h1><ul><li>b</ul>")
    >>> methods = {"plain": SiteTemplate().fit([one]), "list": SiteTemplate().fit([other])}
    >>> best = BestSectioner({name: Sectioner(template=fitted.template_) for name, fitted in methods.items()})
    >>> best.match(other)[0], best.predict(one).params["template"]
    ('list', 'plain')
    """

    def __init__(self, cutters: Mapping[str, Sectioner]) -> None:
        self.cutters = cutters

    def match(self, page: PageLike) -> tuple[str, Match]:
        """Return the name of the template that a page fits best, and its match.

        Templates are tried by the share of the nodes that they know, which bounds the score.
        """
        page = as_page(page)
        matchers = {name: cutter.matcher for name, cutter in self.cutters.items()}
        aligned = {name: matcher.align(page) for name, matcher in matchers.items()}
        bounds = {name: harmonic_mean(alignment.known, 1.0) for name, alignment in aligned.items()}
        matches: dict[str, Match] = {}
        most = 0.0
        for name in sorted(bounds, key=bounds.__getitem__, reverse=True):
            if bounds[name] >= most:
                matches[name] = matchers[name].match_of(page, aligned[name])
                most = max(most, matches[name].score)
        best = next(name for name in self.cutters if name in matches and matches[name].score == most)
        return best, matches[best]

    def noise(self, page: Page, name: str | None) -> tuple[str | None, Match | None, Float64]:
        """Return the name of a template, the match of a page with it, and the noise confidence (n,).

        name: of the template to be used; if there is none with this name, the one that the page fits best.
        Without templates, there is no match, and the noise confidence is NaN.
        """
        if not self.cutters:
            return None, None, np.full(visible_tree(page).size, np.nan)
        if name is not None and name in self.cutters:
            match = self.cutters[name].match(page)
        else:
            name, match = self.match(page)
        return name, match, self.cutters[name].noise(page, match.labels)

    def predict(self, page: PageLike) -> Segmentation:
        """Return the sections of a page."""
        page = as_page(page)
        name, match = self.match(page)
        return self.cutters[name].cut(page, match).segmentation(name)


def _sizes(page: Page) -> Float64:
    """(k,) the size of each leaf, 0 at other nodes."""
    dom, tree = page.dom, visible_tree(page)
    text = np.diff(dom.text_start)[tree.node].astype(np.float64)
    return np.select([tree.kind == TEXT_LEAF, tree.kind == IMAGE, tree.kind > 0], [text, 10.0, 5.0], 0.0)


def sections_record(page: Page, sections: Segmentation) -> dict[str, Any]:
    """Return the record that ``webgrain sections`` writes for a page.

    sections: the result of `webgrain.templates.sections.Sections.segmentation`.
    """
    head, rows = segment_records(page, sections)
    params = sections.params
    noisy, listed = params["noisy"], params["listed"]
    return head | {
        "template": params["template"],
        "match": params["match"],
        "accepted": params["accepted"],
        "exact": params["exact"],
        "differences": params["differences"],
        "sections": [
            record
            | {
                "importance": section.importance,
                "boilerplate": noisy[section.id],
                "noisy": noisy[section.id],  # old name
                "list": listed[section.id],
            }
            for section, record in rows
        ],
    }
