"""From text blocks of a page to the parts of a document."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.work import lines_run

from webgrain.documents.content import content
from webgrain.documents.parts import Part
from webgrain.documents.parttable import MOST_NESTED
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

URL = "https://a.org/b/c"


def parts_of(html: str) -> tuple[Part, ...]:
    page = parse(Source("a", html.encode(), url=URL))
    blocks = text_blocks(page)
    return content(page, blocks, range(len(blocks)), [1.0] * len(blocks))


def plain(part: Part | str) -> Any:
    """A part as nested tuples: the kind, the attributes if there are any, the children."""
    if isinstance(part, str):
        return part
    attributes = (dict(part.attributes),) if part.attributes else ()
    return (part.kind, *attributes, *map(plain, part.children))


def tree(html: str) -> list[Any]:
    return [plain(part) for part in parts_of(html)]


def p(*children: Any) -> Any:
    return ("paragraph", *children)


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("one\n  two\n", "one\n  two"),
        ("one<br>two<br><br>  three\nfour", "one\ntwo\n\n  three\nfour"),
        ("<div>a <b>b</b></div>\n<div>  <i>c</i></div>d", "a b\n\n  c\nd"),
        ("<code>\n  a<br/>\n</code>b", "  a\n\nb"),
        ("<span>a</span><button>Copy</button>", "a"),
    ],
)
def test_code_keeps_its_lines(html: str, code: str) -> None:
    assert tree(f"<pre>{html}</pre>") == [("code", code)]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<tr><th>Name<th>Price<th>Note<tr><td>Apple<td><td>none", "Name | Price | Note\nApple |  | none"),
        ("<tr><th><th>2024<tr><td>x<td>1", " | 2024\nx | 1"),
        ("<tr><td>Pear<br>green<td><p>a<p>b<tr><td>c", "Pear green | a b\nc"),
        ("<tr><td>a<td><tr><td>b<td>c", "a\nb | c"),
    ],
)
def test_the_text_of_a_cell_is_in_its_column(html: str, rows: str) -> None:
    [table] = parts_of(f"<table>{html}</table>")
    assert (table.kind, table.text) == ("table", rows)


def test_tables_that_arrange_the_page_are_dissolved() -> None:
    inner = "<table><tr><td>b<td>c<tr><td>e<td>f</table>"
    assert [one.kind for one in parts_of(f"<table><tr><td>a{inner}<td>d</table>")] == [
        "paragraph",
        "table",
        "paragraph",
    ]
    assert [one.kind for one in parts_of("<table><tr><td>a<td>b</table>")] == ["paragraph"] * 2
    long = "word " * 200
    assert [one.kind for one in parts_of(f"<table><tr><td>a<td>{long}</table>")] == ["paragraph"] * 2
    assert [one.kind for one in parts_of("<table><tr><td>a<tr><td>b</table>")] == ["paragraph"] * 2


def test_spans_headers_and_captions_of_tables() -> None:
    html = "<table><caption>C</caption><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e</table>"
    assert tree(html) == [
        (
            "table",
            ("caption", "C"),
            ("row", ("cell", {"header": True, "colspan": 2}, p("a")), ("cell", {"header": True}, p("b"))),
            ("row", ("cell", {"rowspan": 2}, p("c")), ("cell", p("d")), ("cell", p("e"))),
        )
    ]
    assert "colspan" not in str(tree("<table><tr><td colspan=x>a<td colspan=-1>b</table>"))


def test_lists_nest_and_keep_their_numbers() -> None:
    html = "<ol start=3><li>a<ul><li>b</ul><li><p>c<p>d</ol>"
    inner = ("list", {"ordered": False}, ("item", p("b")))
    assert tree(html) == [
        ("list", {"ordered": True, "start": 3}, ("item", p("a"), inner), ("item", p("c"), p("d")))
    ]


def test_a_list_directly_in_a_list_belongs_to_the_item_before() -> None:
    inner = ("list", {"ordered": False}, ("item", p("b")))
    assert tree("<ul><li>a<ul></ul></li><ul><li>b</ul></ul>") == [
        ("list", {"ordered": False}, ("item", p("a"), inner))
    ]


def test_a_list_whose_only_item_is_a_list() -> None:
    assert tree("<p>x<ul><li><ul><li><ul><li>a<li>b</ul></ul></ul>")[1] == (
        "list",
        {"ordered": False},
        ("item", p("a")),
        ("item", p("b")),
    )


def test_definition_lists() -> None:
    html = "<dl><div><dt>a<dd>b<dd><p>c<pre>d</pre></div></dl>"
    definitions = ("definition", p("b")), ("definition", p("c"), ("code", "d"))
    assert tree(html) == [("definitions", ("term", "a"), *definitions)]


def test_inline_markup() -> None:
    html = "a <b>b <i>c</i></b><code>d</code> H<sub>2</sub><sup>x</sup> <s>e</s> <a href='f g'>h</a>"
    html += "<a href=#x>i</a>"
    assert tree(html) == [
        p(
            "a ",
            ("strong", "b ", ("emphasis", "c")),
            ("literal", "d"),
            " H",
            ("subscript", "2"),
            ("superscript", "x"),
            " ",
            ("deleted", "e"),
            " ",
            ("link", {"url": "https://a.org/b/f g"}, "h"),
            "i",
        )
    ]


def test_a_line_break_and_two_of_them() -> None:
    assert tree("<p>a <br> b<br>\n<br>c<br>") == [p("a", ("break",), "b"), p("c")]


def test_soft_hyphens_are_left_out() -> None:
    assert tree("<p>har&shy;bour <b>mas&shy;ter</b>&shy;<p>&shy;") == [p("harbour ", ("strong", "master"))]
    assert tree("<pre>a&shy;b") == [("code", "a\xadb")]


def test_a_link_around_blocks_is_in_each_of_them() -> None:
    link = ("link", {"url": "https://a.org/x"}, "a"), ("link", {"url": "https://a.org/x"}, "b")
    assert tree("<a href=/x><h3>a</h3><p>b</p></a>") == [("heading", {"level": 3}, link[0]), p(link[1])]


def test_permalinks_are_left_out() -> None:
    assert tree("<h2>a<a href=#a>¶</a></h2><p>b") == [("heading", {"level": 2}, "a"), p("b")]


def test_links_that_edit_a_section_are_left_out() -> None:
    link = "<span class=mw-editsection><span>[</span><a href=/w?action=edit>edit</a><span>]</span></span>"
    assert tree(f"<h2><span>a</span>{link}</h2><p>b") == [("heading", {"level": 2}, "a"), p("b")]
    assert tree(f"<div><h2>a</h2>{link}</div><p>b") == [("heading", {"level": 2}, "a"), p("b")]


def test_figures_and_images() -> None:
    html = "<p>a<figure><a href=/y><img data-src=x.png alt=X></a><figcaption>c</figcaption></figure>"
    html += "<p>b <img src=i.png>"
    image = ("image", {"url": "https://a.org/b/x.png", "alt": "X"})
    assert tree(html) == [
        p("a"),
        ("figure", ("link", {"url": "https://a.org/y"}, image), ("caption", "c")),
        p("b ", ("image", {"url": "https://a.org/b/i.png", "alt": ""})),
    ]


def slides(slide: str, number: int = 2) -> str:
    """Return a page with some slides between two paragraphs."""
    return "<p>a</p><div>" + "".join(slide.format(k=k) for k in range(number)) + "</div><p>b</p>"


@pytest.mark.parametrize(
    "slide",
    [
        "<div><img src=/{k}.png><div>Boat {k}</div></div>",
        "<div><p>Boat {k}</p><p><img src=/{k}.png></p></div>",
        "<div><div><a href=/big{k}><img src=/{k}.png></a></div><p>Boat {k} by <a href=/kim>Kim</a></p></div>",
        "<div><img src=/{k}.png><br>\n<div><span>Boat {k}</span></div></div>\n",
    ],
)
def test_alike_elements_of_an_image_and_a_text_are_figures(slide: str) -> None:
    kinds = [part[0] for part in tree(slides(slide))]
    assert kinds == ["paragraph", "figure", "figure", "paragraph"]
    assert [part[0] for part in tree(slides(slide, 1))].count("paragraph") == 3


@pytest.mark.parametrize(
    "slide",
    [
        "<div><img src=/{k}.png> Boat {k}</div>",  # a line
        "<div><img src=/{k}.png><h3>Boat {k}</h3></div>",
        "<div><img src=/{k}.png><p><a href=/{k}>Boat {k}</a></p></div>",  # a card
        "<div><img src=/{k}.png><div> <a href=/{k}><b>Boat</b> {k}</a> \n</div></div>",
        "<div><img src=/{k}.png><a href=/{k}><div>Boat {k}</div></a></div>",
        "<div><img src=/{k}.png><p>Boat {k}</p><p>It is old.</p></div>",
        "<div><img src=/{k}.png><img src=/{k}b.png><p>Boat {k}</p></div>",
    ],
)
def test_other_elements_with_images_have_no_captions(slide: str) -> None:
    assert "caption" not in str(tree(slides(slide)))


def test_images_that_are_not_shown_or_not_content_are_left_out() -> None:
    html = "<div><p>a<img src=x.gif width=1><img src='data:x'><img src='javascript:x'><p>b</div>"
    assert tree(html) == [p("a"), p("b")]
    page = parse("<div><p>a<aside>Buy<img src=http://x/y.png></aside><p>b</div>")
    found = content(page, text_blocks(page), [0, 2], [1.0, 1.0])
    assert [plain(part) for part in found] == [p("a"), p("b")]


@pytest.mark.parametrize(
    "formula",
    [
        "<math alttext='{\\displaystyle x^2}'><mi>x</mi></math><img aria-hidden=true src=x.png alt=x>",
        "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics>"
        "</math><span aria-hidden=true>x2</span>",
        "<span><math><mi>x</mi></math></span><script type='math/tex'>x^2</script>",
        "<script type='math/tex'>x^2</script>",
    ],
)
def test_formulas_in_tex(formula: str) -> None:
    math = ("math", {"tex": "x^2", "display": False}, "x^2")
    assert tree(f"<p>a {formula} b") == [p("a ", math, " b")]


def test_formulas_in_mathml_and_of_their_own() -> None:
    math = "<math display=block><mi>a</mi><script>x</script><mo onclick=x>&lt;</mo></math>"
    source = '<math display="block"><mi>a</mi><mo>&lt;</mo></math>'
    assert tree(f"<p>x</p>{math}<p>y") == [
        p("x"),
        ("math", {"mathml": source, "display": True}, "a<"),
        p("y"),
    ]


def test_a_formula_of_mathjax_is_read_once() -> None:
    drawn = "<mjx-math aria-hidden=true><mjx-mi>E</mjx-mi></mjx-math>"
    source = "<mjx-assistive-mml><math alttext=E><mi>E</mi></math></mjx-assistive-mml>"
    [part] = parts_of(f"<p>It is <mjx-container>{drawn}{source}</mjx-container> here.")
    assert plain(part) == p("It is ", ("math", {"tex": "E", "display": False}, "E"), " here.")


def test_ruby_is_apart_from_the_base() -> None:
    html = "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>だ"
    [part] = parts_of(html)
    assert part.text == "漢字だ"
    assert plain(part) == p(
        ("ruby", {"annotation": "かん"}, "漢"), ("ruby", {"annotation": "じ"}, "字"), "だ"
    )


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ("<pre><code class='x language-rust'>x", "rust"),
        ("<pre class='brush: js'>x", "js"),
        ("<div class='highlight-source-c++'><pre>x", "c++"),
        ("<div class='highlight-python3 notranslate'><div class=highlight><pre>x", "python3"),
        ("<div class=sourceCode><pre class='sourceCode r'>x", "r"),
        ("<figure class='highlight bash'><table><tr><td><pre>1</pre><td><pre>x</pre></table>", "bash"),
        ("<pre class=language-plaintext>x", ""),
        ("<pre data-lang=toml>x", "toml"),
        ("<div class='highlight highlight-source-rust'><pre>x", "rust"),
        ("<pre lang=ruby>x", "ruby"),
        ("<pre lang=en>x", ""),
        ("<pre><code lang=xml>x", "xml"),
        ("<pre><code class='hljs sql'>x", "sql"),
        ("<pre class='python code'>x", "python"),
        ("<pre class='EnlighterJSRAW' data-enlighter-language=php>x", "php"),
        ("<pre class='code js'>x", "js"),
        ("<pre class='js c go'>x", ""),
        ("<div class=python><pre class='screen output'>x", ""),
    ],
)
def test_language_of_code(markup: str, language: str) -> None:
    [code] = parts_of(markup)
    assert (code.kind, code.text, code.attributes.get("language", "")) == ("code", "x", language)


@pytest.mark.parametrize(
    "numbers", ["1\n2", "<span>1</span><br><span>2</span><br>", "<div>1</div><div>2</div>"]
)
def test_line_numbers_beside_code_are_no_content(numbers: str) -> None:
    [code] = parts_of(f"<table><tr><td><pre>{numbers}</pre><td><pre>a\nb</pre></table>")
    assert (code.kind, code.text) == ("code", "a\nb")


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<i>1</i><b>a</b> b\n<i>2</i>c\n", "a b\nc"),
        ("<i> 9</i>a\n<i>10</i>\n<i>11</i>  b\n", "a\n\n  b"),
        ("<code><i>1</i><p>a</p><i>2</i><p>b</p></code>", "1\na\n2\nb"),
        ("<i>1</i>a", "1a"),
        ("<i>1</i>a\n<i>3</i>b", "1a\n3b"),
        ("<i>1</i>a\n<i>2</i>b\nc", "1a\n2b\nc"),
        ("<i>1</i>\n<i>2</i>\n", "1\n2"),
    ],
)
def test_line_numbers_within_code_are_left_out(html: str, code: str) -> None:
    assert tree(f"<pre>{html}</pre>") == [("code", code)]


@pytest.mark.parametrize(("cell", "text"), [("1<br>x", "1\nx"), ("2", "2"), ("12", "12"), ("1, 2", "1, 2")])
def test_other_cells_beside_code_are_content(cell: str, text: str) -> None:
    parts = parts_of(f"<table><tr><td>{cell}<td><pre>b</pre></table>")
    assert [part.text for part in parts] == [text, "b"]


def test_text_that_is_not_chosen_ends_the_line() -> None:
    page = parse("<p>a<br>b<br>c")
    found = content(page, text_blocks(page), [0, 2], [1.0, 0.5])
    assert [(part.text, part.score) for part in found] == [("a", 1.0), ("c", 0.5)]


def test_nesting_is_limited() -> None:
    part = parts_of("<p>b" + "<ul><li>a" * 100)[-1]
    assert part.text.count("a") == 100
    depth, below = 0, part
    while below.children and isinstance(below.children[-1], Part):
        below, depth = below.children[-1], depth + 1
    assert depth <= 2 * MOST_NESTED + 1


def test_many_blocks_take_linear_time() -> None:
    lines = []
    for n in (200, 1600):
        page = parse("<main>" + "<p>a <b>b</b><ul><li>c</ul>" * n + "</main>")
        blocks = text_blocks(page)
        work = partial(content, page, blocks, range(len(blocks)), [1.0] * len(blocks))
        assert len(work()) == 2 * n
        lines.append(lines_run(work))
    assert lines[1] < 9 * lines[0], lines


TAGS = "p b i a code pre ul ol li dl dt dd table tr td th div h2 blockquote figure img br math ruby rt span"


@settings(max_examples=30)
@given(
    st.lists(
        st.sampled_from(
            [f"<{tag}>" for tag in TAGS.split()] + [f"</{tag}>" for tag in TAGS.split()] + ["a", " ", "b "]
        ),
        max_size=30,
    )
)
def test_the_tree_contains_each_character_of_the_blocks(pieces: list[str]) -> None:
    page = parse("".join(pieces).replace("<rt>", "<span>").replace("<math>", "<span>"))
    blocks = text_blocks(page)
    if any(page.dom.tags[tag] == "a" for tag in page.dom.tag):
        return
    found = content(page, blocks, range(len(blocks)), [1.0] * len(blocks))
    texts = "".join("".join(part.text for part in found).replace(" | ", "").split())
    assert texts == "".join("".join(blocks.texts).split())


def test_content_directly_in_a_table_is_a_cell_of_a_row() -> None:
    html = "<x1>" + "<x2><x3>Tea</x3><x3>3</x3></x2>" * 2 + "<div>Rice</div></x1>"  # the parser moves it out
    page = parse(Source("a", html.encode()))
    names = {"x1": "table", "x2": "tr", "x3": "td"}
    number = [page.dom.tags.index(names.get(tag, tag)) for tag in page.dom.tags]
    page = replace(page, dom=replace(page.dom, tag=np.array(number, np.int32)[page.dom.tag]))
    blocks = text_blocks(page)
    [table] = content(page, blocks, range(len(blocks)), [1.0] * len(blocks))
    assert plain(table)[-1] == ("row", ("cell", p("Rice")))


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<img srcset='b,w_1/c.png 2x, d.png 1x'>", "https://a.org/b/b,w_1/c.png"),
        ("<img srcset='b.png 300w, c.png 900w,d.png 600w'>", "https://a.org/b/c.png"),
        ("<img src='data:image/gif;base64,x' data-srcset='b.png, c.png 1.5x'>", "https://a.org/b/c.png"),
        ("<picture><source srcset=b.png><source srcset='c.png 2x'><img></picture>", "https://a.org/b/c.png"),
        (
            "<picture><source data-srcset=b.png><img src='data:image/gif;base64,x'></picture>",
            "https://a.org/b/b.png",
        ),
        ("<picture><source srcset=b.png><img src=c.png></picture>", "https://a.org/b/c.png"),
        ("<img src='data:image/gif;base64,x' data-src=b.png>", "https://a.org/b/b.png"),
        ("<img src=small.gif data-src=large.jpg>", "https://a.org/b/large.jpg"),
        ("<img src=a.png data-src=yes>", "https://a.org/b/a.png"),
        ("<img><noscript><img src=b.png></noscript>", "https://a.org/b/b.png"),
        ("<img src=tiny.jpg><noscript><img src=b.jpg></noscript>", "https://a.org/b/b.jpg"),
        ("<noscript><p>No <img src=b.jpg></noscript>", "https://a.org/b/b.jpg"),
        ("<amp-img src=b.jpg width=600 height=400></amp-img>", "https://a.org/b/b.jpg"),
        (
            "<amp-img srcset='b.jpg 1x'><noscript><img src=b.jpg></noscript></amp-img>",
            "https://a.org/b/b.jpg",
        ),
    ],
)
def test_images_that_scripts_load(html: str, url: str) -> None:
    parts = parts_of(f"<p>Text<div>{html}</div><p>Text")
    images = [part for block in parts for part in block.walk() if part.kind == "image"]
    assert [image.attributes["url"] for image in images] == [url]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<iframe src=//v.org/embed/1?x=2 title='A film'></iframe>", ["https://v.org/embed/1?x=2"]),
        ("<video><source src=b.mp4><source src=c.webm>No video</video>", ["https://a.org/b/b.mp4"]),
        ("<audio src=b.mp3></audio>", ["https://a.org/b/b.mp3"]),
        ("<object data=https://player.v.org/1><p>No</object>", ["https://player.v.org/1"]),
        ("<object><embed src=https://v.org/player/1></object>", ["https://v.org/player/1"]),
        ("<object data=b.pdf type=application/pdf>Read it</object>", ["https://a.org/b/b.pdf"]),
        ("<embed src=b.swf>", ["https://a.org/b/b.swf"]),
        ("<object><param name=movie value=//www.youtube.com/v/1></object>", ["https://www.youtube.com/v/1"]),
        ("<object data=about:blank><param name=quality value=b.swf></object>", []),
        ("<lite-youtube videoid=a-1>Play</lite-youtube>", ["https://www.youtube.com/embed/a-1"]),
        ("<lite-vimeo videoid=1></lite-vimeo>", ["https://player.vimeo.com/video/1"]),
        ("<lite-youtube videoid='a/b'></lite-youtube>", []),
        ("<script src=https://gist.github.com/ada/1.js></script>", ["https://gist.github.com/ada/1"]),
        ("<script src=https://a.org/gist.github.com/1.js></script>", []),
        ("<object data=icon.svg></object><embed src=https://ads.org/v/1>", []),
        ("<iframe src=https://ads.org/banner></iframe>", []),
        ("<iframe src='javascript:x()'></iframe>", []),
        ("<iframe src=https://ads.org/x?u=/embed/></iframe>", []),
        ("<iframe hidden src=https://v.org/embed/1></iframe>", []),
    ],
)
def test_videos_and_other_embedded_objects(html: str, urls: list[str]) -> None:
    parts = parts_of(f"<p>Text<div>{html}</div><p>Text")
    embedded = [part for block in parts for part in block.walk() if part.kind == "embed"]
    assert [part.attributes["url"] for part in embedded] == urls
    assert [part.text for part in parts if part.kind == "paragraph"] == ["Text", "Text"]
