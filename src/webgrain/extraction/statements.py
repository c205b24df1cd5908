"""What a page declares about itself, with the page's own description before those of other things.

A page often describes several things in JSON-LD; its own description has a headline or a date, names the
address of the page, or repeats its title. Reviews, comments and items of lists in it describe other things.

Structured data: https://schema.org, https://ogp.me, Dublin Core, the Highwire tags (``citation_*``), Parsely
and Sailthru.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import nan
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from webgrain.base.metrics import tokens
from webgrain.page.links import canonical
from webgrain.page.markup import document_title, json_ld, meta_contents, properties, relations
from webgrain.page.page import Page
from webgrain.page.strings import name_set

META = {
    "author": "author parsely-author sailthru.author citation_author dc.creator dcterms.creator "
    "article:author byl twitter:creator",
    "published": "article:published_time og:article:published_time og:published_time datepublished "
    "parsely-pub-date sailthru.date dc.date.issued dcterms.issued citation_publication_date "
    "citation_online_date citation_date dc.date dcterms.date dcterms.created dc.date.created date pubdate "
    "publishdate publish_date publish-date publication_date originalpublicationdate datecreated "
    "date.created",
    "modified": "article:modified_time og:article:modified_time og:modified_time og:updated_time "
    "datemodified dcterms.modified dc.date.modified last-modified lastmod revised",
    "description": "description og:description twitter:description dc.description",
    "language": "language content-language dc.language og:locale",
    "image": "og:image og:image:url twitter:image twitter:image:src thumbnail",
    "site_name": "og:site_name application-name apple-mobile-web-app-title citation_journal_title",
    "tags": "article:tag keywords news_keywords parsely-tags sailthru.tags citation_keywords dc.subject",
    "licence": "license dc.rights dcterms.license dcterms.rights copyright",
    "canonical": "og:url",
}  # fmt: skip
"""Fields and the names of their ``meta`` elements, in order of preference, separated by spaces."""

_RANKS = {
    name: (field, rank, name) for field, names in META.items() for rank, name in enumerate(names.split())
}
"""The field of each name, and its rank."""
_ARTICLE = re.compile(r"article|posting|report|blog|news|creativework|qapage|question|thesis|review")
_PAGE = re.compile(r"webpage|itempage|aboutpage|collectionpage|profilepage|website")
_MOST_NODES = 2000  # of JSON-LD that are read
_MOST_NAMES = 20  # of a property that are read
_OTHER_THINGS = name_set(
    "comment review reviews suggestedAnswer acceptedAnswer itemListElement hasPart mentions isRelatedTo "
    "isSimilarTo relatedLink blogPost citation publisher author creator"
)
"""Properties whose values are other things than that which has the property."""
_DESCRIBED = ("headline", "datePublished", "uploadDate", "dateCreated", "articleBody", "mainEntityOfPage")


class Node(NamedTuple):
    """A node of JSON-LD.

    Attributes:
        values: its properties.
        inside: the properties whose values contain it, the nearest first; empty at the top.
        relevance: how likely it describes the page, see `Statements`.
    """

    values: dict[str, Any]
    inside: tuple[str, ...]
    relevance: float = 0.0

    @property
    def types(self) -> str:
        """The types of the node in lower case."""
        return str(self.values.get("@type", "")).lower()

    @property
    def is_other(self) -> bool:
        """Whether it is a part of a thing that has it as a comment, a review or an item."""
        return not _OTHER_THINGS.isdisjoint(self.inside)


def node_kind(node: Node) -> float:
    """Return 2 for a node of JSON-LD that is an article, 1 for a page, 0 for other things."""
    return 2.0 if _ARTICLE.search(node.types) else 1.0 if _PAGE.search(node.types) else 0.0


class Statements:
    """What a page declares about itself.

    Attributes:
        meta: the contents of ``meta`` elements by name; relations, properties: nodes by relation and by
            property of microdata.
        document_title, language: ``<title>``, and ``lang`` of the root; empty if missing.
        nodes: the nodes of JSON-LD that describe the page, the most relevant first.
        url: the URL of the page, in parts; empty if it is not valid.
        is_og_article: 1 if ``og:type`` is that of an article, else 0; NaN if it is not stated.
        page_kind: 2 if JSON-LD describes an article, 1 a page, 0 another thing; NaN without JSON-LD.

    >>> from webgrain.page.parsing import parse
    >>> html = '<script type="application/ld+json">{"headline": "A", "author": {"givenName": "Kim"}}</script>'
    >>> [named(value) for value in Statements(parse(html)).values("author")]
    ['Kim']
    """

    def __init__(self, page: Page, title: str = "") -> None:
        self._page, self._title = page, title
        dom = page.dom
        self.meta = meta_contents(dom)
        self.relations = relations(dom)
        self.properties = properties(dom)
        self.language = ""
        for node in dom.find_tag("html").tolist():
            values = dom.attributes(node)
            self.language = values.get("lang", values.get("xml:lang", "")).strip()
        self.document_title = " ".join((document_title(dom) or "").split())
        self._named: dict[str, dict[str, Any]] = {}
        declared = json_ld(dom)
        self.nodes = self._read(declared) if declared else []
        self.url = _parts(page.url or "")
        self._metas = _metas(self.meta)
        types = self.meta.get("og:type")
        self.is_og_article = float("article" in types[0].lower()) if types else nan
        self.page_kind = max([node_kind(node) for node in self.nodes], default=nan)

    def _read(self, declared: list[Any]) -> list[Node]:
        """Return the nodes of JSON-LD that describe the page; remember those that have a name."""
        nodes = list(_all_nodes(declared))
        self._named = {
            node.values["@id"]: node.values
            for node in nodes
            if isinstance(node.values.get("@id"), str) and len(node.values) > 1
        }
        described = [node for node in nodes if any(key in node.values for key in _DESCRIBED)]
        described += [node for node in nodes if "@id" in node.values and node not in described]
        about = canonical(self._page.url or "") or "-", tokens(self._title)
        rated = [node._replace(relevance=self._relevance(node, *about)) for node in described]
        return sorted(rated, key=lambda node: -node.relevance)

    def _relevance(self, node: Node, address: str, title: list[str]) -> float:
        """Return how likely a node describes the page; title: its tokens."""
        values = node.values
        main = values.get("mainEntityOfPage") or values.get("url") or values.get("@id") or ""
        main = main.get("@id", "") if isinstance(main, dict) else main
        about_page = isinstance(main, str) and canonical(main.partition("#")[0]) == address
        headline = tokens(named(values.get("headline") or values.get("name") or ""))
        titled = bool(headline) and headline == title
        stated = ("datePublished" in values) + ("author" in values) + 2.0 * ("headline" in values)
        return 2.0 * about_page + 2.0 * titled + stated - 3.0 * node.is_other

    def metas(self, field: str) -> list[tuple[int, str]]:
        """Return rank and content of the ``meta`` elements of a field, best first."""
        return self._metas.get(field, [])

    def values(self, *keys: str) -> Iterator[Any]:
        """Yield the values of properties of the nodes, best first."""
        for node in self.nodes:
            for key in keys:
                yield from self.resolved(node.values.get(key))

    def resolved(self, value: Any) -> list[Any]:
        """Return the values of a property, with references replaced by the nodes that they name."""
        values = value if isinstance(value, list) else [value]
        return [node for value in values[:_MOST_NAMES] if (node := self._referred(value))]

    def _referred(self, value: Any) -> Any:
        """Return the node that a reference names; other values as they are."""
        key = value.get("@id") if isinstance(value, dict) else None
        return self._named.get(key, value) if isinstance(key, str) else value

    def value_of(self, node: int) -> str:
        """Return the value of an element of microdata."""
        dom = self._page.dom
        values = dom.attributes(node)
        text = " ".join(dom.text_of(node)[:500].split())
        return values.get("content") or values.get("datetime") or text


def _parts(url: str) -> SplitResult:
    """Return a URL in parts, empty ones if it is not valid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _metas(meta: dict[str, list[str]]) -> dict[str, list[tuple[int, str]]]:
    """Return rank and content of the ``meta`` elements of each field, best first."""
    ranked = sorted([_RANKS[name] for name in meta if name in _RANKS])
    metas: dict[str, list[tuple[int, str]]] = {field: [] for field, _, _ in ranked}
    for field, rank, name in ranked:
        metas[field] += [(rank, value) for value in meta[name]]
    return metas


def _all_nodes(values: Iterable[Any]) -> Iterator[Node]:
    """Yield the nodes of JSON-LD, also those inside others."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value) for value in reversed(list(values))]
    count = 0
    while waiting and count < _MOST_NODES:
        inside, value = waiting.pop()
        if isinstance(value, dict):
            count += 1
            yield Node(value, inside)
            inner = [(key, x) for key, x in value.items() if isinstance(x, dict | list)]
            waiting += [((key, *inside)[:10], x) for key, x in reversed(inner)]
        elif isinstance(value, list):
            waiting += [(inside, item) for item in reversed(value)]


def named(value: Any, keys: tuple[str, ...] = ("name", "@value", "url")) -> str:
    """Return a value of JSON-LD as text; keys: the properties of a node that count, best first.

    >>> named({"@type": "Person", "givenName": "Kim", "familyName": "Auk"}), named({"name": {"name": "Kim"}})
    ('Kim Auk', 'Kim')
    """
    for _ in range(3):
        if isinstance(value, dict):
            parts = [value.get(key) for key in ("givenName", "familyName")]
            whole = " ".join(part for part in parts if isinstance(part, str))
            value = next((value[key] for key in keys[:1] if value.get(key)), whole) or next(
                (value[key] for key in keys[1:] if value.get(key)), ""
            )
        if isinstance(value, list):
            value = value[0] if value else ""
    return str(value) if isinstance(value, str | int | float) else ""
