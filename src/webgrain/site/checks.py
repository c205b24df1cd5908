"""What an audit notes about each page besides its content: head, headings, images, and its links.

`check_cells` and `link_cells` return these facts, which are columns of ``pages.parquet`` and of the parts.
`webgrain.site.links` resolves the links of all pages, and `webgrain.site.findings` derives what a site owner
should look at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from webgrain.base.arrays import Bool, Int8, Int64
from webgrain.io.local import FolderAssets, ZipAssets
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import innermost
from webgrain.page.links import (
    LOCAL_HOST,
    absolute,
    absolute_values,
    addresses,
    base_of,
    joined,
    page_links,
    redirect,
)
from webgrain.page.markup import document_title, item_types, json_ld, metas, relations
from webgrain.page.page import Page, Source
from webgrain.page.strings import name_set
from webgrain.page.tagtables import TagTable
from webgrain.page.values import Question
from webgrain.site.model import Prediction
from webgrain.site.pipeline import request_path
from webgrain.site.tables import ColumnTypes, TableRow

CHECK_COLUMNS: ColumnTypes = (
    ("document_title", "string"),
    ("meta_description", "string"),
    ("h1", "list"),
    ("robots", "string"),
    ("hreflang", "list"),
    ("canonical_link", "string"),
    ("images", "int64"),
    ("images_without_alt", "int64"),
    ("words", "int64"),
    ("structured_data", "list"),
    ("missing", "list"),
)
"""Columns of ``pages.parquet`` with the checks of a page: content of ``<title>`` and of the meta elements,
texts of its ``h1``, ``language address`` of its alternates, its canonical address, numbers of images, words
of its main text, types of its structured data, and the elements that the template of its type has and it
lacks."""

LINK_LIST_COLUMNS: ColumnTypes = (
    ("addresses", "list"),
    ("refresh", "string"),
    ("link_targets", "list"),
    ("link_urls", "list"),
    ("link_texts", "list"),
    ("link_rels", "list"),
    ("link_positions", "list"),
)
"""Columns of a part with the links of a page: its canonical addresses, the target of its redirect, and for
each link its canonical target, its address, text, ``rel`` and position. The position ends in ``-`` or ``+``
if a file of the folder or the zip archive is known to be missing or to exist."""

INVALID = "(invalid JSON-LD)"
"""Stands for JSON-LD that cannot be read among the types of structured data."""

FileTest = Callable[[FolderAssets | ZipAssets, str], bool]
"""Whether a folder or an archive has a file."""

# Limits of cells.
_MOST_TEXTS = 20  # of a column
_LONGEST = 500  # characters of a text
_LONGEST_URL = 2000  # characters of the address of a link
_LONGEST_TEXT = 200  # characters of the text of a link
_LONGEST_NAME = 200  # characters of a class or an id


def check_cells(prediction: Prediction, text: str) -> TableRow:
    """Return the checks of a page as cells of the columns `CHECK_COLUMNS`; text: its main text."""
    page = prediction.page
    dom = page.dom
    images = dom.find_tag("img")
    headings = dom.find_tag("h1").tolist()
    return {
        **_head(page),
        "h1": [_short(dom.text_of(node)) for node in headings[:_MOST_TEXTS]],
        "images": len(images),
        "images_without_alt": sum(alt is None for alt in dom.values_at("alt", images)),
        "words": len(text.split()),
        "structured_data": _structured_data(dom),
        "missing": _missing(prediction),
    }


def _head(page: Page) -> TableRow:
    """Return what the elements of the head state."""
    title = document_title(page.dom)
    short_title = None if title is None else _short(title)
    return {"document_title": short_title, **_meta(page.dom), **_head_links(page)}


def _meta(dom: Dom) -> TableRow:
    """Return the description of a page, and its values for robots."""
    description = None
    robots = []
    for values in metas(dom):
        name = values.get("name", "").strip().lower()
        content = _short(values.get("content", ""))
        if name == "description" and content:
            description = content
        elif name in ("robots", "googlebot") and content:
            robots.append(content.lower())
    return {"meta_description": description, "robots": ", ".join(robots) or None}


def _head_links(page: Page) -> TableRow:
    """Return the canonical address of a page, and those of its alternates with their languages."""
    canonical = None
    alternates = []
    dom = page.dom
    related = relations(dom)
    nodes = {*related.get("canonical", ()), *related.get("alternate", ())}
    for node in sorted(nodes.intersection(dom.find_tag("link").tolist())):
        values = dom.attributes(node)
        rel = values.get("rel", "").lower().split()
        url = values.get("href", "")
        if "canonical" in rel and url and canonical is None:
            canonical = absolute(page, url) or None
        elif "alternate" in rel and values.get("hreflang"):
            target = joined(base_of(page), url).removeprefix(f"http://{LOCAL_HOST}")
            language = values["hreflang"].strip()[:35]
            alternates.append(f"{language} {target}")
    return {"canonical_link": canonical, "hreflang": alternates[: 5 * _MOST_TEXTS]}


def _short(text: str) -> str:
    return " ".join(text[: 4 * _LONGEST].split())[:_LONGEST]


def _structured_data(dom: Dom) -> list[str]:
    """Return the types of things that JSON-LD and microdata describe, in order, without repetitions."""
    names: dict[str, None] = {}  # in order
    for url in item_types(dom):
        names[url.rstrip("/").rpartition("/")[2]] = None
    for value in json_ld(dom):
        names |= dict.fromkeys([INVALID] if value is None else _types(value))
    return [name[:100] for name in names if name][:_MOST_TEXTS]


def _types(value: Any) -> Iterator[str]:
    """Yield the types of the topmost things in a JSON-LD value."""
    if isinstance(value, list):
        for item in value[:100]:
            yield from _types(item)
    elif isinstance(value, dict):
        types = value.get("@type", ())
        for name in types if isinstance(types, list) else [types]:
            if name:
                yield str(name)
        yield from _types(value.get("@graph", []))


_FORMATTING = name_set("a abbr b br code em i small span strong sub sup u")
_STEPS = 3  # of the selector of a missing element


def _missing(prediction: Prediction) -> list[str]:
    """Return selectors of the elements that nearly all pages of the type have and the page lacks."""
    match = prediction.match
    if match is None or prediction.template != prediction.type:
        return []
    template = match.template
    nodes = [node for node in match.missing if template.symbols[node][0].tag not in _FORMATTING]
    selectors = []
    for node in nodes[:_MOST_TEXTS]:
        steps = template.css(node).split(" > ")
        selectors.append(" > ".join(steps[-_STEPS:])[:_LONGEST])
    return selectors


# Links.


def link_cells(prediction: Prediction, item: Source | Page, file_exists: FileTest) -> TableRow:
    """Return the links of a page as cells of the columns `LINK_LIST_COLUMNS`.

    item: what the page was read from; file_exists: whether a folder or an archive has a file.
    """
    page = prediction.page
    links = page_links(page)
    hrefs = page.dom.ask(_STRIPPED, links.attribute).tolist()
    urls = absolute_values(page, links.attribute) if page.url else hrefs
    positions = _positions(prediction, links.node)
    mark = _file_mark(page, item, file_exists)
    if mark:
        marks = map(mark, links.target, hrefs)
        positions = [position + known for position, known in zip(positions, marks, strict=True)]
    return {
        "addresses": addresses(page),
        "refresh": redirect(page) or None,
        "link_targets": links.target,
        "link_urls": [url[:_LONGEST_URL] for url in urls],
        "link_texts": [text[:_LONGEST_TEXT] for text in links.text],
        "link_rels": _relations(page.dom, links.node),
        "link_positions": positions,
    }


def _relations(dom: Dom, nodes: Int64) -> list[str]:
    """Return the values of ``rel`` of some elements in their usual form, empty for none."""
    attributes, owners = dom.find_attribute("rel")
    relation = np.full(len(dom), "", object)
    relation[owners] = dom.ask(_RELATION, attributes)
    relations: list[str] = relation[nodes].tolist()
    return relations


_RELATION = Question(lambda value: " ".join(value.lower().split())[:_LONGEST_TEXT])
_STRIPPED = Question(str.strip)


_OTHER_NAME = re.compile(r"[?]|(?:index|default)\.(?!html$)", re.I)


def _file_mark(page: Page, item: Source | Page, file_exists: FileTest) -> Callable[[str, str], str] | None:
    """Return a function of targets and links: ``+`` if their file exists, ``-`` if not, empty if unknown.

    None if the files of all links are unknown.
    """
    if not isinstance(item, Source) or item.url or len(page.dom.find_tag("base")):
        return None
    assets = item.assets
    if not isinstance(assets, FolderAssets | ZipAssets):
        return None
    root = "/"
    if page.id.endswith(item.path):
        root = LOCAL_HOST + quote(page.id[: len(page.id) - len(item.path)])

    def mark(target: str, href: str) -> str:
        if not target.startswith(LOCAL_HOST) and target != LOCAL_HOST.rstrip("/"):
            return ""
        # The canonical target, which is in the cache for all pages, lacks the names of index pages.
        if target.startswith(root) and file_exists(assets, unquote(target[len(root) :])):
            return "+"
        path = request_path(item.path, href) if _OTHER_NAME.search(href) else ""
        return "+" if path and file_exists(assets, path) else "-"

    return mark


def _positions(prediction: Prediction, nodes: Int64) -> list[str]:
    """Return the position of each link: one of `POSITIONS`."""
    dom = prediction.page.dom
    position = _landmarks(dom, nodes)
    is_menu = (position == _NAVIGATION) | (position == _FOOTER)
    in_content = _below(dom, prediction.article.nodes)[nodes]
    in_list = _below(dom, _list_nodes(prediction))[nodes]
    position[in_content & ~is_menu] = _CONTENT
    position[in_list & ~is_menu] = _LIST
    return [POSITIONS[number] for number in position.tolist()]


def _list_nodes(prediction: Prediction) -> Sequence[int]:
    """Return the nodes of the list of a page; none if it is not certain that there is one."""
    for listing in prediction.lists[:1]:
        if listing.probability >= 0.5:
            return listing.nodes
    return ()


def _below(dom: Dom, nodes: Sequence[int]) -> Bool:
    """(n,) True at the nodes and at all nodes below them."""
    mask = np.zeros(len(dom), bool)
    if not len(nodes):
        return mask
    mask[list(nodes)] = True
    return mask | dom.inside(mask)


POSITIONS = ("", "other", "navigation", "footer", "header", "aside", "list", "content")
"""Positions of links on a page: in the list or the main text of the page, or by the nearest landmark around
the link. The first name stands for an element that is no landmark."""

_OTHER, _NAVIGATION, _FOOTER, _HEADER, _ASIDE, _LIST, _CONTENT = range(1, len(POSITIONS))
_LANDMARKS = {
    "nav": _NAVIGATION,
    "footer": _FOOTER,
    "header": _HEADER,
    "aside": _ASIDE,
    "body": _OTHER,  # classes of the whole page are no landmarks
}
_LANDMARK_OF_TAG = TagTable(lambda tag: _LANDMARKS.get(tag, 0), np.int8)
_ROLES = {"navigation": _NAVIGATION, "contentinfo": _FOOTER, "banner": _HEADER, "complementary": _ASIDE}
_HINT = re.compile(
    r"(?<![a-z])(?:(footer|colophon|copyright)|(?:nav|navbar|navigation|menu|breadcrumbs?|pagination)(?![a-z]))"
)
_SECTIONS = name_set("article main section")


def _landmarks(dom: Dom, inner: Int64) -> Int8:
    """Return the nearest landmark around each of several nodes (k,) as a number of `POSITIONS`.

    Landmarks are elements, roles, and for pages without them, names of classes and ids.
    """
    landmark = np.zeros(len(dom) + 1, np.int8)
    landmark[-1] = _OTHER  # that of -1, no node
    for attribute, question in _LANDMARK_QUESTIONS:
        attributes, nodes = dom.find_attribute(attribute)
        named = dom.ask(question, attributes)
        landmark[nodes] = np.where(named > 0, named, landmark[nodes])
    by_tag = _LANDMARK_OF_TAG.of_nodes(dom)
    nodes = np.flatnonzero(by_tag)
    landmark[nodes] = by_tag[nodes]
    for node in nodes[by_tag[nodes] == _HEADER].tolist():
        if any(dom.name(above) in _SECTIONS for above in dom.ancestors(node)):
            landmark[node] = _OTHER
    around = innermost(dom.parent, (landmark[:-1] > 0).view(np.uint8))
    nearest: Int8 = landmark[around[inner]]
    return nearest


def _hint(value: str) -> int:
    """Return the landmark that a class or an id names; 0 for none."""
    match = _HINT.search(value[:_LONGEST_NAME].lower())
    if match is None:
        return 0
    return _FOOTER if match[1] else _NAVIGATION


_OF_HINT = Question(_hint, np.int8)
_OF_ROLE = Question(lambda role: _ROLES.get(role, 0), np.int8)
_LANDMARK_QUESTIONS = (("id", _OF_HINT), ("class", _OF_HINT), ("role", _OF_ROLE))
"""Attributes that name landmarks; the later ones count more."""
