"""Where queries match the contents of paths: M(x, p) = C(x, p) ∩ Q(p) of KeyClus, for all paths and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.pathtable import climb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.cluster.sitepaths import SitePaths
    from webgrain.cluster.statistics import SiteStatistics, TextRecord
    from webgrain.page.dom import Int32

    Floats = NDArray[np.float64]
    Int64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What the queries of the pages that were read match.

    Attributes:
        pages: (q,) int64, the pages.
        page, path: (m,) int64, a place: one of these pages, and a path with words on it.
        precision, recall: (m,) |M| / |C| and |M| / |Q| there, bags of words.
        hit_page, hit_path, hit_word: (h,) the sets M: a page, a path, and a word by its number on the page.
    """

    pages: Int64
    page: Int64
    path: Int64
    precision: Floats
    recall: Floats
    hit_page: Int64
    hit_path: Int64
    hit_word: Int64


def find_matches(statistics: SiteStatistics, site: SitePaths, *, repeated: float = 0.2) -> Matches:
    """Match the queries of all pages whose text was read.

    repeated: texts found on a larger share of these pages belong to the site's template and match nothing
    (those of three pages and fewer are never taken for it).
    """
    numbers = sorted(statistics.texts.kept)
    template = _template([statistics.texts.kept[p] for p in numbers], repeated)
    places, hits = [np.empty((4, 0))], [np.empty((3, 0), np.int64)]
    for p in numbers:
        place, hit = _match(statistics.texts.kept[p], statistics.records[p].up, site.local[p], template)
        places.append(np.vstack([np.full(place.shape[1], p), place]))
        hits.append(np.vstack([np.full(hit.shape[1], p), hit]))
    page, path, precision, recall = np.concatenate(places, axis=1)
    hit_page, hit_path, hit_word = np.concatenate(hits, axis=1)
    return Matches(
        np.array(numbers, np.int64), page.astype(np.int64), path.astype(np.int64), precision, recall,
        hit_page, hit_path, hit_word,
    )  # fmt: skip


def _template(texts: list[TextRecord], repeated: float) -> NDArray[np.uint64]:
    """Return the keys of the texts that many pages have."""
    keys = np.concatenate([*(np.unique(text.key) for text in texts), np.empty(0, np.uint64)])
    key, pages = np.unique(keys, return_counts=True)
    return key[pages > max(3, repeated * len(texts))]


def _match(text: TextRecord, up: Int32, local: Int32, template: NDArray[np.uint64]) -> tuple[Floats, Int64]:
    """Return places (3, m): path, precision and recall; and hits (2, h): path and word."""
    own = ~np.isin(text.key, template)
    hit = own[text.hit_text]
    hit_path, hit_word = text.path[text.hit_text[hit]], text.hit_word[hit]
    sums = np.zeros((len(up), 2 + len(text.weight)), np.int32)
    np.add.at(sums[:, 0], text.path[own], text.words[own])
    np.add.at(sums[:, 1], hit_path, 1)
    np.add.at(sums, (hit_path, 2 + hit_word), 1)
    sums = climb(up, sums)
    counted = (up < 0) | (local != local[up])  # an element that is left out is no instance of a path
    path, index = np.unique(local[counted], return_inverse=True)
    site_sums = np.zeros((len(path), sums.shape[1]), np.int64)
    np.add.at(site_sums, index, sums[counted])
    words, found, present = site_sums[:, 0], site_sums[:, 1], site_sums[:, 2:] > 0
    place = np.stack([path, found / np.maximum(words, 1), present @ text.weight / text.weight.sum()])
    row, word = np.nonzero(present)
    return place[:, words > 0], np.stack([path[row].astype(np.int64), word])
