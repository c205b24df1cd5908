from __future__ import annotations

from typing import TYPE_CHECKING

from webgrain.report import site as sitepages
from webgrain.report.site import BINS, PageRow, Pages

if TYPE_CHECKING:
    import pytest


def test_what_is_no_number_is_not_known() -> None:
    pages = Pages([PageRow("a", boilerplate_share=float("nan"), confidence=float("inf"))])
    [cells] = pages.cells()
    assert cells[6] is None
    assert cells[9] is None
    assert pages.summary()["boilerplate"]["known"] == 0


def test_all_pages_are_counted_even_if_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitepages, "PAGES", 2)
    rows = (PageRow(f"{k}", type="a" if k else None, boilerplate_share=k / 4, fits=k < 3) for k in range(5))
    pages = Pages(rows, ["a", None, "b"])
    assert [cells[0] for cells in pages.cells()] == ["0", "1"]
    summary = pages.summary()
    assert (summary["pages"], summary["listed"], summary["untyped"], summary["misfits"]) == (5, 2, 1, 2)
    assert summary["boilerplate"]["mean"] == 0.5
    assert sum(summary["boilerplate"]["bars"]) == summary["boilerplate"]["known"] == 5
    assert summary["boilerplate"]["bars"][-1] == 1  # a share of 1 is in the last bar
    assert pages.of_type("a") == {"verdicts": [("unknown", 4)], "misfits": 2}
    assert pages.of_type(None)["verdicts"] == [("unknown", 1)]
    assert pages.of_type("b") == {"verdicts": [], "misfits": 0}
    assert summary["empty"] == 5
    assert summary["match"] == {"bars": [0] * BINS, "known": 0, "mean": None}


def test_types_of_any_rank_are_counted() -> None:
    pages = Pages([PageRow(f"{k}", type=f"{k}", fits=False) for k in range(3000)], ["2999"])
    assert len(list(pages.cells())) == 3000
    assert pages.of_type("2999") == {"verdicts": [("unknown", 1)], "misfits": 1}


def test_a_page_is_bounded() -> None:
    long = "x" * 1_000_000
    [cells] = Pages([PageRow(long, long, long, long, long, long)]).cells()
    assert sum(len(cell) for cell in cells if isinstance(cell, str)) < 2000
    assert cells[1] is None  # half an address leads elsewhere
    assert cells[0].endswith("…")
