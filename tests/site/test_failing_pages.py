"""A page at which a step of learning fails takes nothing with it: the model of the others is learnt."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.breaking import broken, marked
from tests.site.sites import Here, plan, shop

from webgrain.base.failures import Failure
from webgrain.engines.guard import run_together
from webgrain.io.queries import read_queries
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.papers.keyclus import KeyClus
from webgrain.papers.regextree import RegexTree
from webgrain.papers.webstemmer import Webstemmer
from webgrain.papers.webstemmer2007 import OriginalWebstemmer
from webgrain.site.audit import audit
from webgrain.site.model import load_model
from webgrain.site.site import Site
from webgrain.site.typelearning import learn_types
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import node_types

BAD = 4
MARK = "which breaks a step"

COUNTING = (
    "webgrain.pagetypes.pathcounts.places",
    "webgrain.pagetypes.pathcounts.new_steps",
    "webgrain.pagetypes.pathcounts.snippets_of",
    "webgrain.pagetypes.pathcounts.page_traits",
    "webgrain.pagetypes.pathcounts.naming_words",
)
"""Functions that the counts of page types call for each page."""

LEARNING = (
    "webgrain.site.learning.table_steps",
    "webgrain.site.learning.SinglePage.steps",
    "webgrain.site.learning.BoilerplateTexts.of",
    "webgrain.site.learning.laid_out",
    "webgrain.site.learning.find_blocks",
    "webgrain.site.learning.page_chances",
    "webgrain.templates.learner.node_types",
    "webgrain.site.learning.Sectioner.noise",
    "webgrain.site.learning.BoilerplateElements",
    "webgrain.site.learning._selector",
    "webgrain.site.typecut._votes",
    "webgrain.extraction.boilerplate._Steps",
    "webgrain.templates.leaffeatures.LeafKeys.of",
    "webgrain.templates.sitetemplate.LeafFeatures",
)
"""Functions that the later steps of learning a site call for each page of a type."""

KEYCLUS = (
    "webgrain.papers.keyclus.places",
    "webgrain.papers.keyclus.new_steps",
    "webgrain.papers.keyclus.content_keys",
    "webgrain.papers.keyclus.snippets_of",
    "webgrain.papers.keyclus.read_query_words",
)

PSEUDO_QUERIES = (
    "webgrain.pagetypes.pseudoqueries._titles",
    "webgrain.page.anchors.addresses",
    "webgrain.page.anchors.page_links",
    "webgrain.page.anchors.redirect",
)


def site_pages() -> list[Source]:
    """Return the pages of a site; one of them is marked."""
    pages = shop(24)
    bad = pages[BAD]
    pages[BAD] = Source(bad.id, bad.body + f"<p>{MARK}".encode())
    return pages


def is_bad(value: Any) -> bool:
    """Return whether an argument is the marked page, or belongs to it."""
    for name in ("page", "dom"):
        value = getattr(value, name, value)
    if isinstance(value, Sequence) and len(value) == 1:
        return is_bad(value[0])
    return isinstance(value, Dom) and MARK in value.text


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Let a function, by its full name, raise an error for the marked page; return its calls for it."""

    def patch(name: str) -> list[str]:
        path, _, attribute = name.rpartition(".")
        calls: list[str] = []
        try:
            owner: Any = importlib.import_module(path)
        except ModuleNotFoundError:
            module, _, owner_name = path.rpartition(".")
            owner = getattr(importlib.import_module(module), owner_name)
        original = getattr(owner, attribute)
        is_static = isinstance(owner, type) and hasattr(original, "__self__")

        def broken(*given: Any, **named: Any) -> Any:
            if any(map(is_bad, given)):
                calls.append(name)
                raise ValueError("this page is broken")
            return original(*given, **named)

        monkeypatch.setattr(owner, attribute, staticmethod(broken) if is_static else broken)
        return calls

    return patch


def assert_names_the_page(failures: Sequence[Failure], page: str, error: str = "this page is broken") -> None:
    assert [failure.page for failure in failures] == [page]
    assert error in failures[0].error


@pytest.mark.parametrize("name", COUNTING)
def test_types_of_the_other_pages_are_learnt(name: str, breaks: Callable[[str], list[str]]) -> None:
    pages = site_pages()
    others = [page for page in pages if page is not pages[BAD]]
    expected = learn_types(lambda: others, PageTypes())
    calls = breaks(name)
    learnt = learn_types(lambda: pages, PageTypes())
    assert calls
    assert_names_the_page(learnt.failures, pages[BAD].id)
    assert learnt.model.to_dict() == expected.model.to_dict()
    assert list(learnt.clustering.pages) == list(expected.clustering.pages)


@pytest.mark.parametrize("name", KEYCLUS)
def test_types_of_keyclus_are_learnt_from_the_other_pages(
    name: str, breaks: Callable[[str], list[str]]
) -> None:
    pages = site_pages()
    others = [page for page in pages if page is not pages[BAD]]
    queries = {page.id: ["broken lamp", "a page"] for page in pages}
    expected = learn_types(lambda: others, KeyClus(), read_queries(queries))
    calls = breaks(name)
    learnt = learn_types(lambda: pages, KeyClus(), read_queries(queries))
    assert calls
    assert_names_the_page(learnt.failures, pages[BAD].id)
    assert learnt.model.to_dict() == expected.model.to_dict()


@pytest.mark.parametrize("name", PSEUDO_QUERIES)
def test_a_page_without_pseudo_queries_has_a_type(name: str, breaks: Callable[[str], list[str]]) -> None:
    pages = site_pages()
    calls = breaks(name)
    learnt = learn_types(lambda: pages, KeyClus())
    assert calls
    assert_names_the_page(learnt.failures, pages[BAD].id)
    assert len(learnt.clustering.pages) == len(pages)


def test_a_page_that_cannot_be_looked_up_has_a_type_and_no_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = site_pages()
    log = read_queries({page.id: ["lamp"] for page in pages})
    queries_for = type(log).queries_for

    def broken(self: Any, page: Page) -> Any:
        if is_bad(page):
            raise ValueError("this page is broken")
        return queries_for(self, page)

    monkeypatch.setattr(type(log), "queries_for", broken)
    learnt = learn_types(lambda: pages, PageTypes(), log)
    assert_names_the_page(learnt.failures, pages[BAD].id)
    assert len(learnt.clustering.pages) == len(pages)
    assert len(learnt.searched) == len(pages) - 1


def test_a_page_at_which_the_types_of_all_pages_fail_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fit_counts = PageTypes.fit_counts

    def broken(self: PageTypes, counts: Any, *given: Any) -> PageTypes:
        if pages[BAD].id in counts.ids:
            raise ValueError("this page is broken")
        return fit_counts(self, counts, *given)

    monkeypatch.setattr(PageTypes, "fit_counts", broken)
    pages = site_pages()
    learnt = learn_types(lambda: pages, PageTypes())
    assert_names_the_page(learnt.failures, pages[BAD].id)
    assert len(learnt.clustering.labels) == len(pages) - 1


@pytest.mark.parametrize("name", COUNTING + LEARNING)
def test_a_site_is_learnt_from_the_other_pages(name: str, breaks: Callable[[str], list[str]]) -> None:
    pages = site_pages()
    types = len(Site.fit(pages).model.templates)
    calls = breaks(name)
    site = Site.fit(pages)
    assert calls
    assert_names_the_page(site.failures, pages[BAD].id)
    assert len(site.model.templates) == types
    assert len(site.model.texts)


@pytest.mark.parametrize("name", COUNTING + LEARNING)
def test_an_audit_learns_from_the_other_pages(
    name: str, breaks: Callable[[str], list[str]], tmp_path: Path
) -> None:
    pages = site_pages()
    calls = breaks(name)
    [outcome] = audit(lambda first: pages[first:], tmp_path, plan(samples=0), Here())
    assert calls
    assert not outcome.warnings
    model = load_model(tmp_path / "site-model.json")
    assert_names_the_page(model.failures, pages[BAD].id)
    assert model.templates
    named = [json.loads(line)["page"] for line in (tmp_path / "failures.jsonl").read_text().splitlines()]
    assert named == [pages[BAD].id]


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (SiteTemplate, "webgrain.templates.learner.node_types"),
        (SiteTemplate, "webgrain.templates.sitetemplate.LeafFeatures"),
        (RegexTree, "webgrain.templates.learner.node_types"),
        (RegexTree, "webgrain.papers.regextree.LeafFeatures"),
    ],
)
def test_a_template_is_learnt_from_the_other_pages(
    method: Callable[[], SiteTemplate | RegexTree], name: str, breaks: Callable[[str], list[str]]
) -> None:
    html = "<h1>Page {0}</h1><ul><li>Home</ul><p>Text {0}"
    pages = [parse(Source(str(k), (html.format(k) + (MARK if k == BAD else "")).encode())) for k in range(9)]
    calls = breaks(name)
    learnt = method().fit(pages)
    assert calls
    assert learnt.rejected_ == {str(BAD): "internal error: ValueError: this page is broken"}
    assert str(learnt.template_) == "html[body[h1[#text] ul[li[#text]] p[#text]]]"


@pytest.mark.parametrize("method", [Webstemmer, OriginalWebstemmer])
@pytest.mark.parametrize("name", ["webgrain.papers.webstemmer._feature", "webgrain.page.anchors.page_links"])
def test_layouts_are_learnt_from_the_other_pages(
    method: Callable[..., Webstemmer], name: str, breaks: Callable[[str], list[str]]
) -> None:
    html = "<title>{0}</title><ul><li>Home page</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    words = ("alpha beta gamma", "delta iota", "rho sigma tau", "phi chi", "psi omega one")
    pages = [Source(word, html.format(word, f"{word} " * 9).encode()) for word in words]
    pages[BAD] = Source("bad", pages[BAD].body + MARK.encode())
    calls = breaks(name)
    learnt = method(pattern_threshold=0).fit(pages)
    assert calls
    assert learnt.rejected_ == {pages[BAD].id: "internal error: ValueError: this page is broken"}
    assert learnt.n_pages_ == len(pages) - 1
    assert learnt.patterns_


@pytest.mark.parametrize("bad", range(8))
def test_the_item_at_which_a_common_step_fails_is_named(bad: int) -> None:
    def divide(numbers: Sequence[int]) -> float:
        return sum(1 / number for number in numbers)

    items = [0 if k == bad else 1 for k in range(8)]
    result, failures = run_together(items, [f"page {k}" for k in range(8)], "learn", divide)
    assert result == 7
    assert [failure.page for failure in failures] == [f"page {bad}"]


@pytest.mark.parametrize("bad", [(0, 1), (0, 7), (3, 4), (2, 99), (0, 30, 60, 99)])
def test_several_items_at_which_a_common_step_fails_are_named(bad: tuple[int, ...]) -> None:
    calls = 0

    def divide(numbers: Sequence[int]) -> float:
        nonlocal calls
        calls += 1
        return sum(1 / number for number in numbers)

    items = [0 if k in bad else 1 for k in range(100)]
    result, failures = run_together(items, [f"page {k}" for k in range(100)], "learn", divide)
    assert result == 100 - len(bad)
    assert [failure.page for failure in failures] == [f"page {k}" for k in bad]
    assert all("division by zero" in failure.error for failure in failures)
    assert calls < 90


def test_a_common_step_that_fails_at_many_items_ends_soon() -> None:
    calls = 0

    def divide(numbers: Sequence[int]) -> float:
        nonlocal calls
        calls += 1
        return sum(1 / number for number in numbers)

    items = [k % 2 for k in range(1000)]
    result, [failure] = run_together(items, [str(k) for k in items], "learn", divide)
    assert result is None
    assert "the 1000 pages of which it is one fail together" in failure.error
    assert calls < 90


def test_a_common_step_that_always_fails_gives_nothing() -> None:
    def fail(items: Sequence[int]) -> Iterator[int]:
        raise ValueError("in any case")

    result, [failure] = run_together([1, 2, 3], list("abc"), "learn", fail)
    assert result is None
    assert "the 3 pages of which it is one fail together" in failure.error
    assert "in any case" in failure.error


def test_the_page_is_named_in_a_type_of_few_pages() -> None:
    pages = shop(12)  # without any page of such a type, there is no template that could fail
    pages[BAD] = marked(pages[BAD])
    with broken(inspect.unwrap(node_types)) as calls:
        site = Site.fit(pages)
    assert calls
    assert_names_the_page(site.model.failures, pages[BAD].id)
