"""Which pages fit a template."""

from __future__ import annotations

from tests.templates.pages import page

from webgrain.page.page import Page
from webgrain.templates.acceptance import (
    FEATURES,
    FitFeatures,
    input_names,
    inputs,
    trained_acceptance,
    usual,
)
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.structure import learn_structure
from webgrain.templates.thresholds import ACCEPTED

HTML = (
    "<body class='site {kind}'><header><a href=/>Home</a><nav><ul><li>a<li>b<li>c</ul></nav></header>"
    "<main class={kind}><h1>Title {n}</h1>{main}</main><footer><p>End</p><form><input name=q></form></footer>"
)


def article(n: int) -> Page:
    main = "<p class=by>By {0}</p>" + "<p>Text</p>" * (1 + n % 4) + ("<ul><li>x<li>y</ul>" if n % 3 else "")
    return page(HTML.format(kind="article", n=n, main=main))


def index(n: int) -> Page:
    items = "<article><h2><a href=x>One</a></h2><p>Teaser</p></article>" * (3 + n % 5)
    return page(HTML.format(kind="index", n=n, main=f"<div class=items>{items}</div>"))


def test_pages_of_the_type_fit_and_others_do_not() -> None:
    method = SiteTemplate(least_match=0.0).fit(map(article, range(15)))
    assert all(method.accepts(article(n)) for n in range(15, 25))
    assert not any(method.accepts(index(n)) for n in range(10))
    assert method.predict(article(1)).probability > 0.9 > method.predict(index(1)).probability


def test_a_tolerance_for_small_differences_only() -> None:
    method = SiteTemplate(least_match=0.0).fit(map(article, range(15)))
    more = page(HTML.format(kind="article", n=3, main="<p class=by>By x</p><p>Text</p><ol><li>x</ol>"))
    found = method.predict(more)
    assert (found.exact, found.accepted) == (False, True)


def test_features_are_worst_on_a_page_without_nodes_and_best_on_a_learnt_one() -> None:
    pages = [article(n) for n in range(6)]
    template, places = learn_structure(pages)
    features, matcher = FitFeatures(template), TemplateMatcher(template)
    nothing, own = page(""), features.of(pages[0], matcher.align(pages[0]))
    worst = features.of(nothing, matcher.align(nothing))
    assert own[:3].tolist() == [1.0, 1.0, 1.0]
    assert not own[4:10].any()
    assert (worst[:4] == 0).all()
    assert (worst[4:10] == 1).all()
    left_out = features.left_out(pages, places)
    assert left_out.shape == (6, len(FEATURES))
    typical = usual(left_out)
    assert (typical[1][:4] <= typical[0][:4] + 1e-12).all()
    assert inputs(own, typical).shape == (3 * len(FEATURES),)


def test_a_template_of_one_page_accepts_it() -> None:
    method = SiteTemplate(least_match=0.0).fit([article(1)])
    assert method.accepts(article(1))
    assert not method.accepts(page("<table><tr><td>x</table>"))


def test_the_trained_trees_and_their_threshold() -> None:
    assert 0 < ACCEPTED < 1
    assert trained_acceptance().names == input_names()
    assert len(trained_acceptance().root) == 60


def test_length_links_and_items_are_compared_with_the_usual() -> None:
    html = "<ul>{0}</ul><p><a href=/x>{1}</a> and {1}"
    pages = [page(html.format("<li>a" * n, f"word {n} " * 5)) for n in range(2, 8)]
    template = SiteTemplate(least_match=0.0).fit(pages).template_
    assert template is not None
    features, matcher = FitFeatures(template), TemplateMatcher(template)

    def values(one: Page) -> dict[str, float]:
        return dict(zip(FEATURES, features.of(one, matcher.align(one)).tolist(), strict=True))

    usual_page = values(page(html.format("<li>a" * 5, "word 9 " * 5)))
    longer = values(page(html.format("<li>a" * 5, "word 9 " * 900)))
    linked = values(page(f"<ul>{'<li>a' * 5}</ul><p><a href=/x>{'word 9 ' * 10}</a>"))
    many = values(page(html.format("<li>a" * 99, "word 9 " * 5)))
    for name in ("length", "most_length"):
        assert longer[name] > usual_page[name] + 0.5
    for name in ("linked", "most_linked"):
        assert linked[name] > usual_page[name] + 0.05
    for name in ("items", "most_items"):
        assert many[name] > usual_page[name] + 0.5
