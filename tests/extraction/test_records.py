from __future__ import annotations

import json
from dataclasses import replace

from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction.document import Document, article_lines, document_record
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import page_text


def article(*blocks: tuple[str, str], title: str = "T") -> Article:
    return Article("article", title, tuple(Part(kind, 3, (text,)) for kind, text in blocks), "1", 0.9)


def test_lines() -> None:
    page = parse(Source("a\nb.html", b"<p>x"))
    found = article(("title", "T"), ("paragraph", "one\ntwo"), ("code", "x\ny"), ("sub", "May"))
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
    index = Article("index", layout="2")
    assert article_lines(page, index).splitlines() == ["!MATCHED: a b.html", "PATTERN: 2"]
    assert article_lines(page, index, mark_index=True).splitlines()[0] == "!INDEX: a b.html"


def test_a_record_has_the_text_with_code_and_the_comments() -> None:
    page = parse(Source("a.html", b"<p>x", url="http://example.org/"))
    comment = Part("comment", 3, (Part("paragraph", 3, ("nice",)),), {"author": "Kim"})
    found = article(("paragraph", "one"), ("code", "x = 1"), ("paragraph", "two"))
    record = document_record(Document(page, replace(found, blocks=(*found.blocks, comment))))
    assert (record["text"], record["code"]) == ("one\n\nx = 1\n\ntwo", ["x = 1"])
    assert record["comments"] == [{"author": "Kim", "date": None, "level": 0, "text": "nice"}]
    content = record["content"]["children"]
    assert [part["kind"] for part in content] == ["paragraph", "code", "paragraph", "comment"]
    assert content[0] == {"kind": "paragraph", "xpath": "/html[1]/body[1]/p[1]", "text": "one"}
    assert (record["verdict"], record["layout"], record["confidence"]) == ("article", "1", 0.9)
    assert json.loads(json.dumps(record)) == record


def test_lists_are_lines_of_webstemmer() -> None:
    items = (Part("item", 3, (Part("paragraph", 3, (text,)),)) for text in "ab")
    found = Article("article", "", (Part("list", 3, tuple(items)),))
    lines = article_lines(parse("<p>x"), found).splitlines()
    assert lines[1:] == ["MAIN-0: a", "MAIN-1: b"]


def test_text_of_a_page() -> None:
    assert page_text(parse(Source("a", b""))) == ""
    assert page_text(parse(Source("a", b"<title>no</title>a<br>b<td>c"))) == "a\nbc\n"
