"""Noise of a template's leaves: what stands in the same node on many pages says nothing about any of them.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), section 2.1, steps
2-4, and 2.2.1.

    paper                              here
    feature                            kind and value: text, link or image source of a leaf
    page support of a feature          pages that have it in the node
    noise confidence                   that, divided by the page support of the node

Departures:
  - A short text that a page has once, where the words differ little from page to page (``Posted by Kim on 3
    May``), is noise as far as its words are: the mean of their noise confidences. Numbers count as the same.
  - Controls and embedded objects have a feature too: their names and values. A search box is noise.
  - A link into the page itself (a table of contents) repeats what stands elsewhere: confidence 1.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import numpy as np

from webgrain.kernels.nodetext import text_keys
from webgrain.kernels.treepass import innermost
from webgrain.page.characters import codes_of, letters_table
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.paths import code_points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.template.expression import Noise, Template
    from webgrain.template.forest import Marked

    Int32 = NDArray[np.int32]
    Keys = NDArray[np.uint64]
    Floats = NDArray[np.float64]

LONGEST = 200
"""Characters of a feature that are kept."""

FEW_WORDS = 20
"""Words of a text, in the median, up to which it is compared word by word."""

OFTEN = 3
"""Pages that must have a text for its words to be compared."""

_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")
"""Attributes that a control or an embedded object is known by."""

_SPREAD = 0x9E3779B97F4A7C15
_AS_IT_STANDS = np.zeros(0x10001, np.int8)
"""Letters for `text_keys` of which none is white space."""

_HOST = re.compile(r"https?://[^/?#\s]+", re.I)
_WHOLE = re.compile(r"/|https?://[^/?#\s]", re.I)

_WORD = re.compile(r"[^\W\d_]+|\d+")
_DIGITS = re.compile(r"\d+")


def learn_noise(
    template: Template, pages: Sequence[Marked], places: Sequence[Int32], node_support: float = 0.2
) -> dict[int, dict[Noise, float]]:
    """Return the noise confidence of features by leaf; only of those on two pages or more.

    places: the template node (k,) of each node of each page; node_support: least support of a node that has
    noise (step 4).
    """
    standing: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        where = page.tree.leaves
        for leaf, node in zip(where.tolist(), at[where].tolist(), strict=True):
            standing[node].append((number, leaf))
    leaves, enough = [_Leaves(page) for page in pages], template.support >= node_support
    nodes = sorted(node for node in standing if enough[node])
    shares = {node: _shares(leaves, standing[node], int(template.page_support[node])) for node in nodes}
    return {node: found for node, found in shares.items() if found}


def _shares(
    leaves: Sequence[_Leaves], standing: Sequence[tuple[int, int]], of_node: int
) -> dict[Noise, float]:
    """Return the noise confidence of the features of a template node; its leaves by page and place."""
    seen: dict[Noise, set[int]] = defaultdict(set)
    for number, leaf in standing:
        for feature in leaves[number].features(leaf):
            seen[feature].add(number)
    if len(standing) == of_node >= OFTEN:
        words = [leaves[number].words(leaf) for number, leaf in standing]
        if np.median([len(own) for own in words]) <= FEW_WORDS:
            for (number, _), own in zip(standing, words, strict=True):
                for word in own:
                    seen[word].add(number)
    return {feature: len(numbers) / of_node for feature, numbers in sorted(seen.items()) if len(numbers) > 1}


class KnownNoise:
    """The noise of a template made ready to be looked for on many pages: by keys of texts and links."""

    def __init__(self, template: Template) -> None:
        self._shares, self._worded = template.noise, template.worded
        self._noisy, self._compared = (np.zeros(len(template) + 1, bool) for _ in range(2))
        self._noisy[list(template.noise)] = True  # the last one stands for what has no node
        self._compared[list(template.worded)] = True
        self._texts, self._links = (_Shares(template.noise, kind) for kind in ("text", "link"))

    def of(self, page: Marked, at: Int32) -> Floats:
        """Return the noise confidence (k,) of the leaves of a page, 0 at other nodes and unknown ones.

        at (k,): their template nodes.
        """
        dom, tree = page.page.dom, page.tree
        confidence = np.zeros(len(page))
        noisy, is_text = self._noisy[at] & (tree.kind > 0), tree.kind == TEXT_LEAF
        text = np.flatnonzero(noisy & is_text)
        start, stop = dom.text_start[tree.node[text]], dom.text_start[tree.node[text] + 1]
        keys = text_keys(codes_of(dom), start, stop, letters_table(), LONGEST)
        confidence[text] = self._texts.find(at[text], keys)
        leaves = _Leaves(page)
        for leaf in np.flatnonzero(noisy & (~is_text | self._compared[at])).tolist():
            confidence[leaf] = max(confidence[leaf], self._by_name(leaves, leaf, int(at[leaf])))
        self._add_links(page, at, noisy, confidence)
        return confidence

    def _by_name(self, leaves: _Leaves, leaf: int, node: int) -> float:
        """Return how much of a leaf is noise by the words of its text, or by what else it is known by."""
        shares, words = self._shares[node], leaves.words(leaf)
        if words and node in self._worded:
            return sum(shares.get(word, 0.0) for word in words) / len(words)
        return max((shares.get(feature, 0.0) for feature in leaves.own(leaf)), default=0.0)

    def _add_links(self, page: Marked, at: Int32, noisy: NDArray[np.bool_], confidence: Floats) -> None:
        """Take in where the links around the leaves lead: where they always do, or to a place of the page."""
        dom, tree = page.page.dom, page.tree
        is_anchor = dom.tag[tree.node] == (dom.tags.index("a") if "a" in dom.tags else -1)
        around = innermost(tree.parent, is_anchor.view(np.uint8))
        leaf = np.flatnonzero((tree.kind > 0) & (around >= 0))
        link = (np.cumsum(is_anchor) - 1)[around[leaf]]
        targets = [target or "" for target in dom.values_at("href", tree.node[is_anchor])]
        asked = np.zeros(len(targets), bool)
        asked[link[noisy[leaf]]] = True
        told = [bool(target) and ask for target, ask in zip(targets, asked.tolist(), strict=True)]
        keys = _keys(
            [_absolute(page.page, target) if tell else "" for target, tell in zip(targets, told, strict=True)]
        )
        known = noisy[leaf] & np.array(told, bool)[link]
        found, link_of = leaf[known], link[known]
        confidence[found] = np.maximum(confidence[found], self._links.find(at[found], keys[link_of]))
        within = np.array([len(target) > 1 and target[0] == "#" for target in targets], bool)
        confidence[leaf[within[link]]] = 1.0


class _Shares:
    """How sure features of one kind are noise, by template node and key."""

    def __init__(self, noise: Mapping[int, Mapping[Noise, float]], wanted: str) -> None:
        rows = [
            (node, value, share)
            for node, shares in noise.items()
            for (kind, value), share in shares.items()
            if kind == wanted
        ]
        key = _mixed(
            np.array([node for node, _, _ in rows], np.int32), _keys([value for _, value, _ in rows])
        )
        order = np.argsort(key)
        self._key = key[order]
        self._share = np.array([share for _, _, share in rows], np.float64)[order]

    def find(self, node: Int32, key: Keys) -> Floats:
        """Return the share (m,) of what has these keys in these nodes, 0 where nothing is known of it."""
        if not len(self._key):
            return np.zeros(len(node))
        wanted = _mixed(node, key)
        place = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where(self._key[place] == wanted, self._share[place], 0.0)


def _mixed(node: Int32, key: Keys) -> Keys:
    """Return keys of what stands in template nodes."""
    return key ^ (node.astype(np.uint64) * np.uint64(_SPREAD))


def _keys(texts: Sequence[str]) -> Keys:
    """Return the keys (m,) of texts as they stand: those of `text_keys` for a text that is collapsed."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64).astype(np.int32)
    codes, longest = code_points("".join(texts)), max(map(len, texts), default=0)
    keys: Keys = text_keys(codes, ends[:-1], ends[1:], _AS_IT_STANDS, longest)
    return keys


class _Leaves:
    """The features of the leaves of a page, made when they are asked for."""

    def __init__(self, page: Marked) -> None:
        self._marked, self._page, self._dom = page, page.page, page.page.dom
        self._node, self._kind = page.tree.node, page.tree.kind

    @cached_property
    def _links(self) -> list[str | None]:
        return _links(self._marked)

    def features(self, leaf: int) -> list[Noise]:
        """Return its text, image source or what else it is known by, and its link."""
        link = self._links[leaf]
        return [*self.own(leaf), *([("link", _absolute(self._page, link))] if link else [])]

    def own(self, leaf: int) -> list[Noise]:
        """Return its text, image source, or what else it is known by."""
        node, kind = int(self._node[leaf]), self._kind[leaf]
        if kind == TEXT_LEAF:
            return [("text", " ".join(self._dom.text_of(node).split())[:LONGEST])]
        told = self._dom.attributes(node)
        if kind == IMAGE:
            source = told.get("src")
            return [("image", _absolute(self._page, source))] if source else []
        known = (self._dom.name(node), *(told.get(name, "") for name in _KNOWN_BY))
        return [("other", " ".join(" ".join(known).split())[:LONGEST])]

    def words(self, leaf: int) -> list[Noise]:
        """Return the words of its text, all numbers as one."""
        if self._kind[leaf] != TEXT_LEAF:
            return []
        text = " ".join(self._dom.text_of(int(self._node[leaf])).split())[:LONGEST].lower()
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", text))]


def _absolute(page: Page, address: str) -> str:
    """Return an address as seen from the page; as it stands where it is none."""
    address = address.strip()[:LONGEST]
    if not page.url:
        return address
    host = _HOST.match(page.url)
    if host and _WHOLE.match(address):
        return _joined(host[0], address)
    try:
        return urljoin(page.url, address)
    except ValueError:
        return address


@lru_cache(maxsize=2**14)
def _joined(host: str, address: str) -> str:
    """Return what `urljoin` does with an address of which only the host may be missing: menus come again."""
    try:
        return urljoin(host, address)
    except ValueError:
        return address


def _links(page: Marked) -> list[str | None]:
    """Return for each node the target of the link that it is in."""
    targets, tree = page.page.dom.column("href"), page.tree
    links: list[str | None] = [None] * len(tree)
    anchors = [k for k, (tag, _) in enumerate(page.kinds) if tag == "a"]
    for node in np.flatnonzero(np.isin(page.kind, anchors)).tolist():
        links[node : tree.end[node]] = [targets[tree.node[node]]] * int(tree.end[node] - node)
    return links
