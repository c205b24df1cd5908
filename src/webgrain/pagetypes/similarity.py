"""The probability that two pages of a site are of the same type, from their traits.

A logistic model sums features of a pair of pages. The features are relative to the site:

    X   (n, c)  which of the pages have which traits; equal columns are merged, those of all pages left out
    S   (n, n)  similarity of the pages by the traits of their frames
    w   (c,)    how informative a trait is: the mean similarity of two pages that have it, minus that of a
                page that has it and a page that lacks it

`w` is large for the class of a type and about zero for the classes that authors choose. For each family of
traits there is the Jaccard similarity, weighted by the number of merged columns, and further weighted by `w`;
for some families also the weight of the traits that one of the pages has, the similarity relative to the
nearest neighbours of the pages, and the correlation of their similarities with all pages. Further features
compare the numbers of elements, the profile of the texts, and the main region, and describe the site.

The model was trained on sites with known types (`experiments/training/pagetypes.py`); each site has the same
total weight.

Cost: products of (n, c) matrices; about half a second for 250 pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from typing import Any, NamedTuple

import numpy as np

from webgrain.arrays import Float32, Float64, Int64, UInt64
from webgrain.errors import InputError
from webgrain.modelfile import read_model
from webgrain.pagetypes.traits import FAMILIES, PROFILE, PageTraits

FORMAT, VERSION = "webgrain page type pairs", 1
_STRUCTURE = ("frame tags", "frame names", "names", "root names", "labels")
_DIFFERENCES = ("frame tags", "frame names", "names", "labels", "head", "root names")
_RELATIVE = ("frame tags", "frame names", "names", "labels")
_LESSER = ("characters", "link share", "prose share", "paths")
_WHOLE = ("frame tags", "frame names", "names", "labels", "prose tags")
_ROUNDS, _NEIGHBOUR = 2, 5
_TINY = 1e-9


class Columns(NamedTuple):
    """The traits of n pages as a matrix.

    Attributes:
        present: (n, c) float32, which pages have one of the traits; columns differ from each other.
        keys: of the traits of each column; size: (c,) their number.
    """

    present: Float32
    keys: tuple[UInt64, ...]
    size: Float64


def trait_columns(pages: Sequence[UInt64]) -> Columns:
    """Return the columns of the traits that some but not all pages have, at least two of them.

    >>> a, b = np.array([1, 2, 7], np.uint64), np.array([1, 3], np.uint64)
    >>> columns = trait_columns([a, a, b, b])
    >>> columns.present.tolist(), [keys.tolist() for keys in columns.keys]
    ([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], [[3], [2, 7]])
    """
    n = len(pages)
    flat = np.concatenate([*pages, np.empty(0, np.uint64)])
    key, column, count = np.unique(flat, return_inverse=True, return_counts=True)
    row = np.repeat(np.arange(n), [len(own) for own in pages])
    kept = (count >= 2) & (count < n)
    # Columns are equal if the sums of random numbers of their pages are.
    numbers = np.random.default_rng(0).integers(2**62, size=n)
    sums = np.zeros(len(key), np.int64)
    np.add.at(sums, column, numbers[row])
    _, first, merged = np.unique(sums[kept], return_index=True, return_inverse=True)
    number = np.full(len(key), -1)
    number[kept] = merged
    present = np.zeros((n, len(first)), np.float32)
    at = number[column] >= 0
    present[row[at], number[column[at]]] = 1
    order = np.argsort(merged, kind="stable")
    bounds = np.searchsorted(merged[order], np.arange(1, len(first)))
    keys = tuple(np.split(key[kept][order], bounds)) if len(first) else ()
    return Columns(present, keys, np.bincount(merged, minlength=len(first)).astype(np.float64))


def all_columns(traits: Sequence[PageTraits]) -> tuple[Columns, ...]:
    """Return the columns of each family of traits of some pages."""
    return tuple(trait_columns([page.families[k] for page in traits]) for k in range(len(FAMILIES)))


def jaccard(present: Float32, weight: Float64) -> tuple[Float32, Float32]:
    """Return weighted Jaccard similarities (n, n), 1 for two pages without traits, and differences (n, n)."""
    weighted = present * weight.astype(np.float32)
    both = weighted @ present.T
    total = weighted.sum(1)
    difference = np.maximum(total[:, None] + total[None] - 2 * both, 0)
    union = both + difference
    return np.where(union > _TINY, both / np.maximum(union, _TINY), np.float32(1)), difference


def informative(present: Float32, similarity: Float32) -> Float64:
    """Return how informative each column (c,) is, see the module docstring; similarity (n, n)."""
    having = present.sum(0)
    lacking = len(present) - having
    product = similarity @ present
    inside = (present * product).sum(0)
    within = (inside - having) / np.maximum(having * (having - 1), 1)
    across = (product.sum(0) - inside) / np.maximum(having * lacking, 1)
    weight: Float64 = np.clip(within - across, 0, None).astype(np.float64)
    return weight


def frame_similarity(columns: Sequence[Columns]) -> tuple[Float32, Float32]:
    """Return the similarities (n, n) of pages by their frames: by all traits, and by informative ones."""
    own = [columns[FAMILIES.index(family)] for family in _STRUCTURE]
    present = np.concatenate([part.present for part in own], axis=1)
    root = np.sqrt(np.concatenate([part.size for part in own]))
    plain = jaccard(present, root)[0]
    similarity = plain
    for _ in range(_ROUNDS):
        weight = root * informative(present, similarity) + 1e-6
        similarity = jaccard(present, weight)[0]
    return plain, similarity


def pair_features(traits: Sequence[PageTraits], columns: Sequence[Columns]) -> tuple[list[str], Float32]:
    """Return the names (f,) of the features, and the features (f, n, n) of all pairs of some pages."""
    rows = list(_features(traits, columns))
    return [name for name, _ in rows], np.stack([np.asarray(values, np.float32) for _, values in rows])


def _features(
    traits: Sequence[PageTraits], columns: Sequence[Columns]
) -> Iterator[tuple[str, Float32 | Float64]]:
    plain, similarity = frame_similarity(columns)
    n = len(plain)
    yield "plain", plain
    yield "similarity", similarity
    yield "similarity, relative", _relative(similarity)
    yield "similarity, correlation", _correlation(similarity)
    for family, own in zip(FAMILIES, columns, strict=True):
        root = np.sqrt(own.size)
        yield family, jaccard(own.present, root)[0]
        weighted, difference = jaccard(own.present, root * informative(own.present, similarity))
        yield f"{family}, weighted", weighted
        if family in _DIFFERENCES:
            yield f"{family}, difference", np.log1p(difference)
        if family in _RELATIVE:
            yield f"{family}, relative", _relative(weighted)
            yield f"{family}, correlation", _correlation(weighted)
    for family in _WHOLE:
        own_keys = [page.families[FAMILIES.index(family)] for page in traits]
        yield f"{family}, whole", _whole(own_keys)
    yield "elements", _cosine(traits)
    profile = np.stack([page.profile for page in traits])
    for name, column in zip(PROFILE, profile.T, strict=True):
        yield f"{name}, difference", np.abs(column[:, None] - column[None])
        if name in _LESSER:
            yield f"{name}, lesser", np.minimum(column[:, None], column[None])
    region = np.array([page.region for page in traits], np.uint64)
    yield "region", (region[:, None] == region[None]).astype(np.float32)
    names = len(columns[FAMILIES.index("names")].size)
    site = {"pages": np.log(n), "names of the site": np.log1p(names), "mean similarity": similarity.mean()}
    site |= {"mean plain": plain.mean(), "high similarity": np.quantile(similarity, 0.9)}
    for name, value in site.items():
        yield name, np.full((n, n), value, np.float32)


def _whole(pages: Sequence[UInt64]) -> Float32:
    """Return the Jaccard similarities (n, n) of sets of keys, with those of all pages and of single pages."""
    _, column, count = np.unique(np.concatenate(pages), return_inverse=True, return_counts=True)
    size = np.array([len(own) for own in pages], np.float32)
    row = np.repeat(np.arange(len(pages)), size.astype(np.int64))
    common = count > 1
    number = np.cumsum(common) - 1
    present = np.zeros((len(pages), int(common.sum())), np.float32)
    at = common[column]
    present[row[at], number[column[at]]] = 1
    both = present @ present.T
    np.fill_diagonal(both, size)
    union = size[:, None] + size[None] - both
    whole: Float32 = np.where(union > 0, both / np.maximum(union, 1), np.float32(1))
    return whole


def _relative(similarity: Float32) -> Float32:
    """Return similarities relative to those of both pages with a near neighbour."""
    n = len(similarity)
    others = np.sort(similarity - 2 * np.eye(n, dtype=np.float32), axis=1)
    near = np.clip(others[:, -min(_NEIGHBOUR, n - 1)] if n > 1 else np.ones(n), 0.01, 1)
    relative: Float32 = similarity / np.sqrt(near[:, None] * near[None])
    return relative


def _correlation(similarity: Float32) -> Float32:
    """Return the correlation of the similarities that two pages have with all pages."""
    centred = similarity - similarity.mean(1, keepdims=True)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True) + _TINY
    correlation: Float32 = centred @ centred.T
    return correlation


def _cosine(traits: Sequence[PageTraits]) -> Float64:
    """Return the cosine similarity of the numbers of elements by tag."""
    number = {tag: k for k, tag in enumerate(sorted({tag for page in traits for tag in page.tags}))}
    counts = np.zeros((len(traits), len(number)))
    for row, page in zip(counts, traits, strict=True):
        for tag, count in page.tags.items():
            row[number[tag]] = np.log1p(count)
    counts /= np.linalg.norm(counts, axis=1, keepdims=True) + _TINY
    cosine: Float64 = counts @ counts.T
    return cosine


class PairModel(NamedTuple):
    """A logistic model of pairs: the names of its features, their weights (f,), and the constant term."""

    names: tuple[str, ...]
    weight: Float64
    bias: float

    def probability(self, names: Sequence[str], features: Float32) -> Float64:
        """Return the probability (n, n) that pages are of the same type; 1 on the diagonal."""
        if tuple(names) != self.names:
            raise InputError("The model of pairs of pages is not made for the features of this version.")
        odds = np.tensordot(self.weight, features.astype(np.float64), 1) + self.bias
        probability: Float64 = 1 / (1 + np.exp(-odds.clip(-30, 30)))
        probability = (probability + probability.T) / 2
        np.fill_diagonal(probability, 1.0)
        return probability


@cache
def _trained() -> dict[str, Any]:
    with as_file(files("webgrain.pagetypes") / "trained" / "pairs.json") as path:
        return read_model(path, FORMAT, VERSION)[0]


@cache
def trained_pairs() -> PairModel:
    """Return the model that comes with webgrain, read once."""
    weights = {str(name): float(value) for name, value in _trained()["weights"].items()}
    return PairModel(tuple(weights), np.array(list(weights.values())), float(_trained()["bias"]))


def trained_confidence() -> Float64:
    """Return the weights (4,) of `webgrain.pagetypes.pagetypes.confidence_of`."""
    return np.array(_trained()["confidence"], np.float64)


def average_linkage(probability: Float64, least: float = 0.5) -> Int64:
    """Return groups (n,) of pages: merge the two with the highest mean probability while it is ``least``.

    probability (n, n): that two pages belong together.

    >>> average_linkage(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])).tolist()
    [0, 0, 2]
    """
    n = len(probability)
    mean, size, group = probability.astype(np.float64), np.ones(n), np.arange(n)
    np.fill_diagonal(mean, -1.0)
    best = mean.argmax(1) if n else np.empty(0, np.int64)
    value = mean[np.arange(n), best] if n else np.empty(0)
    while n > 1:
        first = int(value.argmax())
        if value[first] < least:
            break
        a, b = sorted((first, int(best[first])))
        mean[a] = mean[:, a] = (size[a] * mean[a] + size[b] * mean[b]) / (size[a] + size[b])
        mean[a, a] = -1
        mean[b] = mean[:, b] = -1
        size[a] += size[b]
        group[group == b] = a
        stale = np.flatnonzero((best == a) | (best == b))
        stale = np.union1d(stale, [a, b])
        best[stale] = mean[stale].argmax(1)
        better = mean[:, a] > value
        best[better] = a
        value = mean[np.arange(n), best]
    return group
