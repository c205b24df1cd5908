"""Which text blocks belong to the same containers as those that a method has chosen."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.documents.gaps import without_gaps
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

LONG = "A long text that is not content "


def filled(html: str, chosen: list[int]) -> list[int]:
    page = parse(html)
    return without_gaps(page, text_blocks(page), chosen).tolist()


@pytest.mark.parametrize(
    ("html", "chosen", "expected"),
    [
        ("<p>a<pre>b</pre><p>c", [0, 2], [0, 1, 2]),
        ("<p>a<pre>b</pre><p>c", [0], [0]),
        ("<pre>a<div>b</div>c</pre>", [1], [0, 1, 2]),
        (f"<dl><dt>a<dd>b<dt>c<dd>d<dt>e<dd>{LONG}</dl>", [1, 2], [0, 1, 2, 3]),
        (
            f"<table><tr><th>h<th>i<tr><td>a<td>b<tr><td>c<td>d<tr><td>{LONG}<td>f</table>",
            [2, 4],
            [0, 1, 2, 3, 4, 5],
        ),
        (
            f"<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>{LONG}<td>f</table>",
            [1, 3],
            [0, 1, 2, 3],
        ),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>", [0, 2], [0, 2]),
    ],
)
def test_what_is_between_two_chosen_blocks_is_content(
    html: str, chosen: list[int], expected: list[int]
) -> None:
    assert filled(html, chosen) == expected


@pytest.mark.parametrize(
    ("html", "chosen", "expected"),
    [
        ("<ul><li>aa<li>bb<li>cc<li>dd</ul>", [1, 2], [0, 1, 2, 3]),
        ("<ul><li>aa<li>bb<li>cc<li>dd</ul>", [1], [1]),
        ("<ol><li>a<ul><li>b<li>c</ul><li>d</ol>", [0, 1], [0, 1, 2, 3]),
        ("<blockquote><p>a long line<footer>name</footer></blockquote>", [0], [0, 1]),
        ("<details><summary>a</summary><p>b and more</details>", [1], [0, 1]),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", [1, 2], [0, 1, 2, 3]),
        ("<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>", [2, 3], [0, 1, 2, 3, 4, 5]),
        ("<table role=none><tr><td>a<td>b<tr><td>c<td>d</table>", [1, 2], [1, 2]),
        ("<div><p>aa<p>bb<p>cc</div>", [0, 1], [0, 1]),
    ],
)
def test_containers_that_are_mostly_content_are_whole(
    html: str, chosen: list[int], expected: list[int]
) -> None:
    assert filled(html, chosen) == expected


@pytest.mark.parametrize(
    ("html", "chosen", "expected"),
    [
        (
            "<div><p>Text<ul><li><a href=a>One</a><li><a href=b>Two</a></ul><p>More</div>",
            [0, 3],
            [0, 1, 2, 3],
        ),
        ("<div><p>Text<dl><dt>One<dd>Two</dl><p>More</div>", [0, 3], [0, 1, 2, 3]),
        ("<div><p>Text</p><table><tr><td>a<td>b<tr><td>c<td>d</table><p>More</div>", [0, 5], list(range(6))),
        ("<div><p>Text<blockquote>One</blockquote><p>More</div>", [0, 2], [0, 1, 2]),
        ("<div><p>Text<pre>One</pre><p>More</div>", [0, 2], [0, 1, 2]),
        ("<div><p>Text</div><ul><li>One<li>Two</ul><div><p>More</div>", [0, 3], [0, 1, 2, 3]),
        ("<div><p>Text<ul><li>One<li>Two</ul></div><p>More", [0, 3], [0, 3]),
        (f"<div><p>Text<ul><li>One<li>Two</ul><p>More<p>{LONG}</div>", [0, 3], [0, 3]),
        ("<div><p>Text<div><p>One<p>Two</div><p>More</div>", [0, 3], [0, 3]),
    ],
)
def test_containers_between_blocks_of_the_content_are_content(
    html: str, chosen: list[int], expected: list[int]
) -> None:
    assert filled(html, chosen) == expected


FIGURE = "<figure><div><img src=x></div><figcaption>The caption</figcaption></figure>"


@pytest.mark.parametrize(
    ("html", "chosen", "expected"),
    [
        (f"<p>Text{FIGURE}<p>More", [0, 2], [0, 1, 2]),
        (f"<div>{FIGURE}<p>Text<p>More</div>", [1, 2], [0, 1, 2]),
        (f"<div><div><img src=y>{FIGURE}</div><p>Text<p>More</div>", [1, 2], [0, 1, 2]),
        (f"<p>Text<p>More<ul><li>{FIGURE}<p>{LONG}<li>{FIGURE}<p>{LONG}</ul>", [0, 1], [0, 1]),
        (f"{FIGURE}{FIGURE}", [], []),
        (f"<p>Text{FIGURE}", [], []),
    ],
)
def test_figures_in_the_content_keep_their_captions(
    html: str, chosen: list[int], expected: list[int]
) -> None:
    assert filled(html, chosen) == expected


@pytest.mark.parametrize(
    ("html", "chosen", "expected"),
    [
        ("<p>Text<h2>One</h2><p>Two", [0, 2], [0, 1, 2]),
        ("<p>Text<div><h2><a href=a>One</a></h2></div><p>Two", [0, 2], [0, 1, 2]),
        (f"<p>Text<header><h2>One</h2><p>{LONG}</header><p>Two", [0, 3], [0, 3]),
        ("<h2>One</h2><p>Two", [1], [1]),  # a title
        (f"<p>Text<h2>One</h2><p>Two<p>{LONG}", [0, 2], [0, 2]),
        (f"<p>Text<h2>One</h2><p>Two<h2>Three</h2><p>{LONG}", [0, 2], [0, 1, 2]),
        (f"<p>Text<h2>One</h2><p>Two<h3>Three</h3><p>{LONG}", [0, 2], [0, 2]),
        (f"<div><p>Text<h2>One</h2><p>Two</div><p>{LONG}", [0, 2], [0, 1, 2]),
        ("<p>Text<h2>One<br>Two</h2><p>Three", [0, 1, 3], [0, 1, 3]),
    ],
)
def test_headings_of_content_behind_content_are_content(
    html: str, chosen: list[int], expected: list[int]
) -> None:
    assert filled(html, chosen) == expected


def test_refused_blocks_are_not_added() -> None:
    page = parse("<p>Text<h1>Title</h1><p>More<ul><li>One<li>Two</ul><p>Three")
    refused = np.array([False, True, False, False, True, True])
    assert without_gaps(page, text_blocks(page), [0, 2, 3, 5], refused).tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize("container", ["<ul><li>a</ul>", "<figure><img src=x>a</figure>", "<dl><dt>a</dl>"])
def test_pages_with_many_containers(container: str) -> None:
    number = 20_000
    html = f"<div><p>{LONG * 2 * number}</p>" + container * number + "<p>b</div>"
    expected = list(range(number + 2))
    assert filled(html, [0, *range(1, number + 2, 2), number + 1]) == expected
