"""From pages to pairs: the compared text and the results, also on the sample site with its truth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import ROOT

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import Search
from webgrain.duplicates.shingles import Shingles
from webgrain.duplicates.sketches import PageText
from webgrain.io.read import read
from webgrain.page.page import Source
from webgrain.papers.gcuts import GCuts
from webgrain.site.duplicates import (
    compare_pages,
    duplicate_records,
    duplicates_of,
    keep_rows,
    largest_segment,
    published_records,
    texts_to_compare,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

EXAMPLES = ROOT / "examples"
FIELDS = [
    *("a", "b", "verdict", "similarity", "a_in_b", "b_in_a", "a_specific", "b_specific", "a_only", "b_only"),
    *("a_url", "b_url", "a_older", "cluster", "representative"),
]
NEWS = " ".join(f"news{k}" for k in range(50))
MENU = " ".join(f"menu{k}" for k in range(90))


@pytest.fixture(scope="module")
def sample() -> list[Any]:
    return list(texts_to_compare(read([EXAMPLES / "site"])))


def records(texts: Iterable[PageText | Failure], **given: Any) -> list[dict[str, Any]]:
    with DuplicateIndex() as index:
        return [item for item in duplicate_records(texts, index, **given) if isinstance(item, dict)]


@pytest.fixture(scope="module")
def truth() -> dict[str, set[frozenset[str]]]:
    """Pairs of the sample site by kind."""
    expected: dict[str, set[frozenset[str]]] = {}
    for page in json.loads((EXAMPLES / "truth.json").read_text("utf-8"))["pages"]:
        for other in (*page["duplicates"], *page["related"]):
            expected.setdefault(other["kind"], set()).add(frozenset((page["page"], other["page"])))
    return expected


def test_the_duplicates_of_the_sample_site_are_found_and_no_others(
    sample: list[Any], truth: dict[str, set[frozenset[str]]]
) -> None:
    """All planted ones, and at most products that differ by one variant besides; no translations.

    Two lists of the shop and a front page also contain some of the same products; lists of people, which have
    the frame of the lists of the shop, are taken for parts of these.
    """
    found = records(sample)
    is_list = {"en/shop/index.html", "de/index.html", "en/people/index.html", "de/laden/index.html"}
    pairs = {frozenset((record["a"], record["b"])) for record in found if record["a"] not in is_list}
    assert all(record["verdict"] == "contains" for record in found if record["a"] in is_list)
    planted = truth["print"] | truth["syndicated"]
    assert len(planted) >= 3
    assert pairs >= planted
    assert pairs - planted <= truth["variant"]
    assert all(list(record) == FIELDS for record in found)
    assert json.loads(json.dumps(found)) == found


def test_clusters_have_a_representative() -> None:
    found = records(
        [PageText(name, NEWS) for name in "abc"] + [PageText("d", "Else."), PageText("e", "Else.")]
    )
    assert [(r["a"], r["b"], r["cluster"], r["representative"]) for r in found] == [
        ("a", "b", 0, "a"),
        ("a", "c", 0, "a"),
        ("b", "c", 0, "a"),
        ("d", "e", 3, "d"),
    ]


def test_pages_of_one_template_have_no_cluster() -> None:
    texts = [
        PageText(f"{k}", f"{MENU} {' '.join(f'{name}{i}' for i in range(40))}", title=name, site="a")
        for k, name in enumerate(("lamp", "sofa", "chair"))
    ]
    found = records(texts, search=Search(templates=True))
    assert {(r["verdict"], r["cluster"], r["representative"]) for r in found} == {
        ("same-template", None, None)
    }
    assert records(texts) == []


def test_one_page_of_each_cluster_is_kept() -> None:
    texts = [PageText(name, NEWS) for name in "abc"] + [PageText("d", "Else.")]
    rows = list(keep_rows(records(texts), "abcd"))
    assert [(row["page"], row["keep"], row["cluster"]) for row in rows] == [
        ("a", True, 0),
        ("b", False, 0),
        ("c", False, 0),
        ("d", True, None),
    ]


def test_the_published_test_compares_largest_segments() -> None:
    bodies = [f"<nav><a href=x>{k} {name}</a></nav><p>{NEWS}" for k, name in enumerate(("Home", "Start"))]
    sources = [Source(f"{k}", body.encode()) for k, body in enumerate([*bodies, "<p>Something else"])]
    found = list(
        published_records([*sources, Failure("x", "read", "no page")], largest_segment(GCuts()), Shingles())
    )
    assert found[-1] == {
        "a": "0",
        "b": "1",
        "verdict": "near-duplicate",
        "similarity": 8,
        "a_url": None,
        "b_url": None,
    }
    assert [item.page for item in found if isinstance(item, Failure)] == ["x"]


def test_against_an_older_index() -> None:
    with DuplicateIndex() as older, DuplicateIndex() as index:
        list(duplicate_records([PageText("a", NEWS), PageText("b", NEWS)], older))
        found = list(duplicate_records([PageText("a", NEWS), PageText("c", "Else.")], index, older))[2:]
    expected = [(r["a"], r["a_older"], r["b"], r["verdict"], r["representative"]) for r in found]  # type: ignore[index]
    assert expected == [("a", True, "a", "same-page", "a"), ("b", True, "a", "same-page", "a")]


def test_the_same_crawl_again_gives_the_same_records() -> None:
    texts = [PageText("a", NEWS), PageText("b", NEWS), PageText("c", "Else.")]
    with DuplicateIndex() as index:
        first = list(duplicate_records(texts, index))
        assert list(duplicate_records(texts, index)) == first
        assert len(index) == 3
        unknown = {"a_only": None, "b_only": None}  # an index has no texts
        assert list(duplicates_of(index)) == [record | unknown for record in first[3:]]  # type: ignore[operator]


def test_failures_are_passed_on_and_other_pages_are_processed() -> None:
    failure = Failure("x", "read", "no page")
    texts = [failure, PageText("a", NEWS), PageText("empty", ""), PageText("b", NEWS)]
    with DuplicateIndex() as index:
        found = list(duplicate_records(texts, index))
    assert found[0] == failure
    assert [item.page for item in found if isinstance(item, Failure)] == ["x", "empty"]
    assert [(item["a"], item["b"]) for item in found if isinstance(item, dict)] == [("a", "b")]


def test_two_pages_are_needed() -> None:
    with pytest.raises(InputError, match="Expected two pages to compare, got 1"):
        compare_pages([PageText("a", "x")])
    with pytest.raises(InputError, match="x cannot be compared: no page"):
        compare_pages([PageText("a", "x"), Failure("x", "read", "no page")])
    with pytest.raises(ParameterError, match="threshold must be above 0 and at most 1, got 0"):
        compare_pages([], threshold=0)


def test_texts_of_pages_and_failures() -> None:
    text, failed = texts_to_compare(
        [Source("a.org/a", b"<title>A</title><h1>B</h1>One"), Failure("b", "read", "no page")]
    )
    assert text == PageText("a.org/a", "B\nOne", None, "A", "B", "a.org")
    assert isinstance(failed, Failure)
