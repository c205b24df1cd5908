"""What a page states about itself in its markup: ``meta`` elements, JSON-LD, microdata and relations.

Each is read once for a page. What a value states, such as the words of a relation, is read once for each new
value of the process. `Statements` has all that a page declares, its own description before those of other
things: a page often describes several things in JSON-LD; its own description has a headline or a date, names
the address of the page, or repeats its title. Reviews, comments and items of lists in it describe other
things.

Structured data: https://schema.org, https://ogp.me, Dublin Core, the Highwire tags (``citation_*``), Parsely
and Sailthru.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from math import nan
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

import numpy as np

from webgrain.base.metrics import tokens
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.attributepass import meta_values
from webgrain.page.links import canonical
from webgrain.page.page import Page
from webgrain.page.strings import collapsed, name_set
from webgrain.page.tagtables import NameTable
from webgrain.page.values import Question

_OF_META = ("property", "name", "itemprop", "http-equiv", "content", "value")
"""The names of a ``meta`` element, the best first, and its content; "value" is a common mistake."""
_COLUMN_OF_META = NameTable(lambda name: _OF_META.index(name) + 1 if name in _OF_META else 0, np.uint8)
_IS_JSON_LD = Question(lambda value: "ld+json" in value.lower(), bool)
_IS_JSON = Question(lambda value: value.partition(";")[0].strip().lower() == "application/json", bool)
_LOWERED = Question(lambda value: value.strip().lower())
_LONGEST_JSON = 1_000_000  # characters of a JSON text with mistakes that is read (hand-set)


@cached_on_page
def metas(dom: Dom) -> list[dict[str, str]]:
    """Return the attributes of the ``meta`` elements of a page, in document order.

    >>> from webgrain.page.parsing import parse_html
    >>> metas(parse_html("<meta name=author content=Kim><p>"))
    [{'name': 'author', 'content': 'Kim'}]
    """
    return dom.attributes_of(dom.find_tag("meta").tolist())


@cached_on_page
def meta_contents(dom: Dom) -> dict[str, list[str]]:
    """Return the contents of the ``meta`` elements of a page by name; the name is in lower case.

    An attribute ``value`` counts like ``content``.

    >>> from webgrain.page.parsing import parse_html
    >>> meta_contents(parse_html("<meta property=og:Type content='an  article'><meta name=empty>"))
    {'og:type': ['an article']}
    """
    values = dom.values
    columns = _COLUMN_OF_META.values(dom.names)
    attributes = dom.attr_start, dom.attr_name, dom.value
    named, stated = meta_values(dom.find_tag("meta"), *attributes, columns, values.number(""))
    names, texts = values.answers(_LOWERED, named).tolist(), values.texts
    contents: dict[str, list[str]] = {}
    for name, text in zip(names, collapsed([texts[value] for value in stated.tolist()]), strict=True):
        if text and name in contents:
            contents[name] += [text]
        elif text:
            contents[name] = [text]
    return contents


@cached_on_page
def json_ld_texts(dom: Dom) -> list[str]:
    """Return the texts of the JSON-LD scripts of a page.

    >>> from webgrain.page.parsing import parse_html
    >>> json_ld_texts(parse_html('<script type="application/ld+json">{"@type": "Book"}</script>'))
    ['{"@type": "Book"}']
    """
    return [dom.text_of(node) for node in _json_ld_nodes(dom)]


def json_texts(dom: Dom) -> list[tuple[int, str]]:
    """Return the scripts of JSON without its linked data, each with its text, see `json_value`.

    >>> from webgrain.page.parsing import parse_html
    >>> json_texts(parse_html('<script type="application/json">{"page": 1}</script>'))
    [(2, '{"page": 1}')]
    """
    return [(node, dom.text_of(node)) for node in _scripts(dom, _IS_JSON)]


@cached_on_page
def _json_ld_nodes(dom: Dom) -> list[int]:
    """Return the JSON-LD scripts of a page."""
    return _scripts(dom, _IS_JSON_LD)


def _scripts(dom: Dom, has_type: Question[bool]) -> list[int]:
    """Return the scripts of a page with some types."""
    attributes, nodes = dom.find_attribute("type")
    chosen = dom.tag[nodes] == dom.tag_number("script")
    attributes, nodes = attributes[chosen], nodes[chosen]
    scripts: list[int] = nodes[dom.ask(has_type, attributes)].tolist()
    return scripts


def json_ld_scripts(dom: Dom) -> list[tuple[int, Any]]:
    """Return the JSON-LD scripts of a page, each with its value, None for one that cannot be read.

    >>> from webgrain.page.parsing import parse_html
    >>> json_ld_scripts(parse_html('<script type="application/ld+json">{"@type": "Book"}</script>'))
    [(2, {'@type': 'Book'})]
    """
    return list(zip(_json_ld_nodes(dom), json_ld(dom), strict=True))


@cached_on_page
def json_ld(dom: Dom) -> list[Any]:
    """Return the values of the JSON-LD scripts of a page, None for a script that cannot be read.

    >>> from webgrain.page.parsing import parse_html
    >>> json_ld(parse_html('<script type="application/ld+json">{"@type": "Book"}</script>'))
    [{'@type': 'Book'}]
    """
    return [json_value(text) for text in json_ld_texts(dom)]


def json_value(text: str) -> Any:
    r"""Return the value of a JSON text, also of one with usual mistakes; None for a text that is no JSON.

    Mistakes: line ends in strings, a comment or CDATA around the text, comments in it, commas before a
    closing bracket, semicolons behind it, wrong escapes, entities in place of quotes, several values.

    >>> json_value('// <![CDATA[ \n {"name": "a, ] b",}; // ]]>')
    {'name': 'a, ] b'}
    >>> json_value("{&quot;a&quot;: 1} {&quot;b&quot;: 2}"), json_value("a")
    ([{'a': 1}, {'b': 2}], None)
    """
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _repaired_json(text)


_AROUND = re.compile(r"^[\s/*]*<!\[CDATA\[|\]\]>[\s/*]*$|^\s*<!--|-->\s*$")
_IN_JSON = re.compile(
    r'"(?:[^"\\]++|\\.?)*+"?'  # a string, which may lack its end, also behind a backslash
    r"|/\*.*?(?:\*/|\Z)|(?<![:\w])//[^\n]*"  # a comment
    r"|,(?=\s{0,200}[\]}])",  # a comma behind the last value
    re.DOTALL,
)  # each alternative ends at the end of the text, so that the time is linear
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(.))', re.DOTALL)
_MOST_VALUES = 50  # of one script


def _repaired_json(text: str) -> Any:
    """Return the value of a JSON text with mistakes, a list if it has several; None if it has none."""
    if "{" not in text or len(text) > _LONGEST_JSON:
        return None
    if '"' not in text and "&quot;" in text:
        text = unescape(text)
    text = _AROUND.sub("", _AROUND.sub("", text))
    text = _IN_JSON.sub(_without_mistakes, text)
    values: list[Any] = []
    decoder = json.JSONDecoder(strict=False)
    start = 0
    try:
        while (start := _next_value(text, start)) < len(text) and len(values) < _MOST_VALUES:
            value, start = decoder.raw_decode(text, start)
            values.append(value)
    except (ValueError, RecursionError):
        pass
    return values if len(values) > 1 else next(iter(values), None)


def _next_value(text: str, start: int) -> int:
    """Return where the next object or list of a text begins, its length if there is none."""
    places = [place for bracket in "{[" if (place := text.find(bracket, start)) >= 0]
    return min(places, default=len(text))


def _without_mistakes(match: re.Match[str]) -> str:
    """Return a string with valid escapes; nothing for comments and commas."""
    text = match[0]
    if not text.startswith('"'):
        return ""
    return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else escape[2], text) if "\\" in text else text


_RELATIONS = name_set("alternate author canonical license tag")
_PROPERTIES = name_set("author creator datecreated datemodified datepublished name")
_NAMED_RELATIONS = Question(lambda value: _words_of(value, _RELATIONS))
_NAMED_PROPERTIES = Question(lambda value: _words_of(value, _PROPERTIES))


def _words_of(value: str, words: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a value that are among those given, in lower case."""
    return tuple(word for word in value.lower().split() if word in words)


@cached_on_page
def relations(dom: Dom) -> dict[str, list[int]]:
    """Return the nodes with each of the relations alternate, author, canonical, license and tag.

    >>> from webgrain.page.parsing import parse_html
    >>> relations(parse_html("<a rel='tag Author'>x</a><a rel=tag>y</a><a rel=next>z</a>"))
    {'tag': [3, 5], 'author': [3]}
    """
    return _nodes_by_word(dom, "rel", _NAMED_RELATIONS)


@cached_on_page
def properties(dom: Dom) -> dict[str, list[int]]:
    """Return the nodes with each property of microdata that states an author, a date or a name.

    >>> from webgrain.page.parsing import parse_html
    >>> properties(parse_html("<p itemprop=datePublished>1 May<p itemprop=price>1"))
    {'datepublished': [3]}
    """
    return _nodes_by_word(dom, "itemprop", _NAMED_PROPERTIES)


def _nodes_by_word(dom: Dom, name: str, question: Question[tuple[str, ...]]) -> dict[str, list[int]]:
    """Return the nodes with each word that a question about an attribute returns."""
    nodes_of: dict[str, list[int]] = {}
    attributes, nodes = dom.find_attribute(name)
    for node, words in zip(nodes.tolist(), dom.ask(question, attributes).tolist(), strict=True):
        for word in words:
            if word in nodes_of:
                nodes_of[word] += [node]
            else:
                nodes_of[word] = [node]
    return nodes_of


def item_types(dom: Dom) -> list[str]:
    """Return the values of ``itemtype`` on a page, in document order.

    >>> from webgrain.page.parsing import parse_html
    >>> item_types(parse_html("<p itemscope itemtype=http://schema.org/Book>"))
    ['http://schema.org/Book']
    """
    return [value or "" for value in dom.values_of(dom.find_attribute("itemtype")[0])]


def document_title(dom: Dom) -> str | None:
    """Return the text of the first ``<title>`` in the head that is not empty, or else in the body.

    A late doctype, or a text before it, puts the title into the body. None without a title.

    >>> from webgrain.page.parsing import parse_html
    >>> document_title(parse_html("Notice<!DOCTYPE html><html><head><title>Pears</title>"))
    'Pears'
    """
    titles = dom.find_tag("title").tolist()
    in_head = [node for node in titles if dom.name(int(dom.parent[node])) == "head"]
    if not in_head and titles:
        is_picture = dom.ancestor_sum(dom.tagged("svg")) > 0
        in_head = [node for node in titles if not is_picture[node]]
    texts = [dom.text_of(node) for node in in_head]
    return next((text for text in texts if text.strip()), "" if texts else None)


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

    title: that which is chosen for the page.

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
        nodes = list(nodes_in(declared))
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


def nodes_in(values: Iterable[Any]) -> Iterator[Node]:
    """Yield the nodes of JSON-LD in values of JSON, also those inside others; at most the first 2000.

    >>> [node.types for node in nodes_in([{"@type": "Article", "author": {"@type": "Person"}}])]
    ['article', 'person']
    """
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
