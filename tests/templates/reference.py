"""What the kernels of templates compute, in Python: leaf by leaf, and with array operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.templates.acceptance import _FAULTS, _SHORT, FitFeatures
from webgrain.templates.crx import TAG
from webgrain.templates.leaffeatures import TO_PLACE, LeafFeatures
from webgrain.templates.matchkernel import MISPLACED
from webgrain.templates.sitetemplate import _are_compared, _page_counts
from webgrain.templates.statistics import _texts
from webgrain.templates.template import STATISTICS, node_types
from webgrain.templates.thresholds import CORE, MIN_WORD_PAGES, USUAL


def added(numbers: Iterable[float]) -> float:
    """Return the sum of numbers that are added one after the other; `sum` of Python 3.12 rounds otherwise."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def transfer_noise(template, page, at):
    """Return the noise confidence (n,) of the leaves of a page, by the strings of their features."""
    confidence, features = np.zeros(visible_tree(page).size), LeafFeatures(page)
    for leaf in visible_tree(page).leaf.tolist():
        noise = template.noise.get(int(at[leaf]))
        if noise is None:
            continue
        values = [noise.get(feature, 0.0) for feature in features.of(leaf)]
        if int(at[leaf]) in template.worded and (words := features.words(leaf)):
            values.append(added(noise.get(word, 0.0) for word in words) / len(words))
        confidence[visible_tree(page).node[leaf]] = max(values, default=0.0)
    return confidence


class ArrayFit:
    """The features of matches with one template, by array operations."""

    def __init__(self, template):
        self.template = template
        self._tag = template.op == TAG
        self._near = FitFeatures(template)._near

    def lost(self, at, weight):
        """Return the nodes (m,) that a page has, the core nodes that it lacks, and the uppermost of these.

        at (k,): the template nodes of the page; weight (m,): the support of the TAGs.
        """
        present = np.zeros(len(self.template) + 1, bool)  # the last entry is above the root
        present[at[at >= 0]] = present[-1] = True
        lost = self._tag & (weight >= CORE) & ~present[:-1]
        return present[:-1], lost, lost & present[self.template.owner]

    def of(self, page, alignment, support=None):
        """Return the features (f,) of a page."""
        template, tree, at = self.template, visible_tree(page), alignment.at
        if not len(at):
            return np.where(_FAULTS, 1.0, 0.0)
        n = max(template.n_pages - (support is not None), 1)
        weight = np.where(self._tag, template.page_support if support is None else support, 0) / n
        ok = at >= 0
        core = self._tag & (weight >= CORE)
        present, lost, missing = self.lost(at, weight)
        start = page.dom.text_start
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

    def _differences(self, page, at, length, core):
        """Yield by how much core nodes differ from the usual, in the mean and at most.

        length: (k,) characters of the text leaves; core: (m,) the core nodes that the page has.
        """
        template, tree, m = self.template, visible_tree(page), len(self.template)
        node = np.flatnonzero(core) if len(template.statistics) else np.zeros(0, np.intp)
        is_link = node_types(page).where("a".__eq__).view(np.uint8)
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

    def _names(self, page, at):
        """Return the shares of names near the root that the page lacks, and that the template lacks."""
        missing = expected = unknown = total = 0
        nodes, first = np.unique(at, return_index=True)
        for node, k in zip(nodes.tolist(), first.tolist(), strict=True):
            if node in self._near:
                (any_name, usual), names = self._near[node], node_types(page).types[node_types(page).of[k]][1]
                missing, expected = missing + len(usual - names), expected + len(usual)
                unknown, total = unknown + len(names - any_name), total + len(names)
        return missing / max(expected, 1), unknown / max(total, 1)


def unknown(tree, at):
    """Return the uppermost nodes (k,) of a page that have no template node; at (k,): their template nodes."""
    return (at < 0) & ((tree.parent < 0) | (at[tree.parent] >= 0))


def _below(x, end):
    """Return the sum over the subtree of each node; end: one past the last node of the subtree."""
    total = np.append(0, np.cumsum(x))
    return total[end] - total[:-1]


def learn_noise(method, template, pages, places):
    """Return the noise confidence of features by leaf TAG; method: a `SiteTemplate`."""
    leaves_at = defaultdict(list)
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        leaves = visible_tree(page).leaf
        for leaf, node in zip(leaves.tolist(), at[leaves].tolist(), strict=True):
            leaves_at[node].append((number, leaf))
    features = list(map(LeafFeatures, pages))
    noise = {}
    for node in np.flatnonzero(template.support >= max(method.node_support, 1e-9)).tolist():
        page_support = int(template.page_support[node])
        placed = leaves_at[node]
        count = _page_counts((number, features[number].of(leaf)) for number, leaf in placed)
        if method.words and len(placed) == page_support >= MIN_WORD_PAGES:
            words = [(number, features[number].words(leaf)) for number, leaf in placed]
            if _are_compared([of_leaf for _, of_leaf in words]):
                count.update(_page_counts(words))
        confidence = {
            feature: n / page_support for feature, n in sorted(count.items()) if _keeps(method, feature, n)
        }
        if confidence:
            noise[node] = confidence
    return noise


def _keeps(method, feature, n):
    """Return whether a feature of a number of pages is kept."""
    if feature[0] == "other" and not method.controls:
        return False
    if feature == TO_PLACE and not method.self_links:
        return False
    return n >= method.least_pages


def learn_statistics(template, pages, places):
    """Return the statistics (m, 5) of the nodes of a template, columns `STATISTICS`; see `Template`.

    places: the template node (k,) of each node of each page.
    """
    rows = [_texts(page, at, number) for number, (page, at) in enumerate(zip(pages, places, strict=True))]
    node, page, above, size, linked, text = (np.concatenate(column) for column in zip(*rows, strict=True))
    result = np.zeros((len(template), len(STATISTICS)))
    number = np.maximum(np.bincount(node, minlength=len(template)), 1)
    total = np.bincount(node, size, len(template))
    result[:, 0] = total / number
    result[:, 1] = np.bincount(node, linked, len(template)) / np.maximum(total, 1)
    pairs = np.unique(np.stack([node, text]), axis=1)
    result[:, 2] = (np.bincount(pairs[0], minlength=len(template)) - 1) / np.maximum(number - 1, 1)
    pairs = np.unique(np.stack([node, text, page]), axis=1)[:2]
    pairs, times = np.unique(pairs, axis=1, return_counts=True)
    np.maximum.at(result[:, 3], pairs[0], times)
    result[:, 3] /= np.maximum(template.page_support, 1)
    for group in (np.arange(len(template)), template.list_of):  # the items of a STAR below one parent
        used = group[node] >= 0
        groups, times = np.unique(np.stack([group[node], page, above])[:, used], axis=1, return_counts=True)
        distinct, first = np.unique(groups[0], return_index=True)
        if len(distinct):
            result[distinct, 4] = [np.median(part) for part in np.split(times, first[1:])]
    result[:, :4][template.op != TAG] = 0.0
    return np.maximum(result, 0.0)


def bits_of(shapes):
    """Return the bits (2, 4) that any and that most of some shapes (p, 4) have."""
    any_bits = np.bitwise_or.reduce(shapes, axis=0)
    if len(shapes) == 1 or not any_bits.any():
        return np.stack([any_bits, any_bits])
    usual = np.unpackbits(shapes.view(np.uint8), axis=1).sum(axis=0) >= USUAL * len(shapes)
    return np.stack([any_bits, np.packbits(usual).view(np.uint64)])
