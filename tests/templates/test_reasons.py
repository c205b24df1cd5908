"""In what a page differs from the pages of a template, in words."""

from __future__ import annotations

import numpy as np
import pytest
from tests.templates.pages import learn, page

from webgrain.base.arrays import Int32
from webgrain.page.page import Page
from webgrain.templates.acceptance import FitFeatures
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.reasons import _address, misfit_reasons
from webgrain.templates.template import Template
from webgrain.templates.thresholds import MAX_REASONS

HTML = (
    "<header id=head>Site</header><main class=m><h1>{0}</h1><div class=price>{0} EUR</div>{1}</main>"
    "<footer>End</footer>"
)


@pytest.fixture(scope="module")
def template() -> Template:
    return learn(*(page(HTML.format(k, f"<p>{k}</p>" * (3 + k % 2))) for k in range(15))).template_


def reasons(template: Template, html: str) -> tuple[str, ...]:
    tree = page(html)
    alignment = TemplateMatcher(template).align(tree)
    features = FitFeatures(template)
    fit = features.fit(tree, alignment)
    return misfit_reasons(template, features.likelihood, tree, alignment.at, fit)


P = "<p>1</p>" * 3


@pytest.mark.parametrize(
    ("html", "sentence"),
    [
        (
            HTML.replace("<div class=price>{0} EUR</div>", "").format(1, P),
            "html > body > main.m > div.price is missing, which 100% of the pages have",
        ),
        (
            "<footer>End</footer>" + HTML.replace("<footer>End</footer>", "").format(1, P),
            "main.m follows html > body > footer, which it precedes on the other pages",
        ),
        (HTML.format(1, P + "<aside class=ad>Buy</aside>"), "html > body > main.m > aside.ad is new"),
        (HTML.format(1, "<p>1</p>" * 60), "60 of html > body > main.m > p, on the other pages 2 to 7"),
        (HTML.format(1, P).replace("<h1>1</h1>", "<h1>1</h1><h1>1</h1>"), "h1 is there more than once"),
    ],
)
def test_each_difference_has_a_sentence(template: Template, html: str, sentence: str) -> None:
    assert any(sentence in reason for reason in reasons(template, html)), reasons(template, html)


def test_a_page_of_the_template_has_no_differences(template: Template) -> None:
    assert reasons(template, HTML.format(99, P)) == ()


def test_sentences_are_made_for_the_largest_differences_only(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = []

    def address(template: Template, page: Page, at: Int32, node: int) -> str:
        named.append(node)
        return _address(template, page, at, node)

    monkeypatch.setattr("webgrain.templates.reasons._address", address)
    news = "".join(f"<aside class=ad{'x' * k}>Buy</aside>" for k in range(300))
    assert len(reasons(template, HTML.format(1, P + news))) == MAX_REASONS
    assert 0 < len(named) <= MAX_REASONS


def test_a_template_of_a_former_version_names_what_is_missing_and_new(template: Template) -> None:
    from dataclasses import replace

    from webgrain.templates.choices import Choices

    former = replace(template, choices=Choices(), usual=template.usual[:, :18])
    changed = HTML.replace("<div class=price>{0} EUR</div>", "<aside>x</aside>").format(1, P)
    found = reasons(former, changed)
    assert any("div.price is missing" in reason for reason in found)
    assert any("aside is new" in reason for reason in found)
    match = TemplateMatcher(former).match(page(HTML.format(99, P + "<b>x</b>")))
    assert np.isfinite(match.probability)
    assert match.probability > 0
