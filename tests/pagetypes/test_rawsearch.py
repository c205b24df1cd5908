"""Types seen in the bytes of pages are those of their trees, or none."""

from __future__ import annotations

import pytest
from tests.pagetypes.sites import MAKERS, make_site

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.paths import Step
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.rawsearch import Sign, first_sign
from webgrain.site.types import assign_types

POST = Sign(("post",), Step("p", "", ("post",)))
ITEM = Sign(("main", "item"), Step("p", "", ("item",)))
MAIN = Sign(("main",), Step("div", "main"))


@pytest.fixture(scope="module")
def model():
    pages, _, queries = make_site()
    return KeyClus().fit(pages, queries).model_


def test_new_pages_have_the_same_type_by_bytes_as_by_tree(model):
    answered = 0
    for maker in MAKERS.values():
        for k in range(50, 60):
            body = maker(k).encode()
            seen, known = model.assign_bytes(body), model.assign(parse(Source("x", body)))
            if seen is not None:
                answered += 1
                assert (seen.type, seen.key_path, seen.confidence) == (known.type, known.key_path, None)
    assert answered >= 10


def test_records_of_pages_are_the_same_but_for_their_confidence(model):
    sources = [Source(f"{k}", maker(k).encode()) for maker in MAKERS.values() for k in range(3)]
    sources.append(Source("odd", b"\x1b" + sources[0].body))
    rows = [list(assign_types(sources, model, raw=raw)) for raw in (False, True)]
    assert {row.pop("confidence") is None for row in rows[1]} == {False, True}
    assert all(row.pop("confidence") > 0.5 for row in rows[0])
    assert rows[0] == rows[1]


def test_a_larger_shingle_is_not_seen_in_bytes():
    pages, _, queries = make_site()
    model = KeyClus(shingle_size=2).fit(pages, queries).model_
    assert [model.assign_bytes(maker(1).encode()) for maker in MAKERS.values()] == [None] * 3


@pytest.mark.parametrize(
    "body",
    [
        b"<p class=post>x",
        b"<P CLASS='post'>x",
        b'<p title="a > b" class="old post new" hidden>x',
        b"<script>if (a < b) c()</script><!-- old --> <p id=x class=post>",
        b"<p\n  id='x'\n  class='\tpost\n'>x",
        b"<!-- <p class=post> --><p class=post>",
    ],
)
def test_marks_in_start_tags_are_seen(body):
    assert first_sign(body, [POST]) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"<!-- <p class=post> -->",
        b"<script>'<p class=post>'</script>",
        b"<SCRIPT>'<p class=post>'",
        b"<textarea><p class=post></textarea>",
        b"<template><p class=post></template>",
        b"<div data-x=\"<p class='post'>\">",
        b"<div class=post>",
        b"<p id=post>",
        b"<p class=posts>",
        b"<p class=Post>",
        b"<p data-class=post>",
        b"<p class=old class=post>",
        b"<p class=post",
        b"post class=post",
        b"</p class=post>",
        "<p class=post>".encode("utf-16"),
        b"\x1b$B<p class=post>",
        b"",
    ],
)
def test_what_only_looks_like_a_mark_is_not_seen(body):
    assert first_sign(body, [POST]) is None


def test_a_better_path_that_may_be_there_leaves_the_type_open():
    signs = [ITEM, MAIN]
    assert first_sign(b"<div id=main><p>item</p>", signs) == 1
    assert first_sign(b"<style>.item {}</style><div id=main class='items'>", signs) == 1
    for doubtful in (b"<p class='&#105;tem'>", b"<!-- <p class=item> -->", b"<b class=\"a 'item' b\">"):
        assert first_sign(doubtful + b"<div id=main>", signs) is None
    assert first_sign(b"<b class=item>" + b"<div id=main>", [ITEM, Sign()]) is None
    assert first_sign(b"It&#39;s<div id=main>", signs) == 1
    assert first_sign(b"item " * 100 + b"<div id=main>", signs) is None
