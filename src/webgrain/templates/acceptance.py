"""Whether a page fits a template: the probability by boosted trees over features of the match.

Source: Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 2001. The
trees are learnt by ``experiments/training/templates.py`` from sites with known types. A feature counts as it
is, and in comparison with the mean and the worst of the pages of the template, each matched without its own
contribution. So a page may differ more where the pages of the type differ.

Cost: a few steps for each node of the page and of the template, and a walk through each tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int8, Int32, Int64
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import TEXT_LEAF, VisibleTree
from webgrain.templates.crx import TAG
from webgrain.templates.template import Template, TypedTree
from webgrain.templates.thresholds import CORE, NEAR_ROOT
from webgrain.templates.treematch import MISPLACED

FORMAT = "webgrain template acceptance"
FEATURES = (
    *("known", "known_text", "present", "supported", "misplaced", "lacking", "unknown_part", "missing_part"),
    *("missing_names", "unknown_names", "mean_support", "richness"),
    *("length", "most_length", "linked", "most_linked", "items", "most_items"),
)
"""Shares of nodes and characters with a template node, of core nodes on the page, of the support of all
nodes, of nodes out of place; missing parts by node; the largest unknown and missing subtree; names near the
root that are missing and unknown; mean support; log of the nodes on the page over those expected. Then by
how much core nodes differ from the usual, in the mean and at most: the log of their length, their share of
links, the log of their number of items."""

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
    def exact(self) -> bool:
        """Whether the page is in the language of the template."""
        return len(self.at) > 0 and not self.how.any() and not self.lacking.any()


class FitFeatures:
    """The features of matches with one template."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self._tag = template.op == TAG

    def lost(self, at: Int32, weight: Float64) -> tuple[Bool, Bool, Bool]:
        """Return the nodes (m,) that a page has, the core nodes that it lacks, and the uppermost of these.

        at (k,): the template nodes of the page; weight (m,): the support of the TAGs.
        """
        present = np.zeros(len(self.template) + 1, bool)  # the last entry is above the root
        present[at[at >= 0]] = present[-1] = True
        lost = self._tag & (weight >= CORE) & ~present[:-1]
        return present[:-1], lost, lost & present[self.template.owner]

    def of(self, page: TypedTree, alignment: Alignment, support: Int32 | None = None) -> Float64:
        """Return the features (f,) of a page; support (m,): pages of the template that have each node."""
        template, tree, at = self.template, page.tree, alignment.at
        if not len(at):
            return np.where(_FAULTS, 1.0, 0.0)
        n = max(template.n_pages - (support is not None), 1)
        weight = np.where(self._tag, template.page_support if support is None else support, 0) / n
        ok = at >= 0
        core = self._tag & (weight >= CORE)
        present, lost, missing = self.lost(at, weight)
        start = page.page.dom.text_start
        length = np.where(tree.kind == TEXT_LEAF, start[tree.node + 1] - start[tree.node], 0)
        leaves = _below(tree.kind > 0, tree.end)
        return np.array(
            [
                ok.mean(),
                length[ok].sum() / max(length.sum(), 1),
                1.0 - lost.sum() / max(core.sum(), 1),
                weight[present].sum() / max(weight.sum(), 1e-9),
                (alignment.how == MISPLACED).mean(),
                alignment.lacking.sum() / max(present.sum(), 1),
                leaves[unknown(tree, at)].max(initial=0) / max(leaves[0], 1),
                _below(lost, template.end)[missing].max(initial=0) / max(core.sum(), 1),
                *self._names(page, at),
                weight[at[ok]].mean() if ok.any() else 0.0,
                np.log((present.sum() + 1) / (weight.sum() + 1)),
                *self._differences(page, at, length, core & present),
            ]
        )

    def _differences(self, page: TypedTree, at: Int32, length: Int64, core: Bool) -> Iterator[float]:
        """Yield by how much core nodes differ from the usual, in the mean and at most.

        length: (k,) characters of the text leaves; core: (m,) the core nodes that the page has.
        """
        template, tree, m = self.template, page.tree, len(self.template)
        node = np.flatnonzero(core) if len(template.statistics) else np.zeros(0, np.intp)
        is_link = np.array([tag == "a" for tag, _ in page.types], np.uint8)[page.type]
        in_link = np.where(innermost(tree.parent, is_link) >= 0, length, 0)
        ok = at >= 0
        number = np.maximum(np.bincount(at[ok], minlength=m)[node], 1)
        length_of, linked = (np.bincount(at[ok], _below(x, tree.end)[ok], m)[node] for x in (length, in_link))
        usual = template.statistics[node]
        size = np.log((length_of / number + _SHORT) / (usual[:, 0] + _SHORT))
        weight = np.log1p(np.maximum(length_of / number, usual[:, 0]))
        has_text = (length_of > 0) & (usual[:, 0] > 0)
        links = np.where(has_text, linked / np.maximum(length_of, 1) - usual[:, 1], 0.0)
        of_list = (template.list_of[node] >= 0).astype(np.float64)
        items = of_list * np.log((number + 1.0) / (usual[:, 4] + 1.0))
        for difference, share in ((size, weight), (links, weight), (items, of_list)):
            yield float(np.abs(difference) @ share / max(share.sum(), 1e-9))
            yield float(np.abs(difference).max(initial=0.0))

    def left_out(self, pages: Sequence[TypedTree], places: Sequence[Int32]) -> Float64:
        """Return the features (p, f) of the pages of the template, each without its own support.

        places: their template nodes. A single page is compared with itself.
        """
        rows, alone = [], len(pages) == 1
        for page, at in zip(pages, places, strict=True):
            of_page = np.zeros(len(self.template), np.int32)
            of_page[at[at >= 0]] = not alone
            support = (self.template.page_support - of_page).astype(np.int32)
            kept = np.where((at >= 0) & (support[at] > 0), at, -1).astype(np.int32)
            nothing = np.zeros(len(at), np.int32)
            rows.append(
                self.of(page, Alignment(kept, nothing.astype(np.int8), nothing), None if alone else support)
            )
        return np.array(rows)

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

    def _names(self, page: TypedTree, at: Int32) -> tuple[float, float]:
        """Return the shares of names near the root that the page lacks, and that the template lacks."""
        missing = expected = unknown = total = 0
        nodes, first = np.unique(at, return_index=True)
        for node, k in zip(nodes.tolist(), first.tolist(), strict=True):
            if node in self._near:
                (any_name, usual), names = self._near[node], page.types[page.type[k]][1]
                missing, expected = missing + len(usual - names), expected + len(usual)
                unknown, total = unknown + len(names - any_name), total + len(names)
        return missing / max(expected, 1), unknown / max(total, 1)


def unknown(tree: VisibleTree, at: Int32) -> Bool:
    """Return the uppermost nodes (k,) of a page that have no template node; at (k,): their template nodes."""
    uppermost: Bool = (at < 0) & ((tree.parent < 0) | (at[tree.parent] >= 0))
    return uppermost


def _below(x: Bool | Int64, end: Int32) -> Int64:
    """Return the sum over the subtree of each node; end: one past the last node of the subtree."""
    total: Int64 = np.append(0, np.cumsum(x))
    return total[end] - total[:-1]


def usual(left_out: Float64) -> Float64:
    """Return the mean and the worst (2, f) of the features (p, f) of the pages of a template."""
    worst = np.where(_FAULTS, left_out.max(axis=0), left_out.min(axis=0))
    return np.stack([np.sort(left_out, axis=0).mean(axis=0), worst])  # the same for any order of the pages


def inputs(features: Float64, usual: Float64) -> Float64:
    """Return the inputs (..., 3 f) of the trees: features (..., f) and their differences to the usual."""
    return np.concatenate([features, features - usual[0], features - usual[1]], axis=-1)


def input_names() -> tuple[str, ...]:
    """Return the names of `inputs`."""
    return tuple(f"{name}{compared}" for compared in ("", " - mean", " - worst") for name in FEATURES)


@cache
def trained_acceptance() -> BoostedTrees:
    """Return the trees for the probability that a page is of the type of a template."""
    names = {"accepted": input_names()}
    return packaged_trees("webgrain.templates", "acceptance.model", names, FORMAT)["accepted"]
