"""Links between pages, and what an audit finds on a site with every fault."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest
from tests.site.sites import Here, plan
from tests.site.test_job import rows, run

from webgrain.crawler.spider import Archive, probe_address
from webgrain.io.read import read, site_folders
from webgrain.page.links import LOCAL_HOST
from webgrain.page.page import Source
from webgrain.site import thresholds
from webgrain.site.audit import audit
from webgrain.site.auditrun import SiteResults
from webgrain.site.checks import INVALID
from webgrain.site.errorpages import ErrorPages, PageContent, content_of
from webgrain.site.findings import FINDING_TYPES, Findings, PageChecks, UsualOfTypes
from webgrain.site.links import TO_START, Answer, LinkResolver, collect_answers
from webgrain.site.tables import read_rows
from webgrain.site.thresholds import MISFIT

WORDS = "The keeper of the north mole lights the lamp at dusk and nobody knows who pays him for it "


def article(
    name: str, head: str = "", body: str = "", *, text: str = WORDS * 5, title: str | None = None
) -> str:
    """Return a page without faults, except those of the arguments."""
    title = f"All about {name} and its harbour" if title is None else title
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>"
        f"<meta name=description content='What {name} is and how to get there'>{head}</head><body>"
        "<nav><a href=index.html>Home</a></nav><main>"
        f"<h1>{name}</h1><p class=price>9</p><p>{name}: {text}</p>{body}</main><footer><p>End</p></footer>"
    )


def write_site(folder: Path, pages: dict[str, str]) -> None:
    """Write pages, and an index that links to all of them."""
    folder.mkdir(exist_ok=True)
    items = "".join(f"<li><a href={name}>Page {name}</a></li>" for name in pages if name != "orphan.html")
    pages = {"index.html": article("index", body=f"<ul>{items}</ul>"), **pages}
    for name, html in pages.items():
        (folder / name).write_text(html, encoding="utf-8")


def found_in(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the rows of the findings of an audit, by name."""
    found = {}
    for path in sorted((folder / "findings").iterdir()):
        with path.open(newline="", encoding="utf-8") as file:
            found[path.stem] = [(row["page"], row["detail"]) for row in csv.DictReader(file)]
    return found


def audited(site: Path, folder: Path, **given: Any) -> SiteResults:
    [outcome] = run(list(read(str(site))), folder, folders=site_folders([site]), **given)
    return outcome


pytestmark = pytest.mark.xdist_group("findings")  # one process, to audit the site with faults only once


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> tuple[SiteResults, Path]:
    """The audit of a site with one page for each fault."""
    folder = tmp_path_factory.mktemp("faults")
    pages = {f"page-{k}.html": article(f"Place {k}") for k in range(24)}
    pages |= {
        "untitled.html": article("Untitled", title=""),
        "twin-a.html": article("Twin A", title="The same title"),
        "twin-b.html": article("Twin B", title="The same title"),
        "long.html": article("Long", title="A title that goes on and on " * 4),
        "short.html": article("Short", title="Oh"),
        "headless.html": article("Headless").replace("h1>", "h2>"),
        "two-heads.html": article("Two heads", body="<h1>Another</h1>"),
        "undescribed.html": article("Undescribed").replace("name=description", "name=nothing"),
        "no-language.html": article("Speechless").replace("<html lang=en>", "<html>"),
        "hidden.html": article("Hidden", "<meta name=robots content='NOINDEX, nofollow'>"),
        "pictures.html": article("Pictures", body="<img src=a.png><img src=b.png alt=''>"),
        "thin.html": article("Thin", text="Few words are here, and no more than these."),
        "bad-json.html": article("Bad", "<script type='application/ld+json'>{oops</script>"),
        "cheap.html": article("Cheap").replace("<p class=price>9</p>", ""),
        "broken.html": article("Broken", body="<p><a href=nowhere.html>A lost page</a></p>"),
        "copy.html": article("Copy", "<link rel=canonical href=page-1.html>"),
        "moved.html": "<meta http-equiv=refresh content='0; url=page-2.html'>",
        "to-moved.html": article("To moved", body="<p><a href=moved.html>An old address</a></p>"),
        "german.html": article("German", "<link rel=alternate hreflang=en href=english.html>"),
        "english.html": article("English"),
        "orphan.html": article("Orphan"),
        "gone.html": "<title>404 Not Found</title><h1>404 Not Found</h1>",
    }
    write_site(folder / "site", pages)
    return audited(folder / "site", folder / "out"), folder / "out"


ONE_PAGE = {
    "missing-title": "untitled.html", "long-title": "long.html", "short-title": "short.html",
    "missing-heading": "headless.html", "several-headings": "two-heads.html",
    "missing-description": "undescribed.html", "missing-language": "no-language.html",
    "excluded": "hidden.html",
    "images-without-alt": "pictures.html", "invalid-structured-data": "bad-json.html",
    "broken-links": "broken.html", "canonical-other": "copy.html", "orphan-pages": "orphan.html",
    "alternate-not-mutual": "german.html", "soft-404": "gone.html",
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_PAGE)
def test_each_fault_is_found_on_its_page_only(faults: tuple[SiteResults, Path], name: str) -> None:
    assert [page for page, _ in found_in(faults[1])[name]] == [ONE_PAGE[name]]


def test_findings_of_several_pages(faults: tuple[SiteResults, Path]) -> None:
    found = found_in(faults[1])
    assert found["duplicate-title"] == [("twin-a.html", "The same title"), ("twin-b.html", "The same title")]
    assert "thin.html" in {page for page, _ in found["thin-pages"]}
    assert {page for page, _ in found["redirected-links"]} == {"index.html", "to-moved.html"}
    assert "failed-pages" not in found


def test_details_name_target_text_and_reason(faults: tuple[SiteResults, Path]) -> None:
    found = found_in(faults[1])
    assert found["broken-links"] == [("broken.html", "nowhere.html (“A lost page”): There is no such file.")]
    assert found["excluded"] == [("hidden.html", "noindex, nofollow")]
    assert found["images-without-alt"] == [("pictures.html", "1 of 2 images")]


def test_findings_are_sorted_by_level(faults: tuple[SiteResults, Path]) -> None:
    levels = [one.level for one in faults[0].findings]
    assert levels == sorted(levels, key=("error", "warning", "notice").index)
    by_name = {one.name: one for one in faults[0].findings}
    assert by_name["duplicate-title"].pages == by_name["duplicate-title"].rows == 2
    assert "Broken links" in (faults[1] / "report.html").read_text(encoding="utf-8")


def test_pages_have_the_numbers_of_their_links(faults: tuple[SiteResults, Path]) -> None:
    by_page = {row["page"]: row for row in rows(faults[1])}
    assert by_page["index.html"]["depth"] == 0
    assert by_page["page-3.html"]["depth"] == by_page["page-3.html"]["incoming_links"] == 1
    assert (by_page["orphan.html"]["depth"], by_page["orphan.html"]["incoming_links"]) == (None, 0)
    assert by_page["broken.html"]["broken_links"] == 1
    assert by_page["page-2.html"]["incoming_links"] == 2  # the index, and a page through a redirect


def test_without_a_search_log_clicks_are_unknown(faults: tuple[SiteResults, Path]) -> None:
    assert {(row["search_clicks"], *row["queries"]) for row in rows(faults[1])} == {(None,)}


def test_the_search_log_has_clicks_and_addresses_without_a_page(tmp_path: Path) -> None:
    pages = {f"page-{k}.html": article(f"Page {k}") for k in range(6)}
    pages["moved.html"] = "<meta http-equiv=refresh content='0; url=page-2.html'>"
    write_site(tmp_path / "site", pages)
    log, lines = tmp_path / "log.tsv", ["url\tquery\tclicks", "page-1.html\tlamp\t3", "page-1.html\trope\t5"]
    lines += [f"{name}\tbell\t2" for name in ("moved.html", "gone.html", "gone.html")]
    log.write_text("\n".join(lines), encoding="utf-8")
    outcome = audited(tmp_path / "site", tmp_path / "out", queries=log)
    by_page = {row["page"]: (row["search_clicks"], row["queries"]) for row in rows(tmp_path / "out")}
    assert by_page["page-1.html"] == (8, ["rope", "lamp"])
    assert by_page["page-2.html"] == (0, [])
    assert found_in(tmp_path / "out")["searched-addresses"] == [("/gone.html", "4 clicks")]
    assert sum(tally.clicks for tally in outcome.types.values()) == 10


def test_each_site_has_the_addresses_of_its_own_host(tmp_path: Path) -> None:
    pages = [
        Source(f"{host}/{k}.html", article(f"Page {k} of {host}").encode(), url=f"http://{host}/{k}.html")
        for host in ("one.example", "two.example")
        for k in ("index", "bell", "boat", "lamp", "rope")
    ]
    rows_of_log = [f"{page.url}\tlamp\t3" for page in pages]
    rows_of_log += [f"http://{host}/gone.html\tlamp\t3" for host in ("one.example", "two.example")]
    (tmp_path / "log.tsv").write_text("\n".join(["url\tquery\tclicks", *rows_of_log]), encoding="utf-8")
    run(pages, tmp_path / "out", queries=tmp_path / "log.tsv")
    for host in ("one.example", "two.example"):
        found = found_in(tmp_path / "out" / host)["searched-addresses"]
        assert found == [(f"{host}/gone.html", "3 clicks")]


def test_links_have_positions_and_outcomes(faults: tuple[SiteResults, Path]) -> None:
    links = list(read_rows(faults[1] / "links.parquet"))
    home = next(link for link in links if link["source"] == "page-1.html")
    assert (home["position"], home["outcome"], home["page"]) == ("navigation", "page", "index.html")
    [old] = (link for link in links if link["source"] == "to-moved.html" and link["outcome"] == "redirect")
    assert (old["target"], old["page"], old["redirects"]) == (
        "moved.html",
        "page-2.html",
        ["page-2.html"],
    )
    assert {link["position"] for link in links if link["source"] == "broken.html"} == {
        "navigation",
        "content",
    }


def test_numbered_pages_are_no_error_pages(tmp_path: Path) -> None:
    html = "<title>{0}</title><h1>{0}</h1><p>" + WORDS
    pages = {f"story-{k}.html": html.format(f"Story {k}") for k in range(396, 412)}
    write_site(tmp_path / "site", pages | {"gone.html": html.format("Error 404")})
    audited(tmp_path / "site", tmp_path / "out")
    assert [page for page, _ in found_in(tmp_path / "out")["soft-404"]] == ["gone.html"]


def product(name: str, *, price: bool = True, data: bool = True) -> str:
    cost = "<p class=price><span class=amount>9 EUR</span></p>" if price else ""
    body = (
        "<div class=product><div class=gallery><img src=a.png alt=a></div><div class=summary>"
        f"<p class=sku>No. {name}</p>{cost}<form class=cart><label>Number</label><input><button>Buy</button>"
        f"</form><ul class=facts><li>Red<li>Heavy</ul></div><div class=reviews><h2>Reviews</h2>"
        f"<p>{name} is good</div></div>"
    )
    script = '<script type="application/ld+json">{"@type": "Product"}</script>' if data else ""
    return article(name, script, body)


def test_a_product_without_a_price_and_without_structured_data(tmp_path: Path) -> None:
    pages = {f"product-{k}.html": product(f"Lamp {k}") for k in range(20)}
    pages |= {"free.html": product("Free lamp", price=False), "dumb.html": product("Dumb lamp", data=False)}
    pages |= {f"news-{k}.html": article(f"News {k}") for k in range(6)}
    another = (
        "<div class=product><div class=summary><p class=price><span class=amount>8 EUR</span></p></div></div>"
    )
    pages["beside.html"] = product("Lamp beside another", price=False).replace(
        "<footer>", f"{another}<footer>"
    )
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert [page for page, css in found["missing-element"] if "price" in css] == ["free.html"]
    assert ("dumb.html", "Product") in found["missing-structured-data"]
    assert not any(page.startswith("product-") for page, _ in found["missing-element"])


@pytest.mark.parametrize("location", ["http://a.org/", "/"])
def test_redirects_to_the_start_page_like_those_of_unknown_addresses(tmp_path: Path, location: str) -> None:
    archive = Archive(tmp_path / "a.warc", 0)
    names = ("news/7", "index.html", "de/", "login", "moved")
    for name in names:
        target = "/new" if name == "moved" else location
        archive.write(f"http://a.org/{name}", "301 Moved", [("Location", target)], b"")
    probe = probe_address("http://a.org/")
    alone = collect_answers([tmp_path / "a.warc"], None)
    assert all(answer.is_redirect for answer in alone.by_url.values())
    archive.write(probe, "302 Found", [("Location", location)], b"", is_probe=True)
    archive.close()
    answers = collect_answers([tmp_path / "a.warc"], None).by_url
    assert [name for name in names if not answers[f"http://a.org/{name}"].is_redirect] == ["news/7"]
    end = LinkResolver([], answers).resolve("a.org/news/7", "http://a.org/news/7", "")
    assert (end.outcome, end.reason) == ("broken", TO_START)


def chapter(number: int, *, lacks: str = "", note: bool = True) -> str:
    links = {"previous": number - 1, "next": number + 1}
    beside = "".join(
        f"<div class=nav-{name}><p><a href=chapter-{other}.html>{name}</a></div>"
        for name, other in links.items()
        if name != lacks
    )
    about = "<div class=next-steps><p>What to do</div>" if note else ""
    text = f"<p>Words of {number} are here.</p>" * 4
    return article(
        f"Chapter {number}", "", f"<div class=text>{text}</div>{about}<div class=series>{beside}</div>"
    )


def test_the_ends_of_a_series_lack_no_links_to_neighbours(tmp_path: Path) -> None:
    pages = {f"chapter-{k}.html": chapter(k) for k in range(1, 24)}
    pages["chapter-0.html"] = chapter(0, lacks="previous")
    pages["chapter-24.html"] = chapter(24, lacks="next")
    pages["chapter-9.html"] = chapter(9, note=False)
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    lacking = found_in(tmp_path / "out")["missing-element"]
    assert [(page, css.rpartition(" > ")[2]) for page, css in lacking] == [
        ("chapter-9.html", "div.next-steps")
    ]


def usual_of(rows: list[dict[str, Any]]) -> UsualOfTypes:
    return UsualOfTypes(rows, LinkResolver([], {}))


def test_structured_data_of_pictures_and_ratings_may_be_missing() -> None:
    every = ["Product", "ImageObject", "AggregateRating"]
    rows = [checked_row(f"{k}", structured_data=every) for k in range(20)]
    plain = checked_row("plain")
    assert usual_of([*rows, plain]).structured_data_lacking(plain) == ["Product"]


@pytest.mark.parametrize(
    ("type_", "usual", "number", "lacking"),
    [
        ("a", "Product", 9, ["Product"]),
        ("a", "Product", 8, []),  # one page of nine is more than a tenth
        ("a", INVALID, 9, []),
        (None, "Product", 9, []),
    ],
)
def test_structured_data_that_nearly_all_pages_of_a_type_have(
    type_: str | None, usual: str, number: int, lacking: list[str]
) -> None:
    rows = [checked_row(f"{k}", type=type_, structured_data=[usual]) for k in range(number)]
    other = checked_row("other", type=type_, structured_data=["Offer"])
    assert usual_of([*rows, other]).structured_data_lacking(other) == lacking


def test_a_page_whose_structured_data_cannot_be_read_does_not_lack_them() -> None:
    rows = [checked_row(f"{k}", structured_data=["Product"]) for k in range(20)]
    other = checked_row("other", structured_data=[INVALID])
    assert usual_of([*rows, other]).structured_data_lacking(other) == []


def test_a_site_without_faults_has_no_errors(tmp_path: Path) -> None:
    write_site(tmp_path / "site", {f"page-{k}.html": article(f"Place {k}") for k in range(12)})
    outcome = audited(tmp_path / "site", tmp_path / "out")
    assert [one.name for one in outcome.findings if one.level == "error"] == []


def test_hundreds_of_broken_links_are_found_and_no_other(tmp_path: Path) -> None:
    rng, broken = random.Random(0), set[tuple[str, str]]()
    pages = {}
    for k in range(16):
        links = [f"gone-{k}-{i}.html" for i in range(40)]
        broken |= {(f"page-{k}.html", link) for link in links}
        links += [
            f"page-{rng.randrange(16)}.html#part",
            "style.css?v=3",
            "mailto:a@example.org",
            "http://example.org/x",
        ]
        pages[f"page-{k}.html"] = article(
            f"Place {k}", body="".join(f"<a href='{x}'>{x}</a> " for x in links)
        )
    write_site(tmp_path / "site", pages)
    (tmp_path / "site" / "style.css").write_text("p {}")
    outcome = audited(tmp_path / "site", tmp_path / "out")
    links = read_rows(tmp_path / "out" / "links.parquet", where=("outcome", ("broken",)))
    assert {(link["source"], link["target"]) for link in links} == broken
    assert outcome.links["broken"] == 640


def test_a_folder_that_lacks_most_targets_is_incomplete(tmp_path: Path) -> None:
    pages = {f"page-{k}.html": article(f"Place {k}", body=f"<a href=gone-{k}.html>x</a>") for k in range(12)}
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert len(found["missing-files"]) == 12
    assert not {"broken-links", "orphan-pages"} & set(found)


@pytest.mark.parametrize(("unknown", "orphans"), [(0, ["http://example.org/lost"]), (2, [])])
def test_orphans_are_not_reported_for_a_part_of_a_site(
    tmp_path: Path, unknown: int, orphans: list[str]
) -> None:
    site = "http://example.org/"
    links = "".join(f"<a href=/elsewhere-{k}>x</a>" for k in range(unknown))
    names = ["index.html", *map(str, range(12)), "lost"]
    items = [
        Source(
            name or "index",
            article(f"Place {name}", body=f"<a href=/{k}>Next</a>{links}").encode(),
            site + name,
        )
        for k, name in enumerate(names)
    ]
    audit(lambda first: items[first:], tmp_path / "out", plan(), Here())
    found = found_in(tmp_path / "out").get("orphan-pages", [])
    assert [f"{site}{page}" for page, _ in found] == orphans


def test_answers_of_the_server(tmp_path: Path) -> None:
    site, html = "http://example.org/", [("Content-Type", "text/html")]
    archive = Archive(tmp_path / "a.warc.gz", 0)
    body = "<a href=/gone>Gone</a><a href=/old>Old</a><a href=/other>Other</a>"
    for k in range(12):
        page = article(f"Place {k}", body=body if k == 3 else f"<a href=/{k + 1}>Next</a>")
        archive.write(f"{site}{k}", "200 OK", html, page.encode())
    archive.write(f"{site}gone", "404 Not Found", html, b"<h1>Gone</h1>")
    archive.write(f"{site}old", "301 Moved Permanently", [("Location", "/older")], b"")
    archive.write(f"{site}older", "302 Found", [("Location", "5")], b"")
    archive.close()
    items = list(read(str(tmp_path / "a.warc.gz")))
    [outcome] = audit(
        lambda first: items[first:], tmp_path / "out", plan(archives=(tmp_path / "a.warc.gz",)), Here()
    )
    links = {
        link["target"]: link
        for link in read_rows(tmp_path / "out" / "links.parquet")
        if link["source"] == f"{site}3"
    }
    gone, old = links[f"{site}gone"], links[f"{site}old"]
    assert (gone["outcome"], gone["status"]) == ("broken", 404)
    assert (old["outcome"], old["page"], old["redirects"]) == (
        "redirect",
        f"{site}5",
        [f"{site}older", f"{site}5"],
    )
    assert links[f"{site}other"]["outcome"] == "unknown"
    assert [(failure.page, failure.error) for failure in outcome.failures] == [
        (f"{site}gone", "The server answered 404.")
    ]
    assert [page for page, _ in found_in(tmp_path / "out")["broken-links"]] == [f"{site}3"]


def pages_at(*addresses: str) -> list[dict[str, object]]:
    return [{"page": url, "addresses": [url], "refresh": None} for url in addresses]


def test_redirects_that_do_not_end_are_broken() -> None:
    answers = {
        "http://e.org/a": Answer(302, "http://e.org/b"),
        "http://e.org/b": Answer(302, "http://e.org/a"),
    }
    found = LinkResolver(pages_at("e.org/c"), answers).resolve("e.org/a", "http://e.org/a", "")
    assert (found.outcome, found.reason) == ("broken", "The redirects do not end.")


def test_the_canonical_link_of_a_redirect_names_no_address_of_its_page() -> None:
    url, stub = "http://e.org/book/", "local.invalid/old"
    rows = [
        {"page": "old", "addresses": [stub, "e.org/book"], "refresh": "e.org/book"},
        {"page": "older", "addresses": ["local.invalid/older"], "refresh": stub},
    ]
    links = LinkResolver(rows, {})
    assert links.resolve("e.org/book", url, "").outcome == "external"
    found = links.resolve("local.invalid/older", "older", "+")
    assert (found.outcome, found.redirects) == ("redirect", ("old", "e.org/book"))


def test_what_robots_txt_excludes_is_not_broken() -> None:
    answers = {"http://e.org/a": Answer(None, "", "The host's robots.txt does not allow it.", True)}
    assert (
        LinkResolver(pages_at("e.org/c"), answers).resolve("e.org/a", "http://e.org/a", "").outcome
        == "unknown"
    )


def test_a_fragment_does_not_change_the_answer() -> None:
    answers = {"http://e.org/a": Answer(500)}
    found = LinkResolver(pages_at("e.org/c"), answers).resolve("e.org/a", "http://e.org/a#part", "")
    assert (found.outcome, found.status) == ("broken", 500)


def test_no_cell_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    with Findings(tmp_path) as found:
        found.add("long-title", "=1+1", "@x")
    assert (tmp_path / "long-title.csv").read_text() == 'page,detail,pages\n"\'=1+1","\'@x","1"\n'


def test_every_rule_is_a_sentence() -> None:
    sentences = [part for kind in FINDING_TYPES.values() for part in (kind.reason, kind.remedy)]
    assert all(part.endswith((".", "?")) for part in sentences)
    assert {kind.level for kind in FINDING_TYPES.values()} == {"error", "warning", "notice"}


def test_the_address_of_a_local_file_is_that_of_the_file_with_its_path(tmp_path: Path) -> None:
    site = "https://example.org/"
    pages = {
        f"page-{k}.html": article(f"Place {k}", f"<link rel=canonical href={site}page-{k}.html>")
        for k in range(9)
    }
    pages["a-print.html"] = article("Place 4", f"<link rel=canonical href={site}page-4.html>")
    pages["en.html"] = article(
        "English",
        f"<link rel=alternate hreflang=de href={site}de.html><link rel=canonical href={site}en.html>",
    )
    pages["de.html"] = article(
        "German",
        f"<link rel=alternate hreflang=en href={site}en.html><link rel=canonical href={site}de.html>",
    )
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert found["canonical-other"] == [("a-print.html", f"{site}page-4.html")]
    assert "alternate-not-mutual" not in found


def test_findings_of_local_files_name_no_internal_address(tmp_path: Path) -> None:
    pages = {f"page-{k}.html": article(f"Place {k}") for k in range(12)}
    pages["a.html"] = article("A", "<link rel=canonical href=b.html>")
    pages["b.html"] = article("B", "<link rel=canonical href=c.html>")
    pages["c.html"] = article("C", "<link rel=alternate hreflang=de href=b.html>")
    pages["d.html"] = article("D", body="<a href=lost.html>x</a><img src=lost.png><a href='#lost'>x</a>")
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert found["canonical-chain"] == [("a.html", "b.html names c.html")]
    assert found["alternate-not-canonical"] == [("c.html", "b.html names c.html")]
    for file in (tmp_path / "out").rglob("*"):
        if file.suffix in (".csv", ".html", ".json", ".jsonl") and "work" not in file.parts:
            assert LOCAL_HOST.rstrip("/") not in file.read_text(encoding="utf-8"), file.name
    for name in ("pages", "links"):
        rows = str([*read_rows(tmp_path / "out" / f"{name}.parquet")])
        assert LOCAL_HOST.rstrip("/") not in rows, name


def checked_row(name: str, **changes: Any) -> dict[str, Any]:
    """Return the row of a page without faults at e.org, except for the changes."""
    url = f"e.org/{name}"
    return {
        "page": name, "url": f"http://{url}", "type": "t",
        "document_title": f"All about {name}", "meta_description": f"About {name}",
        "missing": [], "structured_data": [], "canonical_link": f"http://{url}", "addresses": [url],
        "hreflang": [], "h1": [name], "language": "en", "robots": None, "images": 0,
        "images_without_alt": 0, "images_without_size": 0, "nodes": 99,
        "verdict": "index", "words": 99, "fits": True, "fit_probability": 0.9, "representative": None,
        "incoming_links": 1, "depth": 1, "search_clicks": None,
        "refresh": None,
    } | changes  # fmt: skip


def test_a_page_that_was_saved_under_two_names_counts_once(tmp_path: Path) -> None:
    twice = article("Tulips")
    pages = {"%f0%9f%8c%b7.html": twice, "🌷.html": twice, "other.html": article("Other")}
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    assert found_in(tmp_path / "out") == {"same-files": [("%f0%9f%8c%b7.html", "like 🌷.html")]}


def named(name: str, other: str) -> dict[str, Any]:
    """Return the changes of a page whose canonical address is another one."""
    return {"canonical_link": f"http://e.org/{other}", "addresses": [f"e.org/{name}", f"e.org/{other}"]}


def test_versions_of_a_page_may_have_its_texts(tmp_path: Path) -> None:
    texts = {"document_title": "A red towel", "meta_description": "Soft", "h1": ["Towel"]}
    same = {"document_title": "Another towel", "meta_description": "Rough", "h1": ["Other"]}
    pages = [
        checked_row("towel", **texts, representative="set/towel"),
        checked_row("towel?red", **texts, representative="set/towel", **named("towel?red", "towel")),
        checked_row("set/towel", **texts, representative="set/towel", **named("set/towel", "towel")),
        checked_row("copy", **same, representative="set/towel"),
        checked_row("twin", **same, representative="set/towel"),
        checked_row("old", **same, **named("old", "gone")),
    ]
    site = LinkResolver(pages, {})
    with Findings(tmp_path) as found:
        checks = PageChecks(found, UsualOfTypes(pages, site), site, complete=True)
        for number, page in enumerate(pages):
            checks.add(number, page)
    examples = {one.name: [page for page, _ in one.examples] for one in found.with_rows()}
    assert examples["canonical-other"] == ["towel?red", "set/towel"]
    assert examples["near-duplicates"] == ["copy", "twin"]
    for name in ("duplicate-title", "duplicate-description", "duplicate-heading"):
        assert examples[name] == ["copy", "twin", "old"]


def misfits_of(folder: Path, pages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the misfits among pages, as the report lists them."""
    site = LinkResolver(pages, {})
    with Findings(folder) as found:
        checks = PageChecks(found, UsualOfTypes(pages, site), site, complete=True)
        for number, page in enumerate(pages):
            checks.add(number, page)
        checks.list_misfits()
    return next((one.examples for one in found.with_rows() if one.name == "misfits"), [])


def test_misfits_are_certain_and_the_least_probable_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def misfit(name: str, probability: float) -> dict[str, Any]:
        return checked_row(name, fits=False, fit_probability=probability, differences=[name, "new"])

    others = [checked_row(f"{k}", fit_probability=0.9) for k in range(37)]
    low, same, lowest = (misfit(name, share * MISFIT) for name, share in (("b", 0.9), ("d", 0.9), ("c", 0.1)))
    pages = [misfit("a", MISFIT), low, same, lowest, *others]
    assert misfits_of(tmp_path, pages) == [("c", "c; new"), ("b", "b; new"), ("d", "d; new")]
    monkeypatch.setattr(thresholds, "FINDING_EXAMPLES", 2)
    assert misfits_of(tmp_path, pages) == [("c", "c; new"), ("b", "b; new")]
    assert not misfits_of(tmp_path, [*pages, *(misfit(f"e{k}", 0.1) for k in range(9))])  # are too many


def test_canonical_addresses_descriptions_duplicates_and_depth(tmp_path: Path) -> None:
    pages = [
        checked_row(""),
        checked_row("lost", **named("lost", "gone")),
        checked_row("first", **named("first", "second")),
        checked_row("second", **named("second", "third")),
        checked_row("third"),
        checked_row("without", canonical_link=None),
        checked_row("same-a", meta_description="The same"),
        checked_row("same-b", meta_description="The same", representative="same-a"),
        checked_row("deep", depth=5),
        checked_row("moved", type="redirect", refresh="e.org/third", document_title="All about third"),
    ]
    site = LinkResolver(pages, {"http://e.org/gone": Answer(404)})
    with Findings(tmp_path) as found:
        checks = PageChecks(found, UsualOfTypes(pages, site), site, complete=True)
        for number, page in enumerate(pages):
            checks.add(number, page)
    assert {one.name: one.examples for one in found.with_rows()} == {
        "canonical-broken": [("lost", "http://e.org/gone: The server answered 404.")],
        "canonical-chain": [("first", "http://e.org/second names e.org/third")],
        "canonical-other": [("second", "http://e.org/third")],
        "missing-canonical": [("without", "")],
        "duplicate-description": [("same-a", "The same"), ("same-b", "The same")],
        "near-duplicates": [("same-b", "like same-a")],
        "deep-pages": [("deep", "5 clicks")],
    }


CHECKS = {
    "duplicate-heading": {"same-a.html", "same-b.html"},
    "images-without-size": {"sizeless.html"},
    "alternate-invalid": {"british.html"},
    "alternate-not-canonical": {"to-copy.html"},
    "mixed-content": {"mixed.html"},
    "large-pages": {"large.html"},
    "soft-404": {"lost.html", "like-404.html"},
}
"""Findings, and the pages of `with_faults` that have them."""


def with_faults() -> dict[str, str]:
    """Return the pages of a site with HTTPS; those in `CHECKS` have a fault each."""
    own = "<link rel=canonical href=https://e.org/{0}>"
    image = "<img src=https://e.org/a.png alt=x width=1 height=1><img src='//e.org/b.png' alt=x "
    image += "style='width:1px; height:2px'>"
    pages = {f"page-{k}.html": article(f"Place {k}", own.format(f"page-{k}.html"), image) for k in range(12)}
    heads = {
        "british.html": "<link rel=alternate hreflang=en-UK href=british.html>",
        "to-copy.html": "<link rel=alternate hreflang=de href=copy.html>",
        "copy.html": "<link rel=alternate hreflang=en href=to-copy.html>",
    }
    bodies = {
        "sizeless.html": "<img src=https://e.org/a.png alt=x width=9>",
        "mixed.html": "<img src=http://i.org/a.png alt=x width=1 height=1><a href=http://i.org>x</a>",
        "large.html": "<i>x</i>" * 3000,
    }
    for name in sorted(heads.keys() | bodies.keys()):
        canonical = own.format("page-3.html" if name == "copy.html" else name)
        pages[name] = article(name, canonical + heads.get(name, ""), bodies.get(name, ""))
    for name in ("same-a.html", "same-b.html"):
        pages[name] = article(name, own.format(name)).replace(f"<h1>{name}", "<h1>The same")
    short = {
        "lost.html": "Seite nicht gefunden",
        "404.html": "Nothing is here",
        "like-404.html": "Nothing is here",
    }
    for name, heading in short.items():
        pages[name] = article(name, text="Try the search.", title=f"{heading} – Harbour").replace(
            f"<h1>{name}", f"<h1>{heading}"
        )
    return pages


def test_each_check_finds_its_page(tmp_path: Path) -> None:
    write_site(tmp_path / "site", with_faults())
    audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert {name: {page for page, _ in found.get(name, ())} for name in CHECKS} == CHECKS
    assert found["mixed-content"] == [
        ("mixed.html", "http://i.org/a.png (img src): The page itself is sent with HTTPS.")
    ]
    assert found["alternate-not-canonical"] == [("to-copy.html", "copy.html names e.org/page-3.html")]


def test_a_site_without_faults_has_no_such_findings(tmp_path: Path) -> None:
    faulty = {page for pages in CHECKS.values() for page in pages} | {"copy.html"}
    pages = {name: html for name, html in with_faults().items() if name not in faulty}
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    assert CHECKS.keys() & found_in(tmp_path / "out").keys() == set()


NOT_FOUND = (
    "Page not found", "404 – Page Not Found", "Oops! Page not found", "Page introuvable",
    "Página no encontrada",
    "Página não encontrada", "Pagina non trovata", "Nie znaleziono strony", "Страница не найдена",
    "Sayfa bulunamadı", "ページが見つかりません", "页面不存在", "페이지를 찾을 수 없습니다",
    "Sidan hittades inte",
)  # fmt: skip


@pytest.mark.parametrize("title", NOT_FOUND)
def test_error_pages_of_several_languages(title: str) -> None:
    pages = ErrorPages()
    for row in (checked_row("a", document_title=f"{title} | Harbour", h1=[]), checked_row("b", h1=[title])):
        assert pages.is_error(row | {"words": 20})
        assert not pages.is_error(row | {"words": 400})
        assert not pages.is_error(row | {"words": 20, "addresses": ["e.org/404.html"]})


@pytest.mark.parametrize(
    "title", ["Why a page is not found by search engines", "Lost and found", "Not found in Kiel"]
)
def test_other_pages_are_no_error_pages(title: str) -> None:
    assert not ErrorPages().is_error(checked_row("a", document_title=title, h1=[title], words=20))


@pytest.mark.parametrize(
    ("title", "is_error"),
    [
        ("404", True), ("Error 404", True), ("404 Not Found", True), ("Oops! 404", True),
        ("Fehler 404 – Seite nicht gefunden", True), ("404 | Harbour", True),
        ("HTTP 500 Internal Server Error", True),
        ("Room 404", False), ("Psalm 404 of the fishermen", False), ("404 Main Street", False),
        ("Peugeot 404", False),
    ],
)  # fmt: skip
def test_status_codes_in_titles(title: str, is_error: bool) -> None:
    row = checked_row("a", type="error", document_title=title, h1=[])
    assert ErrorPages().is_error(row) == is_error


TEXT = "Nothing is at /lost, so please use the menu or ask the harbour office for some help with the address"


def probe(**given: Any) -> PageContent:
    """Return what a server sends for an address that does not exist."""
    row = checked_row("x1", document_title="No page x1", h1=["Harbour"])
    return content_of(row | given, TEXT.replace("/lost", "/x1"))


def test_a_page_like_the_answer_to_an_unknown_address_is_an_error_page() -> None:
    lost = checked_row("lost", document_title="No page lost", h1=["Harbour"])
    others = [checked_row(f"{k}", document_title=f"Page {k}") for k in range(4)]
    pages = ErrorPages([probe()])
    for row in [lost, *others]:
        pages.add(row)
    assert pages.is_error(lost, lambda: TEXT)
    assert not pages.is_error(lost, lambda: "Quite another text about ships, and nothing about the address.")
    assert pages.is_error(lost | {"type": "lost"}, lambda: TEXT)  # pages of another folder have another type
    assert not pages.is_error(lost | {"type": "lost"}, str)
    assert not any(pages.is_error(row, lambda: TEXT) for row in others)


def test_a_server_that_sends_its_start_page_for_all_addresses_has_no_error_pages() -> None:
    start = checked_row("", url="http://e.org/", document_title="Home", h1=[], type="t", addresses=["e.org"])
    same = start | {"page": "a", "url": "http://e.org/a", "addresses": ["e.org/a"]}
    others = [checked_row(f"{k}", document_title=f"Page {k}") for k in range(4)]
    for rows_of_site in ([start, same, *others], [same, same | {"page": "b"}, same | {"page": "c"}]):
        pages = ErrorPages([probe(document_title="Home", h1=[])])
        for row in rows_of_site:
            pages.add(row)
        assert not pages.is_error(same, lambda: TEXT)
