"""The two ways in which layout patterns are learnt: as first described, and as the program of 2007 did it.

What the description and the program each do in their own way of steps 2 to 5 of Shinyama, "How it works" (see
`webgrain.template.webstemmer`); what both do is in `webgrain.template.analysis`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.alignment import common_length, heaviest_common
from webgrain.template.patterns import collapsed, places, weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.patterns import Sequenced

    Floats = NDArray[np.float64]

STATIC = 0.5
"""DiffScore under which text is static."""
FALLBACK = 1.0
"""The program's threshold for a title that is like the main text."""


class Variant(ABC):
    """What the description and the program do differently."""

    @abstractmethod
    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the features that two sequences have in common, in order; weight: of each feature."""

    @abstractmethod
    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Step 2: the share of the weight of two pages that is in common, 0..1."""

    @abstractmethod
    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Step 3: groups of pages."""

    @abstractmethod
    def matched(self, a: str, b: str) -> float:
        """Step 4: letters that two texts have in common."""

    @abstractmethod
    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """Step 5: the weight of each block (b,) in the MainScore."""

    @abstractmethod
    def resembles(self, title: str, main: str) -> float:
        """Step 5: how far the main text tells that a text is its title."""

    @abstractmethod
    def trust(self, diff: float) -> float:
        """Step 5: what a section with this DiffScore counts in the search for the title."""

    @abstractmethod
    def fallback(self, threshold: float) -> float:
        """Step 5: what that must exceed; threshold: of the likeness to links."""


class Documented(Variant):
    """The description, with true longest common subsequences.

    Both blocks of a pair count in the similarity: counted once, no two pages were above 1/2. Blocks of one
    feature that follow each other are one, as the paragraphs are in the pattern printed there.
    """

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the heaviest common subsequence."""
        one, two = _numbered(a, b)
        mass = [np.array([weight.get(feature, 0.0) for feature in features]) for features in (a, b)]
        return [a[i] for i in heaviest_common(one, two, *mass)[:, 0].tolist()]

    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Weight of the heaviest common subsequence of the blocks, by that of all blocks."""
        total = float(a.weight.sum() + b.weight.sum())
        (one, left), (two, right) = _runs(a), _runs(b)
        pairs = heaviest_common(*_numbered(one, two), left, right)
        return float(left[pairs[:, 0]].sum() + right[pairs[:, 1]].sum()) / max(total, 1.0)

    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Hierarchical clustering, complete linkage: the most similar clusters are joined first.

        Pairs that cannot be similar enough, by the weight of the features they share, are not compared.
        """
        bags = [weights([page]) for page in pages]
        similar = np.eye(len(pages))
        for i, page in enumerate(pages):
            for j in range(i):
                if _bound(bags[i], bags[j]) >= threshold:
                    similar[i, j] = similar[j, i] = self.similarity(page, pages[j])
        return _complete_linkage(similar, threshold)

    def matched(self, a: str, b: str) -> float:
        """Length of the longest common subsequence."""
        codes = [np.frombuffer(text.encode("utf-32-le", "replace"), np.int32) for text in (a, b)]
        return common_length(*codes)

    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """All letters."""
        return page.blocks.weight

    def resembles(self, title: str, main: str) -> float:
        """Share of the words of the title that stand in the main text, in the same order."""
        words = title.split()
        return common_length(*_numbered(words, main.split())) / max(len(words), 1)

    def trust(self, diff: float) -> float:
        """Return 0 for static text, which is put aside before, else 1."""
        return float(diff >= STATIC)

    def fallback(self, threshold: float) -> float:
        """Return the same threshold."""
        return threshold


class Original(Variant):
    """The program: common parts by `difflib`, one greedy pass over the pages, a fallback of its own."""

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the matching blocks of difflib, the longer sequence first."""
        a, b = (a, b) if len(a) >= len(b) else (b, a)
        blocks = SequenceMatcher(None, a, b).get_matching_blocks()
        return [feature for block in blocks for feature in a[block.a : block.a + block.size]]

    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Weight of the blocks of both pages that go to a common feature, by that of all blocks."""
        shared = self.common(collapsed(a.features), collapsed(b.features), {})
        total = float(a.weight.sum() + b.weight.sum())
        return sum(float(page.weight[places(page, shared) >= 0].sum()) for page in (a, b)) / max(total, 1.0)

    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Put each page into the cluster of the nearest directory to whose every page it is similar."""
        found: list[list[int]] = []
        for number, page in enumerate(pages):
            order = sorted(found, key=lambda cluster: _distance(pages[cluster[0]].page, page.page))
            fits = (c for c in order if all(self.similarity(pages[i], page) >= threshold for i in c))
            home = next(fits, None)
            if home is None:
                found.append([number])
            else:
                home.append(number)
        return found

    def matched(self, a: str, b: str) -> float:
        """Letters in the matching blocks of difflib, which passes over frequent letters of long texts."""
        return sum(block.size for block in SequenceMatcher(None, a, b).get_matching_blocks())

    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """Letters outside links."""
        return page.blocks.weight_noanchor

    def resembles(self, title: str, main: str) -> float:
        """Sum of the squared lengths of the common parts, by the length of the title."""
        blocks = SequenceMatcher(None, title, main).get_matching_blocks()
        return sum(block.size**2 for block in blocks) / max(len(title), 1)

    def trust(self, diff: float) -> float:
        """Return the DiffScore."""
        return diff

    def fallback(self, threshold: float) -> float:
        """Return a fixed threshold, whatever is given."""
        return FALLBACK


def _runs(page: Sequenced) -> tuple[list[str], Floats]:
    """Features without immediate repetitions, and the weight of each run."""
    features = list(page.features)
    opens = [i for i in range(len(features)) if i == 0 or features[i] != features[i - 1]]
    weight = np.add.reduceat(page.weight, opens) if opens else page.weight
    return [features[i] for i in opens], weight


def _numbered(a: Sequence[str], b: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both sequences with a number for each distinct item."""
    number = {item: i for i, item in enumerate(dict.fromkeys([*a, *b]))}
    return np.array([number[i] for i in a], np.int32), np.array([number[i] for i in b], np.int32)


def _bound(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Similarity that two pages have at most, whatever the order of their blocks."""
    total = sum(a.values()) + sum(b.values())
    return sum(a[feature] + b[feature] for feature in sorted(a.keys() & b.keys())) / total if total else 1.0


def _complete_linkage(similar: Floats, threshold: float) -> list[list[int]]:
    """Join the clusters whose least similar members are most similar, as long as these are enough."""
    similar = similar - 2.0 * np.eye(len(similar))
    groups = {number: [number] for number in range(len(similar))}
    while len(similar) and similar.max() >= threshold:
        i, j = sorted(divmod(int(similar.argmax()), len(similar)))
        similar[i] = similar[:, i] = np.minimum(similar[i], similar[j])
        similar[i, i] = similar[j, :] = similar[:, j] = -1.0
        groups[i] += groups.pop(j)
    return [sorted(group) for group in groups.values()]


def _distance(a: str, b: str) -> int:
    """How far two pages are apart in the tree of directories; what differs near the root counts most."""
    pairs = zip_longest(a.split("/")[:-1], b.split("/")[:-1])
    return sum(1 << max(31 - depth, 0) for depth, (x, y) in enumerate(pairs) if x != y)
