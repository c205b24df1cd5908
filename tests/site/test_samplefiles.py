"""The pages of a sample in files, and those that a process keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site import samplefiles
from webgrain.site.samplefiles import KeptPages, NumberedPage, PagePlace, stored_pages, write_pages
from webgrain.site.workspace import SiteFiles


def site_of(folder: Path) -> SiteFiles:
    return SiteFiles("", (), folder / "site", folder)


def sample(texts: str) -> list[NumberedPage]:
    pages = [parse(Source(f"{k}.html", f"<h1>{text}</h1>".encode())) for k, text in enumerate(texts)]
    return [NumberedPage(k, k, page) for k, page in enumerate(pages)]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> KeptPages:
    pages = KeptPages(10**6)
    monkeypatch.setattr(samplefiles, "_KEPT_PAGES", pages)
    return pages


def texts_of(site: SiteFiles, places: list[PagePlace]) -> list[str]:
    return [page.dom.text for page in stored_pages(site, places)]


def test_pages_are_kept_until_they_are_read_for_the_last_time(tmp_path: Path, kept: KeptPages) -> None:
    site, chosen = site_of(tmp_path), sample("abc")
    places = [*write_pages(site, 0, chosen).values()]
    version = samplefiles._version(site.known / "0.pages")
    doms = [page.dom for page in stored_pages(site, places)]
    assert all(dom.text_start is page.dom.text_start for dom, (*_, page) in zip(doms, chosen, strict=True))
    again = [page.dom for page in stored_pages(site, places, is_last=True)]
    assert all(dom.text_start is other.text_start for dom, other in zip(doms, again, strict=True))
    assert [kept.take(version, place) for place in places] == [None] * 3
    assert texts_of(site, places) == ["a", "b", "c"]


def test_pages_of_a_file_that_was_written_anew_are_read_from_it(tmp_path: Path, kept: KeptPages) -> None:
    site = site_of(tmp_path)
    places = [*write_pages(site, 0, sample("ab")).values()]
    assert texts_of(site, places) == ["a", "b"]
    write_pages(site_of(tmp_path / "other"), 0, sample("xy"))
    path = site.known / "0.pages"
    path.unlink()
    (site_of(tmp_path / "other").known / "0.pages").rename(path)
    assert texts_of(site, places) == ["x", "y"]


def test_pages_that_are_too_many_are_read_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(tmp_path)
    [size, _, _] = [place.size for place in write_pages(site, 0, sample("abc")).values()]
    kept = KeptPages(2 * size)
    monkeypatch.setattr(samplefiles, "_KEPT_PAGES", kept)
    places = [*write_pages(site, 0, sample("abc")).values()]
    version = samplefiles._version(site.known / "0.pages")
    assert [kept.take(version, place) is None for place in places] == [True, False, False]
    assert texts_of(site, places) == ["a", "b", "c"]


def test_a_page_that_is_kept_has_no_facts(kept: KeptPages) -> None:
    page = parse("<p>a")
    page.cached(Page.__repr__)
    page.dom.remember(len, 5)
    place = PagePlace("a", 0, 0, 0, 10)
    kept.keep((0, 0, 0), place, page)
    other = kept.take((0, 0, 0), place)
    assert other is not None
    assert not hasattr(other, "_cache")
    assert not hasattr(other.dom, "_cache")


def test_a_page_that_two_threads_keep_takes_its_room_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, page, place = KeptPages(10), parse("<p>a"), PagePlace("a", 0, 0, 0, 6)
    copied = samplefiles.replace

    def kept_meanwhile(value: Any, **fields: Any) -> Any:
        monkeypatch.setattr(samplefiles, "replace", copied)
        pages.keep((0, 0, 0), place, page)
        return copied(value, **fields)

    monkeypatch.setattr(samplefiles, "replace", kept_meanwhile)
    pages.keep((0, 0, 0), place, page)
    assert pages.take((0, 0, 0), place) is not None
    assert pages._room == 10
