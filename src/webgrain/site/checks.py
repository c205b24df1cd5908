"""What an audit notes about each page besides its content: head, headings, images, and its links.

These facts are columns of ``pages.parquet``; `webgrain.site.links` resolves the links of all pages, and
`webgrain.site.findings` derives what a site owner should look at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from webgrain.base.arrays import Bool, Int64
from webgrain.extraction.metadata import json_ld
from webgrain.io.local import FolderAssets, ZipAssets
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import innermost
from webgrain.page.links import LOCAL_HOST, absolute, addresses, base_of, joined, links, redirect
from webgrain.page.page import Page, Source
from webgrain.page.strings import name_set
from webgrain.page.thresholds import MAX_LINKS
from webgrain.site.model import Prediction
from webgrain.site.pipeline import request_path

CHECKS: tuple[tuple[str, str], ...] = (
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

LINKS: tuple[tuple[str, str], ...] = (
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

Exists = Callable[[FolderAssets | ZipAssets, str], bool]

_LANDMARKS = {"nav": "navigation", "footer": "footer", "header": "header", "aside": "aside"}
_ROLES = {"navigation": "navigation", "contentinfo": "footer", "banner": "header", "complementary": "aside"}
_HINT = re.compile(
    r"(?<![a-z])(?:(footer|colophon|copyright)|(?:nav|navbar|navigation|menu|breadcrumbs?|pagination)(?![a-z]))"
)
_FORMATTING = name_set("a abbr b br code em i small span strong sub sup u")
_CONTENT = name_set("article main section")
_OTHER_NAME = re.compile(r"[?]|(?:index|default)\.(?!html$)", re.I)
_MOST_TEXTS, _LONGEST = 20, 500  # texts of a column, and characters of each
_STEPS = 3  # of the selector of a missing element
_LONGEST_URL, _LONGEST_TEXT = 2000, 200  # characters of the address and the text of a link


def page_checks(page: Page, found: Prediction, text: str) -> dict[str, Any]:
    """Return the checks of a page as cells of the columns `CHECKS`; text: its main text."""
    dom, head = page.dom, _head(page)
    images, h1 = dom.find_tag("img"), dom.find_tag("h1").tolist()
    described = dom.values_at("alt", images)
    return {
        **head,
        "h1": [_short(dom.text_of(node)) for node in h1[:_MOST_TEXTS]],
        "images": len(images),
        "images_without_alt": sum(alt is None for alt in described),
        "words": len(text.split()),
        "structured_data": _structured_data(page),
        "missing": _missing(found),
    }


def _head(page: Page) -> dict[str, Any]:
    """Return what the elements of the head state."""
    dom = page.dom
    found: dict[str, Any] = {"document_title": None, "meta_description": None, "canonical_link": None}
    robots, alternates = [], []
    for node in dom.find_tag("title").tolist():
        if dom.name(int(dom.parent[node])) == "head" and found["document_title"] is None:
            found["document_title"] = _short(dom.text_of(node))
    for _, values in dom.elements("meta"):
        name, content = values.get("name", "").strip().lower(), _short(values.get("content", ""))
        if name == "description" and content:
            found["meta_description"] = content
        elif name in ("robots", "googlebot") and content:
            robots.append(content.lower())
    for _, values in dom.elements("link"):
        rel, url = values.get("rel", "").lower().split(), values.get("href", "")
        if "canonical" in rel and url and found["canonical_link"] is None:
            found["canonical_link"] = absolute(page, url) or None
        elif "alternate" in rel and values.get("hreflang"):
            target = joined(base_of(page), url).removeprefix(f"http://{LOCAL_HOST}")
            alternates.append(f"{values['hreflang'].strip()[:35]} {target}")
    return found | {"robots": ", ".join(robots) or None, "hreflang": alternates[: 5 * _MOST_TEXTS]}


def _short(text: str) -> str:
    return " ".join(text[: 4 * _LONGEST].split())[:_LONGEST]


def _structured_data(page: Page) -> list[str]:
    """Return the types of things that JSON-LD and microdata describe, in order, without repetitions."""
    dom = page.dom
    found = dict.fromkeys(
        (value or "").rstrip("/").rpartition("/")[2]
        for value in dom.values_of(dom.find_attribute("itemtype")[0])
    )
    for value in json_ld(page):
        found |= dict.fromkeys([INVALID] if value is None else _types(value))
    return [name[:100] for name in found if name][:_MOST_TEXTS]


def _types(value: Any) -> Iterator[str]:
    """Yield the types of the topmost things in a JSON-LD value."""
    if isinstance(value, list):
        for one in value[:100]:
            yield from _types(one)
    elif isinstance(value, dict):
        types = value.get("@type", ())
        yield from (str(one) for one in (types if isinstance(types, list) else [types]) if one)
        yield from _types(value.get("@graph", []))


def _missing(found: Prediction) -> list[str]:
    """Return selectors of the elements that nearly all pages of the type have and the page lacks."""
    if found.match is None or found.template != found.type:
        return []
    template = found.match.template
    nodes = [node for node in found.match.missing if template.symbols[node][0].tag not in _FORMATTING]
    selectors = (template.css(node) for node in nodes[:_MOST_TEXTS])
    return [" > ".join(css.split(" > ")[-_STEPS:])[:_LONGEST] for css in selectors]


# Links.


def link_columns(page: Page, found: Prediction, source: Source | Page, exists: Exists) -> dict[str, Any]:
    """Return the links of a page as cells of the columns `LINKS`.

    source: what the page was parsed from; exists: whether a folder or an archive has a file.
    """
    dom, every = page.dom, list(islice(links(page), MAX_LINKS))
    nodes = np.array([link.node for link in every], np.int64)
    hrefs = [(href or "").strip() for href in dom.values_at("href", nodes)] if every else []
    rels = dom.values_at("rel", nodes) if every else []
    known, local = _file_test(page, source, exists), not page.url
    return {
        "addresses": addresses(page),
        "refresh": redirect(page) or None,
        "link_targets": [link.target for link in every],
        "link_urls": [(href if local else absolute(page, href))[:_LONGEST_URL] for href in hrefs],
        "link_texts": [link.text[:_LONGEST_TEXT] for link in every],
        "link_rels": [" ".join((rel or "").lower().split())[:_LONGEST_TEXT] for rel in rels],
        "link_positions": [
            place + known(link.target, href)
            for place, link, href in zip(_positions(page, found, nodes), every, hrefs, strict=True)
        ],
    }


def _file_test(page: Page, source: Source | Page, exists: Exists) -> Callable[[str, str], str]:
    """Return a function of targets and links: ``+`` if their file exists, ``-`` if not, empty if unknown."""
    if not isinstance(source, Source) or source.url or len(page.dom.find_tag("base")):
        return lambda target, href: ""
    if not isinstance(source.assets, FolderAssets | ZipAssets):
        return lambda target, href: ""
    assets, own = source.assets, source.path
    root = LOCAL_HOST + quote(page.id[: len(page.id) - len(own)]) if page.id.endswith(own) else "/"

    def test(target: str, href: str) -> str:
        if not target.startswith(LOCAL_HOST) and target != LOCAL_HOST.rstrip("/"):
            return ""
        # The canonical target, which is in the cache for all pages, lacks the names of index pages.
        if target.startswith(root) and exists(assets, unquote(target[len(root) :])):
            return "+"
        path = request_path(own, href) if _OTHER_NAME.search(href) else ""
        return "+" if path and exists(assets, path) else "-"

    return test


def _positions(page: Page, found: Prediction, nodes: Int64) -> list[str]:
    """Return the position of each link: list, content, navigation, footer, header, aside or other."""
    dom, around = page.dom, _landmarks(page.dom)
    listed = [node for one in found.lists[:1] if one.probability >= 0.5 for node in one.nodes]
    in_list, in_content = _below(dom, listed), _below(dom, found.article.nodes)
    result = []
    for node in nodes.tolist():
        place = around[node]
        if in_list[node] and place not in ("footer", "navigation"):
            place = "list"
        elif in_content[node] and place not in ("footer", "navigation"):
            place = "content"
        result.append(place)
    return result


def _below(dom: Dom, nodes: Iterable[int]) -> Bool:
    """(n,) True at the nodes and at all nodes below them."""
    mask = np.zeros(len(dom), bool)
    mask[list(nodes)] = True
    return mask | dom.inside(mask)


@lru_cache(maxsize=4096)  # the pages of a site share them
def _hint(value: str) -> str:
    """Return the landmark that a class or an id names; empty for none."""
    found = _HINT.search(value[:200].lower())
    return "" if found is None else "footer" if found[1] else "navigation"


def _landmarks(dom: Dom) -> list[str]:
    """Return the name of the nearest landmark around each node, ``other`` for none.

    Landmarks are elements, roles, and for pages without them, names of classes and ids.
    """
    names: dict[int, str] = {}
    for attribute in ("id", "class"):
        rows, nodes = dom.find_attribute(attribute)
        for node, value in zip(nodes.tolist(), dom.values_of(rows), strict=True):
            if hint := _hint(value or ""):
                names[node] = hint
    rows, nodes = dom.find_attribute("role")
    roles = zip(nodes.tolist(), dom.values_of(rows), strict=True)
    names |= {node: _ROLES[role] for node, role in roles if role in _ROLES}
    for tag, name in _LANDMARKS.items():
        for node in dom.find_tag(tag).tolist():
            inner = tag == "header" and any(dom.name(k) in _CONTENT for k in dom.ancestors(node))
            names[node] = "other" if inner else name
    names |= dict.fromkeys(
        dom.find_tag("body").tolist(), "other"
    )  # classes of the whole page are no landmarks
    mark = np.zeros(len(dom), np.uint8)
    mark[list(names)] = 1
    names[-1] = "other"
    return [names[node] for node in innermost(dom.parent, mark).tolist()]
