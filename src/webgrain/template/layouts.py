"""Layouts by their frames: groups of pages that have the same paths but for what an author writes.

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

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

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


def path_weights(frames: Sequence[Frame], lighter: Container[int] = ()) -> dict[int, float]:
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
    frames: Sequence[Frame], threshold: float, lighter: Container[int] = ()
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
