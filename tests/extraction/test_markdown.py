"""Markdown of articles, read again by another program."""

from __future__ import annotations

from typing import Any

import pytest

from webgrain.articleparts import parts
from webgrain.extraction.markdown import markdown
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks
from webgrain.results import Article, ArticleBlock

NASTY = [
    "<script>alert(1)</script>",
    "# no *heading* `x`",
    "1. no list",
    "a | b",
    "[x](javascript:y)",
    "- no item",
    "> no quote",
    "_no_ __emphasis__, a_name",
    "&lt;no tag&gt; &#42; &",
    "![x](y)",
]


def article(*blocks: tuple[str, str, int], title: str = "T") -> Article:
    told = tuple(ArticleBlock(kind, text, 3, level=level) for kind, text, level in blocks)
    return Article("article", title, told, "1", 0.9)


def rendered(text: str) -> Any:
    renderer = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    return parse_html(renderer.render(text))


def of_page(html: str) -> str:
    page = parse(Source("a/b.html", html.encode(), url="https://a.org/b/c"))
    blocks = text_blocks(page)
    found = parts(page.dom, blocks, range(len(blocks)), 0, [1.0] * len(blocks))
    return markdown(Article("article", "", tuple(found)), page).rstrip("\n")


def markup(dom: Any, *names: str) -> list[tuple[str, str]]:
    return [(dom.name(i), dom.text_of(i).strip()) for i in range(len(dom)) if dom.name(i) in names]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("kind", ["paragraph", "heading", "item", "quote", "table", "caption"])
def test_text_is_no_markup(kind: str, text: str) -> None:
    dom = rendered(markdown(article((kind, text, 2), title=text)))
    assert not {"script", "a", "code", "strong", "img"} & set(dom.tags)
    assert kind == "caption" or "em" not in dom.tags
    seen = " ".join(dom.text.split())
    assert "".join(text.split()) in "".join(seen.split()) or kind == "table"


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("tag", ["p", "h2", "li", "blockquote", "b", "em", "code", "a href=x"])
def test_text_of_a_page_is_no_markup(tag: str, text: str) -> None:
    told = text.replace("&", "&amp;").replace("<", "&lt;")
    dom = rendered(of_page(f"<div><{tag}>{told}</{tag.split()[0]}></div>"))
    assert not {"script", "img"} & set(dom.tags)
    assert dom.text.strip() == text


def test_code_is_kept_as_it_stands() -> None:
    found = article(("code", "```\n<a>\n  b", 0))
    assert "```\n<a>\n  b\n" in rendered(markdown(found)).text


def test_code_names_its_language() -> None:
    assert of_page("<pre><code class='x language-rust'>fn</code></pre>") == "```rust\nfn\n```"
    assert of_page("<div class=highlight-source-c++><pre>x</pre></div>") == "```c++\nx\n```"


def test_lists_nest() -> None:
    found = article(("item", "a", 1), ("item", "b", 3), ("item", "c", 1))
    assert "- a\n  - b\n- c" in markdown(found)


def test_lists_of_a_page_keep_numbers_and_paragraphs() -> None:
    text = of_page(
        "<ol start=9><li>a<ul><li>b</ul><li><p>c<p>d<li>e</ol><ul><li>f</ul><dl><dt>g<dd>h<dt>i<dd>j</dl>"
    )
    assert text == "9. a\n   - b\n10. c\n\n    d\n11. e\n\n- f\n\n- g\n  - h\n- i\n  - j"
    dom = rendered(text)
    assert [name for name, _ in markup(dom, "ol", "ul", "p")].count("ol") == 1


def test_neighbouring_quotes_are_one() -> None:
    dom = rendered(markdown(article(("quote", "a", 0), ("quote", "b", 0))))
    assert markup(dom, "blockquote", "p") == [("blockquote", "a\nb"), ("p", "a"), ("p", "b")]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <a href='d?x=1&y=2'>link</a>.", "a [link](https://a.org/b/d?x=1&y=2)."),
        ("<a href=' d (e) '> link</a>!", "[link](https://a.org/b/d%20%28e%29)!"),
        ("So!<a href=d>x]</a>", "So\\![x\\]](https://a.org/b/d)"),
        ("<a href=javascript:x>a</a><a href=#b>b</a>", "ab"),
        ("<a href=d></a>a", "a"),
        ("<b>bold </b>and <i>em</i>", "**bold** and *em*"),
        ("<b>a</b><i>b</i> <b><i>c</i></b>", "**a**b ***c***"),
        ("x<b>(a)</b>y", "x(a)y"),
        ("un<em>frigging</em>believable", "un*frigging*believable"),
        ("<code>a`b_*</code> <b><code>c</code></b>", "``a`b_*`` **`c`**"),
        ("<code>-S<u>y</u></code><code><b>u</b></code>", "`-Sy`**u**"),
        ("a<script>x()</script> <b>b</b>", "a **b**"),
    ],
)
def test_lines_have_the_marks_of_the_page(html: str, text: str) -> None:
    assert of_page(f"<p>{html}") == text


def test_headings_are_plain_but_for_links_and_code() -> None:
    assert of_page("<h2><a href=d><b>a</b> <code>b</code></a> #</h2>") == "## [a `b`](https://a.org/b/d)"


def test_numbers_of_headings_stay_as_they_are() -> None:
    assert of_page("<h2>2. Why</h2>") == "## 2. Why"
    assert markdown(article(("heading", "2. Why", 3), title="1. All")) == "# 1. All\n\n### 2. Why\n"
    assert rendered(markdown(article(("heading", "In C ##", 2), title=""))).text.strip() == "In C ##"


def test_what_is_not_on_the_page_is_told_without_marks() -> None:
    page = parse(Source("a", b"<p><b>a</b>"))
    other = Article("article", "", (ArticleBlock("paragraph", "b", 3), ArticleBlock("item", "c", 0, level=1)))
    assert markdown(other, page) == "b\n\n- c\n"
