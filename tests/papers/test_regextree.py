"""RegexTree: the example of the poster, its supports and its noise confidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.papers.regextree import RegexTree

NAMES = {"A": "h1", "B": "p", "C": "blockquote", "D": "ul", "E": "ol", "F": "pre"}


def page(html: str, name: str = "page") -> Page:
    return parse(Source(name, html.encode(), url="https://a.example/b/"))


def letters(string: str) -> Page:
    """A page with an element for each letter."""
    cell = {"D": "<li>x</li>", "E": "<li>x</li>"}
    return page("".join(f"<{NAMES[k]}>{cell.get(k, 'x')}</{NAMES[k]}>" for k in string), string)


def expression(learnt: RegexTree) -> str:
    """The content of the body, one letter per element."""
    text = str(learnt.template_)
    for letter, name in NAMES.items():
        for inside in ("[#text]", "[li[#text]]"):
            text = text.replace(f"{name}{inside}", letter)
    return text.removeprefix("html[body[").removesuffix("]]").replace(" ", "")


PAPER = ("ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF")


def test_the_paper_s_example_is_learnt() -> None:
    assert expression(RegexTree().fit(map(letters, PAPER))) == "(A)*B(C)?D(E|F)"


@pytest.mark.parametrize(
    ("string", "expected"),
    [*((string, True) for string in PAPER), ("ABCD", False), ("BCDE", True), ("ABCCDE", False)],
)
def test_the_paper_s_example_matches(string: str, expected: bool) -> None:
    assert RegexTree().fit(map(letters, PAPER)).predict(letters(string)).exact is expected


def test_no_page_is_left_out_except_empty_ones() -> None:
    pages = [page(f"<h1>{n}</h1><p>b", f"{n}") for n in range(5)]
    method = RegexTree().fit(
        [*pages, page("<table>" + "<tr><td>x" * 30 + "</table>", "odd"), page("", "empty")]
    )
    assert "table" in str(method.template_)
    assert method.rejected_ == {"empty": "It has no visible node."}


def test_the_published_confidence_is_pages_with_the_feature_over_pages_with_the_node() -> None:
    byline = "<p class=by>Posted by Kim on {0} May</p><a href='#{0}'>Top</a><input name=q><b>{1}</b>"
    pages = [page(byline.format(n, "same" if n < 2 else n)) for n in range(4)]
    method = RegexTree().fit(pages)
    result = method.noise(pages[0])
    dom = pages[0].dom
    found = {dom.text_of(n) or dom.name(n): float(result[n]) for n in range(len(dom)) if dom.is_leaf[n]}
    assert found["Posted by Kim on 0 May"] == 0.25
    assert (found["Top"], found["same"], found["input"]) == (1.0, 0.5, 0.0)


def test_the_defaults_of_the_template_are_those_of_the_paper() -> None:
    assert RegexTree().get_params()["node_support"] == 0.2


@pytest.mark.parametrize(
    ("pages", "sample", "expected"), [(3, 15, 0.0), (4, 15, 1.0), (4, 20, 0.0), (5, 20, 1.0), (3, 14, 1.0)]
)
def test_features_are_noise_at_nodes_that_more_than_20_percent_of_the_pages_have(
    pages: int, sample: int, expected: float
) -> None:
    # Each page has another text in <p>; some have the same text in <u>, which no other page has.
    html = [f"<p>{n}</p>" + "<u>Advertisement</u>" * (n < pages) for n in range(sample)]
    method = RegexTree(mark_support=0.0).fit(map(page, html))
    one = page(html[0])
    texts = {one.dom.text_of(node): node for node in np.flatnonzero(one.dom.is_text).tolist()}
    assert method.noise(one)[texts["Advertisement"]] == expected


def test_the_greatest_confidence_of_the_features_of_a_leaf_counts() -> None:
    # The text is on 1 of 4 pages, the image on 2, the link on all.
    html = "<a href=/home><b>{}</b></a><a href=/home><img src={}.png></a>"
    pages = [page(html.format(n, "a" if n < 2 else n)) for n in range(4)]
    method = RegexTree().fit(pages)
    assert method.noise(pages[0])[pages[0].dom.is_leaf].tolist() == [
        0.0,
        1.0,
        1.0,
    ]  # the first leaf is the head
    unlinked = page("<a><b>0</b></a><a><img src=a.png></a>")
    assert method.noise(unlinked)[unlinked.dom.is_leaf].tolist() == [0.0, 0.25, 0.5]


def test_wrong_calls_are_refused_in_one_sentence() -> None:
    with pytest.raises(ParameterError, match="RegexTree: expected pages to learn"):
        RegexTree().fit([])
    with pytest.raises(ParameterError, match="RegexTree: expected pages that have something in common"):
        RegexTree().fit([page("")])
    with pytest.raises(ParameterError, match="expected fit"):
        RegexTree().predict(page("x"))
    with pytest.raises(ParameterError, match="node_support"):
        RegexTree(node_support=2.0)


def test_html_is_accepted_wherever_a_page_is_and_a_saved_template_matches_the_same(tmp_path: Path) -> None:
    html = [f"<b>My site</b><h1>{n}</h1><p>{n}" for n in range(4)]
    method = RegexTree().fit(html)
    method.save(tmp_path / "template.json")
    again = RegexTree.load(tmp_path / "template.json")
    for one in (*html, "<h2>other</h2>"):
        assert again.predict(one).labels.tolist() == method.predict(page(one)).labels.tolist()
        assert again.accepts(one.encode()) == method.accepts(one) == ("My site" in one)
        assert again.noise(one).tolist() == method.noise(page(one)).tolist()
    assert method.noise(html[0]).max() == 1.0
    with pytest.raises(ParameterError, match="expected fit"):
        RegexTree().noise("<p>x")
