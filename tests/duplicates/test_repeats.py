"""The main content as what the site does not repeat."""

from __future__ import annotations

import pytest

from webgrain.duplicates.repeats import PageBuffer, PageText, Part
from webgrain.errors import ParameterError

FOOTER = "Imprint\nAll rights reserved, and many more words than a short piece of news has"


def page(name: str, news: str, **others: str) -> PageText:
    parts = (Part(news, len(news), ("/main",)), Part(FOOTER, len(FOOTER), ("/footer",)))
    return PageText(name, f"{news}\n{FOOTER}", parts, others.get("url"))


def contents(buffer: PageBuffer) -> list[str | None]:
    return [document.content for document in buffer.documents()]


@pytest.mark.parametrize("n", [1, 3, 4, 9])
def test_repeated_text_is_not_main_content(n: int) -> None:
    with PageBuffer() as buffer:
        for k in range(n):
            buffer.add(page(f"site/{k}", f"News {k}"))
        expected = [FOOTER] * n if n < 4 else [f"News {k}" for k in range(n)]
        assert contents(buffer) == expected


def test_other_sites_do_not_count() -> None:
    with PageBuffer() as buffer:
        for k in range(9):
            buffer.add(page(f"site{k}/a", f"News {k}"))
        assert contents(buffer) == [FOOTER] * 9
    with PageBuffer() as buffer:
        for k in range(9):
            buffer.add(page(f"site{k}/a", f"News {k}", url=f"http://example.org/{k}"))
        assert contents(buffer) == [f"News {k}" for k in range(9)]


def test_copies_of_one_page_count_once() -> None:
    with PageBuffer() as buffer:
        for k in range(9):
            buffer.add(page(f"site/{k}", "The same news"))
        assert contents(buffer) == [FOOTER] * 9


def test_a_page_of_repeated_text_alone_has_no_main_content() -> None:
    with PageBuffer() as buffer:
        for k in range(5):
            buffer.add(page(f"site/{k}", f"News {k}"))
        buffer.add(PageText("site/x", FOOTER, (Part(FOOTER, len(FOOTER)),)))
        buffer.add(PageText("site/y", "", ()))
        assert contents(buffer)[-2:] == [None, None]


def test_a_partly_repeated_part_counts_by_what_is_new() -> None:
    with PageBuffer() as buffer:
        for k in range(5):
            buffer.add(page(f"site/{k}", f"News {k}"))
        mixed, news = f"{FOOTER}\n31 May", "A somewhat longer piece of news"
        buffer.add(PageText("site/x", mixed, (Part(mixed, len(mixed)), Part(news, len(news), ("/main",)))))
        last = list(buffer.documents())[-1]
        assert (last.content, last.path) == (news, ("/main",))


def test_the_size_may_be_any_unit() -> None:
    with PageBuffer() as buffer:
        buffer.add(PageText("a", "x", (Part("a long text", 1.0), Part("b", 9.0))))
        assert contents(buffer) == ["b"]


def test_counts_of_an_earlier_crawl_are_used() -> None:
    with PageBuffer() as first:
        for k in range(3):
            first.add(page(f"site/{k}", f"News {k}"))
        counts = list(first.counts())
    assert {pages for _, pages in counts} == {3}
    with PageBuffer() as second:
        second.add_counts(counts)
        second.add(page("site/3", "News 3"))
        assert contents(second) == ["News 3"]
    with PageBuffer() as again:  # the same pages in another buffer: they are not twice as many
        again.set_other_counts(counts)
        for k in range(3):
            again.add(page(f"site/{k}", f"News {k}"))
        assert contents(again) == [FOOTER] * 3
    with PageBuffer() as known:  # pages that were counted before
        known.add_counts(counts)
        for k in range(3):
            known.add(page(f"site/{k}", f"News {k}"), count=False)
        assert contents(known) == [FOOTER] * 3


@pytest.mark.parametrize("url", ["http://[bad", "no address", "", None])
def test_invalid_urls(url: str | None) -> None:
    assert PageText("a/b/c.html", "", url=url).site == "a"


def test_characters_that_sqlite_does_not_accept() -> None:
    with PageBuffer() as buffer:
        buffer.add(PageText("\ud800", "a\ud800\0b", (Part("a\ud800\0b", 3),)))
        assert contents(buffer) == ["a\ud800\0b"]


def test_the_number_of_repeats_is_checked() -> None:
    with pytest.raises(ParameterError, match="repeats must be at least 2, got 1"):
        PageBuffer(repeats=1)
