"""The list of stages of an audit: each reads and writes the files that it states, and the columns."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
import pytest
from tests.site.sites import Here, plan, shop

from webgrain.base.errors import ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.audit import STAGES, Stage, audit
from webgrain.site.checks import check_cells
from webgrain.site.learning import learn_site
from webgrain.site.references import KnownFiles
from webgrain.site.site import Site
from webgrain.site.stages.extraction import PAGE_STEPS, PART_COLUMNS, ReadPage

if TYPE_CHECKING:
    from webgrain.site.auditrun import AuditRun
    from webgrain.site.model import Prediction
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


def test_pages_that_take_turns_have_the_rows_of_pages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = shop(24)
    deep = b"<div>" * 3000 + b"<p>Deep"
    others = [b"", b"<p>Short", deep, pages[0].body + b"<p>One more" * 4000]
    pages[5:5] = [Source(f"other {number}", body) for number, body in enumerate(others)]
    check = check_cells

    def failing(prediction: Prediction, text: str) -> object:
        if prediction.id == "other 1":
            raise MemoryError
        return check(prediction, text)

    monkeypatch.setattr("webgrain.site.stages.extraction.check_cells", failing)
    rows, failures = [], []
    for most in (1, 7):
        monkeypatch.setattr("webgrain.page.turns.MOST_PAGES", most)
        folder = tmp_path / str(most)
        [results] = audit(lambda first: pages[first:], folder, plan(sample=12), Here())
        parts = sorted(folder.glob("work/sites/*/parts/*.arrow"))
        rows.append([pyarrow.ipc.open_file(part).read_all().to_pylist() for part in parts])
        failures.append([(failure.page, failure.error) for failure in results.failures])
    assert rows[0] == rows[1]
    assert failures[0] == failures[1]
    assert ("other 1", "it needs more than 1024 MB of memory.") in failures[0]


def test_several_pages_have_the_predictions_of_each() -> None:
    pages = shop(20)
    site = Site(learn_site(lambda: pages, "a site"))
    together = site.predict(pages)
    assert [each.to_dict() for each in together] == [site.predict(page).to_dict() for page in pages]
    with pytest.raises(ParameterError):
        site.predict([pages[0], None])
