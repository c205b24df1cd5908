"""Noise: the features of the leaves of a page, and their noise confidence in a template.

A feature is a pair of strings, its sort and its value. ``text``, ``image`` (its source) and ``link`` (its
target) are those of Mehta, Madaan, WWW 2008. Additions: ``word``, a link ``#`` to a place on the page, and
``other``, the attributes of a control. A template has the noise confidence of the features that it keeps.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.links import join_url
from webgrain.templates.template import ContentFeature, Template, TypedTree
from webgrain.templates.thresholds import MAX_FEATURE

# A link to a place on the page, whichever.
PLACE: ContentFeature = ("link", "#")

# Attributes that identify a control or an embedded object.
_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_HOST = re.compile(r"https?://[^/?#\s]+", re.I)
_ABSOLUTE = re.compile(r"/|https?://[^/?#\s]", re.I)
_WORD, _DIGITS = re.compile(r"[^\W\d_]+|\d+"), re.compile(r"\d+")


def transfer_noise(template: Template, page: TypedTree, at: Int32) -> Float64:
    """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes and unknown leaves.

    at (k,): their template nodes. The greatest of a leaf's features counts; its words count by their mean.
    """
    confidence, features = np.zeros(page.tree.size), LeafFeatures(page)
    noisy = np.zeros(len(template) + 1, bool)  # the last entry is for leaves without a template node
    noisy[list(template.noise)] = True
    for leaf in np.flatnonzero(noisy[at] & (page.tree.kind > 0)).tolist():
        node = int(at[leaf])
        noise = template.noise[node]
        values = [noise.get(feature, 0.0) for feature in features.of(leaf)]
        if node in template.worded and (words := features.words(leaf)):
            values.append(sum(noise.get(word, 0.0) for word in words) / len(words))
        confidence[page.tree.node[leaf]] = max(values, default=0.0)
    return confidence


class LeafFeatures:
    """The features of the leaves of a page.

    >>> from webgrain.templates.template import typed_tree
    >>> page = typed_tree("<img src=/a.png><a href=/home>Home</a><a href='#top'>Top</a><input name=q>")
    >>> features = LeafFeatures(page)
    >>> for leaf in page.tree.leaves.tolist():
    ...     print(features.of(leaf), len(features.content(leaf)))
    [('image', 'file:///a.png')] 1
    [('text', 'Home'), ('link', 'file:///home')] 2
    [('text', 'Top'), ('link', '#')] 1
    [('other', 'input q')] 0
    """

    def __init__(self, page: TypedTree) -> None:
        self._typed = page
        self._dom = page.page.dom
        self._node = page.tree.node
        self._kind = page.tree.kind
        self._base = page.page.url or f"file:///{page.page.id}"
        host = _HOST.match(self._base)
        self._host = host[0] if host else ""
        self._targets: dict[int, str | None] = {}

    def of(self, leaf: int) -> list[ContentFeature]:
        """Return all features of a leaf.

        The text, the image source or, as an addition, the attributes that identify a control or an embedded
        object; and the target of the link around it, as an addition ``#`` for a place on the page. Addresses
        are absolute. A link to the page itself is no feature.
        """
        node, leaf_type, features = int(self._node[leaf]), self._kind[leaf], list[ContentFeature]()
        if leaf_type == TEXT_LEAF:
            features.append(("text", self._text(node)))
        elif leaf_type == IMAGE:
            if source := self._attributes[node].get("src"):
                features.append(("image", self._address(source)))
        else:
            attributes = self._attributes[node]
            values = (self._dom.tags[self._dom.tag[node]], *(attributes.get(name, "") for name in _KNOWN_BY))
            features.append(("other", " ".join(" ".join(values).split())[:MAX_FEATURE]))
        anchor = self._anchor[leaf]
        if anchor >= 0:
            if anchor not in self._targets:
                self._targets[anchor] = self._target(self._hrefs[anchor] or "")
            if link := self._targets[anchor]:
                features.append(("link", link))
        return features

    def content(self, leaf: int) -> list[ContentFeature]:
        """Return the features of a leaf without the additions: its text, image source and link."""
        return [feature for feature in self.of(leaf) if feature[0] != "other" and feature != PLACE]

    def words(self, leaf: int) -> list[ContentFeature]:
        """Return the words of a text, all numbers as one word; none of a heading and of the title."""
        node = int(self._node[leaf])
        if self._kind[leaf] != TEXT_LEAF or self._is_heading[leaf]:
            return []
        text = self._text(node).lower()
        if text in self._title:
            return []
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", text))]

    def _text(self, node: int) -> str:
        start = self._dom.text_start
        return " ".join(self._dom.text[start[node] : start[node + 1]].split())[:MAX_FEATURE]

    @cached_property
    def _title(self) -> str:
        [title] = self._dom.first_texts("title")
        return " ".join(title.lower().split())

    @cached_property
    def _is_heading(self) -> Bool:
        """(k,) the nodes in a heading."""
        types, tree = self._typed.types, self._typed.tree
        heading = np.array([tag in _HEADINGS for tag, _ in types], np.uint8)[self._typed.type]
        is_heading: Bool = innermost(tree.parent, heading) >= 0
        return is_heading

    @cached_property
    def _attributes(self) -> dict[int, dict[str, str]]:
        """The attributes of the leaves that are no texts, by node."""
        nodes = self._node[(self._kind > 0) & (self._kind != TEXT_LEAF)].tolist()
        return dict(zip(nodes, self._dom.attributes_of(nodes), strict=True))

    @cached_property
    def _anchor(self) -> list[int]:
        """(k,) the innermost link around each node, -1 for none."""
        is_anchor = self._dom.tagged("a")[self._node]
        anchor: list[int] = innermost(self._typed.tree.parent, is_anchor.view(np.uint8)).tolist()
        return anchor

    @cached_property
    def _hrefs(self) -> list[str | None]:
        """(k,) the address of each node that is a link."""
        return self._dom.values_at("href", self._node)

    def _target(self, href: str) -> str | None:
        """Return the target of a link: ``#`` for a place on the page; None for the page."""
        if href[:1] == "#":
            return "#" if len(href) > 1 else None
        target = self._address(href) if href else None
        return None if target and target.partition("#")[0] == self._here else target

    @cached_property
    def _here(self) -> str:
        return self._address("")

    def _address(self, address: str) -> str:
        """Return the absolute form of an address, relative to the file of the page if it has no URL."""
        address = address.strip()[:MAX_FEATURE]
        from_host = self._host and _ABSOLUTE.match(address)
        return _join(self._host if from_host else self._base, address)


@lru_cache(maxsize=2**14)  # menus repeat their addresses on all pages
def _join(base: str, address: str) -> str:
    try:
        return join_url(base, address)
    except ValueError:
        return address
