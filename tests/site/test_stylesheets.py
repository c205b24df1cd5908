"""Style sheets of folders, zip archives, web archives, several inputs and parts of sites: equal results."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.site.test_findings import article, found_in, run

from webgrain.crawler.spider import Archive
from webgrain.io import archives
from webgrain.io.archives import WarcAssets
from webgrain.io.read import read, site_folders
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page, Source
from webgrain.page.thresholds import LONGEST_URL
from webgrain.site.pipeline import pages
from webgrain.site.shards import read_shard, write_shard
from webgrain.site.tables import read_rows

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("style sheets")

HOST = "https://example.org"
SHEETS = {
    "css/main.css": "@import 'more.css'; p.away { display: none } q { background: url(../lost.png) }",
    "css/more.css": "i { visibility: hidden } b { background: url(/logo.png), url(deep.png) } "
    + " ".join(f"b.k{k} {{ background: url(../{k}.png) }}" for k in range(9)),
}
PICTURES = ("logo.png", *(f"{k}.png" for k in range(9)))
HEADS = ("<link rel=stylesheet href=/css/main.css>", "<link rel=stylesheet href='../css/main.css?v=2'>")
BODY = "<p class=away>This is hidden.</p><p>Seen <i>not seen</i></p>"


def html_pages() -> dict[str, str]:
    """Pages in two folders, which load one style sheet from the root and by its path."""
    made = {
        f"{folder}/page-{k}.html": article(f"Place {k}", HEADS[k % 2], BODY)
        for folder in ("en", "de")
        for k in range(14)
    }
    made |= {f"{folder}/index.html": article(folder, HEADS[1], BODY) for folder in ("en", "de")}
    links = "".join(f"<a href='/{name}'>{name}</a> " for name in made)
    return {"index.html": article("Index", HEADS[0], f"{BODY}<p>{links}</p>"), **made}


def write_folder(folder: Path) -> Path:
    files = {**html_pages(), **SHEETS, **dict.fromkeys(PICTURES, "x")}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def write_archive(path: Path) -> Path:
    archive = Archive(path, 0)

    def write(name: str, media_type: str, text: str, status: str = "200 OK") -> None:
        archive.write(f"{HOST}/{name}", status, [("Content-Type", media_type)], text.encode())

    for name, text in html_pages().items():
        write("" if name == "index.html" else name, "text/html; charset=utf-8", text)
    for name, text in SHEETS.items():
        write(name, "text/css", text)
    write("css/main.css?v=2", "text/css", SHEETS["css/main.css"])
    for name in PICTURES:
        write(name, "image/png", "x")
    write("lost.png", "text/html", "", "404 Not Found")
    write("css/deep.png", "text/html", "", "404 Not Found")
    archive.close()
    return path


def made(kind: str, folder: Path) -> Path:
    if kind == "warc":
        return write_archive(folder / "site.warc.gz")
    site = write_folder(folder / "site")
    return site if kind == "folder" else _zipped(site)


def _zipped(site: Path) -> Path:
    return type(site)(shutil.make_archive(str(site), "zip", site))


def shown(page: object) -> tuple[str, list[str]]:
    """Return the name of a page in its folder, and its visible texts."""
    assert isinstance(page, Page)
    dom = page.dom
    name = page.id.removeprefix(f"{HOST}/").rpartition("site/")[2] or "index.html"
    return name, [dom.text_of(node) for node in (dom.is_text & visible_nodes(page)).nonzero()[0].tolist()]


@pytest.mark.parametrize("kind", ["folder", "zip", "warc"])
def test_what_style_sheets_hide_is_equal_for_all_inputs(kind: str, tmp_path: Path) -> None:
    items = [*read([made(kind, tmp_path)])]
    texts = dict(map(shown, pages(items)))
    assert len(texts) == 31
    for of_page in texts.values():
        assert "This is hidden." not in of_page
        assert "not seen" not in of_page
        assert "Seen " in of_page
    shard = write_shard(tmp_path / "shard", items)  # type: ignore[arg-type]
    assert dict(map(shown, pages(read_shard(shard)))) == texts


def faults(results: Path) -> set[tuple[str, str, str]]:
    """Return the missing files by finding, page and address, without hosts."""
    rows = found_in(results)
    return {
        (
            name,
            page.removeprefix(f"{HOST}/"),
            detail.partition(": ")[0].removeprefix(f"{HOST}/").partition(" (")[0],
        )
        for name in rows
        if name.startswith("broken-")
        for page, detail in rows[name]
    }


LOST = {("broken-images", "css/main.css", "lost.png"), ("broken-images", "css/more.css", "css/deep.png")}


@pytest.mark.parametrize("kind", ["folder", "zip", "warc"])
def test_missing_files_that_style_sheets_name_are_equal_for_all_inputs(kind: str, tmp_path: Path) -> None:
    place = made(kind, tmp_path)
    archives = (place,) if kind == "warc" else ()
    run([*read([place])], tmp_path / "out", folders=site_folders([place]), archives=archives)
    assert faults(tmp_path / "out") == LOST
    links = [*read_rows(tmp_path / "out" / "links.parquet")]
    [logo] = [link for link in links if link["target"].removeprefix(f"{HOST}/") in ("/logo.png", "logo.png")]
    assert (logo["source"].removeprefix(f"{HOST}/"), logo["outcome"]) == ("css/more.css", "file")
    assert {link["outcome"] for link in links if link["use"] == "style"} == {"file"}
    assert {link["outcome"] for link in links if link["use"] == "link"} == {"page"}


def audited(places: list[Path], out: Path, root: Path | None = None) -> list[dict[str, Any]]:
    run([*read(places, root=root)], out, folders=site_folders(places, root))
    return [*read_rows(out / "links.parquet")]


def test_style_sheets_of_several_inputs(tmp_path: Path) -> None:
    one, two = write_folder(tmp_path / "one"), write_folder(tmp_path / "two")
    links = audited([one, two], tmp_path / "out")
    assert faults(tmp_path / "out") == {
        ("broken-images", f"{site}/css/{sheet}", f"{site}/{lost}")
        for site in (str(one)[1:], str(two)[1:])
        for sheet, lost in (("main.css", "lost.png"), ("more.css", "css/deep.png"))
    }
    assert {link["outcome"] for link in links if link["use"] in ("link", "style")} == {"page", "file"}
    to_pages = [link for link in links if link["use"] == "link" and link["source"] == f"{one}/index.html"]
    assert {link["page"] for link in to_pages} >= {f"{one}/en/page-1.html", f"{one}/de/page-2.html"}


def test_style_sheets_of_a_part_of_a_site(tmp_path: Path) -> None:
    site = write_folder(tmp_path / "site")
    links = audited([site / "en"], tmp_path / "out", site)
    assert faults(tmp_path / "out") == LOST
    assert {link["outcome"] for link in links if link["use"] == "style"} == {"file"}


def test_style_sheets_of_parts_of_a_site(tmp_path: Path) -> None:
    site = write_folder(tmp_path / "site")
    audited([site / "en", site / "de"], tmp_path / "out", site)
    assert {(name, lost.rpartition("/")[2]) for name, _, lost in faults(tmp_path / "out")} == {
        ("broken-images", "lost.png"),
        ("broken-images", "deep.png"),
    }


def test_other_inputs_have_no_folder() -> None:
    assert site_folders(["pages.parquet", "https://e.org/", "-", "a.warc.gz"]) == ()


def test_redirects_of_style_sheets_in_archives(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    archive = Archive(path, 0)
    archive.write(f"{HOST}/old.css", "301 Moved", [("Location", "/css/new.css")], b"")
    for text in (b"p { color: red }", b"p { display: none }"):
        archive.write("http://example.org/css/new.css", "200 OK", [("Content-Type", "text/css")], text)
    archive.close()
    files = WarcAssets(path)
    assert (
        files.read("example.org/old.css") == files.read("example.org/css/new.css") == b"p { display: none }"
    )
    assert files.read("example.org/other.css") is files.read("css/new.css") is None


def test_the_places_of_style_sheets_are_limited_in_number_and_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "site.warc.gz"
    archive = Archive(path, 0)
    for number in range(4):  # more redirects than are kept, which hide no style sheet
        archive.write(f"{HOST}/{number}", "301 Moved", [("Location", "/a.css")], b"")
    for name in ("a", "b", "c", "d"):
        archive.write(f"{HOST}/{name}.css", "200 OK", [("Content-Type", "text/css")], name.encode())
    archive.close()

    def held() -> str:
        archives._sheet_places.cache_clear()
        names = ("0", "1", "2", "3", "a.css", "b.css", "c.css", "d.css")
        return b"".join(WarcAssets(path).read(f"example.org/{name}") or b"-" for name in names).decode()

    assert held() == "aaaaabcd"
    monkeypatch.setattr(archives, "STORED_SHEETS", 3)
    assert held() == "aaa-abc-"
    monkeypatch.undo()
    redirects = 4 * len("example.org/0example.org/a.css")
    monkeypatch.setattr(archives, "SHEET_CHARACTERS", redirects + len("example.org/a.css"))
    assert held() == "aaaaab--"


def test_answers_of_addresses_that_no_link_has_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    archive = Archive(path, 0)
    for length in (LONGEST_URL, LONGEST_URL + 1):
        archive.write(f"{HOST}/{'x' * length}"[:length], "404 Not Found", [], b"")
    archive.close()
    assert [len(answer.url) for answer in archives.read_answers(path)] == [LONGEST_URL]


def test_an_archive_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    assert WarcAssets(path).read("example.org/a.css") is None
    archive = Archive(path, 0)
    archive.write(f"{HOST}/a.css", "200 OK", [("Content-Type", "text/css")], b"p { }")
    assert WarcAssets(path).read("example.org/a.css") == b"p { }"
    archive.write(f"{HOST}/a.css", "200 OK", [("Content-Type", "text/css")], b"q { }")
    assert WarcAssets(path).read("example.org/a.css") == b"q { }"
    archive.close()


def test_damaged_archives_have_the_style_sheets_before_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    archive = Archive(path, 0)
    archive.write(f"{HOST}/a.css", "200 OK", [("Content-Type", "text/css")], b"p { }")
    first = archive.length
    archive.write(f"{HOST}/b.css", "200 OK", [("Content-Type", "text/css")], b"q { }" * 999)
    archive.close()
    path.write_bytes(path.read_bytes()[: first + 40])
    assert WarcAssets(path).read("example.org/a.css") == b"p { }"
    assert WarcAssets(path).read("example.org/b.css") is None


def test_a_base_element_leads_to_the_style_sheets(tmp_path: Path) -> None:
    files = {"site/a.css": b"p { display: none }"}

    class Files(dict[str, bytes]):
        read = dict.get

    for base in ("/site/", "../site/", "https://example.org/site/"):
        html = f"<base href='{base}'><link rel=stylesheet href=a.css><p>Hidden<div>Seen".encode()
        [page] = pages([Source("x", html, assets=Files(files), path="en/x.html")])  # type: ignore[arg-type]
        assert shown(page)[1] == ["Seen"], base
