"""A site with every fault that an audit reports: all are found on their pages, and a clean site has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.site.sites import Here, plan
from tests.site.test_findings import WORDS, found_in

from webgrain.crawler.spider import Archive, probe_address
from webgrain.io.archives import SECONDS_FIELD
from webgrain.io.read import read
from webgrain.site.audit import audit
from webgrain.site.auditrun import SiteResults
from webgrain.site.findings import FINDING_TYPES
from webgrain.site.tables import read_rows

pytestmark = pytest.mark.xdist_group("planted faults")  # one process, to audit each site only once

SITE = "https://e.org/"
HTML = ("Content-Type", "text/html")
SUBJECTS = [
    "anchors", "barrels", "cables", "dredgers", "engines", "ferries", "gulls", "harbours", "islands",
    "jetties", "knots", "lamps", "moles", "nets", "oars", "piers", "quays", "ropes", "sails", "tides",
]  # fmt: skip
SAME = " ".join(
    f"Between the {subject} and the {SUBJECTS[k // 2]} you find {SUBJECTS[k // 3]}."
    for k, subject in enumerate(SUBJECTS)
)
LOST = "The address leads nowhere, so please use the menu or ask the harbour office for help."


class Planted(NamedTuple):
    """A page: what its head, main content and headings have besides the usual, or in place of it."""

    head: str = ""
    body: str = ""
    title: str | None = None
    heading: str | None = None
    description: str | None = None
    canonical: str | None = None
    text: str | None = None
    seconds: float = 0.1
    language: str = " lang=en"
    data: str = '<script type="application/ld+json">{"@type": "Article"}</script>'


SEE = "<p>See <a href=/oars-1>oars</a>, <a href=/nets-1>nets</a>, <a href=/quays-2>quays</a>"
USUAL = {
    f"{subject}-{number}": Planted(body=SEE * (number == 2)) for number in (1, 2) for subject in SUBJECTS
}
"""Pages without a fault."""

VERSIONS = "<link rel=alternate hreflang=en href=/english><link rel=alternate hreflang=de href=/german>"
PARTS = (
    "<p id='a b'><a name=old>x</a><a href='#a%20b'>x</a><a href=#old>x</a><a href=#top>x</a>"
    "<a href='#:~:text=word'>x</a><a href=/anchors-1#main>x</a>"
)
CLEAN = {
    "parts": Planted(body=PARTS),
    "loaded": Planted(body="<img src=/a.png alt='' width=9 height=9><script src=//cdn.org/a.js></script>"),
    "german": Planted(VERSIONS),
    "english": Planted(VERSIONS),
    "styled": Planted("<link rel=stylesheet href=/styles/clean.css>"),
    "room-404": Planted(title="Room 404 of the harbour hotel"),
}
"""Pages that are like faults."""

FAULTS = {
    "broken-link": Planted(body="<p><a href=/lost>A lost page</a>"),
    "broken-image": Planted(body="<img src=/lost.png alt=x width=9 height=9>"),
    "broken-style": Planted("<link rel=stylesheet href=/lost.css>"),
    "badly-styled": Planted("<link rel=stylesheet href=/styles/faulty.css>"),
    "broken-script": Planted(body="<script src=/lost.js></script>"),
    "broken-film": Planted(body="<video src=/lost.mp4></video>"),
    "broken-version": Planted("<link rel=alternate hreflang=fr href=/lost>"),
    "to-moved": Planted(body="<p><a href=/moved>An old address</a>"),
    "part": Planted(body="<p><a href='/anchors-1#nowhere'>A lost part</a>"),
    "mixed": Planted(body="<img src=http://e.org/a.png alt=x width=9 height=9>"),
    "untitled": Planted(title=""),
    "long": Planted(title="A title that goes on and on " * 4),
    "short": Planted(title="Oh"),
    "twin-title-1": Planted(title="The title of twins"),
    "twin-title-2": Planted(title="The title of twins"),
    "twin-head-1": Planted(heading="<h1>The heading of twins</h1>"),
    "twin-head-2": Planted(heading="<h1>The heading of twins</h1>"),
    "twin-words-1": Planted(description="The description of twins"),
    "twin-words-2": Planted(description="The description of twins"),
    "undescribed": Planted(description=""),
    "headless": Planted(heading="<h2>Without a main heading</h2>"),
    "two-heads": Planted(body="<h1>Another</h1>"),
    "no-alt": Planted(body="<img src=/a.png width=9 height=9>"),
    "no-size": Planted(body="<img src=/a.png alt=x>"),
    "no-language": Planted(language=""),
    "hidden": Planted("<meta name=robots content=noindex>"),
    "no-canonical": Planted(canonical=""),
    "lost-canonical": Planted(canonical="/lost"),
    "other-canonical": Planted(canonical="/anchors-1"),
    "chain": Planted(canonical="/other-canonical"),
    "invalid-code": Planted("<link rel=alternate hreflang=en-UK href=/invalid-code>"),
    "not-mutual": Planted("<link rel=alternate hreflang=de href=/anchors-1>"),
    "to-other": Planted("<link rel=alternate hreflang=de href=/from-other>"),
    "from-other": Planted("<link rel=alternate hreflang=en href=/to-other>", canonical="/anchors-1"),
    "bad-data": Planted(data="<script type='application/ld+json'>{oops</script>"),
    "no-data": Planted(data=""),
    "thin": Planted(text="Few words are here, and no more than these."),
    "copy": Planted(text=SAME),
    "original": Planted(text=SAME),
    "large": Planted(body="<i>x</i>" * 3000),
    "slow": Planted(seconds=2.5),
    "unlisted": Planted(),
    "secret": Planted(),
    "orphan": Planted(),
    "error-1": Planted(title="Seite nicht gefunden", text="Hier ist nichts."),
    "error-2": Planted(title="Nothing at this address", heading="<h1>Nothing here</h1>", text=LOST),
    **{f"deep-{number}": Planted(body=f"<p><a href=/deep-{number + 1}>Deeper</a>") for number in range(1, 5)},
    "deep-5": Planted(),
}

SHEETS = {
    "clean": "p { background: url(../a.png) }",
    "faulty": "@import 'imported.css'; p { background: url(../lost-2.png) } "
    "q { fill: url(http://e.org/a.png) }",
    "imported": "@import '/lost.css'; @font-face { src: url(/lost.woff) }",
}
"""The style sheets of the site."""

EXPECTED: dict[str, set[str]] = {
    "failed-pages": {"failing"},
    "broken-links": {"broken-link"},
    "broken-images": {"broken-image", "styles/faulty.css"},
    "broken-styles": {"broken-style", "styles/imported.css"},
    "broken-scripts": {"broken-script"},
    "broken-files": {"broken-film", "styles/imported.css"},
    "broken-alternates": {"broken-version"},
    "soft-404": {"error-1", "error-2"},
    "unknown-addresses": {probe_address(SITE).removeprefix(SITE)},
    "missing-title": {"untitled"},
    "canonical-broken": {"lost-canonical"},
    "searched-addresses": {"e.org/forgotten"},
    "redirected-links": {"to-moved"},
    "missing-parts": {"part"},
    "mixed-content": {"mixed", "styles/faulty.css"},
    "duplicate-title": {"twin-title-1", "twin-title-2"},
    "duplicate-description": {"twin-words-1", "twin-words-2"},
    "duplicate-heading": {"twin-head-1", "twin-head-2"},
    "missing-heading": {"headless"},
    "images-without-alt": {"no-alt"},
    "images-without-size": {"no-size"},
    "missing-structured-data": {"no-data"},
    "invalid-structured-data": {"bad-data"},
    "near-duplicates": {"original"},
    "thin-pages": {"thin"},
    "orphan-pages": {"orphan"},
    "slow-pages": {"slow"},
    "canonical-chain": {"chain"},
    "sitemap-dead": {"lost"},
    "sitemap-redirects": {"moved"},
    "alternate-invalid": {"invalid-code"},
    "alternate-not-canonical": {"to-other"},
    "alternate-not-mutual": {"not-mutual", "broken-version"},
    "long-title": {"long"},
    "short-title": {"short"},
    "several-headings": {"two-heads"},
    "large-pages": {"large"},
    "missing-description": {"undescribed"},
    "missing-language": {"no-language"},
    "missing-canonical": {"no-canonical"},
    "canonical-other": {"other-canonical", "from-other"},
    "excluded": {"hidden"},
    "excluded-addresses": {"private"},
    "excluded-linked": {"secret"},
    "sitemap-missing": {"unlisted"},
    "deep-pages": {"deep-5"},
}
"""The pages of each finding. Others have tests of their own: ``misfits`` and ``missing-element``, which need
pages of several types, and ``missing-files``, which only a copy of a site has."""
ELSEWHERE = {"misfits", "missing-element", "missing-files", "same-files"}


def html_of(name: str, page: Planted, links: str = "") -> bytes:
    """Return the HTML of a page."""
    label = name.replace("-", " ")
    title = f"All about {label} and the harbour" if page.title is None else page.title
    heading = f"<h1>What {label} is</h1>" if page.heading is None else page.heading
    description = f"How to find {label}" if page.description is None else page.description
    canonical = f"/{name}" if page.canonical is None else page.canonical
    text = f"{label}: this is about {label}. " * 3 + WORDS * 4 if page.text is None else page.text
    named = f"<meta name=description content='{description}'>" if description else ""
    link = f"<link rel=canonical href={canonical}>" if canonical else ""
    return (
        f"<!doctype html><html{page.language}><head><title>{title}</title>{named}{link}{page.data}{page.head}"
        "</head><body><nav><a href=/>Home</a></nav>"
        f"<main id=main>{heading}<p>{text}</p>{page.body}{links}</main>"
        "<footer><p>End</p></footer>"
    ).encode()


def write_archive(path: Path, pages: dict[str, Planted], *, faulty: bool) -> None:
    """Write a crawl of a site: pages, robots.txt, a sitemap and the answers of the server."""
    archive = Archive(path, 0)

    def write(name: str, body: bytes, status: str = "200 OK", *more: tuple[str, str]) -> None:
        type_ = HTML if not name or status[:1] != "2" else ("Content-Type", "application/octet-stream")
        archive.write(SITE + name, status, [type_, *more], body, {SECONDS_FIELD: "0.1"})

    linked = [name for name in pages if name != "orphan" and name[:5] != "deep-"] + ["deep-1"] * faulty
    linked += ["private"] * faulty
    links = "".join(f"<li><a href=/{name}>{name}</a>" for name in linked)
    write("", html_of("", Planted(canonical="/"), f"<ul>{links}</ul>"))
    for name, page in pages.items():
        archive.write(
            SITE + name, "200 OK", [HTML], html_of(name, page), {SECONDS_FIELD: f"{page.seconds:.3f}"}
        )
    listed = [name for name in ["", *pages] if name not in ("unlisted", "secret")]
    listed += ["lost", "moved"] * faulty
    entries = "".join(f"<url><loc>{SITE}{name}</loc></url>" for name in listed)
    write("robots.txt", b"User-agent: *\nDisallow: /secret\nDisallow: /private")
    write("sitemap.xml", f"<urlset>{entries}</urlset>".encode())
    write("a.png", b"x")
    for name in SHEETS if faulty else ("clean",):
        css = ("Content-Type", "text/css; charset=utf-8")
        archive.write(f"{SITE}styles/{name}.css", "200 OK", [css], SHEETS[name].encode())
    if faulty:
        for name in ("lost", "lost.png", "lost.css", "lost.js", "lost.mp4", "lost-2.png", "lost.woff"):
            write(name, b"", "404 Not Found")
        write("failing", b"", "500 Internal Server Error")
        write("moved", b"", "301 Moved Permanently", ("Location", "/anchors-1"))
    name = probe_address(SITE).removeprefix(SITE)
    error = html_of(name, FAULTS["error-2"]) if faulty else b"<title>404</title>"
    status = "200 OK" if faulty else "404 Not Found"
    archive.write(probe_address(SITE), status, [HTML], error, is_probe=True)
    archive.close()


def audited(folder: Path, pages: dict[str, Planted], *, faulty: bool) -> SiteResults:
    """Audit a crawl of a site."""
    path = folder / "site.warc.gz"
    write_archive(path, pages, faulty=faulty)
    log = folder / "crawl.jsonl"
    records = [{"url": SITE + "private", "reason": "robots.txt does not allow it.", "excluded": True}]
    records.append({"url": SITE + "failing", "reason": "The server answered 500.", "excluded": False})
    log.write_text("".join(f"{json.dumps(record)}\n" for record in records if faulty))
    queries = folder / "queries.csv"
    searched = ["anchors-1", *["forgotten"] * faulty]
    rows = "".join(f"https://e.org/{name},ships,3\n" for name in searched)
    queries.write_text(f"page,query,clicks\n{rows}")
    items = list(read(str(path)))
    settings = plan(archives=(path,), crawl_log=log, queries=queries)
    [results] = audit(lambda first: items[first:], folder / "out", settings, Here())
    return results


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[SiteResults, dict[str, set[str]]]:
    """The results of the site with all faults, and the pages of each finding."""
    folder = tmp_path_factory.mktemp("faulty")
    results = audited(folder, USUAL | CLEAN | FAULTS, faulty=True)
    return results, pages_of(folder / "out")


def pages_of(folder: Path) -> dict[str, set[str]]:
    rows = found_in(folder)
    return {name: {page.removeprefix(SITE) for page, _ in rows[name]} for name in rows}


def test_each_finding_has_a_fault() -> None:
    assert EXPECTED.keys() | ELSEWHERE == FINDING_TYPES.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_each_fault_is_found_and_nothing_else(
    found: tuple[SiteResults, dict[str, set[str]]], name: str
) -> None:
    assert found[1].get(name) == EXPECTED[name]


def test_a_clean_site_has_no_finding(tmp_path: Path) -> None:
    audited(tmp_path, USUAL | CLEAN, faulty=False)
    assert pages_of(tmp_path / "out") == {}


def test_pages_have_the_seconds_of_their_answers(tmp_path: Path) -> None:
    pages = USUAL | {"slow": FAULTS["slow"]}
    audited(tmp_path, pages, faulty=False)
    rows = {row["page"]: row["answer_seconds"] for row in read_rows(tmp_path / "out" / "pages.parquet")}
    assert (rows[SITE + "slow"], rows[SITE + "anchors-1"]) == (2.5, 0.1)
