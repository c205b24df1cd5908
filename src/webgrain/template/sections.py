"""Sections of a page, cut with the template of its site, and how important each is.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), sections 2.2.2 (see
`webgrain.template.cutting`) and 2.2.3.

    paper                                   here                    shape, unit
    noise confidence of a leaf              KnownNoise              (k,) 0..1
    section importance                      Sections.importance     (s,) 1 - mean confidence, by size

Departure: the size of a leaf is its number of characters; an image counts as 10, another leaf as 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.estimator import Estimator, check_number
from webgrain.page.dom import freeze
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.results import Segmentation, canonical
from webgrain.template.cutting import Cutter
from webgrain.template.forest import marked
from webgrain.template.matching import Matcher
from webgrain.template.noise import KnownNoise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.template.expression import Template
    from webgrain.template.forest import Marked
    from webgrain.template.matching import Match

    Int32 = NDArray[np.int32]
    Floats = NDArray[np.float64]


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
    importance: Floats
    noisy: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    noise: Floats

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

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
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

    def noise(self, page: Marked, match: Match) -> Floats:
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


def importance(page: Marked, labels: Int32, noise: Floats) -> Floats:
    """Return how important each of the s parts of a page is (s,): how little of it is noise, by size.

    labels (n,): the part that each node of the Dom is in, -1 for none; noise (n,): of its leaves, 0..1.
    """
    leaf = page.tree.leaves
    leaf = leaf[labels[page.tree.node[leaf]] >= 0]
    node, size = page.tree.node[leaf], _sizes(page)[leaf]
    own, parts = labels[node], int(labels.max(initial=-1)) + 1
    noisy, whole = np.bincount(own, size * noise[node], parts), np.bincount(own, size, parts)
    worth: Floats = 1.0 - noisy / np.maximum(whole, 1e-9)
    return worth


class BestSectioner:
    """Cuts a page with the one of several templates that it fits best, by their names.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
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


def _sizes(page: Marked) -> Floats:
    """(k,) the size of each leaf, 0 at other nodes."""
    dom, tree = page.page.dom, page.tree
    text = np.diff(dom.text_start)[tree.node].astype(np.float64)
    return np.select([tree.kind == TEXT_LEAF, tree.kind == IMAGE, tree.kind > 0], [text, 10.0, 5.0], 0.0)
