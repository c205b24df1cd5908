"""Page traits: what a page has in common with others of its type, as sets of keys.

The traits are grouped by family (`FAMILIES`), because they differ in what they reveal: the tags and classes
of the frame of a page are chosen by its template, those inside its main text by its author, and those of
menus by its place in the site. The main text and the menus are estimated from the page alone: the deepest
element that contains most of the long texts outside of links, and elements whose characters are in links.

A path has tags only; a class or an id is a separate trait, so two pages that share one of five classes have
it in common. In names, runs of digits become 0 and long hexadecimal numbers are replaced.

Cost: one pass over the distinct paths and the short texts of a page, less than parsing it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote, urlsplit

import numpy as np

from webgrain.arrays import Float64, UInt64
from webgrain.page.dom import Dom, cached_on_page, freeze
from webgrain.page.links import redirect
from webgrain.page.page import Page
from webgrain.page.paths import PathTable, path_table
from webgrain.page.thresholds import LONGEST
from webgrain.pagetypes.thresholds import (
    DENSE_LINKS,
    ERROR_CHARACTERS,
    LONG_TEXT,
    MAX_PARAGRAPHS,
    PROSE_SHARE,
    REDIRECT_CHARACTERS,
    ROOT_DEPTH,
    SHORT_TEXT,
)

FAMILIES = (
    "frame tags", "frame names", "frame counts", "menu tags", "menu names", "prose tags", "prose names",
    "names", "names in frame", "root names", "labels", "link labels", "head", "scripts", "semantics", "url",
)  # fmt: skip
"""Families of traits: paths of tags, names (classes and ids) on paths, names without paths, short texts."""

PROFILE = (
    "characters", "link share", "prose share", "paths", "elements", "links", "images", "paragraphs", "items",
    "cells", "h1", "headings", "controls", "code", "repetition",
)  # fmt: skip
"""Numbers of a page; counts as logarithms."""

_DIGITS = re.compile(r"\d+")
_HASH = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_HIDDEN = frozenset(("head", "script", "style", "noscript", "template"))
_ATTRIBUTES = frozenset(
    ("class", "id", "name", "property", "http-equiv", "itemprop", "content", "rel", "type", "src", "itemtype",
     "role", "typeof")
)  # fmt: skip
_VALUES_KEPT = frozenset(("og:type", "generator", "robots", "twitter:card", "refresh", "template", "layout"))
_LD_TYPE = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,60})"|\[([^\]]{1,200})\])')
_QUERY_KEY, _FIRST_VALUE = re.compile(r"([\w\[\]]+)="), re.compile(r"[?&]\w+=[a-z_]+")
_PREFIX, _SUFFIX = re.compile(r"[^\W\d_]+(?=[-_.\d])"), re.compile(r"[-_.]([^\W\d_]+)\d*$")
_COUNTED = {
    "links": ("a",), "images": ("img",), "paragraphs": ("p",), "items": ("li",), "cells": ("td",),
    "h1": ("h1",), "headings": ("h2", "h3"), "controls": ("form", "input"), "code": ("pre", "code"),
}  # fmt: skip
_STATUS = re.compile(r"\W*(?:[^\W\d]+\W+)?(?:40[0-9]|410|50[0-4])(?:\W+[^\W\d]+){0,4}\W*")
_LOCATION = re.compile(r"\blocation(?:\.href|\.replace|\.assign)?\s*[=(]")
REDIRECT, ERROR = "redirect", "error"
"""Labels of redirect stubs and of error pages."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTraits:
    """The traits of a page.

    Attributes:
        families: the keys of each family, sorted; in the order of `FAMILIES`.
        profile: the numbers of `PROFILE`.
        region: key of the path of the element that contains the main text; 0 if there is none.
        tags: number of elements by tag.
        names: texts that can name a type, by key: classes near the root, folders, ``og:type``.
        special: `REDIRECT` or `ERROR` if the page is a redirect stub or an error page, otherwise empty.
    """

    families: tuple[UInt64, ...]
    profile: Float64
    region: int
    tags: Mapping[str, int]
    names: Mapping[int, str] = field(default_factory=dict)
    special: str = ""

    def __post_init__(self) -> None:
        freeze(self)


@cached_on_page
def page_traits(page: Page) -> PageTraits:
    """Return the traits of a page.

    >>> from webgrain.page.parsing import parse
    >>> traits = page_traits(parse("<body class='post post-17'><h1>Tea</h1>"))
    >>> sorted(set(traits.names.values()))
    ['post', 'post-0']
    """
    dom = page.dom
    attributes = _attributes(dom)
    paths = _Paths(dom, path_table(dom), attributes)
    found: dict[str, set[int]] = {family: set() for family in FAMILIES}
    names: dict[int, str] = {}
    paths.add_tags(found)
    paths.add_names(found, names)
    paths.add_labels(found)
    for family, words in (("head", _head(dom, attributes)), ("semantics", _semantics(dom, attributes))):
        found[family].update(_word_key(family, word) for word in words)
    scripts = (source.rpartition("/")[2].partition("?")[0] for source in attributes["src", "script"].values())
    found["scripts"].update(_word_key("scripts", name) for name in scripts)
    for word in _address((page.url or page.id)[:LONGEST]):
        found["url"].add(key := _word_key("url", word))
        if word.startswith(("folder=", "last=")) and (name := word.partition("=")[2]):
            names[key] = name.rpartition("/")[2]
    arrays = tuple(np.array(sorted(found[family]), np.uint64) for family in FAMILIES)
    region = 0 if paths.region < 0 else paths.key[paths.region]
    special = _special(page, paths, attributes)
    return PageTraits(arrays, paths.profile(), region, paths.elements, names, special)


Attributes = Mapping[tuple[str, str], Mapping[int, str]]


def _attributes(dom: Dom) -> Attributes:
    """Return the values of some attributes by name and tag, then by node."""
    wanted = [k for k, name in enumerate(dom.names) if name in _ATTRIBUTES]
    numbers = np.flatnonzero(np.isin(dom.attr_name, wanted))
    nodes = np.searchsorted(dom.attr_start, numbers, side="right") - 1
    starts, ends = dom.value_start[numbers].tolist(), dom.value_start[numbers + 1].tolist()
    columns = dom.attr_name[numbers].tolist(), dom.tag[nodes].tolist(), nodes.tolist(), starts, ends
    found: defaultdict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for name, tag, node, start, end in zip(*columns, strict=True):
        found[dom.names[name], dom.tags[tag]][node] = dom.values[start : min(end, start + 500)]
    return found


class _Paths:
    """The distinct paths (r,) of a page: keys, places, texts.

    Attributes:
        key: of the tags of each path; tags: the last tag; region: the path of the main region, -1 for none.
        elements: number of visible elements by tag.
    """

    def __init__(self, dom: Dom, table: PathTable, attributes: Attributes) -> None:
        self.tags = [dom.tags[tag] for tag in dom.tag[table.first].tolist()]
        self._up, self._count, self._first = table.up.tolist(), table.count.tolist(), table.first.tolist()
        self._attributes = attributes
        self.key: list[int] = []
        self._depth: list[int] = []
        self._linked: list[bool] = []
        self.hidden: list[bool] = []
        for above, tag in zip(self._up, self.tags, strict=True):
            over = above >= 0
            self.key.append(_mixed(self.key[above] if over else 0, _word_key("tag", tag)))
            self._depth.append(self._depth[above] + 1 if over else 0)
            self._linked.append(tag == "a" or (over and self._linked[above]))
            self.hidden.append(tag in _HIDDEN or (over and self.hidden[above]))
        self._read_texts(dom, table)
        self.region = self._main_region()
        self._place = self._places()
        self.elements = Counter[str]()
        for tag, number, hidden in zip(self.tags, self._count, self.hidden, strict=True):
            self.elements[tag] += 0 if hidden else number

    def _read_texts(self, dom: Dom, table: PathTable) -> None:
        """Find the characters of the texts at each path, those of long texts, and the short texts."""
        nodes = np.flatnonzero(dom.tag == 0)
        rows, starts, ends = table.of[nodes], dom.text_start[nodes], dom.text_start[nodes + 1]
        visible = ~np.array(self.hidden, bool)[rows]
        columns = rows[visible].tolist(), starts[visible].tolist(), ends[visible].tolist()
        characters, prose = [0] * len(self.tags), [0] * len(self.tags)
        self._short: list[tuple[int, str]] = []
        for row, start, end in zip(*columns, strict=True):
            text = dom.text[start:end].strip()
            if text:
                characters[row] += len(text)
                prose[row] += len(text) if len(text) >= LONG_TEXT else 0
                if len(text) <= SHORT_TEXT:
                    self._short.append((row, text))
        self.characters, self._prose = np.array(characters, np.float64), np.array(prose, np.float64)

    def _below(self, numbers: Float64) -> list[float]:
        """Return the sums of numbers (r,) over each path and those below it."""
        total: list[float] = numbers.tolist()
        for row in range(len(total) - 1, 0, -1):
            if self._up[row] >= 0:
                total[self._up[row]] += total[row]
        return total

    def _main_region(self) -> int:
        """Return the deepest path with most of the long texts below it, not inside a paragraph."""
        total = self._below(self._prose)
        if not total or total[0] <= 0:
            return -1
        at = 0
        for row in range(1, len(total)):
            best = total[row] >= PROSE_SHARE * total[0] and self.tags[row] != "p"
            at = row if best and self._up[row] == at else at
        return at

    def _places(self) -> list[str]:
        """Return the part of the page that each path is in: frame, menu or prose."""
        text = self._below(self.characters)
        links = self._below(np.where(self._linked, self.characters, 0))
        place = ["frame"] * len(text)
        in_menu = [False] * len(text)
        for row, above in enumerate(self._up):
            if above < 0:
                continue
            dense = 0 < text[above] * DENSE_LINKS < links[above]
            in_menu[row] = in_menu[above] or dense or self.tags[above] == "nav"
            if place[above] == "prose" or (self.region > 0 and above == self.region):
                place[row] = "prose"
            elif in_menu[row]:
                place[row] = "menu"
        return place

    def add_tags(self, found: Mapping[str, set[int]]) -> None:
        """Add the paths of tags."""
        for row, (key, place) in enumerate(zip(self.key, self._place, strict=True)):
            if not self.hidden[row]:
                found[f"{place} tags"].add(key)
                if place == "frame":
                    found["frame counts"].add(_mixed(key, 1 if self._count[row] == 1 else 2))

    def add_names(self, found: Mapping[str, set[int]], names: dict[int, str]) -> None:
        """Add the classes and ids; names: receives those near the root."""
        for row, (node, tag) in enumerate(zip(self._first, self.tags, strict=True)):
            classes, id_ = (self._attributes[name, tag].get(node, "") for name in ("class", "id"))
            if self.hidden[row] or not (classes or id_):
                continue
            place = self._place[row]
            for name_key, key, name in _names(tag, classes, id_):
                found[f"{place} names"].add(_mixed(self.key[row], name_key))
                found["names"].add(key)
                if place == "frame":
                    found["names in frame"].add(key)
                if self._depth[row] <= ROOT_DEPTH:
                    found["root names"].add(key)
                    names[key] = name

    def add_labels(self, found: Mapping[str, set[int]]) -> None:
        """Add the short texts, inside and outside of links."""
        for row, text in self._short:
            family = "link labels" if self._linked[row] else "labels"
            found[family].add(_word_key(self.tags[row], text))

    def profile(self) -> Float64:
        """Return the numbers of `PROFILE`."""
        total = max(float(self.characters.sum()), 1.0)
        counts = [sum(self.elements[tag] for tag in tags) for tags in _COUNTED.values()]
        elements = sum(self.elements.values())
        numbers = [len(self.tags), elements, *counts, max(self._count, default=0)]
        shares = [self.characters[self._linked].sum() / total, self._prose.sum() / total]
        return np.array([np.log1p(self.characters.sum()), *shares, *np.log1p(numbers)])


def normalised(name: str) -> str:
    """Return a name in lower case, with 0 for runs of digits and for long hexadecimal numbers.

    >>> normalised("Post-1234"), normalised("css-1a2b3c4d")
    ('post-0', 'css-0')
    """
    return _DIGITS.sub("0", _HASH.sub("0", name.lower()))


_MASK, _FACTOR = 2**64 - 1, 0x9E3779B97F4A7C15


def _mixed(key: int, other: int) -> int:
    """Return the key of a thing below another, from the keys of both."""
    mixed = ((key ^ (key >> 31)) * _FACTOR + other) & _MASK
    return mixed ^ (mixed >> 29)


@lru_cache(maxsize=2**16)
def _word_key(family: str, word: str) -> int:
    """Return the key of a normalised word of a family."""
    return _key(f"{family} {normalised(word)}")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


@lru_cache(maxsize=2**14)
def _names(tag: str, classes: str, id_: str) -> tuple[tuple[int, int, str], ...]:
    """Return for each class and for the id of an element its key, its key with the tag, and the name."""
    marked = [f".{name}" for name in sorted(set(classes.split()))] + [f"#{name}" for name in id_.split()[:1]]
    names = dict.fromkeys(normalised(name) for name in marked)
    return tuple((_key(name), _key(f"{tag} {name}"), name[1:]) for name in names)


def _head(dom: Dom, attributes: Attributes) -> Iterator[str]:
    """Yield the names of the metadata of a page, and the values of those that describe its kind."""
    content = attributes["content", "meta"]
    for attribute in ("name", "property", "http-equiv", "itemprop"):
        for node, name in attributes[attribute, "meta"].items():
            name = name.lower()
            yield f"meta:{name}"
            if name in _VALUES_KEPT and content.get(node):
                yield f"meta:{name}={content[node][:100]}"
    yield from (f"link:{relation}" for relation in attributes["rel", "link"].values())
    for node, kind in attributes["type", "script"].items():
        if "ld+json" in kind:
            text = dom.text[dom.text_start[node] : dom.text_start[dom.end[node]]]
            yield from (f"ld:{match[1] or match[2]}" for match in _LD_TYPE.finditer(text))


def _semantics(dom: Dom, attributes: Attributes) -> Iterator[str]:
    """Yield the microdata types and ARIA roles of the elements."""
    for attribute in ("itemtype", "role", "itemprop", "typeof"):
        for tag in dom.tags:
            values = attributes.get((attribute, tag), {}).values()
            yield from (f"{attribute}:{tag}:{value[:80]}" for value in values)


def _address(address: str) -> Iterator[str]:
    """Yield the traits of a URL or of a path in the site.

    >>> sorted(_address("blog/2024/tea.html"))[:4]
    ['any=0', 'any=blog', 'depth=2', 'extension=html']
    """
    try:
        parts = urlsplit(address)
        path, query = unquote(parts.path), parts.query
    except ValueError:  # not an address
        path, query = address, ""
    if "?" in path and not query:
        path, _, query = path.partition("?")
    *folders, leaf = [step for step in path.split("/") if step] or [""]
    extension = leaf.rpartition(".")[2].lower() if "." in leaf else ""
    extension = extension if len(extension) <= 5 else ""
    stem = leaf.rpartition(".")[0] if extension else leaf
    if leaf.lower().startswith(("index.", "default.")):
        yield "index"
        stem, extension = folders.pop() if folders else "", "/"
    yield f"extension={extension}"
    yield f"depth={len(folders)}"
    for depth in range(1, min(len(folders), 4) + 1):
        yield "folder=" + "/".join(map(normalised, folders[:depth]))
    yield from (f"any={normalised(folder)}" for folder in folders)
    yield f"last={normalised(folders[-1])}" if folders else "folder="
    shape = re.sub(r"(?:a[-_ ])+a", "a-a", _LETTERS.sub("a", normalised(stem)))
    yield f"shape={shape[:20]}"
    if match := _PREFIX.match(stem):
        yield f"prefix={match[0].lower()}"
    if match := _SUFFIX.search(stem):
        yield f"suffix={match[1].lower()}"
    yield from (f"key={normalised(key)}" for key in _QUERY_KEY.findall(f"{query} {leaf}"))
    if match := _FIRST_VALUE.search(f"?{query}"):
        yield f"value={match[0].lower()}"


def _special(page: Page, paths: _Paths, attributes: Attributes) -> str:
    """Return `REDIRECT` for a page that sends its readers to another one, `ERROR` for an error page."""
    dom, visible = page.dom, float(paths.characters.sum())
    if visible > ERROR_CHARACTERS:
        return ""
    if visible <= REDIRECT_CHARACTERS:
        refresh = (value.lower() == "refresh" for value in attributes["http-equiv", "meta"].values())
        if (any(refresh) and redirect(page)) or any(map(_LOCATION.search, _contents(dom, "script"))):
            return REDIRECT
    titles = (text[:200] for tag in ("title", "h1") for text in _contents(dom, tag)[:1])
    few = paths.elements["p"] + paths.elements["article"] <= MAX_PARAGRAPHS
    return ERROR if few and any(map(_STATUS.fullmatch, titles)) else ""


def _contents(dom: Dom, tag: str) -> list[str]:
    """Return the texts of all elements with a tag."""
    nodes = np.flatnonzero(dom.tag == dom.tags.index(tag)) if tag in dom.tags else np.empty(0, np.int64)
    starts, ends = dom.text_start[nodes].tolist(), dom.text_start[dom.end[nodes]].tolist()
    return [dom.text[start:end] for start, end in zip(starts, ends, strict=True)]
