"""SiteTemplate: the template of a page type, without pages that do not belong to it.

Audits and site models use it. The method is `webgrain.papers.regextree.RegexTree`
(Mehta, Madaan, WWW 2008) with these changes:

  - Pages that have little in common with the others are left out (``least_match``).
  - words: the words of a short text that a page has once (``Posted by Kim on 3 May``) are features; its
    confidence is the mean of theirs. All numbers are one word. Headings, titles, and names that differ in
    numbers only (``Release 1.2``) are not compared word by word.
  - controls: controls and embedded objects have a feature, too: their attributes. So a search box is noise.
  - self_links: a link to a place on the page is a feature. So a table of contents is noise.
  - least_pages: a feature of a single page is not kept.
  - Noise is kept at nodes that ``node_support`` of the pages have; in the paper, more pages must have them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import choice, integer, real
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.templates.acceptance import FitFeatures
from webgrain.templates.leaffeatures import TO_PLACE, LeafFeatures, LeafKeys
from webgrain.templates.learner import TemplateLearner
from webgrain.templates.markedparts import with_marked_parts
from webgrain.templates.matching import harmonic_mean
from webgrain.templates.noisekernel import placed_keys
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import ContentFeature, Template
from webgrain.templates.thresholds import MAX_WORDS, MIN_WORD_PAGES, MIN_WORDS


@dataclass(kw_only=True, eq=False, repr=False)
class SiteTemplate(TemplateLearner):
    """The template of a page type, without pages that do not belong to it, and with features of ours.

    Attributes:
        least_match: score below which a page is left out when the template is learnt, 0..1.
        mark_support: share of the pages that must have an id or class for it to count, 0..1.
        node_support: share of the pages that must at least have a node for its features to be noise, 0..1.
        words: also compare short texts that a page has once word by word.
        controls: also identify form controls and embedded objects, by their attributes.
        self_links: also count a link to a place on the page as a feature.
        least_pages: pages that must have a feature for it to be kept.
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.
        places_: the template node (k,) of each node of the visible tree of the other pages, by id.

    >>> pages = [f"<h1>{n}</h1><i>Posted by Kim on {k} May</i>" for k, n in enumerate("abc")]
    >>> method = SiteTemplate().fit(pages)
    >>> print(method.template_)
    html[body[h1[#text] i[#text]]]
    >>> page = "<h1>d</h1><i>Posted by Kim on 9 May</i>"
    >>> method.accepts(page), float(method.noise(page).max())
    (True, 1.0)
    """

    least_match: float = real(0.5, 0.0, 1.0)
    mark_support: float = real(0.2, 0.0, 1.0)
    node_support: float = real(0.2, 0.0, 1.0)
    words: bool = choice(True, (True, False))
    controls: bool = choice(True, (True, False))
    self_links: bool = choice(True, (True, False))
    least_pages: int = integer(2, low=1)
    places_: dict[str, Int32] = field(default_factory=dict, init=False, repr=False)

    def _learn(self, pages: Sequence[Page]) -> dict[str, str]:
        rejected: dict[str, str] = {}
        kept = list(pages)
        while kept:
            template, places = learn_structure(kept, self.mark_support)
            agreement = FitFeatures(template).agreement(kept, places).tolist()
            scores = [harmonic_mean(known, present) for known, present in agreement]
            if min(scores) >= self.least_match:
                break
            rejected |= {
                page.id: f"It fits the other pages by {score:.2f} only, less than {self.least_match:g}."
                for page, score in zip(kept, scores, strict=True)
                if score < self.least_match
            }
            kept = [page for page, score in zip(kept, scores, strict=True) if score >= self.least_match]
        else:
            self.rejected_ |= rejected
            raise ParameterError("SiteTemplate: expected pages that have something in common, got none.")
        keys = list(map(LeafKeys.of, kept))
        template = replace(template, noise=self._learn_noise(template, kept, places, keys))
        self.places_ = {page.id: at for page, at in zip(kept, places, strict=True)}
        template = with_statistics(template, kept, places)
        self._set(with_marked_parts(template, kept, places, [of_page.content for of_page in keys]))
        return rejected

    def noise(self, page: PageLike) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom."""
        matcher = self._matcher()
        page = as_page(page)
        return matcher.noise(page, matcher.align(page).at)

    def _learn_noise(
        self,
        template: Template,
        pages: Sequence[Page],
        places: Sequence[Int32],
        keys: Sequence[LeafKeys],
    ) -> dict[int, dict[ContentFeature, float]]:
        """Return the noise confidence of features by leaf TAG: their pages over the pages with the TAG.

        places: the template node (k,) of each node of each page; keys: of its leaves.
        """
        support = template.support >= max(self.node_support, 1e-9)
        is_used = np.append(support, False)  # the last entry is for leaves without a template node
        features = list(map(LeafFeatures, pages))
        counts: defaultdict[int, Counter[ContentFeature]] = defaultdict(Counter)
        for node, number, leaf, is_link, n in _repeated_features(
            keys, pages, places, is_used, self.least_pages
        ):
            feature = features[number].of(leaf)[-1 if is_link else 0]
            if self._keeps(feature):
                counts[node][feature] = n
        if self.words:
            for node, leaves in _single_texts(template, pages, places, is_used).items():
                words = [(number, features[number].words(leaf)) for number, leaf in leaves]
                if _are_compared([of_leaf for _, of_leaf in words]):
                    count = _page_counts(words)
                    counts[node].update({word: n for word, n in count.items() if n >= self.least_pages})
        return {
            node: {
                feature: n / int(template.page_support[node]) for feature, n in sorted(counts[node].items())
            }
            for node in sorted(counts)
            if counts[node]
        }

    def _keeps(self, feature: ContentFeature) -> bool:
        """Return whether a feature is of a sort that is kept."""
        if feature[0] == "other":
            return self.controls
        return self.self_links or feature != TO_PLACE


def _repeated_features(
    keys_of_pages: Sequence[LeafKeys],
    pages: Sequence[Page],
    places: Sequence[Int32],
    is_used: Bool,
    least: int,
) -> Iterator[tuple[int, int, int, bool, int]]:
    """Yield the features that several pages have at a template node, by their keys.

    keys_of_pages: of their leaves; places: the template node (k,) of each node of each page; is_used
    (m + 1,): the nodes whose leaves count, the last one is for none; least: number of pages. Each feature is
    the template node, a page and a leaf that have the feature, whether it is the link, and the number of
    pages.
    """
    keys: list[UInt64] = []
    rows: list[Int64] = []
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        leaves = visible_tree(page).leaf
        leaves = leaves[is_used[at[leaves]]]
        for is_link, of_page in enumerate(keys_of_pages[number]):
            having = leaves[of_page[leaves] != 0]
            node = at[having]
            distinct, first = np.unique(placed_keys(of_page[having], node), return_index=True)
            keys.append(distinct)
            columns = node, np.full(len(node), number), having, np.full(len(node), is_link)
            rows.append(np.stack(columns).astype(np.int64)[:, first])
    _, first, count = np.unique(np.concatenate(keys), return_index=True, return_counts=True)
    is_kept = count >= least
    chosen = np.concatenate(rows, axis=1)[:, first[is_kept]].T.tolist()
    for (node, number, leaf, is_link), n in zip(chosen, count[is_kept].tolist(), strict=True):
        yield node, number, leaf, bool(is_link), n


def _single_texts(
    template: Template, pages: Sequence[Page], places: Sequence[Int32], is_used: Bool
) -> dict[int, list[tuple[int, int]]]:
    """Return the leaves of template nodes that enough pages have once: the number of the page, and the leaf.

    Arguments as in `_repeated_features`.
    """
    leaves_of_pages = [visible_tree(page).leaf for page in pages]
    leaves = [leaf[is_used[at[leaf]]] for leaf, at in zip(leaves_of_pages, places, strict=True)]
    node = np.concatenate([at[leaf] for at, leaf in zip(places, leaves, strict=True)])
    number = np.bincount(node, minlength=len(template))
    is_single = (number == template.page_support) & (number >= MIN_WORD_PAGES)
    page = np.repeat(np.arange(len(pages)), [len(leaf) for leaf in leaves])
    chosen = is_single[node]
    single: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    columns = (node[chosen].tolist(), page[chosen].tolist(), np.concatenate(leaves)[chosen].tolist())
    for place, number_of_page, leaf in zip(*columns, strict=True):
        single[place].append((number_of_page, leaf))
    return single


def _page_counts(leaves: Iterable[tuple[int, Sequence[ContentFeature]]]) -> Counter[ContentFeature]:
    """Return the number of pages that have each feature, from the page and the features of leaves."""
    pairs = {(page, feature) for page, features in leaves for feature in features}
    return Counter(feature for _, feature in pairs)


def _are_compared(texts: Sequence[Sequence[ContentFeature]]) -> bool:
    """Return whether the texts of a node are compared word by word: they are short, and no names."""
    return bool(np.median([len(words) for words in texts]) <= MAX_WORDS) and not _is_name(texts)


def _is_name(texts: Sequence[Sequence[ContentFeature]]) -> bool:
    """Return whether texts are names that differ in numbers only: ``Chapter 3``, ``Release 1.2``."""
    distinct = {tuple(word for _, word in words if word != "0") for words in texts}
    return len(distinct) == 1 and 0 < len(distinct.pop()) < MIN_WORDS
