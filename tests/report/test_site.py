from __future__ import annotations

import csv
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.conftest import PATIENCE
from tests.report.conftest import HOSTILE

from webgrain.base.failures import Failure
from webgrain.extraction.boilerplate import BoilerplatePart
from webgrain.report.site import (
    Action,
    Comparison,
    DuplicateRow,
    Finding,
    FindingChange,
    PageRow,
    SamplePage,
    SiteReport,
    TypeCard,
    sample_page,
    write_site_report,
)
from webgrain.templates.template import PartRow

if TYPE_CHECKING:
    from tests.report.conftest import Shown

pytestmark = pytest.mark.browser

CHECK = (Path(__file__).parent / "accessible.js").read_text(encoding="utf-8")

ADDRESS = "javascript:window.hacked=1"


def rows(n: int) -> list[PageRow]:
    """Pages of two types, every tenth of none."""
    return [
        PageRow(
            f"news/{k}.html",
            f"https://example.org/news/{k}.html",
            None if k % 10 == 9 else "news" if k % 2 else "shop",
            "article" if k % 3 else "index",
            f"Headline number {k}",
            "The words of the page. " * 10,
            k % 100 / 100,
            1 - k % 50 / 100,
            k % 50 < 40,
            0.5,
            k // 2 if k < 8 else None,
            1000 + k,
            k * 7 % 100 / 100,
        )
        for k in range(n)
    ]


PARTS = (
    PartRow(0, "body", "body", "", 1.0),
    PartRow(1, "header#top", "body > header#top", "", 1.0, "frame", ("My site",)),
    PartRow(1, "li", "body > ul > li", "*", 0.8, "items", ("One · Two", "Three · Four")),
)


def report_of(pages: list[PageRow], *samples: SamplePage) -> SiteReport:
    return SiteReport(
        "example.org",
        f"{len(pages)} pages of a folder",
        iter(pages),
        [
            TypeCard("news", 40, 0.4, "main > article", "/html/body/main/article", 0.3, 0.9, PARTS,
                     "h1", "article", ("One", "Two"), samples, "/news/*"),
            TypeCard("shop", 50, 0.5),
        ],
        [
            DuplicateRow("news/0.html", "news/1.html", "near-duplicate", 0.9, 0, "", "Out of stock"),
            DuplicateRow("news/5.html", "elsewhere", "same-template", 0.6),
        ],
        [Failure("lost.html", "read", "the archive ends in the middle of a page", 2.0)],
        [BoilerplatePart("header", "body > header", 0.98)],
        {"news": ("alarm", ("h1 is gone",)), "shop": ("none", ())},
        ["No search log was given."],
        [
            Finding("broken-links", "error", "Broken links", "They lead nowhere.", "Correct them.", 1, 2,
                    [("gone.html", "Linked from news/1.html.")]),
            Finding("missing-title", "notice", "No title", "It names a page.", "Add one.", 1, 1,
                    [("news/3.html", "")]),
        ],
    )  # fmt: skip


def drawn(page: str = "news/1.html", **result: Any) -> SamplePage:
    """Return a sample without a picture: two segments, side by side."""
    left = {"text": "The main words", "css": ["main"], "xpath": ["/html/body/main"], "role": "article"}
    right = {"text": "Links to others", "css": ["nav"], "xpath": ["/html/body/nav"], "role": "menu"}
    rest = {"more": 0, "importance": None, "confidence": None, "tone": 0} | result
    both = [one | {"boxes": [[x, 0, 400, 300]]} | rest for one, x in ((left, 0), (right, 400))]
    record = {"id": page, "url": "https://example.org/", "width": 800, "height": 600, "more": 0}
    return SamplePage(record | {"segments": both}, None)


def opened(tab: Any, folder: Path, report: SiteReport) -> Any:
    path = folder / "report.html"
    write_site_report(path, report)
    tab.set_default_timeout(PATIENCE * 1000)
    tab.goto(path.as_uri())
    return tab


def count_of(tab: Any, text: str) -> None:
    """Wait until the list shows its number of pages."""
    expect(tab.locator("#page-count")).to_have_text(text)


def test_all_parts_are_there(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    assert tab.title().startswith("example.org")
    assert "20\nmisfits\n1 type with an alarm" in tab.locator("#tiles").inner_text()
    assert tab.locator("#plots figure").count() == 2
    assert tab.locator("#plots svg rect").count() > 20
    assert [one.inner_text() for one in tab.locator(".card h3").all()] == ["/news/*", "shop"]
    assert "other\t10" in tab.locator("#type-table").inner_text()
    for part, text in [
        ("#notes", "No search log"), ("#duplicates", "elsewhere"), ("#drift", "h1 is gone"),
        ("#failures", "read: the archive ends"), ("#frame", "body > header"),
    ]:  # fmt: skip
        assert text in tab.locator(part).inner_text()


def test_search_filter_and_order(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    count_of(tab, "100 of 100 pages")
    tab.get_by_label("Search in titles").fill("number HEADLINE 42")
    count_of(tab, "1 of 100 pages")
    assert "Headline number 42" in tab.locator("#page-list li").inner_text()
    tab.get_by_role("button", name="Clear").click()
    count_of(tab, "100 of 100 pages")
    tab.get_by_label("Only").select_option("that do not fit their template")
    count_of(tab, "20 of 100 pages")
    tab.get_by_label("Order").select_option("probability to fit, least first")
    expect(tab.locator("#page-list li strong").first).to_have_text("Headline number 43")
    tab.get_by_label("Type", exact=True).select_option("news")
    count_of(tab, "8 of 100 pages")  # those of 20 whose number is odd, but for two of no type
    tab.get_by_label("Order").select_option("boilerplate, most first")
    expect(tab.locator("#page-list li strong").first).to_have_text("Headline number 97")
    tab.get_by_label("Search in titles").fill("no such page")
    count_of(tab, "0 of 100 pages")


def test_pages_of_no_known_type_may_have_a_card(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, SiteReport("example.org", "", rows(20), [TypeCard(None, 2, 0.1)]))
    assert tab.locator("#type-table tbody tr").count() == 1
    tab.get_by_role("button", name="Show all 2 in the list of pages").click()
    count_of(tab, "2 of 20 pages")


def test_a_card_leads_to_its_pages(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    tab.get_by_role("button", name="Show all 50 in the list of pages").click()
    count_of(tab, "50 of 100 pages")
    assert tab.locator("#of-type").input_value() == "shop"


def test_a_card_shows_what_the_parts_of_the_template_are(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    parts = tab.locator(".outline").first.locator("li").all_inner_texts()
    assert [" ".join(part.split()) for part in parts] == [
        "body",
        "header#top frame My site",
        "li * items on 80% One · Two Three · Four",
    ]


def test_names_stand_for_labels_everywhere(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    for part in ("#type-table", "#drift", "#page-list"):
        assert "/news/*" in tab.locator(part).inner_text(), part
    assert "Label\nnews" in tab.locator(".card").first.inner_text()
    assert tab.locator("#of-type option").all_inner_texts() == ["all", "/news/* (40)", "shop (50)"]
    tab.goto(f"{tab.url}#page-1")
    assert "Type\n/news/*" in tab.locator("dialog .facts").inner_text()


def test_the_report_begins_with_the_findings(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    expect(tab.locator("main h2").first).to_have_text("Findings")
    found = tab.locator("#finding-list details")
    expect(found).to_have_text(["error Broken links 1 page", "notice No title 1 page"], use_inner_text=True)
    found.first.locator("summary").click()
    expect(found.first).to_contain_text("They lead nowhere. Correct them.", use_inner_text=True)
    expect(found.first).to_contain_text("gone.html: Linked from news/1.html.", use_inner_text=True)
    assert found.first.get_by_role("link").get_attribute("href") == "findings/broken-links.csv"
    found.nth(1).locator("summary").click()
    found.nth(1).get_by_role("link", name="Headline number 3").click()
    expect(tab.locator("dialog")).to_be_visible()


def test_changes_since_an_earlier_audit(tmp_path: Path, tab: Any) -> None:
    changes = [
        FindingChange("broken-links", "error", "Broken links", 1, 1, 7, [
            ("new", "news/1.html", "gone.html"), ("resolved", "news/3.html", "lost.html"),
        ]),
        FindingChange("missing-title", "notice", "No title", unchanged=2),
    ]  # fmt: skip
    types = [("news", "/news/*", 30, 40), ("old", "/old/*", 5, 0)]
    comparison = Comparison("last-audit", {"new": 3, "removed": 1}, changes, types)
    opened(tab, tmp_path, replace(report_of(rows(100), drawn()), comparison=comparison))
    part = tab.locator("#changes")
    expect(part).to_contain_text("Since last-audit: pages 3 new, 1 removed.", use_inner_text=True)
    cells = part.locator("#changed-findings tbody tr").first.locator("th, td").all_inner_texts()
    assert cells == ["error Broken links", "1", "1", "7"]
    part.locator("details summary").click()
    assert part.locator("details li").all_inner_texts() == [
        "new Headline number 1 news/1.html: gone.html",
        "resolved Headline number 3 news/3.html: lost.html",
    ]
    assert part.locator("#changed-types tbody tr").all_inner_texts() == ["/news/*\t30\t40", "/old/*\t5\t0"]


def test_tables_can_be_saved(tmp_path: Path, tab: Any) -> None:
    pages = [replace(page, title="=1+1") if not k else page for k, page in enumerate(rows(4))]
    opened(tab, tmp_path, report_of(pages, drawn()))
    buttons = tab.get_by_role("button", name="Save as CSV")
    saved = {}
    for button in buttons.all():
        with tab.expect_download() as download:
            button.evaluate("button => button.click()")
        saved[download.value.suggested_filename] = download.value.path().read_text(encoding="utf-8-sig")
    assert saved.keys() >= {
        "page-types.csv", "pages.csv", "pairs-of-similar-pages.csv", "failures.csv", "boilerplate.csv",
        "types-that-have-changed.csv",
    }  # fmt: skip
    table = list(csv.DictReader(saved["pages.csv"].splitlines()))
    assert [row["id"] for row in table] == [page.id for page in pages]
    assert table[0]["title"] == "'=1+1"
    [part] = csv.DictReader(saved["boilerplate.csv"].splitlines())
    assert part == {"Part": "header", "On pages": "98%", "Selector": "body > header"}


def test_paper_gets_the_findings_with_reason_remedy_and_ten_rows(tmp_path: Path, tab: Any) -> None:
    many = [(f"gone-{k}.html", "Linked.") for k in range(30)]
    report = report_of(rows(3))
    finding = replace(report.findings[0], rows=30, examples=many)
    opened(tab, tmp_path, replace(report, findings=[finding]))
    found = tab.locator("#finding-list details")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(found).to_contain_text("They lead nowhere. Correct them.", use_inner_text=True)
    expect(found.locator("li:visible")).to_have_count(10)
    expect(found).to_contain_text("30 rows in findings/broken-links.csv", use_inner_text=True)
    tab.emulate_media(media="screen")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(found).not_to_have_attribute("open", "")


def test_a_site_in_order_has_no_findings(tmp_path: Path, tab: Any) -> None:
    page = PageRow("a.html", type="news", text="Words", boilerplate_share=0.1)
    opened(tab, tmp_path, SiteReport("example.org", "", [page], [TypeCard("news", 1, 1.0, boilerplate=0.1)]))
    expect(tab.locator("#finding-list")).to_have_text("Nothing was found that needs attention.")


def test_groups_list_pages_of_equal_text(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    groups = tab.locator("#groups details")
    assert groups.count() == 4
    groups.first.locator("summary").click()
    assert groups.first.locator("li").all_inner_texts() == [
        "Headline number 0 news/0.html",
        "Headline number 1 news/1.html",
    ]
    differences = groups.first.locator(".difference")
    assert differences.count() == 1
    assert differences.locator("p").all_inner_texts() == ["Only in the second: Out of stock"]


def test_the_list_of_pages_can_be_copied(tmp_path: Path, tab: Any) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(tab, tmp_path, report_of(rows(100), drawn()))
    tab.get_by_label("Search in titles").fill("number 42")
    count_of(tab, "1 of 100 pages")
    tab.get_by_role("button", name="Copy list").click()
    expect(tab.locator("#copied")).to_have_text("Copied")
    assert tab.evaluate("navigator.clipboard.readText()").split("\n") == [
        "page\turl\ttype\tverdict\ttitle",
        "news/42.html\thttps://example.org/news/42.html\tshop\tindex\tHeadline number 42",
    ]


def test_a_segment_shows_its_text_and_paths(tmp_path: Path, two_blocks: Shown, tab: Any) -> None:
    page, segmentation, _ = two_blocks
    sample = sample_page(page, segmentation)
    opened(tab, tmp_path, report_of(rows(3), sample))
    tab.get_by_role("link", name="a.html").first.click()
    dialog = tab.get_by_role("dialog", name="a.html")
    assert dialog.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert dialog.locator(".detail:visible").count() == 0
    dialog.locator("rect.block[data-segment='1']").click()
    assert "Second words" in dialog.locator(".detail:visible").inner_text()
    assert "/html[1]/body[1]/p[2]" in dialog.locator(".detail:visible").inner_text()
    tab.keyboard.press("ArrowUp")
    assert "First words" in dialog.locator(".detail:visible").inner_text()
    assert dialog.locator(".head[aria-expanded=true]").count() == 1
    tab.keyboard.press("Enter")
    assert dialog.locator(".detail:visible").count() == 0


def test_selectors_can_be_copied(tmp_path: Path, tab: Any) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(tab, tmp_path, report_of(rows(3), drawn()))
    tab.get_by_role("button", name="Copy XPath").first.click()
    expect(tab.locator("#copied")).to_have_text("Copied")
    assert tab.evaluate("navigator.clipboard.readText()") == "/html/body/main/article"


def test_without_a_picture_the_boxes_are_drawn(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(3), drawn()))
    tab.goto(f"{tab.url}#page-1")
    expect(tab.locator("dialog svg rect.block")).to_have_count(2)
    assert tab.locator("dialog img").count() == 0
    assert "The main words" in tab.locator("dialog svg .wording").first.text_content()


@pytest.mark.full
def test_the_keyboard_goes_through_long_lists(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(5000)))
    assert tab.locator("#page-list li").count() < 60
    tab.locator("#page-list a").first.focus()
    tab.keyboard.press("ArrowDown")
    assert "number 1\n" in tab.evaluate("document.activeElement.innerText")
    tab.keyboard.press("End")
    assert "number 4999\n" in tab.evaluate("document.activeElement.innerText")
    assert tab.locator("#page-list li").count() < 60
    last = tab.evaluate("document.activeElement.closest('li').getAttribute('aria-posinset')")
    assert last == "5000"
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("dialog", name="Headline number 4999")).to_be_visible()
    tab.get_by_role("button", name="Previous").click()
    expect(tab.get_by_role("dialog", name="Headline number 4998")).to_be_visible()
    tab.keyboard.press("Escape")
    expect(tab.locator("dialog")).not_to_be_visible()
    assert "number 4999\n" in tab.evaluate("document.activeElement.innerText")


def test_the_wheel_does_not_change_the_focus(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(500)))
    tab.locator("#page-list a").nth(3).focus()
    tab.evaluate("document.querySelector('#page-list').scrollTop = 20000")
    expect(tab.locator("#page-list li").nth(1)).to_contain_text(re.compile("number 3[6-9]"))
    assert "number 3\n" in tab.evaluate("document.activeElement.innerText")


def test_the_first_stop_leads_past_the_navigation(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(3)))
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the report"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"


def hostile_report() -> SiteReport:
    """Return a report in which every text tries to run a script."""
    texts = {"type": HOSTILE, "verdict": HOSTILE, "title": HOSTILE, "text": HOSTILE + "\u2028<!--"}
    page = PageRow(HOSTILE, ADDRESS, cluster=1, **texts)  # type: ignore[arg-type]
    record = drawn(HOSTILE, text=HOSTILE, css=[HOSTILE], xpath=[HOSTILE], role=HOSTILE).record
    sample = SamplePage(record | {"url": ADDRESS}, HOSTILE.encode())
    part = PartRow(0, HOSTILE, HOSTILE, HOSTILE, 0.5, HOSTILE, (HOSTILE, HOSTILE))
    card = TypeCard(
        HOSTILE, 1, 1.0, HOSTILE, HOSTILE, 0.1, 0.2, (part,), HOSTILE, HOSTILE, (HOSTILE,), (sample,), HOSTILE
    )
    finding = Finding(HOSTILE, "error", HOSTILE, HOSTILE, HOSTILE, 1, 1, [(HOSTILE, HOSTILE)])
    action = Action(
        HOSTILE, "error", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, 1, 1, 1, HOSTILE, HOSTILE, 0, HOSTILE
    )
    change = FindingChange(HOSTILE, "error", HOSTILE, 1, 1, 1, [(HOSTILE, HOSTILE, HOSTILE)])
    comparison = Comparison(HOSTILE, {HOSTILE: 1}, [change], [(HOSTILE, HOSTILE, 1, 2), ("b", HOSTILE, 1, 2)])
    return SiteReport(
        HOSTILE, HOSTILE, [page, replace(page, id="b", url='https://example.org/"><script>')], [card],
        [DuplicateRow(HOSTILE, "b", HOSTILE, 1.0, 1)], [Failure(HOSTILE, HOSTILE, HOSTILE)],
        [BoilerplatePart(HOSTILE, HOSTILE, 1.0)],
        {HOSTILE: ("alarm", (HOSTILE,))}, [HOSTILE],
        [finding], comparison, HOSTILE, [action, replace(action, type="", detail="", cause="")],
    )  # fmt: skip


def test_the_hostile_report_has_something_hostile_everywhere() -> None:
    report = hostile_report()
    for part in (report, next(iter(report.pages)), report.types[0]):
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, str):
                assert value in (HOSTILE, ADDRESS) or "<script>" in value, field.name
    record = report.types[0].samples[0].record
    for one in (record, *record["segments"]):
        for name, value in one.items():
            if isinstance(value, str):
                assert value in (HOSTILE, ADDRESS) or "<script>" in value, name


def test_hostile_pages_run_nothing(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, hostile_report())
    scripts = tab.locator("script:not([type])").count()
    for number in (1, 0):
        tab.goto(f"{tab.url.partition('#')[0]}#page-{number}")
        tab.get_by_role("dialog").wait_for()
    tab.locator("dialog .head").first.click()
    assert "<script>window.hacked=1</script>" in tab.locator(".detail:visible").inner_text()
    assert tab.locator("#site").inner_text().startswith("</script>")
    assert "img src=x" in tab.locator(".card h3").inner_text()
    assert tab.evaluate("window.hacked") is None
    assert scripts == tab.locator("script:not([type])").count() == 1
    assert tab.locator("img[onerror], img[src=x]").count() == 0
    links = tab.evaluate("[...document.querySelectorAll('a')].map(a => a.protocol)")
    assert set(links) <= {"file:", "https:"}


def test_the_policy_lets_no_other_script_run(tmp_path: Path, driven_browser: Any) -> None:
    write_site_report(tmp_path / "report.html", report_of(rows(1)))
    tab = driven_browser.new_page()
    messages: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.goto((tmp_path / "report.html").as_uri())
    tab.evaluate("""document.body.append(Object.assign(document.createElement('script'),
        {textContent: 'window.hacked = 1'}))""")
    assert tab.evaluate("window.hacked") is None
    tab.context.close()
    assert "Content Security Policy" in " ".join(messages)


def test_the_report_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_site_report(path, report_of(rows(3), drawn()))
    html = path.read_text(encoding="utf-8")
    assert all(link.startswith(("data:", "#")) for link in re.findall(r'<[^>]+(?:src|href)="([^"]*)', html))
    assert "default-src 'none'" in html
    assert "innerHTML" not in html


def test_an_empty_report_opens(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, SiteReport("example.org", "nothing", []))
    assert "0 of 0 pages" in tab.locator("#pages").inner_text()
    assert "No types were found." in tab.locator("#types").inner_text()


def test_a_narrow_window_does_not_scroll_sideways(tmp_path: Path, tab: Any) -> None:
    tab.set_viewport_size({"width": 360, "height": 700})
    long = replace(rows(1)[0], id="x" * 200, title="y" * 200, type="z" * 200)
    misfit = replace(rows(1)[0], id="misfit", type="news", fits=False)
    opened(tab, tmp_path, report_of([long, *rows(20), misfit], drawn()))
    expect(tab.get_by_role("button", name="that do not fit").first).to_be_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.goto(f"{tab.url}#page-2")
    expect(tab.locator("dialog svg")).to_be_visible()
    assert tab.evaluate("document.querySelector('#page-body').scrollWidth") <= 360


@pytest.mark.full
def test_paper_gets_the_rows_that_are_out_of_sight(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(700)))
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("#page-list li").count() == 200
    assert tab.locator("#page-list .rest").inner_text() == "and 500 more"
    assert not tab.locator("nav").is_visible()
    places = tab.evaluate("[...document.querySelectorAll('#page-list li')].map(li => li.offsetTop)")
    assert sorted(set(places)) == places
    tab.emulate_media(media="screen")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("#page-list li").count() < 100


def test_the_theme_can_be_chosen(tmp_path: Path, tab: Any) -> None:
    opened(tab, tmp_path, report_of(rows(3)))
    paper = "getComputedStyle(document.body).backgroundColor"
    tab.emulate_media(color_scheme="light")
    light = tab.evaluate(paper)
    button = tab.get_by_role("button", name="Theme")
    button.click()
    button.click()
    assert button.inner_text() == "Theme: dark"
    assert tab.evaluate(paper) != light
    tab.reload()
    assert tab.evaluate(paper) != light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_headings_and_contrasts(tmp_path: Path, tab: Any, scheme: Any) -> None:
    tab.emulate_media(color_scheme=scheme)
    sample = drawn(importance=0.5, confidence=0.5, tone=5)
    segment = sample.record["segments"][0] | {"importance": None}
    many = sample.record | {"id": "news/3.html", "segments": [segment | {"tone": k} for k in range(8)]}
    opened(tab, tmp_path, report_of(rows(10), sample, SamplePage(many, None)))
    assert tab.evaluate(CHECK) == []
    for number in (1, 3):
        tab.goto(f"{tab.url.partition('#')[0]}#page-{number}")
        expect(tab.locator("#page-title")).to_have_text(f"Headline number {number}")
        tab.locator("dialog .head").first.click()
        assert tab.evaluate(CHECK) == []
    status = tab.locator("[role=status]")
    assert status.count() == 3
