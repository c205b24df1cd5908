"""Marks of content as the labelling tool shows them: names and keys, places on the page, texts.

The window shows a mark as a record with the fields of the file, except that its place and that of its label
are parts of the view, as those of segments are (`webgrain.labeling.pages`). Marks of invisible elements, such
as ``<meta>``, have a place without parts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from webgrain.base.errors import ParameterError
from webgrain.io.contentmarks import CONTENT, PAGE_KINDS, ContentMark, content_of, raw_text
from webgrain.labeling.pages import (
    MAX_ROLE,
    PageLabels,
    PageView,
    checked_marks,
    find_node,
    part_paths,
    paths_at,
    place_of,
)

KEYS = {
    "main": "m", "aside": "a", "comment": "c", "body": "b", "title": "e", "author": "u", "date": "d",
    "item": "t", "name": "o", "price": "r", "place": "l", "image": "i", "breadcrumb": "k", "description": "s",
    "value": "v",
}  # fmt: skip
"""Keys of the names of `CONTENT`; F, G, N, P, Q and X have other meanings."""

ABSENT = ("main", "title", "author", "date")
"""Names that the window can declare as not on the page."""

MAX_TEXT = 20_000
"""Most characters of a text that the window shows."""

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?)?)?", re.ASCII)


def choices() -> dict[str, Any]:
    """Return what the window offers: names with key and meaning, kinds of pages, names that can be absent."""
    names = [{"name": name, "key": KEYS[name], "meaning": CONTENT[name]} for name in CONTENT]
    return {"names": names, "kinds": list(PAGE_KINDS), "absent": list(ABSENT)}


def content_marks(view: PageView, labels: PageLabels) -> dict[str, Any]:
    """Return the marks of content, the kind and the absent names of a page for the window.

    >>> from webgrain.labeling.pages import PageLabels, page_view
    >>> from webgrain.page.parsing import parse
    >>> from tests.views import with_lines
    >>> page = parse("<p>One<p>Two")
    >>> view = page_view(with_lines(page))
    >>> title = ContentMark("title", ("/html[1]/body[1]/p[1]",))
    >>> shown = content_marks(view, PageLabels(content=(title,), absent=("date",)))
    >>> shown["marks"][0]["parts"], shown["kind"], shown["absent"]
    ([1], None, ['date'])
    """
    usual = part_paths(view)
    marks = [_shown(view, usual, mark) for mark in labels.content or ()]
    return {"marks": marks, "kind": labels.kind or None, "absent": list(labels.absent)}


def with_content(view: PageView, labels: PageLabels, content: object) -> PageLabels:
    """Return labels with the content that the window sent; raises `ParameterError` if it is invalid.

    A page without marks and absent names counts as not labelled, unless the file has it with an empty list.

    >>> from webgrain.labeling.pages import PageLabels, page_view
    >>> from webgrain.page.parsing import parse
    >>> from tests.views import with_lines
    >>> page = parse("<p>One<p>Two")
    >>> view = page_view(with_lines(page))
    >>> sent = {"marks": [{"name": "main", "parts": [1]}], "kind": "article", "absent": ["date"]}
    >>> labels = with_content(view, PageLabels(), sent)
    >>> labels.content[0].xpath, labels.kind, labels.absent
    (('/html[1]/body[1]/p[1]',), 'article', ('date',))
    """
    if not isinstance(content, dict):
        raise ParameterError(f"Expected content as a record, got {type(content).__name__}.")
    page_kind, absent = content.get("kind"), content.get("absent", [])
    if page_kind is not None and not (isinstance(page_kind, str) and 0 < len(page_kind) <= MAX_ROLE):
        raise ParameterError(f"Expected kind as a text of at most {MAX_ROLE} characters.")
    if not isinstance(absent, list) or not all(isinstance(name, str) for name in absent):
        raise ParameterError("Expected absent as a list of names.")
    usual = part_paths(view)
    records = [_record(usual, mark) for mark in checked_marks(content.get("marks"), "mark")]
    try:
        marks, names = content_of({"content": records, "absent": absent})
    except ValueError as error:
        raise ParameterError(str(error)[:1].upper() + str(error)[1:]) from None
    was_empty = labels.content == () and not labels.absent
    is_labelled = marks or names or was_empty
    return replace(labels, kind=page_kind, content=marks if is_labelled else None, absent=names)


def place_text(view: PageView, place: object) -> str:
    """Return the text in which the spans of a place count, at most `MAX_TEXT` characters.

    place: as in `paths_at`, with the name of an attribute as ``attribute`` if its value is meant. Raises
    `ParameterError` if it is invalid.

    >>> from webgrain.labeling.pages import page_view
    >>> from webgrain.page.parsing import parse
    >>> from tests.views import with_lines
    >>> page = parse("<p>By   Ann<p>Two")
    >>> place_text(page_view(with_lines(page)), {"parts": [1]})
    'By Ann'
    """
    paths = paths_at(part_paths(view), place)
    attribute = place.get("attribute") if isinstance(place, dict) else None
    if attribute is not None and not isinstance(attribute, str):
        raise ParameterError("Expected attribute as a text.")
    dom = view.page.dom
    nodes = {node for node in (find_node(dom, path) for path in paths) if node is not None}
    return raw_text(dom, sorted(nodes), attribute)[:MAX_TEXT]


def is_date(text: str) -> bool:
    """Whether a text is a date in ISO format: a year, a month, a day, or a day with a time.

    >>> [is_date(text) for text in ("2020", "2020-05", "2020-05-03T10:30+02:00", "2020-02-30", "May 3")]
    [True, True, True, False, False]
    """
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text + "0000-01-01"[len(text) :])
    except ValueError:
        return False
    return True


def _shown(view: PageView, usual: list[str], mark: ContentMark) -> dict[str, Any]:
    """Return a mark as the window shows it."""
    return place_of(view, usual, mark.xpath) | {
        "name": mark.name,
        "span": mark.span,
        "attribute": mark.attribute,
        "value": mark.value,
        "label": place_of(view, usual, mark.label) if mark.label else None,
        "label_span": mark.label_span,
    }


def _record(usual: list[str], mark: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a mark that the window sent, for the file."""
    name, value = mark.get("name"), mark.get("value")
    if not isinstance(name, str):
        raise ParameterError("Expected the name of a mark as a text.")
    if name == "date" and isinstance(value, str) and not is_date(value):
        raise ParameterError(f"Expected a date in ISO format, such as 2020-05-03, got {value!r}.")
    record = {field: mark.get(field) for field in ("name", "span", "attribute", "value", "label_span")}
    record["xpath"] = paths_at(usual, mark)
    if mark.get("label") is not None:
        record["label"] = paths_at(usual, mark["label"])
    return record
