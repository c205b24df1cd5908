"""RegexTree: the example of the poster, its supports and its noise confidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.views import line_view

from webgrain.base.errors import ParameterError
from webgrain.page.outline import visible_tree
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
    parameters = RegexTree().get_params()
    assert [parameters[name] for name in ("node_support", "area", "threshold")] == [0.2, 0.15, 0.25]


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


# 2.2.2 and 2.2.3. The pages have no boxes, so the share of the leaves is the area.


def sections(method: RegexTree, html: str) -> list[str]:
    """The text of each section, in the order of the page."""
    one = page(html)
    labels = method.sections(one).labels
    texts = [(int(labels[node]), one.dom.text_of(node)) for node in np.flatnonzero(one.dom.is_text).tolist()]
    count = max(label for label, _ in texts) + 1
    return [" ".join(text for label, text in texts if label == k) for k in range(count)]


def plain(**parameters: float) -> RegexTree:
    """A method whose template knows nothing of the pages below: everything is cut without lists."""
    return RegexTree(**parameters).fit([page("<h1>x</h1>")])


def box(text: str, leaves: int, tag: str = "div") -> str:
    return f"<{tag}>{f'<p>{text}</p>' * leaves}</{tag}>"


def test_nodes_of_the_uppermost_star_are_a_section() -> None:
    inner = "<ul><li>x<li>y</ul>"
    pages = [page("<h1>t</h1><ol>" + f"<li>a{inner}" * n + "</ol><h2>e</h2>") for n in (2, 3)]
    method = RegexTree().fit(pages)
    result = method.sections(pages[0])
    assert sections(method, f"<h1>t</h1><ol><li>a{inner}<li>b{inner}</ol><h2>e</h2>") == [
        "t e",
        "a x y b x y",
    ]
    assert result.listed.tolist() == [False, True]


def test_each_place_of_a_star_is_a_section() -> None:
    method = RegexTree().fit([page("<ul>" + "<li>a" * n + "</ul><h1>t</h1>") for n in (2, 3)])
    assert sections(method, "<ul><li>a<li>b</ul><h1>t</h1><ul><li>c<li>d</ul>") == ["t", "a b", "c d"]


def test_there_is_no_section_of_what_lists_leave_of_a_node_if_that_is_nothing() -> None:
    method = RegexTree().fit([page("<ul>" + "<li>a" * n + "</ul>") for n in (2, 3)])
    assert sections(method, "<ul><li>a<li>b</ul>") == ["a b"]


def test_a_single_node_of_a_star_is_a_section_too() -> None:
    method = RegexTree().fit([page("<h1>t</h1>" + "<p>a" * n) for n in (1, 2, 3)])
    assert sections(method, "<h1>t</h1><p>a") == ["t", "a"]


@pytest.mark.parametrize(("leaves", "expected"), [(15, 1), (16, 2)])
def test_nodes_with_a_sectioning_child_of_more_than_15_percent_are_cut(leaves: int, expected: int) -> None:
    # A page of 100 leaves: a node with two children of 15 or 16 leaves each, and others.
    html = f"<div>{box('a', leaves) * 2}</div>" + box("b", 10) * ((100 - 2 * leaves) // 10)
    html += box("b", (100 - 2 * leaves) % 10)
    one = page(html)
    labels = plain().sections(one).labels
    texts = [node for node in np.flatnonzero(one.dom.is_text).tolist() if one.dom.text_of(node) == "a"]
    assert len(texts) == 2 * leaves
    assert len(set(labels[texts].tolist())) == expected


@pytest.mark.parametrize(
    ("tag", "expected"), [("div", ["a", "b b b b", "c c c c", "d"]), ("dl", ["a", "b b b b c c c c", "d"])]
)
def test_only_nodes_with_a_sectioning_child_are_cut(tag: str, expected: list[str]) -> None:
    html = box("a", 1) + f"<div>{box('b', 4, tag)}{box('c', 4, tag)}</div>" + box("d", 1)
    assert sections(plain(), html) == expected


@pytest.mark.parametrize(("separator", "expected"), [("<hr>", ["a b", "c", "d"]), ("", ["a b c d"])])
def test_a_node_that_is_not_cut_is_divided_at_separators(separator: str, expected: list[str]) -> None:
    assert sections(plain(), f"<p>a<p>b{separator}<p>c{separator}<p>d") == expected


def test_contiguous_formatting_siblings_of_a_node_that_is_cut_are_a_section() -> None:
    html = f"<b>a</b><i>b</i><hr><em>c</em><p>d<b>e</b>{box('f', 5)}<b>g</b>"
    assert sections(plain(), html) == ["a b", "c", "d e", "f f f f f", "g"]


def test_a_list_separates_formatting_siblings() -> None:
    html = "<b>a</b>{}<i>c</i>" + box("d", 5)
    method = RegexTree().fit([page(html.format("<pre>b</pre>" * n)) for n in (2, 3)])
    assert sections(method, html.format("<pre>b</pre>" * 2)) == ["a", "b b", "c", "d d d d d"]


@pytest.mark.parametrize(("side", "expected"), [(1000.0, 3), (10.0, 2)])
def test_a_small_node_is_not_cut_even_if_its_children_are_large(side: float, expected: int) -> None:
    child = "<div style='height: 600px'>{}</div>"
    one = page(f"<div id=small>{child.format('a')}{child.format('b')}</div>{child.format('c')}")
    view = line_view(one.dom)
    box = view.box.copy()
    box[one.dom.find_tag("div")[0], 2:] = side
    assert len(plain().sections(one.with_view(replace(view, box=box)))) == expected


def test_the_whole_page_is_a_section_if_nothing_divides_it() -> None:
    assert sections(plain(), "<p>a<p>b") == ["a b"]
    assert len(plain().sections(page(""))) == 0


def test_importance_is_1_minus_the_mean_noise_by_size() -> None:
    pages = [page(f"<p><b>{'n' * 60}</b><i>{letter * 20}</i>") for letter in "abcd"]
    result = RegexTree().fit(pages).sections(page(f"<p><b>{'n' * 60}</b><i>{'x' * 20}</i>"))
    assert result.importance.tolist() == [0.25]


@pytest.mark.parametrize(("new", "noisy"), [(20, False), (19, True)])
def test_sections_with_an_importance_below_25_percent_are_noisy(new: int, noisy: bool) -> None:
    pages = [page(f"<p><b>{'n' * 60}</b><i>{letter * 20}</i>") for letter in "abcd"]
    result = RegexTree().fit(pages).sections(page(f"<p><b>{'n' * 60}</b><i>{'x' * new}</i>"))
    assert result.noisy.tolist() == [noisy]


@pytest.mark.parametrize("html", ["<script>x</script>", "<div>" * 400 + "x", "<hr>" * 50 + "x", "a\0b<hr>c"])
def test_every_leaf_of_an_unusual_page_is_in_a_section(html: str) -> None:
    one = page(html)
    result = plain().sections(one)
    assert result.labels.shape == (len(one.dom),)
    assert result.importance.shape == result.noisy.shape == result.listed.shape
    leaves = visible_tree(one).leaf
    assert (result.labels[visible_tree(one).node[leaves]] >= 0).all()
