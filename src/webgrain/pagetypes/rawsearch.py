"""Key paths looked for in the bytes of a page, without its tree (KeyClus, section 3.3).

On many sites an id or class of a key path, on one tag, stands on the very pages that have the path: its
*mark*. A page with the mark has the path, and a page without one of the ids and classes of a path does not
have the path. That can be seen in the markup. `first_sign` answers only where both are plain, and otherwise
says that the page must be parsed:

- a mark counts in a start tag that is written plainly: not in a comment, nor in an element whose content is
  no markup or may not be read (`OPAQUE`), nor in a tag with the attribute twice or with ``<`` in a value;
- an id or class is missing where its bytes are in no attribute of that name; numeric character references in
  ids and classes, null bytes and escapes (ISO-2022-JP) leave it open.

What can still fool it: a page of another site, or a new kind of page, that has the mark by chance (the tree
would show that other paths are missing); a start tag that the parser drops, such as a ``tr`` outside a table;
a quoted value with whole elements in it, the mark on the second; ids with white space inside, and values
written with named character references.

Cost: a few searches in the bytes; the tree of a page costs several times as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from webgrain.arrays import Bool
from webgrain.page.page import Limits
from webgrain.page.paths import Step
from webgrain.pagetypes.pathcounts import SiteStatistics
from webgrain.pagetypes.sitepaths import SitePaths

OPAQUE = re.compile(
    rb"<(/?)(script|style|textarea|title|xmp|iframe|noembed|noframes|noscript|template|select|svg|math|plaintext"
    rb"|frameset)\b",
    re.IGNORECASE,
)
"""Tags of elements in which a start tag may be text, or be dropped."""

MAX_PLACES = 64
"""Places where the bytes of a value are looked at; a page with more is parsed."""

MAX_MARKS = 64
"""Marks that are tried for the key paths of a site: bits of a number."""

_SPACE = b" \t\n\r\f"
_BEFORE, _AFTER = _SPACE + b"\"'=", _SPACE + b"\"'>"
_ATTRIBUTE = re.compile(rb"[\s\"'/](class|id)\s*=\s*\Z", re.IGNORECASE)
_REFERENCE = re.compile(rb"[\s\"'/](?:class|id)\s*=\s*(?:\"[^\"&]*&|'[^'&]*&|[^\s\"'>&]*&)", re.IGNORECASE)
_NAMED = rb"[^\s<>/\"'=]+"
_TAG = re.compile(
    rb"<([a-zA-Z][^\s<>/\"'=]*)((?:\s+" + _NAMED + rb"(?:=(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=`]+))?)*)"
    rb"\s+((?i:class|id))=(?:\"[^\"<>]*|'[^'<>]*|)"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """What is seen of a key path in the bytes of a page.

    Attributes:
        values: the ids and classes of its steps; without one of them the path is not there.
        mark: a tag with one id or class that stands where the path does; None: there is none.
    """

    values: tuple[str, ...] = ()
    mark: Step | None = None


def first_sign(body: bytes, signs: Sequence[Sign]) -> int | None:
    """Return the number of the first sign that is on a page; None where its bytes do not tell.

    >>> signs = [Sign(("post",), Step("p", "", ("post",))), Sign(("item",), Step("p", "", ("item",)))]
    >>> first_sign(b"<p class='big item'>A lamp", signs)
    1
    >>> first_sign(b"<!-- <p class=post> --><p class=item>A lamp", signs), first_sign(b"<p>A lamp", signs)
    (None, None)
    """
    last = max((number for number, sign in enumerate(signs) if sign.mark), default=-1)
    if last < 0 or len(body) > Limits().bytes or b"\0" in body or b"\x1b" in body:
        return None
    for number, sign in enumerate(signs[: last + 1]):
        if sign.mark is not None and _marked(body, sign.mark):
            return None if number and b"&#" in body and _REFERENCE.search(body) else number
        if not any(_missing(body, value) for value in sign.values):
            return None
    return None


def find_signs(statistics: SiteStatistics, site: SitePaths, chosen: Sequence[int]) -> tuple[Sign, ...]:
    """Return the sign of each key path; its mark is the last value that stands on the pages of the path."""
    described = [site.describe(path) for path in chosen]
    tried = list(dict.fromkeys(mark for path in described for mark in _marks(path.steps)))[:MAX_MARKS]
    on_page = _pages_with(statistics, tried)
    signs = []
    for path, has in zip(described, site.presence(chosen).T, strict=True):
        own = set(_marks(path.steps))
        good = [mark for k, mark in enumerate(tried) if mark in own and np.array_equal(on_page[:, k], has)]
        last = {mark: k for k, mark in enumerate(_marks(path.steps))}
        values = [value for step in path.steps for value in (step.id, *step.classes) if _plain(value)]
        signs.append(Sign(tuple(dict.fromkeys(values)), max(good, key=last.__getitem__, default=None)))
    return tuple(signs)


def _marks(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield a step for each id and class, with nothing else, from the root downwards."""
    for step in steps:
        if _plain(step.id):
            yield Step(step.tag, step.id)
        yield from (Step(step.tag, "", (name,)) for name in step.classes if _plain(name))


def _plain(value: str) -> bool:
    """Tell whether a value is written with the same bytes in all charsets that pages have."""
    return value.isascii() and value.isprintable() and not set(value) & set("\"'<>=&`\\~") and value != ""


def _pages_with(statistics: SiteStatistics, marks: Sequence[Step]) -> Bool:
    """Return which marks (c,) stand on which pages (p, c)."""
    bit = {(mark.tag, mark.id, *mark.classes): 1 << k for k, mark in enumerate(marks)}
    bits = np.zeros(len(statistics.vocabulary.steps), np.uint64)
    for number, step in enumerate(statistics.vocabulary.steps):
        own_id = bit.get((step.tag, step.id), 0)
        bits[number] = own_id + sum(bit.get((step.tag, "", name), 0) for name in step.classes)
    own = [np.bitwise_or.reduce(bits[record.step]) for record in statistics.records]
    shifted = np.array(own, np.uint64)[:, None] >> np.arange(len(marks), dtype=np.uint64)
    return (shifted & np.uint64(1)).astype(bool)


def _missing(body: bytes, value: str) -> bool:
    """Tell whether an id or class is certainly not on a page."""
    places = list(_places(body, value.encode()))
    return len(places) < MAX_PLACES and not any(_attribute(body, at) for at in places)


def _marked(body: bytes, mark: Step) -> bool:
    """Tell whether a mark is certainly on a page."""
    name, value = (b"id", mark.id) if mark.id else (b"class", mark.classes[0])
    return any(
        _attribute(body, at) == name and _in_tag(body, at, mark.tag.encode(), name)
        for at in _places(body, value.encode())
    )


def _places(body: bytes, value: bytes) -> Iterator[int]:
    """Yield where the bytes of a value stand by themselves."""
    at, seen = body.find(value), 0
    while at >= 0 and seen < MAX_PLACES:
        end = at + len(value)
        if body[at - 1 : at] in _BEFORE and body[end : end + 1] in _AFTER:
            seen += 1
            yield at
        at = body.find(value, at + 1)


def _attribute(body: bytes, at: int) -> bytes:
    """Return the name of the id or class attribute in which a value may stand; none: it stands in no such."""
    for start in (at, body.rfind(b'"', 0, at), body.rfind(b"'", 0, at)):
        found = _ATTRIBUTE.search(body, max(0, start - 32), max(0, start))
        if found:
            return found[1].lower()
    return b""


def _in_tag(body: bytes, at: int, tag: bytes, name: bytes) -> bool:
    """Tell whether a value stands in a start tag with this name, where one is plainly read."""
    start = body.rfind(b"<", 0, at)
    found = _TAG.fullmatch(body, start, at) if start >= 0 else None
    if found is None or found[1].lower() != tag or found[3].lower() != name:
        return False
    if name + b"=" in found[2].lower() or body.find(b">", at) < 0:
        return False
    return _outside(body, start)


def _outside(body: bytes, at: int) -> bool:
    """Tell whether a place is in no tag, comment, or opaque element."""
    comment = body.rfind(b"<!--", 0, at)
    if body.rfind(b">", 0, at) < body.rfind(b"<", 0, at):
        return False
    if comment >= 0 and body.find(b"-->", comment + 2, at) < 0:
        return False
    opened: dict[bytes, bool] = {}
    for close, tag in OPAQUE.findall(body, 0, at):
        opened[tag.lower()] = not close
    return not any(opened.values())
