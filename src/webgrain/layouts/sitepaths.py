"""Paths of a site: steps whose names mean the same on all of its pages, and how much varies on each path.

1. The step to an element is its tag with tokens of its id and classes. Numbers, dates and hashes in a token
   are
   normalised: ``node-256`` and ``node-7`` are both ``#node-0``.
2. `PageTokens`: the blocks of a page with the tags and tokens of the elements above them.
3. `PagePaths`: the elements of a page by the paths of the site. A token counts if several pages have it. It
   is part of paths only where it distinguishes an element from its siblings: the class of the body, or the
   category of an article, would separate pages that belong together.
4. `SitePaths`: for each path, the number of pages that have it and how much its text varies between them.

The DiffScore of a path is the mean, over pairs of pages, of the weight that differs, where two texts are
either equal or wholly different. It follows from the number of times that each text occurs; no texts are
compared.

Cost: array passes over the elements of each page.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.layouts.thresholds import DISTINGUISHES, TITLE_ELEMENT_LENGTH, TOKEN_PAGES, TOKEN_SHARE
from webgrain.page.dom import freeze
from webgrain.page.kernels.treepass import path_keys
from webgrain.page.links import leads_to_other_pages
from webgrain.page.page import Page
from webgrain.page.paths import element_types
from webgrain.page.text import TextBlocks, text_blocks

_NUMBER = re.compile(r"\d+")
_PARTS = re.compile(r"[-_]+")
_SPREAD = 0x9E3779B97F4A7C15  # so that tokens in another order give another key
_MAX_LENGTH = 80  # characters of a token
_MAX_TOKENS = 12  # of a step


@lru_cache(maxsize=100_000)
def key_of(name: str) -> int:
    """Return the key of a tag or token: 64 bits, the same on every machine.

    >>> key_of("div") == key_of("div"), key_of("div") == key_of(".div")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big") | 1


@lru_cache(maxsize=100_000)
def tokens_of(attribute: str, value: str) -> tuple[str, ...]:
    """Return the normalised tokens of an ``id`` or ``class``, sorted.

    >>> tokens_of("class", "node  Post-2014-05 css-1q2w3e"), tokens_of("id", "node-256")
    (('.css-~', '.node', '.post-0-0'), ('#node-0',))
    """
    mark, tokens = "#" if attribute == "id" else ".", set()
    for word in value[: _MAX_TOKENS * _MAX_LENGTH].lower().split()[:_MAX_TOKENS]:
        parts = (_NUMBER.sub("0", part) for part in _PARTS.split(word[:_MAX_LENGTH]))
        tokens.add(mark + "-".join("~" if p.count("0") > 1 and p.strip("0") else p for p in parts))
    return tuple(sorted(tokens))


def with_token(path: UInt64, token: UInt64) -> UInt64:
    """Return the keys of paths with one more token each; token 0 stands for none."""
    return path ^ (token * np.uint64(_SPREAD))


def keys_of_paths(up: NDArray[Any], step: UInt64) -> UInt64:
    """Return the keys (e,) of the paths to elements; up: the element above each; step: keys of the steps."""
    keys: UInt64 = path_keys(up.astype(np.int32, copy=False), step, np.array([0, len(step)], np.int64))
    return keys


def key_of_step(name: str) -> int:
    """Return the key of a step by its name: a tag and tokens, separated by spaces.

    >>> key_of_step("div") == key_of("div")
    True
    """
    tag, *tokens = name.split(" ")
    return (key_of(tag) + sum(key_of(token) * _SPREAD for token in tokens)) % 2**64 | 1


def _keys(names: str) -> UInt64:
    return np.array([key_of(name) for name in names.split()], np.uint64)


_HEADINGS, _TITLE = _keys("h1 h2 h3 h4 h5 h6"), key_of("title")
_PROSE = _keys(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd pre blockquote hr table thead tbody tfoot tr td th caption figure "
    "figcaption details summary address center head title"
)
"""Elements that authors write; without a class or id they do not characterise a layout."""


@dataclass(frozen=True, eq=False)
class PageTokens:
    """The blocks of a page, and the tokens of the elements above them; the page itself is not kept.

    Attributes:
        page: the id of the page.
        blocks: the layout blocks; e elements, b blocks.
        end: (e,) one past the subtree of each element, as an index of elements.
        first, stop: (e,) the first block in each element, and one past the last.
        tag: (e,) uint64, key of the tag of each element.
        token: (t,) uint64, keys of the tokens; owner: (t,) the element of each, in order.
        context: (t,) uint64, key of the token and of the tags above it.
        names: the tag or token of each key.
        teaser: (b,) True below a heading that links to another page, up to the next heading.
    """

    page: str
    blocks: TextBlocks
    end: Int64
    first: Int64
    stop: Int64
    tag: UInt64
    token: UInt64
    owner: Int64
    context: UInt64
    names: dict[int, str]
    teaser: Bool

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def text_keys(self) -> UInt64:
        """(b,) uint64, key of the text of each block."""
        return np.array([key_of(text.lower()) for text in self.blocks.texts], np.uint64)

    @property
    def title(self) -> str:
        """The ``<title>`` of the page; empty for none."""
        found = np.flatnonzero(self.tag[self.blocks.holder] == _TITLE)
        return self.blocks.texts[found[0]][:TITLE_ELEMENT_LENGTH] if len(found) else ""

    @property
    def distinguishes(self) -> Bool:
        """(t,) True where a sibling of the owner of a token has the same tag and not this token."""
        siblings = np.stack([self.blocks.up.astype(np.uint64), self.tag])
        group = np.unique(siblings, axis=1, return_inverse=True)[1].ravel()
        held = np.stack([group[self.owner].astype(np.uint64), self.token])
        _, kind, times = np.unique(held, axis=1, return_inverse=True, return_counts=True)
        apart: Bool = times[kind.ravel()] < np.bincount(group)[group[self.owner]]
        return apart


def page_tokens(page: Page) -> PageTokens:
    """Return the blocks of a page and the tokens above them.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<div id=post-7 class='a b'><h2><a href=b>B</a></h2><p>Text</div>"
    >>> found = page_tokens(parse(Source("a", html)))
    >>> [found.names[key] for key in found.token.tolist()], found.teaser.tolist()
    (['#post-0', '.a', '.b'], [True, True])
    """
    dom, blocks = page.dom, text_blocks(page)
    tag = np.array([key_of(name) for name in dom.tags], np.uint64)[dom.tag[blocks.element]]
    types, of = element_types(dom), element_types(dom).of[blocks.element]
    tokens_of_type = _tokens_with_keys if types.short else _tokens_with_keys.__wrapped__
    tokens, used = list(map(tokens_of_type, types.ids, types.classes)), np.unique(of)
    names = {key_of(name): name for name in dom.tags}
    names |= {key: name for kind in used.tolist() for key, name in tokens[kind]}
    start = np.cumsum([0, *(len(own) for own in tokens)])
    size = np.diff(start)[of]
    owner = np.repeat(np.arange(len(of)), size)
    place = np.arange(len(owner)) + np.repeat(start[of] - np.cumsum(size) + size, size)
    token = np.array([key for own in tokens for key, _ in own], np.uint64)[place]
    return PageTokens(
        page.id,
        blocks,
        np.searchsorted(blocks.element, dom.end[blocks.element]),
        np.searchsorted(blocks.first, blocks.element),
        np.searchsorted(blocks.first, dom.end[blocks.element]),
        tag,
        token,
        owner,
        with_token(keys_of_paths(blocks.up, tag)[owner], token),
        names,
        _teasers(page, blocks, tag),
    )


@lru_cache(maxsize=4096)  # the pages of a site share most of them
def _tokens_with_keys(identity: str | None, classes: str | None) -> tuple[tuple[int, str], ...]:
    """Return the tokens of an id and a class, each with its key."""
    names = (*tokens_of("id", identity or ""), *tokens_of("class", classes or ""))
    return tuple((key_of(name), name) for name in names)


def _teasers(page: Page, blocks: TextBlocks, tag: UInt64) -> Bool:
    """(b,) True at headings that link to another page, and at what follows each up to the next heading."""
    heading = np.isin(tag[np.maximum(blocks.holder, 0)], _HEADINGS) & (blocks.holder >= 0)
    at = np.flatnonzero(heading)
    leads = (blocks.weight_noanchor[at] == 0) & (blocks.weight[at] > 0)
    leads[leads] = _links_away(page, blocks.element[blocks.holder[at[leads]]])
    return np.concatenate([[False], leads])[np.cumsum(heading)]


def _links_away(page: Page, nodes: Int32) -> Bool:
    """Return True where the first link in an element leads to another page of the site, if that is known."""
    dom, away = page.dom, np.zeros(len(nodes), bool)
    anchors = np.flatnonzero(dom.tag == dom.tags.index("a")) if "a" in dom.tags else np.zeros(0, np.int64)
    first = np.searchsorted(anchors, nodes)
    inside = np.flatnonzero(np.append(anchors, len(dom.tag))[first] < dom.end[nodes])
    if len(inside):
        away[inside] = leads_to_other_pages(page, anchors[first[inside]])
    return away


def shared_tokens(pages: Sequence[PageTokens]) -> dict[int, str]:
    """Return the tokens, by their keys, that enough of the pages have."""
    count: Counter[int] = Counter()
    names: dict[int, str] = {}
    for page in pages:
        keys = np.unique(page.token).tolist()
        count.update(keys)
        names |= {key: page.names[key] for key in keys}
    wanted = max(TOKEN_PAGES, TOKEN_SHARE * len(pages))
    return {key: names[key] for key in sorted(count) if count[key] >= wanted}


def distinguishing_contexts(pages: Sequence[PageTokens], shared: UInt64) -> UInt64:
    """Return the contexts, sorted, of the shared tokens that distinguish siblings on most of their pages.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> found = [page_tokens(parse(Source("a", b"<body class=x><p class=y>One<p>two")))]
    >>> contexts = distinguishing_contexts(found, np.unique(found[0].token))
    >>> [found[0].names[int(key)] for key in found[0].token[np.isin(found[0].context, contexts)]]
    ['.y']
    """
    count: Counter[int] = Counter()
    apart: Counter[int] = Counter()
    for page in pages:
        counts = np.isin(page.token, shared)
        count.update(np.unique(page.context[counts]).tolist())
        apart.update(np.unique(page.context[counts & page.distinguishes]).tolist())
    found = [key for key, times in apart.items() if times >= DISTINGUISHES * count[key]]
    return np.array(sorted(found), np.uint64)


class PagePaths:
    """A page by the paths of its site; e elements, b blocks, t tokens.

    Attributes:
        tokens: the blocks and tokens of the page; blocks: its layout blocks; teaser: (b,) as in `PageTokens`.
        path: (e,) uint64, key of the path to each element.
        prose, bare: (e,) True at elements that authors write; at those of them without a token of the site.
        shared, counted: (t,) True at the tokens of the site; at those of them that are part of paths.
    """

    def __init__(self, tokens: PageTokens, shared: UInt64, contexts: UInt64) -> None:
        self.tokens, self.blocks, self.teaser = tokens, tokens.blocks, tokens.teaser
        self.shared = np.isin(tokens.token, shared)
        self.counted = self.shared & np.isin(tokens.context, contexts)
        step = tokens.tag.copy()
        np.add.at(step, tokens.owner[self.counted], tokens.token[self.counted] * np.uint64(_SPREAD))
        self.path = keys_of_paths(self.blocks.up, step | np.uint64(1))
        named = np.bincount(tokens.owner[self.shared], minlength=len(tokens.tag)) > 0
        self.prose = np.isin(tokens.tag, _PROSE)
        self.bare = self.prose & ~named

    def below(self, elements: NDArray[np.integer[Any]]) -> Bool:
        """(e,) True at these elements and all elements in them."""
        cover = np.zeros(len(self.path) + 1, np.int64)
        np.add.at(cover, elements, 1)
        np.add.at(cover, self.tokens.end[elements], -1)
        found: Bool = np.cumsum(cover)[:-1] > 0
        return found

    def inside(self, element: int) -> slice:
        """Return the blocks in an element, which are consecutive."""
        return slice(int(self.tokens.first[element]), int(self.tokens.stop[element]))

    def letters(self, weight: NDArray[Any]) -> Float64:
        """(e,) sum of the weights (b,) of the blocks in each element."""
        total = np.append(0.0, np.cumsum(np.bincount(self.blocks.holder, weight, len(self.path))))
        sums: Float64 = total[self.tokens.end] - total[:-1]
        return sums

    def step_name(self, element: int) -> str:
        """Return the name of the step to an element: tag and counted tokens, as in ``div #main .wide``."""
        tokens = self.tokens
        own = slice(*np.searchsorted(tokens.owner, [element, element + 1]))
        names = {tokens.names[key] for key in tokens.token[own][self.counted[own]].tolist()}
        return " ".join([tokens.names[int(tokens.tag[element])], *sorted(names)])

    def frame_features(self) -> tuple[Int64, UInt64, UInt64]:
        """Return the features of the frame: element, token (0 for none), and key of each; keys may repeat.

        These are the paths to all but bare prose, alone and with each token of the site that is not part of
        paths.
        """
        loose, own = self.shared & ~self.counted, np.flatnonzero(~self.bare)
        element = np.concatenate([own, self.tokens.owner[loose]])
        token = np.concatenate([np.zeros(len(own), np.uint64), self.tokens.token[loose]])
        return element, token, with_token(self.path[element], token)

    def repeats(self) -> Bool:
        """(e,) True at elements with a sibling of the same tag that shares a token, and at all below them."""
        tokens, owner = self.tokens, self.tokens.owner[self.shared]
        up = self.blocks.up[owner].astype(np.uint64)
        kinds = np.stack([up, tokens.tag[owner], tokens.token[self.shared]])
        _, kind, times = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
        return self.below(np.unique(owner[times[kind.ravel()] > 1]))


class SitePaths:
    """The pages of a site and their paths, each path before those that continue it; q paths.

    Attributes:
        pages: the pages, at least one; of: for each page (e,), the path of each element.
        key: (q,) uint64; up: (q,) the path one step shorter, -1 at a root; level: (q,) the steps above it.
        names: (q,) the name of the last step of each path.
        page_count: (q,) pages that have the path; copies: (q,) elements on it, on all pages.
        bare, prose: (q,) as in `PagePaths`; bare where most elements are.
        novelty: for each page (b,), the share of the other pages with the path of a block whose text differs.
        weight, plain, varied: (q,) of the blocks below each path: characters, those outside links, and
            characters times novelty.
    """

    def __init__(self, pages: Sequence[PagePaths]) -> None:
        self.pages = tuple(pages)
        sizes, start = [len(page.path) for page in pages], np.cumsum([len(page.path) for page in pages])[:-1]
        keys = np.concatenate([page.path for page in pages])
        path, first = _numbered(keys)
        self.of = tuple(np.split(path, start))
        self.key, size = keys[first], len(first)
        above = [np.append(own, -1)[page.blocks.up] for page, own in zip(pages, self.of, strict=True)]
        self.up = np.concatenate(above)[first]
        self.level = _levels(self.up)
        at = np.searchsorted(np.append(0, start), first, side="right") - 1
        element = first - np.append(0, start)[at]
        self.names = tuple(pages[p].step_name(e) for p, e in zip(at.tolist(), element.tolist(), strict=True))
        self.page_count = _page_counts(path, np.repeat(np.arange(len(pages)), sizes), size)
        self.copies = np.bincount(path)
        self.prose = np.concatenate([page.prose for page in pages])[first]
        self.bare = np.bincount(path, np.concatenate([page.bare for page in pages])) > 0.5 * self.copies

        held = [own[page.blocks.holder] for page, own in zip(pages, self.of, strict=True)]
        self.novelty = self._novelty(held)
        weight = np.concatenate([page.blocks.weight for page in pages])
        plain = np.concatenate([page.blocks.weight_noanchor for page in pages])
        own = [weight, plain, weight * np.concatenate(self.novelty)]
        sums = np.stack([np.bincount(np.concatenate(held), x, size) for x in own], axis=1)
        total = self.sums_below(sums)
        self.weight, self.plain, self.varied = total[:, 0], total[:, 1], total[:, 2]

    def _novelty(self, held: Sequence[Int64]) -> tuple[Float64, ...]:
        """Return the novelty of the blocks of each page; held: (b,) the paths of the blocks."""
        sizes, path = [len(own) for own in held], np.concatenate(held)
        texts = np.concatenate([page.tokens.text_keys for page in self.pages])
        _, text = np.unique(with_token(texts, path.astype(np.uint64)), return_inverse=True)
        pages = np.repeat(np.arange(len(held)), sizes)
        count = _page_counts(text, pages, int(text.max(initial=-1)) + 1)
        novelty = 1.0 - (count[text] - 1) / np.maximum(self.page_count[path] - 1, 1)
        return tuple(np.split(novelty, np.cumsum(sizes)[:-1]))

    @property
    def diff(self) -> Float64:
        """(q,) DiffScore of what is below each path, 0..1."""
        score: Float64 = self.varied / np.maximum(self.weight, 1.0)
        return score

    @cached_property
    def head(self) -> Bool:
        """(q,) True at what is not in the body of the page."""
        return self.below(np.array([name == "head" for name in self.names], bool))

    def below(self, flag: Bool) -> Bool:
        """(q,) True at the flagged paths and those that continue one of them."""
        found = flag.copy()
        for depth in range(1, int(self.level.max(initial=0)) + 1):
            here = self.level == depth
            found[here] |= found[self.up[here]]
        return found

    def sums_below(self, own: NDArray[Any]) -> Float64:
        """Return the sums of ``own`` (q, ...) over each path and all that continue it."""
        total = own.astype(np.float64)
        for depth in range(int(self.level.max(initial=0)), 0, -1):
            here = np.flatnonzero(self.level == depth)
            np.add.at(total, self.up[here], total[here])
        return total


def site_paths(pages: Sequence[PageTokens], tokens: Collection[int]) -> SitePaths:
    """Return the paths of the pages of a site, at least one; tokens: the keys of the tokens that count."""
    shared = np.array(sorted(tokens), np.uint64)
    contexts = distinguishing_contexts(pages, shared)
    return SitePaths([PagePaths(page, shared, contexts) for page in pages])


def _numbered(keys: UInt64) -> tuple[Int64, Int64]:
    """Return the number of the path of each element (e,) of all pages, and the first element on each (q,).

    Paths are numbered by their first elements, so each comes after the path that it continues.
    """
    _, first, path = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[path], first[order]


def _page_counts(path: Int64, page: Int64, size: int) -> Int64:
    """Return the number of pages that have each of ``size`` paths."""
    pairs = np.unique(np.stack([path, page]), axis=1)
    return np.bincount(pairs[0], minlength=size)


def _levels(up: Int64) -> Int64:
    """Return the number of steps above each path (q,); ``up[i] < i``, -1 at a root."""
    level = np.zeros(len(up), np.int64)
    while not np.array_equal(deeper := np.where(up >= 0, level[up] + 1, 0), level):
        level = deeper
    return level
