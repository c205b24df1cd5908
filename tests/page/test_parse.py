"""Parsing: the tree that browsers build, of any bytes, within limits."""

from __future__ import annotations

import gzip
import importlib.util
import pickle
import re
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax import lexbor
from tests.page.pages import PAGES, assert_is_a_tree, markup, nodes_of, random_page
from tests.views import with_lines

from webgrain.base.errors import InputError, ParameterError
from webgrain.page import parsing as walk
from webgrain.page import thresholds
from webgrain.page.kernels import domwalk
from webgrain.page.kernels.domwalk import affordable
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import WALK, as_page, parse, parse_html

TREE = """() => {
  const lower = (s) => s.replace(/[A-Z]/g, (c) => c.toLowerCase());
  const shown = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
  const walker = document.createTreeWalker(document.documentElement, shown);
  const index = new Map(), nodes = [];
  for (let node = walker.root; node; node = walker.nextNode()) {
    const text = node.nodeType === Node.TEXT_NODE;
    index.set(node, nodes.length);
    nodes.push([
      text ? "#text" : lower(node.localName), index.get(node.parentNode) ?? -1, text ? node.data : null,
      text ? [] : Array.from(node.attributes, (a) => [lower(a.name), a.value]),
    ]);
  }
  return nodes;
}"""


def as_json(dom):
    return [[name, parent, text, list(map(list, pairs))] for name, parent, text, pairs in nodes_of(dom)]


@pytest.mark.parametrize("name", PAGES)
def test_any_page_gives_a_tree(name):
    dom = parse_html(PAGES[name])
    assert_is_a_tree(dom)
    assert dom.depth.max() <= 513


@settings(deadline=None, max_examples=80)
@given(markup)
def test_any_markup_gives_a_tree(html):
    assert_is_a_tree(parse_html(html))


@settings(deadline=None, max_examples=80)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_tree(body):
    assert_is_a_tree(parse_html(body))
    assert_is_a_tree(parse_html(b"<p>" + body + b"<a b=" + body + b">"))


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<a-b><TEMPLATE shadowrootmode='open'><p>x</p></TEMPLATE>y</a-b>", "xy"),
        (
            "<template shadowrootmode=closed><b><template shadowrootmode=open>x</template></b>y</template>z",
            "xyz",
        ),
        ("<template shadowrootmode=open>x<template>y</template></template>z", "xz"),
        ("<template>x<template shadowrootmode=open>y</template></template>z", "z"),
        ("<template data-shadowrootmode=open>x</template>y", "y"),
        ("<!-- <template> --><template shadowrootmode=open>x</template>y", "xy"),
        ("<style><template></style><template shadowrootmode=open>x</template></template>y", "<template>xy"),
    ],
)
def test_declarative_shadow_roots_are_elements(html, shown):
    assert parse_html(html).text == shown


@pytest.mark.parametrize(
    "html", ["<template ", "<template shadowrootmode=open>", "<!--", "<script ", "</template"]
)
def test_many_templates_take_linear_time(html):
    page = (html * 100_000 + "shadowrootmode").encode()
    assert len(walk.with_shadow_roots(page)) >= len(page)


def test_empty_input_gives_what_browsers_show():
    assert [row[0] for row in nodes_of(parse_html(b""))] == ["html", "head", "body"]
    assert nodes_of(parse_html("")) == nodes_of(parse_html(b""))


def test_texts_on_both_sides_of_a_comment_are_separate():
    dom = parse_html("<p>a<!-- c -->b")
    assert [dom.text_of(i) for i in np.flatnonzero(dom.is_text)] == ["a", "b"]


def test_noscript_holds_one_text_and_a_template_nothing():
    dom = parse_html("<noscript><p>x</noscript><template><p>y</template>")
    assert [dom.name(i) for i in range(len(dom))] == ["html", "head", "noscript", "#text", "template", "body"]
    assert dom.text_of(2) == "<p>x"


def test_hostile_sizes():
    siblings = parse_html("<i>x</i>" * 30_000)
    assert len(siblings) == 60_003
    assert_is_a_tree(parse_html("<div>" * 20_000 + "x"))
    giant = parse_html(f"<p {'a' * 10**6}={'b' * 10**6}><{'c' * 10**6}>")
    [value] = giant.values_of(np.arange(1))
    assert [len(giant.names[-1]), len(value), len(giant.tags[-1])] == [10**6] * 3


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10**5,
        "<ul><li>" * 3 * 10**4,
        "<b id=x>" * 10**6,
        "".join(f"<p><font size={i}>x" for i in range(10_000)),
        f"<b id={'x' * 10**6}>" + "<p>x" * 10**5,
        "<p " + " ".join(f"a{i}" for i in range(40_000)) + ">",
        "<div><p title='</div>'>" * 20_000,
        "".join(f"<x{i}>x</x{i}>" for i in range(60_000)),
        "".join(f"<p a{i}=b>x" for i in range(60_000)),
        "<svg><title><p></title><!--</svg>" + "".join(f"<p a{i}=b>x" for i in range(60_000)),
    ],
    ids=[
        "nesting",
        "lists",
        "formatting",
        "fonts",
        "large attributes",
        "many attributes",
        "hidden end tags",
        "names of elements",
        "names of attributes",
        "names in a drawing",
    ],
)
def test_pages_that_are_slow_to_parse_are_truncated_and_noted(html, monkeypatch):
    if "<ul>" not in html:  # less of the time, as each takes as long as is allowed
        monkeypatch.setattr(thresholds, "MAX_STEPS", thresholds.MAX_STEPS // 40)
    page = parse(Source("a", html.encode()))
    assert_is_a_tree(page.dom)
    assert "bytes of tangled tags: only the first" in page.notes[0]


@pytest.mark.parametrize(
    "html", ["<div>" * 12_000, "<ul><li>" * 6_000, "<select><selectedcontent>" + "<option>a" * 3_500]
)
def test_steps_of_the_parser_are_in_proportion_to_the_page(html, monkeypatch):
    """These pages have fewer steps than the largest pages may have, but too many for their size."""
    assert affordable(html.encode(), thresholds.MAX_STEPS, 10**6) == len(html)
    page = parse(Source("a", html.encode()))
    assert_is_a_tree(page.dom)
    assert "bytes of tangled tags: only the first" in page.notes[0]
    monkeypatch.setattr(thresholds, "STEPS_PER_BYTE", 10**4)
    assert parse(Source("a", html.encode())).notes[:1] != page.notes[:1]


def test_tags_with_much_white_space_are_not_cut_short():
    spaces = "<p\n" + " " * 30_000 + "id=a>One"
    quoted = "<p " + "".join(f"a{k}='/ / /'" for k in range(4000)) + ">One"
    for html in (spaces, quoted):
        page = parse(Source("a", html.encode()))
        assert (page.dom.text, page.notes) == ("One", ())


def test_a_tag_of_too_many_attributes_is_left_out():
    attributes = " ".join(f"a{k}=b" for k in range(40_000))
    page = parse(Source("a", f"<p>One<p {attributes}>Two".encode()))
    assert page.dom.text == "One"
    assert "only the first 6 are parsed" in page.notes[0]


@pytest.mark.parametrize("name", PAGES)
def test_no_page_that_can_be_parsed_is_cut_short(name):
    html = PAGES[name].encode()
    assert affordable(html, 10**8, 10**6) == len(html)


@pytest.mark.data
def test_no_real_page_is_near_to_being_cut_short(real_pages):
    for html in real_pages.values():
        assert affordable(html.encode(), 10**7, 10**5) == len(html.encode())


def test_sloppy_pages_are_not_cut_short():
    rows = "<tr><td><font size=1><b>x<td><a name=y>y<p>z<li>w" * 5000
    closed = "<div><span><b>x</b></span></div><br><img>" * 5000
    choices = "<option>a" * 20_000
    lists = f"<select multiple>{choices}</select>" * 2 + f"<datalist>{choices * 5}</datalist>"
    for html in (f"<table>{rows}</table>", closed, "<p>x" * 50_000, "<b>x<p>" * 20_000, lists):
        assert affordable(html.encode(), 5 * 10**8, 2 * 10**6) == len(html)


def test_words_in_comments_and_scripts_are_no_names():
    words = " ".join(f"word{k}" for k in range(60_000))
    for html in (
        f"<!-- {words} --><p>x",
        f"<script>if (a <b {words}) c='</div>'</script><p>x",
        f"<p>1 < {words}<p>x",
    ):
        assert affordable(html.encode(), 10**6, 10**6) == len(html)


def test_names_of_one_list_of_the_parser_cost_more():
    """The parser searches a name in one of 128 lists, of which each has few names in an ordinary page."""
    twin = uncompiled("domwalk")
    names = [f"x{k}" for k in range(20_000)]
    lists = {}
    for name in names:
        html = f"<{name}>".encode()
        one = twin._Names(html)
        one.search(html, 1, len(html) - 1)
        lists.setdefault(int(np.argmax(one.sizes)), []).append(name)
    assert len(lists) == twin.NAME_LISTS
    alike = "".join(f"<{name}>" for name in lists[0])
    different = "".join(f"<{name}>" for name in names[: len(lists[0])])
    steps = 25 * len(lists[0]) ** 2
    assert affordable(alike.encode(), steps, 10**6) < len(alike)
    assert affordable(different.encode(), steps, 10**6) == len(different)


# Markup after which a parser is in various states: each piece can hide or show the tags behind it.
ELEMENTS = (
    *("svg", "SVG", "math", "mi", "title", "desc", "foreignObject", "script", "style", "textarea", "select"),
    *(
        "option",
        "iframe",
        "noscript",
        "noframes",
        "noembed",
        "xmp",
        "plaintext",
        "frameset",
        "frame",
        "table",
    ),
    *("tr", "td", "col", "p", "b", "template", "head", "body", "input", "form", "button"),
)
PIECES = (
    *(f"<{name}>" for name in ELEMENTS),
    *(f"</{name}>" for name in ELEMENTS),
    *(
        "<svg/>",
        "<svg a=/>",
        "</SVG\x01>",
        "<script",
        "</script",
        "<select multiple>",
        "<a ",
        '<a x="',
        "<a x='",
    ),
    *('</a y="', "<!--", "-->", "--!>", "<!-->", "<!", "<?", "</", "</ ", "<![CDATA[", "]]>", ">"),
    *('"', "'", "=", "/", " ", "\x0b", "\0", "x"),
)


def test_the_estimate_sees_each_name_that_the_parser_sees(monkeypatch):
    twin = uncompiled("domwalk")
    seen = []

    def search(self, data, start, end):
        seen.append(bytes(data[start:end]).lower().decode("utf-8", "replace"))
        return 1

    monkeypatch.setattr(twin._Names, "search", search)
    for seed in range(1500):
        random = Random(seed)
        parts = []
        for k in range(random.randrange(2, 14)):
            name = random.choice((f"<x{k}z>", f"<p q{k}z=1>", "", ""))
            parts.append(name or random.choice(PIECES))
        html = "".join(parts).encode()
        seen.clear()
        assert twin.affordable(html, 10**12, 10**12) == len(html)
        names = set()
        for node in lexbor.LexborHTMLParser(html, scripting=True).root.traverse():
            names |= {node.tag, *node.attributes}
        new = {name for name in names if re.fullmatch(r"[xq]\d+z", name)}
        assert new <= set(seen), html


def test_an_endless_list_of_options_is_cut_short():
    html = b"<select>" + b"<option>a" * 100_000
    assert affordable(html, 5 * 10**8, 2 * 10**6) < len(html) / 3


def test_lone_surrogates_do_not_raise():
    assert_is_a_tree(parse_html("a\ud800<p b=\udfff>"))


@pytest.mark.parametrize("html", [PAGES["foreign"], PAGES["adoption"], "<p>a<b>b</b>c<p>d"])
def test_the_first_of_too_many_nodes_are_kept(html):
    whole = parse_html(html)
    for nodes in range(1, len(whole) + 1):
        page = parse(Source("a", html.encode()), Limits(nodes=nodes))
        assert_is_a_tree(page.dom)
        assert nodes_of(page.dom) == nodes_of(whole)[:nodes]
        assert len(page.notes) == (nodes < len(whole))
    assert page.notes == ()


def test_truncation_is_noted_with_numbers():
    assert Limits().nodes == 500_000
    page = parse(Source("a", b"<p>" * 20), Limits(bytes=30, nodes=8))
    assert page.notes == (
        "The page has more than 30 bytes: only the first are read.",
        "The page has more than 8 nodes: only the first 8 are kept.",
    )
    assert parse(Source("a", b"<i>" * 9), Limits(depth=5)).notes == (
        "The page is nested 10 deep: deeper nodes are attached at depth 5.",
    )
    assert len(parse_html("x" * 100, limits=Limits(bytes=10)).text) == 10


def test_elements_too_deep_are_attached_flat_and_keep_their_texts():
    dom = parse_html(
        "<p><i id=1>a<b id=2>b<!-- x -->b<u id=3>c<s id=4>d</s>e</u>f</b>g</i>h", limits=Limits(depth=4)
    )
    flat = parse_html("<p><i id=1>a<b id=2>bbf</b><u id=3>ce</u><s id=4>d</s>g</i>h")
    assert nodes_of(dom) == nodes_of(flat)
    assert_is_a_tree(dom)


@pytest.mark.parametrize("name", [name for name in PAGES if "long" not in name])
def test_any_depth_limit_gives_a_tree_with_all_elements_and_all_text(name):
    whole = parse_html(PAGES[name])
    for depth in (1, 2, 3, 7, 100):
        dom = parse_html(PAGES[name], limits=Limits(depth=depth))
        assert_is_a_tree(dom)
        assert dom.depth.max() <= depth + 1
        assert np.array_equal(dom.tag[~dom.is_text], whole.tag[~whole.is_text])
        assert sorted(dom.text) == sorted(whole.text)
        assert dom.values == whole.values


def test_parse_keeps_what_is_known_of_the_source():
    source = Source("a.html", b"<p>x", url="http://a.invalid/", charset="latin1")
    page = parse(source)
    assert (page.id, page.url, page.charset, page.source) == ("a.html", source.url, "windows-1252", source)


def test_undecodable_bytes_are_replaced_and_noted():
    page = parse(Source("a", b"a\xff\xfeb\xef\xbf\xbd", charset="utf-8"))
    assert page.dom.text == "a��b�"
    assert page.notes == ("2 characters could not be read as utf-8 and were replaced.",)


def walks(html):
    """The same page read by both walks."""
    parser = lexbor.LexborHTMLParser(html.encode("utf-8", "replace"), scripting=True)
    native = walk.native_walk(parser.root, 10**6, 10**9)
    public = domwalk.walk(parser.root, 10**6, 10**9)
    return native, public


def assert_same(one, other):
    assert one[1] == other[1]
    for left, right in zip(one[0], other[0], strict=True):
        assert np.array_equal(left, right), (left, right)


needs_native = pytest.mark.skipif(WALK != "native", reason="the native walk is not in use here")


@needs_native
@pytest.mark.parametrize("name", PAGES)
def test_both_walks_read_the_same(name):
    assert_same(*walks(PAGES[name]))


@needs_native
@settings(deadline=None, max_examples=100)
@given(markup)
def test_both_walks_read_the_same_of_any_markup(html):
    assert_same(*walks(html))


@needs_native
def test_both_walks_stop_at_the_same_node():
    parser = lexbor.LexborHTMLParser(PAGES["foreign"], scripting=True)
    for nodes in range(1, 40):
        for chars in (0, 3, 10**9):
            native = walk.native_walk(parser.root, nodes, chars)
            assert_same(native, domwalk.walk(parser.root, nodes, chars))


@needs_native
@pytest.mark.data
def test_both_walks_read_the_same_of_real_pages(real_pages):
    for html in real_pages.values():
        assert_same(*walks(html))


def uncompiled(name):
    """Run the .py file of a kernel, although there is an extension module."""
    loader = SourceFileLoader(f"uncompiled_{name}", str(Path(domwalk.__file__).with_name(f"{name}.py")))
    twin = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(twin)
    assert not twin.COMPILED
    return twin


@pytest.fixture(params=["with Cython", "without Cython"])
def _cython(request, monkeypatch):
    if request.param == "without Cython":
        monkeypatch.setitem(sys.modules, "cython", None)


@pytest.mark.usefixtures("_cython")
def test_affordable_is_the_same_uncompiled():
    twin = uncompiled("domwalk")
    for html in [random_page(seed) * 5 for seed in range(50)] + [PAGES["deep tables"], PAGES["foreign"]]:
        for steps, copies in ((100, 10**9), (10**4, 10**9), (10**9, 10), (10**9, 300)):
            body = html.encode()
            assert twin.affordable(body, steps, copies) == affordable(body, steps, copies)


@pytest.mark.usefixtures("_cython")
def test_the_public_walk_reads_the_same_uncompiled():
    twin = uncompiled("domwalk")
    for html in PAGES.values():
        root = lexbor.LexborHTMLParser(html, scripting=True).root
        assert_same(twin.walk(root, 5000, 10**9), domwalk.walk(root, 5000, 10**9))


@needs_native
@pytest.mark.parametrize("change", ["version", "library", "result"])
def test_the_native_walk_is_not_used_where_anything_is_amiss(change, monkeypatch):
    if change == "version":
        monkeypatch.setattr(walk.selectolax, "__version__", "99.0")
    elif change == "library":
        monkeypatch.setattr(walk.lexbor, "__file__", domwalk.__file__)
    else:
        fields, cut = domwalk.walk(lexbor.LexborHTMLParser("<p>").root, 10, 10)
        monkeypatch.setattr(walk, "public_walk", lambda *_: (fields, cut))
    assert walk._find_native_walk() is None


def test_without_a_native_walk_pages_are_read_all_the_same(monkeypatch):
    expected = {name: nodes_of(parse_html(html)) for name, html in PAGES.items()}
    monkeypatch.setattr(walk, "native_walk", None)
    assert {name: nodes_of(parse_html(html)) for name, html in PAGES.items()} == expected


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_the_tree_is_the_one_that_chromium_builds(name, chromium):
    assert as_json(parse_html(PAGES[name])) == chromium.evaluate(PAGES[name], TREE)


@pytest.mark.full
@pytest.mark.browser
@pytest.mark.data
def test_the_trees_of_real_pages_are_those_that_chromium_builds(real_pages, chromium):
    different = [
        name
        for name, html in real_pages.items()
        if as_json(parse_html(html)) != chromium.evaluate(html, TREE)
    ]
    assert different == []


def test_parse_accepts_text_bytes_and_files(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_bytes("<h1>Grüße".encode())
    assert [parse(value).dom.text for value in ("<h1>Grüße", "<h1>Grüße".encode(), file)] == ["Grüße"] * 3
    assert parse(Path(file)).id == str(file)
    assert parse("<meta charset=latin1>ü").dom.text == "ü"
    assert parse("plain text").dom.text == "plain text"


def test_as_page_returns_pages_unchanged() -> None:
    page = parse("<p>a")
    assert as_page(page) is page
    assert as_page(Source("b", b"<p>b")).id == "b"


@pytest.mark.parametrize(
    "text", ["a.html", "folder/a.HTM", "https://example.org/", "site.zip", "c.warc.gz", "."]
)
def test_path_instead_of_html_is_an_error(text: str) -> None:
    with pytest.raises(ParameterError, match=r"pass pathlib\.Path"):
        as_page(text)


@pytest.mark.parametrize("value", [3, None, [], object()])
def test_other_types_are_an_error(value: Any) -> None:
    with pytest.raises(
        ParameterError, match=r"^Expected a Page, a Source, HTML as str or bytes, or a Path, got"
    ):
        as_page(value)


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        parse(tmp_path / "missing.html")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.gif", b"GIF89a\1\0<p>"),
        ("a.pdf", b"%PDF-1.7 <<>>"),
        (
            "a.html.gz",
            gzip.compress(b"<p>Hello", mtime=0),
        ),  # the time would be a part of the name of the test
        ("a.zip", b"PK\3\4<p>"),
        ("a.mhtml", b"MIME-Version: 1.0\r\n\r\n<p>Hello"),
        ("a.har", b'{"log": {}}'),
    ],
)
def test_a_file_that_is_not_html_is_an_error(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError, match=f"{name} is "):
        parse(tmp_path / name)


def test_files_that_are_nearly_html_are_read(tmp_path: Path) -> None:
    for body in (b"", b"Only words.", b"<p>a\x1b", "<html><p>a".encode("utf-16"), b"<!doctype html>\0<p>a"):
        (tmp_path / "a").write_bytes(body)
        assert parse(tmp_path / "a").id == str(tmp_path / "a")


def test_facts_are_computed_once_per_page() -> None:
    calls = []

    def count(page: Page, step: int = 1) -> int:
        calls.append(step)
        return len(calls)

    page = parse("<p>a")
    assert [page.cached(count), page.cached(count), page.cached(count, 2), page.cached(count, step=2)] == [
        1,
        1,
        2,
        3,
    ]
    again = pickle.loads(pickle.dumps(page))
    assert again.cached(count) == 4
    assert with_lines(page).cached(count) == 5
