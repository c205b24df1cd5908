"""Page traits: what a page has in common with others of its type, as sets of keys.

The traits are grouped by family (`TRAIT_FAMILIES`), because they differ in what they reveal: the tags and
classes of the frame of a page are chosen by its template, those inside its main text by its author, and those
of menus by its place in the site. The main text and the menus are estimated from the page alone: the deepest
element that contains most of the long texts outside of links, and elements whose characters are in links.

A path has tags only; a class or an id is a separate trait, so two pages that share one of five classes have
it in common. In names, runs of digits become 0 and long hexadecimal numbers are replaced.

Cost: one pass over the distinct paths and the short texts of a page, less than parsing it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import unquote, urlsplit

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64, UInt8, UInt32, UInt64
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import path_keys
from webgrain.page.links import redirect
from webgrain.page.markup import json_ld_texts
from webgrain.page.page import Page
from webgrain.page.paths import Places, Step, places, step_of
from webgrain.page.strings import bounded_cache, code_points, text_codes
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.thresholds import LONGEST_URL
from webgrain.page.values import PlacedQuestion, Question
from webgrain.pagetypes import thresholds, traitkernel
from webgrain.pagetypes.traitkernel import DIGIT, HIDDEN, LINK, MENU, PARAGRAPH, SPACE

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

REDIRECT, ERROR = "redirect", "error"
"""Labels of redirect stubs and of error pages."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTraits(ReadOnly):
    """The traits of a page, and numbers that describe it.

    They do not depend on the process, so they can be stored: a page that is parsed again gets them by
    ``page.remember(page_traits, traits)``.

    Attributes:
        key: (k,) uint64, the keys of the traits by family, those of a family in increasing order.
        start: (f + 1,) int32, where each family of `TRAIT_FAMILIES` starts in them.
        profile: the numbers of `PROFILE`.
        region: key of the path of the element that contains the main text; 0 if there is none.
        tags: the tags of the page; tag_count: (t,) int64, the visible elements with each.
        special: `REDIRECT` or `ERROR` if the page is a redirect stub or an error page, otherwise empty.
    """

    key: UInt64
    start: Int32
    profile: Float64
    region: int
    tags: tuple[str, ...]
    tag_count: Int64
    special: str = ""

    def family(self, number: int) -> UInt64:
        """Return the keys of a family, by its number in `TRAIT_FAMILIES`."""
        return self.key[self.start[number] : self.start[number + 1]]

    @property
    def digest(self) -> int:
        """A 64-bit number of the keys, by which pages with the same traits are recognised."""
        keys = self.key.astype("<u8").tobytes() + self.start.astype("<i4").tobytes()
        return int.from_bytes(hashlib.blake2b(keys, digest_size=8).digest(), "little")


@cached_on_page
def page_traits(page: Page) -> PageTraits:
    """Return the traits of a page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> traits = page_traits(parse(Source("tea.html", b"<body class=post><p>Green tea<p>Black tea")))
    >>> len(traits.family(TRAIT_FAMILIES.index("labels"))), dict(zip(traits.tags, traits.tag_count.tolist()))
    (2, {'#text': 0, 'html': 1, 'head': 0, 'body': 1, 'p': 2})
    """
    dom = page.dom
    table = places(dom)
    key_of_tags = _KEY_OF_TAGS.values(dom.tags)
    path_key = path_keys(table.up, key_of_tags[dom.tag[table.first]], np.array([0, len(table.up)]))
    key, start, elements, characters, region = traitkernel.page_traits(  # type: ignore[no-untyped-call]
        (table.path, table.up, table.first, table.times, path_key),
        (dom.tag, key_of_tags, _BITS_OF_TAGS.values(dom.tags)),
        (*_label_codes(page), dom.text_start, TYPE_OF_CHARACTERS),
        _names_of_paths(dom, table),
        _word_traits(page),
        _LIMITS,
    )
    present = (elements >= 0).nonzero()[0]
    tags = tuple([dom.tags[tag] for tag in present.tolist()])
    tag_count = elements[present]
    groups = np.bincount(_GROUP_OF_TAGS.values(dom.tags)[present], tag_count, len(_COUNTED) + 1)[1:]
    total, most = np.add.reduce(tag_count), np.maximum.reduce(table.times, initial=0)
    profile = _profile(characters, [len(table.up), total, *groups, most])
    special = _special(page, characters[0], tags, tag_count)
    region_key = int(path_key[region]) if region >= 0 else 0
    return PageTraits(key, start, profile, region_key, tags, tag_count, special)


def naming_words(page: Page) -> tuple[frozenset[str], ...]:
    """Return the words that can name the type of a page, for each of `NAME_SOURCES`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> words = naming_words(parse(Source("blog/tea.html", b"<body class=post><h1>Green tea</h1>")))
    >>> [sorted(of_source) for of_source in words]
    [['blog'], [], ['post'], ['green']]
    """
    dom = page.dom
    folders = [word for word in map(_naming_word, _address_of(page)) if word is not None]
    kinds = [content[:_LONGEST_VALUE] for content in _open_graph_types(dom)]
    kinds += [types[0].partition(",")[0] for types in _linked_data(dom) if types]
    kinds += _item_types(dom)
    bodies = [dom.get(node, "class") or "" for node in dom.find_tag("body").tolist()]
    classes = " ".join([value[:_LONGEST_VALUE] for value in bodies]).split()[:20]
    titles = _LETTERS.findall(" ".join(_titles(dom)))
    return (
        frozenset(folders),
        frozenset(map(normalised, kinds)),
        frozenset(map(_normalised_name, classes)),
        frozenset([word.lower() for word in titles if len(word) > 3 or not word.isascii()]),
    )


def normalised(name: str) -> str:
    """Return a name in lower case, with 0 for runs of digits and for long hexadecimal numbers.

    >>> normalised("Post-1234"), normalised("css-1a2b3c4d")
    ('post-0', 'css-0')
    """
    name = name.lower()
    if not _DIGITS.search(name):
        return name
    # The second expression is slow, and few names have such a number.
    return _DIGITS.sub("0", _HASH.sub("0", name) if _HEXADECIMAL.search(name) else name)


# The pages of a site share the classes of the body and the folders.
_normalised_name = bounded_cache(2**12)(normalised)


@lru_cache(maxsize=2**14)
def _naming_word(word: str) -> str | None:
    """Return the word of a trait of an address that can name a type; None for other traits."""
    family, _, name = word.partition("=")
    return normalised(re.split("[/=]", name)[-1]) if family in _NAMING else None


_DIGITS = re.compile(r"\d+")
_HEXADECIMAL = re.compile("[0-9a-f]{6}")
_HASH = re.compile(r"(?<![0-9a-f])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_VALUE = 500  # characters of an attribute that are read
_LONGEST_TYPE = 80  # characters of a type, a property or a role


@lru_cache(maxsize=2**16)
def _word_key(family: str, word: str) -> int:
    """Return the key of a normalised word of a family."""
    return _key(f"{family} {normalised(word)}")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


# Tags and characters.

_BITS = {"a": LINK, "nav": MENU, "p": PARAGRAPH}
_BITS |= dict.fromkeys(("head", "script", "style", "noscript", "template"), HIDDEN)
_COUNTED = (
    ("a",), ("img",), ("p",), ("li",), ("td",), ("h1",), ("h2", "h3"), ("form", "input"), ("pre", "code"),
)  # fmt: skip
_GROUPS = {tag: number for number, tags in enumerate(_COUNTED, 1) for tag in tags}
_KEY_OF_TAGS = TagTable(lambda tag: _word_key("tag", tag), np.uint64)
_BITS_OF_TAGS = TagTable(lambda tag: _BITS.get(tag, 0), np.uint8)
_GROUP_OF_TAGS = TagTable(lambda tag: _GROUPS.get(tag, 0), np.int64)
_LIMITS = (
    thresholds.LONG_TEXT,
    thresholds.SHORT_TEXT,
    thresholds.PROSE_SHARE,
    thresholds.DENSE_LINKS,
    thresholds.ROOT_DEPTH,
)


def _type_of(character: str) -> int:
    if character.isspace():
        return SPACE
    return DIGIT if character.isdecimal() else 0


TYPE_OF_CHARACTERS = np.array([_type_of(chr(code)) for code in range(0x3002)], np.uint8)
"""`SPACE`, `DIGIT` or 0 for each character; the last one stands for all above it."""
_SIGMA, _DOTTED_I, _AFTER_CAPITALS = "\u03a3", "\u0130", 0x1E944


def _label_codes(page: Page) -> tuple[UInt32, UInt32]:
    """Return the code points (c,) of the text of a page, and a table with the lower case of characters.

    The lower case of a sigma depends on the letters around it, and that of an I with a dot are two
    characters, so that a text may become longer: then it is left as it is. For pages with one of them the
    table is empty.
    """
    text = page.dom.text
    if _SIGMA in text or _DOTTED_I in text:
        lower = text.lower()
        return code_points(lower if len(lower) == len(text) else text), np.empty(0, np.uint32)
    return text_codes(page.dom), lower_table()


@cache
def lower_table() -> UInt32:
    """(125 252,) The lower case of each character by code point; none from there on has another one.

    >>> [chr(lower_table()[ord(character)]) for character in "Aa1Ж"]
    ['a', 'a', '1', 'ж']
    """
    codes = np.arange(_AFTER_CAPITALS, dtype=np.uint32)
    codes[[ord(_SIGMA), ord(_DOTTED_I)]] = 0
    table = code_points(codes.tobytes().decode("utf-32-le", "surrogatepass").lower()).copy()
    table[ord(_SIGMA)] = ord(_SIGMA.lower())
    table[ord(_DOTTED_I)] = ord(_DOTTED_I)
    table.setflags(write=False)
    return table


def _profile(characters: Sequence[int], counts: Sequence[float]) -> Float64:
    """Return the numbers of `PROFILE`; characters: of all texts, of those in links, and of prose."""
    total = max(characters[0], 1)
    profile: Float64 = np.log1p(np.array([characters[0], 0, 0, *counts], np.float64))
    profile[1] = characters[1] / total
    profile[2] = characters[2] / total
    return profile


# Classes and ids.

_KNOWN_NAMES: dict[int, bytes] = {}


def _names_of_paths(dom: Dom, table: Places) -> UInt64:
    """Return the names in the last step of each path (r + 2 m,), see `traitkernel.page_traits`.

    Those of a step are computed once for all pages.
    """
    steps = table.step.tolist()
    names = list(map(_KNOWN_NAMES.get, steps))
    for row in [row for row, known in enumerate(names) if known is None] if None in names else ():
        if len(_KNOWN_NAMES) >= thresholds.MAX_KNOWN_NAMES:
            _KNOWN_NAMES.clear()
        names[row] = _KNOWN_NAMES[steps[row]] = _keys_of_names(step_of(dom, int(table.first[row])))
    return np.frombuffer(b"".join(names), np.uint64)  # type: ignore[arg-type]


def _keys_of_names(step: Step) -> bytes:
    """Return the number of the names in a step and their keys, without and with the tag, as uint64."""
    marked = [f".{name}" for name in step.classes]
    marked += [f"#{step.id}"] if step.id else []
    keys = [key for name in marked for key in _name_keys(step.tag, name)]
    return np.array([len(marked), *keys], np.uint64).tobytes()


@bounded_cache(2**14)  # elements share their classes: a product has those of its categories
def _name_keys(tag: str, name: str) -> tuple[int, int]:
    """Return the key of a class or id, without its numbers, and its key with the tag."""
    name = normalised(name)
    return _key(name), _key(f"{tag} {name}")


# Words of the attributes, of JSON-LD and of the address.

_HEAD = TRAIT_FAMILIES.index("head")
_SCRIPTS = TRAIT_FAMILIES.index("scripts")
_SEMANTICS = TRAIT_FAMILIES.index("semantics")
_FOLDERS = TRAIT_FAMILIES.index("folders")
_URL = TRAIT_FAMILIES.index("url")
# Where an attribute is read, as bits.
_IN_META, _IN_LINK, _IN_SCRIPT, _ANYWHERE = 1, 2, 4, 8
_READ = {"name": _IN_META, "property": _IN_META, "http-equiv": _IN_META, "itemprop": _IN_META | _ANYWHERE}
_READ |= {"rel": _IN_LINK, "src": _IN_SCRIPT, "itemtype": _ANYWHERE, "role": _ANYWHERE, "typeof": _ANYWHERE}
_READ_IN = {"meta": _IN_META | _ANYWHERE, "link": _IN_LINK | _ANYWHERE, "script": _IN_SCRIPT | _ANYWHERE}
_READ_NAMES = NameTable(lambda name: _READ.get(name, 0), np.uint8)
_READ_TAGS = TagTable(lambda tag: _READ_IN.get(tag, _ANYWHERE), np.uint8)
_VALUES_KEPT = frozenset(("og:type", "generator", "robots", "twitter:card", "refresh", "template", "layout"))
"""Names of metadata whose values are traits, too."""


def _word_traits(page: Page) -> tuple[UInt64, UInt8]:
    """Return the keys (w,) of the words that are traits of a page, and the family (w,) of each."""
    of_attributes, families_of_attributes = _attribute_traits(page.dom)
    traits = list(map(_trait_of_address, _address_of(page)))
    traits += [
        (_word_key("head", f"ld:{type_}"), _HEAD) for types in _linked_data(page.dom) for type_ in types
    ]
    keys, families = zip(*traits, strict=True)
    return (
        np.concatenate([of_attributes, np.array(keys, np.uint64)]),
        np.concatenate([families_of_attributes, np.array(families, np.uint8)]),
    )


@lru_cache(maxsize=2**14)  # pages share their folders
def _trait_of_address(word: str) -> tuple[int, int]:
    """Return the key and the family of a trait of an address."""
    return _word_key("url", word), _FOLDERS if word.startswith(_FOLDER_WORDS) else _URL


def _attribute_traits(dom: Dom) -> tuple[UInt64, UInt8]:
    """Return the keys of the attributes that are traits, and their families."""
    (attribute, node), begin = traitkernel.chosen_attributes(
        dom.attr_start, dom.attr_name, dom.tag, _READ_NAMES.values(dom.names), _READ_TAGS.values(dom.tags)
    )
    start = begin.tolist()
    value, answers = dom.value[attribute], dom.values.answers
    of_meta = answers(_TRAIT_OF_META, value[: start[1]])
    of_link = answers(_TRAIT_OF_LINK, value[start[1] : start[2]])
    of_script = answers(_TRAIT_OF_SCRIPT, value[start[2] : start[3]])
    names = dom.attr_name[attribute[start[3] :]].tolist()
    tags = dom.tag[node[start[3] :]].tolist()
    marked = [(dom.names[name], dom.tags[tag]) for name, tag in zip(names, tags, strict=True)]
    numbers = value[start[3] :].tolist()
    others = dom.values.placed_answers(_TRAIT_ANYWHERE, marked, numbers)
    for row in of_meta[:, 1].nonzero()[0].tolist():
        if content := dom.get(int(node[row]), "content"):
            name = dom.values.texts[value[row]][:_LONGEST_VALUE].lower()
            others.append(_word_key("head", f"meta:{name}={content[:100]}"))
    keys = np.concatenate([of_meta[:, 0], of_link, of_script, np.array(others, np.uint64)])
    sizes = [start[2], start[3] - start[2], len(numbers), len(others) - len(numbers)]
    return keys, _FAMILIES_OF_ATTRIBUTES.repeat(sizes)


_FAMILIES_OF_ATTRIBUTES = np.array([_HEAD, _SCRIPTS, _SEMANTICS, _HEAD], np.uint8)


def _trait_of_meta(value: str) -> tuple[int, int]:
    """Return the key of a name of metadata, and whether its value is a trait, too."""
    name = value[:_LONGEST_VALUE].lower()
    return _word_key("head", f"meta:{name}"), name in _VALUES_KEPT


def _trait_of_script(value: str) -> int:
    """Return the key of the file of a script."""
    file = value[:_LONGEST_VALUE].rpartition("/")[2].partition("?")[0]
    return _word_key("scripts", file)


def _trait_anywhere(place: tuple[str, str], value: str) -> int:
    """Return the key of an attribute; place: its name and the tag of its element."""
    name, tag = place
    return _word_key("semantics", f"{name}:{tag}:{value[:_LONGEST_TYPE]}")


_TRAIT_OF_META = Question(_trait_of_meta, (np.uint64, (2,)))
_TRAIT_OF_LINK = Question(lambda value: _word_key("head", f"link:{value[:_LONGEST_VALUE]}"), np.uint64)
_TRAIT_OF_SCRIPT = Question(_trait_of_script, np.uint64)
_TRAIT_ANYWHERE = PlacedQuestion(_trait_anywhere)


def _open_graph_types(dom: Dom) -> list[str]:
    """Return the values of ``og:type``."""
    nodes = dom.nodes_where("property", _IS_OPEN_GRAPH_TYPE).tolist()
    return [dom.get(node, "content") or "" for node in nodes if dom.name(node) == "meta"]


_IS_OPEN_GRAPH_TYPE = Question(lambda value: value.lower() == "og:type", bool)


def _item_types(dom: Dom) -> list[str]:
    """Return the names of the types of the items of microdata that are not in other items."""
    attributes, nodes = dom.find_attribute("itemtype")
    if not len(nodes):
        return []
    inner = set(dom.find_attribute("itemprop")[1].tolist())
    is_outer = [node not in inner for node in nodes.tolist()]
    types: list[str] = dom.ask(_ITEM_TYPE, attributes[is_outer]).tolist() if any(is_outer) else []
    return types


_ITEM_TYPE = Question(lambda value: value[:_LONGEST_VALUE].rpartition("/")[2][:_LONGEST_TYPE])


@cached_on_page
def _linked_data(dom: Dom) -> list[list[str]]:
    """Return the types in each JSON-LD script of a page, also in one that is not valid."""
    return [[match[1] or match[2] for match in _LD_TYPE.finditer(text)] for text in json_ld_texts(dom)]


_LD_TYPE = re.compile(r'"@type"\s*:\s*(?:"([^"]{1,60})"|\[([^\]]{1,200})\])')


@cached_on_page
def _titles(dom: Dom) -> list[str]:
    return [text[:200] for text in dom.first_texts("title", "h1")]


# The traits of an address that name its folders; the others describe its form.
_FOLDER_WORDS = ("folder=", "any=", "last=")
# The traits of an address that can name a type.
_NAMING = ("folder", "last", "any", "value", "prefix", "suffix")
_QUERY_KEY, _FIRST_VALUE = re.compile(r"(?<![\w\[\]])([\w\[\]]++)="), re.compile(r"[?&]\w+=[a-z_]+")
_REPEATED = re.compile(r"(?<!a[-_ ])(?:a[-_ ])+a")
_PREFIX, _SUFFIX = re.compile(r"[^\W\d_]+(?=[-_.\d])"), re.compile(r"[-_.]([^\W\d_]+)\d*$")


@cached_on_page
def _address_of(page: Page) -> list[str]:
    """Return the traits of the address of a page."""
    return _address((page.url or page.id)[:LONGEST_URL])


def _address(address: str) -> list[str]:
    """Return the traits of a URL or of a path in the site.

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
    traits = []
    if leaf.lower().startswith(("index.", "default.")):
        traits += ["index"]
        stem, extension = folders.pop() if folders else "", "/"
    shape = _REPEATED.sub("a-a", _LETTERS.sub("a", normalised(stem)))
    traits += [f"extension={extension}", *_folder_traits(tuple(folders)), f"shape={shape[:20]}"]
    if match := _PREFIX.match(stem):
        traits += [f"prefix={match[0].lower()}"]
    if match := _SUFFIX.search(stem):
        traits += [f"suffix={match[1].lower()}"]
    if "=" in query or "=" in leaf:
        traits += [f"key={normalised(key)}" for key in _QUERY_KEY.findall(f"{query} {leaf}")]
    if query and (match := _FIRST_VALUE.search(f"?{query}")):
        traits += [f"value={match[0].lower()}"]
    return traits


@lru_cache(maxsize=2**10)  # pages share their folders, which are short: see `LONGEST_URL`
def _folder_traits(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the traits of an address by its folders."""
    names = [_normalised_name(folder) for folder in folders]
    traits = [f"depth={len(folders)}"]
    traits += ["folder=" + "/".join(names[:depth]) for depth in range(1, min(len(folders), 4) + 1)]
    traits += [f"any={name}" for name in names]
    return *traits, f"last={names[-1]}" if folders else "folder="


# Special pages.

_STATUS = re.compile(r"\W*(?:[^\W\d]+\W+)?(?:40[0-9]|410|50[0-4])(?:\W+[^\W\d]+){0,4}\W*")
_LOCATION = re.compile(r"\blocation(?:\.href|\.replace|\.assign)?\s*[=(]")


def _special(page: Page, characters: int, tags: Sequence[str], tag_count: Int64) -> str:
    """Return `REDIRECT` for a page that sends its readers to another one, `ERROR` for an error page.

    characters: of the visible texts; tags, tag_count: as in `PageTraits`.
    """
    if characters > thresholds.ERROR_CHARACTERS:
        return ""
    dom = page.dom
    if characters <= thresholds.REDIRECT_CHARACTERS:
        scripts = map(dom.text_of, dom.find_tag("script").tolist())
        if redirect(page) or any(map(_LOCATION.search, scripts)):
            return REDIRECT
    paragraphs = sum(
        number for tag, number in zip(tags, tag_count.tolist(), strict=True) if tag in ("p", "article")
    )
    few = paragraphs <= thresholds.MAX_PARAGRAPHS
    return ERROR if few and any(map(_STATUS.fullmatch, _titles(dom))) else ""
