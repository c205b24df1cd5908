"""The main content of a page by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.columns.blocks import page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.single import (
    SinglePage,
    choose_blocks,
    page_table,
    up_to_article,
    within_limits,
    without_bylines,
)
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

KIM = "<a rel=author href=k>Kim Berg</a>"
SITE = Path(__file__).parents[2] / "examples" / "site"
PROSE = "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it.</p>"


def page_of(html: str) -> Page:
    return parse(Source("a", html.encode()))


def test_the_menu_is_left_out():
    article = SinglePage().predict(page_of(f"<nav><a href=x>Menu</a></nav><h1>Lamp</h1>{PROSE * 4}"))
    assert "Menu" not in article.text
    assert article.text.count("keeper") == 4
    assert article.title == "Lamp"


@pytest.mark.parametrize(
    ("alone", "share", "limited"),
    [
        (6.0, 0.1, [4.0, 6.0, 6.0, 7.0, -0.5]),  # few pages have the first text
        (6.0, 0.5, [-3.0, 6.0, 6.0, 7.0, -0.5]),
        (0.5, 0.1, [-3.0, 6.0, 6.0, 7.5, 2.0]),  # the page alone is not certain
    ],
)
def test_a_site_changes_little_on_a_page_that_is_certain_alone(
    alone: float, share: float, limited: list[float]
):
    facts = page_facts(page_of(f"{PROSE * 4}<div>12 words</div>"))
    odds = np.array([-3.0, 6.0, 6.0, 7.5, 2.0])
    of_page = np.array([alone] * 3 + [alone + 0.5, -1.0])
    of_site = within_limits(facts, np.arange(5), odds, of_page, np.full(5, share, np.float32))
    assert of_site.tolist() == limited


def test_the_title_is_no_part_of_the_text():
    article = SinglePage().predict(page_of(f"<title>Lamp</title><article><h1>Lamp</h1>{PROSE * 4}</article>"))
    assert [block.kind for block in article.blocks] == ["title", *["paragraph"] * 4]


@pytest.mark.parametrize(
    ("kind", "html", "kept"),
    [
        ("article", f"<article>{PROSE}</article>{PROSE}", 1),
        ("list", f"<article>{PROSE}</article>{PROSE}", 1),
        ("thread", f"<article>{PROSE}</article>{PROSE}", 2),
        ("article", f"<article>{PROSE * 2}</article><article>{PROSE}</article>{PROSE}", 3),
        ("article", f"{PROSE}<article>{PROSE}</article>", 2),
        ("article", f"<article>A lamp</article>{PROSE * 3}", 4),
        ("article", f"<main>{PROSE}</main>{PROSE}", 1),
        ("list", f"<main>{PROSE}</main>{PROSE}", 2),
    ],
)
def test_text_ends_with_the_article(kind: str, html: str, kept: int):
    facts = page_facts(page_of(html))
    main = up_to_article(facts, np.ones(len(facts.letters)), np.arange(len(facts.letters)), kind)
    assert main.tolist() == [1.0] * kept + [0.0] * (len(main) - kept)


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (f"{PROSE}<p class=byline>By Kim Berg and <a href=l>Lee Holm</a></p>", [1, 0]),
        (f"{PROSE}<p class=meta>By {KIM} and {KIM}</p>", [1, 0]),
        (f"{PROSE}<p class=meta>The lamp is lit by {KIM} at dusk.</p>", [1, 1]),
        (f"{PROSE}{'<p class=author>Kim Berg</p>' * 3}", [1, 1, 1, 1]),
        ("<p class=author>Kim Berg</p>", [1]),
        (f"<div class=author>{PROSE * 2}</div>", [1, 1]),
    ],
)
def test_lines_of_authors_are_no_text(html: str, kept: list[int]):
    facts = page_facts(page_of(html))
    assert without_bylines(facts, np.ones(len(facts.letters))).tolist() == kept


def test_a_page_whose_only_text_is_the_title_has_it_as_text():
    article = SinglePage().predict(page_of("<title>Lamp</title><h1>Lamp</h1>"))
    assert (article.title, article.text) == ("Lamp", "Lamp")


@pytest.mark.parametrize("html", ["<p>a", "<nav>a b", "<footer><a href=x>a</a></footer>", "a", "<li>1"])
def test_pages_with_visible_text_have_text(html: str):
    assert SinglePage().predict(page_of(html)).text


@pytest.mark.parametrize("html", ["", "<title>a</title>", "<script>a</script>", "<img src=a>"])
def test_pages_without_visible_text_have_no_text(html: str):
    assert SinglePage().predict(page_of(html)).text == ""


def test_a_page_of_form_controls_has_text():
    assert SinglePage().predict(page_of("<select><option>a</select>")).text in ("", "a")


def test_comments_are_separate_from_the_text():
    replies = "".join(
        f"<li class=comment id=c{k}><cite>Reader {k}</cite>{PROSE.replace('keeper', 'boy')}</li>"
        for k in range(4)
    )
    page = page_of(
        f"<title>Lamp</title><article><h1>Lamp</h1>{PROSE * 5}</article>"
        f"<div id=comments class=comments><h3>4 comments</h3><ol class=comment-list>{replies}</ol></div>"
    )
    article = SinglePage().predict(page)
    assert "boy" not in article.text
    assert article.comments
    assert all("boy" in comment.text for comment in article.comments)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_no_set_of_blocks_promises_more(beta):
    def measure(chosen):
        right, letters = (chosen * w * p).sum(axis=-1), (chosen * w).sum(axis=-1)
        return (1 + beta**2) * right / (letters + beta**2 * (w * p).sum())

    rng = np.random.default_rng(0)
    for _ in range(50):
        p, w = rng.random(6), rng.integers(1, 50, 6)
        sets = (np.arange(64)[:, None] >> np.arange(6)) & 1
        mine = np.isin(np.arange(6), choose_blocks(p, w, beta))
        assert measure(mine) >= measure(sets).max() - 1e-12


def test_precision_or_recall_is_favored():
    favors = ("precision", "balance", "recall")
    for name in ("en/shop/harbour-mug.html", "en/index.html", "en/notices/storm-diary.html"):
        sizes = [len(SinglePage(favor=favor).predict(SITE / name).text) for favor in favors]
        assert sizes[0] < sizes[1] < sizes[2]
    with pytest.raises(ParameterError, match="favor must be one of"):
        SinglePage(favor="speed")


def test_a_day_before_an_article_is_no_text_of_it() -> None:
    text = "The lamp of the harbour is lit at dusk, and nobody in the town knows who pays for the oil. "
    paragraphs = "".join(f"<p>{text * 3}{k}</p>" for k in range(6))
    html = f"<title>The lamp</title><article><h1>The lamp</h1><p>May 3, 2021</p>{paragraphs}</article>"
    page = parse(Source("a.html", html.encode(), url="https://harbour.example/blog/2021/the-lamp"))
    article = SinglePage().predict(page)
    assert max(article.kinds, key=article.kinds.__getitem__) == "article"
    assert article.text.startswith("The lamp of the harbour")


def rental_page(number: int) -> Page:
    """Return a page of a site on which all lists of things for rent end with the same item."""
    words = ["lamp", "harbour", "ferry", "stone", "winter", "baker", "light", "hill", "roof", "boat", "cat"]
    words = words[number:] + words[:number]
    pairs = zip(words, words[3:], strict=False)
    text = " ".join(f"The {a} near the {b} was built by people of year {number}." for a, b in pairs)
    items = "".join(f"<li>{word.title()} of {number + 1800}, with a {words[0]}</li>" for word in words[:4])
    return page_of(
        f"<title>The {words[0]} {number}</title><nav><a href=/>Home</a> <a href=/b>Boats</a></nav>"
        f"<article><h1>The {words[0]} {number}</h1><p>{text}<p>{text[::-1]}"
        f"<ul>{items}<li>All of them can be rented by everybody who asks.</li></ul></article>"
        "<footer>Imprint</footer>"
    )


def test_the_last_item_of_a_list_may_be_that_of_other_pages():
    pages = [rental_page(number) for number in range(12)]
    site = SiteTable.merged(map(page_table, pages)).shared()
    text = SinglePage().predict(pages[0], site).text
    assert "can be rented" in text
    assert "Imprint" not in text
