"""Noise found with the templates of five sites, and pages of other types told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.articles import NEWS, SITES
from experiments.datasets.noise import NoiseScore
from experiments.template_figure1 import judge
from tests.quality.gate import check

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data
JUDGE = 30
"""Pages of each site that are judged here; the experiment judges 65."""


@pytest.mark.full
def test_noise_of_five_sites(data_dir: Path) -> None:
    for part in ("news", "sites"):
        if not (data_dir / part).is_dir():
            pytest.skip(f"no sites with articles: the folder {data_dir / part} does not exist")
    means = np.mean([judge(data_dir, name, JUDGE).mean(axis=0) for name in (*NEWS, *SITES)], axis=0)
    told = dict(zip(NoiseScore._fields, means.tolist(), strict=True))
    check("sites with articles, noise", {name: told[name] for name in NoiseScore._fields[:4]})
