"""The kernels of authors and days, compiled and not, against the same features statement by statement."""

from __future__ import annotations

import time
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import metadatareference as reference
from tests.uncompiled import load_source, require_compiled

from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction import authors, publication, surroundings
from webgrain.extraction.authors import Authors, author_names
from webgrain.extraction.publication import Dates, date_names
from webgrain.extraction.single import SinglePage
from webgrain.extraction.surroundings import BYLINE, LINE, Surroundings
from webgrain.page.markup import META, Statements
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

PROSE = (
    "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it.</p>" * 3
)
LD = '<script type="application/ld+json">%s</script>'
PERSON = '{"@type": "Article", "headline": "Lamp", "author": [{"@type": "Person", "name": "Kim Auk"}]'
PAGES = {
    "an article": "<title>Lamp, by Kim Auk</title><meta property=og:type content=article>"
    + LD
    % f'{PERSON}, "datePublished": "2020-05-17", "dateModified": "2020-05-19", "uploadDate": "2019-01-01"}}'
    + f"<h1>Lamp</h1><p>By Kim Auk and Jo Lund, 18 May 2020</p>{PROSE}<p>Updated 20 May 2021</p>",
    "an organisation": "<meta property=og:site_name content=Lantern>"
    + LD
    % '{"headline": "Lamp", "publisher": {"name": "The Lantern"}, "author": {"@type": "Organization", '
    '"name": "Kim Auk, The Lantern"}}' + f"<h1>Lamp</h1>{PROSE}",
    "meta elements": "<title>Lamp</title><meta name=author content='Kim Auk'>"
    "<meta name=author content='Jo Lund'>"
    "<meta property=article:author content='Kim'><meta name=publish-on content=2020-05-17>"
    f"<meta name=x-updated content=2020-05-18><meta name=revised content=2020-05-19><h1>Lamp</h1>{PROSE}",
    "microdata": "<h1>Lamp</h1><p itemprop=author><b itemprop=name>Kim Auk</b></p>"
    "<p itemprop=author>Jo Lund</p>"
    f"<time itemprop=datePublished datetime=2020-05-17>x</time>"
    f"<i itemprop=dateModified>2020-05-18</i>{PROSE}",
    "elements": "<h1>Lamp</h1><div class=author-name>by <a rel=author href=/author/kim>Kim Auk</a>"
    "<a rel=author href=/author/jo>Jo Lund</a></div><time pubdate class=updated>17 May 2020</time>"
    f"{PROSE}<footer><p class=author>Max Tern</p><time datetime=2019-01-01>x</time></footer>",
    "lines": "<nav><p>By Sea</nav><h1>Lamp</h1><p>Written by</p><p>Kim Auk</p><p>: </p>"
    "<p>by Jo Lund</p><p>3/4/2020"
    f"<p>14/4/2020<p>02.12.19<p>Jo Lund | 5 min<p>bY Ann Berg"
    f"<p>Published<p>4 May 2020</p>{PROSE}<p>Kim Auk</p>"
    f"{PROSE * 10}<p>This post was written by Ann Tern.<p>© 2 May 2021 The Lantern</p>",
    "other parts": f"<h1>Lamp</h1>{PROSE}<div class=comments><p>By Ann<p>3 May 2020</div>"
    "<aside><p>By Jo<p>4 May 2020"
    "</aside><div class=card><p>Posted by Max Tern<p>5 May 2020</div><div id=wm-ipp>6 May 2020</div>",
    "addresses": f"<link rel=canonical href=/2020/05/17/lamp><h1>Lamp</h1>{PROSE}"
    '<script>x = {"datePublished": "2020-05-19"}</script>',
    "american": "<html lang=en-US><h1>Lamp</h1><p>3/4/2020<p>3/14/2020" + PROSE,
    "american, month first": "<html lang=en-US><h1>Lamp</h1><p>By Kim Auk, 3/4/2020<p>5/4/2020" + PROSE,
    "american, day first": "<html lang=en-US><h1>Lamp</h1><p>3/4/2020<p>14/4/2020" + PROSE,
    "names": "<title>Kim</title><h1>Lamp</h1><p class=author>KIM AUK<p class=author>Kim"
    "<p class=author>Auk, Kim; Jo"
    f"<p class=author>新聞 太郎<p class=author>kim (admin)<p class=byline>Kim, ★</p>{PROSE}",
    "no text": "<meta name=author content=Kim><time>17 May 2020</time>",
    "nothing": "",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "uncompiled":
        kernel = load_source(monkeypatch, "extraction.statementkernel")
        for module in (authors, publication, surroundings):
            monkeypatch.setattr(module, "statementkernel", kernel)


def check(page: Page, article: Article | None) -> None:
    """Compare the candidates of a page with those of the reference."""
    stated = Statements(page, article.title if article else "")
    around, expected_around = Surroundings(page, article), reference.Surroundings(page, article)
    for names, candidates, expected in (
        (author_names(), Authors(stated, around), reference.Authors(stated, expected_around)),
        (date_names(), Dates(stated, around), reference.Dates(stated, expected_around)),
    ):
        result, other = candidates.candidates(), expected.candidates()
        assert result.values == other.values
        assert result.features.shape == other.features.shape == (len(result.values), len(names))
        for name, column, expected_column in zip(names, result.features.T, other.features.T, strict=True):
            np.testing.assert_array_equal(column, expected_column, name)
    check_choice(result, other)


def check_choice(dates: publication.Candidates, expected: reference.Candidates) -> None:
    """Compare the chosen days of publication and of change, for several probabilities."""
    days = len(dates.values)
    for k in range(days + 1):
        probability = np.roll(np.linspace(0.05, 0.9, days), k)
        assert dates.best(probability) == expected.best(probability)
    for published in ("", "2020-05-18", *dates.values[:1]):
        assert dates.change(published) == expected.change(published)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", PAGES)
def test_candidates_are_those_of_single_statements(name: str) -> None:
    page = parse(Source(name, PAGES[name].encode(), url="https://www.lantern.example/2020/05/18/lamp"))
    check(page, SinglePage().predict(page))
    check(page, None)


@pytest.mark.usefixtures("kernels")
def test_line_marks_are_those_of_expressions() -> None:
    pieces = ["1", "9", "20", "٣", "/", "-", ".", "'", "’", " ", "a", " by", "²", "Mar"]
    every = ["".join(pieces[k // 14**p % 14] for p in range(5)) for k in range(0, 14**5, 29)]
    every += [
        "4-Mar-07",
        "4-Mar-2007",
        "4-de-07",
        "4/abcdefghijkl/07",
        "4/abcdefghijklm/07",
        "4-May",
        "4.X.07",
    ]
    texts = (*every, "", "19", "2020", "in 1985", "x" * 155 + "20201", "x" * 157 + "2020", "y" * 120 + " by")
    dated, signed = surroundings.statementkernel.line_marks(texts, LINE, BYLINE)
    assert dated == reference.dated_blocks(texts)
    assert signed == [k for k, text in enumerate(texts) if " by" in text and len(text) <= BYLINE]


@pytest.mark.data
def test_candidates_of_real_pages_are_those_of_single_statements() -> None:
    require_compiled()
    method = SinglePage()
    for site in read_bench(["oemforum", "cfnet", "castalio"]):
        for source in islice(site.sources(), 12):
            page = parse(source)
            check(page, method.predict(page))


def test_the_features_of_statements_are_first_in_their_table() -> None:
    numbers = (
        authors._ARTICLE,
        authors._PROFILE_LINK,
        authors._NAMED_AUTHOR,
        authors._ALONE_BESIDE,
        authors._REST,
    )
    assert [author_names()[k] for k in numbers] == ["article", "profile", "named", "alone", "rest"]
    numbers = (
        publication._CHANGED_AT,
        publication._META_CHANGED_AT,
        publication._TIME_NAMED,
        publication._LINE_TEXT,
    )
    assert [date_names()[k] for k in numbers] == ["changed", "meta changed", "time named", "line text"]
    assert date_names()[publication._NAMED_CHANGE] == "named change"
    places = ["at title", "at text", "at end", "in unit", "no footer", "no aside", "no card"]
    for names in (author_names(), date_names()):
        first = names.index("at title")
        assert list(names[first : first + len(places)]) == places


def test_each_name_of_a_meta_element_states_one_field() -> None:
    names = [name for value in META.values() for name in value.split()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["siblings", "depth", "names", "days"])
def test_hostile_pages_take_linear_time(name: str) -> None:
    require_compiled()
    many = 100_000
    html = {
        "siblings": "<p class=author>Kim Auk" * many,
        "depth": "<div class='author comment'>" * many + "Kim Auk, 3 May 2020",
        "names": f"<h1>Lamp</h1>{PROSE}"
        + "".join(f"<a rel=author href=/author/{k}>{'新' * 50}{k}</a>" for k in range(999)),
        "days": f"<h1>Lamp</h1>{PROSE}"
        + "".join(f"<time>{k % 28 + 1} May {1990 + k % 30}</time>" for k in range(9999)),
    }[name]
    page = parse(html)
    parts = Part("title", 3, ("Lamp",)), Part("paragraph", 5, ("The keeper",))
    article = Article("article", "Lamp", parts)
    stated, around = Statements(page), Surroundings(page, article)
    start = time.process_time()
    Authors(stated, around).candidates()
    Dates(stated, around).candidates()
    assert time.process_time() - start < 5
