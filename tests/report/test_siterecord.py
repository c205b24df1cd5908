from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from webgrain.base.failures import Failure
from webgrain.report import site as sitepages
from webgrain.report import site as siterecord
from webgrain.report.html import as_json
from webgrain.report.site import (
    DuplicateRow,
    PageRow,
    Pages,
    SamplePage,
    SiteReport,
    TypeCard,
    report_record,
)
from webgrain.templates.template import PartRow

REPORT = SiteReport("example.org", "a folder", ())


def record_of(report: SiteReport) -> dict[str, Any]:
    """Return the record of a report from its file."""
    found: dict[str, Any] = json.loads(as_json(report_record(report, pages_of(report))[0]))
    return found


def pages_of(report: SiteReport) -> Pages:
    """Return the pages of a report that has none, with the types that it has."""
    return Pages((), [card.label for card in report.types])


def test_the_number_of_unlisted_pages_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitepages, "PAGES", 2)
    pages = Pages(PageRow(f"{k}") for k in range(5000))
    assert len(list(pages.cells())) == 2
    record = report_record(replace(REPORT, notes=["Also this."]), pages)[0]
    assert record["notes"] == ["Also this.", "2 of 5,000 pages are listed here; the counts are of all."]


def test_a_type_has_the_counts_of_its_pages() -> None:
    types = [TypeCard("news", 1, 0.5, name="/news/*"), TypeCard(None, 1, 0.5)]
    rows = [PageRow("a", type="news", verdict="index", fits=False), PageRow("b", verdict="article")]
    pages = Pages(rows, [card.label for card in types])
    assert len(list(pages.cells())) == 2
    news, other = report_record(replace(REPORT, types=types), pages)[0]["types"]
    assert (news["name"], news["verdicts"], news["misfits"]) == ("/news/*", [("index", 1)], 1)
    assert (other["name"], other["verdicts"], other["misfits"]) == ("", [("article", 1)], 0)


def test_the_number_of_omitted_rows_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siterecord, "ROWS", 1)
    monkeypatch.setattr(siterecord, "TYPES", 1)
    pairs = [DuplicateRow("a", "b", "identical", 1.0, 3), DuplicateRow("b", "c", "same-template")]
    failed = [Failure("a", "read", "broken"), Failure("b", "read", "broken")]
    types = [TypeCard("one", 2, 0.5), TypeCard("two", 2, 0.5)]
    record = record_of(replace(REPORT, duplicates=pairs, failures=failed, types=types))
    assert [len(record[name]) for name in ("duplicates", "failures", "types")] == [1, 1, 1]
    assert record["duplicate_counts"]["pairs"] == 2
    assert record["duplicate_counts"]["groups"] == 1
    assert record["duplicate_counts"]["pages"] == 2
    assert record["failure_stages"] == {"read": 2}
    assert len(record["notes"]) == 3


def test_everything_of_a_type_is_bounded() -> None:
    long = "x" * 2_000
    sample = SamplePage({"id": "a", "segments": []}, None)
    row = PartRow(0, long, long, "", 1.0, "content", (long, long))
    card = TypeCard(
        long, 1, 1.0, long, long, outline=(row,) * 100, contents=(long,) * 100, samples=(sample,) * 100
    )
    record = record_of(replace(REPORT, types=[card]))
    assert len(record["types"][0]["samples"]) <= siterecord.SAMPLES
    assert len(record["types"][0]["outline"]) == siterecord.OUTLINE
    assert len(json.dumps(record)) < 90_000


def test_samples_are_left_out_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siterecord, "ROOM", 700)
    one = SamplePage({"id": "a", "segments": ["x" * 150]}, None)
    cards = [TypeCard(f"{k}", 1, 1.0, samples=(one,) * 3) for k in range(2)]
    record = record_of(replace(REPORT, types=cards))
    assert [len(card["samples"]) for card in record["types"]] == [2, 1]
    assert record["notes"] == ["3 pages are not shown with their segments, to keep this file small."]
