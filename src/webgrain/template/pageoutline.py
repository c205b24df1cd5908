"""Outline of a page: its blocks, tags and tokens of the elements above them, and where teasers are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.blocks import LayoutBlocks, layout_blocks
from webgrain.page.dom import freeze
from webgrain.page.kinds import kinds_of
from webgrain.page.links import addresses, base_of, has_host
from webgrain.page.remember import remembered
from webgrain.page.urls import target_of
from webgrain.template.steps import among, contexts, key_of, tokens_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.template.steps import Int64, Keys, Mask

    Tokens = tuple[tuple[int, str], ...]

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
    tag: Keys
    token: Keys
    owner: Int64
    context: Keys
    told: tuple[Tokens, ...]
    tagged: tuple[str, ...]
    teaser: Mask

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
    def text(self) -> Keys:
        """(b,) uint64, key of the text of each block."""
        return np.array([key_of(text.lower()) for text in self.blocks.texts], np.uint64)

    @property
    def apart(self) -> Mask:
        """(t,) True where an element beside the owner of a token has the same tag and not this token."""
        _, group = np.unique(
            np.stack([self.blocks.up.astype(np.uint64), self.tag]), axis=1, return_inverse=True
        )
        group = group.ravel()
        held = np.stack([group[self.owner].astype(np.uint64), self.token])
        _, kind, times = np.unique(held, axis=1, return_inverse=True, return_counts=True)
        apart: Mask = times[kind.ravel()] < np.bincount(group)[group[self.owner]]
        return apart


def outline(page: Page) -> Outline:
    """Return the outline of a page.

    >>> from webgrain.page.parse import parse
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


@remembered(16)
def _tag_keys(tags: tuple[str, ...]) -> Keys:
    return np.array([key_of(tag) for tag in tags], np.uint64)


def _tokens(dom: Dom, blocks: LayoutBlocks) -> tuple[tuple[Tokens, ...], Keys, Int64]:
    """Return the tokens of the kinds of elements that are steps, and keys and elements (t,) of all tokens."""
    kinds, of = kinds_of(dom), kinds_of(dom).of[blocks.element]
    there = np.bincount(of, minlength=len(kinds.ids)) > 0
    named = kinds.each(_named)
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


def _teasers(page: Page, blocks: LayoutBlocks, tag: Keys) -> Mask:
    """(b,) True at headings that lead to another page, and at what follows each up to the next heading."""
    heading = among(tag[np.maximum(blocks.holder, 0)], _HEADINGS) & (blocks.holder >= 0)
    at = np.flatnonzero(heading)
    leads = (blocks.weight_noanchor[at] == 0) & (blocks.weight[at] > 0)
    leads[leads] = _leads_away(page, blocks.element[blocks.holder[at[leads]]])
    return np.concatenate([[False], leads])[np.cumsum(heading)]


def _leads_away(page: Page, nodes: NDArray[np.int32]) -> Mask:
    """Whether the first link in each of these elements leads to another page of the site, if it is known."""
    dom = page.dom
    if not len(nodes) or "a" not in dom.tags:
        return np.zeros(len(nodes), bool)
    anchors = np.flatnonzero(dom.tag == dom.tags.index("a"))
    own, base, away = addresses(page), base_of(page), []
    hosts = {address.partition("/")[0] for address in own} if has_host(page) else set()
    for node, first in zip(nodes.tolist(), np.searchsorted(anchors, nodes).tolist(), strict=True):
        inside = first < len(anchors) and anchors[first] < dom.end[node]
        href = dom.get(int(anchors[first]), "href") if inside else None
        target = target_of(base, href) if href else ""
        away.append(bool(target) and target not in own and (not hosts or target.partition("/")[0] in hosts))
    return np.array(away, bool)
