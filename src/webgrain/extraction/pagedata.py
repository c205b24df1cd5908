"""The text that a page has in its data: JSON-LD, and the JSON from which scripts build the page.

    <script type=application/ld+json> --articleBody--> text
    <script type=application/json>    --longest run of paragraphs, or longest text--> text

A page behind a paywall, or one that scripts build, often has its whole text there and a few lines elsewhere.
The text is used if it is `MORE_DATA` times as long as the main text, has at least `DATA_LENGTH` characters,
and does not end with an ellipsis; the text of scripts only if the main text is shorter than `PLACEHOLDER`.
Lists of other pages, whose items have a title or an address, are no text.

Sources: https://schema.org/articleBody; the forms of JSON are those of frameworks (``__NEXT_DATA__``) and of
editors (paragraphs with ``type`` and ``text``, ``children`` or ``content``). Cost: linear in the JSON; pages
without such scripts cost a lookup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape, unescape
from typing import Any, NamedTuple

from webgrain.documents.content import Content
from webgrain.extraction import thresholds
from webgrain.page.dom import Dom
from webgrain.page.markup import json_ld_scripts, json_ld_texts, json_texts, json_value, nodes_in
from webgrain.page.strings import name_set

IN_JSON_LD = "The text is articleBody of the JSON-LD: the page shows less of it."
IN_SCRIPT = "The text is from the JSON in a script: scripts build the page."
NO_TEXT = "The page has no main text: its scripts may write one."


class DataText(NamedTuple):
    """A text in the data of a page.

    Attributes:
        node: the ``<script>`` element.
        html: the text as HTML.
        note: a sentence that states where the text is from.
    """

    node: int
    html: str
    note: str


def data_text(dom: Dom, main: Content) -> DataText | None:
    """Return the text in the data of a page if it is complete and much longer than the main content.

    >>> from webgrain.page.parsing import parse_html
    >>> data = '{"@type": "NewsArticle", "articleBody": "%s"}' % ("The lamp is lit at dusk. " * 40)
    >>> dom = parse_html(f"<script type=application/ld+json>{data}</script><p>Subscribe!")
    >>> data_text(dom, Content()).html[:27]
    '<p>The lamp is lit at dusk.'
    """
    best, least = None, max(thresholds.DATA_LENGTH, thresholds.MORE_DATA * len(main.text))
    for node, texts, note in _texts_of_scripts(dom, main):
        length, longest = max(((_letters(text), text) for text in texts), default=(0, ""))
        if length >= least and not longest.rstrip().endswith(("…", "...")):
            least = length
            best = DataText(node, _as_html(longest), note)
    return best


def notes_without_text(dom: Dom, shown: int) -> tuple[str, ...]:
    """Return the note about a page without main text and with little other text, if it has scripts.

    Scripts with data do not count. shown: the characters of the title and of the visible text.

    >>> from webgrain.page.parsing import parse_html
    >>> notes_without_text(parse_html("<div id=app></div><script src=app.js></script>"), 0) == (NO_TEXT,)
    True
    >>> notes_without_text(parse_html("<p>"), 0)
    ()
    """
    if shown > thresholds.PLACEHOLDER:
        return ()
    data = {node for node, _ in (*json_texts(dom), *json_ld_scripts(dom))}
    return () if data.issuperset(dom.find_tag("script").tolist()) else (NO_TEXT,)


def _texts_of_scripts(dom: Dom, main: Content) -> Iterator[tuple[int, Iterable[str], str]]:
    """Yield the scripts that may have the text of a page, the texts in each, and the note about it."""
    if "articleBody" in dom.text and any("articleBody" in text for text in json_ld_texts(dom)):
        for node, value in json_ld_scripts(dom):
            yield node, _article_bodies(value), IN_JSON_LD
    if len(main.text) <= thresholds.PLACEHOLDER:
        for node, text in json_texts(dom):
            if len(text) >= thresholds.DATA_LENGTH:
                yield node, _texts(json_value(text)), IN_SCRIPT


_ARTICLE_TYPE = re.compile(r"(?:article|blogposting|report)\b")
_TEXT_KEYS = name_set("text value html content children body data nodes spans paragraph")
_PAGE_KEYS = name_set("title headline slug url href link permalink canonicalurl")
_MARKUP = re.compile(
    r"</?(?:p|br|div|h[1-6]|ul|ol|li|a|em|strong|b|i|span|blockquote|figure|img)\b[^<>]*>", re.IGNORECASE
)
_TAGS = re.compile(r"<[^<>]*>|&lt;[^&<>]*&gt;")
_LONG = 25
"""Characters of a text that may be a paragraph."""
_DEEPEST = 6
"""Levels of values within a paragraph."""


def _letters(text: str) -> int:
    """Return the number of characters of a text without its markup; white space counts once."""
    return len(" ".join(_TAGS.sub(" ", text).split()))


def _walk(value: Any) -> Iterator[Any]:
    """Yield the objects and arrays in a value of JSON, at most `MOST_VALUES`, without lists of pages."""
    waiting, left = [value], thresholds.MOST_VALUES
    while waiting and left:
        value = waiting.pop()
        left -= 1
        if isinstance(value, dict):
            yield value
            waiting += [each for each in value.values() if isinstance(each, dict | list)]
        elif isinstance(value, list) and not _lists_pages(value):
            yield value
            waiting += [each for each in value if isinstance(each, dict | list)]


def _article_bodies(value: Any) -> list[str]:
    """Return the text of the article that JSON-LD describes; nothing if it describes several."""
    articles = [node.values for node in nodes_in([value]) if _ARTICLE_TYPE.search(node.types)]
    texts = [text for values in articles if isinstance(text := values.get("articleBody"), str)]
    return texts if len(set(texts)) == 1 else []


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in the data of scripts: long strings, and arrays of paragraphs."""
    for each in _walk(value):
        if isinstance(each, list):
            paragraphs = [_paragraph(item, _DEEPEST) for item in each]
            yield "\n\n".join(text for text in paragraphs if len(text) >= _LONG)
        else:
            yield from (text for text in each.values() if isinstance(text, str) and _is_prose(text))


def _lists_pages(array: list[Any]) -> bool:
    """Whether most items of an array describe pages: they have a title or an address."""
    return 2 * sum(map(_is_page, array)) > max(len(array), 2)


def _is_page(value: Any) -> bool:
    """Whether a value is an object with a title or an address."""
    return isinstance(value, dict) and not _PAGE_KEYS.isdisjoint(map(str.lower, value))


def _is_prose(text: str) -> bool:
    """Whether a string is a text that a reader sees, and no code or style sheet."""
    return text.count(" ") * 20 > len(text) and text.count("{") * 200 < len(text)


def _paragraph(value: Any, deepest: int) -> str:
    """Return the text of a paragraph of JSON; empty for other values, such as a page in a list of pages."""
    if isinstance(value, str):
        return value if deepest < _DEEPEST or _is_prose(value) else ""
    if not deepest:
        return ""
    if isinstance(value, list):
        return "".join(_paragraph(each, deepest - 1) for each in value)
    if not isinstance(value, dict) or (deepest == _DEEPEST and _is_page(value)):
        return ""
    return "".join(_paragraph(each, deepest - 1) for key, each in value.items() if key.lower() in _TEXT_KEYS)


def _as_html(text: str) -> str:
    """Return a text as HTML; lines are paragraphs, and text with markup is HTML already."""
    if "&lt;" in text and "<" not in text:
        text = unescape(text)
    if _MARKUP.search(text):
        blocks = text.split("\n\n")
        return "".join(block if block.lstrip().startswith("<") else f"<p>{block}" for block in blocks)
    lines = filter(None, map(str.strip, unescape(text).splitlines()))
    return "".join(f"<p>{escape(line, quote=False)}" for line in lines)
