"""References of all kinds in an audit: missing files, parts of pages, queries, and addresses below a base."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.site.test_findings import article, audited, found_in, write_site

from webgrain.io.thresholds import MAX_SHEET
from webgrain.site import linktable
from webgrain.site.auditrun import SiteResults
from webgrain.site.tables import read_rows

pytestmark = pytest.mark.xdist_group("references")  # one process, to audit each site only once

FILES = ("logo.png", "main.css", "main.js", "sub/photo.jpg", "film.mp4", "part.html")
HEAD = "<link rel=stylesheet href=main.css><script src=main.js></script>"
BODY = "<header><img src=logo.png alt=Logo></header><p id=more>More</p>"

FAULTS = {
    "image.html": "<p><img src=lost.png alt='A lost picture'></p>",
    "set.html": "<p><img src=logo.png srcset='lost-2x.png 2x' alt=x></p>",
    "lazy.html": "<p><img src=logo.png data-src=lost-lazy.png alt=x></p>",
    "background.html": "<p style='background: url(lost-back.png)'>x</p>",
    "style.html": "<style>@import 'lost.css';</style>",
    "script.html": "<script src=lost.js></script>",
    "film.html": "<video src=lost.mp4></video>",
    "frame.html": "<iframe src=lost-frame.html></iframe>",
    "part.html": "<p><a href='page-1.html#lost'>A lost part</a></p>",
    "own-part.html": "<p><a href='#lost-too'>A lost part</a></p>",
    "based.html": "<p><img src=lost-based.png alt=x></p>",
}
"""Pages with a fault each, in their body."""
CLEAN = {
    "parts.html": "<p id='a b'><a name=old>x</a><a href='#a%20b'>x</a><a href=#old>x</a><a href=#top>x</a>"
    "<a href=#>x</a><a href='page-1.html#more'>x</a><a href='#:~:text=word'>x</a><a href='#/route'>x</a>"
    "<a href='#!x'>x</a>"
    "<a href='#menu' data-toggle=collapse>x</a><a href='#action%3Dpopup%26id'>x</a>"
    "<a href='page-1.html#hs-chat-open'>x</a></p>"
    "<ul><li><a href='#submenu'>Menu</a> <ul><li><a href=page-1.html>x</a></ul></ul>",
    "queries.html": "<p><a href='page-2.html?print=1'>x</a><a href='page-3.html?a=b#more'>x</a></p>",
    "data.html": "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' alt=x>"
    "<form action=search.php></form>",
    "based-well.html": "<p><img src=photo.jpg alt=x><a href=../page-4.html>x</a></p>",
}
"""Pages without a fault."""
BASED = {"based.html": "<base href='/'>", "based-well.html": "<base href='sub/'>"}


def write_files(folder: Path, pages: dict[str, str]) -> None:
    """Write a site whose pages share files, and the bodies of some more pages."""
    every = {
        f"page-{k}.html": article(f"Place {k}", HEAD, f"{BODY}<img src={k}.png alt=x>") for k in range(24)
    }
    every |= {name: article(name, BASED.get(name, "") + HEAD, BODY + body) for name, body in pages.items()}
    if "based-well.html" in every:
        head = "<link rel=stylesheet href=../main.css><script src=../main.js></script>"
        body = BODY.replace("logo.png", "../logo.png") + pages["based-well.html"]
        html = article("based-well.html", BASED["based-well.html"] + head, body)
        every["based-well.html"] = html.replace("href=index.html", "href=../index.html")
    write_site(folder, every)
    for name in (*FILES, *(f"{k}.png" for k in range(24))):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_bytes(b"x")


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> tuple[SiteResults, Path]:
    folder = tmp_path_factory.mktemp("references")
    write_files(folder / "site", CLEAN | FAULTS)
    return audited(folder / "site", folder / "out"), folder / "out"


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean")
    write_files(folder / "site", CLEAN)
    audited(folder / "site", folder / "out")
    return folder / "out"


EXPECTED = {
    "broken-images": {
        ("background.html", "lost-back.png (p style): There is no such file."),
        ("based.html", "lost-based.png (img src): There is no such file."),
        ("image.html", "lost.png (img src): There is no such file."),
        ("lazy.html", "lost-lazy.png (img data-src): There is no such file."),
        ("set.html", "lost-2x.png (img srcset): There is no such file."),
    },
    "broken-styles": {("style.html", "lost.css (style): There is no such file.")},
    "broken-scripts": {("script.html", "lost.js (script src): There is no such file.")},
    "broken-files": {
        ("film.html", "lost.mp4 (video src): There is no such file."),
        ("frame.html", "lost-frame.html (iframe src): There is no such file."),
    },
    "missing-parts": {
        ("part.html", "page-1.html#lost (“A lost part”): The page has no element with this id."),
        ("own-part.html", "#lost-too (“A lost part”): The page has no element with this id."),
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_fault_is_found(faults: tuple[SiteResults, Path], name: str) -> None:
    assert set(found_in(faults[1])[name]) == EXPECTED[name]
    assert {finding.name: finding.pages for finding in faults[0].findings}[name] == len(EXPECTED[name])


@pytest.mark.parametrize("name", [*EXPECTED, "broken-links", "missing-files", "redirected-links"])
def test_a_clean_site_has_no_such_fault(clean: Path, name: str) -> None:
    assert name not in found_in(clean)


def links_of(folder: Path, page: str) -> list[dict[str, Any]]:
    return [link for link in read_rows(folder / "links.parquet") if link["source"] == page]


def test_rows_have_element_attribute_use_and_node(clean: Path) -> None:
    [logo] = (link for link in links_of(clean, "page-5.html") if link["target"] == "logo.png")
    names = ("element", "attribute", "use", "position", "outcome", "text")
    assert [logo[name] for name in names] == ["img", "src", "image", "content", "file", "Logo"]
    [style] = (link for link in links_of(clean, "page-5.html") if link["use"] == "style")
    assert (style["position"], style["rel"], style["element"]) == ("head", "stylesheet", "link")
    assert style["node"] < logo["node"]


def test_a_query_leads_to_its_page(clean: Path) -> None:
    links = {link["target"]: link for link in links_of(clean, "queries.html")}
    assert links["page-2.html?print=1"]["page"] == "page-2.html"
    link = links["page-3.html?a=b#more"]
    assert (link["page"], link["part_exists"]) == (
        "page-3.html",
        True,
    )
    assert links["page-2.html?print=1"]["part_exists"] is None


def test_a_fault_of_a_template_is_one_row(tmp_path: Path) -> None:
    pages = {
        f"page-{k}.html": article(f"Place {k}", HEAD, BODY + "<footer><img src=lost.png></footer>")
        for k in range(24)
    }
    write_site(tmp_path / "site", pages)
    for name in FILES:
        (tmp_path / "site" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "site" / name).write_bytes(b"x")
    outcome = audited(tmp_path / "site", tmp_path / "out")
    assert found_in(tmp_path / "out")["broken-images"] == [
        ("page-0.html", "lost.png (img src, footer): There is no such file.")
    ]
    [finding] = (finding for finding in outcome.findings if finding.name == "broken-images")
    assert (finding.pages, finding.rows) == (24, 1)
    [(address, detail)] = finding.examples
    assert address == "lost.png"
    assert detail.startswith("There is no such file. On page-0.html, ")
    assert detail.endswith("and 19 more (img src, footer).")


def test_a_folder_without_images_has_no_broken_images(tmp_path: Path) -> None:
    pages = {f"page-{k}.html": article(f"Place {k}", "", f"<img src={k}.png alt=x>") for k in range(12)}
    write_site(tmp_path / "site", pages)
    pages["page-3.html"] = article("Place 3", "<link rel=stylesheet href=a.css>", "<img src=3.png alt=x>")
    write_site(tmp_path / "site", pages)
    results = audited(tmp_path / "site", tmp_path / "out")
    found = found_in(tmp_path / "out")
    assert len(found["missing-files"]) == 13
    assert "broken-images" not in found
    with (tmp_path / "out" / "findings" / "missing-files.csv").open(newline="", encoding="utf-8") as file:
        uses = Counter(row["use"] for row in csv.DictReader(file))
    assert uses == {"image": 12, "style": 1}
    assert results.about_input.startswith(
        "The input is probably a part of the site, since it lacks 12 images, 1 style sheet: "
    )
    assert results.about_input in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    [action] = (action for action in results.actions if action.finding == "missing-files")
    assert action.cause == "12 images, 1 style sheet"


def test_a_base_on_the_host_of_the_site_leads_to_local_files(tmp_path: Path) -> None:
    base = "<base href='https://example.org/'>"
    pages = {f"page-{k}.html": article(f"Place {k}", base) for k in range(12)}
    write_site(tmp_path / "site", pages)
    audited(tmp_path / "site", tmp_path / "out")
    [home] = links_of(tmp_path / "out", "page-3.html")
    assert (home["page"], home["outcome"]) == ("index.html", "page")


SHEETS = {
    "css/main.css": "@import 'more.css'; @import url(lost.css); p { background: url(../lost-back.png) } "
    "q { background: url(../logo.png), url(../logo.png?v=2); fill: url(#part); behavior: url(old.htc) } "
    "@font-face { src: url(../lost.woff2#iefix), url(data:font/woff2;base64,xx) } /* url(no.png) */ "
    "i { background: url(../../../outside.png), url(//cdn.org/a.png) }",
    "css/more.css": "@import 'main.css'; b { background: url(\"deep lost.png\") }",
}
OF_SHEETS = {
    ("broken-styles", "css/main.css", "css/lost.css"),
    ("broken-images", "css/main.css", "lost-back.png"),
    ("broken-files", "css/main.css", "lost.woff2"),
    ("broken-images", "css/main.css", "outside.png"),
    ("broken-images", "css/more.css", "css/deep%20lost.png"),
}


def write_sheets(folder: Path, sheets: dict[str, str]) -> None:
    """Write a clean site whose pages also load a style sheet by two addresses, and this sheet."""
    write_files(folder, {"versions.html": "<link rel=stylesheet href='css/main.css?v=2'>"})
    for page in folder.glob("*.html"):
        link = "<link rel=stylesheet href=css/main.css?v=1>"
        page.write_text(page.read_text().replace("<body>", f"{link}<body>"))
    for name, css in sheets.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(css)


def faults_of_sheets(folder: Path) -> set[tuple[str, str, str]]:
    rows = found_in(folder)
    names = (name for name in rows if name.startswith("broken-"))
    return {(name, page, detail.partition(": ")[0]) for name in names for page, detail in rows[name]}


@pytest.mark.parametrize("as_zip", [False, True])
def test_references_in_a_style_sheet_are_faults_of_the_sheet(tmp_path: Path, as_zip: bool) -> None:
    site = tmp_path / "site"
    write_sheets(site, SHEETS)
    (tmp_path / "outside.png").write_bytes(b"x")
    path = Path(shutil.make_archive(str(site), "zip", site)) if as_zip else site
    results = audited(path, tmp_path / "out")
    assert faults_of_sheets(tmp_path / "out") == OF_SHEETS
    assert {finding.name: finding.pages for finding in results.findings}["broken-images"] == 2
    links = links_of(tmp_path / "out", "css/main.css")
    assert {(link["target"], link["use"], link["outcome"]) for link in links} == {
        ("css/more.css", "style", "file"),
        ("css/lost.css", "style", "broken"),
        ("lost-back.png", "image", "broken"),
        ("logo.png", "image", "file"),
        ("logo.png?v=2", "image", "file"),
        ("lost.woff2#iefix", "font", "broken"),
        ("outside.png", "image", "broken"),
        ("//cdn.org/a.png", "image", "external"),
    }
    with (tmp_path / "out" / "findings" / "broken-files.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert (row["pages"], row["use"], row["element"], row["position"]) == ("1", "font", "", "other")


def test_style_sheets_without_faults_have_none(tmp_path: Path) -> None:
    sheets = {"css/main.css": "p { background: url(../logo.png) }"}
    write_sheets(tmp_path / "site", sheets)
    audited(tmp_path / "site", tmp_path / "out")
    assert faults_of_sheets(tmp_path / "out") == set()
    assert [link["target"] for link in links_of(tmp_path / "out", "css/main.css")] == ["logo.png"]


def test_few_style_sheets_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linktable, "NESTED_SHEETS", 2)
    sheets = {f"css/{name}.css": f"@import '{name + 1}.css'; p {{ background: url(x) }}" for name in range(9)}
    sheets["css/main.css"] = "@import '0.css'; @import 'large.css'"
    sheets["css/large.css"] = "p { background: url(x) }" + " " * MAX_SHEET
    write_sheets(tmp_path / "site", sheets)
    audited(tmp_path / "site", tmp_path / "out")
    sources = {link["source"] for link in read_rows(tmp_path / "out" / "links.parquet")}
    assert {name for name in sources if name.endswith(".css")} == {"css/main.css", "css/0.css"}
