"""Dates and authors of the metadata on whole sites, by models that have not seen them."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.training.metadata import judged, left_out
from tests.quality.gate import check


@pytest.mark.full
def test_dates_and_authors_of_whole_sites(data_dir: Path) -> None:
    if not list((data_dir / "bench").glob("*.types.tsv")):
        pytest.skip(f"no bench: the folder {data_dir / 'bench'} does not contain sites")
    figures = {}
    for field, rows in judged().items():
        outcomes = left_out(field, rows)["bench"]
        stated = sum(outcomes[name] for name in ("right", "wrong", "missing"))
        figures["published" if field == "date" else field] = outcomes["right"] / stated
    check("metadata", figures)
