"""What has changed since an earlier audit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.site.sites import Here, plan
from tests.site.test_findings import article, write_site

from webgrain.base.errors import InputError
from webgrain.io.read import read
from webgrain.site.audit import audit
from webgrain.site.auditrun import SiteResults
from webgrain.site.changes import SiteChanges, check_audit, finding_changes
from webgrain.site.tables import read_rows


def audited(site: Path, folder: Path, since: Path | None = None) -> SiteResults:
    items = list(read(str(site)))
    [outcome] = audit(lambda first: items[first:], folder, plan(since=since), Here())
    return outcome


def changed(folder: Path) -> list[tuple[str, str, str]]:
    return [(row["page"], row["change"], row["detail"]) for row in read_rows(folder / "changes.parquet")]


PAGES = {f"page-{k}.html": article(f"Place {k}") for k in range(12)} | {
    "lost.html": article("Lost"),
    "link.html": article("Link", body="<p><a href=x.html>A link</a></p>"),
}


pytestmark = pytest.mark.xdist_group("changes of a site")  # one process, to audit it only once


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> tuple[SiteResults, Path]:
    """The audit of the pages."""
    folder = tmp_path_factory.mktemp("old")
    write_site(folder / "site", PAGES)
    return audited(folder / "site", folder / "old"), folder / "old"


def test_pages_findings_and_labels(tmp_path: Path, old: tuple[SiteResults, Path]) -> None:
    write_site(tmp_path / "site", PAGES)
    (tmp_path / "site" / "lost.html").unlink()
    (tmp_path / "site" / "page-3.html").write_text(article("Place 3", text="These words are all new. " * 20))
    (tmp_path / "site" / "page-4.html").write_text(
        PAGES["page-4.html"].replace("<footer>", "<footer><p>Imprint</p>")
    )
    (tmp_path / "site" / "page-5.html").write_text(article("Place 5", title=""))
    (tmp_path / "site" / "added.html").write_text(article("Added"))
    (tmp_path / "site" / "link.html").write_text(
        article("Link", body="<p><a href=page-1.html>A link</a></p>")
    )
    after = audited(tmp_path / "site", tmp_path / "new", old[1])
    rows = changed(tmp_path / "new")
    assert ("added.html", "new", "Added") in rows
    assert ("lost.html", "removed", "") in rows
    assert [page for page, change, _ in rows if change == "changed"] == ["page-3.html"]
    assert after.changes is not None
    assert after.changes.pages == {"new": 1, "removed": 1, "changed": 1, "other type": 0}
    assert counts(after, "missing-title") == (1, 0, 0)
    assert counts(after, "broken-links") == (1, 1, 0)  # the index still links to the lost page
    assert set(old[0].types) == set(after.types)
    pages_of_types = [now for _, now in after.changes.types.values()]
    assert sum(pages_of_types) == after.pages
    with (tmp_path / "new" / "changed-findings.csv").open(newline="", encoding="utf-8") as file:
        changed_rows = {(row["finding"], row["change"], row["page"]) for row in csv.DictReader(file)}
    assert {
        ("missing-title", "new", "page-5.html"),
        ("broken-links", "new", "index.html"),
        ("broken-links", "resolved", "link.html"),
    } <= changed_rows


def counts(results: SiteResults, name: str) -> tuple[int, int, int]:
    """Return the numbers of new, resolved and unchanged rows of a finding."""
    assert results.changes is not None
    change = results.changes.findings[name]
    return change.new, change.resolved, change.unchanged


def test_causes_are_compared_without_their_page_and_measures_without_their_value(tmp_path: Path) -> None:
    rows = {
        "old": ["a.html,/x (img src): There is no such file.", "a.html,2.1 seconds"],
        "new": ["b.html,/x (img src): There is no such file.", "a.html,2.4 seconds"],
    }
    for folder, (image, slow) in rows.items():
        (tmp_path / folder).mkdir()
        for name, row in (("broken-images", image), ("slow-pages", slow), ("missing-title", f"{folder},")):
            (tmp_path / folder / f"{name}.csv").write_text(f"page,detail,pages\n{row},1\n")
    changes = SiteChanges(tmp_path)
    changed_rows = list(finding_changes(tmp_path / "old", tmp_path / "new", changes))
    assert changed_rows == [["missing-title", "new", "new", ""], ["missing-title", "resolved", "old", ""]]
    numbers = {name: (one.new, one.resolved, one.unchanged) for name, one in changes.findings.items()}
    assert numbers == {"broken-images": (0, 0, 1), "slow-pages": (0, 0, 1), "missing-title": (1, 1, 0)}


def test_equal_audits_have_no_changes(tmp_path: Path, old: tuple[SiteResults, Path]) -> None:
    write_site(tmp_path / "site", PAGES)
    after = audited(tmp_path / "site", tmp_path / "new", old[1])
    assert after.changes is not None
    assert (changed(tmp_path / "new"), after.changes.drift) == ([], {})
    assert counts(after, "broken-links") == (0, 0, 1)
    assert not any(change.new or change.resolved for change in after.changes.findings.values())


def test_a_template_that_changes_is_reported(tmp_path: Path, old: tuple[SiteResults, Path]) -> None:
    new = {
        name: html.replace("<p class=price>9</p>", "<form class=buy><input></form>")
        for name, html in PAGES.items()
    }
    write_site(tmp_path / "site", new)
    after = audited(tmp_path / "site", tmp_path / "new", old[1])
    assert after.changes is not None
    [(level, sentences)] = after.changes.drift.values()
    assert level == "alarm"
    assert any("price" in sentence for sentence in sentences)


def test_an_earlier_audit_without_the_site_is_a_warning(tmp_path: Path) -> None:
    write_site(tmp_path / "site", {"page.html": article("Place")})
    outcome = audited(tmp_path / "site", tmp_path / "new", tmp_path)
    assert outcome.changes is None
    assert any("has no site" in warning for warning in outcome.warnings)


def test_a_folder_without_an_audit_is_an_error_at_once(tmp_path: Path, old: tuple[SiteResults, Path]) -> None:
    with pytest.raises(InputError, match=r"pages\.parquet is missing"):
        plan(since=tmp_path).check_files(tmp_path / "new")
    with pytest.raises(InputError, match="does not exist"):
        check_audit(tmp_path / "missing")
    check_audit(old[1])
    check_audit(old[1].parent)  # an audit of several sites has a folder for each
