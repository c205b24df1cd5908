"""Templates learnt from pages, matched, and printed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from webgrain.base.errors import ParameterError
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse
from webgrain.templates.acceptance import FitFeatures
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.matching import Matcher
from webgrain.templates.regextree import RegexTree, SiteTemplate
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import typed_tree

NAMES = {"A": "h1", "B": "p", "C": "blockquote", "D": "ul", "E": "ol", "F": "pre"}


def page(html: str, name: str = "page") -> Page:
    return parse(Source(name, html.encode()))


def letters(string: str) -> Page:
    """A page with an element for each letter."""
    cell = {"D": "<li>x</li>", "E": "<li>x</li>"}
    return page("".join(f"<{NAMES[k]}>{cell.get(k, 'x')}</{NAMES[k]}>" for k in string), string)


def learn(*pages: Page) -> RegexTree:
    return RegexTree(least_match=0.0).fit(pages)


def expression(learnt: RegexTree) -> str:
    """The content of the body, one letter per element."""
    text = str(learnt.template_)
    for letter, name in NAMES.items():
        for inside in ("[#text]", "[li[#text]]"):
            text = text.replace(f"{name}{inside}", letter)
    return text.removeprefix("html[body[").removesuffix("]]").replace(" ", "")


PAPER = ("ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF")


def test_the_paper_s_example_is_learnt() -> None:
    assert expression(learn(*map(letters, PAPER))) == "(A)*B(C)?D(E|F)"


@pytest.mark.parametrize(
    ("string", "expected"),
    [*((string, True) for string in PAPER), ("ABCD", False), ("BCDE", True), ("ABCCDE", False)],
)
def test_the_paper_s_example_matches(string: str, expected: bool) -> None:
    template = learn(*map(letters, PAPER)).template_
    assert template is not None
    assert Matcher(template).match(letters(string)).exact is expected


def test_lists_with_slight_differences_and_lists_in_lists() -> None:
    menus = [
        "<ul>" + "".join(
            f"<li class='{'active' if k == n else ''}'><a href={k}>{k}</a>"
            + ("<ul><li>x<li>y</ul>" if k % 2 else "")
            for k in range(5 + n)
        ) + "</ul>"
        for n in range(3)
    ]  # fmt: skip
    assert str(learn(*map(page, menus)).template_) == ("html[body[ul[(li[a[#text] (ul[(li[#text])*])?])*]]]")


def test_records_of_several_elements() -> None:
    learnt = learn(*(page("<dl>" + "<dt>a<dd>b" * n + "</dl>") for n in (1, 3, 4)))
    assert str(learnt.template_) == "html[body[dl[(dt[#text] dd[#text])*]]]"


def test_ids_and_classes_distinguish_elements_of_the_same_tag() -> None:
    html = "<div id=top>a</div><div class=menu>b</div><div id=main><p>{}</div><div id=end>c</div>"
    learnt = learn(*(page(html.format("x<p>" * n)) for n in range(1, 4)))
    assert str(learnt.template_) == (
        "html[body[div#top[#text] div.menu[#text] div#main[(p[#text])*] div#end[#text]]]"
    )


def test_ids_of_one_page_do_not() -> None:
    html = "<div id='post-{0}' class='post tag-{1}'><h2 id={1}>x</h2><p>y</div>"
    pages = [page(html.format(n, name)) for n, name in enumerate(["news", "sport", "art", "law", "war"])]
    assert str(learn(*pages).template_) == "html[body[div#post-0.post[h2[#text] p[#text]]]]"


def test_an_additional_or_a_missing_wrapper_is_tolerated() -> None:
    learnt = learn(*(page(f"<div id=a><div class=b><p class=c>{n}</p></div></div>") for n in range(3)))
    for html in ("<section><div id=a><div class=b><p class=c>x</p></div></div></section>",
                 "<div id=a><p class=c>x</p></div>"):  # fmt: skip
        found = learnt.predict(page(html))
        names = [found.template.name(node) for node in found.labels if node >= 0]
        assert "p.c" in names
        assert found.score < 1.0


def test_one_page_matches_itself() -> None:
    one = page("<div><h1>a</h1><p>b<p>c<ul><li>1<li>2</ul></div>")
    found = learn(one).predict(one)
    assert (found.score, found.missing, found.unknown, found.accepted) == (1.0, (), (), True)


def test_what_is_missing_and_what_is_unknown_is_named() -> None:
    learnt = learn(*(page(f"<h1>a</h1><div class=ad><b>{n}</b></div><p>b") for n in range(3)))
    other = page("<h1>a</h1><p>b<form><input></form>")
    found = learnt.predict(other)
    assert [found.template.name(node) for node in found.missing] == ["div.ad"]
    assert [other.dom.name(node) for node in found.unknown] == ["form"]
    assert 0 < found.score < 1


def test_a_page_of_another_kind_is_left_out_with_the_reason() -> None:
    html = "<div class=head>a</div><div class=text><h1>b</h1>" + "<p>c" * 5 + "</div>"
    odd = page("<table>" + "<tr><td>x" * 30 + "</table>", "odd")
    pages = [*(page(html + "<p>d" * n, f"{n}") for n in range(5)), odd]
    assert "table" in str(RegexTree().fit(pages).template_)  # the paper leaves out no page
    learnt = SiteTemplate().fit(pages)
    assert list(learnt.rejected_) == ["odd"]
    assert "fits the other pages by" in learnt.rejected_["odd"]
    assert learnt.template_ is not None
    assert "table" not in str(learnt.template_)
    assert not learnt.predict(odd).accepted


def test_the_order_of_the_pages_does_not_matter() -> None:
    rng = random.Random(3)
    pages = [random_page(rng) for _ in range(12)]
    first = learn(*pages)
    rng.shuffle(pages)
    assert str(learn(*pages).template_) == str(first.template_)


def test_marks_count_for_those_pages_that_share_them() -> None:
    pages = [typed_tree(page(f"<p class='a b{'c' if n else 'd'}'>x")) for n in range(3)]
    assert learn_structure(pages)[0].known == {"a", "bc"}


def test_page_supports_are_counted_for_tags_and_operators() -> None:
    pages = ["<h1>a</h1><p>b<p>c", "<h1>a</h1>", "<h1>a</h1><pre>d</pre>"]
    template = learn(*map(page, pages)).template_
    assert template is not None
    support = {template.name(node): int(template.page_support[node]) for node in range(len(template))}
    assert (support["h1"], support["p"], support["star"], support["pre"], support["opt"]) == (3, 1, 1, 1, 1)


def test_held_out_are_those_of_templates_without_the_page() -> None:
    rng = random.Random(1)
    pages = [typed_tree(random_page(rng)) for _ in range(9)]
    template, places = learn_structure(pages)
    for k, features in enumerate(FitFeatures(template).left_out(pages, places)):
        others = learn_structure(pages[:k] + pages[k + 1 :])[0]
        match = Matcher(others).match(pages[k].page)
        assert (match.known, match.present) == pytest.approx((features[0], features[2]), abs=0.2)


def random_page(rng: random.Random) -> Page:
    """A page with a frame and free text, as sites have them."""
    body = "".join(
        rng.choice(["<p>a <b>b</b> c</p>", "<h2>d</h2>", "<ul><li>1<li>2</ul>", "<pre>e</pre>"])
        for _ in range(rng.randint(1, 12))
    )
    side = (
        "<div class=side>" + "<a href=x>l</a> " * rng.randint(1, 4) + "</div>" if rng.random() < 0.8 else ""
    )
    return page(f"<div id=head>Site</div>{side}<div class=main>{body}</div><div id=foot>f</div>")


TREES = st.recursive(
    st.sampled_from(["x", "<img src=a>", "<b>y</b>"]),
    lambda inner: st.tuples(
        st.sampled_from(["div", "p class=a", "ul", "span class='a b'", "h2 id=c"]),
        st.lists(inner, max_size=4),
    ).map(lambda result: f"<{result[0]}>{''.join(result[1])}</{result[0].split()[0]}>"),
    max_leaves=12,
)


@settings(deadline=None, max_examples=50)
@given(st.lists(TREES, min_size=1, max_size=5))
def test_a_template_has_every_page_that_it_was_learnt_from(trees: list[str]) -> None:
    pages = [one for html in trees if len(one := typed_tree(page(html)))]
    assume(pages)
    template, places = learn_structure(pages)
    matcher = Matcher(template)
    for one, at in zip(pages, places, strict=True):
        assert matcher.align(one).at.tolist() == at.tolist()
        assert matcher.match(one.page).exact


@pytest.mark.parametrize("html", ["", "<script>x</script>", "<div>" * 1_200 + "x", "<p>x" * 1000, "a\0b"])
def test_unusual_pages_are_matched(html: str) -> None:
    odd = parse(Source("odd", html.encode()), Limits(depth=20_000))
    usual = page("<h1>a</h1><p>b")
    assert 0 <= learn(usual).predict(odd).score < 1
    learnt = learn(odd, usual)
    assert learnt.predict(usual).score > 0
    assert str(learnt.template_).startswith("html")


def test_wrong_calls_are_refused_in_one_sentence() -> None:
    with pytest.raises(ParameterError, match="expected pages"):
        RegexTree().fit([])
    with pytest.raises(ParameterError, match="in common"):
        RegexTree().fit([page("")])
    with pytest.raises(ParameterError, match="in common"):
        SiteTemplate().fit([page("<p>a"), page("<table><tr><td>b<ul><li>c</ul><form><input></form></table>")])
    with pytest.raises(ParameterError, match="expected fit"):
        RegexTree().predict(page("x"))
    with pytest.raises(ParameterError, match="least_match"):
        RegexTree(least_match=2.0)


def test_two_orders_are_a_sequence_and_no_list() -> None:
    template = learn(page("<p>a<p>b<h1>c</h1><h2>d</h2>"), page("<p>a<p>b<h2>d</h2><h1>c</h1>")).template_
    assert str(template) == "html[body[(p[#text])* (h2[#text])? h1[#text] (h2[#text])?]]"
    assert template is not None
    assert template.is_list[template.op == STAR].all()
    assert not template.is_list[template.op == TAG].any()


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


def test_statistics_of_the_nodes() -> None:
    html = "<h1>Title {0}</h1><p><a href=x>Home</a> or</p><ul>" + "<li>x" * 3 + "</ul>"
    template = RegexTree().fit([page(html.format(n)) for n in range(4)]).template_
    assert template is not None
    at = {template.name(node): node for node in range(len(template))}
    result = {name: template.statistic(name) for name in ("characters", "linked", "variation", "repetition")}
    assert [float(result[name][at["h1"]]) for name in result] == [7.0, 0.0, 1.0, 0.25]
    assert [float(result[name][at["p"]]) for name in result] == [
        pytest.approx(7.0),
        pytest.approx(4 / 7),
        0.0,
        1.0,
    ]
    assert template.statistic("items")[[at["star"], at["li"], at["h1"]]].tolist() == [3.0, 3.0, 1.0]
