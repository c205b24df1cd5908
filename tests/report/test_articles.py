from __future__ import annotations

import pytest

from webgrain.page.page import Source
from webgrain.page.parse import parse, parse_html
from webgrain.report.articles import article_lines, article_record, markdown, page_text
from webgrain.results import Article, ArticleBlock

NASTY = [
    "<script>alert(1)</script>",
    "# no *heading* `x`",
    "1. no list",
    "a | b",
    "[x](javascript:y)",
    "- no item",
]


def article(*blocks: tuple[str, str, int], title: str = "T") -> Article:
    told = tuple(ArticleBlock(kind, text, 3, level=level) for kind, text, level in blocks)
    return Article("article", title, told, "1", 0.9)


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("kind", ["paragraph", "heading", "item", "quote", "table", "caption"])
def test_text_is_no_markup(kind: str, text: str) -> None:
    found = article((kind, text, 2), title=text)
    rendered = (
        pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table").render(markdown(found))
    )
    dom = parse_html(rendered)
    assert not {"script", "a", "code"} & set(dom.tags)
    seen = " ".join(dom.text.split()).replace("T", "")
    assert "".join(text.split()) in "".join(seen.split()) or kind == "table"


def test_code_is_kept_as_it_stands() -> None:
    found = article(("code", "```\n<a>\n  b", 0))
    rendered = pytest.importorskip("markdown_it").MarkdownIt().render(markdown(found))
    assert "```\n<a>\n  b\n" in parse_html(rendered).text


def test_lists_nest() -> None:
    found = article(("item", "a", 1), ("item", "b", 3), ("item", "c", 1))
    assert "- a\n    - b\n- c" in markdown(found)


def test_lines() -> None:
    page = parse(Source("a\nb.html", b"<p>x"))
    found = article(("title", "T", 0), ("paragraph", "one\ntwo", 0), ("code", "x\ny", 0), ("sub", "May", 0))
    lines = article_lines(page, found).splitlines()
    assert lines == [
        "!MATCHED: a b.html",
        "PATTERN: 1",
        "TITLE: T",
        "MAIN-1: one two",
        "CODE-2: x",
        "CODE-2: y",
        "SUB-3: May",
    ]
    assert article_lines(page, Article("unknown")).splitlines() == ["!UNMATCHED: a b.html"]
    assert article_lines(page, Article("index", layout="2")).splitlines() == [
        "!INDEX: a b.html",
        "PATTERN: 2",
    ]


def test_records_keep_text_code_and_comments_apart() -> None:
    page = parse(Source("a.html", b"<p>x", url="http://example.org/"))
    found = article(("paragraph", "one", 0), ("code", "x = 1", 0), ("comment", "nice", 0), ("item", "two", 1))
    record = article_record(page, found)
    assert (record["text"], record["code"], record["comments"]) == ("one\n\ntwo", ["x = 1"], ["nice"])
    assert [block["kind"] for block in record["blocks"]] == ["paragraph", "code", "comment", "item"]
    assert record["blocks"][0]["css"] == "html > body > p"
    assert (record["verdict"], record["layout"], record["confidence"]) == ("article", "1", 0.9)


def test_text_of_a_page() -> None:
    assert page_text(parse(Source("a", b""))) == ""
    assert page_text(parse(Source("a", b"<title>no</title>a<br>b<td>c"))) == "a\nbc\n"
