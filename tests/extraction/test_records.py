from __future__ import annotations

from webgrain.extraction.markdown import article_lines, article_record, page_text
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.results import Article, ArticleBlock


def article(*blocks: tuple[str, str, int], title: str = "T") -> Article:
    told = tuple(ArticleBlock(kind, text, 3, level=level) for kind, text, level in blocks)
    return Article("article", title, told, "1", 0.9)


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
