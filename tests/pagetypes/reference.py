"""The traits of a page by array operations, without the kernel: what the kernel must compute.

Written before the kernel; each family is a separate set of keys.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int64, UInt32, UInt64
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import any_above, climb, depths, path_keys, span_keys
from webgrain.page.links import redirect
from webgrain.page.markup import json_ld_texts, metas
from webgrain.page.page import Page
from webgrain.page.paths import Places, Step, places, step_of
from webgrain.page.strings import bounded_cache, code_points
from webgrain.page.tagtables import TagTable
from webgrain.page.text import NO_TEXT
from webgrain.page.thresholds import LONGEST_URL
from webgrain.page.values import Question
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.similarity import TraitMatrix
from webgrain.pagetypes.traits import _address

TRAIT_FAMILIES = (
    "frame tags", "frame names", "frame counts", "menu tags", "menu names", "prose tags", "prose names",
    "names", "names in frame", "root names", "labels", "link labels", "head", "scripts", "semantics",
    "folders", "url",
)  # fmt: skip
"""Families of traits: paths of tags, names (classes and ids) on paths, names without paths, short texts."""

PROFILE = (
    "characters", "link share", "prose share", "paths", "elements", "links", "images", "paragraphs", "items",
    "cells", "h1", "headings", "controls", "code", "repetition",
)  # fmt: skip
"""Numbers of a page; counts as logarithms."""

NAME_SOURCES = ("address", "kind", "body", "title")
"""Where words that can name a type are from: URL, metadata, classes of the body, title and heading."""

_DIGITS = re.compile(r"\d+")
_HASH = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}")
_LETTERS = re.compile(r"[^\W\d_]+")
# Bits of the tags that change what the texts below them are.
_LINK, _HIDDEN, _MENU, _PARAGRAPH = 1, 2, 4, 8
_FLAGS = {"a": _LINK, "nav": _MENU, "p": _PARAGRAPH}
_FLAGS |= dict.fromkeys(("head", "script", "style", "noscript", "template"), _HIDDEN)
_META_NAMES = ("name", "property", "http-equiv", "itemprop")
_SEMANTIC = ("itemprop", "itemtype", "role", "typeof")
_LONGEST_VALUE = 500  # characters of an attribute that are read
_LONGEST_TYPE = 80  # characters of a type, a property or a role
_PLACES = ("frame", "menu", "prose")
"""Parts of a page; 0 is the frame."""
_NO_KEYS = np.empty(0, np.uint64)
_SPACE, _ZERO = 32, 48
# 1: white space, 2: a digit; the last character stands for all above it.
_KIND = np.array([chr(k).isspace() + 2 * chr(k).isdecimal() for k in range(0x3002)], np.uint8)
_VALUES_KEPT = frozenset(("og:type", "generator", "robots", "twitter:card", "refresh", "template", "layout"))
_LD_TYPE = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,60})"|\[([^\]]{1,200})\])')
_COUNTED = {
    "links": ("a",), "images": ("img",), "paragraphs": ("p",), "items": ("li",), "cells": ("td",),
    "h1": ("h1",), "headings": ("h2", "h3"), "controls": ("form", "input"), "code": ("pre", "code"),
}  # fmt: skip
# The traits of a URL that name its folders; the others describe its form.
_FOLDERS = ("folder=", "any=", "last=")
# The traits of a URL that can name a type.
_NAMING = ("folder", "last", "any", "value", "prefix", "suffix")
_STATUS = re.compile(r"\W*(?:[^\W\d]+\W+)?(?:40[0-9]|410|50[0-4])(?:\W+[^\W\d]+){0,4}\W*")
_LOCATION = re.compile(r"\blocation(?:\.href|\.replace|\.assign)?\s*[=(]")
REDIRECT, ERROR = "redirect", "error"
"""Labels of redirect stubs and of error pages."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTraits:
    """The traits of a page.

    Attributes:
        families: the keys of each family, sorted; in the order of `TRAIT_FAMILIES`.
        profile: the numbers of `PROFILE`.
        region: key of the path of the element that contains the main text; 0 if there is none.
        tags: number of elements by tag.
        names: the words that can name a type, for each of `NAME_SOURCES`.
        special: `REDIRECT` or `ERROR` if the page is a redirect stub or an error page, otherwise empty.
    """

    families: tuple[UInt64, ...]
    profile: Float64
    region: int
    tags: Mapping[str, int]
    names: tuple[frozenset[str], ...]
    special: str = ""


def page_traits(page: Page) -> PageTraits:
    """Return the traits of a page."""
    dom = page.dom
    linked = _linked_data(dom)
    titles = [text[:200] for text in dom.first_texts("title", "h1")]
    paths = _Paths(dom, places(dom))
    address = list(_address((page.url or page.id)[:LONGEST_URL]))
    words: dict[str, Iterable[str]] = {
        "head": _head(dom, linked),
        "semantics": _semantics(dom),
        "folders": (word for word in address if word.startswith(_FOLDERS)),
        "url": (word for word in address if not word.startswith(_FOLDERS)),
    }
    keys_of = paths.tags() | paths.names() | paths.labels() | {"scripts": _scripts(dom)}
    for family, of_family in words.items():
        key_family = "url" if family == "folders" else family
        keys_of[family] = np.array([_word_key(key_family, word) for word in of_family], np.uint64)
    region = 0 if paths.region < 0 else int(paths.key[paths.region])
    special = _special(page, paths, titles)
    names = _type_names(dom, linked, address, titles)
    families = tuple(_distinct(keys_of[family]) for family in TRAIT_FAMILIES)
    return PageTraits(families, paths.profile(), region, paths.elements, names, special)


class _Paths:
    """The distinct paths (r,) of a page.

    Attributes:
        key: (r,) uint64, of the tags of each path; region: the path of the main region, -1 for none.
        characters: (r,) of the visible texts at each path.
        elements: number of visible elements by tag.
    """

    def __init__(self, dom: Dom, table: Places) -> None:
        self._dom, self._table, self._up = dom, table, table.up
        self._tag = dom.tag[table.first]
        self._tag_key = _KEY_OF_TAGS.values(dom.tags)
        self.key = path_keys(table.up, self._tag_key[self._tag], np.array([0, len(table.first)]))
        self._flags = _FLAGS_OF_TAGS.values(dom.tags)[self._tag]
        flagged = (self._flags & bit > 0 for bit in (_LINK, _HIDDEN))
        self._linked, self._hidden = (flag | self._below(flag) for flag in flagged)
        self._read_texts()
        self.region, self._place = self._places()
        shown = np.where(self._hidden, 0, table.times)
        numbers = np.bincount(self._tag, shown, len(dom.tags)).astype(np.int64)
        tags = np.unique(dom.tag)
        names = [dom.tags[tag] for tag in tags.tolist()]
        self.elements = Counter(dict(zip(names, numbers[tags].tolist(), strict=True)))

    def _below(self, flag: Bool) -> Bool:
        """Return which paths are below flagged ones (r,)."""
        below: Bool = any_above(self._up, flag.view(np.uint8))
        return below

    def _read_texts(self) -> None:
        """Find the characters of the texts at each path, those of long texts, and the short texts."""
        dom = self._dom
        codes = _plain_codes(dom.text)
        nodes = np.flatnonzero(dom.tag == 0)
        rows = self._table.path[nodes]
        visible = ~self._hidden[rows]
        nodes, rows = nodes[visible], rows[visible]
        # Without the white space around each text.
        solid = np.flatnonzero(codes != _SPACE)
        first, last = (np.searchsorted(solid, dom.text_start[nodes + k]) for k in (0, 1))
        filled = first < last
        rows, start, end = rows[filled], solid[first[filled]], solid[last[filled] - 1] + 1
        length = end - start
        sums = [
            np.bincount(rows, length * (length >= least), len(self._up))
            for least in (0, thresholds.LONG_TEXT)
        ]
        self.characters, self._prose = (values.astype(np.int64) for values in sums)
        short = length <= thresholds.SHORT_TEXT
        self._label_rows, spans = rows[short], (start[short].astype(np.int32), end[short].astype(np.int32))
        digit = codes == _ZERO
        codes[1:][digit[1:] & digit[:-1]] = _SPACE  # which is ignored in keys
        self._label_keys = span_keys(codes, *spans, thresholds.SHORT_TEXT)

    def _places(self) -> tuple[int, Int64]:
        """Return the main region, and the part of the page that each path (r,) is in: a number of `_PLACES`.

        The main region is the deepest path with most of the long texts below it, not inside a paragraph.
        """
        links = np.where(self._linked, self.characters, 0)
        prose, text, links = climb(self._up, np.stack([self._prose, self.characters, links], axis=1)).T
        most = (prose > 0) & (prose >= thresholds.PROSE_SHARE * prose[:1]) & (self._flags & _PARAGRAPH == 0)
        region = -1
        for row in np.flatnonzero(most).tolist():
            region = row if row == 0 or self._up[row] == region else region
        dense = (text > 0) & (text * thresholds.DENSE_LINKS < links)
        place = np.where(self._below(dense | (self._flags & _MENU > 0)), _PLACES.index("menu"), 0)
        if region > 0:
            place[self._below(np.arange(len(place)) == region)] = _PLACES.index("prose")
        return region, place

    def tags(self) -> dict[str, UInt64]:
        """Return the traits of the paths of tags, by family."""
        shown = ~self._hidden
        keys = {f"{name} tags": self.key[shown & (self._place == k)] for k, name in enumerate(_PLACES)}
        several = np.where(self._table.times[shown & (self._place == 0)] == 1, 1, 2)
        return keys | {"frame counts": _mixed(keys["frame tags"], several.astype(np.uint64))}

    def names(self) -> dict[str, UInt64]:
        """Return the traits of the classes and ids, by family."""
        shown = np.flatnonzero(~self._hidden)
        steps, first = self._table.step[shown].tolist(), self._table.first[shown].tolist()
        of_path = [_step_names(self._dom, key, node) for key, node in zip(steps, first, strict=True)]
        row = np.repeat(shown, [len(of_step[0]) for of_step in of_path])
        in_place = np.concatenate([of_step[1] for of_step in of_path] + [_NO_KEYS])
        key = np.concatenate([of_step[2] for of_step in of_path] + [_NO_KEYS])
        place, placed = self._place[row], _mixed(self.key[row], in_place)
        return {f"{name} names": placed[place == k] for k, name in enumerate(_PLACES)} | {
            "names": key,
            "names in frame": key[place == 0],
            "root names": key[depths(self._up)[row] <= thresholds.ROOT_DEPTH],
        }

    def labels(self) -> dict[str, UInt64]:
        """Return the traits of the short texts, inside and outside of links."""
        keys = _mixed(self._tag_key[self._tag[self._label_rows]], self._label_keys)
        linked = self._linked[self._label_rows]
        return {"link labels": keys[linked], "labels": keys[~linked]}

    def profile(self) -> Float64:
        """Return the numbers of `PROFILE`."""
        total = max(float(self.characters.sum()), 1.0)
        counts = [sum(self.elements[tag] for tag in tags) for tags in _COUNTED.values()]
        elements = sum(self.elements.values())
        numbers = [len(self._up), elements, *counts, int(self._table.times.max(initial=0))]
        shares = [self.characters[self._linked].sum() / total, self._prose.sum() / total]
        return np.array([np.log1p(self.characters.sum()), *shares, *np.log1p(numbers)])


def _plain_codes(text: str) -> UInt32:
    """Return the code points of a text in lower case, with one digit for all and one kind of white space."""
    lower = text.lower()
    codes = code_points(lower if len(lower) == len(text) else text).copy()
    character_type = _KIND[np.minimum(codes, len(_KIND) - 1)]
    codes[character_type == 1], codes[character_type == 2] = _SPACE, _ZERO
    return codes


def normalised(name: str) -> str:
    """Return a name in lower case, with 0 for runs of digits and for long hexadecimal numbers.

    >>> normalised("Post-1234"), normalised("css-1a2b3c4d")
    ('post-0', 'css-0')
    """
    return _DIGITS.sub("0", _HASH.sub("0", name.lower()))


def _mixed(key: UInt64, other: UInt64) -> UInt64:
    """Return the keys (k,) of things below others, from the keys (k,) of both."""
    mixed = (key ^ (key >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + other
    return mixed ^ (mixed >> np.uint64(29))


@lru_cache(maxsize=2**16)
def _word_key(family: str, word: str) -> int:
    """Return the key of a normalised word of a family."""
    return _key(f"{family} {normalised(word)}")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


_KEY_OF_TAGS = TagTable(lambda tag: _word_key("tag", tag), np.uint64)
_FLAGS_OF_TAGS = TagTable(lambda tag: _FLAGS.get(tag, 0), np.uint8)


def _distinct(keys: UInt64) -> UInt64:
    """Return keys in order, each once; faster than np.unique for few keys."""
    keys.sort()
    first = np.empty(len(keys), bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]


_Names = tuple[tuple[str, ...], UInt64, UInt64]
"""The classes and the id of an element, their keys (k,), and their keys with the tag (k,)."""

_KNOWN_NAMES: dict[int, _Names] = {}


def _step_names(dom: Dom, key: int, node: int) -> _Names:
    """Return the names in a step with a key, computed once for all pages; node: an element with the step."""
    known = _KNOWN_NAMES.get(key)
    if known is None:
        if len(_KNOWN_NAMES) >= thresholds.MAX_KNOWN_NAMES:
            _KNOWN_NAMES.clear()
        known = _KNOWN_NAMES[key] = _names(step_of(dom, node))
    return known


def _names(step: Step) -> _Names:
    marked = [f".{name}" for name in step.classes] + ([f"#{step.id}"] if step.id else [])
    rows = dict.fromkeys(_name_keys(step.tag, name) for name in marked)
    names = tuple(name for name, _, _ in rows)
    keys = np.array([key for _, key, _ in rows], np.uint64)
    tagged = np.array([key for _, _, key in rows], np.uint64)
    return names, keys, tagged


@bounded_cache(2**14)  # elements share their classes: a product has those of its categories
def _name_keys(tag: str, name: str) -> tuple[str, int, int]:
    """Return a normalised class or id, its key, and its key with the tag."""
    name = normalised(name)
    return name, _key(name), _key(f"{tag} {name}")


def _type_names(
    dom: Dom, linked: Iterable[Sequence[str]], address: Iterable[str], titles: Sequence[str]
) -> tuple[frozenset[str], ...]:
    """Return the words that can name the type of a page, for each of `NAME_SOURCES`."""
    parts = (word.partition("=") for word in address)
    folders = [re.split("[/=]", name)[-1] for family, _, name in parts if family in _NAMING]
    kinds = [
        values.get("content", "")[:_LONGEST_VALUE]
        for values in metas(dom)
        if "property" in values and values["property"].lower() == "og:type"
    ]
    kinds += [types[0].partition(",")[0] for types in linked if types]
    kinds += _item_types(dom)
    words = (word for word in _LETTERS.findall(" ".join(titles)) if len(word) > 3 or not word.isascii())
    bodies = dom.values_at("class", dom.find_tag("body"))
    classes = " ".join((value or "")[:_LONGEST_VALUE] for value in bodies).split()[:20]
    return tuple(
        frozenset(map(normalised, words_of_source)) for words_of_source in (folders, kinds, classes, words)
    )


def _item_types(dom: Dom) -> list[str]:
    """Return the names of the types of the items of microdata that are not in other items."""
    attributes, nodes = dom.find_attribute("itemtype")
    is_outer = ~np.isin(nodes, dom.find_attribute("itemprop")[1])
    types: list[str] = dom.ask(_ITEM_TYPE, attributes[is_outer]).tolist()
    return types


_ITEM_TYPE = Question(lambda value: value[:_LONGEST_VALUE].rpartition("/")[2][:_LONGEST_TYPE])


def _head(dom: Dom, linked: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the names of the metadata of a page, and the values of those that describe its kind."""
    for values in metas(dom):
        for attribute in _META_NAMES:
            if attribute in values:
                name = values[attribute][:_LONGEST_VALUE].lower()
                yield f"meta:{name}"
                if name in _VALUES_KEPT and values.get("content"):
                    yield f"meta:{name}={values['content'][:100]}"
    relations = dom.values_at("rel", dom.find_tag("link"))
    yield from (f"link:{relation[:_LONGEST_VALUE]}" for relation in relations if relation is not None)
    yield from (f"ld:{type_}" for types in linked for type_ in types)


def _scripts(dom: Dom) -> UInt64:
    """Return the keys (k,) of the file names of the scripts of a page."""
    attributes, nodes = dom.find_attribute("src")
    keys: UInt64 = dom.ask(_KEY_OF_SCRIPT, attributes[dom.tagged("script")[nodes]])
    return keys


def _key_of_script(src: str) -> int:
    """Return the key of the file name of a script."""
    return _word_key("scripts", src[:_LONGEST_VALUE].rpartition("/")[2].partition("?")[0])


_KEY_OF_SCRIPT = Question(_key_of_script, np.uint64)


def _linked_data(dom: Dom) -> list[list[str]]:
    """Return the types in each JSON-LD script of a page, also in one that is not valid."""
    return [[match[1] or match[2] for match in _LD_TYPE.finditer(text)] for text in json_ld_texts(dom)]


def _semantics(dom: Dom) -> Iterator[str]:
    """Yield the microdata types and ARIA roles of the elements."""
    for attribute in _SEMANTIC:
        attributes, nodes = dom.find_attribute(attribute)
        for tag, value in set(zip(dom.tag[nodes].tolist(), dom.value[attributes].tolist(), strict=True)):
            yield f"{attribute}:{dom.tags[tag]}:{dom.values.texts[value][:_LONGEST_TYPE]}"


def _special(page: Page, paths: _Paths, titles: Sequence[str]) -> str:
    """Return `REDIRECT` for a page that sends its readers to another one, `ERROR` for an error page."""
    dom, visible = page.dom, float(paths.characters.sum())
    if visible > thresholds.ERROR_CHARACTERS:
        return ""
    if visible <= thresholds.REDIRECT_CHARACTERS:
        scripts = map(dom.text_of, dom.find_tag("script").tolist())
        if redirect(page) or any(map(_LOCATION.search, scripts)):
            return REDIRECT
    few = paths.elements["p"] + paths.elements["article"] <= thresholds.MAX_PARAGRAPHS
    return ERROR if few and any(map(_STATUS.fullmatch, titles)) else ""


def snippets_of(dom, table):
    """Return the beginning of the text of the first element with each path."""
    hidden = dom.tagged(*NO_TEXT)
    nodes = np.flatnonzero(dom.is_text & (dom.ancestor_sum(hidden) == 0))
    read, size = 4 * thresholds.SNIPPET, thresholds.SNIPPET
    spans = [
        (a, min(b, a + read)) for a, b in zip(dom.text_start[nodes], dom.text_start[nodes + 1], strict=True)
    ]
    texts = np.array([" ".join(dom.text[a:b].split()) for a, b in spans], object)
    filled = texts.astype(bool)
    nodes, texts = nodes[filled], texts[filled]
    first, after = np.searchsorted(nodes, [table.first, dom.end[table.first]]).tolist()
    return tuple(" ".join(texts[a : min(b, a + size)])[:size] for a, b in zip(first, after, strict=True))


def fit_of(classifier, pages):
    """Return how well pages (n,) fit the types of a classifier: (n, k)."""
    known, place = np.unique(classifier.keys, return_inverse=True)
    place = place.reshape(classifier.keys.shape)
    size = np.maximum((classifier.keys != 0).sum(1), 1)
    present = np.empty((len(pages), len(classifier.keys)))
    for row, page in zip(present, pages, strict=True):
        row[:] = np.isin(known, page.key)[place].sum(1) / size
    yes = np.log(classifier.share) * classifier.weight
    no = np.log1p(-classifier.share) * classifier.weight
    return present @ yes.T + (1 - present) @ no.T


def trait_columns(pages):
    """Return the columns of the traits that some but not all pages have, at least two of them."""
    n = len(pages)
    flat = np.concatenate([*pages, np.empty(0, np.uint64)])
    key, column, count = np.unique(flat, return_inverse=True, return_counts=True)
    row = np.repeat(np.arange(n), [len(of_page) for of_page in pages])
    kept = (count >= 2) & (count < n)
    # Columns are equal if the sums of random numbers of their pages are.
    numbers = np.random.default_rng(0).integers(2**62, size=n)
    sums = np.zeros(len(key), np.int64)
    np.add.at(sums, column, numbers[row])
    _, first, merged = np.unique(sums[kept], return_index=True, return_inverse=True)
    number = np.full(len(key), -1)
    number[kept] = merged
    present = np.zeros((n, len(first)), np.float32)
    at = number[column] >= 0
    present[row[at], number[column[at]]] = 1
    order = np.argsort(merged, kind="stable")
    bounds = np.searchsorted(merged[order], np.arange(1, len(first)))
    keys = tuple(np.split(key[kept][order], bounds)) if len(first) else ()
    return TraitMatrix(
        present, keys, np.bincount(merged, minlength=len(first)).astype(np.float64), key[count == n]
    )


def average_linkage(probability, least):
    """Return groups (n,) of pages: merge the two with the highest mean probability while it is ``least``."""
    n = len(probability)
    mean, size, group = probability.astype(np.float64), np.ones(n), np.arange(n)
    np.fill_diagonal(mean, -1.0)
    best = mean.argmax(1) if n else np.empty(0, np.int64)
    value = mean[np.arange(n), best] if n else np.empty(0)
    while n > 1:
        first = int(value.argmax())
        if value[first] < least:
            break
        a, b = sorted((first, int(best[first])))
        mean[a] = mean[:, a] = (size[a] * mean[a] + size[b] * mean[b]) / (size[a] + size[b])
        mean[a, a] = -1
        mean[b] = mean[:, b] = -1
        size[a] += size[b]
        group[group == b] = a
        stale = np.flatnonzero((best == a) | (best == b))
        stale = np.union1d(stale, [a, b])
        best[stale] = mean[stale].argmax(1)
        better = mean[:, a] > value
        best[better] = a
        value = mean[np.arange(n), best]
    return group
