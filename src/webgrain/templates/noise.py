"""Noise: the noise confidence of the leaves of a page in a template, by the features that both have.

A template has the noise confidence of the features that its pages repeat
(`webgrain.templates.leaffeatures`). Source: Mehta, Madaan, WWW 2008.

Cost: a binary search for each feature of a leaf, and a few steps for each character of its text.
"""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Float64, Int32, UInt64
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.strings import code_points
from webgrain.templates.leaffeatures import OF_WORDS, LeafKeys, feature_keys, word_classes, worded_texts
from webgrain.templates.noisekernel import leaf_noise, placed_keys, word_noise
from webgrain.templates.template import Template


class NoiseTable:
    """The noise confidence of the features of a template, prepared for many pages.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> from webgrain.page.parsing import as_page
    >>> method = SiteTemplate().fit([f"<b>Site</b><p>Page {name}" for name in "abc"])
    >>> page = as_page("<b>Site</b><p>Page d")
    >>> at = method.predict(page).labels[visible_tree(page).node]
    >>> NoiseTable(method.template_).of(page, at)[page.dom.is_text].tolist()
    [1.0, 0.5]
    """

    def __init__(self, template: Template) -> None:
        self._template = template
        # The last entry is for leaves without a template node.
        self._is_noisy, self._is_worded = np.zeros((2, len(template) + 1), bool)
        self._is_noisy[list(template.noise)] = True
        self._is_worded[list(template.worded)] = True
        self._keys, self._shares = _features_of(template, words=False)
        self._words, self._word_shares = _features_of(template, words=True)

    def of(self, page: Page, at: Int32) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes and unknown leaves.

        at (k,): their template nodes. The greatest of a leaf's features counts; its words count by their
        mean.
        """
        tree = visible_tree(page)
        confidence = np.zeros(tree.size)
        is_leaf = tree.kind > 0
        is_noisy = self._is_noisy[at] & is_leaf
        if not np.logical_or.reduce(is_noisy):
            return confidence
        keys = LeafKeys.of(page, is_noisy)
        values: Float64 = leaf_noise(at, tree.kind, keys.content, keys.link, self._keys, self._shares)
        worded = (self._is_worded[at] & is_leaf).nonzero()[0]
        if len(worded):
            texts = code_points("".join([f"{text}\n" for text in worded_texts(page, worded.tolist())]))
            known = self._words, self._word_shares
            means = word_noise(texts, word_classes(), at[worded], OF_WORDS, *known)
            values[worded] = np.maximum(values[worded], means)
        confidence[tree.node] = values
        return confidence


def _features_of(template: Template, *, words: bool) -> tuple[UInt64, Float64]:
    """Return the keys (f,), ascending, of features at their nodes, and the noise confidence (f,) of each.

    words: those that are words, otherwise the others.
    """
    rows = [
        (node, feature, share)
        for node, noise in template.noise.items()
        for feature, share in noise.items()
        if (feature[0] == "word") == words
    ]
    nodes = np.array([node for node, _, _ in rows], np.int32)
    shares = np.array([share for _, _, share in rows], np.float64)
    keys: UInt64 = placed_keys(feature_keys([feature for _, feature, _ in rows]), nodes)
    order = np.argsort(keys)
    return keys[order], shares[order]
