"""PageTypes on made-up sites: types, assignments, and the group of the pages that fit no type."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.pagetypes.sites import make_site

from webgrain.metrics import ari
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.descriptions import Assignment
from webgrain.pagetypes.keypaths import TypeModel
from webgrain.pagetypes.pagetypes import PageTypes


def page(name, html):
    return parse(Source(name, html.encode()))


@pytest.fixture(scope="module")
def made():
    return make_site()


@pytest.fixture(scope="module")
def fitted(made):
    pages, _, queries = made
    return PageTypes().fit(pages, queries)


def test_types_of_a_made_up_site_are_found(made, fitted):
    _, types, _ = made
    truth = np.unique(types, return_inverse=True)[1]
    assert ari(truth, fitted.clustering_.labels) == 1.0
    assert sorted(kind.size for kind in fitted.clustering_.types) == [20, 20, 20]
    assert all(kind.key_path is not None for kind in fitted.clustering_.types)


def test_the_pages_of_fit_are_assigned_to_their_types(made, fitted):
    pages, _, _ = made
    found = fitted.clustering_
    for one, label in zip(pages, found.labels.tolist(), strict=True):
        assert fitted.predict(one).type == found.types[label].label


def test_a_page_of_another_site_is_of_no_known_type(fitted):
    other = page("x", "<main><section><dl><dt>a<dd>b</dl></section></main>")
    assert fitted.predict(other).type is None


def test_the_same_seed_gives_the_same_types(made, fitted):
    pages, _, queries = made
    again = PageTypes().fit(pages, queries).clustering_
    assert again.types == fitted.clustering_.types
    assert again.labels.tolist() == fitted.clustering_.labels.tolist()


def test_tabs_split_a_type_by_what_they_say():
    def tabbed(k, tab):
        return page(f"{tab}{k}", f"<h1>Lamp {k}</h1><b class=tab>{tab}</b><p>Text {k}</p>")

    pages = [tabbed(k, tab) for tab in ("Reviews", "Specs") for k in range(10)]
    queries = {one.id: {f"lamp {one.id[:5]}": 1} for one in pages}
    method = PageTypes(tabs=True, repeated=1.0).fit(pages, queries)
    assert sorted(kind.tab for kind in method.clustering_.types) == ["Reviews", "Specs"]
    assert {method.predict(one).type for one in pages[:10]} != {
        method.predict(one).type for one in pages[10:]
    }
    assert len(PageTypes(repeated=1.0).fit(pages, queries).clustering_) == 1


@pytest.mark.parametrize(
    "pages",
    [
        [("a", "")],
        [("a", "<p>one page"), ("b", "")],
        [(str(k), "<div>" * 2000) for k in range(6)],
        [(str(k), f"<p id={k} class='{k} c'>") for k in range(8)],
    ],
    ids=["empty", "two", "deep", "no text"],
)
def test_odd_sites_have_types_too(pages):
    found = (
        PageTypes()
        .fit([page(name, html) for name, html in pages], {"a": {"the": 1}, "0": {"": 1}})
        .clustering_
    )
    assert len(found.labels) == len(pages)
    assert sum(kind.size for kind in found.types) == len(pages)


def test_pages_that_fit_no_type_are_the_group_other(tmp_path):
    pages = [page(f"a{k}", f"<main class=post><h1>Post {k}</h1></main>") for k in range(40)]
    pages += [page(f"b{k}", f"<ul class=all><li>Item {k}</ul>") for k in range(40)]
    bodies = ("<p>a", "<dl><dt>b", "<table><td>c", "<pre>d", "<h2>e", "<b>f")
    pages += [page(f"c{k}", f"{bodies[k % 6]} {k}") for k in range(12)]
    method = PageTypes().fit(pages)
    *types, other = method.clustering_.types
    assert sorted(type_.size for type_ in types) == [40, 40]
    assert (other.label, other.key_path, other.size) == ("other", None, 12)
    assert (other.contents, other.fields) == ((), ())
    assert method.labels_[-12:].tolist() == [2] * 12
    assert all(math.isnan(one) for one in method.clustering_.confidence[-12:])
    assert not np.isnan(method.clustering_.confidence[:-12]).any()
    assert method.predict(pages[-1]) == Assignment("other", None, None)
    assert method.predict(page("x", "<h3>No type")) == Assignment("other", None, None)
    method.model_.save(tmp_path / "types.json")
    again = TypeModel.load(tmp_path / "types.json")
    assert [again.assign(one) for one in pages] == [method.predict(one) for one in pages]


def test_a_path_without_classes_that_all_pages_have_by_tags_marks_no_type():
    pages = [page(f"a{k}", f"<body class=post><h1>Post {k}</h1><p>x") for k in range(30)]
    pages += [page(f"b{k}", f"<body class=list><ul><li>Item {k}</ul>") for k in range(30)]
    bodies = ("<h1>a", "<dl><dt>b", "<table><td>c", "<pre>d", "<h2>e", "<b>f")
    pages += [page(f"c{k}", f"{bodies[k % 6]} {k}") for k in range(12)]
    found = PageTypes().fit(pages).clustering_
    assert [(type_.label == "other", type_.size) for type_ in found.types] == [
        (False, 30),
        (False, 30),
        (True, 12),
    ]


def test_a_site_of_one_type_has_no_group_other():
    found = PageTypes().fit([page(str(k), f"<h1>Page {k}</h1>") for k in range(9)]).clustering_
    assert [type_.key_path is not None for type_ in found.types] == [True]
