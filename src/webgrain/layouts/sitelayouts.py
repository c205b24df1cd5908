"""Survey of a site: what stands on each path of its pages, in how many of them, and how much it varies.

Text on one path that is the same on all pages says nothing about any of them: the DiffScore of a path is the
mean, over pairs of pages, of the weight that differs, with two texts either the same or wholly different. So
it follows from the numbers of times that each text occurs, and no two texts are compared.

Sections of a layout, generalised to containers: where the main text is, and what stands in there once.

The main container of a layout is found by going down from the root as long as one child holds nearly all of
the text that varies. How a page is read by it: `webgrain.layouts.sitemodel`.

Where the title of a page stands: the block that links to the page, or its ``<title>``, agree with.

Links to an article carry its title. So do most ``<title>`` elements, with the name of the site before or
behind it: what half of the pages begin or end with is cut off.

Layouts by their frames: groups of pages that have the same paths but for what an author writes.

Similarity is that of sets of paths, sum of weights in common over sum of weights in either. The weight of a
path that a share p of the pages has is p (1 - p) plus a little: what all pages have tells no layouts apart,
and what hardly any has is chance.

Pages with the same frame are one. The frames are taken by how many pages have them, then by their paths, so
the order of the input does not matter; each joins the most similar layout that began with a more frequent
one, or begins a layout. Two frames can only be as similar as the threshold if they share one of the rarest
paths of either (prefix filtering: Bayardo, Ma, Srikant, WWW 2007), and an index of these finds the
candidates.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int8, Int64, UInt64
from webgrain.layouts.pagesteps import Sketch, features
from webgrain.metrics import bag_f1, tokens

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

    key: UInt64
    up: Int64
    pages: Int64
    copies: Int64
    bare: Bool
    prose: Bool
    weight: Float64
    plain: Float64
    varied: Float64
    names: tuple[str, ...]
    level: Int64

    @property
    def head(self) -> Bool:
        """(q,) True at what is not in the body of the page."""
        return self.below(np.array([name == "head" for name in self.names], bool))

    @property
    def diff(self) -> Float64:
        """(q,) DiffScore of what is below each path, 0..1."""
        return self.varied[:, 1] / np.maximum(self.weight[:, 1], 1.0)

    def below(self, flag: Bool) -> Bool:
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
    of: tuple[Int64, ...]
    novelty: tuple[Float64, ...]


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


def _numbered(keys: UInt64) -> tuple[Int64, Int64]:
    """Return the number of the path of each element (e,) of all pages, and the first element on each (q,).

    Paths are numbered by their first elements, so that each comes after the one it goes on from.
    """
    _, first, path = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[path], first[order]


def _novelty(sketches: Sequence[Sketch], held: Sequence[Int64], pages: Int64) -> tuple[Float64, ...]:
    """Return for each page (b,) the `Survey.novelty`; held: (b,) the paths of its blocks; pages: (q,)."""
    sizes, path = [len(paths) for paths in held], np.concatenate(held)
    said = np.concatenate([one.outline.text for one in sketches])
    on_path = features(said, path.astype(np.uint64))  # a text on another path is another one
    _, text = np.unique(on_path, return_inverse=True)
    count = _pages(text, np.repeat(np.arange(len(sketches)), sizes), int(text.max(initial=-1)) + 1)
    novelty = 1.0 - (count[text] - 1) / np.maximum(pages[path] - 1, 1)
    return tuple(np.split(novelty, np.cumsum(sizes)[:-1]))


def _weights(
    sketches: Sequence[Sketch], held: Sequence[Int64], novelty: Sequence[Float64], size: int
) -> Float64:
    """(q, 3) letters, those outside links, letters times novelty, of the blocks on each of ``size`` paths."""
    path, blocks = np.concatenate(held), [one.blocks for one in sketches]
    weight = np.concatenate([of_page.weight for of_page in blocks])
    plain = np.concatenate([of_page.weight_noanchor for of_page in blocks])
    varied = weight * np.concatenate(novelty)
    return np.stack([np.bincount(path, letters, size) for letters in (weight, plain, varied)], axis=1)


def _paths(
    sketches: Sequence[Sketch], of: Sequence[Int64], first: Int64, pages: Int64, own: Float64
) -> Paths:
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


def _names(sketches: Sequence[Sketch], first: Int64) -> tuple[str, ...]:
    """Return the step to each of these elements, counted over all pages, as it reads."""
    start = np.cumsum([0, *(len(one.path) for one in sketches)])
    page = np.searchsorted(start, first, side="right") - 1
    at = zip(page.tolist(), (first - start[page]).tolist(), strict=True)
    return tuple(sketches[p].step_name(element) for p, element in at)


def _pages(path: Int64, page: Int64, size: int) -> Int64:
    """(q,) number of pages that have each path."""
    pairs = np.unique(np.stack([path, page]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def levels(up: Int64) -> Int64:
    """Return the number of steps above each path (q,); ``up[i] < i``, -1 at a root."""
    level = np.zeros(len(up), np.int64)
    while True:
        deeper = np.where(up >= 0, level[up] + 1, 0)
        if np.array_equal(deeper, level):
            return level
        level = deeper


def sums_below(own: NDArray[Any], level: Int64, up: Int64) -> Float64:
    """Return the sums of ``own`` (q, ...) over each path and all that lead on from it.

    >>> sums_below(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 2]), np.array([-1, 0, 1])).tolist()
    [7.0, 6.0, 4.0]
    """
    total = own.astype(np.float64)
    for depth in range(int(level.max(initial=0)), 0, -1):
        here = np.flatnonzero(level == depth)
        np.add.at(total, up[here], total[here])
    return total


def find_records(found: Survey, members: Sequence[int]) -> Bool:
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
    records: Bool = several & ~bare & (np.bincount(regular, minlength=size) > 1)
    return records


KEPT, RECORD, STATIC, LINKS, FIELD, OUTSIDE = 0, 1, 2, 3, 4, 5
"""Whether a block is main text, or why it is not."""

HOLDS = 0.9
"""Share of the varied text that a child must hold for the container to be in there."""
USUAL = 0.7
"""Share of the pages on which something stands that belongs to the layout."""
ONCE = 1.2
"""Copies a page, at most, of what stands there once."""
FEW = 3
"""Pages from which on it can be told what all of them have."""
LINKED = 0.5
"""Share of the letters in links from which on a section is a list of links."""
FIELD_AT_MOST = 500
"""Letters a page from which on a section is no field whatever the threshold."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a page is read by, see `webgrain.layouts.webstemmer.Webstemmer`; it may change after learning.

    Attributes:
        match: least likeness of a page to a layout.
        diff: least DiffScore of what is not the same on all pages.
        main: least MainScore, letters a page, of a section of the main text, and of the main text.
        score: least LayoutPatternScore of a layout of articles.
        strict: only pages with main container and title are articles.
    """

    match: float = 0.4
    diff: float = 0.5
    main: float = 50.0
    score: float = 100.0
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """Where the main text of a layout is; numbers are those of paths of the site.

    Attributes:
        chain: the paths from the root to the main container.
        fields: paths of the sections in it that stand once on nearly all pages, with their letters a page.
        places: letters, in the mean, of the blocks at the beginning of the main text that most pages have.
        title: path of the title; -1: it stands in no block of its own.
        records: paths of what repeats with a structure.
    """

    chain: tuple[int, ...]
    fields: Mapping[int, float] = field(default_factory=dict)
    places: tuple[float, ...] = ()
    title: int = -1
    records: frozenset[int] = frozenset()


def noise(paths: Paths) -> Int8:
    """Return for each path (q,) whether it consists of `LINKS`, wherever it stands."""
    found = np.full(len(paths.key), KEPT, np.int8)
    weight = paths.weight[:, 1]
    found[~paths.bare & (weight > 0) & (paths.plain[:, 1] < LINKED * weight)] = LINKS
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What the pages of one layout have on each path (q,) of the site.

    Attributes:
        count: number of pages of the layout.
        pages: those that have the path; copies: elements on it, on all of them.
        weight: letters below it; varied: letters outside links, times their novelty, without the records.
    """

    count: int
    pages: Int64
    copies: Int64
    weight: Float64
    varied: Float64

    @property
    def once(self) -> Bool:
        """(q,) True for what stands once on the pages that have it."""
        found: Bool = self.copies <= ONCE * self.pages
        return found


def measure(survey: Survey, members: Sequence[int], records: Bool) -> Members:
    """Return what the pages with these numbers have on each path; records (q,): where there are some."""
    paths = survey.paths
    size = len(paths.key)
    aside = paths.below(records) | paths.head
    own = np.zeros((size, 2))
    pages, copies = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for page in members:
        one, of = survey.sketches[page], survey.of[page]
        blocks = one.outline.blocks
        held = of[blocks.holder]
        varied = survey.novelty[page] * blocks.weight_noanchor * ~one.teaser * ~aside[held]
        own[:, 0] += np.bincount(held, blocks.weight, size)
        own[:, 1] += np.bincount(held, varied, size)
        count = np.bincount(of, minlength=size)
        copies += count
        pages += count > 0
    weight, varied = sums_below(own, paths.level, paths.up).T
    return Members(len(members), pages, copies, weight, varied)


def find_container(paths: Paths, members: Members) -> tuple[int, ...]:
    """Return the paths from the root to the main container of a layout."""
    here = int(np.argmax(np.where(paths.up < 0, members.pages, -1)))
    chain = [here]
    while True:
        fit = (
            (paths.up == here) & members.once & ~paths.prose & (members.pages >= USUAL * members.pages[here])
        )
        children = np.flatnonzero(fit)
        best = int(children[np.argmax(members.varied[children])]) if len(children) else -1
        if best < 0 or members.varied[best] < HOLDS * members.varied[here] or not members.varied[best]:
            return tuple(chain)
        here = best
        chain.append(here)


def find_fields(paths: Paths, members: Members, container: int) -> dict[int, float]:
    """Return the sections in the container that stand once on nearly all pages, with their letters a page."""
    if members.count < FEW:
        return {}
    inside = paths.below(np.arange(len(paths.key)) == container)
    inside[container] = False
    usual = inside & members.once & (members.weight > 0) & (members.pages >= USUAL * members.count)
    found = np.flatnonzero(usual & (members.weight < FIELD_AT_MOST * members.pages))
    letters = (members.weight[found] / members.pages[found]).round(1)
    return dict(zip(found.tolist(), letters.tolist(), strict=True))


_JOINT = re.compile(r"\s+[-–—|·•:»«/]+\s+|:\s+|\s*[|»«]\s*")
SHARE = 0.5
"""Share of the pages that begin or end with the name of the site."""


def affixes(titles: Sequence[str]) -> tuple[str, str]:
    """Return what many of the titles begin with, and what many of them end with; the longest of each.

    >>> affixes(["One | The Times", "Two - three | The Times", "Four | The Times"])
    ('', ' | The Times')
    """
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for title in titles:
        joints = list(_JOINT.finditer(title))
        heads.update({title[: joint.end()] for joint in joints})
        tails.update({title[joint.start() :] for joint in joints})
    return _longest(heads, len(titles)), _longest(tails, len(titles))


def trimmed(title: str, affix: tuple[str, str]) -> str:
    """Return a title without the name of the site, unless nothing would be left.

    >>> trimmed("One | The Times", ("", " | The Times")), trimmed("The Times", ("", " | The Times"))
    ('One', 'The Times')
    """
    head, tail = affix
    return title.removeprefix(head).removesuffix(tail).strip() or title


class Called:
    """What a page is called: by the links to it, and by its ``<title>``.

    >>> Called(["A short title", ""]).closeness("« A short Title")
    1.0
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._bags = [Counter(tokens(name)) for name in names if name]

    def closeness(self, text: str) -> float:
        """Return how well a text fits as the title, 0..1: the F1 of it and the nearest name."""
        own = Counter(tokens(text))
        return max((bag_f1(own, bag).f1 for bag in self._bags), default=0.0)


def _longest(counts: Counter[str], pages: int) -> str:
    found = [text for text, count in counts.items() if count > 1 and count >= SHARE * pages]
    return max(found, key=lambda text: (len(text), text), default="")


Frame = frozenset[int]
LIGHTER = 0.25
"""What a path in repeated parts (comments, teasers) counts, or a token that tells nothing apart."""
COMMON = 0.02
"""Weight of a path that all pages have."""
REMEMBERED = 4096
"""Frames whose search is remembered."""


@dataclass(slots=True, eq=False)
class FrameIndex:
    """Frames that can be searched for the one most like another.

    Attributes:
        weight: of each path that counts, the rarest first; others are passed over.
        threshold: the least similarity that is looked for, above 0.
        frames: the frames, in the order in which they were added.

    >>> index = FrameIndex({1: 0.2, 2: 0.2, 3: 0.1}, 0.5)
    >>> index.add(frozenset([1, 2]))
    0
    >>> index.nearest(frozenset([1, 2, 3]))
    (0, 0.8)
    """

    weight: Mapping[int, float]
    threshold: float
    frames: list[Frame] = field(default_factory=list)
    _with: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _rank: dict[int, int] = field(default_factory=dict)
    _found: dict[Frame, tuple[int, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rank = {path: rank for rank, path in enumerate(self.weight)}

    def add(self, frame: Iterable[int]) -> int:
        """Add a frame; return its number."""
        known = self.known(frame)
        self.frames.append(known)
        self._found.clear()
        for path in self._rarest(known):
            self._with[path].append(len(self.frames) - 1)
        return len(self.frames) - 1

    def nearest(self, frame: Iterable[int]) -> tuple[int, float]:
        """Return the number of the most similar frame, the first of equals, and how similar it is; or -1."""
        known = self.known(frame)
        if known not in self._found:  # many pages of a site have the same one
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[known] = self._nearest(known)
        return self._found[known]

    def _nearest(self, known: Frame) -> tuple[int, float]:
        candidates = {number for path in self._rarest(known) for number in self._with.get(path, ())}
        best, most = -1, 0.0
        for number in sorted(candidates):
            similarity = self.similarity(known, self.frames[number])
            if similarity >= self.threshold and similarity > most:
                best, most = number, similarity
        return best, most

    def similarity(self, a: Frame, b: Frame) -> float:
        """Return how similar two frames are, 0..1; two without a path that counts are the same."""
        common = sum(self.weight[path] for path in sorted(a & b))
        return common / either if (either := sum(self.weight[path] for path in sorted(a | b))) else 1.0

    def known(self, frame: Iterable[int]) -> Frame:
        """Return the paths of a frame that have a weight."""
        return frozenset(path for path in frame if path in self.weight)

    def _rarest(self, frame: Frame) -> list[int]:
        """Paths of which a frame as similar as the threshold has at least one, in an order common to all."""
        order = sorted(frame, key=self._rank.__getitem__)
        room = sum(self.weight[path] for path in order) * (1.0 - self.threshold) + 1e-9
        for count, path in enumerate(order):
            room -= self.weight[path]
            if room < 0:
                return order[: count + 1]
        return order


def path_weights(frames: Sequence[Frame], lighter: Collection[int] = ()) -> dict[int, float]:
    """Return the weight of each path that at least two of the frames have, the rarest first.

    lighter: those that count less.

    >>> path_weights([frozenset([1, 2]), frozenset([1, 2]), frozenset([1]), frozenset([1, 3])])
    {2: 0.27, 1: 0.02}
    """
    pages = Counter(path for frame in frames for path in frame)
    order = sorted((count, path) for path, count in pages.items() if count > 1)
    return {path: weight_of(count / len(frames), path in lighter) for count, path in order}


def weight_of(share: float, lighter: bool = False) -> float:
    """Return the weight of a path that so large a share of the pages has; lighter: it counts less."""
    return (share * (1.0 - share) + COMMON) * (LIGHTER if lighter else 1.0)


def group_frames(
    frames: Sequence[Frame], threshold: float, lighter: Collection[int] = ()
) -> tuple[list[int], FrameIndex]:
    """Return the layout of each frame, and the frames that the layouts began with.

    Layouts are numbered by the number of pages with the frame they began with.

    >>> a, b, c = frozenset([1, 2, 3]), frozenset([1, 2]), frozenset([1, 4])
    >>> group_frames([c, a, b, a, c, a], 0.4)[0]
    [1, 0, 0, 0, 1, 0]
    """
    index = FrameIndex(path_weights(frames, lighter), threshold)
    count = Counter(index.known(frame) for frame in frames)
    layout: dict[Frame, int] = {}
    for frame in sorted(count, key=lambda frame: (-count[frame], sorted(frame))):
        nearest, _ = index.nearest(frame)
        layout[frame] = nearest if nearest >= 0 else index.add(frame)
    return [layout[index.known(frame)] for frame in frames], index
