"""The structure of templates learnt from pages."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.templates.pages import learn, page, random_page

from webgrain.page.outline import visible_tree
from webgrain.templates.acceptance import FitFeatures
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.structure import learn_structure


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


def test_the_order_of_the_pages_does_not_matter() -> None:
    rng = random.Random(3)
    pages = [random_page(rng) for _ in range(12)]
    first = learn(*pages)
    rng.shuffle(pages)
    assert str(learn(*pages).template_) == str(first.template_)


def test_marks_count_for_those_pages_that_share_them() -> None:
    pages = [page(f"<p class='a b{'c' if n else 'd'}'>x") for n in range(3)]
    assert learn_structure(pages)[0].known == {"a", "bc"}


def test_page_supports_are_counted_for_tags_and_operators() -> None:
    pages = ["<h1>a</h1><p>b<p>c", "<h1>a</h1>", "<h1>a</h1><pre>d</pre>"]
    template = learn(*map(page, pages)).template_
    assert template is not None
    support = {template.name(node): int(template.page_support[node]) for node in range(len(template))}
    assert (support["h1"], support["p"], support["star"], support["pre"], support["opt"]) == (3, 1, 1, 1, 1)


def test_two_orders_are_a_sequence_and_no_list() -> None:
    template = learn(page("<p>a<p>b<h1>c</h1><h2>d</h2>"), page("<p>a<p>b<h2>d</h2><h1>c</h1>")).template_
    assert str(template) == "html[body[(p[#text])* (h2[#text])? h1[#text] (h2[#text])?]]"
    assert template is not None
    assert template.is_list[template.op == STAR].all()
    assert not template.is_list[template.op == TAG].any()


def test_held_out_are_those_of_templates_without_the_page() -> None:
    rng = random.Random(1)
    pages = [random_page(rng) for _ in range(9)]
    template, places = learn_structure(pages)
    for k, features in enumerate(FitFeatures(template).left_out(pages, places)):
        others = learn_structure(pages[:k] + pages[k + 1 :])[0]
        match = TemplateMatcher(others).match(pages[k])
        assert (match.known, match.present) == pytest.approx((features[0], features[2]), abs=0.2)


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
    pages = [one for html in trees if len(visible_tree(one := page(html)))]
    assume(pages)
    template, places = learn_structure(pages)
    matcher = TemplateMatcher(template)
    for one, at in zip(pages, places, strict=True):
        assert matcher.align(one).at.tolist() == at.tolist()
        assert matcher.match(one).exact
