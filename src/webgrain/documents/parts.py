"""The document tree: the extracted content of a page as parts, and their plain text.

A part has a kind, the element of the page that contains it, attributes, and children: parts and texts.

==============  ===========================  ===========================================================
kind            children                     attributes
==============  ===========================  ===========================================================
document        sections and blocks
section         a heading and blocks         level
heading         inline                       level: 1..6
paragraph       inline
list            items                        ordered, start
item            blocks
definitions     terms and definitions
term            inline
definition      blocks
table           a caption and rows
row             cells
cell            blocks                       header, colspan, rowspan
code            a text                       language
quote           blocks
figure          images and a caption
caption         inline
comment         blocks and comments          author, date
title, sub      inline                       (parts of a Webstemmer layout)
link            inline                       url; id of a link from or to a footnote
strong, emphasis, deleted, literal, subscript, superscript: inline
ruby            inline: the base text        annotation
image                                        url, alt
embed                                        url, title: a video, a recording, a map or a post
math            a text: the formula          tex or mathml; display
break
==============  ===========================  ===========================================================

``literal`` is code within a line. Blocks are all kinds from heading to comment; the kinds from link to break
are inline, and so are texts. A formula and an image may stand in the place of a block.

`webgrain.documents.content` makes the parts from text blocks that a method has chosen. The depth of a tree is
limited there, so functions of trees may be recursive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from webgrain.page.links import Link
from webgrain.page.strings import name_set

T = TypeVar("T")

BLOCK_KINDS = name_set(
    "heading paragraph list definitions table code quote figure caption title sub comment section document"
)
"""Kinds of blocks that may be at the top of an article."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document.

    Attributes:
        kind: see the table of this module.
        node: the element that contains it, as a node of the DOM.
        children: parts and texts; white space is collapsed in texts, except in code.
        attributes: see the table of this module; only those that are known.
        score: of a block, the probability that it is main content, or the variation of its text between
            pages (DiffScore), 0..1.
    """

    kind: str
    node: int
    children: tuple[Part | str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    score: float = 1.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values of the fields: parts are many, and the usual way looks at each field."""
        return Part, (self.kind, self.node, self.children, self.attributes, self.score)

    @property
    def text(self) -> str:
        r"""The text of the part, see `part_text`."""
        return part_text(self)

    @property
    def parts(self) -> Iterator[Part]:
        """The children that are parts."""
        return (child for child in self.children if isinstance(child, Part))

    def walk(self) -> Iterator[Part]:
        """Yield the part and all parts in it, in document order."""
        waiting: list[Part] = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting += [child for child in reversed(part.children) if isinstance(child, Part)]


class Image(NamedTuple):
    """An image of a document: its address and its alternative text, empty if there is none."""

    url: str
    alt: str


def links_in(parts: Iterable[Part]) -> tuple[Link, ...]:
    """Return the links in parts, in order, without those to footnotes and back.

    >>> links_in([Part("paragraph", 3, (Part("link", 4, ("a",), {"url": "http://example.org/"}),))])
    (Link(url='http://example.org/', text='a'),)
    """
    links = (part for root in parts for part in root.walk() if part.kind == "link")
    return tuple(
        Link(link.attributes["url"], " ".join(link.text.split()))
        for link in links
        if not link.attributes["url"].startswith("#")
    )


def images_in(parts: Iterable[Part]) -> tuple[Image, ...]:
    """Return the images in parts, in order.

    >>> images_in([Part("figure", 3, (Part("image", 4, (), {"url": "http://example.org/a.png"}),))])
    (Image(url='http://example.org/a.png', alt=''),)
    """
    images = (part for root in parts for part in root.walk() if part.kind == "image")
    return tuple(Image(image.attributes["url"], image.attributes.get("alt", "")) for image in images)


# Plain text.

_LINES = name_set("list item definitions definition table")  # children on lines of their own
_APART = name_set("document section quote figure comment cell")  # children with a blank line between them


def part_text(part: Part | str) -> str:
    r"""Return the text of a part: a blank line between blocks, a line for each item and each row of a table.

    Formulas are written as TeX where it is known. Images and ruby annotations have no text.

    >>> part_text(Part("item", 3, (Part("paragraph", 3, ("a ", Part("strong", 4, ("b",)))),)))
    'a b'
    """
    if isinstance(part, str):
        return part
    if part.kind == "row":
        cells = [" ".join(part_text(cell).split()) for cell in part.children]
        while cells and not cells[-1]:
            cells.pop()
        return " | ".join(cells)
    if part.kind == "break":
        return "\n"
    separator = "\n" if part.kind in _LINES else "\n\n" if part.kind in _APART else ""
    texts = map(part_text, part.children)
    return separator.join(filter(None, texts) if separator else texts)


def moved(part: Part, node: int) -> Part:
    """Return a part of another page as if all of it were in one node of this page."""
    children = tuple(moved(child, node) if isinstance(child, Part) else child for child in part.children)
    return Part(part.kind, node, children, part.attributes, part.score)


def sections(blocks: Iterable[Part]) -> tuple[Part, ...]:
    r"""Return blocks with the sections that their headings begin.

    >>> blocks = [Part("heading", 3, ("A",), {"level": 2}), Part("paragraph", 4, ("b",))]
    >>> [(part.kind, part.text) for part in sections(blocks)]
    [('section', 'A\n\nb')]
    """
    blocks = tuple(blocks)
    if all(block.kind != "heading" for block in blocks):
        return blocks
    leveled = list[tuple[Part, int | None]]()
    for block in blocks:
        if block.kind == "heading":
            level = int(block.attributes.get("level", 2))
            leveled.append((Part("section", block.node, (block,), {"level": level}, block.score), level))
        else:
            leveled.append((block, None))
    return nested(leveled)


def nested(parts: Iterable[tuple[Part, int | None]]) -> tuple[Part, ...]:
    """Return parts with their levels as a tree: a part contains those after it of higher levels or of none.

    >>> def item(name): return Part("paragraph", 3, (name,))
    >>> [part.text for part in nested([(item("a"), 0), (item("b"), 1), (item("c"), None), (item("d"), 0)])]
    ['abc', 'd']
    """
    return nested_in(parts, _with_inside)


def _with_inside(part: Part, inside: list[Part]) -> Part:
    """Return a part with more children."""
    return Part(part.kind, part.node, (*part.children, *inside), part.attributes, part.score)


def nested_in(parts: Iterable[tuple[T, int | None]], joined: Callable[[T, list[T]], T]) -> tuple[T, ...]:
    """Return parts with their levels as a tree, see `nested`; joined: returns a part with more children."""
    top = list[T]()
    above = list[tuple[int, T, list[T]]]()  # the open parts: level, part, and what it contains

    def close(level: int) -> None:
        while above and above[-1][0] >= level:
            _, part, inside = above.pop()
            (above[-1][2] if above else top).append(joined(part, inside))

    for part, level in parts:
        if level is None:
            (above[-1][2] if above else top).append(part)
        else:
            close(level)
            above.append((level, part, []))
    close(0)
    return tuple(top)
