from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import read

from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.hints import ALL_HINTS, ARIA, HINTS, TAGS, WORDS, has_bits, hint_bits


def hints_of(html, tag):
    """Hints of the first element of a tag."""
    dom = read(html).dom
    node = next(k for k in range(len(dom)) if dom.name(k) == tag)
    return {HINTS[k] for k in np.flatnonzero(has_bits(hint_bits(dom), ALL_HINTS)[node])}


@pytest.mark.parametrize(
    ("html", "tag", "expected"),
    [
        ("<nav>x</nav>", "nav", {"nav element"}),
        ("<div class='site-Footer'>x</div>", "div", {"foot"}),
        ("<div id=sidebar_links>x</div>", "div", {"side", "list"}),
        ("<div role=contentinfo>x</div>", "div", {"footer element"}),
        ("<div role=search>x</div>", "div", {"search"}),
        ("<div role=button>x</div>", "div", set()),
        ("<div class=loads>x</div>", "div", set()),
        ("<div class='ad ad-300'>x</div>", "div", {"ad"}),
        ("<img src=/img/logo.png alt=x width=9 height=9>", "img", {"logo"}),
        ("<p title=menu>x", "p", {"paragraph"}),
        ("<p data-x=logo>x", "p", {"paragraph"}),
        ("<h1>x</h1>", "h1", {"heading", "top heading"}),
    ],
)
def test_hints_of_the_markup(html, tag, expected):
    assert hints_of(html, tag) == expected


def test_only_listed_words_are_looked_for():
    assert set(ARIA.values()) <= set(HINTS)
    assert list(HINTS) == [*WORDS, *TAGS]
    assert hints_of("<div class='zebra quagga'>x</div>", "div") == set()


def test_a_hostile_value_is_processed_quickly():
    assert "menu" not in hints_of(f"<div class='{'x' * 10**6} menu'>x</div>", "div")  # too long


def test_hidden_nodes_give_no_hints():
    facts = facts_of(read("<div class=menu hidden><a>x</a></div><p>y"), False)
    assert not (facts.hints >> np.uint64(HINTS.index("menu")) & np.uint64(1)).any()


def test_no_feature_is_a_hint_of_the_wrong_attribute() -> None:
    assert len(HINTS) <= 64  # the bits of a number
    assert hints_of("<img src=menu-logo.png>", "img") == {"logo"}  # a menu is named by a class or an id
    assert hints_of("<div title=menu>x</div>", "div") == set()
    assert "menu" in hints_of("<div id=menu>x</div>", "div")
