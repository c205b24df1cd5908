"""The kernel that aligns trees with templates and compares them, compiled and not."""

from __future__ import annotations

import pickle
import random
import sys

import numpy as np
import pytest
from tests.templates.pages import learn, page, random_page
from tests.uncompiled import load_source

from webgrain.templates import matching, matchkernel, template
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import node_types


@pytest.mark.parametrize("cython", [True, False])
def test_compiled_and_uncompiled_agree(monkeypatch: pytest.MonkeyPatch, cython: bool) -> None:
    if not cython:
        monkeypatch.setitem(sys.modules, "cython", None)
    rng = random.Random(4)
    for _ in range(4):
        pages = [random_page(rng) for _ in range(4)]
        learnt, places = learn_structure(pages[:3])
        expected = [TemplateMatcher(learnt).align(one) for one in pages]
        with monkeypatch.context() as patch:
            twin = load_source(patch, "templates.matchkernel")
            assert not twin.COMPILED
            patch.setattr(template, "shapes", twin.shapes)
            patch.setattr(matching, "Aligner", twin.Aligner)
            again, same = learn_structure(pages[:3])
            assert str(again) == str(learnt)
            assert [at.tolist() for at in same] == [at.tolist() for at in places]
            for one, found in zip(pages, expected, strict=True):
                assert [a.tolist() for a in TemplateMatcher(learnt).align(one)] == [a.tolist() for a in found]


def aligned(html: str, *learn: str) -> tuple[list[str], list[int], int]:
    """The TAG of each node in the body, how it was found, and the missing parts."""
    learnt = learn_structure([page(one) for one in learn])[0]
    one = page(html)
    at, how, lacking = TemplateMatcher(learnt).align(one)
    names = [learnt.name(node) if node >= 0 else "" for node in at.tolist()]
    of, types, _ = node_types(one)
    shown = [k for k in range(2, len(of)) if names[k] != "#text" and types[of[k]][0] != "#text"]
    return [names[k] for k in shown], how[shown].tolist(), int(lacking.sum())


@pytest.mark.parametrize(
    ("html", "names", "how", "lacking"),
    [
        ("<h1>a</h1><p>b<p>c<pre>d</pre>", ["h1", "p", "p", "pre"], [0, 0, 0, 0], 0),
        ("<h1>a</h1><pre>d</pre>", ["h1", "pre"], [0, 0], 0),
        ("<p>b<pre>d</pre>", ["p", "pre"], [0, 0], 1),  # multiplicity
        ("<h1>a</h1><h1>a</h1><pre>d</pre>", ["h1", "h1", "pre"], [0, 1, 0], 0),
        ("<h1>a</h1><pre>d</pre><p>b", ["h1", "pre", "p"], [0, 0, 1], 0),  # order
        ("<h1>a</h1><ul><li>x</ul><pre>d</pre>", ["h1", "", "", "pre"], [0, 2, 2, 0], 0),
    ],
)
def test_order_and_multiplicity_count(html: str, names: list[str], how: list[int], lacking: int) -> None:
    learn = "<h1>a</h1><p>b<p>c<pre>d</pre>", "<h1>a</h1><pre>d</pre>", "<h1>a</h1><p>b<pre>d</pre>"
    assert aligned(html, *learn) == (names, how, lacking)


def test_a_choice_counts() -> None:
    learn = "<h2>a</h2><p>b", "<h3>a</h3><pre>b</pre>"
    assert aligned("<h2>a</h2><p>b", *learn)[1:] == ([0, 0], 0)
    assert aligned("<h2>a</h2><pre>b</pre>", *learn)[1:] == ([1, 0], 1)
    assert aligned("", *learn)[0] == []


def test_shapes_have_the_bits_of_three_levels() -> None:
    bits = np.array([[1, 1, 0, 0, 0, 8, 0, 0, 0], [2, 2, 0, 0, 0, 16, 0, 0, 0], [3, 4, 0, 0, 0, 32, 0, 0, 0]])
    parent, kind = np.array([-1, 0, 1, 2], np.int32), np.array([0, 1, 2, 2], np.int32)
    found = matchkernel.shapes(parent, kind, bits.astype(np.uint64))
    assert [int(row[0]) & 63 for row in found] == [2 | 32, 4 | 32, 4, 0]
    sizes = np.bitwise_count(found).sum(axis=1)
    assert sizes[0] >= 3
    assert sizes.tolist()[2:] == [1, 0]


def test_a_tree_without_nodes() -> None:
    learnt = learn_structure([page("<p>a")])[0]
    assert TemplateMatcher(learnt).align(page("")).at.tolist() == []


def test_rows_of_element_types_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page("".join(f"<p class={name}>x" for name in names)) for names in ("abc", "abd")]
    learnt = learn_structure(pages)[0]
    monkeypatch.setattr(template, "MAX_ROWS", 6)
    matcher = TemplateMatcher(learnt)
    others = [page(f"<p class={name}>x<p class={chr(k)}>y<i>z</i>") for k, name in enumerate("abcdefgh", 97)]
    for one in (*pages, *others, *others):
        found = [a.tolist() for a in matcher.align(one)]
        assert found == [a.tolist() for a in TemplateMatcher(learnt).align(one)]
        assert 0 < len(matcher._table._rows) <= 6
    kept = list(matcher._table._rows)
    matcher.align(page(f"<h1 class={'a' * 100_000}>x"))
    assert list(matcher._table._rows) == kept


def test_a_matcher_that_has_matched_a_page_can_be_pickled() -> None:
    one = page("<h1>a</h1><p>b<p>c")
    matcher = TemplateMatcher(learn(one, page("<h1>d</h1><p>e")).template_)
    expected = matcher.match(one)
    found = pickle.loads(pickle.dumps(matcher)).match(one)
    assert (found.labels.tolist(), found.probability) == (expected.labels.tolist(), expected.probability)
