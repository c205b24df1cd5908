"""Pages with many options: their trees are those of the parser, which takes quadratic time for them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.page.pages import PAGES, random_page

from webgrain.page import selects
from webgrain.page.kernels.domwalk import affordable
from webgrain.page.parsing import parse, parse_html

PIECES = (
    "<select>", "<select multiple>", "<SELECT class=multiple>", "<select id='a>b' name=c>", "</select>",
    "<option>a", "<option selected>b</option>", "<optgroup label='<select>'>", "</optgroup>",
    "<div title='<select>'>", "</div>", "<script>x('<select>')</script>", "<!-- <select> -->",
    "<textarea><select>", "</textarea>", "<table><tr><td>", "</table>", "<input value=x>",
    "<select/multiple>", "<select\nMULTIPLE=multiple>", "<select id='a>b' multiple>",
    '<select name="x"multiple>', "<select id=a /multiple>", "<select a=b='x title='c>d' multiple>",
    "<select a = 'b>c' multiple>", "<select a='", "<p>text", "<datalist>", "<b>", "<svg><select>",
    "</svg>", "<template><select>", "</template>", "<select", ">", "<button>", "<selected>",
)  # fmt: skip


def random_form(seed: int) -> str:
    return "".join(random.Random(seed).choices(PIECES, k=30))


def assert_same_tree(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selects, "LEAST_OPTIONS", 10**9)
    usual = parse_html(html)
    monkeypatch.setattr(selects, "LEAST_OPTIONS", 0)
    dom = parse_html(html)
    for name in ("parent", "end", "tag", "text_start", "attr_start"):
        assert np.array_equal(getattr(dom, name), getattr(usual, name)), name
    assert dom.text == usual.text
    nodes = range(len(dom))
    assert [dom.attributes(node) for node in nodes] == [usual.attributes(node) for node in nodes]


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_the_same_tree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same_tree(PAGES[name], monkeypatch)


def test_random_pages_and_forms_have_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(200):
        assert_same_tree(random_form(seed), monkeypatch)
        assert_same_tree(random_page(seed), monkeypatch)


def test_the_attribute_is_added_to_real_tags_only() -> None:
    options = "<option>a" * 200
    html = f"<!-- <select> --><script>'<select>'</script><select multiple><SELECT id=a>{options}"
    changed, added = selects.with_multiple(html.encode())
    assert added == 1
    assert changed.startswith(
        b"<!-- <select> --><script>'<select>'</script><select multiple><SELECT multiple="
    )


@pytest.mark.parametrize("inside", ["<selectedcontent></selectedcontent>", "<p title=webgrain-added>", ""])
def test_few_options_and_copies_of_options_change_nothing(inside: str) -> None:
    html = f"<select>{inside}{'<option>a' * (200 if inside else 199)}".encode()
    assert selects.with_multiple(html) == (html, 0)


@pytest.mark.parametrize(
    "option",
    ["<option value='{0}'>{0} Town</option>\n", "<OPTION>{0}", "<option selected value={0}>Street {0}"],
)
def test_no_option_of_a_long_list_is_lost(option: str) -> None:
    """A list of postcodes or streets; a parser that compares all options takes some seconds."""
    html = (
        f"<form><select name=a>{''.join(option.format(k) for k in range(20_000))}</select></form><p>The end"
    )
    page = parse(html)
    assert page.notes == ()
    assert len(page.dom.find_tag("option")) == 20_000
    assert page.dom.text.endswith("The end")
    assert page.dom.attributes(int(page.dom.find_tag("select")[0])) == {"name": "a"}


def test_the_size_of_a_page_that_is_cut_is_that_of_the_page() -> None:
    html = "<select>" + "<option>a" * 1_000 + "<div>" * 80_000
    [*_, note] = [note for note in parse(html).notes if "tangled" in note]
    assert f"{len(html):,} bytes" in note


ENDLESS = "<option>a" * 9_000


@pytest.mark.parametrize(
    ("tag", "is_linear"),
    [
        ("<select>", False),
        ("<select multiple>", True),
        ("<select name=a MULTIPLE>", True),
        ("<select a='b'\nmultiple=''>", True),
        ("<select class= multiple>", False),
        ("<select class=a/multiple>", False),
        ("<select title='a multiple'>", False),
        ("<select multiples>", False),
        ("<select =multiple>", False),
    ],
)
def test_options_of_lists_with_several_choices_are_not_compared(tag: str, is_linear: bool) -> None:
    html = (tag + ENDLESS).encode()
    assert (affordable(html, 10**7, 10**6) == len(html)) == is_linear
