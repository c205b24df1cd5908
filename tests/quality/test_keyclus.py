"""Page types of whole sites: agreement with types that follow from addresses and headings.

The queries are anchor texts of other pages, no searches. The default run takes the small sites, and
``make quality`` all of them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from experiments.datasets.sites import read_site
from tests.quality.gate import check

from webgrain.base.metrics import ari
from webgrain.io.queries import read_queries
from webgrain.io.read import read
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.site.typelearning import learn_types

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ("apache2-manual", "datafusion", "flink-web", "grass")
LARGE = ("doxygen-eigen", "javadoc-commons-lang3", "shakespeare-mit", "sqlite3")
SEEDS = range(3)


def scores(folder, name):
    """Return the ARI for each seed; the pages are counted once."""
    site, counts = read_site(folder, name), PathCounts()
    for page in site.pages():
        counts.add(page, site.queries.get(page.id))
    truth = np.unique([site.types[page] for page in counts.ids], return_inverse=True)[1]
    fitted = (PageTypes(random_state=seed).fit_counts(counts) for seed in SEEDS)
    return [ari(truth, method.clustering_.labels) for method in fitted]


def measure(data_dir, names):
    folder = data_dir / "sites"
    if not folder.is_dir():
        pytest.skip(f"no labelled sites: the folder {folder} does not exist")
    found = {name: scores(folder, name) for name in names}
    figures = {f"{name}, ari": float(np.mean(values)) for name, values in found.items()}
    deviation = max(float(np.std(values)) for values in found.values())
    return figures, deviation


@pytest.mark.full
@pytest.mark.data
def test_page_types_of_small_sites(data_dir):
    figures, deviation = measure(data_dir, SMALL)
    check("sites", figures | {"small sites, deviation over seeds": deviation})


@pytest.mark.data
@pytest.mark.full
def test_page_types_of_all_sites(data_dir):
    figures, deviation = measure(data_dir, SMALL + LARGE)
    macro = float(np.mean(list(figures.values())))
    check("sites", figures | {"ari": macro, "deviation over seeds": deviation})


def test_page_types_of_the_sample_site():
    truth = {page["page"]: page for page in json.loads((EXAMPLES / "truth.json").read_bytes())["pages"]}
    found = learn_types(
        lambda: read([EXAMPLES / "site"]), PageTypes(), read_queries(EXAMPLES / "queries.tsv")
    ).clustering
    figures = {}
    for name in ("type", "template"):
        known = np.unique([truth[page][name] for page in found.pages], return_inverse=True)[1]
        figures[f"{name}, ari"] = ari(known, found.labels)
    check("sample site types", figures)
