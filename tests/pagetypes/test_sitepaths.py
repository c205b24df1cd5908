"""Which ids and classes belong in paths, and how paths are written with them."""

from __future__ import annotations

import pytest

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pathcounts import PathCounts, site_paths


def paths_of(bodies):
    statistics = PathCounts()
    for k, body in enumerate(bodies):
        statistics.add(parse(Source(str(k), body.encode())))
    site = site_paths(statistics)
    return {site.describe(path).css: int(site.size[path]) for path in range(len(site))}


def test_values_of_single_pages_are_left_out_and_shared_ones_kept():
    found = paths_of(f"<body class='page-{k} post'><div id=SQL-{k}><p id=main>x<p>y" for k in range(6))
    assert found["html > body.post > div"] == 6
    assert found["p#main"] == 6  # a path begins at an id


def test_ids_that_count_elements_are_left_out():
    lines = "".join(f"<b id=l{k}>x</b>" for k in range(5))
    found = paths_of([f"<pre>{lines}</pre>"] * 6)
    assert found["html > body > pre > b"] == 6
    assert not any("#l" in css for css in found)


def test_repeated_siblings_do_not_multiply_paths():
    assert paths_of(["<ul><li>1<li>2<li>3</ul>"] * 5) == paths_of(["<ul><li>1</ul>"] * 5)


def test_wrappers_are_folded_where_they_always_wrap():
    bodies = ["<div><main><h1>a</h1><p>b</main></div>"] * 4 + ["<main><h1>a</h1><p>b</main>"] * 4
    assert paths_of(bodies)["html > body main > h1"] == 8
    assert paths_of(bodies[::-1])["html > body main > h1"] == 8
    assert "html > body > table tr > td" in paths_of(["<table><tr><td>x</table>"] * 4)


@pytest.mark.parametrize(
    ("pages", "with_class", "kept"), [(69, 9, False), (69, 12, True), (20, 3, True), (20, 2, False)]
)
def test_values_of_few_pages_are_those_of_a_section(pages, with_class, kept):
    found = paths_of(f"<body class='{'walks' if k < with_class else ''}'>" for k in range(pages))
    assert ("html > body.walks" in found) == kept
