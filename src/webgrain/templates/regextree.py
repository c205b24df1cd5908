"""RegexTree: the template of a site, or of one page type, as a regular expression over trees.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), sections 2.1 and
2.2.1. The sections of a page (2.2.2) and their importance (2.2.3) are in `webgrain.templates.sections`.

Problem: informative content differs between the pages of a site in text and structure, while noise repeats.
From sample pages, learn a template, which generalises their trees with the operators * (repeated), ?
(optional) and | (one of several), and for each leaf how often each of its features repeats. A new page is
matched with the template, and its leaves take the noise confidence of their features.

    paper                              here                     shape, unit
    template                           `Template`               (m,) nodes: TAG, SEQ, STAR, OPT, ALT
    *, ?, |                            STAR, OPT, ALT
    k sample pages                     Template.n_pages
    feature                            kind and value: text, link or image source of a leaf
    PS of a template node              Template.page_support    (m,) pages
    node support                       Template.support         (m,) 0..1
    noise confidence of a feature      Template.noise           by leaf and feature, 0..1
    20 %, step 4                       node_support             0..1
    mapping to structural nodes        Match.labels             (n,) template node of each node of the Dom

Departures:
  - The paper generalises the template page by page and does not specify how. Here the children of all nodes
    that a TAG represents are strings over symbols, and one expression is learnt from these strings
    (`webgrain.templates.crx`). So the order of the pages does not matter, and the template accepts every page
    that it was learnt from.
  - Elements are distinguished by ids and classes, too, as far as enough pages share them (`mark_support`).
  - A link to the page itself is never a feature.

`SiteTemplate` leaves out pages that have little in common with the others (`least_match`). It has four
additions to the features of the paper, which are parameters, too:

  - words: the words of a short text that a page has once (``Posted by Kim on 3 May``) are features; its
    confidence is the mean of theirs. All numbers are one word. Headings, titles, and names that differ in
    numbers only (``Release 1.2``) are not compared word by word.
  - controls: controls and embedded objects have a feature, too: their attributes. So a search box is noise.
  - self_links: a link to a place on the page is a feature. So a table of contents is noise.
  - least_pages: a feature of a single page is not kept.

Unclear: the first operator of (A)*B(C)?D(E|F) is garbled in print, * or +. Here it is *, so that BCDE is
accepted, too.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator, choice, integer, real
from webgrain.page.parsing import check_pages
from webgrain.templates.acceptance import FitFeatures
from webgrain.templates.matching import Match, Matcher, harmonic_mean
from webgrain.templates.noise import PLACE, LeafFeatures, transfer_noise
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import (
    AnyPage,
    Feature,
    Template,
    TypedTree,
    template_from_dict,
    template_to_dict,
    typed_tree,
)
from webgrain.templates.thresholds import MAX_WORDS, MIN_WORD_PAGES, MIN_WORDS

# 2.1, steps 2 to 4: noise confidence of the features of leaves.


def learn_noise(
    template: Template, pages: Sequence[TypedTree], places: Sequence[Int32], method: RegexTree
) -> dict[int, dict[Feature, float]]:
    """Return the noise confidence of features by leaf TAG: pages with the feature over pages with the TAG.

    places: the template node (k,) of each node of each page; method: has the parameters. A node of less than
    ``node_support`` has no noise (step 4).
    """
    leaves_at: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        leaves = page.tree.leaves
        for leaf, node in zip(leaves.tolist(), at[leaves].tolist(), strict=True):
            leaves_at[node].append((number, leaf))
    features, noise = list(map(LeafFeatures, pages)), dict[int, dict[Feature, float]]()
    for node in np.flatnonzero(template.support >= max(method.node_support, 1e-9)).tolist():
        page_support = int(template.page_support[node])
        pages_with: dict[Feature, set[int]] = defaultdict(set)
        for number, leaf in leaves_at[node]:
            for feature in features[number].of(leaf):
                pages_with[feature].add(number)
        if method.words and len(leaves_at[node]) == page_support >= MIN_WORD_PAGES:
            words = [(number, features[number].words(leaf)) for number, leaf in leaves_at[node]]
            if np.median([len(own) for _, own in words]) <= MAX_WORDS and not _is_name([x for _, x in words]):
                for number, own in words:
                    for word in own:
                        pages_with[word].add(number)
        found = {
            feature: len(numbers) / page_support
            for feature, numbers in sorted(pages_with.items())
            if len(numbers) >= method.least_pages
            and (method.controls or feature[0] != "other")
            and (method.self_links or feature != PLACE)
        }
        noise |= {node: found} if found else {}
    return noise


def _is_name(texts: Sequence[Sequence[Feature]]) -> bool:
    """Return whether texts are names that differ in numbers only: ``Chapter 3``, ``Release 1.2``."""
    kinds = {tuple(word for _, word in words if word != "0") for words in texts}
    return len(kinds) == 1 and 0 < len(kinds.pop()) < MIN_WORDS


@dataclass(kw_only=True, eq=False, repr=False)
class RegexTree(Estimator):
    """The template of a site, or of one of its page types, as in the paper.

    Attributes:
        least_match: score below which a page is left out when the template is learnt, 0..1 (ours).
        mark_support: share of the pages that must have an id or class for it to count, 0..1 (ours).
        node_support: share of the pages that must have a node for its features to be noise, 0..1.
        words: also compare short texts that a page has once word by word (ours).
        controls: also identify form controls and embedded objects, by their attributes (ours).
        self_links: also count a link to a place on the page as a feature (ours).
        least_pages: pages that must have a feature for it to be kept (ours).
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.

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
    """

    least_match: float = real(0.0, 0.0, 1.0)
    mark_support: float = real(0.2, 0.0, 1.0)
    node_support: float = real(0.2, 0.0, 1.0)
    words: bool = choice(False, (True, False))
    controls: bool = choice(False, (True, False))
    self_links: bool = choice(False, (True, False))
    least_pages: int = integer(1, low=1)
    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def fit(self, pages: Iterable[AnyPage]) -> Self:
        """Learn the template of pages; about 15 are enough.

        `ParameterError` without a page, and if no page has anything in common with the others.
        """
        check_pages(pages)
        kept = [typed_tree(page) for page in pages]
        if not kept:
            raise ParameterError("RegexTree: expected pages to learn a template from, got none.")
        self.rejected_ = {page.page.id: "It has no visible node." for page in kept if not len(page)}
        kept = [page for page in kept if len(page)]
        while kept:
            template, places = learn_structure(kept, self.mark_support)
            rows = FitFeatures(template).left_out(kept, places).tolist()
            scores = [harmonic_mean(row[0], row[2]) for row in rows]
            if min(scores) >= self.least_match:
                break
            self.rejected_ |= {
                page.page.id: f"It fits the other pages by {score:.2f} only, less than {self.least_match:g}."
                for page, score in zip(kept, scores, strict=True)
                if score < self.least_match
            }
            kept = [page for page, score in zip(kept, scores, strict=True) if score >= self.least_match]
        else:
            raise ParameterError("RegexTree: expected pages that have something in common, got none.")
        template = replace(template, noise=learn_noise(template, kept, places, self))
        self._set(with_statistics(template, kept, places))
        return self

    def predict(self, page: AnyPage) -> Match:
        """Return the match of a page; `ParameterError` before `fit`."""
        return self._fitted().match(page)

    def accepts(self, page: AnyPage) -> bool:
        """Return whether a page fits the template: see `Match.accepted`; `ParameterError` before `fit`."""
        return self.predict(page).accepted

    def noise(self, page: AnyPage) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom."""
        matcher, typed = self._fitted(), typed_tree(page)
        return transfer_noise(matcher.template, typed, matcher.align(typed).at)

    def _set(self, template: Template) -> None:
        self.template_ = template
        self._prepared = Matcher(template)

    def _fitted(self) -> Matcher:
        if self.template_ is None:
            raise ParameterError("RegexTree: expected fit to have been called before.")
        return self._prepared

    def _state(self) -> dict[str, Any]:
        self._fitted()
        return {"template": template_to_dict(self.template_)} if self.template_ else {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._set(template_from_dict(state["template"]))


@dataclass(kw_only=True, eq=False, repr=False)
class SiteTemplate(RegexTree):
    """The template of a page type, without pages that do not belong to it, and with features of ours.

    Site models use it. The parameters are those of `RegexTree` with other defaults.

    >>> pages = [f"<h1>{n}</h1><i>Posted by Kim on {k} May</i>" for k, n in enumerate("abc")]
    >>> page = "<h1>d</h1><i>Posted by Kim on 9 May</i>"
    >>> [float(method.fit(pages).noise(page).max()) for method in (RegexTree(), SiteTemplate())]
    [0.0, 1.0]
    """

    least_match: float = real(0.5, 0.0, 1.0)
    words: bool = choice(True, (True, False))
    controls: bool = choice(True, (True, False))
    self_links: bool = choice(True, (True, False))
    least_pages: int = integer(2, low=1)
