"""One page with every construct, as text, Markdown, HTML and plain values."""

from __future__ import annotations

import json

import pytest

from webgrain.documents.article import Article
from webgrain.documents.content import content
from webgrain.documents.parts import Part
from webgrain.extraction.document import Document, article_text, document_record
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

PAGE = """<!DOCTYPE html><html lang=en><title>All</title><main>
<p>Water is H<sub>2</sub>O, a square is x<sup>2</sup>, and <ruby>漢<rt>かん</rt></ruby> is read so.
<h2>Lists</h2>
<ol start=2><li>two<ul><li>inner<ul><li>deep</ul></ul><li><p>three<pre><code class=lang-python>def f():
    pass</code></pre><p>after the code</ol>
<h3>Terms</h3>
<dl><dt>tea<dd>a drink<dd>a meal<dt>cup<dd>a vessel</dl>
<h2>Table</h2>
<table><caption>Prices</caption><tr><th>Name<th>Price<tr><td>tea | cup<td>1<tr><td colspan=2>both</table>
<blockquote><p>Quoted<ul><li>in a list</ul></blockquote>
<figure><img src=/a.png alt=Lamp><figcaption>A lamp</figcaption></figure>
<p>Inline <math><annotation encoding=application/x-tex>a_1</annotation></math> and displayed:
<p><math display=block><mi>b</mi></math>
<p>Use <code>x = 1</code> here.</main>"""

REPLY = Part("comment", 3, (Part("paragraph", 3, ("No.",)),), {"author": "Ann"})
COMMENT = Part(
    "comment", 3, (Part("paragraph", 3, ("Yes.",)), REPLY), {"author": "Kim", "date": "2020-05-17"}
)


@pytest.fixture(scope="module")
def document() -> Document:
    page = parse(Source("a", PAGE.encode(), url="http://a.org/b"))
    blocks = text_blocks(page)
    chosen = [k for k, text in enumerate(blocks.texts) if text != "All"]
    parts = content(page, blocks, chosen, [1.0] * len(chosen))
    return Document(page, Article("article", "All", (*parts, COMMENT)))


def names_in(html: str, *names: str) -> list[str]:
    dom = parse_html(html)
    return [dom.name(node) for node in range(len(dom)) if dom.name(node) in names]


def test_the_tree_has_sections_with_all_parts(document: Document) -> None:
    lists, table = [part for part in document.content.parts if part.kind == "section"]
    assert [part.kind for part in lists.parts] == ["heading", "list", "section"]
    assert [part.kind for part in table.parts] == [
        *("heading", "table", "quote", "figure", "paragraph", "math", "paragraph", ),
    ]  # fmt: skip
    kinds = {part.kind for part in document.content.walk()}
    assert kinds >= {
        "ruby",
        "subscript",
        "superscript",
        "definitions",
        "term",
        "definition",
        "caption",
        "comment",
    }
    second = next(part for part in lists.walk() if part.kind == "list").children[1]
    assert isinstance(second, Part)
    assert [part.kind for part in second.parts] == ["paragraph", "code", "paragraph"]


def test_the_text_has_everything_but_annotations_and_comments(document: Document) -> None:
    text = document.text
    assert "Water is H2O, a square is x2, and 漢 is read so." in text
    assert "two\ninner\ndeep\nthree\ndef f():\n    pass\nafter the code" in text
    assert "tea\na drink\na meal\ncup\na vessel" in text
    assert "Name | Price\ntea | cup | 1\nboth" in text
    assert "Yes." not in text
    assert article_text(document.article, comments=True).endswith(
        "Kim, 2020-05-17\nYes.\n\n    Ann\n    No.\n"
    )


def test_the_markdown_is_read_again_by_a_parser_of_commonmark(document: Document) -> None:
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    html = parser.render(document.as_markdown(comments=True))
    assert names_in(html, "h1", "h2", "h3") == ["h1", "h2", "h3", "h2"]
    for piece in (
        "H<sub>2</sub>O",
        "x<sup>2</sup>",
        "<ruby>漢<rt>かん</rt></ruby>",
        '<pre><code class="language-python">def f():\n    pass\n</code></pre>\n<p>after the code</p>\n</li>',
        "<p><strong>tea</strong></p>\n<p>a drink</p>\n<p>a meal</p>",
        "<em>Prices</em>",
        "<th>Name</th>\n<th>Price</th>",
        "<td>tea | cup</td>\n<td>1</td>",
        "<blockquote>\n<p>Quoted</p>\n<ul>\n<li>in a list</li>\n</ul>\n</blockquote>",
        '<img src="http://a.org/a.png" alt="Lamp" />',
        "<em>A lamp</em>",
        "$<code>a_1</code>$",
        "<math",
        "<code>x = 1</code>",
        "<p><strong>Kim, 2020-05-17</strong></p>\n<p>Yes.</p>\n<blockquote>\n<p><strong>Ann</strong></p>",
    ):
        assert piece in html, piece
    lists = names_in(html.partition("<h3>")[0], "ol", "ul")
    assert lists == ["ol", "ul", "ul"]
    assert '<ol start="2">' in html


def test_the_html_has_the_same_elements(document: Document) -> None:
    html = document.as_html(comments=True)
    for piece in (
        "H<sub>2</sub>O",
        "<ruby>漢<rt>かん</rt></ruby>",
        '<ol start="2">',
        '<pre><code class="language-python">',
        "<dt>tea</dt>\n<dd>a drink</dd>\n<dd>a meal</dd>",
        "<caption>Prices</caption>",
        '<td colspan="2">both</td>',
        "<figcaption>A lamp</figcaption>",
        "<article><p>Kim, 2020-05-17</p>\n<p>Yes.</p>\n<article><p>Ann</p>",
    ):
        assert piece in html, piece
    assert "Yes." not in document.html


def test_the_record_is_plain_and_has_the_nesting(document: Document) -> None:
    record = json.loads(json.dumps(document_record(document)))
    assert record["comments"] == [
        {"author": "Kim", "date": "2020-05-17", "level": 0, "text": "Yes."},
        {"author": "Ann", "date": None, "level": 1, "text": "No."},
    ]
    last = record["content"]["children"][-1]
    assert (last["kind"], last["author"], last["children"][1]["author"]) == ("comment", "Kim", "Ann")
    assert record["code"] == ["def f():\n    pass"]
