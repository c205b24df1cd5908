"""From blocks of a page to the parts of an article."""

from __future__ import annotations

import pytest

from webgrain.articleparts import parts
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks


def parts_of(html: str) -> list[tuple[str, str]]:
    page = parse(Source("a", html.encode()))
    blocks = text_blocks(page)
    found = parts(page.dom, blocks, range(len(blocks)), 0, [1.0] * len(blocks))
    return [(part.kind, part.text) for part in found]


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("one\n  two\n", "one\n  two"),
        ("one<br>two<br><br>  three\nfour", "one\ntwo\n\n  three\nfour"),
        ("<div>a <b>b</b></div>\n<div>  <i>c</i></div>d", "a b\n  c\nd"),
        ("<code>\n  a<br/>\n</code>b", "  a\n\nb"),
    ],
)
def test_code_keeps_its_lines_however_they_are_marked(html: str, code: str):
    assert parts_of(f"<pre>{html}</pre>") == [("code", code)]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<tr><th>Name<th>Price<th>Note<tr><td>Apple<td><td>none", "Name | Price | Note\nApple |  | none"),
        ("<tr><th><th>2024<tr><td>x<td>1", " | 2024\nx | 1"),
        ("<tr><td>Pear<br>green<td><p>a<p>b", "Pear green | a b"),
        ("<tr><td>a<td><tr><td>b<td>c", "a\nb | c"),
        ("<tr><td>a<table><tr><td>b<td>c</table><tr><td>d", "a\nb | c\nd"),
    ],
)
def test_what_a_cell_says_stays_in_its_column(html: str, rows: str):
    assert parts_of(f"<table>{html}</table>") == [("table", rows)]
