"""What an audit notes about each page besides its content: head, headings and images.

`check_cells` returns these facts, which are columns of ``pages.parquet``. `webgrain.site.findings` derives
what a site owner should look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.links import (
    LOCAL_HOST,
    absolute,
    base_of,
    joined,
)
from webgrain.page.markup import document_title, item_types, json_ld, relations
from webgrain.page.page import Page
from webgrain.page.strings import name_set
from webgrain.page.values import Question
from webgrain.site.model import Prediction
from webgrain.site.tables import ColumnTypes, TableRow
from webgrain.templates.template import Symbol, Template

CHECK_COLUMNS: ColumnTypes = (
    ("document_title", "string"),
    ("meta_description", "string"),
    ("h1", "list"),
    ("robots", "string"),
    ("hreflang", "list"),
    ("canonical_link", "string"),
    ("images", "int64"),
    ("images_without_alt", "int64"),
    ("images_without_size", "int64"),
    ("words", "int64"),
    ("structured_data", "list"),
    ("missing", "list"),
)
"""Columns of ``pages.parquet`` with the checks of a page: content of ``<title>`` and of the meta elements,
texts of its ``h1``, ``language address`` of its alternates, its canonical address, numbers of images, words
of its main text, types of its structured data, and the elements that the template of its type has and it
lacks."""

INVALID = "(invalid JSON-LD)"
"""Stands for JSON-LD that cannot be read among the types of structured data."""

# Limits of cells.
_MOST_TEXTS = 20  # of a column
_LONGEST = 500  # characters of a text


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
        "images_without_size": _without_size(dom, images),
        "words": len(text.split()),
        "structured_data": _structured_data(dom),
        "missing": _missing(prediction),
    }


def _without_size(dom: Dom, images: Int64) -> int:
    """Return how many images lack the attributes ``width`` or ``height``, and a style in their place."""
    has_size = np.zeros(len(dom), np.bool_)
    has_size[dom.nodes_where("style", _HAS_SIZE)] = True
    has_width = np.zeros(len(dom), np.bool_)
    has_width[dom.find_attribute("width")[1]] = True
    heights = dom.find_attribute("height")[1]
    has_size[heights[has_width[heights]]] = True
    return int(np.count_nonzero(~has_size[images]))


_HAS_SIZE = Question(
    lambda style: ("height" in style and "width" in style) or "aspect-ratio" in style, np.bool_
)


def _head(page: Page) -> TableRow:
    """Return what the elements of the head state."""
    title = document_title(page.dom)
    short_title = None if title is None else _short(title)
    return {"document_title": short_title, **_meta(page.dom), **_head_links(page)}


def _meta(dom: Dom) -> TableRow:
    """Return the description of a page, and its values for robots."""
    description = None
    robots = []
    named = dom.nodes_where("name", _IS_CHECKED).tolist()
    for values in dom.attributes_of([node for node in named if dom.name(node) == "meta"]):
        name = values["name"].strip().lower()
        content = _short(values.get("content", ""))
        if name == "description" and content:
            description = content
        elif name in ("robots", "googlebot") and content:
            robots.append(content.lower())
    return {"meta_description": description, "robots": ", ".join(robots) or None}


_CHECKED = name_set("description robots googlebot")
_IS_CHECKED = Question(lambda name: name.strip().lower() in _CHECKED, np.bool_)


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


def _leads_to_neighbours(template: Template, node: int) -> bool:
    """Return whether an element of a template consists of links to the previous or the next page.

    The names of the element or of those in it state this.
    """
    within: dict[int, bool] = {}  # whether each element is one to a neighbour, or in one
    for inner in range(node, int(template.end[node])):
        symbols = template.symbols[inner]
        if not symbols:  # an operator
            continue
        around = within.get(int(template.owner[inner]), False)
        within[inner] = around or all(map(_names_neighbour, symbols))
        is_leaf = inner + 1 == template.end[inner]
        if is_leaf and not within[inner]:
            return False
    return True


def _names_neighbour(symbol: Symbol) -> bool:
    """Return whether the id or a class of an element means the previous or the next page.

    >>> names = ("nav-next", "Blog1_blog-pager-older-link", "prev-next", "next-steps")
    >>> [_names_neighbour(Symbol("a", (name,))) for name in names]
    [True, True, True, False]
    """
    return any(_NEIGHBOUR.fullmatch(name.lower().lstrip("#")) for name in symbol.names)


_BESIDE = "(?:previous|prev|next|older|newer)"
_ROLE = (
    r"(?:navigation|navi|nav|pagination|pager|page|links|link|posts|post|article|story|entry|item|button|btn|"
    r"date|blog\d?+)"
)
_NEIGHBOUR = re.compile(rf"(?:{_ROLE}[-_]*+)*+{_BESIDE}(?:[-_]*+(?:{_ROLE}|{_BESIDE}))*+")
"""Names of elements with a link to the previous or the next page of a series.

Of alternatives that begin alike, the longer one is first, since no repeat gives back what it has matched.
"""

_FORMATTING = name_set("a abbr b br code em i small span strong sub sup u")
_STEPS = 3  # of the selector of a missing element


def _missing(prediction: Prediction) -> list[str]:
    """Return selectors of the elements that nearly all pages of the type have and the page lacks.

    An element is not missing if the page has one like it elsewhere, such as in another item of a list, and
    links to the neighbours of a page are not, which the first and the last page of a series lack.
    """
    match = prediction.match
    if match is None or prediction.template != prediction.type:
        return []
    template = match.template
    nodes = [node for node in match.missing if template.symbols[node][0].tag not in _FORMATTING]
    selectors = []
    for node in nodes[:_MOST_TEXTS]:
        if _leads_to_neighbours(template, node):
            continue
        steps = template.css(node).split(" > ")
        selectors.append(" > ".join(steps[-_STEPS:])[:_LONGEST])
    if not selectors:
        return []
    _, matched = Selectors(selectors).find(prediction.page.dom)
    present = set(matched.tolist())
    return [selector for number, selector in enumerate(selectors) if number not in present]
