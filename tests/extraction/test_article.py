"""Pages by all that is known of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import markup

from webgrain.errors import ParameterError
from webgrain.extraction.article import Evidence, join
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_text
from webgrain.parts import Part
from webgrain.results import Article

SAYS = "A sentence of the story, with a comma and an end. " * 4
HTML = f"""<title>The boat | Lantern</title><nav><a href=/>Home</a></nav><div id=box>Buy our ropes, they
are the best of the town and never break, and come in all colours that there are.</div>
<h1>The boat</h1><p>{SAYS}</p><p>Short.</p><h2>Ropes</h2><p>{SAYS}</p>"""


def page(html: str = HTML) -> Page:
    return parse(Source("page", html.encode()))


def within(one: Page, *starts: str) -> np.ndarray:
    """1 at the texts that begin so."""
    return np.array(
        [one.dom.is_text[k] and one.dom.text_of(k).startswith(starts) for k in range(len(one.dom))], float
    )


def test_an_article_of_a_known_layout_stays_as_it_is() -> None:
    blocks = (Part("title", 1, ("T",)), Part("paragraph", 2, ("By its layout.",)))
    told = Article("article", "T", blocks, "3", 0.9)
    found = join(page(), Evidence(told, noise=np.ones(len(page().dom))))
    assert (found.blocks, found.title, found.layout, found.confidence) == (blocks, "T", "3", 0.9)
    assert found.evidence == "layout"


def test_a_layout_without_a_place_of_the_title() -> None:
    told = Article("article", "The boat | Lantern", (Part("paragraph", 9, ("Text.",)),), "3", 0.9)
    found = join(page(), Evidence(told))
    assert found.title == "The boat"
    assert [block.kind for block in found.blocks] == ["title", "paragraph"]
    assert found.text == "Text."


def test_a_layout_that_takes_the_name_of_the_part_for_the_title() -> None:
    one = page(f"<title>The boat</title><h2>Our harbour</h2><h2>The boat</h2><p>{SAYS}")
    at = [node for node in range(len(one.dom)) if one.dom.name(node) in ("h2", "p")]
    kinds = ("title", "heading", "paragraph")
    blocks = (Part(kind, node, (one.dom.text_of(node),)) for kind, node in zip(kinds, at, strict=True))
    told = Article("article", "Our harbour", tuple(blocks), "3", 0.9)
    found = join(one, Evidence(told, noise=within(one, "Our harbour")))
    assert [(block.kind, block.text[:8]) for block in found.blocks] == [
        ("title", "The boat"),
        ("paragraph", "A senten"),
    ]
    assert (found.title, found.evidence) == ("The boat", "layout and noise")
    assert join(one, Evidence(told, noise=np.zeros(len(one.dom)))).title == "Our harbour"
    sure = replace(told, title="The boat")
    assert join(one, Evidence(sure, noise=np.ones(len(one.dom)))) == replace(sure, evidence="layout")


def test_a_layout_that_knows_nothing_but_the_title() -> None:
    told = Article("article", "The boat | Lantern", (Part("heading", 9, ("The boat",)),), "3", 0.9)
    found = join(page(), Evidence(told))
    assert (found.title, found.verdict, found.evidence) == ("The boat", "article", "single page")
    assert "A sentence" in found.text


@pytest.mark.parametrize("noise", [None, np.zeros(3)])
def test_a_page_that_says_nothing_is_unknown_whatever_it_looks_like(noise: np.ndarray | None) -> None:
    found = join(page(""), Evidence(Article("index", "", (), "2", 0.9), noise=noise))
    assert (found.verdict, found.layout, found.text) == ("unknown", "", "")


def test_noise_is_left_out() -> None:
    one = page()
    assert "Buy our ropes" in join(one, Evidence()).text
    found = join(one, Evidence(noise=within(one, "Home", "Buy")))
    assert "Buy our ropes" not in found.text
    assert "A sentence" in found.text
    assert "Home" not in found.text
    assert (found.title, found.verdict, found.evidence) == ("The boat", "unknown", "noise and single page")


def test_boilerplate_is_left_out() -> None:
    one = page()
    boilerplate = np.where(within(one, "Buy") > 0, 0, -1).astype(np.int32)
    found = join(one, Evidence(boilerplate=boilerplate))
    assert "Buy our ropes" not in found.text
    assert found.evidence == "boilerplate and single page"


def test_what_is_not_noise_of_a_known_site_is_likelier_content() -> None:
    one = page()
    assert "Short." in join(one, Evidence(noise=within(one, "Home", "Buy"))).text


def test_text_is_never_empty_where_there_is_some() -> None:
    for html in (HTML, "<p>x", "<nav>Menu</nav>", "<h1>One</h1>", "<a href=/>Link</a>", "<li>1"):
        one = page(html)
        everything = np.ones(len(one.dom))
        boilerplate = np.zeros(len(one.dom), np.int32)
        assert join(one, Evidence(noise=everything, boilerplate=boilerplate)).text
    assert join(page(""), Evidence()).text == ""
    assert join(page("<title>x</title>"), Evidence()).title == "x"


def test_links_decide_between_headings() -> None:
    one = page("<title>Lantern</title><h2>News of today</h2><h2>The boat</h2><p>" + SAYS)
    assert join(one, Evidence(anchors={"The boat": 3, "Read more": 4})).title == "The boat"
    assert join(one, Evidence(anchors={"Read more": 4})).title == "Lantern"
    assert join(one, Evidence()).title == "Lantern"


def test_a_page_of_which_nothing_is_known_has_its_title_without_the_name_of_the_site() -> None:
    one = page(f"<title>Boats and ropes | The Lantern</title><p>{SAYS}")
    assert join(one, Evidence(Article("unknown", "Boats and ropes | The Lantern"))).title == "Boats and ropes"
    one = page(f"<title>The Lantern</title><h1>Boats and ropes</h1><p>{SAYS}")
    found = join(one, Evidence())
    assert (found.title, found.of_kind("title")) == ("Boats and ropes", ("Boats and ropes",))
    assert [one.dom.name(block.node) for block in found.blocks] == ["h1", "p"]


def test_the_name_of_the_site_above_an_article_is_not_its_title() -> None:
    html = f"<title>The boat | Lantern of Sandrey</title><h1>Lantern of Sandrey</h1><h2>A story</h2><p>{SAYS}"
    assert join(page(html), Evidence()).title == "The boat"


def test_a_doubtful_index_of_teasers_is_one() -> None:
    teasers = "".join(
        f"<h2><a href=/{k}>The boat, part {k}</a></h2><p>{SAYS.replace('story', f'story {k}')}</p>"
        for k in range(5)
    )
    one = page(f"<title>Boats | Lantern</title><nav><a href=/>Home</a></nav><h1>Boats</h1>{teasers}")
    found = join(one, Evidence(Article("index", "", (), "3", 0.5), noise=within(one, "Home")))
    assert (found.verdict, found.layout) == ("index", "3")


def test_what_is_written_for_readers_without_scripts_is_read_on_a_known_site() -> None:
    head = "<title>Two boats - The Lantern</title><nav><a href=/>Home</a></nav>"
    one = page(f"{head}<main>Loading</main><noscript><h1>Two boats</h1>{f'<p>{SAYS}' * 9}</noscript>")
    known = Evidence(noise=within(one, "Home"), boilerplate=np.full(len(one.dom), -1, np.int32))
    found = join(one, known)
    assert (found.title, found.text.count("A sentence"), found.evidence) == ("Two boats", 36, "single page")


def test_what_react_sends_hidden_is_read_on_a_known_site() -> None:
    one = page(f"<nav>Home</nav><main>Loading</main><div hidden id=S:0>{f'<p>{SAYS}' * 9}</div>")
    found = join(one, Evidence(noise=within(one, "Home", "Loading")))
    assert found.text.count("A sentence") == 36
    assert "Loading" not in found.text


def test_noise_of_a_page_of_no_known_template_tells_nothing() -> None:
    one = page()
    silent = np.zeros(len(one.dom))
    assert join(one, Evidence(noise=silent)).blocks == join(one, Evidence()).blocks


def test_noisy_headings_are_no_titles() -> None:
    one = page("<title>Lantern</title><h1>Lantern</h1><h2>The boat</h2><p>" + SAYS)
    assert join(one, Evidence(noise=within(one, "Lantern"), anchors={"The boat": 1})).title == "The boat"


def test_an_index_that_fits_little_and_says_much_is_none() -> None:
    said = [join(page(), Evidence(Article("index", "T", (), "2", fit))) for fit in (0.95, 0.6)]
    assert [(one.verdict, one.layout) for one in said] == [("index", "2"), ("unknown", "")]
    links = page("<ul>" + "".join(f"<li><a href=/{k}>Story number {k}</a>" for k in range(9)))
    assert join(links, Evidence(Article("index", "T", (), "2", 0.6))).verdict == "index"


def test_evidence_of_another_page_is_refused() -> None:
    with pytest.raises(ParameterError, match="Expected evidence of 5 nodes, got"):
        join(page("<p>x"), Evidence(noise=np.zeros(3)))


def test_comments_are_told_apart_from_the_text() -> None:
    said = "<div id=comments><h3>Comments</h3><div class=comment><p>What a fine story, I read it twice."
    one = page(f"{HTML}{said}</div><div class='comment odd'><p>So did I, on the ferry.<p>Reply</div></div>")
    found = join(one, Evidence(noise=within(one, "Reply", "Buy")))
    assert "A sentence" in found.text
    assert "fine story" not in found.text
    assert found.of_kind("comment") == (
        "Comments",
        "What a fine story, I read it twice.",
        "So did I, on the ferry.",
    )


def test_where_there_is_nothing_but_comments_they_are_the_text() -> None:
    one = page("<h1>Guests</h1><ul id=comments><li class=comment>" + f"<p>{SAYS}</p>" * 3)
    found = join(one, Evidence())
    assert "A sentence" in found.text
    assert found.comments == ()


@given(markup)
@settings(max_examples=150)
def test_there_is_text_on_any_page_with_some(html: str) -> None:
    one = page(html)
    ends = np.ones(len(one.dom)), np.zeros(len(one.dom), np.int32)
    for evidence in (Evidence(), Evidence(noise=ends[0], boilerplate=ends[1])):
        assert bool(join(one, evidence).text) == bool(visible_text(one))
