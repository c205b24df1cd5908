"""Models of page types in files, and names that stay."""

from __future__ import annotations

import json

import pytest
from tests.pagetypes.sites import make_site

from webgrain.base.errors import InputError
from webgrain.page.page import Source
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.pagetypes.pseudoqueries import PseudoQueries
from webgrain.site.typelearning import learn_types


@pytest.fixture(scope="module")
def made():
    return make_site()


@pytest.fixture(scope="module")
def learnt(made):
    return learn_types(lambda: made[0], PageTypes())


@pytest.mark.parametrize(
    "change",
    [
        {"types": [{}]},
        {"keys": ["xyz"]},
        {"weight": []},
        {"share": []},
        {"share": [[0]]},
        {"known": {"1": 99}},
        {"known": {"xyz": 0}},
        {"known": [0]},
    ],
)
def test_damaged_models_are_refused(learnt, tmp_path, change):
    path = tmp_path / "types.json"
    learnt.model.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match="damaged page types"):
        TypeModel.load(path)


def test_models_of_an_earlier_version_are_refused(learnt, tmp_path):
    path = tmp_path / "types.json"
    learnt.model.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 1}))
    with pytest.raises(InputError, match="version"):
        TypeModel.load(path)


def test_labels_stay_when_pages_are_added(made, learnt):
    before = {kind.label for kind in PageTypes().fit(made[0][::2]).clustering_.types}
    assert before == {kind.label for kind in learnt.clustering.types}


def test_labels_of_an_earlier_model_are_kept(made, learnt):
    before = learnt.model.relabelled({rule.label: f"mine-{k}" for k, rule in enumerate(learnt.model.rules)})
    again = learnt.renamed(before)
    assert {kind.label for kind in again.clustering.types} == {"mine-0", "mine-1", "mine-2"}
    assert again.model.assign(made[0][0]).type.startswith("mine-")


def test_types_are_learnt_without_a_log(made, learnt):
    types = made[1]
    assert learnt.source == "learnt from the structure of the pages"
    assert len(learnt.clustering) == len(set(types))


def test_pseudo_queries_leave_menus_out(made):
    names = PseudoQueries()
    for page in made[0]:
        names.add(page)
    found = names.queries()
    assert found["post/3.html"] == {"story 3": 1}
    assert not any("home" in text or "shop" in text for text in found.values())


def test_pages_that_cannot_be_read_are_reported():
    failures = learn_types(lambda: [Source("a", b"<p>x"), Source("b", b"<p>y")], PageTypes()).failures
    assert failures == []
