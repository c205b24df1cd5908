"""Marks of content in labels: what on a page is main content, comment, title, author, date, item or field.

In a file of labels (`webgrain.evaluation.datasets`) a record may contain::

    "kind": "article",
    "content": [{"name": "main", "xpath": ["/html[1]/body[1]/main[1]"]},
                {"name": "author", "xpath": ["/html[1]/body[1]/p[1]"], "span": [3, 13]}, ...],
    "absent": ["date"]

``absent`` names what the annotator looked for without success, so that a missing mark is not taken for a
missing label. Marks contain paths and numbers, but no text of the page, except for dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from webgrain.base.arrays import Bool, Int32
from webgrain.page.addresses import find_xpath
from webgrain.page.dom import Dom
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page
from webgrain.page.text import text_of

MAX_SEGMENTS = 10_000
"""Segments or marks of a page, and paths of each."""

CONTENT = {
    "main": "main content: text, pictures and tables for which a visitor opens the page",
    "aside": "inside of main content, but not a part of it, such as share buttons",
    "comment": "a comment by a reader, or a post of a thread, with its author and date",
    "body": "the text of a comment or post",
    "title": "the title of the page",
    "author": "an author of the page, or of the comment in which it is",
    "date": "the date of publication of the page, or of the comment in which it is",
    "item": "an item of the main list of the page",
    "name": "the name of the thing that the page describes",
    "price": "its price",
    "place": "its place",
    "image": "its main picture",
    "breadcrumb": "the path from the home page to the page",
    "description": "a text that describes the thing",
    "value": "another value, with its label",
}
"""Names of marks of content, with their meaning."""

PAGE_KINDS = ("article", "thread", "product", "list", "documentation", "other")
"""Kinds of pages in labels of content; product: any page about one thing with fields."""


@dataclass(frozen=True, slots=True)
class ContentMark:
    """A mark of content: elements, or a part of the text of an element.

    Attributes:
        name: one of `CONTENT`.
        xpath: paths of the elements.
        span: characters ``first:last`` of the `raw_text` of the elements that are meant; None: all of it.
        attribute: the attribute of the element that has the value; None: its text.
        value: a date in ISO format, year first; None for other marks.
        label, label_span: paths of the elements with the label of a value, and the characters of their text.

    >>> ContentMark("author", ("/html[1]/body[1]/p[1]",), span=(3, 13)).name
    'author'
    """

    name: str
    xpath: tuple[str, ...]
    span: tuple[int, int] | None = None
    attribute: str | None = None
    value: str | None = None
    label: tuple[str, ...] = ()
    label_span: tuple[int, int] | None = None

    def nodes(self, dom: Dom) -> list[int]:
        """Return the nodes of the paths in ``dom``; paths without a node are left out."""
        selected = (find_xpath(dom, path) for path in self.xpath)
        return sorted({node for node in selected if node is not None})

    def text(self, page: Page) -> str:
        """Return the marked text, or the value of the attribute.

        >>> from webgrain.page.parsing import parse
        >>> page = parse("<p>By Ann Lee, May 3")
        >>> ContentMark("author", ("/html[1]/body[1]/p[1]",), span=(3, 10)).text(page)
        'Ann Lee'
        """
        nodes = self.nodes(page.dom)
        if self.attribute is not None:
            return raw_text(page.dom, nodes, self.attribute)
        if self.span is not None:
            return raw_text(page.dom, nodes)[slice(*self.span)]
        return text_of(page, nodes)


def raw_text(dom: Dom, nodes: Iterable[int], attribute: str | None = None) -> str:
    """Return the text of nodes, or the values of an attribute, with normalised white space.

    It does not depend on a rendering, in contrast to the visible text.

    >>> from webgrain.page.parsing import parse
    >>> raw_text(parse("<p>One <i hidden>two</i>").dom, [2])
    'One two'
    """
    texts = (dom.text_of(node) if attribute is None else dom.get(node, attribute) or "" for node in nodes)
    return " ".join(" ".join(texts).split())


# Truth from marks.


def leaves_of(page: Page) -> Int32:
    """Return the nodes (l,) of the visible leaves of a page."""
    return np.flatnonzero(leaf_kinds(page)).astype(np.int32)


def marked_leaves(page: Page, marks: Iterable[ContentMark]) -> Bool:
    """Return which of the leaves (l,) of a page are in one of the marks.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One<p>Two")
    >>> marked_leaves(page, [ContentMark("main", ("/html[1]/body[1]/p[2]",))]).tolist()
    [False, True]
    """
    nodes = [node for mark in marks for node in mark.nodes(page.dom)]
    return leaves_below(leaves_of(page), page.dom, nodes)


def leaves_below(leaf: Int32, dom: Dom, nodes: Iterable[int]) -> Bool:
    """Return which of the leaves (l,), nodes of a page, are one of some nodes or below one of them.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One<p>Two")
    >>> leaves_below(leaves_of(page), page.dom, [3]).tolist()
    [True, False]
    """
    inside = np.zeros(len(leaf), bool)
    for node in nodes:
        inside |= (leaf >= node) & (leaf < dom.end[node])
    return inside


def main_leaves(page: Page, content: Sequence[ContentMark]) -> tuple[Bool, Bool]:
    """Return which leaves (l,) are main content, and which are neither right nor wrong.

    Main content is what is in a mark ``main``, but in no ``aside``. Title, author, date and breadcrumb of the
    page are neutral, wherever they are, if they are most of the text of their elements.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<h1>Title</h1><p>One<b>Share</b>")
    >>> places = {"title": "h1[1]", "main": "p[1]", "aside": "p[1]/b[1]"}
    >>> marks = [ContentMark(name, (f"/html[1]/body[1]/{place}",)) for name, place in places.items()]
    >>> [leaves.tolist() for leaves in main_leaves(page, marks)]
    [[False, True, False], [True, False, False]]
    """
    whole = [mark for mark in content if mark.name not in NEUTRAL or _is_most(page.dom, mark)]
    names = {
        name: marked_leaves(page, [mark for mark in whole if mark.name == name])
        for name in ("main", "aside", *NEUTRAL, "comment")
    }
    neutral = names["title"] | names["author"] | names["date"] | names["breadcrumb"]
    neutral &= ~names["comment"]
    return names["main"] & ~names["aside"] & ~neutral, neutral


def _is_most(dom: Dom, mark: ContentMark) -> bool:
    """Return whether a mark is at least half of the text of its elements."""
    if mark.span is None:
        return True
    first, last = mark.span
    return 2 * (last - first) >= len(raw_text(dom, mark.nodes(dom)))


NEUTRAL = ("title", "author", "date", "breadcrumb")
"""Marks that are neither right nor wrong in the text of a page."""


def main_text(page: Page, content: Sequence[ContentMark]) -> str:
    """Return the text of the main content, without title, author and date.

    >>> from webgrain.page.parsing import parse
    >>> main_text(parse("<p>One<p>Two"), [ContentMark("main", ("/html[1]/body[1]/p[2]",))])
    'Two'
    """
    main, _ = main_leaves(page, content)
    return text_of(page, leaves_of(page)[main].tolist(), separator="\n")


def truths_of(
    page: Page, content: Sequence[ContentMark], absent: Sequence[str], page_kind: str | None
) -> dict[str, Any]:
    """Return what marks of content state about a page, as fields of a record of truths.

    The fields are those of `webgrain.evaluation.extraction.ReferencePage`. A field is missing if it was not
    labelled, and empty if the page does not have it. Authors and dates inside of comments and items are not
    those of the page.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<h1>Title</h1><p>Text")
    >>> places = {"title": "h1[1]", "main": "p[1]"}
    >>> marks = [ContentMark(name, (f"/html[1]/body[1]/{place}",)) for name, place in places.items()]
    >>> truths_of(page, marks, ["author"], "article")
    {'kind': 'article', 'thread': False, 'title': 'Title', 'authors': (), 'text': 'Text', 'posts': ()}
    """
    truths: dict[str, Any] = {"kind": page_kind, "thread": page_kind == "thread"}
    groups = [mark for mark in content if mark.name in ("comment", "item")]
    inner = [node for mark in groups for node in mark.nodes(page.dom)]

    def of_page(name: str) -> list[ContentMark]:
        marks = [mark for mark in content if mark.name == name]
        for mark in marks:
            if not mark.text(page):
                raise ValueError(f"the mark {name} at {mark.xpath[0]:.200} has no text on the page.")
        return [mark for mark in marks if not _is_below(page.dom, mark, inner)]

    titles = of_page("title")
    authors = of_page("author")
    dates = of_page("date")
    if titles or "title" in absent:
        truths["title"] = " ".join(mark.text(page) for mark in titles)
    if authors or "author" in absent:
        truths["authors"] = tuple(mark.text(page) for mark in authors)
    if dates or "date" in absent:
        truths["date"] = dates[0].value if dates else ""
    if any(mark.name == "main" for mark in content):
        truths["text"] = main_text(page, content)
    elif "main" in absent and page_kind != "thread":
        truths["text"] = ""
    if page_kind == "thread" or "text" in truths:
        truths["posts"] = tuple(mark.text(page) for mark in content if mark.name == "body")
    return truths


def _is_below(dom: Dom, mark: ContentMark, tops: Sequence[int]) -> bool:
    return any(top <= node < dom.end[top] for node in mark.nodes(dom) for top in tops)


# Records.


def content_of(record: dict[str, Any]) -> tuple[tuple[ContentMark, ...] | None, tuple[str, ...]]:
    """Return the marks of content of a record of labels, and the names that the page does not have.

    `ValueError` if they are invalid.

    >>> content_of({"content": [{"name": "title", "xpath": "/html[1]"}], "absent": ["author"]})[1]
    ('author',)
    """
    marks, absent = record.get("content"), record.get("absent") or []
    if marks is not None and (not isinstance(marks, list) or len(marks) > MAX_SEGMENTS):
        raise ValueError(f"expected content as a list of at most {MAX_SEGMENTS:,} records.")
    known = isinstance(absent, list) and all(isinstance(name, str) and name in CONTENT for name in absent)
    if not known:
        raise ValueError(f"expected absent as a list of {', '.join(CONTENT)}, got {absent!r:.80}.")
    return None if marks is None else tuple(map(_content_mark, marks)), tuple(absent)


_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


def _content_mark(record: Any) -> ContentMark:
    name = record.get("name") if isinstance(record, dict) else None
    if not isinstance(name, str) or name not in CONTENT:
        names = ", ".join(CONTENT)
        raise ValueError(f"expected a mark of content with one of the names {names}, got {record!r:.80}.")
    xpath = paths_of(record, "xpath")
    if not xpath:
        raise ValueError("expected a mark of content with xpath.")
    value = text_field(record, "value")
    if value is not None and not _DATE.fullmatch(value):
        raise ValueError(f"expected value as a date such as 2014-05-03, 2014-05 or 2014, got {value!r:.80}.")
    return ContentMark(
        name=record["name"],
        xpath=xpath,
        span=_span(record, "span"),
        attribute=text_field(record, "attribute"),
        value=value,
        label=paths_of(record, "label"),
        label_span=_span(record, "label_span"),
    )


def _span(record: dict[str, Any], name: str) -> tuple[int, int] | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(type(place) is int for place in value):
        raise ValueError(f"expected {name} as two numbers, got {value!r:.80}.")
    first, last = value
    if not 0 <= first < last:
        raise ValueError(
            f"expected {name} as the first character and the one after the last, got {value!r:.80}."
        )
    return first, last


def paths_of(record: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return the paths in a field of a record; `ValueError` if they are invalid."""
    value = record.get(name) or []
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in islice(paths, MAX_SEGMENTS)):
        raise ValueError(f"expected {name} as a path or a list of paths, got {value!r:.80}.")
    return tuple(paths[:MAX_SEGMENTS])


def text_field(record: dict[str, Any], name: str) -> str | None:
    """Return the text in a field of a record, None without one; `ValueError` if it is not a text."""
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"expected {name} as a text, got {value!r:.80}.")
    return value


def content_record(mark: ContentMark) -> dict[str, Any]:
    """Return the record of a mark of content, ready for JSON.

    >>> content_record(ContentMark("title", ("/html[1]/body[1]/h1[1]",)))
    {'name': 'title', 'xpath': ['/html[1]/body[1]/h1[1]']}
    """
    record = {
        "name": mark.name,
        "xpath": list(mark.xpath),
        "span": list(mark.span or ()),
        "attribute": mark.attribute,
        "value": mark.value,
        "label": list(mark.label),
        "label_span": list(mark.label_span or ()),
    }
    return {name: value for name, value in record.items() if value}
