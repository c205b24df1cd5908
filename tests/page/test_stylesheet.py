"""The reader of style sheets against a plain one with regular expressions, compiled and uncompiled."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.uncompiled import load_source

from webgrain.page.addresses import Selectors
from webgrain.page.kernels import cssselectors as stylesheet
from webgrain.page.kernels.cssselectors import token_hash
from webgrain.page.parsing import parse_html
from webgrain.page.thresholds import MAX_COMPOUNDS

COMPOUND = re.compile(r"(\*|[^\s.#:*\[\]()>+~]*)((?:[.#][^\s.#:*\[\]()>+~]+)*)\Z")
SHEETS = st.lists(
    st.sampled_from([*"ab.#>*{}{};, \n", ".a", "#B", "@media", "@x", "::before", "ul.nav > li a"]),
    max_size=60,
).map("".join)


def counts(prelude: str) -> bool:
    return prelude.startswith("@media")


def plain_rules(css: str) -> list[tuple[str, str]]:
    """Rules as text: of those inside another rule and inside an at-rule that does not count, nothing."""
    found, around, pending = [], [], ""
    for piece in (*re.split("([{}])", css), "}"):
        if piece == "{":
            prelude = pending.rpartition(";")[2].strip()
            inside = all(counts for counts in around if isinstance(counts, bool))
            nested = bool(around) and isinstance(around[-1], str)
            if prelude.startswith("@"):
                around.append(inside and counts(prelude))
            else:
                around.append(prelude if inside and not nested else "")
        elif piece == "}" and around and isinstance(rule := around.pop(), str) and rule:
            found.append((rule, pending))
        pending = "" if piece in ("{", "}") else piece
    return found


def plain_selector(text: str) -> list[tuple[str, list[str], list[str], bool]]:
    """Tag, ids, classes and whether a child, of each compound from right to left; empty: not understood."""
    chain, child = [], False
    for part in reversed(text.replace(">", " > ").split()):
        match = COMPOUND.match(part)
        if part == ">" and chain:
            child = True
        elif part == ">" or match is None:
            return []
        else:
            names = re.findall(r"[.#][^.#]+", match[2])
            ids, classes = ([name for name in names if name[0] == mark] for mark in "#.")
            chain.append((match[1].lower().strip("*"), ids[:1], classes, child))
            child = False
    return [] if child else chain


def plain_sheet(css: str) -> list[object]:
    """Return the same as `read`."""
    result = []
    for number, (prelude, _) in enumerate(plain_rules(css)):
        for chain in filter(None, map(plain_selector, prelude.split(","))):
            ids, classes = (sum(len(compound[i]) for compound in chain) for i in (1, 2))
            tags = sum(compound[0] != "" for compound in chain)
            hashes = [
                (token_hash(tag) if tag else 0, [*map(token_hash, i)] or [0], [*map(token_hash, c)], child)
                for tag, i, c, child in chain
            ]
            tag, identity, names, _ = hashes[0]
            key = identity[0] or (names[0] if names else tag)
            result.append((number, (ids << 40) + (classes << 20) + tags, key, hashes))
    return result


def read(module, css: str) -> list[object]:
    """Rule, specificity, key and compounds of each selector."""
    result = []
    for number, (prelude, _) in enumerate(module.find_rules(css, counts)):
        for specificity, key, compounds in module.read_selectors(prelude):
            assert not any(tests for _, _, _, tests, _ in compounds)
            chain = [(tag, [identity], classes, bool(step)) for tag, identity, classes, _, step in compounds]
            result.append((number, specificity, key, chain))
    return result


@given(SHEETS)
@settings(max_examples=100)
def test_the_result_equals_that_of_a_simple_parser(css):
    assert stylesheet.find_rules(css, counts) == plain_rules(css)
    assert read(stylesheet, css) == plain_sheet(css)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("cython", ["with Cython", "without Cython"])
def test_compiled_and_uncompiled_agree(cython, monkeypatch):
    if cython == "without Cython":
        monkeypatch.setitem(sys.modules, "cython", None)
    twin = load_source(monkeypatch, "page.kernels.cssselectors")
    assert stylesheet.COMPILED
    assert not twin.COMPILED

    @given(SHEETS)
    @settings(max_examples=50)
    def agree(css):
        assert twin.find_rules(css, counts) == stylesheet.find_rules(css, counts)
        assert read(twin, css) == read(stylesheet, css)

    agree()


TAGS, NAMES = st.sampled_from("pbi"), st.sampled_from("xyz")
NTH = ["odd", "2n", "-n+2", "3", "n + 2", "2n-1"]
compound = st.deferred(
    lambda: st.one_of(
        TAGS, NAMES.map(".{}".format), NAMES.map("#{}".format), NAMES.map("[class={}]".format),
        st.sampled_from(["[id]", "[class^='x']", '[class$="y"]', "[class*=z]", "[class~=x]", "[class|=x]"]),
        st.sampled_from([":first-child", ":last-child", ":only-child", ":first-of-type", ":empty", "*"]),
        st.sampled_from(NTH).map(":nth-child({})".format),
        st.sampled_from(NTH).map(":nth-last-of-type({})".format),
        st.builds("{}:not({})".format, TAGS, selector),
        st.builds("{}:is({}, {})".format, TAGS, selector, TAGS),
        st.builds("{}:where({})".format, TAGS, selector), st.builds("{}.{}".format, TAGS, NAMES),
    )
)  # fmt: skip
selector = st.builds(
    lambda first, rest: first + "".join(step + one for step, one in rest),
    compound,
    st.lists(st.tuples(st.sampled_from([" ", ">", " + ", "~"]), compound), max_size=3),
)
tree = st.recursive(
    st.just(""),
    lambda inner: st.lists(
        st.builds(
            "<{0} class='{1}' id={2}>{3}</{0}>".format,
            TAGS, st.sampled_from(["x", "y", "x y", "x-y", "z x"]), NAMES, inner
        ),
        max_size=4,
    ).map("".join),
    max_leaves=12,
)  # fmt: skip


@given(tree, selector)
@settings(max_examples=80, deadline=None)
def test_selectors_match_as_in_another_program(markup, css):
    html = f"<!doctype html><div>{markup}</div>"
    dom = parse_html(html)
    node, _ = Selectors([css]).find(dom)
    other = LexborHTMLParser(html)
    places = {found.mem_id: place for place, found in enumerate(other.css("*"))}
    place_of = np.cumsum(~dom.is_text) - 1
    first = 4  # the root has no siblings there, but is a first child here
    expected = {places[found.mem_id] for found in other.css(css)}
    assert place_of[node[node >= first]].tolist() == sorted(place for place in expected if place >= first)


def test_selectors_are_read_up_to_the_given_sizes():
    dom = parse_html("<a></a><b></b><p></p><i></i>")
    assert Selectors(["a, b", "p", "i"], 3).find(dom)[0].tolist() == [*dom.find_tag("a").tolist(), 4, 5]
    longest = " ".join("a" * MAX_COMPOUNDS)
    assert len(stylesheet.read_selectors(longest)) == 1
    assert not stylesheet.read_selectors(f"{longest} a")


def test_braces_nested_as_deep_as_there_is_text_are_read_in_one_pass():
    depth = 250_000  # the square of it would take hours
    assert [prelude for prelude, _ in stylesheet.find_rules("a{" * depth + "}" * depth, counts)] == ["a"]
