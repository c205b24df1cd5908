"""From pages to pairs: which text is compared, and what comes out; on the sample site with its truth too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import ROOT

from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.repeats import PageText, Part
from webgrain.duplicates.search import Search
from webgrain.errors import InputError, ParameterError
from webgrain.io.read import read
from webgrain.page.page import Source
from webgrain.pipeline import Layout
from webgrain.results import Failure
from webgrain.segmentation.gcuts import GCuts
from webgrain.site.duplicates import Segments, compare_pages, duplicate_records, duplicates_of, page_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webgrain.duplicates.repeats import PageText as Text

EXAMPLES = ROOT / "examples"
FIELDS = [
    *("a", "b", "verdict", "similarity", "page_similarity", "content_similarity", "frame_similarity"),
    *("a_url", "b_url", "a_content", "b_content", "a_older", "cluster", "representative"),
]
NEWS = " ".join(f"news{k}" for k in range(50))
MENU = " ".join(f"menu{k}" for k in range(90))


@pytest.fixture(scope="module")
def sample() -> list[Any]:
    return list(page_texts(read([EXAMPLES / "site"]), Segments(GCuts())))


def records(texts: Iterable[Text | Failure], **given: Any) -> list[dict[str, Any]]:
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
    """All planted ones, and at most products that differ by one variant besides; no translations."""
    found = records(sample)
    pairs = {frozenset((record["a"], record["b"])) for record in found}
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
        PageText(f"{k}/a", f"{MENU} {NEWS}{k}", (Part(f"{NEWS} ".replace(" ", f"{k} "), 9),))
        for k in range(2)
    ]
    (record,) = records(texts, search=Search(templates=True))
    assert (record["verdict"], record["cluster"], record["representative"]) == ("same-template", None, None)
    assert records(texts) == []


def test_against_an_older_index() -> None:
    with DuplicateIndex() as older, DuplicateIndex() as index:
        list(duplicate_records([PageText("a", NEWS), PageText("b", NEWS)], older))
        found = list(duplicate_records([PageText("a", NEWS), PageText("c", "Else.")], index, older))[2:]
    expected = [(r["a"], r["a_older"], r["b"], r["verdict"], r["representative"]) for r in found]  # type: ignore[index]
    assert expected == [("a", True, "a", "identical", "a"), ("b", True, "a", "identical", "a")]


def test_the_same_crawl_again_gives_the_same_records() -> None:
    texts = [PageText("a", NEWS), PageText("b", NEWS), PageText("c", "Else.")]
    with DuplicateIndex() as index:
        first = list(duplicate_records(texts, index))
        lines = sorted(index.repeated_lines())
        assert list(duplicate_records(texts, index)) == first
        assert sorted(index.repeated_lines()) == lines
        assert len(index) == 3
        assert list(duplicates_of(index)) == first[3:]


def test_what_fails_is_passed_on_and_the_others_go_on() -> None:
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


def test_without_candidates_only_pages_are_compared() -> None:
    texts = list(page_texts([Source("a", b"<p>One"), Failure("b", "read", "no page")], None, Layout("none")))
    assert isinstance(texts[0], PageText)
    assert texts[0].parts == ()
    assert isinstance(texts[1], Failure)
