"""The list of stages of an audit: each reads and writes the files that it states, and the columns."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
import pytest
from tests.site.sites import Here, plan, shop

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.audit import STAGES, Stage, audit
from webgrain.site.learning import learn_site
from webgrain.site.references import KnownFiles
from webgrain.site.stages.extraction import PAGE_STEPS, PART_COLUMNS, ReadPage

if TYPE_CHECKING:
    from webgrain.site.auditrun import AuditRun
    from webgrain.site.workspace import SiteFiles

FILES = sorted({name for stage in STAGES for name in (*stage.reads, *stage.writes)})


def existing(site: SiteFiles) -> set[str]:
    """Return the names of the files of a site that exist; of several files, all must exist."""
    names = set()
    for name in FILES:
        paths = getattr(site, name)
        if all(path.exists() for path in (paths if isinstance(paths, tuple) else (paths,))):
            names.add(name)
    return names


def test_each_stage_writes_the_files_that_it_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = shop(12)
    copy = Source("copy.html", pages[0].body)
    audit(lambda first: [*pages, copy][first:], tmp_path / "earlier", plan(), Here())
    after: dict[str, set[str]] = {}

    def observe(stage: Stage, run: AuditRun) -> None:
        stage.run(run)
        [site] = run.sites
        after[stage.name] = existing(site)

    observed = [stage._replace(run=partial(observe, stage)) for stage in STAGES]
    monkeypatch.setattr("webgrain.site.audit.STAGES", observed)
    audit(lambda first: [*pages, copy][first:], tmp_path / "out", plan(since=tmp_path / "earlier"), Here())
    before: set[str] = set()
    for stage in STAGES:
        assert set(stage.reads) <= before
        assert after[stage.name] - before == set(stage.writes)
        before = after[stage.name]


def test_each_step_of_extraction_returns_its_columns(tmp_path: Path) -> None:
    pages = shop(8)
    prediction = learn_site(lambda: pages, "a site").predict(parse(pages[0]))
    page = ReadPage(pages[0], prediction, prediction.text, "a site", KnownFiles())
    for step in PAGE_STEPS:
        assert set(step.cells(page)) == {name for name, _ in step.columns}
    audit(lambda first: pages[first:], tmp_path, plan(), Here())
    [part] = tmp_path.glob("work/sites/*/parts/*.arrow")
    assert pyarrow.ipc.open_file(part).schema.names == [name for name, _ in PART_COLUMNS]
