from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.documents.article import Article
from webgrain.documents.content import content
from webgrain.documents.parts import Part
from webgrain.extraction.document import Document, article_text, front_matter, html_of
from webgrain.extraction.single import SinglePage
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.strings import name_set
from webgrain.page.text import text_blocks

ALLOWED = name_set("href src alt charset lang start colspan rowspan class display")
KNOWN = name_set(
    "html head body meta title #text p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tbody tr td th caption pre "
    "code blockquote figure figcaption img a strong em del sub sup ruby rt br div span section article math"
)

CHARACTERS = st.characters(codec="utf-8")  # lone surrogates become question marks


def read(html: str, url: str | None = "http://example.org/a/") -> Page:
    return parse(Source("a.html", html.encode("utf-8", "replace"), url=url))


def document(html: str, url: str | None = "http://example.org/a/") -> Document:
    page = read(html, url)
    blocks = text_blocks(page)
    chosen = [k for k, text in enumerate(blocks.texts) if text != "Buy"]
    return Document(page, Article("article", "T", content(page, blocks, chosen, [1.0] * len(chosen))))


def test_text_that_is_not_main_text_is_left_out() -> None:
    found = document("<div><p>One<div class=ad>Buy<img src=x.png></div><p>Two<img src=x.png></div>").html
    assert "One" in found
    assert "Buy" not in found
    assert found.count("<img") == 1


def test_structure_pictures_and_links_are_kept() -> None:
    html = "<main><h2>H</h2><ol start=4><li>a<li><a href='../b?x=1&y=2'>b</a></ol><dl><dt>t<dd>d</dl>"
    table = "<table><caption>C</caption><tr><th>a<th>b<tr><td colspan=2>c</table>"
    found = document(f"{html}{table}<pre><code class=lang-c>x &lt; y</code></pre></main>").html
    assert '<a href="http://example.org/b?x=1&amp;y=2">b</a>' in found
    assert '<ol start="4"><li>a</li>\n<li>' in found
    assert '<td colspan="2">c</td>' in found
    assert "<caption>C</caption>" in found
    assert "<dt>t</dt>\n<dd>d</dd>" in found
    assert '<pre><code class="language-c">x &lt; y</code></pre>' in found


@pytest.mark.parametrize(
    "nasty",
    [
        "<script>x()</script>", "<img src=javascript:x() onerror=x()>", "<a href=' java\nscript:x()'>y</a>",
        "<svg><script>x()</script></svg>", "<iframe srcdoc='<script>x()</script>'></iframe>",
        "<a href='data:text/html,<script>x()</script>'>y</a>", "<p style='background:url(x)' onclick=x()>y",
        "<style>p{}</style>", "<math><mtext></p><script>x()</script>",
        "<img src=x alt='\"><script>x()</script>'>",
        "<noscript><p title='</noscript><script>x()</script>'></noscript>",
        "<template><script>x()</script></template>", "<form action=javascript:x()><input></form>",
        "<math><mi xlink:href=javascript:x()>x</mi><mglyph/><style>a</style></math>",
        "<script type=math/tex><img src=x onerror=x()></script>",
        "<pre><code class='lang-\"onload=x'>x</pre>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("url", ["http://example.org/", None])
def test_nothing_in_it_runs(nasty: str, url: str | None) -> None:
    dom = parse_html(document(f"<main><p>One {nasty}<p>Two</main>", url).html)
    assert not {"script", "style", "iframe", "svg", "form", "object"} & tags_of(dom)
    assert names_of(dom) <= ALLOWED
    addresses = [value for name in ("href", "src") for value in dom.column(name) if value]
    assert all(not value.lower().strip().startswith(("javascript", "data")) for value in addresses)


def tags_of(dom: Dom) -> set[str]:
    return {dom.name(node) for node in range(len(dom))}


def names_of(dom: Dom) -> set[str]:
    return {dom.names[name] for name in dom.attr_name.tolist()}


@settings(max_examples=20)
@given(st.text(alphabet="<>/\"'=& apdivsctulhm!-\n", max_size=80))
def test_any_markup_gives_a_document_of_known_elements(html: str) -> None:
    page = read(html)
    found = Document(page, SinglePage().predict(page))
    dom = parse_html(found.html)
    assert tags_of(dom) <= KNOWN
    assert names_of(dom) <= ALLOWED
    assert not found.text or found.markdown.endswith("\n")
    assert found.json["kind"] == "document"


def test_an_article_without_text_is_its_title() -> None:
    assert html_of("A < B", ()).endswith("<h1>A &lt; B</h1>\n")


def test_sections_are_in_the_tree() -> None:
    found = document("<main><p>a<h2>b</h2><p>c<h3>d</h3><p>e<h2>f</h2></main>").json
    assert [part["kind"] for part in found["children"]] == ["paragraph", "section", "section"]
    first = found["children"][1]
    assert [part["kind"] for part in first["children"]] == ["heading", "paragraph", "section"]
    assert first["children"][2]["children"][1]["text"] == "e"
    assert first["xpath"] == "/html[1]/body[1]/main[1]/h2[1]"


def test_comments_are_in_the_tree_and_not_in_the_text() -> None:
    comment = Part("comment", 3, (Part("paragraph", 3, ("Good.",)),), {"author": "Kim"})
    found = Document(read("<p>x"), Article("article", "T", (Part("paragraph", 3, ("x",)), comment)))
    assert found.text == "x"
    assert found.json["children"][1] == {
        "kind": "comment",
        "xpath": "/html[1]/body[1]/p[1]",
        "author": "Kim",
        "children": [{"kind": "paragraph", "xpath": "/html[1]/body[1]/p[1]", "text": "Good."}],
    }


FIELDS = st.dictionaries(
    st.from_regex(r"[a-z]_[a-z]{1,8}", fullmatch=True),
    st.one_of(st.text(CHARACTERS, min_size=1), st.lists(st.text(CHARACTERS), min_size=1)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=10)
@given(FIELDS)
def test_front_matter_is_yaml(values: dict[str, object]) -> None:
    yaml = pytest.importorskip("yaml")
    lines = front_matter(values).splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("---", "---", len(values) + 2)
    assert yaml.safe_load("\n".join(lines[1:-1])) == values


def test_a_heading_that_repeats_the_title_is_written_once() -> None:
    found = document("<main><h2>T</h2><p>a<h2>T</h2><p>b</main>")
    assert found.markdown == "# T\n\na\n\n## T\n\nb\n"
    assert found.html.count("<h2>T</h2>") == 1
    assert article_text(found.article) == "T\n\na\n\nT\n\nb\n"
