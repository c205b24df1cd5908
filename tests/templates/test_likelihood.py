"""How likely a page is by the choices of a template, and the kernel of its steps, compiled and not."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.templates.pages import learn, page, random_page
from tests.uncompiled import load_source, require_compiled

from webgrain.page.kernels.treepass import innermost
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import parse
from webgrain.templates import acceptance, likelihood, matchkernel
from webgrain.templates.acceptance import FORMER_FEATURES, FitFeatures
from webgrain.templates.choices import choice_records, choices_of
from webgrain.templates.crx import TAG
from webgrain.templates.likelihood import (
    FEATURES,
    ContentParts,
    Likelihood,
    choices_of_pages,
    learn_choices,
)
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.matchkernel import DISORDER, LENGTH, NEXT, OTHER, PART
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import Template, node_types

TAGS = {"A": "h1", "B": "p", "C": "ul", "D": "pre", "E": "table", "F": "form"}
PAPER = ("ABCDE", "AABCDE", "ABDE", "ABDF", "ABCDF")


def letters(text: str) -> str:
    """A page with an element for each letter."""
    inside = {"C": "<li>x", "E": "<tr><td>x", "F": "<input name=q>"}
    return "".join(f"<{TAGS[x]}>{inside.get(x, 'x')}</{TAGS[x]}>" for x in text)


def steps_of(template: Template, html: str) -> list[tuple[int, str, str]]:
    """The steps below the body: kind, context and outcome by name."""
    tree = page(html)
    at = TemplateMatcher(template).align(tree).at
    steps = ContentParts(template).steps(tree, at)
    types = node_types(tree)
    body = next(k for k in range(len(visible_tree(tree))) if types.types[types.of[k]][0] == "body")
    rows = zip(*(column.tolist() for column in steps), strict=True)
    found = []
    for kind, node, context, outcome in rows:
        if visible_tree(tree).parent[node] == body and kind in (PART, DISORDER, OTHER):
            found.append((kind, template.name(context), template.name(outcome) if outcome >= 0 else ""))
    return found


@pytest.fixture(scope="module")
def template() -> Template:
    return learn(*(page(letters(text)) for text in PAPER)).template_


def features(template: Template, html: str) -> dict[str, float]:
    tree = page(html)
    fit = FitFeatures(template).of(tree, TemplateMatcher(template).align(tree))
    return dict(zip(FEATURES, fit[FORMER_FEATURES:].tolist(), strict=True))


def test_the_example_of_the_paper_counts_what_its_pages_choose(template: Template) -> None:
    assert str(template) == (
        "html[body[(h1[#text])* p[#text] (ul[li[#text]])? pre[#text] "
        "(table[tbody[tr[td[#text]]]]|form[input])]]"
    )
    used = dict(zip(map(template.name, range(len(template))), template.choices.used.tolist(), strict=True))
    assert (used["star"], used["p"], used["opt"], used["alt"]) == (5.0, 5.0, 3.0, 5.0)
    star = next(node for node in range(len(template)) if template.name(node) == "star")
    assert template.choices.lengths[star].tolist() == [4.0, 1.0, 0, 0, 0, 0, 0, 0]
    alt = next(node for node in range(len(template)) if template.name(node) == "alt")
    chosen = template.choices.context == alt
    assert sorted(template.choices.weight[chosen].tolist()) == [2.0, 3.0]


def test_the_example_in_reverse_order_is_unlikely(template: Template) -> None:
    own, other = features(template, letters("ABDE")), features(template, letters("FEDCBA"))
    assert (own["disordered"], own["disorder"], own["unplaced"]) == (0.0, 0.0, 0.0)
    assert other["disordered"] > 0.5
    assert other["likelihood"] > 2 * own["likelihood"]
    assert all(learn(*(page(letters(x)) for x in PAPER)).accepts(page(letters(x))) for x in PAPER)


def test_the_example_in_reverse_order_is_not_accepted(template: Template) -> None:
    match = TemplateMatcher(template).match(page(letters("FEDCBA")))
    assert not match.accepted
    assert any("which it precedes on the other pages" in reason for reason in match.reasons)


def test_steps_of_pages_in_order_and_out_of_order(template: Template) -> None:
    assert steps_of(template, letters("BDF")) == [
        (PART, "body", "p"), (PART, "body", "pre"), (PART, "body", "alt"),
    ]  # fmt: skip
    assert steps_of(template, letters("DBF")) == [
        (PART, "body", "pre"), (DISORDER, "pre", "p"), (PART, "body", "alt"),
    ]  # fmt: skip
    assert steps_of(template, letters("BD") + "<aside>x</aside>" + letters("F")) == [
        (PART, "body", "p"), (PART, "body", "pre"), (OTHER, "body", ""), (PART, "body", "alt"),
    ]  # fmt: skip


def test_an_order_within_a_list_that_no_page_has_is_less_likely() -> None:
    pages = [
        page("<h2>a</h2><p>b</p>" * n + "<ul><li>x</ul>" * (n % 3) + "<h2>a</h2><p>b") for n in range(1, 9)
    ]
    template = learn(*pages).template_
    known, other = ("<h2>a</h2><p>b</p>" * 4, "<p>b</p><h2>a</h2>" * 4)
    assert features(template, other)["next"] > features(template, known)["next"]


def test_a_page_counts_the_same_whatever_the_order_of_the_pages() -> None:
    rng = random.Random(5)
    pages = [random_page(rng) for _ in range(9)]
    template, places = learn_structure(pages)
    once = learn_choices(template, choices_of_pages(template, pages, places))
    other = learn_choices(template, choices_of_pages(template, pages[::-1], places[::-1]))
    for name in ("used", "context", "outcome", "weight", "lengths"):
        np.testing.assert_array_equal(getattr(once, name), getattr(other, name))
    assert (once.used <= template.page_support + 1e-9).all()


def test_left_out_choices_are_those_of_the_other_pages() -> None:
    rng = random.Random(6)
    pages = [random_page(rng) for _ in range(7)]
    template, places = learn_structure(pages)
    parts = ContentParts(template)
    others = learn_choices(template, choices_of_pages(template, pages[1:], places[1:]))
    own = parts.choices(pages[0], places[0])
    everything = learn_choices(template, choices_of_pages(template, pages, places))
    np.testing.assert_allclose(np.maximum(everything.used - own.used, 0), others.used, atol=2e-4)
    np.testing.assert_allclose(everything.lengths - own.lengths, others.lengths, atol=2e-4)


def test_choices_in_records(template: Template) -> None:
    places = np.flatnonzero(template.op == TAG).tolist()
    records = choice_records(template.choices, template.part, places)
    again = choices_of(records, template.part, places)
    for name in ("used", "context", "outcome", "weight", "lengths"):
        np.testing.assert_array_equal(getattr(template.choices, name), getattr(again, name))
    assert not len(choices_of([{} for _ in records], template.part, places))


# The kernel.


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        twin = load_source(monkeypatch, "templates.matchkernel")
        assert not twin.COMPILED
        monkeypatch.setattr(likelihood, "content_steps", twin.content_steps)
        monkeypatch.setattr(acceptance, "Comparison", twin.Comparison)


def expected_features(prepared: Likelihood, page: Page, at: np.ndarray) -> list[float]:
    """The features of a page by operations on arrays."""
    tree = visible_tree(page)
    steps = prepared.steps(page, at)
    logs = prepared.of_steps(steps)
    symbols, is_new = prepared.of_symbols(page, at)
    total, number = np.bincount(steps.kind, -logs, 5), np.bincount(steps.kind, minlength=5)
    mean = total / np.maximum(number, 1)
    placed = at[at >= 0]
    elements = prepared._has_parts[placed].sum()
    of_parts = total[PART] - prepared._no_parts[placed].sum()
    is_leaf = tree.kind > 0
    out_of_order = np.zeros(len(at), np.uint8)
    out_of_order[steps.of(DISORDER).node] = 1
    # `Likelihood.moved` leaves out symbols of the same part; the acceptance was learnt with them.
    new = np.flatnonzero(is_new)
    siblings = prepared._parts.symbol_keys(page, np.append(prepared._parts.owner, -1)[at])
    out_of_order[new[np.isin(siblings[new], prepared._of_symbols.sibling_key)]] = 1
    disordered = is_leaf & (innermost(tree.parent, out_of_order) >= 0)
    replaced = is_leaf & (innermost(tree.parent, is_new.view(np.uint8)) >= 0)
    above = tree.parent[steps.node[steps.kind == NEXT]].clip(0)
    most = np.bincount(above, -logs[steps.kind == NEXT], 1).max()
    return [
        disordered.sum() / is_leaf.sum(),
        np.log1p(out_of_order.sum()),
        np.log1p(number[OTHER]),
        of_parts / max(elements, 1),
        mean[NEXT],
        np.log1p(most),
        mean[LENGTH],
        replaced.sum() / is_leaf.sum(),
        np.log1p(is_new.sum()),
        -symbols.sum() / max(len(placed), 1),
        (of_parts + total[NEXT:].sum() - symbols.sum()) / len(at),
    ]


Step = tuple[int, int, int, int]


def expected_steps(template: Template, page: Page, at: np.ndarray) -> list[Step]:
    """The steps of a page, element by element."""
    parts = ContentParts(template)
    steps: list[Step] = []
    for node in range(len(visible_tree(page))):
        tag = int(at[node])
        children = [
            k
            for k in range(node + 1, int(visible_tree(page).end[node]))
            if visible_tree(page).parent[k] == node
        ]
        runs: list[list[tuple[int, int]]] = []
        for child in children if tag >= 0 else ():
            place = int(at[child])
            if place < 0 or template.owner[place] != tag:
                steps.append((OTHER, child, tag, -1))
            elif runs and parts.part[runs[-1][-1][1]] == parts.part[place]:
                runs[-1].append((child, place))
            else:
                runs.append([(child, place)])
        of_runs = steps_of_runs(parts, node, tag, runs)
        has_text = any(
            template.symbols[k] and template.symbols[k][0].tag == "#text"
            for k in np.flatnonzero(template.owner == tag).tolist()
        )
        steps += [step for step in of_runs if step[0] != DISORDER or not has_text]
    return sorted(steps)


def steps_of_runs(parts: ContentParts, node: int, tag: int, runs: list[list[tuple[int, int]]]) -> list[Step]:
    """The steps of the places of an element, as runs of the same part."""
    steps: list[Step] = []
    reached, last = -1, -1
    for run in runs:
        first, place = run[0]
        part = int(parts.part[place])
        several = parts.size[part] > 1
        steps.append((PART, first, tag, part) if part > reached else (DISORDER, first, last, place))
        steps += [(NEXT, first, part, place)] if several else []
        for (_, a), (child, b) in pairwise(run):
            if not parts.repeats[b] and b <= a:
                steps.append((DISORDER, child, a, b))
            elif several:
                steps.append((NEXT, child, a, b))
        before = run[-1][1]
        if part > reached or (part == reached and len(run) > 1):
            reached, last = part, before
        if parts.repeats[before]:
            steps.append((LENGTH, node, part, min(len(run).bit_length() - 1, 7)))
        elif several:
            steps.append((NEXT, node, before, -1))
    return steps


def test_the_kernel_is_compiled() -> None:
    require_compiled()
    assert matchkernel.COMPILED


@pytest.mark.usefixtures("kernels")
def test_random_pages_and_a_page_without_nodes() -> None:
    rng = random.Random(3)
    for _ in range(5):
        pages = [random_page(rng) for _ in range(8)]
        template, places = learn_structure(pages[:4])
        matcher, parts = TemplateMatcher(template), ContentParts(template)
        for tree, at in zip(pages[:4], places, strict=True):
            steps = parts.steps(tree, at)
            assert not np.isin(steps.kind, (DISORDER, OTHER)).any()
        for tree in [*pages, page("")]:
            at = matcher.align(tree).at
            found = sorted(zip(*(column.tolist() for column in parts.steps(tree, at)), strict=True))
            assert found == expected_steps(template, tree, at)


def check_features(trees: list[Page], learnt: int) -> None:
    template, places = learn_structure(trees[:learnt])
    template = replace(
        template, choices=learn_choices(template, choices_of_pages(template, trees[:learnt], places))
    )
    matcher, parts = TemplateMatcher(template), ContentParts(template)
    for number, tree in enumerate(trees):
        at = matcher.align(tree).at
        left_out = parts.choices(tree, at) if number < learnt else None
        support = template.page_support.copy()
        support[np.unique(at[at >= 0])] -= number < learnt
        prepared = Likelihood(template, parts, support, left_out)
        fit = FitFeatures(template).fit(tree, matcher.align(tree), support, left_out).features
        expected = expected_features(prepared, tree, at)
        np.testing.assert_allclose(fit[FORMER_FEATURES:], expected, atol=1e-9)


@pytest.mark.usefixtures("kernels")
def test_features_of_random_pages() -> None:
    rng = random.Random(4)
    for _ in range(4):
        check_features([random_page(rng) for _ in range(8)], 4)


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_features_of_real_pages(site: str, data_dir: Path) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    check_features([parse(source) for source in islice(pages.sources(), 12)], 6)


@pytest.mark.parametrize(
    "html",
    ["<p>a" * 100_000, "<table>" + ("<tr>" + "<td>1" * 50) * 1_000, "<div>" * 400 + "<a href=x>x" * 1_000],
    ids=["siblings", "cells", "deep"],
)
def test_large_pages(html: str) -> None:
    method = learn(page("<p>a<p><a href=x>b</a>"), page("<p>a"))
    match = method.predict(page(html))
    assert match.accepted or match.reasons
