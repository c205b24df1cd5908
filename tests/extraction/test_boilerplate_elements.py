"""Boilerplate elements of one page."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.extraction.boilerplate import BoilerplateElements, _hint, _own_names
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html

TEXT = "<p>Some words that stand on this page alone, and on no other page of it.</p>"


def names(html: str, noisy: float = 1.0) -> dict[str, str]:
    """Names of boilerplate elements by their first words; texts with an x are noise."""
    page = parse(Source("page", html.encode()))
    dom = page.dom
    noise = np.array([noisy * (dom.name(k) == "#text" and "x" in dom.text_of(k)) for k in range(len(dom))])
    return {dom.text_of(node).split()[0]: name for node, name in BoilerplateElements(page, noise).elements}


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<div role=contentinfo>", "footer"),
        ("<nav>", "navigation"),
        ("<aside class=toc>", "navigation"),
        ("<div class=siteSearch>", "search"),
        ("<div id=cookie_note>", "notice"),
        ("<div class='post meta'>", "meta"),
    ],
)
def test_names_that_elements_give_themselves(markup: str, name: str) -> None:
    assert names(f"{TEXT * 9}{markup}x") == {"x": name}


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<div>", ""),
        ("<div role=Banner>", "header"),
        ("<nav role=search>", "search"),
        ("<nav role=none>", "navigation"),
        ("<div role=search class=footer>", "search"),
        ("<div role=navigation class=footer>", "footer"),
        ("<nav id=x class=footer>", "footer"),
        ("<header class=footer>", "header"),
        ("<div id='' class>", ""),
        (f"<div id=x class='{'y' * 490} footer'>", "footer"),
        (f"<div id=x class='{'y' * 499} footer'>", ""),
    ],
)
def test_role_and_tag_count_before_classes(markup: str, name: str) -> None:
    assert _own_names(parse_html(f"{markup}x")) == ["", "", "", name, ""]


def test_elements_without_a_name_are_named_by_their_place() -> None:
    html = f"<div>x top</div>{TEXT * 9}<div>xx mid</div>{TEXT * 9}<div>xxx end</div>"
    assert names(html) == {"x": "header", "xxx": "footer"}


def test_elements_without_a_name_are_named_by_their_links() -> None:
    assert names(f"{TEXT}<div><a href=/>x a long enough link</a></div>{TEXT}") == {"x": "navigation"}


def test_half_of_the_noise_is_sufficient_for_a_named_element() -> None:
    html = f"<nav>x</nav><div>xx</div>{TEXT}"
    assert names(html, noisy=0.5) == {"x": "navigation"}


def test_parts_of_an_article_are_no_parts_of_the_page() -> None:
    assert names(f"<article><header>x</header>{TEXT}<footer>xx</footer></article>") == {
        "x": "meta",
        "xx": "meta",
    }
    assert names(f"<header><h1>Its title</h1>x x x x x x x x x x</header>{TEXT}") == {}


def test_words_within_other_words_are_no_hints() -> None:
    assert [bool(_hint(name)) for name in ("topBar", "laptop", "ads", "heads-up", "download")] == [
        True, False, True, False, False,
    ]  # fmt: skip
