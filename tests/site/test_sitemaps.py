"""Sitemaps and robots.txt of folders and archives, and what an audit finds by them."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from tests.site.test_findings import article, audited, found_in, write_site

import webgrain
from webgrain.crawler.spider import Archive
from webgrain.site.sitemaps import Robots, archive_rules, folder_rules
from webgrain.site.thresholds import ENTRY_CHARACTERS, MOST_SITEMAPS, ROBOTS_BYTES

SITE = "https://e.org/"
RULES = ("sitemap-dead", "sitemap-redirects", "sitemap-missing", "excluded-linked")


def sitemap(*names: str, tag: str = "urlset") -> str:
    return f"<{tag}>{''.join(f'<url><loc>{SITE}{name}</loc></url>' for name in names)}</{tag}>"


def write_pages(folder: Path) -> list[str]:
    """Write a site; return the names of its pages in the sitemap, which is not written."""
    pages = {f"page-{k}.html": article(f"Place {k}") for k in range(12)}
    pages |= {
        "moved.html": "<meta http-equiv=refresh content='0; url=page-2.html'>",
        "unlisted.html": article("Unlisted"),
        "hidden.html": article("Hidden", "<meta name=robots content=noindex>"),
        "copy.html": article("Copy", "<link rel=canonical href=page-1.html>"),
        "private.html": article("Private"),
        "404.html": article("Not found"),
    }
    write_site(folder, pages)
    return ["index.html", *(name for name in pages if name.startswith("page"))]


def test_entries_and_pages_are_compared(tmp_path: Path) -> None:
    names = write_pages(tmp_path / "site")
    (tmp_path / "site" / "paper.pdf").write_bytes(b"x")
    entries = sitemap(*names, "moved.html", "gone.html", "paper.pdf")
    (tmp_path / "site" / "sitemap.xml").write_text(entries)
    (tmp_path / "site" / "robots.txt").write_text("User-agent: *\nDisallow: /private\n")
    audited(tmp_path / "site", tmp_path / "out", site_folder=tmp_path / "site")
    found = found_in(tmp_path / "out")
    assert {name: found.get(name) for name in RULES} == {
        "sitemap-dead": [(f"{SITE}gone.html", "There is no such file.")],
        "sitemap-redirects": [(f"{SITE}moved.html", "page-2.html")],
        "sitemap-missing": [("unlisted.html", "")],
        "excluded-linked": [("private.html", "/private.html")],
    }


def test_a_complete_sitemap_has_no_findings(tmp_path: Path) -> None:
    names = write_pages(tmp_path / "site")
    (tmp_path / "site" / "sitemap.xml").write_text(sitemap(*names, "unlisted.html", "private.html"))
    audited(tmp_path / "site", tmp_path / "out", site_folder=tmp_path / "site")
    assert set(RULES) & found_in(tmp_path / "out").keys() == set()


def test_a_folder_without_a_sitemap_has_no_findings(tmp_path: Path) -> None:
    write_pages(tmp_path / "site")
    audited(tmp_path / "site", tmp_path / "out", site_folder=tmp_path / "site")
    assert set(RULES) & found_in(tmp_path / "out").keys() == set()


@pytest.mark.parametrize("as_zip", [False, True])
def test_the_sitemap_of_a_folder_or_a_zip_archive_is_read_by_default(tmp_path: Path, as_zip: bool) -> None:
    names = write_pages(tmp_path / "site")
    (tmp_path / "site" / "sitemap.xml").write_text(sitemap(*names, "gone.html"))
    site = tmp_path / "site"
    path = shutil.make_archive(str(site), "zip", site) if as_zip else site
    webgrain.audit(path, tmp_path / "out", examples=0, workers=1)
    assert found_in(tmp_path / "out")["sitemap-dead"] == [(f"{SITE}gone.html", "There is no such file.")]


def test_sitemaps_of_sitemaps_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(f"Sitemap: {SITE}maps/all.xml")
    (tmp_path / "maps").mkdir()
    index = sitemap("maps/one.xml.gz", "maps/all.xml", "maps/none.xml", tag="sitemapindex")
    (tmp_path / "maps" / "all.xml").write_text(index)
    (tmp_path / "maps" / "one.xml.gz").write_bytes(gzip.compress(sitemap("a?x=1&amp;y=2", "b").encode()))
    assert folder_rules(tmp_path).entries == (f"{SITE}a?x=1&y=2", f"{SITE}b")


def test_archives_have_the_rules_of_each_host(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "a.warc", 0)
    for name, body in (("robots.txt", "User-agent: *"), ("post-sitemap.xml", sitemap("a")), ("b.xml", "x")):
        archive.write(SITE + name, "200 OK", [("Content-Type", "text/plain")], body.encode())
        archive.write(f"https://other.org/{name}", "200 OK", [], b"")
    archive.close()
    rules = archive_rules([tmp_path / "a.warc"], "e.org")
    assert (rules.entries, rules.robots) == ((f"{SITE}a",), "User-agent: *")


@pytest.mark.parametrize(
    "body", [b"", b"\x1f\x8b broken", b"<loc>" * 500_000, b"<urlset><loc>" + b" " * 1_000_000]
)
def test_damaged_sitemaps_have_no_entries(body: bytes, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(body)
    assert folder_rules(tmp_path).entries == ()


def test_endless_sitemaps_end(tmp_path: Path) -> None:
    names = [f"{k}.xml" for k in range(3 * MOST_SITEMAPS)]
    (tmp_path / "sitemap.xml").write_text(sitemap(*names, tag="sitemapindex"))
    for name in names:
        (tmp_path / name).write_text(sitemap(f"page-of-{name}"))
    assert 0 < len(folder_rules(tmp_path).entries) <= MOST_SITEMAPS


@pytest.mark.parametrize(
    ("path", "excluded"),
    [
        ("/a", True), ("/a/b", False), ("/c.php?x=1", True), ("/c.php", False), ("/d/e/f.gif", True),
        ("/d/e/f.gif?", False), ("/z", False),
    ],
)  # fmt: skip
def test_the_longest_rule_of_robots_txt_counts(path: str, excluded: bool) -> None:
    text = "User-agent: x\nUser-agent: *\nDisallow: /a # a comment\nallow: /a/b\n"
    text += "Disallow: /*?x=\nDisallow: /d/*.gif$\n"
    assert Robots(f"{text}Disallow:\n\nUser-agent: y\nDisallow: /").excludes(path) == excluded


@pytest.mark.parametrize(
    ("rule", "path", "excluded"),
    [
        ("/a*$", "/abc", True), ("/a$", "/ab", False), ("/*ab*ba$", "/aba", False),
        ("/*ab*ba$", "/abba", True), ("/a*a$", "/a", False), ("*.gif", "/x.gif?y", True),
        ("/**b**c", "/bc", True),
    ],
)  # fmt: skip
def test_wildcards_and_ends(rule: str, path: str, excluded: bool) -> None:
    assert Robots(f"User-agent: *\nDisallow: {rule}").excludes(path) == excluded


def test_a_sitemap_is_named_on_its_line(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(f"\n \n\tSITEMAP :{SITE}a.xml\nSitemap:\nUser-agent: b.xml")
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text(sitemap(name))
    assert folder_rules(tmp_path).entries == (f"{SITE}a.xml",)


def test_an_invalid_address_of_a_sitemap_is_no_sitemap(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("Sitemap: http://[\nSitemap: https://example$]\nSitemap: /a.xml")
    (tmp_path / "a.xml").write_text(sitemap("a"))
    assert folder_rules(tmp_path).entries == (f"{SITE}a",)
    archive = Archive(tmp_path / "a.warc", 0)
    archive.write("http://[/robots.txt", "200 OK", [("Content-Type", "text/plain")], b"User-agent: *")
    archive.close()
    assert archive_rules([tmp_path / "a.warc"], "e.org").robots == ""


def test_the_beginning_of_a_long_robots_txt_is_read(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\n" + b"\n" * ROBOTS_BYTES + b"Disallow: /")
    (tmp_path / "sitemap.xml").write_text(sitemap("a"))
    rules = folder_rules(tmp_path)
    assert len(rules.robots) == ROBOTS_BYTES
    assert rules.entries == (f"{SITE}a",)
    assert not Robots(rules.robots).excludes("/")


def test_an_audit_uses_the_first_rules_of_a_long_robots_txt() -> None:
    rules = "User-agent: *\n" + "Disallow: /a\n" * 9_998
    assert Robots(f"{rules}Disallow: /b").excludes("/b")
    assert not Robots(f"{rules}\nDisallow: /b").excludes("/b")
    assert Robots(f"User-agent: *\nDisallow: /{'b' * 499}c").excludes(f"/{'b' * 500}")


def test_the_addresses_of_sitemaps_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.site.sitemaps.MOST_ENTRIES", 5)
    (tmp_path / "robots.txt").write_text("Sitemap: /a.xml\nSitemap: /b.xml\n")
    for name in "ab":
        (tmp_path / f"{name}.xml").write_text(sitemap(*[f"{name}{k}" for k in range(4)]))
    assert folder_rules(tmp_path).entries == tuple(f"{SITE}{name}" for name in ("a0", "a1", "a2", "a3", "b0"))
    monkeypatch.setattr("webgrain.site.sitemaps.SITEMAP_BYTES", len(sitemap("a0", "a1")))
    assert folder_rules(tmp_path).entries == tuple(f"{SITE}{name}" for name in ("a0", "a1", "b0", "b1"))


def test_addresses_longer_than_the_protocol_allows_are_left_out(tmp_path: Path) -> None:
    fits = "x" * (ENTRY_CHARACTERS - len(SITE))
    (tmp_path / "sitemap.xml").write_text(sitemap(fits, f"{fits}x"))
    assert folder_rules(tmp_path).entries == (SITE + fits,)


def test_sitemaps_of_archives_have_a_limit_in_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path / "a.warc", 0)
    bodies = [sitemap(f"page-{k}").encode() for k in range(5)]
    for number, body in enumerate(bodies):
        archive.write(f"{SITE}sitemap-{number}.xml", "200 OK", [("Content-Type", "text/xml")], body)
    archive.close()
    monkeypatch.setattr("webgrain.site.sitemaps.SITEMAPS_BYTES", 3 * len(bodies[0]))
    assert len(archive_rules([tmp_path / "a.warc"], "e.org").entries) == 3


def test_rules_with_many_wildcards_end() -> None:
    robots = Robots(f"User-agent: *\nDisallow: /{'*a' * 200}b$")
    assert not robots.excludes("/" + "a" * 100_000)
