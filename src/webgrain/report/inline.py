"""The lines of an article in Markdown: links, code, strong and emphasised words, as the page has them.

An article holds texts alone. Each is found again among the layout blocks of its page, by its element and its
words, and written in runs of what these stand in. A text that is not found word for word (of a page
within a ``<noscript>``) is written without.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.articleblocks import PERMALINKS
from webgrain.page.blocks import layout_blocks
from webgrain.page.leaves import shown
from webgrain.page.links import absolute
from webgrain.page.text import INLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.page.page import Page
    from webgrain.results import ArticleBlock

_SPECIAL = re.compile(r"[\\`*\[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"^(\d*)([.)](?=\s|$)|#{1,6}(?=\s|$)|[-+](?=\s|$)|={2,}|-{2,}|~{3,}|\||>)")
_AT_END = re.compile(r"(?:(?<=\s)|^)(#+)$")
_IN_ADDRESS = re.compile(r"[\s()<>\\]")
_STYLES = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em"), "em"),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "code"),
}


class Marks(NamedTuple):
    """What words stand in: the address of a link, code, strong and emphasised words."""

    href: str = ""
    code: bool = False
    strong: bool = False
    em: bool = False


Runs = list[tuple[str, Marks]]


def escaped(text: str) -> str:
    r"""Text with what Markdown would take for its own marks escaped.

    >>> print(escaped("1. *not* a list, some_name, 1 < 2 &amp;"))
    1\. \*not\* a list, some_name, 1 < 2 \&amp;
    """
    return at_start(_within(" ".join(text.split())))


def in_heading(text: str) -> str:
    r"""Text of a heading, escaped: no block begins there, but it may end with what Markdown drops.

    >>> print(in_heading("2. *Why* C #"))
    2. \*Why\* C \#
    """
    return _AT_END.sub(r"\\\1", _within(" ".join(text.split())))


def at_start(line: str) -> str:
    """Return a line whose beginning is not taken for a mark of a block."""
    return _AT_START.sub(r"\1\\\2", line)


def _within(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


class Lines:
    """The lines of a page, found by the parts of its article."""

    def __init__(self, page: Page) -> None:
        self._page, self._blocks = page, layout_blocks(page)
        self._is_text, self._shown = page.dom.is_text, shown(page)
        self._at: dict[tuple[int, str], int] = {}
        for i, node in enumerate(self._blocks.element[self._blocks.holder].tolist()):
            text = self._blocks.texts[i]
            for told in (text, text[:-1].rstrip() if text[-1:] in PERMALINKS else text):
                self._at.setdefault((node, told), i)

    def told(self, block: ArticleBlock) -> str:
        """Return the text of a part as a line; in headings and captions nothing is strong or emphasised.

        >>> from webgrain.page.page import Source
        >>> from webgrain.page.parse import parse
        >>> from webgrain.results import ArticleBlock
        >>> html = b"<p>See <a href='http://a.org/b c'>this <b>page</b></a>, <code>x_</code>"
        >>> page = parse(Source("a", html))
        >>> print(Lines(page).told(ArticleBlock("paragraph", "See this page, x_", 3)))
        See [this **page**](http://a.org/b%20c), `x_`
        """
        i = self._at.get((block.node, block.text))
        runs = [] if i is None else self._texts(i, len(block.text))
        if "".join(text for text, _ in runs) != block.text:
            return in_heading(block.text) if block.kind == "heading" else escaped(block.text)
        line = written(_plainer(runs, block.kind))
        return _AT_END.sub(r"\\\1", line) if block.kind == "heading" else at_start(line)

    def _texts(self, i: int, room: int) -> Runs:
        """Return the texts of a layout block with what they stand in, as many letters; none if in nothing."""
        dom, found, behind_space = self._page.dom, Runs(), True
        nodes = np.arange(self._blocks.first[i], self._blocks.last[i] + 1)
        nodes = nodes[self._is_text[nodes] & self._shown[dom.parent[nodes]]]
        marked = [(node, self._marks(int(dom.parent[node]))) for node in nodes.tolist()]
        for node, marks in marked if any(any(marks) for _, marks in marked) else ():
            text = _collapsed(dom.text_of(node), behind_space)[:room]
            if text:
                found.append((text, marks))
                room, behind_space = room - len(text), text.endswith(" ")
        return found

    def _marks(self, node: int) -> Marks:
        """Return what an element and those around it in the line make of a text."""
        dom, href, styles = self._page.dom, "", set[str]()
        while (name := dom.name(node)) in INLINE and node > 0:
            own = dom.get(node, "href") or "" if name == "a" else ""
            if own and not own.startswith("#"):
                href = href or absolute(self._page, own)
            styles.add(_STYLES.get(name, ""))
            node = int(dom.parent[node])
        return Marks(href, *(style in styles for style in Marks._fields[1:]))


def _collapsed(text: str, behind_space: bool) -> str:
    """Return a text with its white space collapsed; behind_space: so that none is left at its beginning."""
    before, after = text[:1].isspace() and not behind_space, text[-1:].isspace()
    words = " ".join(text.split())
    return f"{' ' * before}{words}{' ' * after}" if words else " " * before


def _plainer(runs: Runs, kind: str) -> Runs:
    if kind not in ("heading", "caption"):
        return runs
    return [(text, marks._replace(strong=False, em=False)) for text, marks in runs]


def written(runs: Runs) -> str:
    """Return texts as Markdown, with what they stand in."""
    line = ""
    for href, of_link in groupby(runs, key=lambda told: told[1].href):
        text = "".join(_styled(list(of_link), line[-1:]))
        core = text.strip(" ")
        if href and core:
            before, _, after = text.partition(core)
            line = line[:-1] + "\\!" if line[-1:] == "!" and not before else line
            address = _IN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", href)
            text = f"{before}[{core}]({address}){after}"
        line += text
    return line


def _styled(texts: Runs, before: str) -> Iterator[str]:
    """Yield the runs of the same style; before: the letter before them.

    A run is strong or emphasised only where its marks would be taken for such (CommonMark, 6.2): not between
    a letter and a sign, nor beside another mark.
    """
    runs = [("".join(a for a, _ in run), marks) for marks, run in groupby(texts, key=lambda told: told[1])]
    for k, (text, marks) in enumerate(runs):
        core = text.strip(" ")
        left, right = text[: len(text) - len(text.lstrip(" "))], text[len(text.rstrip(" ")) :]
        if core:
            said = _code(core) if marks.code and (left or before != "`") else _within(core)
            star = "**" * marks.strong + "*" * marks.em
            behind = right or (runs[k + 1][0][0] if k + 1 < len(runs) else "")
            if star and _opens(left or before, said[0]) and _opens(behind, said[-1]):
                said = f"{star}{said}{star}"
            text = f"{left}{said}{right}"
        yield text
        before = text[-1:] or before


def _opens(outside: str, inside: str) -> bool:
    """Whether a mark between two letters is taken for one."""
    return outside[-1:] in ("", " ") or (outside[-1] != "*" and inside.isalnum())


def fence_of(text: str, least: int = 1) -> str:
    """Return more backticks than stand in a row in code; least: as many at the least.

    >>> fence_of("a `` b"), fence_of("x", least=3)
    ('```', '```')
    """
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def _code(text: str) -> str:
    fence = fence_of(text)
    room = " " * (text[0] == "`" or text[-1] == "`")
    return f"{fence}{room}{text}{room}{fence}"
