"""Drift on complete sites: unchanged pages raise no alarm, and changed ones do.

``make quality`` takes the sites below, three of different kinds; `experiments.drift_bench` takes all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.quality.gate import check

from webgrain.templates.thresholds import ALARM, NOTICE

SITES = ("kyokyo", "oemforum", "voc")


@pytest.mark.full
def test_the_sites_of_the_bench(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no sites: the folder {data_dir / 'bench'} does not exist")
    monkeypatch.setenv("WEBGRAIN_DATA", str(data_dir))
    from experiments.datasets.bench import read_bench
    from experiments.drift_bench import CHANGES, draws

    found = [draw for site in read_bench(list(SITES)) for draw in draws(site)]
    figures = {}
    for kind in ("none", *CHANGES):
        least = np.array([least for _, own, least, _ in found if own == kind])
        figures[f"{kind}, alarms"] = float((least[:, 0] < ALARM).mean())
        figures[f"{kind}, notices"] = float((least.min(axis=1) < NOTICE).mean())
    figures["banner, named"] = float(np.mean([right for _, kind, _, right in found if kind == "banner"]))
    check("drift", figures)
