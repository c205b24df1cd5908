"""What a page states about itself in its markup: ``meta`` elements, JSON-LD, microdata and relations.

Each is read once for a page. What a value states, such as the words of a relation, is read once for each new
value of the process.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import numpy as np

from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.attributepass import meta_values
from webgrain.page.strings import name_set
from webgrain.page.tagtables import NameTable
from webgrain.page.values import Question

_OF_META = ("property", "name", "itemprop", "http-equiv", "content", "value")
"""The names of a ``meta`` element, the best first, and its content; "value" is a common mistake."""
_COLUMN_OF_META = NameTable(lambda name: _OF_META.index(name) + 1 if name in _OF_META else 0, np.uint8)
_IS_JSON_LD = Question(lambda value: "ld+json" in value.lower(), bool)
_COLLAPSED = Question(lambda value: " ".join(value.split()))
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
    names, texts = values.answers(_LOWERED, named).tolist(), values.answers(_COLLAPSED, stated).tolist()
    contents: dict[str, list[str]] = {}
    for name, text in zip(names, texts, strict=True):
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


@cached_on_page
def _json_ld_nodes(dom: Dom) -> list[int]:
    """Return the JSON-LD scripts of a page."""
    attributes, nodes = dom.find_attribute("type")
    chosen = dom.tag[nodes] == dom.tag_number("script")
    attributes, nodes = attributes[chosen], nodes[chosen]
    scripts: list[int] = nodes[dom.ask(_IS_JSON_LD, attributes)].tolist()
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
    return [_json_value(text) for text in json_ld_texts(dom)]


def _json_value(text: str) -> Any:
    r"""Return the value of a JSON text, also of one with usual mistakes; None for a text that is no JSON.

    Mistakes: line ends in strings, a comment or CDATA around the text, comments in it, commas before a
    closing bracket, semicolons behind it, wrong escapes, entities in place of quotes, several values.

    >>> _json_value('// <![CDATA[ \n {"name": "a, ] b",}; // ]]>')
    {'name': 'a, ] b'}
    >>> _json_value("{&quot;a&quot;: 1} {&quot;b&quot;: 2}"), _json_value("a")
    ([{'a': 1}, {'b': 2}], None)
    """
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";")
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _repaired_json(text)


_AROUND = re.compile(r"^[\s/*]*<!\[CDATA\[|\]\]>[\s/*]*$|^\s*<!--|-->\s*$")
_IN_JSON = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\Z)'  # a string
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
