"""Time grows in proportion to the size of a page: every stage on many repetitions of each common element.

And the work of the functions of the API, in lines of Python, is bounded by the size of a page: seconds depend
on the machine and its load, lines do not. `benchmarks/bench_hostile.py --bound` measures the seconds.
"""

from __future__ import annotations

from functools import cache
from time import process_time
from typing import TYPE_CHECKING

import pytest
from tests.hostile.corpus import PAGES, grown
from tests.hostile.stages import STAGES
from tests.site.sites import shop
from tests.work import lines_run

import webgrain
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable

EMPTY = ("br", "hr", "img src=x", "input", "wbr", "link rel=stylesheet href=x.css", "meta name=a content=b")
FILLED = (
    *("a href=/x", "abbr", "address", "article", "aside", "b", "blockquote", "button", "center", "code"),
    *("details", "div", "em", "figure", "font", "footer", "form", "h1", "h2", "header", "i", "iframe"),
    *("label", "main", "nav", "noscript", "p", "pre", "section", "small", "span", "strong", "sub", "style"),
    *("svg", "textarea", "time", "u", "video", "script", "template"),
)
ELEMENTS: dict[str, tuple[str, str]] = {
    **{name.split()[0]: ("", f"x<{name}>") for name in EMPTY},
    **{name.split()[0]: ("", f"<{name}>x</{name.split()[0]}>") for name in FILLED},
    **{name: (f"<{name}>", "<li>x</li>") for name in ("ul", "ol", "menu")},
    "ul ul": ("", "<ul><li>x</ul>"),
    "dt": ("<dl>", "<dt>x<dd>y"),
    "tr": ("<table>", "<tr><td>x<td>y"),
    "td": ("<table><tr>", "<td>x"),
    "table": ("", "<table><tr><td>x</table>"),
    "option": ("<select>", "<option>x</option>"),
    "optgroup": ("<select>", "<optgroup label=x><option>y</optgroup>"),
    "select": ("", "<select><option>x</select>"),
    "comment": ("", "<!-- x -->y"),
    "entity": ("<p>", "&amp;&nbsp;&#x1F600;&nosuch; "),
    "word": ("<p>", "word "),
    "long text": ("<p>", "Some words of a long text, which goes on, 1 of 2011. "),
    "attribute": ("<p ", " a§=b"),
    "class": ("<p class='", " c§"),
    "style": ("<p style='", "color:red;"),
    "meta date": ("", "<meta name=date content=2020-01-01><meta property=article:tag content=§>"),
    "ld+json": ("", '<script type="application/ld+json">{"@type":"Person","name":"§"}</script>'),
    "own ids": ("", "<div id=§><span>word §</span></div>"),
    "own classes": ("", "<p class='§ d'>word §"),
    "own tags": ("", "<x-§>word §</x-§>"),
    "own links": ("<ul>", "<li><a href=/§/x>word §</a> and more"),
    "own rows": ("<table>", "<tr><td>§<td><a href=§>word §</a><td>1"),
    "record": ("", "<div class=r><h3><a href=/§>Name §</a></h3><time>1 Jan 2020</time><p>§ words</div>"),
    "comment of a thread": (
        "",
        "<div class=comment id=c§><span class=author>§</span><p>I think that § is right.</div>",
    ),
    "nested lists": ("", "<ul><li>x" * 100 + "</ul>" * 100),
    "nested quotes": ("", "<blockquote><p>some words" * 50 + "</blockquote>" * 50),
    "footnote": ("", "<p>Word<sup><a href=#n§ id=r§>1</a></sup><p id=n§>a note"),
}
"""Start of a page and a repeated part; § is replaced by different letters each time."""

LIKELY = ("option", "li", "td", "p", "own classes", "record")
"""Elements of the short test."""


def page_of(element: str, n: int) -> Page:
    start, repeated = ELEMENTS[element]
    if "§" in repeated:
        html = start + "".join(repeated.replace("§", letters(k)) for k in range(n))
    else:
        html = start + repeated * (n if len(repeated) < 200 else n // 50)
    return parse(Source("page", html.encode(), "https://hostile.example/"))


def letters(k: int) -> str:
    """Return a number in letters, since methods may take numbers for the same."""
    return str(k).translate(str.maketrans("0123456789", "abcdefghij"))


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def assert_linear(element: str, stage: str, few: int, many: int) -> None:
    """Assert that time grows not much faster than the page, or is below 0.1 ms per element.

    A second is allowed for noise. The second bound is for methods that give a long page up, or find nothing
    on a short one.
    """

    def work(n: int) -> Callable[[], object]:
        return lambda: STAGES[stage](page_of(element, n))

    short, long = seconds(work(few)), seconds(work(many))
    assert long < max(1 + 4 * (many / few) * short, many * 1e-4), (
        f"{element}, {stage}: {short:.2f} s, then {long:.2f} s"
    )


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "site"])  # it consists of others
def test_stages_take_linear_time_on_likely_elements(stage: str) -> None:
    STAGES[stage](page_of("p", 100))  # what is loaded only once
    for element in LIKELY:
        assert_linear("ul" if element == "li" else element, stage, 100, 1_000)


@pytest.mark.full
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_stages_take_linear_time(element: str, stage: str) -> None:
    STAGES[stage](page_of("p", 100))
    assert_linear(element, stage, 1_000, 10_000)


@pytest.mark.full
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_stages_take_linear_time_on_the_largest_pages(element: str, stage: str) -> None:
    STAGES[stage](page_of("p", 100))
    assert_linear(element, stage, 10_000, 100_000)


MOST_LINES, USUAL_LINES = 60, 30
"""Lines of Python that a function runs for each byte of a page at most; the worst page, ``<p>x``, has 48.
It has more than the usual number only if a smaller page of the same kind has as many."""


@cache
def site() -> webgrain.Site:
    return webgrain.Site.fit(shop(12))


FUNCTIONS: dict[str, Callable[[Source], object]] = {
    "extract": lambda page: webgrain.extract(page).to_dict(),
    "segment": lambda page: webgrain.segment(page).to_dict(),
    "find_lists": lambda page: [listing.to_dict() for listing in webgrain.find_lists(page)],
    "fit": lambda page: webgrain.Site.fit([page]),
    "predict": lambda page: site().predict(page).to_dict(),
}


def assert_work_is_bounded(name: str, function: str) -> None:
    """Assert that the work of a function is bounded by the size of a page, and grows with it."""
    work = FUNCTIONS[function]
    work(shop(1)[0])  # what is loaded only once
    few, many = (
        Source(name, grown(name, n_bytes), "https://hostile.example/") for n_bytes in (10_000, 40_000)
    )
    short = lines_run(lambda: work(few))
    assert short <= MOST_LINES * max(len(few.body), 10_000)
    growth = max(len(many.body) / max(len(few.body), 1), 1)
    most = max(1.3 * growth * short + 50_000, USUAL_LINES * len(many.body))
    assert lines_run(lambda: work(many)) <= most


@pytest.mark.parametrize("function", FUNCTIONS)
def test_work_is_bounded_by_the_size_of_a_likely_page(function: str) -> None:
    for name in ("records", "deep", "attribute"):
        assert_work_is_bounded(name, function)


@pytest.mark.full
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", PAGES)
def test_work_is_bounded_by_the_size_of_a_page(name: str, function: str) -> None:
    assert_work_is_bounded(name, function)
