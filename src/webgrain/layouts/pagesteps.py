"""Steps of paths, with names and keys that mean the same on all pages of a site.

The step to an element is its tag with tokens of its id and classes. Numbers, dates and hashes in a token are
levelled (``node-256`` and ``node-7`` are both ``#node-0``).

Outline of a page: its blocks, tags and tokens of the elements above them, and where teasers are.

Sketch of a page: its elements by the paths of the site, and the frame that they make.

A path leads from the root to an element by steps whose names mean the same on all pages. Which tokens count
is decided for the site: those that stand on several of its pages. In a path only those count that tell an
element from others beside it: the class of the body, or the category of an article that stands alone, would
part what is the same.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int32, Int64, UInt64
from webgrain.page.blocks import LayoutBlocks, layout_blocks
from webgrain.page.dom import Dom, freeze
from webgrain.page.elementtypes import kinds_of
from webgrain.page.kernels.pathtable import path_keys
from webgrain.page.links import leads_to_other_pages
from webgrain.page.page import Page

Tokens = tuple[tuple[int, str], ...]


_NUMBER = re.compile(r"\d+")
_PARTS = re.compile(r"[-_]+")
_SPREAD = 0x9E3779B97F4A7C15  # so that tokens that change places give another key
_LONGEST = 80
_MOST = 12
"""A step has no more tokens than this."""


def key_of(name: str) -> int:
    """Return the key of a tag or token: 64 bits, the same on every machine.

    >>> key_of("div") == key_of("div"), key_of("div") == key_of(".div")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big") | 1


def tokens_of(attribute: str, value: str) -> tuple[str, ...]:
    """Return the tokens of an ``id`` or ``class``, levelled and sorted.

    >>> tokens_of("class", "node  Post-2014-05 css-1q2w3e"), tokens_of("id", "node-256")
    (('.css-~', '.node', '.post-0-0'), ('#node-0',))
    """
    mark = "#" if attribute == "id" else "."
    words = value[: _MOST * _LONGEST].lower().split()[:_MOST]
    return tuple(sorted({mark + _level(word[:_LONGEST]) for word in words}))


def _level(word: str) -> str:
    parts = (_NUMBER.sub("0", part) for part in _PARTS.split(word))
    return "-".join("~" if part.count("0") > 1 and part.strip("0") else part for part in parts)


def among(keys: UInt64, known: UInt64) -> Bool:
    """Return True (k,) at the keys that are known; known: sorted.

    >>> among(np.array([3, 1, 9], np.uint64), np.array([1, 3], np.uint64)).tolist()
    [True, True, False]
    """
    if not len(known):
        return np.zeros(len(keys), bool)
    found: Bool = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found


def contexts(up: Int32, tag: UInt64, owner: Int64, token: UInt64) -> UInt64:
    """Return the keys (t,) of tokens with the tags that lead to their owners; up, tag (e,): of elements."""
    start = np.array([0, len(tag)], np.int64)
    way: UInt64 = path_keys(up, tag, start)
    return way[owner] ^ (token * np.uint64(_SPREAD))


def keys_of_paths(up: Int32, tag: UInt64, owner: Int64, token: UInt64) -> UInt64:
    """Return the keys (e,) of the paths to elements, by their tags and these tokens (t,) of their owners."""
    steps = tag.copy()
    np.add.at(steps, owner, token * np.uint64(_SPREAD))
    start = np.array([0, len(steps)], np.int64)
    keys: UInt64 = path_keys(up, steps | np.uint64(1), start)
    return keys


def features(path: UInt64, token: UInt64) -> UInt64:
    """Return the keys of paths with one more token each; token 0 stands for none."""
    return path ^ (token * np.uint64(_SPREAD))


def key_of_step(name: str) -> int:
    """Return the key of a step from how it reads; the same as in `keys_of_paths`.

    >>> key_of_step("div") == key_of("div")
    True
    """
    tag, *tokens = name.split(" ")
    return (key_of(tag) + sum(key_of(token) * _SPREAD for token in tokens)) % 2**64 | 1


_HEADINGS = np.array(sorted(key_of(f"h{rank}") for rank in range(1, 7)), np.uint64)


@dataclass(frozen=True, eq=False)
class Outline:
    """The blocks of a page, and the tokens of the elements above them; the page itself is not kept.

    Attributes:
        page: the id of the page.
        blocks: the layout blocks; e elements, b blocks.
        end: (e,) one past the subtree of each element, as an index of elements.
        first, stop: (e,) the first block in each element, and one past the last.
        tag: (e,) uint64, key of each element's tag.
        token: (t,) uint64, keys of the tokens; owner: (t,) the element that each belongs to, in order.
        context: (t,) uint64, key of the token and of the tags above it.
        told: the tokens of each kind of these elements, each with its key; tagged: the tags of the page.
        teaser: (b,) True below a heading that leads to another page, up to the next heading.
    """

    page: str
    blocks: LayoutBlocks
    end: Int64
    first: Int64
    stop: Int64
    tag: UInt64
    token: UInt64
    owner: Int64
    context: UInt64
    told: tuple[Tokens, ...]
    tagged: tuple[str, ...]
    teaser: Bool

    def __post_init__(self) -> None:
        freeze(self)

    @cached_property
    def names(self) -> dict[int, str]:
        """The token of each key."""
        return {key: name for own in self.told for key, name in own}

    @cached_property
    def tags(self) -> dict[int, str]:
        """The tag of each key."""
        return {key_of(tag): tag for tag in self.tagged}

    @property
    def text(self) -> UInt64:
        """(b,) uint64, key of the text of each block."""
        return np.array([key_of(text.lower()) for text in self.blocks.texts], np.uint64)

    @property
    def apart(self) -> Bool:
        """(t,) True where an element beside the owner of a token has the same tag and not this token."""
        _, group = np.unique(
            np.stack([self.blocks.up.astype(np.uint64), self.tag]), axis=1, return_inverse=True
        )
        group = group.ravel()
        held = np.stack([group[self.owner].astype(np.uint64), self.token])
        _, kind, times = np.unique(held, axis=1, return_inverse=True, return_counts=True)
        apart: Bool = times[kind.ravel()] < np.bincount(group)[group[self.owner]]
        return apart


def outline(page: Page) -> Outline:
    """Return the outline of a page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<div id=post-7 class='a b'><h2><a href=b>B</a></h2><p>Text</div>"
    >>> found = outline(parse(Source("a", html)))
    >>> list(found.names.values()), found.teaser.tolist()
    (['#post-0', '.a', '.b'], [True, True])
    """
    dom, blocks = page.dom, layout_blocks(page)
    tag = _tag_keys(dom.tags)[dom.tag[blocks.element]]
    told, token, owner = _tokens(dom, blocks)
    return Outline(
        page.id,
        blocks,
        np.searchsorted(blocks.element, dom.end[blocks.element]),
        np.searchsorted(blocks.first, blocks.element),
        np.searchsorted(blocks.first, dom.end[blocks.element]),
        tag,
        token,
        owner,
        contexts(blocks.up, tag, owner, token),
        told,
        dom.tags,
        _teasers(page, blocks, tag),
    )


def _tag_keys(tags: tuple[str, ...]) -> UInt64:
    return np.array([key_of(tag) for tag in tags], np.uint64)


def _tokens(dom: Dom, blocks: LayoutBlocks) -> tuple[tuple[Tokens, ...], UInt64, Int64]:
    """Return the tokens of the kinds of elements that are steps, and keys and elements (t,) of all tokens."""
    kinds, of = kinds_of(dom), kinds_of(dom).of[blocks.element]
    there = np.bincount(of, minlength=len(kinds.ids)) > 0
    function = _named if kinds.short else _named.__wrapped__
    named = list(map(function, kinds.ids, kinds.classes))
    told = tuple(named[k] for k in np.flatnonzero(there).tolist())
    of = (np.cumsum(there) - 1)[of]
    size = np.array([len(own) for own in told], np.int64)
    each = size[of]
    owner = np.repeat(np.arange(len(of)), each)
    place = np.arange(len(owner)) + np.repeat((np.cumsum(size) - size)[of] - np.cumsum(each) + each, each)
    key = np.array([key for own in told for key, _ in own], np.uint64)
    return told, key[place], owner


@lru_cache(maxsize=4096)  # the pages of a site have the same ones
def _named(identity: str | None, classes: str | None) -> Tokens:
    """Return the tokens of an id and a class, each with its key."""
    names = (*tokens_of("id", identity or ""), *tokens_of("class", classes or ""))
    return tuple((key_of(name), name) for name in names)


def _teasers(page: Page, blocks: LayoutBlocks, tag: UInt64) -> Bool:
    """(b,) True at headings that lead to another page, and at what follows each up to the next heading."""
    heading = among(tag[np.maximum(blocks.holder, 0)], _HEADINGS) & (blocks.holder >= 0)
    at = np.flatnonzero(heading)
    leads = (blocks.weight_noanchor[at] == 0) & (blocks.weight[at] > 0)
    leads[leads] = _leads_away(page, blocks.element[blocks.holder[at[leads]]])
    return np.concatenate([[False], leads])[np.cumsum(heading)]


def _leads_away(page: Page, nodes: Int32) -> Bool:
    """Whether the first link in each of these elements leads to another page of the site, if it is known."""
    dom, away = page.dom, np.zeros(len(nodes), bool)
    anchors = np.flatnonzero(dom.tag == dom.tags.index("a")) if "a" in dom.tags else np.zeros(0, np.int64)
    first = np.searchsorted(anchors, nodes)
    inside = np.flatnonzero(np.append(anchors, len(dom.tag))[first] < dom.end[nodes])
    if len(inside):
        away[inside] = leads_to_other_pages(page, anchors[first[inside]])
    return away


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

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.layouts.pagesteps import outline
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


def telling_contexts(outlines: Sequence[Outline], shared: UInt64) -> UInt64:
    """Return the contexts, sorted, of the shared tokens that tell elements apart on most of their pages.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.layouts.pagesteps import outline
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
    path: UInt64
    prose: Bool
    bare: Bool
    shared: Bool
    counted: Bool

    @property
    def blocks(self) -> LayoutBlocks:
        """The layout blocks."""
        return self.outline.blocks

    @property
    def end(self) -> Int64:
        """(e,) one past the subtree of each element."""
        return self.outline.end

    @property
    def teaser(self) -> Bool:
        """(b,) True at blocks that lead to other pages."""
        return self.outline.teaser

    def below(self, elements: NDArray[np.integer[Any]]) -> Bool:
        """(e,) True at these elements and all in them."""
        cover = np.zeros(len(self.path) + 1, np.int64)
        np.add.at(cover, elements, 1)
        np.add.at(cover, self.end[elements], -1)
        found: Bool = np.cumsum(cover)[:-1] > 0
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

    def frame_keys(self) -> UInt64:
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

    def _repeats(self) -> Bool:
        """(e,) True at elements beside one of the same tag that shares a token, and at all below them."""
        outline, up = self.outline, self.blocks.up
        owner = outline.owner[self.shared]
        kinds = np.stack([up[owner].astype(np.uint64), outline.tag[owner], outline.token[self.shared]])
        _, kind, times = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
        return self.below(np.unique(owner[times[kind.ravel()] > 1]))


def sketch(found: Outline, shared: UInt64, telling: UInt64) -> Sketch:
    """Return the sketch of a page by the tokens of the site and the contexts in which they count, sorted."""
    prose, known = among(found.tag, _PROSE), among(found.token, shared)
    counted = known & among(found.context, telling)
    labelled = np.zeros(len(found.tag), bool)
    labelled[found.owner[known]] = True
    path = keys_of_paths(found.blocks.up, found.tag, found.owner[counted], found.token[counted])
    return Sketch(found, path, prose, prose & ~labelled, known, counted)
