"""Sketch of a page: its elements by the paths of the site, and the frame that they make.

A path leads from the root to an element by steps whose names mean the same on all pages. Which tokens count
is decided for the site: those that stand on several of its pages. In a path only those count that tell an
element from others beside it: the class of the body, or the category of an article that stands alone, would
part what is the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.template.steps import among, features, key_of, keys_of_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.template.pageoutline import Outline
    from webgrain.template.steps import Int64, Keys, Mask

_WRITTEN = (
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd pre blockquote hr table thead tbody tfoot tr td th caption figure "
    "figcaption details summary address center head title"
)
PROSE = frozenset(_WRITTEN.split())
"""What an author writes; without a class or id it says nothing about the layout."""

SHARE, LEAST = 0.02, 2
"""A token counts when it stands on so large a share of the pages, and on so many of them."""
TELLS = 0.5
"""Share of its pages on which a token must tell elements apart to count in a path."""

_PROSE = np.array(sorted(key_of(tag) for tag in PROSE), np.uint64)


def shared_tokens(outlines: Sequence[Outline], share: float, least: int) -> dict[int, str]:
    """Return the tokens that stand on at least ``share`` of the pages, and on ``least`` of them.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.pageoutline import outline
    >>> pages = [parse(Source("a", b"<div class='x %s'>" % word)) for word in (b"one", b"two")]
    >>> list(shared_tokens([outline(page) for page in pages], 0.1, 2).values())
    ['.x']
    """
    pages: Counter[int] = Counter()
    names: dict[int, str] = {}
    for found in outlines:
        pages.update(found.names.keys())
        names |= found.names
    wanted = max(least, share * len(outlines))
    return {key: names[key] for key in sorted(pages) if pages[key] >= wanted}


def telling_contexts(outlines: Sequence[Outline], shared: Keys) -> Keys:
    """Return the contexts, sorted, of the shared tokens that tell elements apart on most of their pages.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.pageoutline import outline
    >>> found = [outline(parse(Source("a", b"<body class=x><p class=y>One<p>two")))]
    >>> telling = telling_contexts(found, np.unique(found[0].token))
    >>> [found[0].names[int(key)] for key in found[0].token[np.isin(found[0].context, telling)]]
    ['.y']
    """
    pages: Counter[int] = Counter()
    apart: Counter[int] = Counter()
    for found in outlines:
        counts = np.isin(found.token, shared)
        pages.update(np.unique(found.context[counts]).tolist())
        apart.update(np.unique(found.context[counts & found.apart]).tolist())
    return np.array(sorted(key for key, count in apart.items() if count >= TELLS * pages[key]), np.uint64)


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
    def end(self) -> Int64:
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

    def step_name(self, element: int) -> str:
        """Return the step to an element as it reads: tag and counted tokens, as in ``div #main .wide``."""
        found = self.outline
        own = slice(*np.searchsorted(found.owner, [element, element + 1]))
        tokens = found.token[own][self.counted[own]].tolist()
        return " ".join([found.tags[int(found.tag[element])], *sorted({found.names[key] for key in tokens})])

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
    path = keys_of_paths(found.blocks.up, found.tag, found.owner[counted], found.token[counted])
    return Sketch(found, path, prose, prose & ~labelled, known, counted)
