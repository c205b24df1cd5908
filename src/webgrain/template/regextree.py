"""RegexTree: the template of a site as a regular expression over trees.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), section 2.1 and
2.2.1; the sections of a page (2.2.2, 2.2.3): `webgrain.template.sections`.

    paper                            here                     shape
    template                         Template                 (m,) nodes: TAG, SEQ, STAR, OPT, ALT
    *, ?, |                          STAR, OPT, ALT
    k sample pages                   Template.n_pages
    PS of a template node            Template.page_support    (m,)
    node support                     Template.support         (m,) 0..1
    noise confidence of a feature    Template.noise           by leaf and feature, 0..1
    mapping to structural nodes      Match.labels             (n,) template node of each node of the Dom

Departures:
  - The paper generalises the template page by page and leaves open how. Here the rows of children of all
    pages make one expression (`webgrain.kernels.crx`): the order of the pages plays no part, and the template
    has every page that it was learnt from.
  - Nodes are told apart by id and classes too, not by their tag alone, as far as pages share them.
  - Pages that have little in common with the others are left out, and it is said why.
Unclear: the first operator of (A)*B(C)?D(E|F), garbled in print: * or +. Here it is *, so that the template
has BCDE too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_number
from webgrain.template.expression import TAG, Template
from webgrain.template.forest import marked
from webgrain.template.matching import CORE, Match, Matcher, harmonic
from webgrain.template.noise import learn_noise
from webgrain.template.structure import learn_structure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.template.forest import Marked

    Int32 = NDArray[np.int32]

SLACK = 0.02
"""How much less than the worst of the learnt pages a page may fit."""


@dataclass(kw_only=True, eq=False)
class RegexTree(Estimator):
    """Template of a site, or of one kind of its pages.

    Attributes:
        least_match: score below which a page is left out when the template is learnt, 0..1.
        mark_support: share of the pages that must have an id or class for it to count, 0..1.
        node_support: share of the pages that must have a node for its features to be noise, 0..1.
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> pages = [f"<b>My site</b><h1>{n}</h1><p>{n}" + "<p>More" * n for n in range(3)]
    >>> learnt = RegexTree().fit(parse(Source(html, html.encode())) for html in pages)
    >>> print(learnt.template_)
    html[body[b[#text] h1[#text] (p[#text])*]]
    >>> learnt.predict(parse(Source("new", b"<b>My site</b><h1>New</h1><p>Text"))).score
    1.0
    """

    least_match: float = 0.5
    mark_support: float = 0.2
    node_support: float = 0.2
    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("least_match", "mark_support", "node_support"):
            check_number(self, name, 0.0, 1.0)

    def fit(self, pages: Iterable[Page | Marked]) -> Self:
        """Learn the template of pages; about 15 are enough.

        `ParameterError` without a page, and where none has anything in common with the others.
        """
        kept = [marked(page) for page in pages]
        if not kept:
            raise ParameterError("RegexTree: expected pages to learn a template from, got none.")
        self.rejected_ = {page.page.id: "It has no visible node." for page in kept if not len(page)}
        kept = [page for page in kept if len(page)]
        while kept:
            template, places = learn_structure(kept, self.mark_support)
            shares = held_out(template, places)
            scores = [harmonic(*row) for row in shares.tolist()]
            if min(scores) >= self.least_match:
                break
            self._reject(kept, scores)
            kept = [page for page, score in zip(kept, scores, strict=True) if score >= self.least_match]
        else:
            raise ParameterError("RegexTree: expected pages that have something in common, got none.")
        known, present = np.maximum(shares.min(axis=0) - SLACK, 0.0).tolist()
        noise = learn_noise(template, kept, places, self.node_support)
        self.template_ = replace(template, noise=noise, floor=(known, present))
        self._matcher = Matcher(self.template_)
        return self

    def predict(self, page: Page) -> Match:
        """Return the match of a page; `ParameterError` before `fit`."""
        if self.template_ is None:
            raise ParameterError("RegexTree: expected fit to have been called before predict.")
        return self._matcher.match(page)

    def _reject(self, pages: Sequence[Marked], scores: Sequence[float]) -> None:
        for page, score in zip(pages, scores, strict=True):
            if score < self.least_match:
                self.rejected_[page.page.id] = (
                    f"It fits the other pages by {score:.2f} only, less than {self.least_match:g}."
                )


def held_out(template: Template, places: Sequence[Int32]) -> NDArray[np.float64]:
    """Return how each page fits what the others have (p, 2), without learning anew for each.

    Columns as `Match.known` and `Match.present`: what only one page has is unknown to the others, and what
    nine in ten of them have is missed where it is absent. A single page fits itself.
    """
    if len(places) < 2:
        return np.ones((len(places), 2))
    tags, support = template.op == TAG, template.page_support
    shares = np.zeros((len(places), 2))
    for row, at in zip(shares, places, strict=True):
        mine = np.zeros(len(template), bool)
        mine[at] = True
        core = tags & (support - mine >= CORE * (template.n_pages - 1))
        row[:] = (support[at] > 1).mean(), mine[core].mean() if core.any() else 0.0
    return shares
