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
  2.2.2, 2.2.3: `webgrain.templates.sections`.

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

Used from `webgrain.templates`, with these contracts:
  - ``learn_structure(pages)``: the template with its page supports, and the template node of each node of the
    pages. Every page is in the language of the template, which does not depend on the order of the pages.
  - ``Matcher.align(page)``: the template node ``at`` (k,) of each visible node, -1 for none; of a page in the
    language of the template, every node has one.
  - ``LeafFeatures.content(leaf)``: the features of a leaf.
  - ``with_statistics``: what `accepts` and the report on drift need; not in the paper.

Departures:
  - The paper generalises the template page by page and does not specify how. Here the children of all nodes
    that a TAG represents are strings over symbols, and one expression is learnt from these strings
    (`webgrain.templates.crx`).
  - Elements are distinguished by ids and classes, too, as far as enough pages share them (``mark_support``).
  - A link to the page itself is no feature.

Unclear: the first operator of (A)*B(C)?D(E|F) is garbled in print, * or +. Here it is *, so that BCDE is
accepted, too.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.estimator import real
from webgrain.templates.learner import TemplateLearner
from webgrain.templates.noise import LeafFeatures
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import AnyPage, Feature, Template, TypedTree, typed_tree


@dataclass(kw_only=True, eq=False, repr=False)
class RegexTree(TemplateLearner):
    """The template of a site, or of one of its page types, as in the paper.

    Attributes:
        node_support: share of the pages; more must have a node for its features to be noise, 0..1.
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
    """

    node_support: float = real(0.2, 0.0, 1.0)
    mark_support: float = real(0.2, 0.0, 1.0)

    # 2.1

    def fit(self, pages: Iterable[AnyPage]) -> Self:
        """Learn the template of pages, as in 2.1; the paper uses 15.

        `ParameterError` without a page, and if no page has a visible node.
        """
        sample = self._visible_pages(pages)
        template, places = learn_structure(sample, self.mark_support)  # step 1, and PS of the nodes
        template = replace(template, noise=self._noise_confidence(template, sample, places))
        self._set(with_statistics(template, sample, places))
        return self

    def _noise_confidence(
        self, template: Template, pages: Sequence[TypedTree], places: Sequence[Int32]
    ) -> dict[int, dict[Feature, float]]:
        """Return the noise confidence of the features by node (steps 3 and 4)."""
        noise: dict[int, dict[Feature, float]] = defaultdict(dict)
        is_kept = template.support > self.node_support
        for (node, feature), support in sorted(_feature_supports(pages, places).items()):
            if is_kept[node]:
                noise[node][feature] = support / int(template.page_support[node])
        return dict(noise)

    # 2.2.1

    def noise(self, page: AnyPage) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom.

        It is the greatest one of the features that the leaf has in common with its template node.
        """
        page = typed_tree(page)
        matcher = self._matcher()
        confidence, features = np.zeros(page.tree.size), LeafFeatures(page)
        at = matcher.align(page).at
        for leaf in page.tree.leaves.tolist():
            if stored := matcher.template.noise.get(int(at[leaf])):
                values = [stored.get(feature, 0.0) for feature in features.content(leaf)]
                confidence[page.tree.node[leaf]] = max(values, default=0.0)
        return confidence


def _feature_supports(pages: Sequence[TypedTree], places: Sequence[Int32]) -> Counter[tuple[int, Feature]]:
    """Return the number of pages that have each feature at each leaf template node (step 2).

    places: the template node (k,) of each node of each page.
    """
    count: Counter[tuple[int, Feature]] = Counter()
    for page, at in zip(pages, places, strict=True):
        features = LeafFeatures(page)
        leaves = [leaf for leaf in page.tree.leaves.tolist() if at[leaf] >= 0]
        count.update({(int(at[leaf]), feature) for leaf in leaves for feature in features.content(leaf)})
    return count
