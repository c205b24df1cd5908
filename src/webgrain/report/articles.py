"""Articles as records, and as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page import address
from webgrain.page.blocks import layout_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.page.page import Page
    from webgrain.results import Article, ArticleBlock

_LABELS = {"title": "TITLE", "comment": "COMMENT", "sub": "SUB", "code": "CODE"}


def article_record(page: Page, article: Article) -> dict[str, Any]:
    """Return what a page says with the fields of ``webgrain extract``, ready for JSON.

    >>> from webgrain.page.parse import parse
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

    >>> from webgrain.page.parse import parse
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

    >>> from webgrain.page.parse import parse
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
