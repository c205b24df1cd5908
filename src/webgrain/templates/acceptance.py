"""Whether a page fits a template: the probability by boosted trees over features of the match.

Source: Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 2001. The
trees are learnt by ``experiments/training/templates.py`` from sites with known types. A feature counts as it
is, and in comparison with the mean and the worst of the pages of the template, each matched without its own
contribution. So a page may differ more where the pages of the type differ.

Cost: a few steps for each node of the page and of the template, and a walk through each tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float64, Int8, Int32
from webgrain.base.properties import cached_property
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.crx import TAG
from webgrain.templates.likelihood import FEATURES as ORDER_FEATURES
from webgrain.templates.likelihood import (
    ContentParts,
    Likelihood,
    PageChoices,
    choices_of_pages,
    order_features,
)
from webgrain.templates.matchkernel import TOTALS, Comparison
from webgrain.templates.template import MarkNames, Template, node_types
from webgrain.templates.thresholds import CORE, MAX_ROWS, NEAR_ROOT

FORMAT = "webgrain template acceptance"
FEATURES = (
    *("known", "known_text", "present", "supported", "misplaced", "lacking", "unknown_part", "missing_part"),
    *("missing_names", "unknown_names", "mean_support", "richness"),
    *("length", "most_length", "linked", "most_linked", "items", "most_items"),
    *ORDER_FEATURES,
)
"""Shares of nodes and characters with a template node, of core nodes on the page, of the support of all
nodes, of nodes out of place; missing parts by node; the largest unknown and missing subtree; names near the
root that are missing and unknown; mean support; log of the nodes on the page over those expected. Then by
how much core nodes differ from the usual, in the mean and at most: the log of their length, their share of
links, the log of their number of items. Last, those of `webgrain.templates.likelihood`."""

# Features of which more is worse.
_FAULTS = np.array([4 <= k <= 9 or k >= 12 for k in range(len(FEATURES))])
_SHORT = 20.0
"""Characters that are added to the length of a node, so that short texts differ little."""


class Alignment(NamedTuple):
    """A page matched with a template: template node, manner and missing parts (k,) of each node."""

    at: Int32
    how: Int8
    lacking: Int32

    @property
    def known(self) -> float:
        """The share of the nodes that have a template node, 0..1."""
        return np.count_nonzero(self.at >= 0) / max(len(self.at), 1)

    @property
    def exact(self) -> bool:
        """Whether the page is in the language of the template."""
        return len(self.at) > 0 and not self.how.any() and not self.lacking.any()


class Fit(NamedTuple):
    """How a page and a template fit.

    features: (f,) float64, as `FEATURES`; missing: the uppermost core nodes (x,) of the template that the
    page lacks; unknown: the uppermost nodes (u,) of the visible tree that have no template node.
    """

    features: Float64
    missing: Int32
    unknown: Int32


class FitFeatures:
    """The features of matches with one template."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self._tag = template.op == TAG
        self._is_listed = (template.list_of >= 0).view(np.uint8)
        self._known_counts: dict[tuple[int, MarkNames], tuple[int, int, int, int]] = {}

    @cached_property
    def _parts(self) -> ContentParts:
        return ContentParts(self.template)

    @cached_property
    def likelihood(self) -> Likelihood | None:
        """The likelihood of later pages; None for a template of a former version, which has no choices."""
        template = self.template
        return Likelihood(template, self._parts, template.page_support) if len(template.choices) else None

    @cached_property
    def _usual(self) -> _Support:
        """The support by all pages of the template."""
        return self._support(self.template.page_support, self.template.n_pages, self.likelihood)

    def _support(self, support: Int32, pages: int, likelihood: Likelihood | None) -> _Support:
        template = self.template
        weight = np.where(self._tag, support, 0) / max(pages, 1)
        is_core = (self._tag & (weight >= CORE)).view(np.uint8)
        nodes = template.owner, template.end, weight, is_core, self._is_listed
        tables = likelihood.tables if likelihood else None
        numbers = *nodes, template.statistics, _SHORT
        comparison = Comparison(numbers, self._parts.tables[1:], tables)  # type: ignore[no-untyped-call]
        return _Support(comparison, float(weight.sum()))

    def _support_of_others(self, support: Int32, left_out: PageChoices | None) -> _Support:
        """Return the support by all pages but one; arguments as of `fit`."""
        likelihood = self.likelihood
        if likelihood and left_out:
            likelihood = Likelihood(self.template, self._parts, support, left_out)
        return self._support(support, self.template.n_pages - 1, likelihood)

    def of(self, page: Page, alignment: Alignment, support: Int32 | None = None) -> Float64:
        """Return the features (f,) of a page; support (m,): pages of the template that have each node."""
        return self.fit(page, alignment, support).features

    def fit(
        self,
        page: Page,
        alignment: Alignment,
        support: Int32 | None = None,
        left_out: PageChoices | None = None,
    ) -> Fit:
        """Return how a page fits.

        support (m,): other pages of the template that have each node; left_out: the choices of the page that
        the template has learnt. None: those of all pages.
        """
        usual = self._usual if support is None else self._support_of_others(support, left_out)
        total, first, compared, present, placed, unknown, missing = self._compare(page, alignment, usual)
        size = len(alignment.at)
        if not size:
            return Fit(np.where(_FAULTS, 1.0, 0.0), missing, unknown)
        count = dict(zip(TOTALS, total.tolist(), strict=True))
        features = [
            alignment.known,
            count["placed text"] / max(count["text"], 1.0),
            1.0 - count["lost"] / max(count["core"], 1.0),
            np.add.reduce(present) / max(usual.total, 1e-9),
            count["misplaced"] / size,
            count["lacking"] / max(count["present"], 1.0),
            count["largest unknown"] / max(count["leaves"], 1.0),
            count["largest missing"] / max(count["core"], 1.0),
            *self._names(page, first),
            np.add.reduce(placed) / max(count["placed"], 1.0),
            np.log((count["present"] + 1.0) / (usual.total + 1.0)),
            *_differences(compared),
            *(order_features(count, size) if self.likelihood else (0.0,) * len(ORDER_FEATURES)),
        ]
        return Fit(np.array(features), missing, unknown)

    def moved(self, page: Page, at: Int32) -> tuple[Int32, Int32]:
        """Return the places (x,) of a page that are out of order, and those before them, -1 for unknown ones.

        at (k,): its template nodes. A template of a former version has no order.
        """
        if self.likelihood is None:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        _, places, before = self.likelihood.moved(page, at)
        return places, before

    def _compare(self, page: Page, alignment: Alignment, support: _Support) -> _Compared:
        """Return what a page and the template have in common, see `Comparison.of`."""
        tree, dom, types = visible_tree(page), page.dom, node_types(page)
        nodes = tree.node, tree.parent, tree.end, tree.kind, types.of
        texts = dom.tag, dom.text_start, dom.tag_number("a")
        rows = self.template.symbol_table.rows(page)
        compare = support.comparison.of
        compared: _Compared = compare(nodes, texts, alignment, rows)  # type: ignore[no-untyped-call]
        return compared

    def left_out(
        self,
        pages: Sequence[Page],
        places: Sequence[Int32],
        choices: Sequence[PageChoices] | None = None,
    ) -> Float64:
        """Return the features (p, f) of the pages of the template, each without its own support.

        places: their template nodes; choices: of each page, None: they are computed. A single page is
        compared with itself.
        """
        choices = choices_of_pages(self.template, pages, places) if choices is None else choices
        rows = []
        for (page, alignment, support), of_page in zip(self._of_others(pages, places), choices, strict=True):
            has_choices = support is not None and len(self.template.choices)
            left_out = of_page if has_choices else None
            rows.append(self.fit(page, alignment, support, left_out).features)
        return np.array(rows)

    def agreement(self, pages: Sequence[Page], places: Sequence[Int32]) -> Float64:
        """Return ``known`` and ``present`` of `left_out` (p, 2), without the other features.

        Each page must have a visible node.
        """
        rows = []
        for page, alignment, support in self._of_others(pages, places):
            usual = self._usual if support is None else self._support_of_others(support, None)
            count = dict(zip(TOTALS, self._compare(page, alignment, usual)[0].tolist(), strict=True))
            known = count["placed"] / len(alignment.at)
            rows.append((known, 1.0 - count["lost"] / max(count["core"], 1.0)))
        return np.array(rows)

    def _of_others(
        self, pages: Sequence[Page], places: Sequence[Int32]
    ) -> Iterator[tuple[Page, Alignment, Int32 | None]]:
        """Yield each page with its alignment and the support by the others; see `left_out`."""
        alone = len(pages) == 1
        for page, at in zip(pages, places, strict=True):
            of_page = np.zeros(len(self.template), np.int32)
            of_page[at[at >= 0]] = not alone
            support = (self.template.page_support - of_page).astype(np.int32)
            kept = np.where((at >= 0) & (support[at] > 0), at, -1).astype(np.int32)
            nothing = np.zeros(len(at), np.int32)
            yield page, Alignment(kept, nothing.astype(np.int8), nothing), None if alone else support

    @cached_property
    def _near(self) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
        """The names that any and that nearly all pages have at the core TAGs near the root."""
        template, depth = self.template, np.zeros(len(self.template), np.int64)
        near = {}
        for node in np.flatnonzero(self._tag).tolist():
            depth[node] = depth[template.owner[node]] + 1 if node else 0
            if depth[node] <= NEAR_ROOT and template.support[node] >= CORE:
                names = template.name_support(node)
                usual = (name for name, pages in names.items() if pages >= CORE * template.n_pages)
                near[node] = frozenset(names), frozenset(usual)
        return near

    def _names(self, page: Page, first: Int32) -> tuple[float, float]:
        """Return the shares of names near the root that the page lacks, and that the template lacks.

        first (m,): the first node of the page for each template node, -1 for none.
        """
        missing = expected = unknown = total = 0
        types = node_types(page)
        near = list(self._near)
        firsts = first[near]
        of_types = types.of[firsts].tolist()
        for node, k, type_ in zip(near, firsts.tolist(), of_types, strict=True):
            if k < 0:
                continue
            counts = self._name_counts(node, types.types[type_][1], types.short)
            missing, expected = missing + counts[0], expected + counts[1]
            unknown, total = unknown + counts[2], total + counts[3]
        return missing / max(expected, 1), unknown / max(total, 1)

    def _name_counts(self, node: int, names: MarkNames, keep: bool) -> tuple[int, int, int, int]:
        """Return how many usual names of a TAG an element lacks, and of how many; how many are unknown, too.

        names: of the element; keep: whether the result is kept for other pages.
        """
        counts = self._known_counts.get((node, names))
        if counts is None:
            any_name, usual = self._near[node]
            counts = len(usual - names), len(usual), len(names - any_name), len(names)
            if keep:
                if len(self._known_counts) >= MAX_ROWS:
                    self._known_counts.clear()
                self._known_counts[node, names] = counts
        return counts


_Compared = tuple[Float64, Int32, Float64, Float64, Float64, Int32, Int32]
"""What `Comparison.of` returns."""


class _Support(NamedTuple):
    """The template with the support (m,) of its TAGs, 0..1, for the kernel; and the sum of the support."""

    comparison: Comparison
    total: float


def _differences(compared: Float64) -> Iterator[float]:
    """Yield by how much core nodes differ from the usual, in the mean and at most.

    compared (5, c): of `Comparison.of`.
    """
    size, items = np.log(compared[:2])
    weight = np.log1p(compared[2])
    of_list = compared[4]
    for difference, share in ((size, weight), (compared[3], weight), (items * of_list, of_list)):
        size_of = np.abs(difference)
        yield float(size_of @ share / max(np.add.reduce(share), 1e-9))
        yield float(np.maximum.reduce(size_of, initial=0.0))


def usual(left_out: Float64) -> Float64:
    """Return the mean and the worst (2, f) of the features (p, f) of the pages of a template."""
    worst = np.where(_FAULTS, left_out.max(axis=0), left_out.min(axis=0))
    return np.stack([np.sort(left_out, axis=0).mean(axis=0), worst])  # the same for any order of the pages


FORMER_FEATURES = len(FEATURES) - len(ORDER_FEATURES)
"""Features of a template of a former version."""


def inputs(features: Float64, usual: Float64) -> Float64:
    """Return the inputs (..., 3 f) of the trees: features (..., f) and their differences to the usual.

    usual (2, f); a template of a former version has fewer, which are followed by 0.
    """
    if usual.shape[1] < features.shape[-1]:
        usual = np.pad(usual, ((0, 0), (0, features.shape[-1] - usual.shape[1])))
    return np.concatenate([features, features - usual[0], features - usual[1]], axis=-1)


def input_names() -> tuple[str, ...]:
    """Return the names of `inputs`."""
    return tuple(f"{name}{compared}" for compared in ("", " - mean", " - worst") for name in FEATURES)


@cache
def trained_acceptance() -> BoostedTrees:
    """Return the trees for the probability that a page is of the type of a template."""
    names = {"accepted": input_names()}
    return packaged_trees("webgrain.templates", "acceptance.model", names, FORMAT)["accepted"]
