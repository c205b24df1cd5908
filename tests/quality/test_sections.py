"""Sections of complete sites: few mix content with boilerplate, and none spans its page.

``make quality`` takes the sites below; `experiments.sections_bench` takes all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.quality.gate import check

SITES = ("kyokyo", "oemforum", "tproj", "voc")


@pytest.mark.full
def test_the_sites_of_the_bench(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no sites: the folder {data_dir / 'bench'} does not exist")
    monkeypatch.setenv("WEBGRAIN_DATA", str(data_dir))
    from experiments.datasets.bench import read_bench
    from experiments.sections_bench import JUDGED, LEARNT, TYPES, left_out_pages, row, score

    from webgrain.templates.sections import Sectioner

    rows = []
    for site in read_bench(list(SITES)):
        pages = left_out_pages(site, TYPES, LEARNT, JUDGED)
        cuts = ((page, Sectioner(template=template).predict(page), truth) for template, page, truth in pages)
        rows.append(row([score(page, cut.labels, truth) for page, cut, truth in cuts]))
    names = ("sections of a page", "mixed", "characters in mixed", "spanning")
    check("sections", dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True)))
