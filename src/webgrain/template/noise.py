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
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import numpy as np

from webgrain.page.leaves import IMAGE, TEXT_LEAF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.template.expression import Noise, Template
    from webgrain.template.forest import Marked

    Int32 = NDArray[np.int32]
    Floats = NDArray[np.float64]

LONGEST = 200
"""Characters of a feature that are kept."""

FEW_WORDS = 20
"""Words of a text, in the median, up to which it is compared word by word."""

OFTEN = 3
"""Pages that must have a text for its words to be compared."""

_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")
"""Attributes that a control or an embedded object is known by."""

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


def leaf_noise(template: Template, page: Marked, at: Int32) -> Floats:
    """Return the noise confidence (k,) of the leaves of a page, 0 at other nodes and unknown ones.

    at (k,): their template nodes.
    """
    confidence = np.zeros(len(page))
    leaves, where = _Leaves(page), page.tree.leaves
    for leaf, node in zip(where.tolist(), at[where].tolist(), strict=True):
        if leaves.within_page(leaf):
            confidence[leaf] = 1.0
        elif shares := template.noise.get(node):
            found = [shares.get(feature, 0.0) for feature in leaves.features(leaf)]
            if node in template.worded and (words := leaves.words(leaf)):
                found.append(sum(shares.get(word, 0.0) for word in words) / len(words))
            confidence[leaf] = max(found, default=0.0)
    return confidence


class _Leaves:
    """The features of the leaves of a page, made when they are asked for."""

    def __init__(self, page: Marked) -> None:
        self._page, self._dom = page.page, page.page.dom
        self._node, self._kind = page.tree.node.tolist(), page.tree.kind.tolist()
        self._links, self._sources = _links(page), page.page.dom.column("src")

    def features(self, leaf: int) -> list[Noise]:
        """Return its text, image source, link, or what else it is known by."""
        node, kind = self._node[leaf], self._kind[leaf]
        found: list[Noise] = []
        if kind == TEXT_LEAF:
            found.append(("text", " ".join(self._dom.text_of(node).split())[:LONGEST]))
        elif kind == IMAGE and self._sources[node]:
            found.append(("image", self._absolute(self._sources[node])))
        elif kind != IMAGE:
            told = self._dom.attributes(node)
            known = (self._dom.name(node), *(told.get(name, "") for name in _KNOWN_BY))
            found.append(("other", " ".join(" ".join(known).split())[:LONGEST]))
        if self._links[leaf]:
            found.append(("link", self._absolute(self._links[leaf])))
        return found

    def words(self, leaf: int) -> list[Noise]:
        """Return the words of its text, all numbers as one."""
        if self._kind[leaf] != TEXT_LEAF:
            return []
        text = " ".join(self._dom.text_of(self._node[leaf]).split())[:LONGEST].lower()
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", text))]

    def within_page(self, leaf: int) -> bool:
        """Return whether it is in a link to another place of the page."""
        link = self._links[leaf]
        return link is not None and len(link) > 1 and link[0] == "#"

    def _absolute(self, address: str | None) -> str:
        """Return an address as seen from the page; as it stands where it is none."""
        address = (address or "").strip()[:LONGEST]
        try:
            return urljoin(self._page.url or "", address)
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
