from __future__ import annotations

import json
from dataclasses import replace

import pytest

from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction.document import Document, article_lines, document_record, tree_record
from webgrain.extraction.single import SinglePage
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


WORDS = "the mill at the edge of the wood was built when the river was higher, "
LINES = f"{WORDS}<b>bold</b> and <a href=/a>a <i>link</i></a><br>and <img src=x.png alt=y> and {WORDS}"
BLOCKS = (
    f"<h2>A</h2><p>{LINES}<h3>B</h3><ul><li>{LINES}<ol><li>{WORDS}</ol></ul><h2>C</h2><pre>x = 1</pre>"
    f"<table><tr><th>a<td colspan=2>{WORDS}<tr><td>c<td>{LINES}</table><dl><dt>a<dd>{WORDS}</dl>"
    f"<figure><img src=x.png><figcaption>{WORDS}</figcaption></figure><blockquote><p>{WORDS}</blockquote>"
    f"<math><mi>x</mi></math><p>{WORDS}<p>di\u00advided {WORDS}"
)
PAGES = {
    "blocks": f"<h1>T</h1><article>{BLOCKS}</article>",
    "without headings": f"<article><p>{LINES}<p>{WORDS}</article>",
    "noscript": f"<title>T</title><noscript><h1>T</h1>{BLOCKS}</noscript>",
    "data": '<script type=application/ld+json>{"@type": "Article", "articleBody": "%s"}</script>x'
    % ("<p>" + "<p>".join(f"{k} {WORDS}" for k in range(20))),
    "nothing": "",
}


@pytest.mark.parametrize("name", PAGES)
def test_the_record_of_a_table_of_parts_is_that_of_their_tree(name: str) -> None:
    page = parse(Source("a", PAGES[name].encode(), "http://example.org/"))
    document = Document(page, SinglePage().predict(page))
    assert name == "nothing" or len(document.content.children) > 1
    assert document.json == tree_record(page.dom, document.content)
    assert document.to_dict()["content"] == document.json


@pytest.mark.parametrize("name", ["noscript", "data"])
def test_parts_of_another_tree_are_at_their_element(name: str) -> None:
    page = parse(Source("a", PAGES[name].encode(), "http://example.org/"))
    found = SinglePage().predict(page)
    [node] = page.dom.find_tag("noscript" if name == "noscript" else "script").tolist()
    assert {part.node for block in found.blocks for part in block.walk()} == {node}
    assert (found.nodes, set(found.blocks.block_nodes)) == ([node], {node})
    whole = replace(found, blocks=tuple(found.blocks))  # without its table
    assert (found.text, found.code, found.nodes) == (whole.text, whole.code, whole.nodes)


def test_lists_are_lines_of_webstemmer() -> None:
    items = (Part("item", 3, (Part("paragraph", 3, (text,)),)) for text in "ab")
    found = Article("article", "", (Part("list", 3, tuple(items)),))
    lines = article_lines(parse("<p>x"), found).splitlines()
    assert lines[1:] == ["MAIN-0: a", "MAIN-1: b"]


def test_text_of_a_page() -> None:
    assert page_text(parse(Source("a", b""))) == ""
    assert page_text(parse(Source("a", b"<title>no</title>a<br>b<td>c"))) == "a\nbc\n"
