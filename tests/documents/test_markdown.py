"""Markdown of documents, read again by another program."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.work import lines_run

from webgrain.documents.content import content
from webgrain.documents.markdown import markdown
from webgrain.documents.parts import Part
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

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
    "~~no~~ ~deletion~",
    "---",
    "= =",
    "===",
    "\\ \\* \\",
    "+ no item",
    "2) no list",
    ":--|--",
    "http://a.org/_b_*c*",
]

EVERYTHING = """
<main><p>A paragraph with <b>bold</b> and <i>emphasised</i> words, <a href=d?x=1&y=2>a link</a>,
<code>x = `1`</code>, H<sub>2</sub>O, 10<sup>3</sup>, <s>deleted</s> words.<br>A second line.
<h2>Lists</h2><ol start=3><li>three<ul><li>a<li>b<ul><li>deep</ul></ul><li><p>four<p>more
<pre><code class=language-python>def f():
    return "`"
</code></pre></ol><ul><li>another list</ul>
<h3>Table</h3><table><tr><th>Name<th>Price<tr><td>Apple<td>1|2<tr><td><b>Pear</b><td><code>a|b</code></table>
<blockquote><p>One<p>Two<ul><li>item</ul></blockquote>
<p><img src=b.png alt="B [b]"><h4>Code</h4><pre>a
  ```
b</pre><p>End.</main>"""


def tree_of(html: str, base: str = "https://a.org/b/c") -> tuple[Part, ...]:
    page = parse(Source("a", html.encode("utf-8", "replace"), url=base))
    blocks = text_blocks(page)
    return content(page, blocks, range(len(blocks)), [1.0] * len(blocks))


def of_page(html: str) -> str:
    return markdown("", tree_of(html)).rstrip("\n")


def rendered(text: str) -> str:
    renderer = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return str(renderer.render(text))


def plain(part: Part | str) -> Any:
    """A part as nested tuples, with what Markdown can express."""
    if isinstance(part, str):
        return part
    kept = ("level", "ordered", "start", "header", "language", "url", "alt", "tex")
    attributes = {name: part.attributes[name] for name in kept if name in part.attributes}
    return (part.kind, attributes, *map(plain, part.children))


def trees(parts: tuple[Part, ...]) -> list[Any]:
    return [plain(part) for part in parts]


def test_every_construct_is_unchanged_after_reading() -> None:
    page = tree_of(EVERYTHING)
    kinds = {part.kind for block in page for part in block.walk()}
    assert kinds >= {
        "heading", "paragraph", "list", "item", "table", "row", "cell", "code", "quote", "figure", "image",
        "link", "strong", "emphasis", "deleted", "literal", "subscript", "superscript", "break",
    }  # fmt: skip
    again = tree_of(f"<main>{rendered(markdown('', page))}</main>")
    assert trees(again) == trees(page)


def test_constructs_that_markdown_lacks() -> None:
    html = "<p>x<dl><dt>T<dd>one<dd>two</dl><p><ruby>漢<rt>かん</rt></ruby>"
    dom = parse_html(rendered(of_page(html)))
    names = [dom.name(node) for node in range(len(dom)) if dom.name(node) in ("li", "strong", "p", "rt")]
    assert names == ["p", "li", "p", "strong", "p", "p", "p", "rt"]
    assert of_page("<p>x <script type='math/tex'>a_1 * b_2</script>") == "x $`a_1 * b_2`$"
    tex = of_page("<p>x<p><script type='math/tex; mode=display'>a\nb</script><p>y")
    assert tex == "x\n\n```math\na\nb\n```\n\ny"
    mathml = of_page("<p>x<p><math><mi>a</mi><mo>&lt;</mo></math><p>y")
    assert mathml == "x\n\n<p><math><mi>a</mi><mo>&lt;</mo></math></p>\n\ny"


@pytest.mark.parametrize("kind", ["paragraph", "heading", "list", "quote", "table", "caption", "definitions"])
def test_text_is_not_markup(kind: str) -> None:
    for text in NASTY:
        check_that_it_is_text(kind, text)


def check_that_it_is_text(kind: str, text: str) -> None:
    paragraph = Part("paragraph", 3, (text, Part("break", 3), text))
    inside = {
        "list": Part("item", 3, (paragraph,)),
        "quote": paragraph,
        "table": Part("row", 3, (Part("cell", 3, (paragraph,)), Part("cell", 3))),
        "definitions": Part("definition", 3, (paragraph,)),
    }.get(kind)
    part = Part(kind, 3, (inside,) if inside else paragraph.children)
    dom = parse_html(rendered(markdown(text, [part])))
    expected = {"list": {"ul", "li"}, "definitions": {"ul", "li"}, "quote": {"blockquote"}}.get(kind, set())
    expected |= {"html", "head", "body", "#text", "h1", "p", "br"} | ({"h2"} if kind == "heading" else set())
    expected |= {"table", "thead", "tbody", "tr", "th", "td"} if kind == "table" else set()
    expected |= {"em"} if kind == "caption" else set()
    assert {dom.name(node) for node in range(len(dom))} <= expected
    assert "".join(dom.text.split()).count("".join(text.split())) == 3


@pytest.mark.parametrize("tag", ["p", "h2", "li", "blockquote", "b", "em", "code", "a href=x", "s"])
def test_text_of_a_page_is_not_markup(tag: str) -> None:
    for text in NASTY:
        written = text.replace("&", "&amp;").replace("<", "&lt;")
        dom = parse_html(rendered(of_page(f"<div><{tag}>{written}</{tag.split()[0]}></div>")))
        assert not {"script", "img"} & {dom.name(node) for node in range(len(dom))}
        assert dom.text.strip() == text


def test_code_is_unchanged() -> None:
    found = markdown("", [Part("code", 3, ("```\n<a>\n  b",), {"language": "c++"})])
    assert found == "````c++\n```\n<a>\n  b\n````\n"
    assert "```\n<a>\n  b\n" in parse_html(rendered(found)).text


def test_lists_of_a_page_keep_numbers_and_paragraphs() -> None:
    text = of_page("<p>x<ol start=9><li>a<ul><li>b</ul><li><p>c<p>d<li>e</ol><ul><li>f</ul><ul><li>g</ul>")
    lists = "9. a\n\n   - b\n\n10. c\n\n    d\n\n11. e\n\n<!-- -->\n\n- f\n\n<!-- -->\n\n- g"
    assert text.removeprefix("x\n\n") == lists
    assert of_page("<p>x<ul><li>a<ul><li>b</ul><li>c</ul>") == "x\n\n- a\n  - b\n- c"


def test_tables() -> None:
    assert of_page("<p>x<table><tr><td>a<td>b<tr><td colspan=2>c</table>") == (
        "x\n\n|  |  |\n| --- | --- |\n| a | b |\n| c |  |"
    )
    html = (
        "<p>x<table><caption>C</caption><tr><th>a<th>b<th>c<tr><td rowspan=2>d<td>e<br>f<td>g<tr><td>h<td>i"
    )
    assert of_page(html).splitlines()[2:] == [
        "*C*",
        "",
        "| a | b | c |",
        "| --- | --- | --- |",
        "| d | e<br>f | g |",
        "|  | h | i |",
    ]
    wide = of_page("<p>x<table>" + "<tr><td colspan=1000 rowspan=65000>a<td>b" * 200)
    assert max(map(len, wide.splitlines())) < 1000


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
        ("a<script>x()</script> <b>b</b>", "a **b**"),
        ("<a href=d><img src=i.png alt=I></a> a", "[![I](https://a.org/b/i.png)](https://a.org/b/d) a"),
    ],
)
def test_lines_have_the_marks_of_the_page(html: str, text: str) -> None:
    assert of_page(f"<p>{html}") == text


def test_headings() -> None:
    html = "<h2><a href=d><b>a</b> <code>b</code></a> #</h2><p>x"
    assert of_page(html).startswith("## [a `b`](https://a.org/b/d) \\#\n")
    assert of_page("<h2>2. Why</h2><p>x").startswith("## 2. Why\n")
    assert (
        markdown("1. All #", [Part("heading", 3, ("2. Why",), {"level": 3})])
        == "# 1. All \\#\n\n### 2. Why\n"
    )
    assert parse_html(rendered(markdown("In C ##", []))).text.strip() == "In C ##"


def test_comments_have_author_and_date() -> None:
    comment = Part("comment", 3, (Part("paragraph", 3, ("Good.",)),), {"author": "K*m", "date": "2020-05-17"})
    assert markdown("", [comment]) == "> **K\\*m, 2020-05-17**\n>\n> Good.\n"


LEAVES = ["a", "b c", "*", "_x_", "1. ", "# ", "`", "<i>", "]", "!", "\\", "~~", "|", "- ", "&amp;", "(", "="]
INLINE = ["b", "i", "code", "a href=/x", "s", "sub"]


@pytest.mark.parametrize("after", ["", ", and more", " and more", "s"])
@pytest.mark.parametrize("kinds", [("strong", "emphasis"), ("emphasis", "strong")])
def test_words_may_have_both_marks(kinds, after):
    outer, inner = kinds
    marked = Part(outer, 4, (Part(inner, 5, ("both",)),))
    text = markdown("", (Part("paragraph", 3, ("One ", marked, after)),))
    assert text == f"One ***both***{after}\n"


def test_stars_of_nested_marks_are_never_text():
    renderer = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    numbers = Random(0)

    def inline(kinds: tuple[str, ...]) -> tuple[Part | str, ...]:
        children = list[Part | str]()
        for _ in range(numbers.randint(1, 3)):
            kind = numbers.choice((*kinds, ""))
            others = tuple(other for other in kinds if other != kind)
            words = numbers.choice(("a", "b ", " c", ", d", "e."))
            children.append(Part(kind, 4, inline(others)) if kind else words)
        return tuple(children)

    for _ in range(2000):
        text = markdown("", (Part("paragraph", 3, inline(("strong", "emphasis"))),))
        assert "*" not in renderer.render(text), text


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(INLINE), st.text("ab*_`~ |\\[]!()<&#-+=.1", max_size=6)), max_size=5)
)
def test_any_line_is_read_again_with_its_text(runs: list[tuple[str, str]]) -> None:
    line = "".join(
        f"<{tag}>{text.replace('&', '&amp;').replace('<', '&lt;')}</{tag.split()[0]}>" for tag, text in runs
    )
    before = tree_of(f"<p>x</p><p>{line}</p>")
    after = tree_of(rendered(markdown("", before)))
    assert [part.text for part in after] == [part.text for part in before]


def test_a_line_with_many_parts_takes_linear_time() -> None:
    lines = []
    for n in (200, 1600):
        page = "<p>" + "".join(f"<b>a{k}</b> c<br>" for k in range(n))
        assert of_page(page).count("**") == 2 * n
        lines.append(lines_run(partial(of_page, page)))
    assert lines[1] < 9 * lines[0], lines
