"""Whole audits of hostile sites: no crash, and every page is a row or a stated failure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.hostile.corpus import SITES
from tests.site.sites import Here, plan

from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse_html
from webgrain.site.audit import audit
from webgrain.site.auditrun import SiteResults
from webgrain.site.model import load_model
from webgrain.site.tables import read_rows

SIZE = 60


Audited = Callable[[str], tuple[list[Source], list[SiteResults], Path]]
pytestmark = pytest.mark.xdist_group("audits of hostile sites")  # one process, to audit each only once


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """Audit a site, once for all tests: its pages, the outcomes, the folder."""

    @cache
    def run(site: str) -> tuple[list[Source], list[SiteResults], Path]:
        pages, folder = SITES[site](SIZE), tmp_path_factory.mktemp("site") / "out"
        return pages, list(audit(lambda first: pages[first:], folder, plan(), Here())), folder

    return run


@pytest.mark.parametrize("site", SITES)
def test_every_page_is_accounted_for(site: str, audited: Audited) -> None:
    pages, outcomes, out = audited(site)
    folders = [outcome.folder for outcome in outcomes]
    found = Counter(row["page"] for folder in folders for row in read_rows(folder / "pages.parquet"))
    paths = {*out.glob("failures.jsonl"), *(folder / "failures.jsonl" for folder in folders)}
    failed = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    assert not [one for one in failed if "internal error" in one["error"]]
    lost = Counter(one["page"] for one in failed if one["stage"] != "learn")  # that is of the site
    assert found + lost == Counter(page.id for page in pages)


@pytest.mark.parametrize("site", ["identical pages", "ids that differ", "all hostile"])
def test_learnt_models_can_be_used_on_any_page(site: str, audited: Audited) -> None:
    model = load_model(audited(site)[2] / "site-model.json")
    for page in SITES["all hostile"](20):
        done = Guard().call(page, "extract", model.predict)
        assert not isinstance(done, Failure), f"{page.id}: {done.error}"


def test_nothing_of_a_page_becomes_markup_of_the_report(audited: Audited) -> None:
    found = []
    for site in ("identical pages", "odd ids", "all hostile"):
        for outcome in audited(site)[1]:
            dom = parse_html(outcome.report.read_text(encoding="utf-8"), limits=Limits(bytes=2**26))
            elements = Counter(dom.name(node) for node in range(len(dom)))
            found.append((elements["script"], elements["iframe"], elements["meta"], elements["base"]))
            names = {dom.names[name] for name in dom.attr_name.tolist()}
            assert not [name for name in names if name.startswith("on")]
    assert len(set(found)) == 1
