"""What the owner of a site should do first."""

from __future__ import annotations

import re
from pathlib import Path

from tests.site.test_findings import article, audited, write_site

from webgrain.base.failures import Failure
from webgrain.report.site import Action
from webgrain.site import thresholds
from webgrain.site.actions import Actions, RowCause, action_text
from webgrain.site.findings import FINDING_TYPES, Findings, add_failures
from webgrain.site.links import LinkResolver
from webgrain.site.linktable import Cause, Fault, LinkTable

BROKEN = FINDING_TYPES["broken-links"]
NOTICE = FINDING_TYPES["long-title"]


def first_of(site: Path, folder: Path) -> list[Action]:
    return audited(site, folder).actions


def test_a_broken_link_of_a_template_is_one_action_with_its_element(tmp_path: Path) -> None:
    footer = "<footer><p>End</p></footer>"
    linked = "<footer><p>End</p><a href=imprint.html>Imprint</a></footer>"
    pages = {f"page-{k}.html": article(f"Place {k}").replace(footer, linked) for k in range(9)}
    pages["one.html"] = article("One", body="<p><a href=nowhere.html>A lost page</a></p>")
    write_site(tmp_path / "site", pages)
    actions = [each for each in first_of(tmp_path / "site", tmp_path / "out") if each.level == "error"]
    assert [(each.cause, each.place, each.pages, each.example) for each in actions] == [
        ("imprint.html", "“Imprint”, footer", 9, "page-0.html"),
        ("nowhere.html", "“A lost page”", 1, "one.html"),
    ]
    assert actions[0].selector.endswith("footer > a")
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '"cause":"imprint.html"' in report
    assert re.search(r"11 pages of \d types?\. Findings: 1 error", report)


def test_an_error_of_one_page_precedes_a_notice_of_many() -> None:
    actions = Actions()
    for number in range(50):
        actions.add(NOTICE, f"{number}.html", "A title", RowCause(type="t"))
    actions.add(BROKEN, "0.html", "", RowCause("/gone"))
    assert [(each.finding, each.pages) for each in actions.first()] == [
        ("broken-links", 1),
        ("long-title", 50),
    ]


def test_a_broken_link_to_a_local_file_hides_no_failure(tmp_path: Path) -> None:
    """Neither the missing file nor such a URL has a canonical form."""
    links = LinkTable(LinkResolver([], {}), [])
    links.faults[Cause("broken-links", "gone.html", "a", "href", "link", "content", True)] = Fault("", "")
    assert links.broken_addresses == frozenset()
    with Findings(tmp_path) as findings:
        failure = Failure("a", "extract", "too long", url="urn:a")
        add_failures(findings, [failure], links.broken_addresses)
    assert [finding.name for finding in findings.with_rows()] == ["failed-pages"]


def test_clicks_on_the_pages_count() -> None:
    actions = Actions()
    actions.add(BROKEN, "0.html", "", RowCause("/rare"), pages=4)
    actions.add(BROKEN, "0.html", "", RowCause("/searched", clicks=9))
    assert [each.cause for each in actions.first()] == ["/searched", "/rare"]
    assert "1 page with 9 search clicks" in action_text(actions.first()[0])


def test_two_rows_of_a_page_with_one_cause_are_one_page() -> None:
    actions = Actions()
    for page in ("a.html", "a.html", "b.html"):
        actions.add(NOTICE, page, "", RowCause(type="t", clicks=2))
    [action] = actions.first()
    assert (action.pages, action.clicks) == (2, 4)
    assert "Products: 2 pages" in action_text(action, {"t": "Products"}.__getitem__)


def test_further_causes_of_a_finding_are_one_action() -> None:
    actions = Actions()
    for number in range(20):
        actions.add(BROKEN, f"{number}.html", "", RowCause(f"/gone-{number}"))
    *listed, others = actions.first()
    assert len(listed) == thresholds.ACTIONS_OF_A_FINDING
    assert (others.causes, others.pages, others.cause) == (17, 17, "")
    assert "17 others: 17 pages" in action_text(others)


def test_causes_that_share_pages_are_not_counted_twice() -> None:
    actions = Actions()
    for number in range(9):
        actions.add(BROKEN, "a.html", "", RowCause(f"/gone-{number}"), pages=5)
    assert [each.pages for each in actions.first({"broken-links": 7})] == [5, 5, 5, 7]
