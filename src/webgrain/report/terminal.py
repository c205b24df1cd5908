"""Text for a terminal: the segments of a page as a tree, and safe forms of page texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.text import texts_of

if TYPE_CHECKING:
    from webgrain.page.segmentation import Segment

_JOINERS = "\u200c\u200d"  # invisible, but several scripts need them


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One line of an outline.

    Attributes:
        branch: the drawing before it (``│   ├── ``).
        segment: id of the segment; None for a node that only contains others.
        name: the node, as ``html > body > div#main``.
        text: the text of the segment below this node, with the alternative texts of images.
    """

    branch: str
    segment: int | None
    name: str
    text: str = ""


def outline(page: Page, segments: Sequence[Segment], depth: int = 8) -> Iterator[OutlineRow]:
    """Yield a row for the roots of all segments and for the nodes that contain them.

    A node with a single child shares its row, as do adjacent roots of one segment. Segments more than
    ``depth`` levels down are counted only.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.segmentation import segments
    >>> from webgrain.page.segmentation import Segmentation
    >>> page = parse(Source("a", b"<main><p>One<p>Two<p>Three"))  # html, head, body, main, p, text, ...
    >>> labels = np.array([-1, -1, -1, -1, 0, 0, 0, 0, 1, 1], np.int32)
    >>> for row in outline(page, segments(page, Segmentation(labels, "by hand"))):
    ...     print(row)
    OutlineRow(branch='', segment=None, name='html > body > main', text='')
    OutlineRow(branch='├── ', segment=0, name='p × 2', text='One Two')
    OutlineRow(branch='└── ', segment=1, name='p', text='Three')
    """
    owner = {root: segment.id for segment in segments for root in segment.roots}
    drawn: set[int] = set(owner)
    for root in owner:
        drawn.update(page.dom.ancestors(root))
    children: dict[int, list[int]] = {}
    for node in sorted(drawn):
        parent = int(page.dom.parent[node])
        children.setdefault(parent, []).append(node)
    yield from _Outline(page, owner, children, depth).below(-1, "", 0)


@dataclass(frozen=True, slots=True)
class _Outline:
    page: Page
    owner: dict[int, int]
    children: dict[int, list[int]]
    depth: int

    def below(self, node: int, branch: str, level: int) -> Iterator[OutlineRow]:
        groups = [list(group) for _, group in groupby(self.children.get(node, []), self._line)]
        drawn = [group for group in groups if group[0] in self.owner]
        # In one call, since each call reads the whole page.
        texts_of_groups = texts_of(self.page, drawn, alt=True)
        texts = {group[0]: text for group, text in zip(drawn, texts_of_groups, strict=True)}
        for k, group in enumerate(groups):
            if level == 0:
                here, below = branch, branch
            elif k == len(groups) - 1:
                here, below = f"{branch}└── ", f"{branch}    "
            else:
                here, below = f"{branch}├── ", f"{branch}│   "
            if group[0] in texts:
                yield self._leaf(group, here, texts[group[0]])
            else:
                yield from self._rows(group[0], here, below, level)

    def _line(self, node: int) -> tuple[int, int]:
        """Return the key of the row of a node: its segment, or else the node."""
        return (self.owner[node], -1) if node in self.owner else (-1, node)

    def _leaf(self, group: list[int], here: str, text: str) -> OutlineRow:
        """Return the row of adjacent roots of a segment."""
        times = f" × {len(group)}" if len(group) > 1 else ""
        name = node_name(self.page.dom, group[0]) + times
        return OutlineRow(here, self.owner[group[0]], name, plain(text, 500))

    def _rows(self, node: int, here: str, branch: str, level: int) -> Iterator[OutlineRow]:
        dom = self.page.dom
        names = [node_name(dom, node)]
        children = self.children[node]
        while len(children) == 1 and children[0] not in self.owner:
            node = children[0]
            names.append(node_name(dom, node))
            children = self.children[node]
        name = " > ".join(names)
        if level >= self.depth:
            below = range(node, int(dom.end[node]))
            inside = {self.owner[root] for root in below if root in self.owner}
            yield OutlineRow(here, None, name, f"… {count(len(inside), 'segment')}")
            return
        yield OutlineRow(here, None, name)
        yield from self.below(node, branch, level + 1)


def node_name(dom: Dom, node: int) -> str:
    """Return a short name of a node: its tag, id or first class.

    >>> from webgrain.page.parsing import parse_html
    >>> node_name(parse_html(b"<div class='box wide'>"), 3)
    'div.box'
    """
    name = dom.name(node)
    attributes = dom.attributes(node)
    id_ = attributes.get("id", "").strip()
    classes = attributes.get("class", "").split()
    if id_:
        name += f"#{id_}"
    elif classes:
        name += f".{classes[0]}"
    return plain(name, 40)


def count(n: int, thing: str) -> str:
    """Return a number of things in words.

    >>> count(1, "segment"), count(2, "segment")
    ('1 segment', '2 segments')
    """
    return f"{n} {thing}{'' if n == 1 else 's'}"


def plain(text: str, length: int = 1000) -> str:
    r"""Return text of a page on one line, without control, format and unassigned characters.

    >>> plain("a\x1b[31m  red\nb\u202e")
    'a [31m red b'
    """
    line = " ".join(printable(text[: 8 * length]).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def printable(text: str) -> str:
    r"""Return text with a space in place of each control, format or unassigned character.

    >>> printable("  a\x1b[31m")
    '  a [31m'
    """
    return "".join(map(_printable, text))


def _printable(character: str) -> str:
    """Return a character, or a space in place of a control, format or unassigned character."""
    if character in _JOINERS or unicodedata.category(character)[0] != "C":
        return character
    return " "
