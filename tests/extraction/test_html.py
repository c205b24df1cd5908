from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.extraction.document import ATTRIBUTES, KEPT, main_html
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse, parse_html
from webgrain.results import Article, ArticleBlock

ALLOWED = ATTRIBUTES | {"href", "src", "charset"}


def read(html: str, url: str | None = "http://example.org/a/") -> Page:
    return parse(Source("a.html", html.encode("utf-8", "replace"), url=url))


def told(page: Page, *tags: str) -> Article:
    """Return an article whose main blocks are the elements of these tags."""
    nodes = [node for node in range(len(page.dom)) if page.dom.name(node) in tags]
    return Article("article", "T", tuple(ArticleBlock("paragraph", "", node) for node in nodes))


def test_text_that_is_no_main_text_is_left_out() -> None:
    page = read(
        "<div><p>One<div class=ad>Buy</div><p>Two<img src=x.png><aside>More</aside></div><footer>End</footer>"
    )
    found = main_html(page, told(page, "p"))
    assert "One" in found
    assert "Two" in found
    assert not any(word in found for word in ("Buy", "More", "End"))


def test_structure_pictures_and_links_stay() -> None:
    html = "<main><h2>H</h2><ul><li>a<li><a href='../b?x=1&y=2'>b</a></ul>"
    page = read(f"{html}<table><tr><td colspan=2>c</table></main>")
    found = main_html(page, told(page, "h2", "li", "td"))
    assert '<a href="http://example.org/b?x=1&amp;y=2">b</a>' in found
    assert "<ul><li>a</li><li>" in found
    assert '<td colspan="2">c</td>' in found


@pytest.mark.parametrize(
    "nasty",
    [
        "<script>x()</script>", "<img src=javascript:x() onerror=x()>", "<a href=' java\nscript:x()'>y</a>",
        "<svg><script>x()</script></svg>", "<iframe srcdoc='<script>x()</script>'></iframe>",
        "<a href='data:text/html,<script>x()</script>'>y</a>", "<p style='background:url(x)' onclick=x()>y",
        "<style>p{}</style>", "<math><mtext></p><script>x()</script>",
        "<noscript><p title='</noscript><script>x()</script>'></noscript>",
        "<template><script>x()</script></template>", "<form action=javascript:x()><input></form>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("url", ["http://example.org/", None])
def test_nothing_in_it_runs(nasty: str, url: str | None) -> None:
    page = read(f"<main><p>One {nasty}</main>", url)
    dom = parse_html(main_html(page, told(page, "main", "p")))
    assert not {"script", "style", "iframe", "svg", "form", "object"} & set(dom.tags)
    assert set(dom.names) <= ALLOWED
    addresses = [value for name in ("href", "src") for value in dom.column(name) if value]
    assert all(not value.lower().strip().startswith(("javascript", "data")) for value in addresses)


@given(st.text(alphabet="<>/\"'=& apdivsctul!-\n", max_size=80))
def test_any_markup_gives_a_document_of_known_elements(html: str) -> None:
    page = read(html)
    dom = parse_html(main_html(page, SinglePage().predict(page)))
    known = KEPT | {"html", "head", "body", "meta", "title", "#text"}
    assert set(names_of(dom)) <= known
    assert set(dom.names) <= ALLOWED


def names_of(dom: object) -> list[str]:
    return [dom.name(node) for node in range(len(dom))]  # type: ignore[attr-defined,arg-type]


def test_an_article_without_text_is_its_title() -> None:
    assert main_html(read("<p>x"), Article("unknown", "A < B")).endswith("<h1>A &lt; B</h1>\n\n")
