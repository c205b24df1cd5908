"""Verdicts on page types: merged and split types, and the models that assign new pages to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webgrain.base.errors import InputError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.descriptions import Assignment
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.papers.keyclus import KeyClus
from webgrain.site.learning import learn_from_types
from webgrain.site.site import Site
from webgrain.site.typelearning import LearntTypes, learn_types
from webgrain.site.typemodels import load_types
from webgrain.site.verdicts import TypeVerdict, apply_verdicts, read_verdicts

BODIES = {
    "post": "<title>Post {0}</title><main><article><h1>Post {0}</h1><p>Some text</article>",
    "news": "<title>News {0}</title><main><section><h2>News {0}</h2><ul><li>Item</ul></section>",
    "shop": "<title>Lamp {0}</title><main><form><h3>Lamp {0}</h3><table><tr><td>Price</table></form>",
}
PAGES = [
    Source(f"{kind}/{k}.html", body.format(k).encode()) for kind, body in BODIES.items() for k in range(15)
]


def learn(method: PageTypes | KeyClus) -> LearntTypes:
    return learn_types(lambda: PAGES, method)


def groups(learnt: LearntTypes) -> set[frozenset[str]]:
    """Return the sets of pages of the types."""
    found = learnt.clustering
    return {
        frozenset(page for page, own in zip(found.pages, found.labels, strict=True) if own == k)
        for k in range(len(found.types))
    }


def check(learnt: LearntTypes, tmp_path: Path) -> None:
    """The clustering is consistent, and the model, also read from a file, assigns its pages to its types."""
    found = learnt.clustering
    sizes = np.bincount(found.labels, minlength=len(found.types)).tolist()
    assert [kind.size for kind in found.types] == sizes == sorted(sizes, reverse=True)
    assert sum(kind.share for kind in found.types) == pytest.approx(1)
    assert len({kind.label for kind in found.types}) == len(found.types)
    learnt.model.save(tmp_path / "types.json")
    again = load_types(tmp_path / "types.json")
    for source, label in zip(PAGES, found.labels.tolist(), strict=True):
        assigned = learnt.model.assign(parse(source))
        assert assigned == again.assign(parse(source))
        assert assigned.type == found.types[label].label
    assert {rule.label for rule in again.rules} == {kind.label for kind in found.types}


@pytest.mark.parametrize("method", [PageTypes(), KeyClus(max_presence=0.9)], ids=["pagetypes", "keyclus"])
def test_merged_types_are_one(method: Any, tmp_path: Path) -> None:
    learnt = learn(method)
    assert len(groups(learnt)) == 3
    first, second, third = (kind.label for kind in learnt.clustering.types)
    merged, notes = apply_verdicts(learnt, [TypeVerdict(first, "merge", second)], lambda: PAGES, method)
    assert notes == []
    assert [kind.label for kind in merged.clustering.types] == [second, third]
    assert merged.clustering.types[0].key_path == learnt.clustering.types[1].key_path
    assert merged.clustering.types[0].size == 30
    check(merged, tmp_path)
    both = [TypeVerdict(first, "merge", second), TypeVerdict(second, "merge", third)]
    whole, _ = apply_verdicts(learnt, both, lambda: PAGES, method)
    assert [kind.label for kind in whole.clustering.types] == [third]
    check(whole, tmp_path)


def test_a_split_type_of_keyclus_is_learnt_again_without_the_paths_of_all_its_pages(tmp_path: Path) -> None:
    learnt = learn(KeyClus())
    [kind] = learnt.clustering.types  # the title of all pages
    split, notes = apply_verdicts(learnt, [TypeVerdict(kind.label, "split")], lambda: PAGES, KeyClus())
    assert notes == []
    assert groups(split) == groups(learn(KeyClus(max_presence=0.9)))
    assert kind.label not in {one.label for one in split.clustering.types}
    check(split, tmp_path)
    assert split.model.assign(parse("<b>x")) == Assignment(None, None, None)
    labels = [one.label for one in split.clustering.types]
    more = [TypeVerdict(kind.label, "split"), TypeVerdict(labels[0], "merge", labels[1])]
    merged, _ = apply_verdicts(learnt, more, lambda: PAGES, KeyClus())
    assert sorted(len(pages) for pages in groups(merged)) == [15, 30]
    check(merged, tmp_path)


def test_merged_types_can_be_split_again(tmp_path: Path) -> None:
    learnt = learn(PageTypes())
    first, second, _ = (kind.label for kind in learnt.clustering.types)
    verdicts = [TypeVerdict(first, "merge", second), TypeVerdict(second, "split")]
    split, notes = apply_verdicts(learnt, verdicts, lambda: PAGES, PageTypes())
    assert notes == []
    assert groups(split) == groups(learnt)
    check(split, tmp_path)
    assert len(split.renamed(learnt.model).clustering.types) == 3


def test_verdicts_without_effect_are_reported() -> None:
    learnt = learn(PageTypes())
    label = learnt.clustering.types[0].label
    verdicts = [
        TypeVerdict(label, "homogeneous"),
        TypeVerdict(label, "unsure"),
        TypeVerdict(label, "merge", label),
        TypeVerdict("none", "split"),
        TypeVerdict(label, "merge", "nothing"),
    ]
    same, notes = apply_verdicts(learnt, verdicts, lambda: PAGES, PageTypes())
    assert same is learnt
    assert notes == [
        "The verdict on none has no effect: there is no type none.",
        f"The verdict on {label} has no effect: there is no type nothing.",
    ]


def test_a_type_of_equal_pages_cannot_be_split() -> None:
    pages = [Source(f"{k}.html", b"<h1>Same</h1>") for k in range(9)]
    learnt = learn_types(lambda: pages, PageTypes())
    [kind] = learnt.clustering.types
    same, [note] = apply_verdicts(learnt, [TypeVerdict(kind.label, "split")], lambda: pages, PageTypes())
    assert same is learnt
    assert note == f"The type {kind.label} cannot be split: its pages are too similar."


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "3", '{"type": "a"}', '{"type": "a", "verdict": "merge"}', '{"type": "a", "verdict": "x"}'],
)
def test_other_files_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "verdicts.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no record of verdicts"):
        read_verdicts(tmp_path / "verdicts.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_verdicts(tmp_path / "missing.jsonl")
    for content in ('{"format": "webgrain reviewed page types", "version": 1, "part": 3, "base": {}}', "{}"):
        (tmp_path / "types.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError):
            load_types(tmp_path / "types.json")


def test_a_merged_type_of_a_site_has_the_pages_of_both(tmp_path: Path) -> None:
    learnt = learn(PageTypes())
    labels = [kind.label for kind in learnt.clustering.types]
    verdicts = [TypeVerdict(labels[0], "merge", labels[1])]
    merged, _ = apply_verdicts(learnt, verdicts, lambda: PAGES, PageTypes())
    model = learn_from_types(merged, lambda: PAGES, "shop")
    assert [(kind.label, kind.size) for kind in Site(model).types] == [(labels[1], 30), (labels[2], 15)]
    Site(model).save(tmp_path / "site.json")
    again = Site.load(tmp_path / "site.json")
    assert sorted(again.predict(page).type for page in PAGES).count(labels[1]) == 30
