"""Boilerplate elements of one page."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import boilerplatereference as reference
from tests.uncompiled import require_compiled, uncompiled

from webgrain.extraction import boilerplate, boilerplatekernel
from webgrain.extraction.boilerplate import BOILERPLATE_NAMES, BoilerplateElements, _hint, own_names
from webgrain.page.dom import Dom
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse, parse_html

TEXT = "<p>Some words that stand on this page alone, and on no other page of it.</p>"


def names(html: str, noisy: float = 1.0) -> dict[str, str]:
    """Names of boilerplate elements by their first words; texts with an x are noise."""
    page = parse(Source("page", html.encode()))
    dom = page.dom
    noise = np.array([noisy * (dom.name(k) == "#text" and "x" in dom.text_of(k)) for k in range(len(dom))])
    return {dom.text_of(node).split()[0]: name for node, name in BoilerplateElements(page, noise).elements}


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<div role=contentinfo>", "footer"),
        ("<nav>", "navigation"),
        ("<aside class=toc>", "navigation"),
        ("<div class=siteSearch>", "search"),
        ("<div id=cookie_note>", "notice"),
        ("<div class='post meta'>", "meta"),
    ],
)
def test_names_that_elements_give_themselves(markup: str, name: str) -> None:
    assert names(f"{TEXT * 9}{markup}x") == {"x": name}


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<div>", ""),
        ("<div role=Banner>", "header"),
        ("<nav role=search>", "search"),
        ("<nav role=none>", "navigation"),
        ("<div role=search class=footer>", "search"),
        ("<div role=navigation class=footer>", "footer"),
        ("<nav id=x class=footer>", "footer"),
        ("<header class=footer>", "header"),
        ("<div id='' class>", ""),
        (f"<div id=x class='{'y' * 490} footer'>", "footer"),
        (f"<div id=x class='{'y' * 499} footer'>", ""),
    ],
)
def test_role_and_tag_count_before_classes(markup: str, name: str) -> None:
    assert names_of(parse_html(f"{markup}x")) == ["", "", "", name, ""]


def test_elements_without_a_name_are_named_by_their_place() -> None:
    html = f"<div>x top</div>{TEXT * 9}<div>xx mid</div>{TEXT * 9}<div>xxx end</div>"
    assert names(html) == {"x": "header", "xxx": "footer"}


def test_elements_without_a_name_are_named_by_their_links() -> None:
    assert names(f"{TEXT}<div><a href=/>x a long enough link</a></div>{TEXT}") == {"x": "navigation"}


def test_half_of_the_noise_is_sufficient_for_a_named_element() -> None:
    html = f"<nav>x</nav><div>xx</div>{TEXT}"
    assert names(html, noisy=0.5) == {"x": "navigation"}


def test_parts_of_an_article_are_no_parts_of_the_page() -> None:
    assert names(f"<article><header>x</header>{TEXT}<footer>xx</footer></article>") == {
        "x": "meta",
        "xx": "meta",
    }
    assert names(f"<header><h1>Its title</h1>x x x x x x x x x x</header>{TEXT}") == {}


def test_words_within_other_words_are_no_hints() -> None:
    assert [bool(_hint(name)) for name in ("topBar", "laptop", "ads", "heads-up", "download")] == [
        True, False, True, False, False,
    ]  # fmt: skip


PAGES = {
    "nothing": "",
    "a menu": f"<nav><a href=/>Home</a> <img src=x></nav><h1>A title</h1>{TEXT * 9}<footer>Rights</footer>",
    "parts in parts": f"<header><b>x</b><form role=search><input></form></header>{TEXT}<aside><nav>x</nav>x",
    "an article": f"<article><header><h1>x</h1>By Kim</header>{TEXT}<footer>x</footer></article><div>x",
    "headings": f"<div class=top><h2>x</h2>y</div>{TEXT}<div class=widget><h1>y</h1>x</div>{TEXT}<div>x",
    "many parts": "".join(f"<nav class=n{k}>x</nav>" for k in range(210)),
    "deep": "<nav><aside class=menu>" * 200 + "x" + "</aside></nav>" * 100 + TEXT,
    "roles": f"<div role=banner class=nav>x</div><div role=none id=foot>x</div>{TEXT}<b role=search>x",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        source = uncompiled("extraction.boilerplatekernel")
        monkeypatch.setattr(boilerplate, "boilerplate_elements", source.boilerplate_elements)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("seed", range(6))
def test_elements_as_by_array_operations(kernel, name, seed):
    agree(parse(Source(name, PAGES[name].encode())), seed)


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "dhqa", "erlang"])
def test_elements_of_real_pages(kernel, name, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [site] = read_bench([name])
    for seed, source in enumerate(islice(site.sources(), 5)):
        agree(parse(source), seed)


def agree(page: Page, seed: int) -> None:
    """Compare the elements of a page with those of the reference, with noise at random."""
    random = np.random.default_rng(seed)
    noise = np.where(random.random(len(page.dom)) < seed / 5, random.random(len(page.dom)) ** 0.2, 0.0)
    result = BoilerplateElements(page, noise)
    expected = reference.BoilerplateElements(page, noise)
    assert result.elements == expected.elements
    assert result.inside.tolist() == expected.names.tolist()
    assert result.size.tolist() == expected.size.tolist()
    assert names_of(page.dom) == reference.own_names(page.dom)


def names_of(dom: Dom) -> list[str]:
    """Return the names that the elements give themselves; empty for none."""
    return [BOILERPLATE_NAMES[k] if k >= 0 else "" for k in own_names(dom).tolist()]


def test_the_kernel_is_compiled() -> None:
    require_compiled()
    assert boilerplatekernel.COMPILED


def test_large_and_deep_pages_take_linear_time() -> None:
    page = parse(Source("wide", b"<nav>x</nav>" * 100_000))
    assert len(BoilerplateElements(page, np.ones(len(page.dom))).elements) == 200
    page = parse(Source("deep", b"<nav class=top>x" * 100_000), Limits(depth=100_000))
    assert len(BoilerplateElements(page, np.ones(len(page.dom))).elements) == 1
