"""New selectors for those that no longer work."""

from __future__ import annotations

import pytest
from tests.templates.pages import learn, page

from webgrain.page.addresses import Selectors
from webgrain.page.page import Page
from webgrain.templates.profile import Use
from webgrain.templates.repair import propose_repairs, selected_nodes
from webgrain.templates.template import Template

OLD = (
    "<nav class=menu><a href=/>Home</a> <a href=/news>News</a> <a href=/help>Help</a></nav>"
    "<h1 class=title>Page {0}</h1><div class=text>{1}</div>"
)


def pages(html: str, n: int = 10) -> list[Page]:
    return [page(html.format(k, f"<p>Text {k}</p>" * (2 + k % 3)) + f"<i>{k}</i>") for k in range(n)]


@pytest.fixture(scope="module")
def template() -> Template:
    return learn(*pages(OLD)).template_


@pytest.mark.parametrize(
    ("css", "names"),
    [
        ("h1.title", ["html > body > h1.title"]),
        ("html > body > div.text > p", ["html > body > div.text > p"]),
        ("*.menu > a", ["html > body > nav.menu > a"]),
        ("div.other", []),
        ("main h1", []),
        ("a:first-child", []),
    ],
)
def test_the_nodes_of_a_selector(template: Template, css: str, names: list[str]) -> None:
    assert list(dict.fromkeys(map(template.css, selected_nodes(template, css)))) == names


@pytest.mark.parametrize(
    ("new", "use", "css"),
    [
        (OLD.replace("class=text", "class=body"), Use("list", "html > body > div.text > p"), "div.body > p"),
        (f"<main>{OLD}</main>", Use("title", "html > body > h1.title"), "body > main > h1.title"),
        (OLD.replace("class=title", "id=t7"), Use("title", "h1.title"), "body > h1#t7"),
        (OLD.replace("nav class=menu", "ul").replace("/nav", "/ul"), Use("menu", "nav.menu > a"), "ul > a"),
    ],
)
def test_a_new_selector_selects_the_same_elements(template: Template, new: str, use: Use, css: str) -> None:
    changed = pages(new)
    [repair] = propose_repairs(template, [use], changed)
    assert repair.css.endswith(css)
    assert (repair.name, repair.old, repair.works, repair.pages) == (use.name, use.css, 5, 5)
    before = [len(set(Selectors([use.css]).find(one.dom)[0].tolist())) for one in pages(OLD)]
    now = [len(set(Selectors([repair.css]).find(one.dom)[0].tolist())) for one in changed]
    assert now == before


def test_no_selector_is_proposed_for_elements_that_are_gone(template: Template) -> None:
    [repair] = propose_repairs(template, [Use("title", "h1.title")], pages("<table><tr><td>{0}</table>{1}"))
    assert (repair.css, repair.pages) == ("", 0)
    assert "no other selector was found" in str(repair)
    [unknown] = propose_repairs(template, [Use("title", "main h1")], pages(OLD))
    assert not unknown.css
