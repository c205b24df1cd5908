"""Noise found with the templates of five sites, and pages that fit templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.articles import NEWS, SITES
from experiments.datasets.noise import NoiseScore
from experiments.regextree_paper import judge, of_articles
from tests.quality.gate import check

from webgrain.site.thresholds import MISFIT

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from experiments.training.templates import Misfits

pytestmark = pytest.mark.data
JUDGE = 30
"""Pages of each site that are judged here; the experiment judges 65."""


@pytest.mark.full
def test_noise_of_five_sites(data_dir: Path) -> None:
    for part in ("news", "sites"):
        if not (data_dir / part).is_dir():
            pytest.skip(f"no sites with articles: the folder {data_dir / part} does not exist")
    found = [judge(of_articles(data_dir, name, JUDGE))["ours"] for name in (*NEWS, *SITES)]
    names = NoiseScore._fields[:4]
    check(
        "sites with articles, noise", {name: float(np.mean([one[name] for one in found])) for name in names}
    )


@pytest.mark.full
def test_pages_that_fit_a_template(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no sites: the folder {data_dir / 'bench'} does not exist")
    monkeypatch.setenv("WEBGRAIN_DATA", str(data_dir))
    from experiments.datasets.bench import read_bench
    from experiments.training.templates import GROUPS, evaluate, examples, left_out, misfits

    found = [one for site in read_bench() for one in examples(site)]
    probability = left_out(found)
    table, _ = evaluate(found, probability)
    accepted = dict(zip(GROUPS, np.nanmean(list(table.values()), axis=0).tolist(), strict=True))
    own = accepted.pop("own")
    others = accepted.pop("others")
    figures = {f"reversed {name}, accepted": share for name, share in accepted.items()}
    figures |= misfit_figures(misfits(found, probability).values())
    check("bench, templates", {"own accepted": own, "others rejected": 1 - others, **figures})


def misfit_figures(of_sites: Collection[Misfits]) -> dict[str, float]:
    """Return means of sites: the reported shares of the pages of a type and of others, at `MISFIT`."""
    from experiments.training.templates import MISFITS

    k = MISFITS.index(MISFIT)
    own = np.mean([one.reported[k] / one.pages for one in of_sites])
    others = np.mean([one.right[k] / one.others for one in of_sites])
    return {"own reported": float(own), "others reported": float(others)}
