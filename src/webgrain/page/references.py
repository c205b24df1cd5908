"""The references of a page: every address that its markup names, with element, attribute and use.

References are found by one table of tags and attribute names, so that a page is read with a few array
operations; only ``srcset``, style sheets, redirects and JSON-LD contain addresses inside a longer text. Each
address has a number in the table of attribute values, and what it leads to is computed once for each new
value.

Sources: HTML Standard (attributes whose value is a URL, ``srcset``, link types), CSS Values 4 (``url()``).
Departures: attributes of scripts that load images later (``data-src`` and others) are usual names, not part
of a standard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int8, Int16, Int32, Int64
from webgrain.page.dom import Dom
from webgrain.page.kernels.attributepass import attributes_named
from webgrain.page.links import refreshes, targets_of
from webgrain.page.markup import json_ld_scripts
from webgrain.page.page import Page
from webgrain.page.strings import name_set, unescape
from webgrain.page.tagtables import AttributeBits, NameTable, TagTable
from webgrain.page.thresholds import MAX_LINKS
from webgrain.page.values import Question
from webgrain.page.vocabulary import TAGS

USES = (
    "other", "link", "frame", "form", "refresh", "canonical", "alternate", "relation", "image", "style",
    "script", "font", "media", "data",
)  # fmt: skip
"""What references are for: ``relation`` is a link in the head, such as the next page, and ``data`` an address
in JSON-LD; ``other`` are relations that neither visitors nor search engines follow."""

_OTHER, _LINK, _FRAME, _FORM, _REFRESH, _CANONICAL, _ALTERNATE = range(7)
_RELATION, _IMAGE, _STYLE, _SCRIPT, _FONT, _MEDIA, _DATA = range(7, len(USES))

_PLAIN = {
    "a": {"href": _LINK},
    "area": {"href": _LINK},
    "img": {"src": _IMAGE, "lowsrc": _IMAGE, "longdesc": _LINK},
    "input": {"src": _IMAGE, "formaction": _FORM},
    "button": {"formaction": _FORM},
    "form": {"action": _FORM},
    "link": {"href": _OTHER},
    "script": {"src": _SCRIPT},
    "iframe": {"src": _FRAME},
    "frame": {"src": _FRAME},
    "embed": {"src": _MEDIA},
    "object": {"data": _MEDIA},
    "video": {"src": _MEDIA, "poster": _IMAGE},
    "audio": {"src": _MEDIA},
    "source": {"src": _MEDIA},
    "track": {"src": _MEDIA},
    "body": {"background": _IMAGE},
    "table": {"background": _IMAGE},
    "tr": {"background": _IMAGE},
    "td": {"background": _IMAGE},
    "th": {"background": _IMAGE},
}
"""Attributes with an address, and its use."""
_LAZY_NAMES = ("data-src", "data-lazy-src", "data-lazy", "data-original", "data-echo")
_LAZY = {
    "img": _IMAGE,
    "source": _IMAGE,
    "iframe": _FRAME,
    "video": _MEDIA,
    "audio": _MEDIA,
    "script": _SCRIPT,
}
"""Elements whose address may be in such an attribute until a script moves it."""
_BACKGROUND_NAMES = ("data-bg", "data-background", "data-background-image", "data-bg-image")
_SET_NAMES = ("srcset", "imagesrcset", "data-srcset", "data-lazy-srcset")
_SETS = ("img", "source", "link")
"""Elements with several addresses of an image in an attribute."""


class Form(NamedTuple):
    """A form of references.

    Attributes:
        element: the tag; empty for an unusual one. attribute: the name; empty for the text of the element.
        use: a number of `USES`, for a link that of an unknown relation.
    """

    element: str
    attribute: str
    use: int


def _all_forms() -> Iterator[Form]:
    for tag, names in _PLAIN.items():
        for name, use in names.items():
            yield Form(tag, name, use)
    for tag, use in _LAZY.items():
        for name in _LAZY_NAMES:
            yield Form(tag, name, use)
    for tag in _SETS:
        for name in _SET_NAMES:
            yield Form(tag, name, _IMAGE)
    for tag in ("", *TAGS[1:]):
        for name in ("style", *_BACKGROUND_NAMES):
            yield Form(tag, name, _IMAGE)
    yield Form("style", "", _IMAGE)
    yield Form("script", "", _DATA)
    yield Form("meta", "content", _REFRESH)


FORMS = (Form("", "", _OTHER), *_all_forms())
"""All forms by number; 0 is no reference."""

_NUMBER = {(form.element, form.attribute): number for number, form in enumerate(FORMS)}
_NAMES = tuple(dict.fromkeys(form.attribute for form in FORMS if form.attribute not in ("", "content")))
_TAG_ROW = TagTable(lambda tag: TAGS.index(tag) if tag in TAGS else len(TAGS), np.int16)
_COLUMNS = NameTable(lambda name: _NAMES.index(name) + 1 if name in _NAMES else 0, np.uint8)


def _form_table() -> Int16:
    """Return the number of the form of each usual tag and attribute name; the last row is for other tags."""
    table = np.zeros((len(TAGS) + 1, len(_NAMES)), np.int16)
    for (tag, name), number in _NUMBER.items():
        if name in _NAMES:  # for others see `_in_texts`
            table[TAGS.index(tag) if tag else len(TAGS), _NAMES.index(name)] = number
    return table


_FORM_TABLE = _form_table()
_USE = np.array([form.use for form in FORMS], np.int8)


def _forms_with(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([form.attribute in names for form in FORMS], np.bool_)


_IS_SET = _forms_with(_SET_NAMES)
_IS_STYLE = _forms_with(("style",))
_IS_LIST = _IS_SET | _IS_STYLE
_HAS_FILES = _IS_LIST | _forms_with(("",)) & (_USE == _IMAGE)
"""Forms whose addresses are of images, fonts or style sheets."""

_IS_FILLED, _IS_FILE, _HAS_URL, _NEVER = 1, 2, 4, 8
_NEEDED = np.full(len(FORMS), _IS_FILLED, np.uint8)
"""What a value must be so that it is a reference; a link may be empty."""
_NEEDED[_USE == _LINK] = 0
_NEEDED[_forms_with((*_LAZY_NAMES, *_BACKGROUND_NAMES))] = _IS_FILE
_NEEDED[_IS_STYLE] = _HAS_URL
_NEEDED[0] = _NEVER


class References(NamedTuple):
    """The references of a page to HTTP addresses, in document order.

    Attributes:
        node: (k,) int64 the elements; form: (k,) int16 numbers of `FORMS`; use: (k,) int8 numbers of `USES`.
        value: (k,) int32 the numbers of the addresses in the table of values.
        target: (k,) the canonical URL that each leads to.
    """

    node: Int64
    form: Int16
    use: Int8
    value: Int32
    target: list[str]


def references(page: Page, most: int = MAX_LINKS) -> References:
    """Return the first references of a page.

    >>> from webgrain.page.parsing import parse
    >>> html = "<a href=b>B</a><img src=c.png srcset='d.png 2x'><p style='background:url(e)'>"
    >>> table = references(parse(html))
    >>> [FORMS[form][:2] for form in table.form.tolist()], [USES[use] for use in table.use.tolist()]
    ([('a', 'href'), ('img', 'src'), ('img', 'srcset'), ('p', 'style')], ['link', 'image', 'image', 'image'])
    >>> table.target[1]
    'local.invalid/c.png'
    """
    named = _named(page.dom)
    target = targets_of(page, named.value)
    kept = np.array([*map(bool, target)], np.bool_).nonzero()[0][:most]
    if len(kept) == len(target):
        return References(named.node, named.form, named.use, named.value, target)
    rows = kept.tolist()
    return References(
        named.node[kept],
        named.form[kept],
        named.use[kept],
        named.value[kept],
        [target[row] for row in rows],
    )


class _Named(NamedTuple):
    """References before their addresses are resolved: columns as in `References`."""

    node: Int64
    form: Int16
    use: Int8
    value: Int32


def _named(dom: Dom) -> _Named:
    """Return all references of a page in document order."""
    attribute, column = attributes_named(dom.attr_name, _COLUMNS.values(dom.names))
    node = dom.attr_start.searchsorted(attribute, side="right") - 1
    form = _FORM_TABLE[_TAG_ROW.values(dom.tags)[dom.tag[node]], column]
    needed = _NEEDED[form]
    rows = (dom.ask(_FACTS, attribute) & needed == needed).nonzero()[0]
    attribute, node, form = attribute[rows], node[rows], form[rows]
    plain, lists = (_IS_LIST[form] == 0).nonzero()[0], _IS_LIST[form].nonzero()[0]
    single = _single(dom, attribute[plain], node[plain], form[plain])
    several = [*_in_attributes(dom, attribute[lists], node[lists], form[lists]), *_in_texts(dom)]
    if not several:
        return single
    others = _joined(dom, several)
    node = np.concatenate([single.node, others.node])
    order = node.argsort(kind="stable")
    form = np.concatenate([single.form, others.form])
    use = np.concatenate([single.use, others.use])
    value = np.concatenate([single.value, others.value])
    return _Named(node[order], form[order], use[order], value[order])


def _facts(value: str) -> int:
    """Return what is known of an attribute value, as bits."""
    is_file = _FILE.match(value) is not None
    return _IS_FILLED * (value != "") | _IS_FILE * is_file | _HAS_URL * ("url(" in value.lower())


_FILE = re.compile(r"\s*+(?:(?:https?:)?//[^\s{}]|[^\s{}<>:]*\.[a-z0-9]{2,5}(?:[?#]|\s*\Z))", re.I)
_FACTS = Question(_facts, np.uint8)


def _single(dom: Dom, attribute: Int64, node: Int64, form: Int16) -> _Named:
    """Return the references whose attribute is an address; the relation of a link decides its use."""
    use = _USE[form]
    value = dom.value[attribute]
    sources = (form == _NUMBER["source", "src"]).nonzero()[0]
    if len(sources):
        is_picture = dom.tag[dom.parent[node[sources]]] == dom.tag_number("picture")
        use[sources[is_picture]] = _IMAGE
    links = (form == _NUMBER["link", "href"]).nonzero()[0]
    if not len(links):
        return _Named(node, form, use, value)
    use[links] = _USE_OF_BITS[_RELATION_BITS.of_nodes(dom)[node[links]]]
    kept = (use >= 0).nonzero()[0]
    return _Named(node[kept], form[kept], use[kept], value[kept])


_NEIGHBOURS = name_set(
    "next prev previous first last start up contents toc index help license author search bookmark shortlink "
    "amphtml glossary copyright chapter section subsection appendix"
)
_PRELOADED = {
    "image": _IMAGE,
    "style": _STYLE,
    "script": _SCRIPT,
    "font": _FONT,
    "video": _MEDIA,
    "audio": _MEDIA,
}


def _use_of_relation(rel: str) -> int:
    """Return the use of a link with a relation; -1 for one that names a host, and no file."""
    words = rel.lower().split()
    if "stylesheet" in words:
        return _STYLE
    if "canonical" in words:
        return _CANONICAL
    if "alternate" in words:
        return _ALTERNATE
    if any("icon" in word for word in words) or "image_src" in words:
        return _IMAGE
    if "modulepreload" in words:
        return _SCRIPT
    if not _NEIGHBOURS.isdisjoint(words):
        return _RELATION
    return -1 if {"dns-prefetch", "preconnect"}.intersection(words) else _OTHER


def _relation_bits(rel: str) -> int:
    """Return the use of a relation from 1, 0 for a host, and a mark of files that are loaded early."""
    return _use_of_relation(rel) + 1 | _EARLY * ("preload" in rel.lower().split())


def _kind_bits(kind: str) -> int:
    """Return the use of a file of some kind that is loaded early."""
    return _KIND * _PRELOADED.get(kind.strip().lower(), _OTHER)


_EARLY, _KIND = 16, 32
_RELATION_BITS = AttributeBits({"rel": _relation_bits, "as": _kind_bits})


def _use_of_bits(bits: int) -> int:
    return bits // _KIND if bits & _EARLY else bits % _EARLY - 1


_USE_OF_BITS = np.array([_use_of_bits(bits) for bits in range(_KIND * _EARLY)], np.int8)
"""The use of a link by its bits; -1 for one that names no file."""


class _Several(NamedTuple):
    """An element that names several addresses."""

    node: int
    form: int
    addresses: tuple[str, ...]


def _in_attributes(dom: Dom, attribute: Int64, node: Int64, form: Int16) -> Iterator[_Several]:
    """Yield the addresses in ``srcset`` and ``style``."""
    for question, is_asked in ((_CANDIDATES, _IS_SET), (_IN_DECLARATIONS, _IS_STYLE)):
        rows = is_asked[form].nonzero()[0]
        if len(rows):
            addresses = dom.ask(question, attribute[rows]).tolist()
            yield from map(_Several, node[rows].tolist(), form[rows].tolist(), addresses)


def _joined(dom: Dom, several: Sequence[_Several]) -> _Named:
    """Return the references of elements that name several addresses each."""
    nodes, forms, addresses = zip(*several, strict=True)
    sizes = [*map(len, addresses)]
    every = [*chain.from_iterable(addresses)]
    form = np.array(forms, np.int16).repeat(sizes)
    use = np.where(_HAS_FILES[form], np.array([*map(use_of_file, every)], np.int8), _USE[form])
    return _Named(np.array(nodes, np.int64).repeat(sizes), form, use, dom.values.numbers_of(every))


_FONT_FILE = re.compile(r"\.(?:woff2?|ttf|otf|eot)(?:[?#]|\Z)", re.I)
_SHEET_FILE = re.compile(r"\.css(?:[?#]|\Z)", re.I)


def use_of_file(url: str) -> int:
    """Return the use of an address in a style sheet by the ending of its path."""
    if _FONT_FILE.search(url):
        return _FONT
    return _STYLE if _SHEET_FILE.search(url) else _IMAGE


_CANDIDATE = re.compile(r"([^\s,]\S*+)(?:(?<!,)\s[^,(]*+(?:\([^)]{0,100}+\)[^,(]*+)*+)?")


def _candidates(srcset: str) -> tuple[str, ...]:
    """Return the addresses of a ``srcset``.

    >>> _candidates("a.png, b.png 2x,c,d.png 100w"), _candidates(" ")
    (('a.png', 'b.png', 'c,d.png'), ())
    """
    return tuple(match[1].rstrip(",") for match in islice(_CANDIDATE.finditer(srcset), _MOST))


_MOST = 1000  # addresses of one text
_CANDIDATES = Question(_candidates)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|@namespace[^;{]*+;?", re.DOTALL)
_URL = re.compile(
    r"""(?:@import\s*+(?=["'])|url\(\s*+)(?:"([^"\n]*+)"|'([^'\n]*+)'|((?:[^\s"'()\\]|\\.)++))""",
    re.IGNORECASE,
)


def css_addresses(css: str) -> tuple[str, ...]:
    """Return the addresses that a style sheet names, without those of data and of parts of the page.

    >>> css_addresses("@import 'a.css'; p { background: url(b.png) } /* url(c) */ q { fill: url(#d) }")
    ('a.css', 'b.png')
    """
    text = _COMMENT.sub(" ", css) if "/*" in css or "@namespace" in css else css
    addresses = []
    for match in islice(_URL.finditer(text), _MOST):
        address = (match[1] or match[2] or match[3] or "").strip()
        if address and address[0] != "#" and address[:5].lower() != "data:":
            addresses.append(unescape(address) if "\\" in address else address)
    return tuple(addresses)


_IN_DECLARATIONS = Question(css_addresses)


def _in_texts(dom: Dom) -> Iterator[_Several]:
    """Yield the addresses in texts: of style sheets, redirects and JSON-LD."""
    for node in dom.find_tag("style").tolist():
        css = dom.text_of(node)
        if "url(" in css or "@import" in css:
            yield _Several(node, _SHEET, css_addresses(css))
    for node, address in refreshes(dom):
        yield _Several(node, _REDIRECT, (address,))
    for node, value in json_ld_scripts(dom):
        yield _Several(node, _JSON, tuple(dict.fromkeys(islice(_addresses_in(value), _MOST))))


_SHEET, _REDIRECT, _JSON = _NUMBER["style", ""], _NUMBER["meta", "content"], _NUMBER["script", ""]


_KEYS_OF_URLS = name_set(
    "url image logo photo contenturl embedurl thumbnail thumbnailurl downloadurl mainentityofpage item sameas"
)
_WITH_PATH = re.compile(r"(?:https?:/|\.\.?)?/[^\s{}]++\Z", re.I)


def _addresses_in(value: Any) -> Iterator[str]:
    """Yield the addresses in a JSON-LD value, in any order."""
    waiting = [("", value)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(str(name).lower(), inner) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in value]
        elif isinstance(value, str) and key in _KEYS_OF_URLS and _WITH_PATH.match(value):
            yield value
