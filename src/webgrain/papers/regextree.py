"""RegexTree: the template of a site as a regular expression over trees, and the noise in its pages.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster).

Problem: a page has sections of different importance, such as an article and a menu. Informative content
differs between the pages of a site in text and structure, while noise repeats. How noisy is each part of a
page?

Learning (2.1), from k sample pages:
  1. Create a template and generalise it: a regular expression over the trees of the pages.
  2. Count the pages that have each node of the template, and each feature at a leaf node.
  3. The noise confidence of a feature: its pages over the pages that have the node.
  4. Store it at nodes that more than 20 % of the pages have.

Segmentation and importance (2.2):
  2.2.1 Match a page with the template, and transfer the noise confidence to its leaves.
  2.2.2 Each list of the template is a section; cut the rest of the page by area, tags and separators.
  2.2.3 The importance of a section: 1 - the mean noise confidence of its leaves, by size.

    paper                              here                      shape, unit
    template                           `Template`                (m,) nodes: TAG, SEQ, STAR, OPT, ALT
    *, ?, |                            STAR, OPT, ALT
    k sample pages                     Template.n_pages
    feature                            sort and value: text, link or image source of a leaf
    PS of a template node              Template.page_support     (m,) pages
    PS of a feature                    `_feature_supports`       pages, by node and feature
    node support                       Template.support          (m,) 0..1
    noise confidence of a feature      Template.noise            0..1, by node and feature
    20 %, step 4                       node_support              0..1
    mapping to structural nodes        Match.labels              (n,) template node of each node of the Dom
    list: nodes of a STAR              `_lists`                  a section for each uppermost STAR
    Cond1, Cond2, Cond3                `_cut`                    (k,) bool, visible nodes
    15 %                               area                      0..1
    section importance                 Sections.importance       (s,) 0..1
    25 %                               threshold                 0..1

Used from `webgrain.templates`, with these contracts:
  - ``learn_structure(pages)``: the template with its page supports, and the template node of each node of the
    pages. Every page is in the language of the template, which does not depend on the order of the pages.
  - ``Matcher.align(page)``: the template node ``at`` (k,) of each visible node, -1 for none; of a page in the
    language of the template, every node has one.
  - ``LeafFeatures.content(leaf)``: the features of a leaf.
  - ``area_shares(page)``: the area of each node over that of the page, without boxes its share of the leaves.
  - ``importance(page, labels, noise)``: 1 - the weighted mean of the noise confidence in each section. The
    weight of a text is its length in characters, that of an image 10, of another leaf 5.
  - ``with_statistics``: what `accepts` and the report on drift need; not in the paper.

Departures:
  - The paper generalises the template page by page and does not specify how. Here the children of all nodes
    that a TAG represents are strings over symbols, and one expression is learnt from these strings
    (`webgrain.templates.crx`).
  - Elements are distinguished by ids and classes, too, as far as enough pages share them (``mark_support``).
  - A link to the page itself is no feature.
  - A STAR of which no sample page repeats an item (the pages only differ in the order) is no list.

Unclear: the first operator of (A)*B(C)?D(E|F) is garbled in print, * or +. Here it is *, so that BCDE is
accepted, too. Which tags are "like" those that 2.2.2 names: here those of `webgrain.templates.sections`. What
becomes of that part of a node which is in none of its lists: here it is a section without them.

`webgrain.templates.sections.Sectioner` cuts pages with departures that avoid sections of mixed content.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64
from webgrain.base.estimator import real
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.segmentation import renumbered
from webgrain.templates.leaffeatures import LeafFeatures
from webgrain.templates.learner import TemplateLearner
from webgrain.templates.sections import (
    FORMATTING_TAGS,
    SECTIONING_TAGS,
    SEPARATING_TAGS,
    Sections,
    area_shares,
    importance,
)
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import ContentFeature, Template, children, node_types


@dataclass(kw_only=True, eq=False, repr=False)
class RegexTree(TemplateLearner):
    """The template of a site, or of one of its page types, as in the paper.

    Attributes:
        node_support: share of the pages; more must have a node for its features to be noise, 0..1.
        area: share of the page; a larger node is cut further, 0..1.
        threshold: importance below which a section is noisy, 0..1.
        mark_support: share of the pages that must have an id or class for it to count, 0..1 (ours).
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out: those without a visible node.

    >>> from webgrain.page.parsing import parse
    >>> pages = [f"<b>My site</b><h1>{n}</h1><p>{n}" + "<p>More" * n for n in range(3)]
    >>> method = RegexTree().fit(pages)
    >>> print(method.template_)
    html[body[b[#text] h1[#text] (p[#text])*]]
    >>> page = parse("<b>My site</b><h1>New</h1><p>Text")
    >>> method.predict(page).score, method.accepts(page)
    (1.0, True)
    >>> noise = method.noise(page)
    >>> {page.dom.text_of(node): float(noise[node]) for node in np.flatnonzero(page.dom.is_text).tolist()}
    {'My site': 1.0, 'New': 0.0, 'Text': 0.0}
    >>> method.sections(page).importance.round(2).tolist()  # line and heading; the list of paragraphs
    [0.3, 1.0]
    """

    node_support: float = real(0.2, 0.0, 1.0)
    area: float = real(0.15, 0.0, 1.0)
    threshold: float = real(0.25, 0.0, 1.0)
    mark_support: float = real(0.2, 0.0, 1.0)

    # 2.1

    def _learn(self, pages: Sequence[Page]) -> dict[str, str]:
        template, places = learn_structure(pages, self.mark_support)  # step 1, and PS of the nodes
        template = replace(template, noise=self._noise_confidence(template, pages, places))
        self._set(with_statistics(template, pages, places))
        return {}

    def _noise_confidence(
        self, template: Template, pages: Sequence[Page], places: Sequence[Int32]
    ) -> dict[int, dict[ContentFeature, float]]:
        """Return the noise confidence of the features by node (steps 3 and 4)."""
        noise: dict[int, dict[ContentFeature, float]] = defaultdict(dict)
        is_kept = template.support > self.node_support
        for (node, feature), support in sorted(_feature_supports(pages, places).items()):
            if is_kept[node]:
                noise[node][feature] = support / int(template.page_support[node])
        return dict(noise)

    # 2.2.1

    def noise(self, page: PageLike) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom.

        It is the greatest one of the features that the leaf has in common with its template node.
        """
        page = as_page(page)
        matcher = self._matcher()
        at = matcher.align(page).at
        features = LeafFeatures(page)
        tree = visible_tree(page)
        confidence = np.zeros(tree.size)
        for leaf in tree.leaf.tolist():
            stored = matcher.template.noise.get(int(at[leaf]))
            if stored:
                values = [stored.get(feature, 0.0) for feature in features.content(leaf)]
                confidence[tree.node[leaf]] = max(values, default=0.0)
        return confidence

    # 2.2.2 and 2.2.3

    def sections(self, page: PageLike) -> Sections:
        """Return the sections of a page with their importance; `ParameterError` before ``fit``."""
        page = as_page(page)
        match = self.predict(page)
        noise = self.noise(page)
        tree = visible_tree(page)
        lists = _lists(match.template, page, match.labels[tree.node])
        section = _cut(page, lists, self.area)
        labels = renumbered(tree.to_dom(section))
        worth = importance(page, labels, noise)
        listed = np.zeros(len(worth), bool)
        listed[labels[tree.node[lists >= 0]]] = True
        return Sections(match, labels, worth, worth < self.threshold, listed, noise)


def _feature_supports(pages: Sequence[Page], places: Sequence[Int32]) -> Counter[tuple[int, ContentFeature]]:
    """Return the number of pages that have each feature at each leaf template node (step 2).

    places: the template node (k,) of each node of each page.
    """
    count: Counter[tuple[int, ContentFeature]] = Counter()
    for page, at in zip(pages, places, strict=True):
        features = LeafFeatures(page)
        leaves = [leaf for leaf in visible_tree(page).leaf.tolist() if at[leaf] >= 0]
        count.update({(int(at[leaf]), feature) for leaf in leaves for feature in features.content(leaf)})
    return count


def _lists(template: Template, page: Page, at: Int32) -> Int32:
    """Return the list (k,) that each node is in, -1 for none (2.2.2, step 1).

    A list is the nodes of an uppermost STAR below one parent. at (k,): the template nodes of the page.
    """
    star = np.append(template.list_of, -1)[at].tolist()  # the last entry is for nodes without a template node
    tree = visible_tree(page)
    parent = tree.parent.tolist()
    numbers: dict[tuple[int, int], int] = {}
    lists = np.full(len(tree), -1, np.int32)
    for node, above in enumerate(parent):
        if above >= 0 and lists[above] >= 0:
            lists[node] = lists[above]
        elif star[node] >= 0:
            lists[node] = numbers.setdefault((above, star[node]), len(numbers))
    return lists


def _cut(page: Page, lists: Int32, area: float) -> Int32:
    """Return the section (k,) of each node, -1 above the sections (2.2.2, steps 2 to 6).

    lists (k,): the nodes in lists, which are sections already.
    """
    tree = visible_tree(page)
    section = lists.copy()
    is_block = _has_tag(page, SECTIONING_TAGS)
    is_formatting = _has_tag(page, FORMATTING_TAGS)
    cond1 = area_shares(page) > area
    cond2 = np.zeros(len(tree), bool)
    cond2[tree.parent[1:][(is_block & cond1)[1:]]] = True
    separators = _separators(page)
    count = int(lists.max(initial=-1)) + 1
    work = [0] if len(tree) else []
    while work:
        node = work.pop()
        child = np.array(list(children(tree.end, node)), np.int64)
        in_list = lists[child] >= 0
        gap = np.searchsorted(child[in_list], child[~in_list])  # lists before each other child
        child = child[~in_list]
        before = np.searchsorted(separators[node], tree.node[child])  # separators before each child
        if cond1[node] and cond2[node]:
            work += child[~is_formatting[child]].tolist()  # step 3
            runs = _runs(child, before, gap, is_formatting[child])
            parts = [run for run in runs if is_formatting[run[0]]]  # step 6
        elif separators[node]:  # Cond3
            parts = _runs(child, before)  # step 4
        else:
            parts = [[node]]  # step 5
        for nodes in parts:
            for top in nodes:
                inside = section[top : tree.end[top]]
                inside[inside < 0] = count
            count += 1
    section[~np.isin(section, section[tree.leaf])] = -1  # all of its leaves are in lists
    return section


def _has_tag(page: Page, tags: Container[str]) -> Bool:
    """Return which nodes (k,) have one of these tags."""
    return node_types(page).where(tags.__contains__)


def _separators(page: Page) -> dict[int, list[int]]:
    """Return the separators, as nodes of the Dom, among the children of each visible node."""
    dom = page.dom
    visible = {number: k for k, number in enumerate(visible_tree(page).node.tolist())}
    separators: dict[int, list[int]] = defaultdict(list)
    nodes = [node for tag in SEPARATING_TAGS for node in dom.find_tag(tag).tolist()]
    for node in sorted(nodes):
        parent = int(dom.parent[node])
        separators[visible.get(parent, -1)].append(node)
    return separators


def _runs(nodes: Int64, *keys: Int64 | Bool) -> list[list[int]]:
    """Return the runs of nodes (c,) whose keys (c,) are equal."""
    rows = zip(nodes.tolist(), *(key.tolist() for key in keys), strict=True)
    return [[row[0] for row in run] for _, run in groupby(rows, key=lambda row: row[1:])]
