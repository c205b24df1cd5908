"""Articles as records, and as lines of text.

The lines of an article in Markdown: links, code, strong and emphasised words, as the page has them.

An article holds texts alone. Each is found again among the layout blocks of its page, by its element and its
words, and written in runs of what these stand in. A text that is not found word for word (of a page
within a ``<noscript>``) is written without.

Articles as Markdown: CommonMark, with tables as GitHub has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from webgrain.articleparts import PERMALINKS
from webgrain.page import addresses as address
from webgrain.page.blocks import layout_blocks
from webgrain.page.dom import Dom
from webgrain.page.leaves import shown
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.text import INLINE
from webgrain.results import Article, ArticleBlock

_LABELS = {"title": "TITLE", "comment": "COMMENT", "sub": "SUB", "code": "CODE"}


def article_record(page: Page, article: Article) -> dict[str, Any]:
    """Return what a page says with the fields of ``webgrain extract``, ready for JSON.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Article, ArticleBlock
    >>> page = parse(Source("a.html", b"<p>Text"))
    >>> record = article_record(page, Article("article", "", (ArticleBlock("paragraph", "Text", 3),)))
    >>> record["text"], record["blocks"][0]["xpath"]
    ('Text', '/html[1]/body[1]/p[1]')
    """
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "verdict": article.verdict,
        "title": article.title,
        "text": article.text,
        "code": list(article.code),
        "comments": list(article.comments),
        "sub": list(article.sub),
        "blocks": list(_block_records(page, article.blocks)),
        "layout": article.layout,
        "confidence": article.confidence,
        "evidence": article.evidence,
    }


def _block_records(page: Page, blocks: Sequence[ArticleBlock]) -> Iterator[dict[str, Any]]:
    nodes = [block.node for block in blocks]
    xpaths, css = address.xpaths(page.dom, nodes), address.css_paths(page.dom, nodes)
    for block, path, selector in zip(blocks, xpaths, css, strict=True):
        yield {
            "kind": block.kind,
            "text": block.text,
            "xpath": path,
            "css": selector,
            "score": block.score,
            "level": block.level,
        }


def page_text(page: Page) -> str:
    """Return all that can be read on a page, one block a line.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> print(page_text(parse(Source("a.html", b"<title>T</title><p>One <b>two</b><p>three"))))
    One two
    three
    <BLANKLINE>
    """
    blocks = layout_blocks(page)
    titled = np.array([tag == "title" for tag in page.dom.tags])[page.dom.tag[blocks.element]]
    lines = [
        text for text, holder in zip(blocks.texts, blocks.holder.tolist(), strict=True) if not titled[holder]
    ]
    return "".join(f"{line}\n" for line in lines)


def article_lines(page: Page, article: Article) -> str:
    """Return what a page says as lines: ``TITLE:``, ``MAIN-1:``, ``SUB-2:``, with the numbers of blocks.

    An index begins with ``!INDEX:``, a page of no known layout with ``!UNMATCHED:``.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Article, ArticleBlock
    >>> block = ArticleBlock("paragraph", "Text", 3)
    >>> print(article_lines(parse(Source("a.html", b"<p>Text")), Article("article", "T", (block,), "1")))
    !MATCHED: a.html
    PATTERN: 1
    MAIN-0: Text
    <BLANKLINE>
    """
    mark = {"article": "MATCHED", "index": "INDEX"}.get(article.verdict, "UNMATCHED")
    lines = [f"!{mark}: {_line(page.id)}"]
    lines += [f"PATTERN: {_line(article.layout)}"] if article.layout else []
    for number, block in enumerate(article.blocks):
        label = _LABELS.get(block.kind, "MAIN")
        start = label if label == "TITLE" else f"{label}-{number}"
        whole = block.text.splitlines() if block.kind in ("code", "table") else [_line(block.text)]
        lines += [f"{start}: {line}" for line in whole]
    return "\n".join([*lines, ""])


def _line(text: str) -> str:
    return " ".join(text.split())


def article_text(article: Article) -> str:
    """Return title and main text as plain text, a blank line between their parts; code is one of them.

    >>> from webgrain.results import Article, ArticleBlock
    >>> blocks = ArticleBlock("paragraph", "Text", 3), ArticleBlock("code", "x = 1", 4)
    >>> print(article_text(Article("article", "T", blocks)))
    T
    <BLANKLINE>
    Text
    <BLANKLINE>
    x = 1
    <BLANKLINE>
    """
    parts = [article.title, *(block.text for block in main_blocks(article))]
    return "\n\n".join(filter(None, parts)) + "\n"


def main_blocks(article: Article) -> Iterator[ArticleBlock]:
    """Yield the parts of the main text, code among them."""
    return (block for block in article.blocks if block.kind not in ("title", "comment", "sub"))


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
        >>> from webgrain.page.parsing import parse
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


_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)")
_DIGITS = 6
"""Digits that the number of a list item has at most."""


def markdown(article: Article, page: Page | None = None) -> str:
    r"""Return title and main text as Markdown; page: that it is of, which has links and marks in the lines.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
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
