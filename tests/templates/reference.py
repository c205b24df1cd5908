"""What the kernels of templates compute, in Python: leaf by leaf, and with array operations."""

from __future__ import annotations

import numpy as np

from webgrain.templates.leaffeatures import LeafFeatures


def transfer_noise(template, page, at):
    """Return the noise confidence (n,) of the leaves of a page, by the strings of their features."""
    confidence, features = np.zeros(page.tree.size), LeafFeatures(page)
    for leaf in page.tree.leaves.tolist():
        noise = template.noise.get(int(at[leaf]))
        if noise is None:
            continue
        values = [noise.get(feature, 0.0) for feature in features.of(leaf)]
        if int(at[leaf]) in template.worded and (words := features.words(leaf)):
            values.append(sum(noise.get(word, 0.0) for word in words) / len(words))
        confidence[page.tree.node[leaf]] = max(values, default=0.0)
    return confidence
