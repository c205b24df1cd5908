"""Features of the leaves of a page, by which leaves of several pages are compared: as strings and as keys.

A feature is a pair of strings, its sort and its value. ``text``, ``image`` (its source) and ``link`` (its
target) are those of Mehta, Madaan, WWW 2008. Additions: ``word``, a link ``#`` to a place on the page, and
``other``, the attributes of a control.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, UInt8, UInt64
from webgrain.base.properties import cached_property
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.links import folder_of, is_whole, join_url, path_of
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.strings import code_points, letters_table, text_codes
from webgrain.page.tagtables import TagSet
from webgrain.page.values import Question
from webgrain.page.vocabulary import NUMBER_OF_TAG
from webgrain.templates.noisekernel import (
    LETTER,
    NO_ADDRESS,
    NUMBER,
    PLACE,
    TOP,
    UNUSUAL,
    address_keys,
    leaf_keys,
    text_key,
    text_keys,
)
from webgrain.templates.template import ContentFeature
from webgrain.templates.thresholds import MAX_FEATURE, MAX_FOLDERS

# A link to a place on the page, whichever.
TO_PLACE: ContentFeature = ("link", "#")

# Attributes that identify a control or an embedded object.
_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")

_IS_HEADING = TagSet("h1", "h2", "h3", "h4", "h5", "h6")
_HOST = re.compile(r"https?://[^/?#\s]+", re.I)
_ABSOLUTE = re.compile(r"/|https?://[^/?#\s]", re.I)
_WORD, _DIGITS = re.compile(r"[^\W\d_]+|\d+"), re.compile(r"\d+")


class LeafFeatures:
    """The features of the leaves of a page.

    >>> from webgrain.page.parsing import as_page
    >>> page = as_page("<img src=/a.png><a href=/home>Home</a><a href='#top'>Top</a><input name=q>")
    >>> features = LeafFeatures(page)
    >>> for leaf in visible_tree(page).leaf.tolist():
    ...     print(features.of(leaf), len(features.content(leaf)))
    [('image', 'file:///a.png')] 1
    [('text', 'Home'), ('link', 'file:///home')] 2
    [('text', 'Top'), ('link', '#')] 1
    [('other', 'input q')] 0
    """

    def __init__(self, page: Page) -> None:
        self._dom = page.dom
        tree = visible_tree(page)
        self._node, self._parent, self._kind = tree.node, tree.parent, tree.kind
        self._page = page
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
                features.append(("image", self._base.address(source)))
        else:
            features.append(("other", _control(self._dom.name(node), self._attributes[node])))
        anchor = self._anchor[leaf]
        if anchor >= 0:
            if anchor not in self._targets:
                self._targets[anchor] = self._base.target(self._hrefs[anchor] or "")
            if link := self._targets[anchor]:
                features.append(("link", link))
        return features

    def content(self, leaf: int) -> list[ContentFeature]:
        """Return the features of a leaf without the additions: its text, image source and link."""
        return [feature for feature in self.of(leaf) if feature[0] != "other" and feature != TO_PLACE]

    def words(self, leaf: int) -> list[ContentFeature]:
        """Return the words of a text, all numbers as one word; none of a heading and of the title."""
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", self.worded_text(leaf)))]

    def worded_text(self, leaf: int) -> str:
        """Return a text in lower case; empty if it is a heading or a part of the title."""
        if self._kind[leaf] != TEXT_LEAF or self._is_heading[leaf]:
            return ""
        text = self._text(int(self._node[leaf])).lower()
        return "" if text in self._title else text

    def _text(self, node: int) -> str:
        start, end = self._dom.text_start[node : node + 2]
        return " ".join(self._dom.text[start:end].split())[:MAX_FEATURE]

    @cached_property
    def _base(self) -> _Base:
        return _Base(self._page)

    @cached_property
    def _title(self) -> str:
        [title] = self._dom.first_texts("title")
        return " ".join(title.lower().split())

    @cached_property
    def _is_heading(self) -> Bool:
        """(k,) the nodes in a heading."""
        heading = _IS_HEADING.of_nodes(self._dom)[self._node].view(np.uint8)
        is_heading: Bool = innermost(self._parent, heading) >= 0
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
        anchor: list[int] = innermost(self._parent, is_anchor.view(np.uint8)).tolist()
        return anchor

    @cached_property
    def _hrefs(self) -> list[str | None]:
        """(k,) the address of each node that is a link."""
        return self._dom.values_at("href", self._node)


def worded_texts(page: Page, leaves: Iterable[int]) -> list[str]:
    """Return the texts whose words are features, in lower case; empty for other leaves."""
    return list(map(LeafFeatures(page).worded_text, leaves))


@cache
def word_classes() -> UInt8:
    """Return the class of each character by code point; the others are in no words.

    >>> word_classes()[[ord(character) for character in "aé1_ "]].tolist() == [LETTER, LETTER, NUMBER, 0, 0]
    True
    """
    characters = np.arange(_PLANES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.zeros(_PLANES, np.uint8)
    for match in _WORD.finditer(characters):
        classes[match.start() : match.end()] = NUMBER if match[0].isdecimal() else LETTER
    classes.setflags(write=False)
    return classes


_PLANES = 0x40000
"""No letters or numbers have this code point or a higher one."""


def _control(tag: str, attributes: dict[str, str]) -> str:
    """Return the tag and the attributes that identify a control or an embedded object."""
    values = [tag, *[attributes.get(name, "") for name in _KNOWN_BY]]
    return " ".join(" ".join(values).split())[:MAX_FEATURE]


class _Base:
    """The URL of a page, for its addresses; that of its file if it has none."""

    def __init__(self, page: Page) -> None:
        self.url = page.url or f"file:///{page.id}"
        host = _HOST.match(self.url)
        self._host = host[0] if host else ""
        self._folder_keys: dict[int, int | None] = {}

    def address(self, address: str) -> str:
        """Return the absolute form of an address."""
        address = address.strip()[:MAX_FEATURE]
        from_host = self._host and _ABSOLUTE.match(address)
        return _join(self._host if from_host else self.url, address)

    def target(self, href: str) -> str | None:
        """Return the target of a link: ``#`` for a place on the page; None for the page."""
        if href[:1] == "#":
            return "#" if len(href) > 1 else None
        target = self.address(href) if href else None
        return None if target and target.partition("#")[0] == self._here else target

    @cached_property
    def _here(self) -> str:
        return self.address("")

    def folder_key(self, levels: int) -> int | None:
        """Return the key of a folder of `webgrain.page.links.folder_of`; None for none."""
        if levels not in self._folder_keys:
            folder = folder_of(self._host if levels < 0 and self._host else self.url, levels)
            self._folder_keys[levels] = None if folder is None else _key_of(folder)
        return self._folder_keys[levels]


@lru_cache(maxsize=2**14)  # menus repeat their addresses on all pages
def _join(base: str, address: str) -> str:
    try:
        return join_url(base, address)
    except ValueError:
        return address


class LeafKeys(NamedTuple):
    """The features of the leaves of a page as keys (k,) uint64 of 64 bits, 0 for none; see `feature_key`.

    content: of the text, the image or the control; link: of the link around the leaf. At other nodes of the
    tree, they have no meaning.

    >>> from webgrain.page.parsing import as_page
    >>> page = as_page("<img src=/a.png><a href=/home>Home</a><a href='#top'>Top</a><input name=q>")
    >>> keys, features = LeafKeys.of(page), LeafFeatures(page)
    >>> for leaf in visible_tree(page).leaf.tolist():
    ...     print([int(key[leaf]) for key in keys if key[leaf]] == list(map(feature_key, features.of(leaf))))
    True
    True
    True
    True
    """

    content: UInt64
    link: UInt64

    @classmethod
    def of(cls, page: Page, wanted: Bool | None = None) -> LeafKeys:
        """Return the keys of a page.

        wanted (k,): whether the key of a control is needed; None: of all.
        """
        dom, tree = page.dom, visible_tree(page)
        content, link = leaf_keys(
            (tree.node, tree.parent, tree.kind),
            dom.tag,
            _ANCHOR,
            _address_keys(page),
            (text_codes(dom), dom.text_start, letters_table()),
            MAX_FEATURE,
        )
        is_control = tree.kind > IMAGE
        for k in (is_control if wanted is None else is_control & wanted).nonzero()[0].tolist():
            node = int(tree.node[k])
            content[k] = feature_key(("other", _control(dom.name(node), dom.attributes(node))))
        return cls(content, link)


def feature_key(feature: ContentFeature) -> int:
    """Return the key of a feature; two features of a site have one key by a rare accident only."""
    sort, value = feature
    return _key_of(value) ^ int(_OF_SORT[sort])


def feature_keys(features: Sequence[ContentFeature]) -> UInt64:
    """Return the keys (m,) of features; see `feature_key`.

    >>> features = [("text", "Home"), ("link", "#")]
    >>> feature_keys(features).tolist() == list(map(feature_key, features))
    True
    """
    values = [value for _, value in features]
    end = np.cumsum([*map(len, values)], dtype=np.int64)
    sorts = np.array([_OF_SORT[sort] for sort, _ in features], np.uint64)
    keys: UInt64 = text_keys(code_points("".join(values)), end) ^ sorts
    return keys


def _key_of(value: str) -> int:
    key: int = text_key(value, 0)[0]
    return key


_KEY_OF_PLACE = _key_of("#")
# Equal values of different sorts have different keys.
_OF_SORT = {sort: np.uint64(k << 61) for k, sort in enumerate(("text", "image", "link", "other", "word"))}
OF_WORDS = int(_OF_SORT["word"])
"""What the sort contributes to the key of a word."""


_ANCHOR, _IMAGE = NUMBER_OF_TAG["a"], NUMBER_OF_TAG["img"]


def _address_keys(page: Page) -> UInt64:
    """Return the keys (n,) of the addresses of links and images, 0 at other nodes and for none."""
    dom, base = page.dom, _Base(page)
    hrefs, with_href = dom.find_attribute("href")
    sources, with_source = dom.find_attribute("src")
    attributes = np.concatenate([hrefs, sources])
    known = dom.ask(_ADDRESS, attributes)
    before = _folder_keys(known, base)
    of_link, of_image = int(_OF_SORT["link"]), int(_OF_SORT["image"])
    links, images = (_ANCHOR, with_href, of_link), (_IMAGE, with_source, of_image)
    keys: UInt64
    keys, unusual = address_keys(dom.tag, links, images, known, before, (_key_of(base.url), _KEY_OF_PLACE))
    for row in unusual.tolist():
        value = dom.values.texts[dom.value[attributes[row]]]
        is_link = row < len(hrefs)
        target = base.target(value) if is_link else base.address(value)
        if target is not None:
            node = with_href[row] if is_link else with_source[row - len(hrefs)]
            keys[node] = _key_of(target) ^ (of_link if is_link else of_image)
    return keys


def _folder_keys(known: UInt64, base: _Base) -> UInt64:
    """Return the keys of what the addresses of a page start with, as far as they are not unusual.

    known: of `address_keys`, whose start becomes `UNUSUAL` where the folder of the page is.
    """
    keys = np.zeros(_FOLDER + MAX_FOLDERS + 1, np.uint64)
    for number in set(known[:, 0].tolist()):
        if _NOTHING < number < len(keys):
            key = base.folder_key(number - _FOLDER)
            if key is None:
                known[known[:, 0] == number, 0] = UNUSUAL
            else:
                keys[number] = key
    return keys


# What an address starts with: nothing, or a folder of the page, numbered by `path_of` from `_FOLDER` on.
_NOTHING, _FOLDER = 0, 2


def _known_of(value: str) -> tuple[int, int, int, int, int]:
    """Return what is known of an address without its page, see `address_keys`."""
    if not value:
        return NO_ADDRESS, 0, 0, 0, 0
    if value[0] == "#":
        return PLACE if len(value) > 1 else TOP, 0, 0, 0, 0
    address = value.strip()[:MAX_FEATURE]
    start = _NOTHING
    if not is_whole(address):
        path = path_of(address)
        if path is None or path[0] > MAX_FOLDERS:
            return UNUSUAL, 0, 0, 0, 0
        levels, address = path
        start = _FOLDER + levels
    file = len(address.partition("#")[0])
    return start, *text_key(address, file)


_ADDRESS = Question(_known_of, (np.uint64, (5,)))
