"""Articles as Markdown, plain text, records, and the lines of Webstemmer.

Markdown is CommonMark, with tables as on GitHub. An article contains texts only. Each text is searched among
the layout blocks of its page, by its element and its characters, and written in runs with the same markup:
links, code, strong and emphasised words. A text that is not found character by character (of a page within a
``<noscript>``) is written without markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from webgrain.articleparts import PERMALINKS
from webgrain.page.addresses import css_paths, xpaths
from webgrain.page.dom import Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.text import INLINE, text_blocks
from webgrain.results import Article, ArticleBlock

_LABELS = {"title": "TITLE", "comment": "COMMENT", "sub": "SUB", "code": "CODE"}


def article_record(page: Page, article: Article) -> dict[str, Any]:
    """Return an article with the fields of ``webgrain extract``, ready for JSON.

    >>> from webgrain.page.parsing import parse
    >>> block = ArticleBlock("paragraph", "Text", 3)
    >>> record = article_record(parse("<p>Text"), Article("article", "", (block,)))
    >>> record["text"], record["blocks"][0]["xpath"]
    ('Text', '/html[1]/body[1]/p[1]')
    """
    nodes, blocks = [block.node for block in article.blocks], []
    places = zip(article.blocks, xpaths(page.dom, nodes), css_paths(page.dom, nodes), strict=True)
    for block, xpath, css in places:
        record = {"kind": block.kind, "text": block.text, "xpath": xpath, "css": css}
        blocks.append(record | {"score": block.score, "level": block.level})
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
        "blocks": blocks,
        "layout": article.layout,
        "confidence": article.confidence,
        "evidence": article.evidence,
    }


def page_text(page: Page) -> str:
    """Return all visible text of a page, one block per line.

    >>> from webgrain.page.parsing import parse
    >>> print(page_text(parse("<title>T</title><p>One <b>two</b><p>three")))
    One two
    three
    <BLANKLINE>
    """
    blocks, dom = text_blocks(page), page.dom
    tags = dom.tag[blocks.element[blocks.holder]].tolist()
    lines = (text for text, tag in zip(blocks.texts, tags, strict=True) if dom.tags[tag] != "title")
    return "".join(f"{line}\n" for line in lines)


def article_lines(page: Page, article: Article) -> str:
    """Return an article as the lines of Webstemmer: ``TITLE:``, ``MAIN-1:``, ``SUB-2:``, with block numbers.

    An index begins with ``!INDEX:``, a page of no known layout with ``!UNMATCHED:``.

    >>> from webgrain.page.parsing import parse
    >>> block = ArticleBlock("paragraph", "Text", 3)
    >>> print(article_lines(parse("<p>Text"), Article("article", "T", (block,), "1")))
    !MATCHED: page
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
    r"""Return title, main text and code as plain text, with a blank line between the parts.

    >>> blocks = ArticleBlock("paragraph", "Text", 3), ArticleBlock("code", "x = 1", 4)
    >>> article_text(Article("article", "T", blocks))
    'T\n\nText\n\nx = 1\n'
    """
    parts = [article.title, *(block.text for block in _main_blocks(article))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _main_blocks(article: Article) -> Iterator[ArticleBlock]:
    return (block for block in article.blocks if block.kind not in ("title", "comment", "sub"))


def markdown(article: Article, page: Page | None = None) -> str:
    r"""Return title and main text as Markdown; page: the page of the article, for links and other markup.

    >>> from webgrain.page.parsing import parse
    >>> blocks = ("heading", "Why *not*", 0, 2), ("item", "one", 4, 1), ("item", "two", 6, 1)
    >>> parts = [ArticleBlock(kind, text, node, level=level) for kind, text, node, level in blocks]
    >>> page = parse("<ol><li>one<li><b>two</b>")
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
    parts = [f"# {_heading(article.title)}"] if article.title else []
    for kind, blocks in groupby(_main_blocks(article), key=lambda block: block.kind):
        if kind == "item":
            parts.append("\n".join(writer.items(blocks)))
        elif kind == "quote":
            parts.append("\n>\n".join(f"> {writer.line(block)}" for block in blocks))
        else:
            parts += map(writer.block, blocks)
    return "\n\n".join(parts) + "\n"


# Characters with a meaning in Markdown.

_SPECIAL = re.compile(r"[\\`*\[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"^(\d*)([.)](?=\s|$)|#{1,6}(?=\s|$)|[-+](?=\s|$)|={2,}|-{2,}|~{3,}|\||>)")
_AT_END = re.compile(r"(?:(?<=\s)|^)(#+)$")
_IN_ADDRESS = re.compile(r"[\s()<>\\]")


def _escaped(text: str) -> str:
    r"""Return a line of text with the characters escaped that would be markup.

    >>> print(_escaped("1. *not* a list, some_name, 1 < 2 &amp;"))
    1\. \*not\* a list, some_name, 1 < 2 \&amp;
    """
    return _at_start(_within(_line(text)))


def _heading(text: str) -> str:
    r"""Return the text of a heading, escaped: no block begins there, but Markdown drops # at its end.

    >>> print(_heading("2. *Why* C #"))
    2. \*Why\* C \#
    """
    return _AT_END.sub(r"\\\1", _within(_line(text)))


def _at_start(line: str) -> str:
    return _AT_START.sub(r"\1\\\2", line)


def _within(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _fence(text: str, least: int) -> str:
    """Return more backticks than are consecutive in a text, ``least`` at least.

    >>> _fence("a `` b", 1), _fence("x", 3)
    ('```', '```')
    """
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


# Runs of text with the same markup.


class _Marks(NamedTuple):
    """The markup of a run: the address of a link, code, strong and emphasised words."""

    href: str = ""
    code: bool = False
    strong: bool = False
    em: bool = False


_Runs = list[tuple[str, _Marks]]
_STYLES = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em"), "em"),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "code"),
}


def _written(runs: _Runs) -> str:
    """Return runs as Markdown."""
    line = ""
    for href, of_link in groupby(runs, key=lambda run: run[1].href):
        text = "".join(_styled(list(of_link), line[-1:]))
        core = text.strip(" ")
        if href and core:
            before, _, after = text.partition(core)
            line = line[:-1] + "\\!" if line[-1:] == "!" and not before else line
            address = _IN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", href)
            text = f"{before}[{core}]({address}){after}"
        line += text
    return line


def _styled(runs: _Runs, before: str) -> Iterator[str]:
    """Yield the runs of the same style; before: the letter before them.

    A run is strong or emphasised only where Markdown recognises it (CommonMark, 6.2): not between a letter
    and a sign, nor beside another mark.
    """
    merged = [
        ("".join(text for text, _ in run), marks) for marks, run in groupby(runs, key=lambda run: run[1])
    ]
    for k, (text, marks) in enumerate(merged):
        core = text.strip(" ")
        left, right = text[: len(text) - len(text.lstrip(" "))], text[len(text.rstrip(" ")) :]
        if core:
            styled = _within(core)
            if marks.code and (left or before != "`"):
                fence, room = _fence(core, 1), " " * (core[0] == "`" or core[-1] == "`")
                styled = f"{fence}{room}{core}{room}{fence}"
            star = "**" * marks.strong + "*" * marks.em
            after = right or (merged[k + 1][0][0] if k + 1 < len(merged) else "")
            if star and _opens(left or before, styled[0]) and _opens(after, styled[-1]):
                styled = f"{star}{styled}{star}"
            text = f"{left}{styled}{right}"
        yield text
        before = text[-1:] or before


def _opens(outside: str, inside: str) -> bool:
    """Whether a mark between two letters is recognised."""
    return outside[-1:] in ("", " ") or (outside[-1] != "*" and inside.isalnum())


class _Lines:
    """The lines of a page, found by the parts of its article."""

    def __init__(self, page: Page) -> None:
        self._page, self._blocks = page, text_blocks(page)
        self._is_text, self._shown = page.dom.is_text, visible_nodes(page)
        self._at: dict[tuple[int, str], int] = {}
        for i, node in enumerate(self._blocks.element[self._blocks.holder].tolist()):
            text = self._blocks.texts[i]
            for key in (text, text[:-1].rstrip() if text[-1:] in PERMALINKS else text):
                self._at.setdefault((node, key), i)

    def line(self, block: ArticleBlock) -> str:
        """Return a part as a line; in headings and captions no words are strong or emphasised.

        >>> from webgrain.page.parsing import parse
        >>> page = parse("<p>See <a href='http://a.org/b c'>this <b>page</b></a>, <code>x_</code>")
        >>> print(_Lines(page).line(ArticleBlock("paragraph", "See this page, x_", 3)))
        See [this **page**](http://a.org/b%20c), `x_`
        """
        i = self._at.get((block.node, block.text))
        runs = [] if i is None else self._runs(i, len(block.text))
        if "".join(text for text, _ in runs) != block.text:
            return _heading(block.text) if block.kind == "heading" else _escaped(block.text)
        if block.kind in ("heading", "caption"):
            runs = [(text, marks._replace(strong=False, em=False)) for text, marks in runs]
        line = _written(runs)
        return _AT_END.sub(r"\\\1", line) if block.kind == "heading" else _at_start(line)

    def _runs(self, i: int, length: int) -> _Runs:
        """Return the texts of a layout block, up to this length, with their markup; empty without markup."""
        dom, found, after_space = self._page.dom, _Runs(), True
        nodes = np.arange(self._blocks.first[i], self._blocks.last[i] + 1)
        nodes = nodes[self._is_text[nodes] & self._shown[dom.parent[nodes]]]
        marked = [(node, self._marks(int(dom.parent[node]))) for node in nodes.tolist()]
        for node, marks in marked if any(any(marks) for _, marks in marked) else ():
            text = dom.text_of(node)
            words, left = _line(text), " " * (text[:1].isspace() and not after_space)
            text = f"{left}{words}{' ' * text[-1:].isspace()}" if words else left
            if text := text[:length]:
                found.append((text, marks))
                length, after_space = length - len(text), text.endswith(" ")
        return found

    def _marks(self, node: int) -> _Marks:
        """Return the markup of a text by its element and the elements around it in the line."""
        dom, href, styles = self._page.dom, "", set[str]()
        while (name := dom.name(node)) in INLINE and node > 0:
            own = dom.get(node, "href") or "" if name == "a" else ""
            if own and not own.startswith("#"):
                href = href or absolute(self._page, own)
            styles.add(_STYLES.get(name, ""))
            node = int(dom.parent[node])
        return _Marks(href, *(style in styles for style in _Marks._fields[1:]))


# Blocks.

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]+)")
_DIGITS = 6  # digits of the number of a list item, at most


class _Item(NamedTuple):
    """An item of a list: its element and that of the list, -1 if unknown; its depth; its mark."""

    node: int
    of: int
    depth: int
    mark: str


class _Writer:
    """Writes the parts of the article of a page; None: of an unknown page."""

    def __init__(self, page: Page | None) -> None:
        self._dom = None if page is None else page.dom
        self._lines = None if page is None else _Lines(page)
        self._numbers: dict[int, dict[int, int]] = {}

    def line(self, block: ArticleBlock) -> str:
        """Return a part as a line."""
        if self._lines:
            return self._lines.line(block)
        return _heading(block.text) if block.kind == "heading" else _escaped(block.text)

    def block(self, block: ArticleBlock) -> str:
        """Return a part that is neither an item nor a quote."""
        if block.kind == "code":
            fence = _fence(block.text, 3)
            return f"{fence}{_language(self._dom, block.node)}\n{block.text}\n{fence}"
        if block.kind == "table":
            return "\n".join(_rows(block.text.splitlines()))
        if block.kind == "heading":
            return f"{'#' * min(max(block.level, 2), 6)} {self.line(block)}"
        return f"*{self.line(block)}*" if block.kind == "caption" else self.line(block)

    def items(self, blocks: Iterator[ArticleBlock]) -> Iterator[str]:
        """Yield the lines of lists; an item is indented below the text of the item that contains it."""
        above: list[_Item] = []
        for block in blocks:
            item = self._item(block)
            while above and above[-1].depth > item.depth:
                above.pop()
            indent = " " * sum(len(outer.mark) for outer in above)
            if above and 0 <= item.node == above[-1].node:  # another paragraph of the same item
                yield ""
                yield indent + self.line(block)
                continue
            if above and above[-1].depth == item.depth and above.pop().of != item.of and not above:
                yield ""  # another list
            indent = " " * sum(len(outer.mark) for outer in above)
            yield f"{indent}{item.mark}{self.line(block)}"
            above.append(item)

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
            items = [node for node in dom.children(of) if dom.name(node) == "li"]
            self._numbers[of] = {node: first + k for k, node in enumerate(items)}
        return self._numbers[of]


def _language(dom: Dom | None, pre: int) -> str:
    """Return the language of code by its class, or that of an element around or in it; empty for none."""
    if dom is None or dom.name(pre) != "pre":
        return ""
    inside = [node for node in dom.children(pre) if dom.name(node) == "code"][:1]
    classes = (dom.get(node, "class") or "" for node in (*inside, pre, int(dom.parent[pre])))
    return next((found[1] for found in map(_LANGUAGE.search, classes) if found), "")


def _rows(rows: list[str]) -> Iterator[str]:
    """Yield the rows of a table with equal numbers of cells, the first one as its head."""
    cells = [[_escaped(cell).replace("|", "\\|") for cell in row.split(" | ")] for row in rows]
    width = max(map(len, cells), default=0)
    for number, row in enumerate(cells):
        yield f"| {' | '.join([*row, *[''] * (width - len(row))])} |"
        if number == 0:
            yield "|" + "---|" * width
