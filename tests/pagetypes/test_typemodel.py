"""Models of page types in files, and names that stay."""

from __future__ import annotations

import json

import pytest
from tests.pagetypes.sites import make_site

from webgrain.errors import InputError
from webgrain.page.page import Source
from webgrain.pagetypes.descriptions import Rule
from webgrain.pagetypes.keypaths import TypeModel
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PseudoQueries
from webgrain.site.learning import learn_types


@pytest.fixture(scope="module")
def made():
    return make_site()


def test_a_model_that_was_saved_assigns_the_same(made, tmp_path):
    pages, _, queries = made
    model = PageTypes(shingle_size=2).fit(pages, queries).model_
    model.save(tmp_path / "types.json", {"pages": len(pages)})
    again = TypeModel.load(tmp_path / "types.json")
    assert [again.assign(page) for page in pages] == [model.assign(page) for page in pages]
    again.save(tmp_path / "again.json", {"pages": len(pages)})
    told = [json.loads((tmp_path / name).read_text()) for name in ("types.json", "again.json")]
    assert told[0]["ranked"] == told[1]["ranked"]


@pytest.mark.parametrize(
    "change",
    [{"ids": 3}, {"types": [{}]}, {"ranked": ["xyz"]}, {"ranked": ["1" * 17]}],
)
def test_damaged_models_are_refused(made, tmp_path, change):
    pages, _, queries = made
    path = tmp_path / "types.json"
    PageTypes().fit(pages, queries).model_.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match="damaged page types"):
        TypeModel.load(path)


def test_labels_stay_when_pages_are_added(made):
    pages, _, queries = made
    before = PageTypes().fit(
        pages[::2], {k: v for k, v in queries.items() if k in {p.id for p in pages[::2]}}
    )
    after = PageTypes().fit(pages, queries)
    labels = [{kind.label for kind in method.clustering_.types} for method in (before, after)]
    assert labels[0] == labels[1]


def test_names_of_an_earlier_model_are_kept(made):
    pages, _, _ = made
    first = learn_types(lambda: pages, PageTypes())
    rules = tuple(
        Rule(f"mine-{k}", rule.shingle, rule.key_path, rule.tab, rule.content, rule.core)
        for k, rule in enumerate(first.model.rules)
    )
    before = TypeModel(first.model.paths, first.model.ranked, 1, 0, 0.5, rules)
    again = learn_types(lambda: pages, PageTypes()).renamed(before)
    assert [kind.label for kind in again.clustering.types] == ["mine-0", "mine-1", "mine-2"]
    assert again.model.assign(pages[0]).type.startswith("mine-")


def test_without_a_log_names_of_pages_stand_in(made):
    pages, types, _ = made
    learnt = learn_types(lambda: pages, PageTypes())
    assert "pseudo-queries" in learnt.source
    assert len(learnt.clustering) == len(set(types))


def test_pseudo_queries_leave_menus_out(made):
    names = PseudoQueries()
    for page in made[0]:
        names.add(page)
    found = names.queries()
    assert found["post/3.html"] == {"story 3": 1}
    assert not any("home" in said or "shop" in said for said in found.values())


def test_pages_that_cannot_be_read_are_told():
    failures = learn_types(lambda: [Source("a", b"<p>x"), Source("b", b"<p>y")], PageTypes()).failures
    assert failures == []
