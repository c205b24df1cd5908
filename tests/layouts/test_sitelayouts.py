"""Layouts of synthetic sites, also with Webstemmer: learning, extraction, and bad input."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.errors import ParameterError
from webgrain.layouts.sitelayouts import METHODS, SiteLayouts
from webgrain.layouts.thresholds import MIN_SIMILARITY
from webgrain.layouts.webstemmer import OriginalWebstemmer, Webstemmer
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from webgrain.results import Article

WORDS = (
    "harbour light rope tide salt wind letter kitchen boat crane bell morning lantern slate road net window "
    "story winter herring glass keeper north map tower bread smoke engine paper garden river stone"
)
NAMES = "Ada Ben Cleo Dan Eve Fay".split()  # noqa: SIM905
KINDS = tuple(METHODS.values())


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS.split(), k=count)).capitalize() + "."


def frame(number: int, title: str, main: str, kind: str) -> Page:
    html = (
        f"<title>{title} | The Lantern</title><body class='{kind} post-{number} tag-{NAMES[number % 6]}'>"
        "<div id=head><p class=name>The Lantern</p><ul class=menu><li><a href=list-0.html>News</a>"
        "<li><a href=about.html>About us</a></ul></div>"
        f"<div id=main>{main}</div>"
        "<div id=foot>All words belong to those who made them. Printed on Quay Street.</div>"
    )
    return parse(Source(f"{kind}-{number}.html", html.encode()))


def article(number: int, body: str = "", comments: int = 0) -> Page:
    rng = random.Random(number)
    title = f"{words(rng, 4)[:-1]} {number}"
    paragraphs = "".join(f"<p>{words(rng, 40)}" for _ in range(rng.randrange(3, 9)))
    said = "".join(
        f"<div class='comment' id=c{number}{i}><div class=who>{name}</div>"
        f"<div class=said>{words(rng, 30)}</div></div>"
        for i, name in enumerate(rng.sample(NAMES, comments))
    )
    main = (
        f"<h1 class=title>{title}</h1><p class=byline>By {rng.choice(NAMES)}, {number % 28 + 1} May 2026</p>"
        f"<div class='entry entry-{number}'>{paragraphs}{body}</div>"
        f"<div id=comments><h2>Comments</h2>{said}</div>"
    )
    return frame(number, title, main, "article")


def listing(number: int, articles: list[Page]) -> Page:
    rng = random.Random(-number)
    teasers = "".join(
        f"<div class=teaser><h2><a href={page.id}>{title_of(page)}</a></h2>"
        f"<div class=date>{rng.randrange(1, 29)} May</div><div class=lead>{words(rng, 20)}</div></div>"
        for page in articles
    )
    return frame(number, f"News, page {number}", f"<h1>News</h1>{teasers}", "list")


def title_of(page: Page) -> str:
    return page.dom.text_of(node_of(page, "title")).removesuffix(" | The Lantern")


def node_of(page: Page, tag: str) -> int:
    return next(node for node in range(len(page.dom)) if page.dom.name(node) == tag)


@pytest.fixture(scope="module")
def site() -> list[Page]:
    articles = [article(number, comments=number % 4) for number in range(24)]
    return [*articles, *(listing(number, articles[number::5]) for number in range(5))]


@pytest.fixture(scope="module")
def learnt(site: list[Page]) -> SiteLayouts:
    return SiteLayouts().fit(site)


def test_articles_and_lists_are_told_apart(site: list[Page], learnt: SiteLayouts) -> None:
    assert [layout.pages for layout in learnt.layouts_ or ()] == [24, 5]
    unseen = [article(number, comments=2) for number in range(100, 105)]
    assert {learnt.predict(page).verdict for page in [*site[:24], *unseen]} == {"article"}
    lists = [*site[24:], listing(9, unseen)]
    assert {learnt.predict(page).verdict for page in lists} == {"index"}
    assert learnt.predict(lists[-1]).text == ""


def test_title_and_text_and_nothing_else(learnt: SiteLayouts) -> None:
    page = article(200, comments=3)
    found = learnt.predict(page)
    rng = random.Random(200)
    title = f"{words(rng, 4)[:-1]} 200"
    paragraphs = [words(rng, 40) for _ in range(rng.randrange(3, 9))]
    assert found.title == title
    assert found.text == "\n\n".join(paragraphs)
    assert len(found.comments) == 3
    assert any(text.startswith("By ") for text in found.sub)
    assert not any("Printed on" in text or "About us" in text for text in found.sub)
    assert found.confidence == pytest.approx(1.0, abs=0.4)


def test_structure_in_the_text_is_kept(learnt: SiteLayouts) -> None:
    body = (
        "<h2 id=x>Why?</h2><ol><li>one<ul><li>deep</ul><li>two</ol><blockquote><p>said</blockquote>"
        "<pre>def f():\n    pass</pre><table><tr><th>a<th>b<tr><td>1<td>2</table>"
        "<figure><img src=x><figcaption>a picture</figcaption></figure><p>新闻 <em>x</em>."
    )
    blocks = learnt.predict(article(201, body)).blocks
    found = [(block.kind, block.text) for block in blocks if block.kind not in ("paragraph", "title")]
    assert found[:6] == [
        ("heading", "Why?"),
        ("list", "one\ndeep\ntwo"),
        ("quote", "said"),
        ("code", "def f():\n    pass"),
        ("table", "a | b\n1 | 2"),
        ("figure", "a picture"),
    ]
    assert "新闻 x." in learnt.predict(article(201, body)).text
    assert "pass" in learnt.predict(article(201, body)).text


def test_every_block_names_the_node_that_holds_it(learnt: SiteLayouts) -> None:
    page = article(202, comments=2)
    for block in learnt.predict(page).blocks:
        held = " ".join(page.dom.text_of(block.node).split())
        assert all(word in held for word in block.text.split())
        assert 0 <= block.score <= 1


def test_long_or_odd_articles_stay_in_their_layout(learnt: SiteLayouts) -> None:
    odd = [
        "<p>" + "word " * 5000,
        "<ul>" + "<li>item" * 300,
        "<pre>x\n" * 50,
        "<table>" + "<tr><td>1<td>2" * 99,
    ]
    assert {learnt.predict(article(300 + i, body)).layout for i, body in enumerate(odd)} == {"1"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_pages_makes_no_difference(kind: Any, site: list[Page]) -> None:
    shuffled = random.Random(1).sample(site, len(site))
    one, other = (kind().fit(pages) for pages in (site, shuffled))
    assert [one.predict(page) for page in site] == [other.predict(page) for page in site]


@pytest.mark.parametrize("kind", KINDS[1:])
def test_patterns_find_title_and_text_where_ids_have_no_numbers(kind: Any) -> None:
    pages = [article(number) for number in range(12)]
    lists = [listing(number, pages) for number in range(2)]
    method = kind(mangle="[a-z]+").fit([*pages, *lists])
    found = method.predict(pages[3])
    assert found.verdict == "article"
    assert found.title == title_of(pages[3])
    assert found.text == SiteLayouts().fit([*pages, *lists]).predict(pages[3]).text


def test_numbered_ids_leave_the_program_of_2007_without_a_layout() -> None:
    pages = [article(number) for number in range(12)]
    assert OriginalWebstemmer().fit(pages).predict(pages[3]).text == ""


def test_layouts_of_containers_can_be_told_as_patterns(site: list[Page], learnt: SiteLayouts) -> None:
    found = learnt.patterns(site)
    assert isinstance(found, OriginalWebstemmer)
    assert {len(pattern.pages) for pattern in found.patterns_ or ()} == {24, 5}


def test_thresholds_change_what_is_read_without_learning(site: list[Page], learnt: SiteLayouts) -> None:
    def read(**params: Any) -> Article:
        method = SiteLayouts(**params)
        method._restore(learnt._state())
        return method.predict(site[0])

    assert read().verdict == "article"
    assert read(match_threshold=1.0).verdict in ("article", "unknown")
    assert read(main_threshold=100_000.0).verdict == "index"
    assert read(pattern_threshold=1e9).verdict == "index"
    assert read(diff_threshold=0.0).verdict == "article"
    assert read(strict=True).verdict == "article"


def test_strict_wants_a_title() -> None:
    pages = [article(number) for number in range(12)]
    untitled = frame(99, "x", f"<div class=entry><p>{words(random.Random(5), 60)}</div>", "article")
    method = SiteLayouts(strict=True, match_threshold=0.2).fit(pages)
    assert method.predict(pages[0]).verdict == "article"
    assert method.predict(untitled).verdict == "unknown"


BAD = {
    "no page": [],
    "one page": [article(1)],
    "empty pages": [parse(Source(f"{n}", b"")) for n in range(3)],
    "nothing in common": [
        parse(Source("a", b"<div id=x><p>one")),
        parse(Source("b", b"<table><td>two")),
        parse(Source("c", b"<ul><li>three")),
    ],
    "identical": [parse(Source(f"{n}", b"<div id=a><h1>T</h1><p>" + b"text " * 50)) for n in range(1000)],
    "hostile": [
        parse(Source("deep", b"<div>" * 5000 + b"x")),
        parse(Source("wide", b"<p class=a>x" * 5000)),
        parse(Source("names", b"<div " + b"class='" + b"x " * 5000 + b"' id='\xff\x00'>x")),
        parse(Source("hrefs", b"<base href='http://['><h2><a href='http://[::'>x</a></h2>")),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pages", BAD.values(), ids=BAD)
def test_bad_sites_have_a_verdict(pages: list[Page], kind: Any) -> None:
    pages = pages if kind is SiteLayouts else pages[:40]
    method = kind().fit(pages)
    assert {method.predict(page).verdict for page in pages[:3]} <= {"article", "index", "unknown"}
    assert method.predict(article(5)).verdict != "article"


def test_pages_that_are_all_the_same_are_no_articles() -> None:
    assert SiteLayouts().fit(BAD["identical"]).predict(BAD["identical"][0]).verdict == "index"


def test_wrong_parameters() -> None:
    for wrong in (
        {"cluster_threshold": 1.5},
        {"match_threshold": "0.4"},
        {"main_threshold": -1.0},
        {"strict": "yes"},
        {"mangle": "(a+)+$"},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Webstemmer(**wrong)  # type: ignore[arg-type]
        if "mangle" not in wrong:
            with pytest.raises(ParameterError, match=next(iter(wrong))):
                SiteLayouts(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="call fit"):
        SiteLayouts().predict(article(1))
    with pytest.raises(ParameterError, match="call fit"):
        Webstemmer().predict(article(1))


def test_no_page_matches_below_the_least_likeness() -> None:
    assert SiteLayouts().match_threshold > MIN_SIMILARITY


def test_presets_are_deprecated() -> None:
    for preset, kind in METHODS.items():
        with pytest.warns(DeprecationWarning, match=kind.__name__):
            method = Webstemmer(preset=preset, diff_threshold=0.4)
        assert type(method) is kind
        assert method.diff_threshold == 0.4
    with pytest.raises(ParameterError, match="preset must be one of"):
        Webstemmer(preset="best")
