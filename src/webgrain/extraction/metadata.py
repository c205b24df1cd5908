"""Metadata of a page: what its head, its structured data and the lines near its title state.

=============  =========================================================================================
field          sources, in order of preference
=============  =========================================================================================
author         JSON-LD; microdata; the first post of a thread; ``rel=author`` and elements named as author
               near the title; ``meta``
published      JSON-LD; ``meta``; the first post of a thread; ``<time>``; a date in the lines near the title;
               the URL; microdata; the only date of the page; the date of the last change
modified       JSON-LD; ``meta``; microdata
description    ``meta``; JSON-LD
language       ``lang`` of the root; ``meta``; JSON-LD
image          ``meta``; JSON-LD
canonical      ``<link rel=canonical>``; ``og:url``
site_name      ``meta``; the publisher in JSON-LD
tags           ``meta``; ``rel=tag``; JSON-LD
licence        ``rel=license``; ``meta``; JSON-LD
=============  =========================================================================================

Structured data: https://schema.org, https://ogp.me, Dublin Core, the Highwire tags (``citation_*``), Parsely
and Sailthru. A page often describes several things; the description of the page itself is the one that has a
headline or a date, names the address of the page, or repeats its title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cached_property
from html import unescape
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from webgrain.base.metrics import tokens
from webgrain.documents.article import Article
from webgrain.documents.dates import before_date, first_date
from webgrain.extraction.paywall import paywall
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute, canonical
from webgrain.page.markup import json_ld, meta_contents, properties, relations
from webgrain.page.page import Page
from webgrain.page.text import text_blocks
from webgrain.page.values import Question

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

_LD_KEYS = {
    "author": ("author", "creator"), "modified": ("dateModified",), "description": ("description",),
    "published": ("datePublished", "uploadDate", "dateCreated", "datePosted"), "tags": ("keywords",),
    "language": ("inLanguage",), "image": ("image", "thumbnailUrl"), "site_name": ("publisher",),
    "licence": ("license",),
}  # fmt: skip
_NAMED_DATES = {
    "published": re.compile(r"(?<![a-z])publish(ed)?(?![a-z])(?!.*(modif|by|er))"),
    "modified": re.compile(r"(?<![a-z])(modified|updated)(?![a-z])"),
}
_MOST_NODES, _MOST_TAGS, _LONGEST_NAME = 2000, 50, 100
_NEAR = 20  # text blocks before and after the title in which bylines and dates are searched (hand-set)
_LONGEST_BYLINE, _MOST_INSIDE = 120, 40  # characters and nodes (hand-set)
_LONGEST_CLASSES = 200  # characters of the classes of an element (hand-set)
_LONGEST_LABEL = 20  # characters of "written by" in a line before the name (hand-set)
_NAMED = re.compile(r"(?<![a-z])(authors?|byline|by-line|byl|writer|creator|username|poster)(?![a-z])")
_NOT_NAMED = re.compile(
    r"(?<![a-z])(bio|about|avatar|image|img|description|social|box|date|time|title|count|related|comments?)(?![a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PROFILE = re.compile(r"/(authors?|contributors?|autor(es)?|auteurs?|profiles?|people|team|staff)/[^/]")
_UPDATED = re.compile(r"(?<![a-z])(modified|updated?|comments?|related|reply|lastmod)(?![a-z])", re.I)
_BY_WORD = r"(?:by|von|par|por|di|da|de|door|av|af|od|przez|от|автор|autor|auteur|tekst|author)"
_VERB = r"(?:(?:written|posted|published|words|story|text|submitted|article|reviewed|contributed)\b\s*)"
_BY = re.compile(rf"^\W*(?:{_VERB}?{_BY_WORD}\b\s*:?|{_VERB})\s*", re.I)
_LONG = rf"^\W*(?:this \w+ was )?{_VERB}[^.!?]{{0,30}}\bby\b"  # "posted 3 hours ago by"
_STARTS = rf"^\W*{_VERB}?{_BY_WORD}\b|[\d|•·–—-]\W*by\b|(?-i:^By(?=[A-Z]))|{_LONG}"
_BYLINE, _SIGNED = (re.compile(rf"(?:{x})\s*:?\s*(?=[^\W\d_])", re.I) for x in (_STARTS, _LONG))
_AFTER_NAME = re.compile(
    r"\s+[|•·–—-]\s+|\s*\(.*|,?\s+(?:on|in|at|am|le|el|em)\s+(?=\W*\w*\W*\d).*|\s*[|•·\n]|,?\s+\d+ \w+$"
)
_DAY = re.compile(r"(^\w{0,9}|[\s,]+(on|am|le|el|em)\s[\s\w]{0,10})[\s,.]*$")  # a day before a date
_NO_NAME = re.compile(r"^(https?:|www\.)|^\S+@\S+$|^@|^\d+ [a-z ]+$")  # addresses, and "5 min read"
_YEAR = re.compile(r"\d{4}|^\d+$")
_CONTROL = re.compile(r"[\x00-\x1f]+")


def metadata(page: Page, article: Article | None = None) -> dict[str, Any]:
    """Return the metadata of a page: the fields of this module that it states, and some of its head.

    ``url`` is the page's address, ``document_title`` the content of ``<title>``. Dates are ISO 8601, ``tags``
    is a list, other fields are texts; several authors are separated by commas. Addresses are absolute.

    article: the extracted title and text, near which bylines and dates are searched.

    >>> from webgrain.page.parsing import parse
    >>> metadata(parse("<html lang=en><title>A</title><meta name=author content=Kim><p>Text"))
    {'document_title': 'A', 'author': 'Kim', 'language': 'en'}
    """
    facts = Facts(page, article)
    values_of: dict[str, Any] = {"url": page.url or "", "document_title": facts.document_title}
    for name in META:
        values = (value for _, value in facts.candidates(name))
        if name == "tags":
            tags = (tag.strip().lstrip("# ") for value in values for tag in value.split(","))
            values_of[name] = list(dict.fromkeys(filter(None, tags)))[:_MOST_TAGS]
        else:
            values_of[name] = next(values, "")
    values_of["paywall"] = paywall(page, article)
    return {name: value for name, value in values_of.items() if value}


def _names_author(classes: str) -> bool:
    """Whether a class states that an element contains an author."""
    words = _CAMEL.sub("-", classes[:_LONGEST_CLASSES]).lower()
    return bool(_NAMED.search(words)) and not _NOT_NAMED.search(words)


_NAMES_AUTHOR = Question(_names_author, bool)
_LEADS_TO_PROFILE = Question(lambda href: _PROFILE.search(href) is not None, bool)


class Facts:
    """The statements of a page about itself, by source."""

    def __init__(self, page: Page, article: Article | None) -> None:
        self._page, self._dom = page, page.dom
        self._title = article.title if article else ""
        self._byline = article.byline if article else {}
        self._meta = meta_contents(page.dom)
        self._rel = relations(page.dom)
        self._items = properties(page.dom)
        self._organisations: list[str] = []
        self.document_title = self.root_language = ""
        self._collect()
        nodes = _ld_nodes(json_ld(page.dom))
        named = (node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1)
        self._by_id = {node["@id"]: node for node in named}
        self._nodes = sorted(nodes, key=self._relevance, reverse=True)
        language = self.root_language or next(iter(self._meta.get("og:locale", [])), "")
        self._american = language.lower().replace("_", "-") == "en-us"
        self._first, self._start, self._stop = self._place(article)

    def candidates(self, field: str) -> Iterator[tuple[str, str]]:
        """Yield the values of a field with their sources, best first."""
        later: list[tuple[str, str]] = []
        for source in _SOURCES[field]:
            for value in source(self, field):
                if cleaned := self._cleaned(field, value):
                    pair = source.__name__.strip("_"), cleaned
                    if field == "author" and self._is_site(cleaned):
                        later.append(pair)
                    else:
                        yield pair
        yield from later

    @cached_property
    def _url(self) -> SplitResult:
        """The URL of the page, in parts; empty if it is not valid."""
        try:
            return urlsplit(self._page.url or "")
        except ValueError:
            return urlsplit("")

    def _is_site(self, name: str) -> bool:
        """Whether a name is the name of the site."""
        names = [*self._meta.get("og:site_name", []), *self._ld("site_name"), *self._organisations]
        host = (self._url.hostname or "").split(".")
        return any(tokens(name) == tokens(other) for other in names) or "".join(tokens(name)) in host

    # Reading.

    def _collect(self) -> None:
        """Read the title and the language of the document."""
        dom = self._dom
        for node in dom.find_tag("html").tolist():
            values = dom.attributes(node)
            self.root_language = values.get("lang", values.get("xml:lang", "")).strip()
        for node in dom.find_tag("title").tolist():
            if not self.document_title and dom.name(int(dom.parent[node])) == "head":
                self.document_title = " ".join(dom.text_of(node).split())

    def _relevance(self, node: dict[str, Any]) -> float:
        """Return how likely a node of JSON-LD describes the page."""
        url = canonical(self._page.url or "") or "-"
        main = node.get("mainEntityOfPage") or node.get("url") or node.get("@id") or ""
        main = main.get("@id", "") if isinstance(main, dict) else main
        headline = _text(node.get("headline") or node.get("name") or "")
        about_page = 2.0 * (isinstance(main, str) and canonical(main.partition("#")[0]) == url)
        titled = 2.0 * bool(headline and tokens(headline) == tokens(self._title))
        stated = ("datePublished" in node) + ("author" in node) + 2.0 * ("headline" in node)
        inner = node.get("@nested") in ("comment", "suggestedAnswer", "review", "itemListElement")
        return about_page + titled + stated - 3.0 * inner

    def _place(self, article: Article | None) -> tuple[int, int, int]:
        """Return the first node of the title or the text, and the span of nodes around it."""
        blocks = text_blocks(self._page)
        first = article.start if article else 0
        if article is None or not first or not len(blocks):
            return 0, 0, len(self._dom)
        at = int(np.searchsorted(blocks.first, first))
        body = article.nodes
        begin = int(np.searchsorted(blocks.first, body[0])) if body else at
        low, high = max(min(at, begin) - _NEAR, 0), min(max(at, begin) + _NEAR, len(blocks)) - 1
        if at > begin + _NEAR or begin > at + 4 * _NEAR:
            low, high = max(at - _NEAR, 0), min(at + 2 * _NEAR, len(blocks) - 1)
        return first, int(blocks.first[low]), int(blocks.last[high]) + 1

    # Sources.

    def _root(self, field: str) -> Iterator[str]:
        yield self.root_language

    def _metas(self, field: str) -> Iterator[str]:
        for name in META[field].split():
            values = self._meta.get(name, [])
            if field == "author":
                values = [", ".join(dict.fromkeys(values))]
            yield from values
        named = _NAMED_DATES[field].search if field in _NAMED_DATES else None
        yield from (value for name in self._meta if named and named(name) for value in self._meta[name])

    def _first_post(self, field: str) -> Iterator[str]:
        yield self._byline.get({"published": "date"}.get(field, field), "")

    def _change(self, field: str) -> Iterator[str]:
        """Yield the date of the last change, if the page states no other one."""
        yield from (value for _, value in self.candidates("modified"))

    def _far_date(self, field: str) -> Iterator[str]:
        """Yield the date in the short texts of the page, if it is only one, otherwise that of a change."""
        short = (text for text in text_blocks(self._page).texts if len(text) <= _LONGEST_BYLINE)
        dated = [(text, date[:10]) for text in short if (date := first_date(text, self._american))]
        changed = _NAMED_DATES["modified"].search
        stated = {date for text, date in dated if not _UPDATED.search(text)}
        yield from stated if len(stated) == 1 else ()
        of_change = {date for text, date in dated if changed(text.lower())}
        yield from of_change if len(of_change) == 1 else ()

    def _ld(self, field: str) -> Iterator[str]:
        for node in self._nodes:
            for key in _LD_KEYS[field]:
                values = self._resolved(node.get(key))
                if field == "author":
                    people = [
                        person
                        for person in values
                        if not (isinstance(person, dict) and _is_organisation(person))
                    ]
                    self._organisations += [] if people else map(_text, values)
                    yield ", ".join(dict.fromkeys(filter(None, map(_text, people or values))))
                else:
                    address = field in ("image", "licence")
                    keys = ("url", "contentUrl", "@id") if address else ("name", "@value")
                    yield from (_text(value, keys) for value in values)

    def _resolved(self, value: Any) -> list[Any]:
        """Return the values of a property, with references replaced by the nodes that they name."""
        values = value if isinstance(value, list) else [value]
        return [named for value_ in values[:20] if (named := self._named(value_))]

    def _named(self, value: Any) -> Any:
        """Return the node that a reference names; other values as they are."""
        key = value.get("@id") if isinstance(value, dict) else None
        return self._by_id.get(key, value) if isinstance(key, str) else value

    def _microdata(self, field: str) -> Iterator[str]:
        names = {"author": ("author", "creator"), "published": ("datepublished", "datecreated")}
        for name in names.get(field, ("datemodified",)):
            nodes = [node for node in self._items.get(name, []) if field != "author" or node < self._stop]
            for node in nodes[:5]:
                inner = range(node + 1, int(self._dom.end[node]))
                named = (k for k in self._items.get("name", []) if k in inner) if field == "author" else ()
                yield self._stated(next(iter(named), node))

    def _stated(self, node: int) -> str:
        """Return the value of an element of microdata."""
        values = self._dom.attributes(node)
        text = " ".join(self._dom.text_of(node)[:500].split())
        return values.get("content") or values.get("datetime") or text

    def _linked(self, field: str) -> Iterator[str]:
        dom = self._dom
        for node in self._rel.get({"licence": "license", "tags": "tag"}.get(field, field), []):
            if field != "tags":
                yield absolute(self._page, dom.get(node, "href") or "")
            elif dom.name(node) != "link":
                yield " ".join(dom.text_of(node).split())

    def _visible_authors(self, field: str) -> Iterator[str]:
        """Yield the names in elements that are named as author, those near the title first.

        Far from the title, a name counts only if it is the only one.
        """
        ranked: list[tuple[float, str]] = []
        far: set[str] = set()
        for node, sure in self._author_elements():
            name = self._name_in(node)
            if name and self._start <= node < self._stop:
                ranked.append((self._distance(node) + 20.0 * (not sure), name))
            elif name and node > self._first:
                far.add(name)
        ranked += self._bylines()
        yield from (name for _, name in sorted(ranked))
        blocks = text_blocks(self._page)
        below = (blocks.texts[k] for k in np.flatnonzero(blocks.first > self._first).tolist())
        short = (text for text in below if len(text) <= _LONGEST_BYLINE and "by" in text.lower())
        matches = map(_SIGNED.match, short)
        names = (self._name(match.string[match.end() :]) for match in matches if match)
        signed = {name if len(name.split()) <= 5 else name.partition(",")[0] for name in names} - {""}
        yield from signed if len(signed) == 1 else ()
        yield from far if len(far) == 1 else ()

    def _author_elements(self) -> Iterator[tuple[int, bool]]:
        """Yield visible elements that a relation, a class or an address names as author; whether a link."""
        dom, shown = self._dom, visible_nodes(self._page)
        sure = {node for node in self._rel.get("author", []) if dom.name(node) == "a"}
        named = dom.nodes_where("class", _NAMES_AUTHOR).tolist()
        profiles = dom.nodes_where("href", _LEADS_TO_PROFILE).tolist()
        sure |= {node for node in profiles if self._start <= node < self._stop}
        yield from ((node, node in sure) for node in sorted(sure.union(named)) if shown[node])

    def _name_in(self, node: int) -> str:
        """Return the name in an element: its links, or the first text in it that is a name."""
        dom = self._dom
        size = int(dom.text_start[dom.end[node]] - dom.text_start[node])
        if not 1 < size <= 10 * _LONGEST_BYLINE or dom.end[node] - node > _MOST_INSIDE:
            return ""
        inside = range(node, int(dom.end[node]))
        links = (self._name(" ".join(dom.text_of(k).split())) for k in inside[1:] if dom.name(k) == "a")
        texts = (" ".join(dom.text_of(k).split()) for k in inside if dom.name(k) == "#text")
        names = [name for name in links if name]
        return ", ".join(dict.fromkeys(names)) or next(filter(None, map(self._name, texts)), "")

    def _bylines(self) -> Iterator[tuple[float, str]]:
        """Yield the names in short lines near the title that begin with a word such as "by"."""
        for distance, text, following in self._lines:
            alone = len(text) <= _LONGEST_LABEL and not _BY.sub("", f"{text} ", count=1).strip(" :")
            if alone and following and len(following) <= _LONGEST_NAME / 2:
                text = f"{text} {following}"
            match = _BYLINE.match(text)
            if match is None and "by" in text.lower():  # further on, a name follows this word only
                match = _BYLINE.search(text)
            if match:
                name = self._name(text[match.end() :])
                lower = match[0].strip().lower() == "by" and name[:1].islower()
                if name and len(name.split()) <= 5 and not lower:
                    yield distance + 40.0, name

    @cached_property
    def _lines(self) -> list[tuple[float, str, str]]:
        """The distance from the title and the text of each short line near it, and the next text."""
        blocks = text_blocks(self._page)
        first, stop = np.searchsorted(blocks.first, [self._start, self._stop]).tolist()
        texts = blocks.texts[first : stop + 1]
        following = (*texts[1:], "")
        nodes = blocks.first[first:stop].tolist()
        return [
            (self._distance(node), text, after)
            for node, text, after in zip(nodes, texts, following, strict=False)
            if len(text) <= _LONGEST_BYLINE
        ]

    def _distance(self, node: int) -> float:
        """Return how far a node is from the title; those before it count as farther."""
        return abs(node - self._first) + 30.0 * (node < self._first)

    def _only_date(self, field: str) -> Iterator[str]:
        """Yield the only date in the lines near the title if the page states a later one and no such change.

        The date in the structured data is then that of a move or a change, or it is in another time zone.
        """
        lines = {value[:10] for value in self._dates_in_lines}
        if len(lines) == 1:
            values = [*self._ld("published"), *self._metas("published")]
            stated = (first_date(value, self._american) for value in values)
            shown, later = lines.pop(), next(filter(None, stated), "")[:10]
            changed = {value[:10] for _, value in self.candidates("modified")}
            days = (date.fromisoformat(later) - date.fromisoformat(shown)).days if later else 0
            if shown not in changed and (days > 0 or days == -1):
                yield shown

    def _visible_dates(self, field: str) -> Iterator[str]:
        """Yield dates near the title: of ``<time>``, then of texts, then of the URL."""
        dom = self._dom
        for node in dom.find_tag("time").tolist():
            if self._start <= node < self._stop:
                around = [dom.get(k, "class") or "" for k in (node, *dom.ancestors(node)[:2])]
                names = " ".join([*around, dom.get(node, "itemprop") or ""])
                if not _UPDATED.search(names):
                    yield dom.get(node, "datetime") or ""
                    yield " ".join(dom.text_of(node).split())
        yield from self._dates_in_lines
        match = re.search(r"/(\d{4})[/-](\d\d?)[/-](\d\d?)(?!\d)", self._url.path)
        yield "-".join(match.groups()) if match else ""

    @cached_property
    def _dates_in_lines(self) -> list[str]:
        """The dates in the short lines near the title, the nearest first."""
        dates: list[tuple[float, str]] = []
        for distance, text, _ in self._lines:
            if stated := first_date(text, self._american):
                dates.append((distance + 60.0 * bool(_UPDATED.search(text)), stated))
        return [value for _, value in sorted(dates)]

    # Cleaning.

    def _cleaned(self, field: str, value: str) -> str:
        """Return a value in the form of its field, empty if there is no valid one."""
        text = _CONTROL.sub(" ", " ".join(value.split()))
        if field in ("published", "modified"):
            return first_date(text, self._american)
        if field == "author":
            return self._name(text)
        if field in ("image", "canonical"):
            return absolute(self._page, text)
        if field == "language":
            return text.replace("_", "-") if re.fullmatch(r"[A-Za-z]{2,3}([_-]\w{2,8})*", text) else ""
        return text[: 200 if field in ("tags", "site_name", "licence") else 5000].strip()

    def _name(self, text: str) -> str:
        """Return a name, empty for other texts."""
        name = _BY.sub("", unescape(text), count=1)
        name = _AFTER_NAME.split(name.strip(), maxsplit=1)[0]
        if (dated := before_date(name)) != name:
            name = _DAY.sub("", dated)
        name = name.strip(" ,|•·-–—:")
        if not 1 < len(name) <= _LONGEST_NAME or _NO_NAME.search(name) or _YEAR.search(name):
            return ""
        return name if any(letter.isalpha() for letter in name) else ""


_SOURCES: dict[str, tuple[Callable[[Facts, str], Iterator[str]], ...]] = {
    "author": (Facts._ld, Facts._microdata, Facts._first_post, Facts._visible_authors, Facts._metas),
    "published": (
        Facts._only_date, Facts._ld, Facts._metas, Facts._first_post, Facts._visible_dates, Facts._microdata,
        Facts._far_date, Facts._change,
    ),
    "modified": (Facts._ld, Facts._metas, Facts._microdata),
    "description": (Facts._metas, Facts._ld),
    "language": (Facts._root, Facts._metas, Facts._ld),
    "image": (Facts._metas, Facts._ld),
    "canonical": (Facts._linked, Facts._metas),
    "site_name": (Facts._metas, Facts._ld),
    "tags": (Facts._metas, Facts._linked, Facts._ld),
    "licence": (Facts._linked, Facts._metas, Facts._ld),
}  # fmt: skip
"""The sources of each field, best first."""


def _ld_nodes(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the nodes of JSON-LD, also those inside others."""
    nodes: list[dict[str, Any]] = []
    for value in values:
        waiting: list[tuple[str, Any]] = [("", value)]
        while waiting and len(nodes) < _MOST_NODES:
            key, value = waiting.pop()
            if isinstance(value, dict):
                nodes.append({**value, "@nested": key})
                waiting += [(k, v) for k, v in reversed(value.items()) if isinstance(v, dict | list)]
            elif isinstance(value, list):
                waiting += [(key, item) for item in reversed(value)]
    described = ("headline", "datePublished", "uploadDate", "dateCreated", "articleBody", "mainEntityOfPage")
    return [node for node in nodes if node.get("@id") or any(key in node for key in described)]


def _is_organisation(node: dict[str, Any]) -> bool:
    return "organi" in str(node.get("@type", "")).lower()


def _text(value: Any, keys: tuple[str, ...] = ("name", "@value", "url")) -> str:
    """Return a value of JSON-LD as text; keys: the properties of a node that count, best first."""
    if isinstance(value, dict):
        value = next((value[key] for key in keys if value.get(key)), "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value) if isinstance(value, str | int | float) else ""
