"""Pages matched with templates."""

from __future__ import annotations

import pytest
from tests.templates.pages import learn, page

from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.structure import learn_structure


def test_one_page_matches_itself() -> None:
    one = page("<div><h1>a</h1><p>b<p>c<ul><li>1<li>2</ul></div>")
    found = learn(one).predict(one)
    assert (found.score, found.missing, found.unknown, found.accepted) == (1.0, (), (), True)


def test_a_match_is_shown_in_one_line() -> None:
    matcher = TemplateMatcher(learn_structure([page(f"<h1>{n}</h1>" + "<p>b" * n) for n in range(3)])[0])
    same, other = matcher.match("<h1>a</h1><p>b"), matcher.match("<p>b<h1>a</h1>")
    assert repr(same) == "<Match: exact, score 1.000, probability 0.000, 6 of 7 nodes>"
    assert repr(other) == "<Match: not accepted, score 1.000, probability 0.000, 6 of 7 nodes>"


def test_a_page_in_the_language_is_accepted_whatever_its_probability() -> None:
    # Without the usual features of its pages, a template cannot estimate a probability.
    pages = [page(f"<h1>{n}</h1>" + "<p>b" * n) for n in range(3)]
    matcher = TemplateMatcher(learn_structure(pages)[0])
    more, other = matcher.match("<h1>a</h1>" + "<p>b" * 9), matcher.match("<p>b<h1>a</h1>")
    assert (more.exact, more.probability, more.accepted) == (True, 0.0, True)
    assert (other.exact, other.probability, other.accepted) == (False, 0.0, False)


def test_an_additional_or_a_missing_wrapper_is_tolerated() -> None:
    learnt = learn(*(page(f"<div id=a><div class=b><p class=c>{n}</p></div></div>") for n in range(3)))
    for html in ("<section><div id=a><div class=b><p class=c>x</p></div></div></section>",
                 "<div id=a><p class=c>x</p></div>"):  # fmt: skip
        found = learnt.predict(page(html))
        names = [found.template.name(node) for node in found.labels if node >= 0]
        assert "p.c" in names
        assert found.score < 1.0


def test_what_is_missing_and_what_is_unknown_is_named() -> None:
    learnt = learn(*(page(f"<h1>a</h1><div class=ad><b>{n}</b></div><p>b") for n in range(3)))
    other = page("<h1>a</h1><p>b<form><input></form>")
    found = learnt.predict(other)
    assert [found.template.name(node) for node in found.missing] == ["div.ad"]
    assert [other.dom.name(node) for node in found.unknown] == ["form"]
    assert 0 < found.score < 1


@pytest.mark.parametrize("html", ["", "<script>x</script>", "<div>" * 1_200 + "x", "<p>x" * 1000, "a\0b"])
def test_unusual_pages_are_matched(html: str) -> None:
    odd = parse(Source("odd", html.encode()), Limits(depth=20_000))
    usual = page("<h1>a</h1><p>b")
    assert 0 <= learn(usual).predict(odd).score < 1
    learnt = learn(odd, usual)
    assert learnt.predict(usual).score > 0
    assert str(learnt.template_).startswith("html")
