"""The types of a site are the same in every result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site.sites import Here, plan

from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.page.page import Page
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.site.audit import audit
from webgrain.site.pipeline import parsed_pages
from webgrain.site.site import Site
from webgrain.site.tables import read_rows
from webgrain.site.typelearning import LearntTypes, assign_types, learn_types

if TYPE_CHECKING:
    from webgrain.site.auditrun import SiteResults

SAMPLE = Path(__file__).parents[2] / "examples" / "site"


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return [page for page in parsed_pages(read([SAMPLE])) if isinstance(page, Page)]


@pytest.fixture(scope="module")
def learnt(pages: list[Page]) -> LearntTypes:
    return learn_types(lambda: pages, PageTypes())


@pytest.fixture(scope="module")
def types(learnt: LearntTypes) -> dict[str, str]:
    """The type of each page, as the command ``types`` writes it."""
    return {record["page"]: record["type"] for record in learnt.records()}


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, pages: list[Page]) -> SiteResults:
    sources = [page.source for page in pages]
    [results] = audit(
        lambda first: sources[first:], tmp_path_factory.mktemp("audit"), plan(samples=0), Here()
    )
    return results


def test_pages_have_the_types_of_fit_by_predict_and_by_a_model_in_a_file(
    pages: list[Page], learnt: LearntTypes, types: dict[str, str], tmp_path: Path
) -> None:
    method = PageTypes().fit(pages)
    labels = [method.clustering_.types[number].label for number in method.labels_.tolist()]
    assert dict(zip(method.clustering_.pages, labels, strict=True)) == types
    assert {page.id: method.predict(page).type for page in pages} == types
    learnt.model.save(tmp_path / "types.json")
    model = TypeModel.load(tmp_path / "types.json")
    records = [record for record in assign_types(pages, model) if not isinstance(record, Failure)]
    assert {record["page"]: record["type"] for record in records} == types
    # The test is of no use if the traits alone give all pages their types.
    assert model.known


def test_pages_have_the_same_types_in_an_audit_and_by_a_site(
    pages: list[Page], types: dict[str, str], audited: SiteResults
) -> None:
    site = Site.fit(pages)
    assert {
        page.id: prediction.type for page, prediction in zip(pages, site.predict(pages), strict=True)
    } == types
    rows = list(read_rows(audited.table))
    assert {row["page"]: row["type"] for row in rows} == types
    assert {label: tally.pages for label, tally in audited.types.items()} == {
        label: list(types.values()).count(label) for label in types.values()
    }


def test_names_of_types_differ_only_by_kinds_and_titles_of_pages(
    pages: list[Page], learnt: LearntTypes, audited: SiteResults
) -> None:
    site = Site.fit(pages)
    names = {type_.label: type_.name for type_ in site.types}
    assert {label: name for label, name in audited.names.items() if label != "other"} == names
    by_addresses = learnt.names()
    assert by_addresses["archive"] == names["archive"] == "Archive pages"
    # Where the kinds of pages are not known, the others are pages.
    differing = {
        name.partition(" in ")[0] for label, name in by_addresses.items() if names.get(label) != name
    }
    assert differing <= {"Pages", "Other pages"}
