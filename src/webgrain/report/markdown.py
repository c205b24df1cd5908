"""Articles as Markdown: CommonMark, with tables as GitHub has them."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from webgrain.report.articles import main_blocks
from webgrain.report.inline import Lines, escaped, fence_of, in_heading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.results import Article, ArticleBlock

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)")
_DIGITS = 6
"""Digits that the number of a list item has at most."""


def markdown(article: Article, page: Page | None = None) -> str:
    r"""Return title and main text as Markdown; page: that it is of, which has links and marks in the lines.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.results import Article, ArticleBlock
    >>> blocks = ("heading", "Why *not*", 0, 2), ("item", "one", 4, 1), ("item", "two", 6, 1)
    >>> parts = [ArticleBlock(kind, text, node, level=level) for kind, text, node, level in blocks]
    >>> page = parse(Source("a", b"<ol><li>one<li><b>two</b>"))
    >>> print(markdown(Article("article", "T", (*parts, ArticleBlock("code", "a\n  b", 0))), page))
    # T
    <BLANKLINE>
    ## Why \*not\*
    <BLANKLINE>
    1. one
    2. **two**
    <BLANKLINE>
    ```
    a
      b
    ```
    <BLANKLINE>
    """
    writer = _Writer(page)
    parts = [f"# {in_heading(article.title)}"] if article.title else []
    for kind, blocks in groupby(main_blocks(article), key=lambda block: block.kind):
        if kind == "item":
            parts.append("\n".join(writer.items(blocks)))
        elif kind == "quote":
            parts.append("\n>\n".join(f"> {writer.line(block)}" for block in blocks))
        else:
            parts += map(writer.block, blocks)
    return "\n\n".join(parts) + "\n"


class _Item(NamedTuple):
    """An item of a list: its element and that of the list, -1 for not known; its depth; its mark."""

    node: int
    of: int
    depth: int
    mark: str


class _Writer:
    """Writes the parts of the article of a page; None: of a page that is not known."""

    def __init__(self, page: Page | None) -> None:
        self._dom = None if page is None else page.dom
        self._lines = None if page is None else Lines(page)
        self._numbers: dict[int, dict[int, int]] = {}

    def line(self, block: ArticleBlock) -> str:
        """Return a part as a line."""
        return self._lines.told(block) if self._lines else escaped(block.text)

    def block(self, block: ArticleBlock) -> str:
        """Return a part that is neither an item nor a quote."""
        if block.kind == "code":
            fence = fence_of(block.text, least=3)
            return f"{fence}{_language(self._dom, block.node)}\n{block.text}\n{fence}"
        if block.kind == "table":
            return "\n".join(_rows(block.text.splitlines()))
        if block.kind == "heading":
            line = self.line(block) if self._lines else in_heading(block.text)
            return f"{'#' * min(max(block.level, 2), 6)} {line}"
        return f"*{self.line(block)}*" if block.kind == "caption" else self.line(block)

    def items(self, blocks: Iterable[ArticleBlock]) -> Iterator[str]:
        """Give the lines of lists: an item stands below the text of that which it is in."""
        above: list[_Item] = []
        for block in blocks:
            one = self._item(block)
            while above and above[-1].depth > one.depth:
                above.pop()
            if above and 0 <= one.node == above[-1].node:  # another paragraph of it
                yield ""
                yield _room(above) + self.line(block)
                continue
            if above and above[-1].depth == one.depth and above.pop().of != one.of and not above:
                yield ""  # another list
            yield f"{_room(above)}{one.mark}{self.line(block)}"
            above.append(one)

    def _item(self, block: ArticleBlock) -> _Item:
        dom, node = self._dom, block.node
        while dom is not None and node >= 0 and dom.name(node) not in ("li", "dt", "dd"):
            node = int(dom.parent[node])
        if dom is None or node < 0:
            return _Item(-1, -1, block.level, "- ")
        of = int(dom.parent[node])
        mark = f"{self._numbered(dom, of).get(node, 1)}. " if dom.name(of) == "ol" else "- "
        return _Item(node, of, block.level + (dom.name(node) == "dd"), mark)

    def _numbered(self, dom: Dom, of: int) -> dict[int, int]:
        """Return the numbers of the items of a list."""
        if of not in self._numbers:
            start = dom.get(of, "start") or ""
            first = int(start) if start.isdecimal() and len(start) <= _DIGITS else 1
            items = [node for node in _children(dom, of) if dom.name(node) == "li"]
            self._numbers[of] = {node: first + k for k, node in enumerate(items)}
        return self._numbers[of]


def _room(above: list[_Item]) -> str:
    return " " * sum(len(item.mark) for item in above)


def _children(dom: Dom, node: int) -> Iterator[int]:
    child = node + 1
    while child < dom.end[node]:
        yield child
        child = int(dom.end[child])


def _language(dom: Dom | None, pre: int) -> str:
    """Return the language of code that its class, or that of what is around or in it, names; else nothing."""
    if dom is None or dom.name(pre) != "pre":
        return ""
    inside = [node for node in _children(dom, pre) if dom.name(node) == "code"][:1]
    classes = (dom.get(node, "class") or "" for node in (*inside, pre, int(dom.parent[pre])))
    return next((found[1] for found in map(_LANGUAGE.search, classes) if found), "")


def _rows(rows: list[str]) -> Iterator[str]:
    """Give the rows of a table, the first one as its head, all of one width."""
    cells = [[escaped(cell).replace("|", "\\|") for cell in row.split(" | ")] for row in rows]
    width = max(map(len, cells), default=0)
    for number, row in enumerate(cells):
        yield f"| {' | '.join([*row, *[''] * (width - len(row))])} |"
        if number == 0:
            yield "|" + "---|" * width
