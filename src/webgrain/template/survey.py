"""Survey of a site: what stands on each path of its pages, in how many of them, and how much it varies.

A path leads from the root to an element by steps whose names mean the same on all pages. Text on one path
that is the same on all pages says nothing about any of them: the DiffScore of a path is the mean, over pairs
of pages, of the weight that differs, with two texts either the same or wholly different. So it follows from
the numbers of times that each text occurs, and no two texts are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.template.steps import among, features, key_of, keys_of_paths, step_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.template.steps import Keys, Outline

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_WRITTEN = (
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd pre blockquote hr table thead tbody tfoot tr td th caption figure "
    "figcaption details summary address center head title"
)
PROSE = frozenset(_WRITTEN.split())
"""What an author writes; without a class or id it says nothing about the layout."""

_PROSE = np.array(sorted(key_of(tag) for tag in PROSE), np.uint64)
SHARE, LEAST = 0.02, 2
"""A token counts when it stands on so large a share of the pages, and on so many of them."""
REGULAR = 0.8
"""Share of the copies of a record in which a part must stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A page in terms of the site's paths; e elements that are steps, b blocks.

    Attributes:
        outline: blocks and tokens.
        path: (e,) uint64, key of the path to each element.
        prose, bare: (e,) what an author writes; that without a token of the site.
        shared, counted: (t,) the tokens of the site; those of them that count in paths.
    """

    outline: Outline
    path: Keys
    prose: Mask
    bare: Mask
    shared: Mask
    counted: Mask

    @property
    def blocks(self) -> LayoutBlocks:
        """The layout blocks."""
        return self.outline.blocks

    @property
    def end(self) -> Ints:
        """(e,) one past the subtree of each element."""
        return self.outline.end

    @property
    def teaser(self) -> Mask:
        """(b,) True at blocks that lead to other pages."""
        return self.outline.teaser

    def below(self, elements: NDArray[np.integer[Any]]) -> Mask:
        """(e,) True at these elements and all in them."""
        cover = np.zeros(len(self.path) + 1, np.int64)
        np.add.at(cover, elements, 1)
        np.add.at(cover, self.end[elements], -1)
        found: Mask = np.cumsum(cover)[:-1] > 0
        return found

    def inside(self, element: int) -> slice:
        """Return the blocks in an element, which follow each other."""
        return slice(int(self.outline.first[element]), int(self.outline.stop[element]))

    def frame_keys(self) -> Keys:
        """Return the keys of the frame, some more than once."""
        loose = self.shared & ~self.counted
        with_token = features(self.path[self.outline.owner[loose]], self.outline.token[loose])
        return np.concatenate([self.path[~self.bare], with_token])

    def frame(self) -> dict[int, tuple[int, int, bool]]:
        """Return the frame: paths to all but bare prose, alone and with a token that does not count in paths.

        By the key of each, the keys of path and token (0 stands for none), and whether it is in what repeats.
        """
        loose = self.shared & ~self.counted
        element = np.concatenate([np.flatnonzero(~self.bare), self.outline.owner[loose]])
        token = np.concatenate([np.zeros((~self.bare).sum(), np.uint64), self.outline.token[loose]])
        path, repeats = self.path[element], self._repeats()[element]
        told = zip(path.tolist(), token.tolist(), repeats.tolist(), strict=True)
        return dict(zip(features(path, token).tolist(), told, strict=True))

    def _repeats(self) -> Mask:
        """(e,) True at elements beside one of the same tag that shares a token, and at all below them."""
        outline, up = self.outline, self.blocks.up
        owner = outline.owner[self.shared]
        kinds = np.stack([up[owner].astype(np.uint64), outline.tag[owner], outline.token[self.shared]])
        _, kind, times = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
        return self.below(np.unique(owner[times[kind.ravel()] > 1]))


def sketch(found: Outline, shared: Keys, telling: Keys) -> Sketch:
    """Return the sketch of a page by the tokens of the site and the contexts in which they count, sorted."""
    prose, known = among(found.tag, _PROSE), among(found.token, shared)
    counted = known & among(found.context, telling)
    labelled = np.zeros(len(found.tag), bool)
    labelled[found.owner[known]] = True
    return Sketch(found, keys_of_paths(found, counted), prose, prose & ~labelled, known, counted)


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
    offset = np.cumsum([0, *sizes])
    keys = np.concatenate([one.path for one in sketches])
    page = np.repeat(np.arange(len(sketches)), sizes)
    above = np.concatenate(
        [
            np.where(one.outline.blocks.up >= 0, one.outline.blocks.up + at, -1)
            for one, at in zip(sketches, offset[:-1], strict=True)
        ]
    )
    _, first, path = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by first element, so that each comes after the one it goes on from
    path, first = np.argsort(order)[path], first[order]
    bare = np.concatenate([one.bare for one in sketches])
    prose = np.concatenate([one.prose for one in sketches])
    of = tuple(path[a:b] for a, b in pairwise(offset))
    novelty = _novelty(sketches, of, _pages(path, page, len(first)))
    up = np.where(above[first] >= 0, path[above[first]], -1)
    held = np.concatenate([paths[one.outline.blocks.holder] for one, paths in zip(sketches, of, strict=True)])
    blocks = [one.outline.blocks for one in sketches]
    weight, plain = (np.concatenate([getattr(b, n) for b in blocks]) for n in ("weight", "weight_noanchor"))
    measures = np.stack([weight, plain, weight * np.concatenate(novelty)], axis=1)
    own = np.stack([np.bincount(held, measures[:, k], len(first)) for k in range(3)], axis=1)
    level = levels(up)
    below = sums_below(own, level, up)
    both = np.stack([own, below], axis=2)
    starts = [(int(page[e]), int(e - offset[page[e]])) for e in first]
    paths = Paths(
        keys[first],
        up,
        _pages(path, page, len(first)),
        np.bincount(path),
        np.bincount(path, bare) > 0.5 * np.bincount(path),
        prose[first],
        both[:, 0],
        both[:, 1],
        both[:, 2],
        tuple(step_name(sketches[p].outline, e, sketches[p].counted) for p, e in starts),
        level,
    )
    return Survey(tuple(sketches), paths, of, novelty)


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


def _pages(path: Ints, page: Ints, size: int) -> Ints:
    """(q,) number of pages that have each path."""
    pairs = np.unique(np.stack([path, page]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def _novelty(sketches: Sequence[Sketch], of: Sequence[Ints], pages: Ints) -> tuple[Floats, ...]:
    held = [paths[one.outline.blocks.holder] for one, paths in zip(sketches, of, strict=True)]
    sizes = [len(paths) for paths in held]
    said = np.concatenate([one.outline.text for one in sketches]) ^ (
        np.concatenate(held).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    )
    _, text = np.unique(said, return_inverse=True)
    count = _pages(text, np.repeat(np.arange(len(sketches)), sizes), int(text.max(initial=-1)) + 1)
    others = np.maximum(pages[np.concatenate(held)] - 1, 1)
    novelty = 1.0 - (count[text] - 1) / others
    return tuple(np.split(novelty, np.cumsum(sizes)[:-1]))


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
