"""What may be the main content of a page: its segments, its landmark, what is informative on it."""

from __future__ import annotations

from typing import Any

import pytest

from webgrain.errors import ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pipeline import pages
from webgrain.segmentation.gcuts import GCuts
from webgrain.site.duplicates import Segments, informative, landmark


def laid_out(html: str) -> Any:
    (page,) = pages([Source("a", html.encode())])
    return page


@pytest.mark.parametrize("largest", ["text", "area", "leaves"])
def test_candidates_are_the_segments(largest: Any) -> None:
    page = laid_out("<nav><a href=a>Home</a> <a href=b>News</a></nav><main><h1>Title</h1><p>One<p>Two</main>")
    parts = Segments(GCuts(), largest)(page)
    assert sorted("\n".join(part.text for part in parts).split()) == ["Home", "News", "One", "Title", "Two"]
    assert all(part.size > 0 and part.path for part in parts)


def test_without_a_layout_there_are_no_areas() -> None:
    assert {part.size for part in Segments(GCuts(), "area")(parse(Source("a", b"<p>One")))} == {0.0}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<article>b</article><main>c</main>", ["c"]),
        ("<p>a<article>b</article><div role=main>c</div>", ["c"]),
        ("<p>a<article>b</article><article>c</article>", ["b"]),
        ("<p>a", []),
        ("", []),
    ],
)
def test_landmarks(html: str, expected: list[str]) -> None:
    assert [part.text for part in landmark(parse(Source("a", html.encode())))] == expected


def test_informative_segments_are_those_of_informative_roles() -> None:
    page = parse(Source("a", b"<p>Home<p>Some words"))
    segmentation = GCuts().predict(page)
    assert informative(lambda _: segmentation)(page) == []  # no roles told


def test_the_largest_is_of_a_known_kind() -> None:
    with pytest.raises(ParameterError, match="largest must be one of text, area, leaves, got 'box'"):
        Segments(GCuts(), "box")  # type: ignore[arg-type]
