"""Dates and authors of the metadata on whole sites; the order of the sources was chosen on other pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.metadata_wcxb import bench, measure
from tests.quality.gate import check


@pytest.mark.full
def test_dates_and_authors_of_whole_sites(data_dir: Path) -> None:
    if not list((data_dir / "bench").glob("*.types.tsv")):
        pytest.skip(f"no bench: the folder {data_dir / 'bench'} does not contain sites")
    rows = measure(bench())
    figures = {
        field: rows[field, "all"]["correct"] / rows[field, "all"]["pages"]
        for field in ("published", "author")
    }
    check("metadata", figures)
