"""The probability that two pages of a site are of the same type, from their traits.

A logistic model sums features of a pair of pages. Pages with high probabilities of the same type are a
group. A second model sums features of pairs of groups: means over their pages, and the traits that nearly
all pages of one group have and nearly none of the other. So it separates two templates, and joins two parts
of a site that differ only in their menus. The features are relative to the site:

    X   (n, c)  which of the pages have which traits; equal columns are merged, those of all pages left out
    S   (n, n)  similarity of the pages by the traits of their frames
    w   (c,)    how informative a trait is: the mean similarity of two pages that have it, minus that of a
                page that has it and a page that lacks it

`w` is large for the class of a type and about zero for the classes that authors choose. For each family of
traits there is the Jaccard similarity, weighted by the number of merged columns, and further weighted by `w`;
for some families also the weight of the traits that one of the pages has, the similarity relative to the
nearest neighbours of the pages, and the correlation of their similarities with all pages. Further features
compare the numbers of elements, the profile of the texts, and the main region, and describe the site.

The models were trained on sites with known types (`experiments/training/pagetypes.py`); each site has the
same total weight.

Cost: products of (n, c) matrices; about half a second for 250 pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Float32, Float64, Int64, UInt64
from webgrain.base.errors import InputError
from webgrain.base.modelfile import read_model
from webgrain.page.kernels.keytable import numbered
from webgrain.pagetypes import similaritykernel
from webgrain.pagetypes.thresholds import FINE, GROUP_PAGES, GROUP_SHARE
from webgrain.pagetypes.traits import PROFILE, TRAIT_FAMILIES, PageTraits

FORMAT, VERSION = "webgrain page type pairs", 3
_STRUCTURE = ("frame tags", "frame names", "names", "root names", "labels")
_DIFFERENCES = ("frame tags", "frame names", "names", "labels", "head", "root names")
_RELATIVE = ("frame tags", "frame names", "names", "labels")
_LESSER = ("characters", "link share", "prose share", "paths")
_WHOLE = ("frame tags", "frame names", "names", "labels", "prose tags")
_ROUNDS, _NEIGHBOUR = 2, 5
_TINY, _NEARLY_ALL = 1e-9, 0.9


class TraitMatrix(NamedTuple):
    """The traits of n pages as a matrix.

    Attributes:
        present: (n, c) float32, which pages have one of the traits; columns differ from each other.
        keys: of the traits of each column; size: (c,) their number.
        of_all: the keys of the traits that all pages have, which are in no column.
    """

    present: Float32
    keys: tuple[UInt64, ...]
    size: Float64
    of_all: UInt64


def trait_columns(pages: Sequence[UInt64]) -> TraitMatrix:
    """Return the columns of the traits that some but not all pages have, at least two of them.

    >>> a, b = np.array([1, 2, 7], np.uint64), np.array([1, 3], np.uint64)
    >>> columns = trait_columns([a, a, b, b])
    >>> columns.present.tolist(), [keys.tolist() for keys in columns.keys]
    ([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], [[3], [2, 7]])
    """
    n = len(pages)
    flat = np.concatenate([*pages, np.empty(0, np.uint64)])
    row = np.repeat(np.arange(n, dtype=np.int32), list(map(len, pages)))
    column, first, count = numbered(flat)
    key = flat[first]
    kept = np.flatnonzero((count >= 2) & (count < n))
    # Columns are equal if the sums of random numbers of their pages are.
    numbers = np.random.default_rng(0).integers(2**62, size=n).astype(np.uint64)
    sums = similaritykernel.column_sums(column, row, numbers, len(key)).view(np.int64)
    merged, size = np.unique(sums[kept], return_inverse=True, return_counts=True)[1:]
    number = np.full(len(key), -1, np.int32)
    number[kept] = merged
    present = similaritykernel.presence(column, row, number, (n, len(size)))
    sorted_keys = key[kept][np.lexsort((key[kept], merged))]
    ends = np.cumsum(size).tolist()
    keys = tuple([sorted_keys[low:high] for low, high in pairwise([0, *ends])])
    return TraitMatrix(present, keys, size.astype(np.float64), np.sort(key[count == n]))


def all_columns(traits: Sequence[PageTraits]) -> tuple[TraitMatrix, ...]:
    """Return the columns of each family of traits of some pages."""
    return tuple(trait_columns([page.family(k) for page in traits]) for k in range(len(TRAIT_FAMILIES)))


def weighted_jaccard(present: Float32, weight: Float64) -> tuple[Float32, Float32]:
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


def frame_similarity(columns: Sequence[TraitMatrix]) -> tuple[Float32, Float32]:
    """Return the similarities (n, n) of pages by their frames: by all traits, and by informative ones."""
    parts = [columns[TRAIT_FAMILIES.index(family)] for family in _STRUCTURE]
    present = np.concatenate([part.present for part in parts], axis=1)
    root = np.sqrt(np.concatenate([part.size for part in parts]))
    plain = weighted_jaccard(present, root)[0]
    similarity = plain
    for _ in range(_ROUNDS):
        weight = root * informative(present, similarity) + 1e-6
        similarity = weighted_jaccard(present, weight)[0]
    return plain, similarity


def pair_features(traits: Sequence[PageTraits], columns: Sequence[TraitMatrix]) -> tuple[list[str], Float32]:
    """Return the names (f,) of the features, and the features (f, n, n) of all pairs of some pages."""
    rows = list(_features(traits, columns))
    return [name for name, _ in rows], np.stack([np.asarray(values, np.float32) for _, values in rows])


def _features(
    traits: Sequence[PageTraits], columns: Sequence[TraitMatrix]
) -> Iterator[tuple[str, Float32 | Float64]]:
    plain, similarity = frame_similarity(columns)
    n = len(plain)
    yield "plain", plain
    yield "similarity", similarity
    yield "similarity, relative", _relative(similarity)
    yield "similarity, correlation", _correlation(similarity)
    for family, matrix in zip(TRAIT_FAMILIES, columns, strict=True):
        root = np.sqrt(matrix.size)
        yield family, weighted_jaccard(matrix.present, root)[0]
        weighted, difference = weighted_jaccard(
            matrix.present, root * informative(matrix.present, similarity)
        )
        yield f"{family}, weighted", weighted
        if family in _DIFFERENCES:
            yield f"{family}, difference", np.log1p(difference)
        if family in _RELATIVE:
            yield f"{family}, relative", _relative(weighted)
            yield f"{family}, correlation", _correlation(weighted)
    for number in map(TRAIT_FAMILIES.index, _WHOLE):
        numbers = np.array([len(page.family(number)) for page in traits], np.float32)
        yield f"{TRAIT_FAMILIES[number]}, whole", _whole(columns[number], numbers)
    yield "elements", _cosine(traits)
    profile = np.stack([page.profile for page in traits])
    for name, column in zip(PROFILE, profile.T, strict=True):
        yield f"{name}, difference", np.abs(column[:, None] - column[None])
        if name in _LESSER:
            yield f"{name}, lesser", np.minimum(column[:, None], column[None])
    region = np.array([page.region for page in traits], np.uint64)
    yield "region", (region[:, None] == region[None]).astype(np.float32)
    names = len(columns[TRAIT_FAMILIES.index("names")].size)
    site = {"pages": np.log(n), "names of the site": np.log1p(names), "mean similarity": similarity.mean()}
    site |= {"mean plain": plain.mean(), "high similarity": np.quantile(similarity, 0.9)}
    for name, value in site.items():
        yield name, np.full((n, n), value, np.float32)


def group_pair_features(
    pairs: tuple[list[str], Float32], probability: Float64, columns: Sequence[TraitMatrix], groups: Int64
) -> tuple[list[str], Float32]:
    """Return the names (g,) of the features, and the features (g, k, k) of all pairs of k groups of pages.

    pairs: as returned by `pair_features`; probability (n, n): that pages are of the same type; groups (n,):
    the group of each page, 0..k-1.
    """
    rows = list(_group_features(pairs, probability, columns, groups))
    return [name for name, _ in rows], np.stack([np.asarray(values, np.float32) for _, values in rows])


def _group_features(
    pairs: tuple[list[str], Float32], probability: Float64, columns: Sequence[TraitMatrix], groups: Int64
) -> Iterator[tuple[str, Float32 | Float64]]:
    member = (groups == np.arange(groups.max() + 1)[:, None]).astype(np.float32)
    size = member.sum(1)
    mean = member / size[:, None]
    between = mean @ probability @ mean.T
    yield "probability", between
    yield "odds", mean @ clipped_log_odds(probability) @ mean.T
    for name, function in (("lesser", np.minimum), ("greater", np.maximum)):
        yield f"probability within, {name}", function.outer(between.diagonal(), between.diagonal())
        yield f"size, {name}", np.log(function.outer(size, size))
        yield f"share, {name}", function.outer(size, size) / size.sum()
    yield from zip(pairs[0], mean @ pairs[1] @ mean.T, strict=True)
    for family, matrix in zip(TRAIT_FAMILIES, columns, strict=True):
        share, root = mean @ matrix.present, np.sqrt(matrix.size)
        # Traits that nearly all pages of one group have, and nearly none of the other.
        separating = (share >= _NEARLY_ALL) * root @ (share <= 1 - _NEARLY_ALL).T
        yield f"{family}, separating, lesser", np.log1p(np.minimum(separating, separating.T))
        yield f"{family}, separating, greater", np.log1p(np.maximum(separating, separating.T))
        yield f"{family}, common", np.log1p((share >= _NEARLY_ALL) * root @ (share >= _NEARLY_ALL).T)
        both = np.stack([np.minimum(row, share) @ root for row in share])
        either = np.stack([np.maximum(row, share) @ root for row in share])
        yield f"{family}, shares", both / np.maximum(either, 1e-6)
    k = len(size)
    site = {"groups": np.log(k), "all pages": np.log(len(groups)), "mean probability": probability.mean()}
    for name, value in site.items():
        yield name, np.full((k, k), value)


def clipped_log_odds(probability: Float64) -> Float64:
    """Return the log odds of probabilities."""
    clipped = probability.clip(0.001, 0.999)
    odds: Float64 = np.log(clipped / (1 - clipped))
    return odds


def _whole(matrix: TraitMatrix, numbers: Float32) -> Float32:
    """Return the Jaccard similarities (n, n) of all traits; numbers (n,): of the traits of each page."""
    both = matrix.present * matrix.size.astype(np.float32) @ matrix.present.T + np.float32(len(matrix.of_all))
    np.fill_diagonal(both, numbers)
    union = numbers[:, None] + numbers[None] - both
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
        row[[number[tag] for tag in page.tags]] = np.log1p(page.tag_count)
    counts /= np.linalg.norm(counts, axis=1, keepdims=True) + _TINY
    cosine: Float64 = counts @ counts.T
    return cosine


class PairModel(NamedTuple):
    """A logistic model of pairs: the names of its features, their weights (f,), and the constant term."""

    names: tuple[str, ...]
    weight: Float64
    bias: float

    def probability(self, names: Sequence[str], features: Float32) -> Float64:
        """Return the probability (n, n) that pages, or groups, are of the same type."""
        if tuple(names) != self.names:
            raise InputError("The model of pairs of pages is not made for the features of this version.")
        odds = np.tensordot(self.weight.astype(np.float32), features, 1).astype(np.float64) + self.bias
        probability: Float64 = 1 / (1 + np.exp(-odds.clip(-30, 30)))
        probability = (probability + probability.T) / 2
        np.fill_diagonal(probability, 1.0)
        return probability

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> PairModel:
        """Return the model with these weights by name."""
        weights = {str(name): float(value) for name, value in record["weights"].items()}
        return cls(tuple(weights), np.array(list(weights.values())), float(record["bias"]))


class PairModels(NamedTuple):
    """The models of pairs of pages and of pairs of groups."""

    pages: PairModel
    groups: PairModel

    def probabilities(
        self, traits: Sequence[PageTraits], columns: Sequence[TraitMatrix]
    ) -> tuple[Float64, Float64]:
        """Return the probability (n, n) that pages are of the same type: by pairs of pages, and of groups.

        The second one is equal for all pages of two groups: the weighted mean log odds of both models.
        """
        pairs = pair_features(traits, columns)
        by_pages = self.pages.probability(*pairs)
        groups = np.unique(average_linkage(by_pages, FINE), return_inverse=True)[1]
        names, features = group_pair_features(pairs, by_pages, columns, groups)
        share = GROUP_SHARE * min(1.0, len(traits) / GROUP_PAGES)
        odds = share * clipped_log_odds(self.groups.probability(names, features))
        odds += (1 - share) * features[names.index("odds")]
        np.fill_diagonal(odds, np.inf)
        by_groups: Float64 = (1 / (1 + np.exp(-odds)))[np.ix_(groups, groups)]
        return by_pages, by_groups


@cache
def _trained() -> dict[str, Any]:
    with as_file(files("webgrain.pagetypes") / "trained" / "pairs.json") as path:
        return read_model(path, FORMAT, VERSION)[0]


@cache
def trained_pairs() -> PairModels:
    """Return the models that come with webgrain, read once."""
    records = (_trained()[name] for name in PairModels._fields)
    return PairModels(*(PairModel.from_dict(record) for record in records))


@cache
def trained_confidence() -> Float64:
    """Return the weights (4,) of `webgrain.pagetypes.pagetypes.confidence_of`; read-only."""
    weights = np.array(_trained()["confidence"], np.float64)
    weights.setflags(write=False)
    return weights


def average_linkage(probability: Float64, least: float = 0.5) -> Int64:
    """Return groups (n,) of pages: merge the two with the highest mean probability while it is ``least``.

    probability (n, n): that two pages belong together.

    >>> average_linkage(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])).tolist()
    [0, 0, 2]
    """
    groups: Int64 = similaritykernel.average_linkage(probability, least)
    return groups
