"""Survey of a site: what stands on each path of its pages, in how many of them, and how much it varies.

Text on one path that is the same on all pages says nothing about any of them: the DiffScore of a path is the
mean, over pairs of pages, of the weight that differs, with two texts either the same or wholly different. So
it follows from the numbers of times that each text occurs, and no two texts are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.template.steps import features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.template.sketch import Sketch
    from webgrain.template.steps import Keys, Mask

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

REGULAR = 0.8
"""Share of the copies of a record in which a part must stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The paths of a site, each before those that lead on from it; q paths.

    Attributes:
        key: (q,) uint64; up: (q,) the path one step shorter, -1 at a root.
        pages: (q,) pages that have it; copies: (q,) elements on it, on all pages.
        bare, prose: (q,) as in a `Sketch`; bare where most elements are.
        weight, plain: (q, 2) letters, and letters outside links, of the blocks on it and of those below it.
        varied: (q, 2) letters times the share of pages that say something else there.
        names: (q,) the step as it reads; level: (q,) the number of steps above it.
    """

    key: Keys
    up: Ints
    pages: Ints
    copies: Ints
    bare: Mask
    prose: Mask
    weight: Floats
    plain: Floats
    varied: Floats
    names: tuple[str, ...]
    level: Ints

    @property
    def head(self) -> Mask:
        """(q,) True at what is not in the body of the page."""
        return self.below(np.array([name == "head" for name in self.names], bool))

    @property
    def diff(self) -> Floats:
        """(q,) DiffScore of what is below each path, 0..1."""
        return self.varied[:, 1] / np.maximum(self.weight[:, 1], 1.0)

    def below(self, flag: Mask) -> Mask:
        """(q,) True at the paths that are flagged and those that lead on from one that is."""
        out = flag.copy()
        for depth in range(1, int(self.level.max(initial=0)) + 1):
            here = self.level == depth
            out[here] |= out[self.up[here]]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """The pages of a site and their paths.

    Attributes:
        sketches: the pages.
        paths: the paths of all pages.
        of: for each page (e,), the path of each element.
        novelty: for each page (b,), the share of the other pages with this path that say something else
        there.
    """

    sketches: tuple[Sketch, ...]
    paths: Paths
    of: tuple[Ints, ...]
    novelty: tuple[Floats, ...]


def survey(sketches: Sequence[Sketch]) -> Survey:
    """Return the survey of the sketches of a site's pages; there is at least one."""
    sizes = [len(one.path) for one in sketches]
    path, first = _numbered(np.concatenate([one.path for one in sketches]))
    of = tuple(np.split(path, np.cumsum(sizes)[:-1]))
    pages = _pages(path, np.repeat(np.arange(len(sketches)), sizes), len(first))
    held = [own[one.blocks.holder] for one, own in zip(sketches, of, strict=True)]
    novelty = _novelty(sketches, held, pages)
    weights = _weights(sketches, held, novelty, len(first))
    return Survey(tuple(sketches), _paths(sketches, of, first, pages, weights), of, novelty)


def _numbered(keys: Keys) -> tuple[Ints, Ints]:
    """Return the number of the path of each element (e,) of all pages, and the first element on each (q,).

    Paths are numbered by their first elements, so that each comes after the one it goes on from.
    """
    _, first, path = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[path], first[order]


def _novelty(sketches: Sequence[Sketch], held: Sequence[Ints], pages: Ints) -> tuple[Floats, ...]:
    """Return for each page (b,) the `Survey.novelty`; held: (b,) the paths of its blocks; pages: (q,)."""
    sizes, path = [len(paths) for paths in held], np.concatenate(held)
    said = np.concatenate([one.outline.text for one in sketches])
    on_path = features(said, path.astype(np.uint64))  # a text on another path is another one
    _, text = np.unique(on_path, return_inverse=True)
    count = _pages(text, np.repeat(np.arange(len(sketches)), sizes), int(text.max(initial=-1)) + 1)
    novelty = 1.0 - (count[text] - 1) / np.maximum(pages[path] - 1, 1)
    return tuple(np.split(novelty, np.cumsum(sizes)[:-1]))


def _weights(
    sketches: Sequence[Sketch], held: Sequence[Ints], novelty: Sequence[Floats], size: int
) -> Floats:
    """(q, 3) letters, those outside links, letters times novelty, of the blocks on each of ``size`` paths."""
    path, blocks = np.concatenate(held), [one.blocks for one in sketches]
    weight = np.concatenate([of_page.weight for of_page in blocks])
    plain = np.concatenate([of_page.weight_noanchor for of_page in blocks])
    varied = weight * np.concatenate(novelty)
    return np.stack([np.bincount(path, letters, size) for letters in (weight, plain, varied)], axis=1)


def _paths(sketches: Sequence[Sketch], of: Sequence[Ints], first: Ints, pages: Ints, own: Floats) -> Paths:
    """Return the paths (q,) of a site; own (q, 3): their `_weights`."""
    path, copies = np.concatenate(of), np.bincount(np.concatenate(of))
    above = [np.append(paths, -1)[one.blocks.up] for one, paths in zip(sketches, of, strict=True)]
    up = np.concatenate(above)[first]
    level = levels(up)
    weight, plain, varied = np.stack([own, sums_below(own, level, up)], axis=2).swapaxes(0, 1)
    bare = np.bincount(path, np.concatenate([one.bare for one in sketches])) > 0.5 * copies
    prose = np.concatenate([one.prose for one in sketches])[first]
    key, names = np.concatenate([one.path for one in sketches])[first], _names(sketches, first)
    return Paths(key, up, pages, copies, bare, prose, weight, plain, varied, names, level)


def _names(sketches: Sequence[Sketch], first: Ints) -> tuple[str, ...]:
    """Return the step to each of these elements, counted over all pages, as it reads."""
    start = np.cumsum([0, *(len(one.path) for one in sketches)])
    page = np.searchsorted(start, first, side="right") - 1
    at = zip(page.tolist(), (first - start[page]).tolist(), strict=True)
    return tuple(sketches[p].step_name(element) for p, element in at)


def _pages(path: Ints, page: Ints, size: int) -> Ints:
    """(q,) number of pages that have each path."""
    pairs = np.unique(np.stack([path, page]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def levels(up: Ints) -> Ints:
    """Return the number of steps above each path (q,); ``up[i] < i``, -1 at a root."""
    level = np.zeros(len(up), np.int64)
    while True:
        deeper = np.where(up >= 0, level[up] + 1, 0)
        if np.array_equal(deeper, level):
            return level
        level = deeper


def sums_below(own: NDArray[Any], level: Ints, up: Ints) -> Floats:
    """Return the sums of ``own`` (q, ...) over each path and all that lead on from it.

    >>> sums_below(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 2]), np.array([-1, 0, 1])).tolist()
    [7.0, 6.0, 4.0]
    """
    total = own.astype(np.float64)
    for depth in range(int(level.max(initial=0)), 0, -1):
        here = np.flatnonzero(level == depth)
        np.add.at(total, up[here], total[here])
    return total


def find_records(found: Survey, members: Sequence[int]) -> Mask:
    """Return True (q,) at what repeats with a structure on the pages of a layout: comments, teasers.

    That is where two elements of a path are siblings, and most have two kinds of parts that are no bare
    prose.
    """
    bare, size = found.paths.bare, len(found.paths.key)
    copies, several = np.zeros(size, np.int64), np.zeros(size, bool)
    owners = np.zeros(0, np.int64)
    for page in members:
        path, up = found.of[page], found.sketches[page].blocks.up
        copies += np.bincount(path, minlength=size)
        siblings, times = np.unique(up[up >= 0].astype(np.int64) * size + path[up >= 0], return_counts=True)
        several[siblings[times > 1] % size] = True
        parts = siblings[~bare[siblings % size]]
        owners = np.append(owners, path[parts // size] * size + parts % size)
    kinds, times = np.unique(owners, return_counts=True)
    regular = kinds[times >= REGULAR * copies[kinds // size]] // size
    records: Mask = several & ~bare & (np.bincount(regular, minlength=size) > 1)
    return records
