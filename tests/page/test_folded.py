"""Folded parts: which hidden texts a reader can open, and where."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.page.pages import markup
from tests.views import line_view

from webgrain.page.leaves import folded_parts
from webgrain.page.page import Page
from webgrain.page.parsing import parse_html


def openers(html):
    """Return the name and the first attribute of the opener of each folded text."""
    dom = parse_html(html.encode())
    found = folded_parts(Page("a", dom, line_view(dom)))
    texts = [u for u in np.flatnonzero((found >= 0) & dom.is_text).tolist() if dom.text_of(u).strip()]
    names = {dom.text_of(u): dom.name(int(found[u])) for u in texts}
    return {text.strip(): name for text, name in names.items()}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<details><summary>s</summary><p>a</p>b</details>", {"a": "summary", "b": "summary"}),
        ("<details><p>a</details>", {"a": "details"}),
        ("<details open><summary>s</summary><p>a</details>", {}),
        ("<a href='#x'>t</a><div><p id=x hidden>a</div>", {"a": "a"}),
        ("<b data-target='#x'>t</b><div><p id=x hidden>a</div>", {"a": "b"}),
        ("<i aria-controls='y x'>t</i><div><p id=x hidden>a</div>", {"a": "i"}),
        ("<i id=t>t</i><div><p aria-labelledby=t hidden>a</div>", {"a": "i"}),
        ("<i aria-controls=x>t</i><div id=x role=dialog hidden>a</div>", {}),
        ("<dialog id=x>a</dialog><a href='#x'>t</a>", {}),
        ("<ul><li><a href=/x>t</a><ul hidden><li>a</ul></ul>", {"a": "a"}),
        ("<h2>t</h2><div hidden>a</div>", {}),
        ("<h2>t</h2><div hidden>a</div><h2>u</h2><div hidden>b</div>", {"a": "h2", "b": "h2"}),
        ("<main><p class='tab on'>t</p><p class=tab hidden>a</p></main>", {"a": "main"}),
        ("<main><p class=on>t</p><p class=tab hidden>a</p></main>", {}),
        ("<button>t</button><div hidden>a<p hidden>b</p><script>c</script></div>", {"a": "button"}),
        ("<button>t</button><script>a</script><p>x</p>", {}),
        ("<a href='#'>t</a><div hidden>a</div><b>x</b><p hidden>b</p>", {"a": "a"}),
        ("<select><option>a<option>b</select>", {}), ("<p>nothing</p>", {}), ("", {}),
    ],
)  # fmt: skip
def test_a_hidden_text_belongs_to_what_opens_it(html, expected):
    assert openers(html) == expected


@given(markup)
def test_openers_are_visible_and_folded_nodes_are_not(html):
    page = Page("a", parse_html(html))
    found = folded_parts(page)
    assert found.shape == (len(page.dom),)
    assert found.dtype == np.int32
    assert not found.flags.writeable
    assert ((found >= -1) & (found < len(page.dom))).all()


def test_thousands_of_hidden_siblings_take_linear_time():
    html = "<p class='a b'>t</p><p class='a c' hidden>a</p>" * 20_000
    page = Page("a", parse_html(html))
    assert (folded_parts(page) >= 0).sum() == 40_000
