"""The next page of a list: by addresses, names and numbers."""

from __future__ import annotations

import pickle

import pytest

from webgrain.base.errors import ParameterError
from webgrain.lists import records
from webgrain.lists.paging import next_page
from webgrain.lists.ranking import find_lists
from webgrain.page.page import Source

HOST = "https://example.org"


def following(address: str, html: str) -> str | None:
    return next_page(Source("a.html", html.encode(), url=HOST + address, charset="utf-8"))


@pytest.mark.parametrize(
    ("address", "html", "expected"),
    [
        ("/news/", "<link rel=next href=/news/page/2><a href=/news/page/3>Next</a>", "/news/page/2"),
        ("/news/page/2/", "<a href=/news/>1</a><a rel='x next' href=/news/page/3/>x</a>", "/news/page/3/"),
        ("/f?f=3&start=20", "<a href='?f=3'>1</a><a href='?f=3&start=40'>Weiter</a>", "/f?f=3&start=40"),
        ("/shop", "<a href='/shop?p=2'>2</a><a href='/shop?p=3'>3</a><a href='/shop?p=2'>»</a>", "/shop?p=2"),
        ("/shop?p=2", "<a href='/shop?p=1'>«</a><a href='/shop?p=3' aria-label='Next'>→</a>", "/shop?p=3"),
        ("/a/page/2", "<a href=/a/>1</a> 2 <a href=/a/page/3>3</a><a href=/a/page/9>9</a>", "/a/page/3"),
        ("/t?start=30", "<a href=/t>1</a><a href=/t?start=15>2</a><a href=/t?start=45>4</a>", "/t?start=45"),
        ("/forum-2-3.html", "<a href=forum-2-2.html>2</a> <a href=forum-2-4.html>4</a>", "/forum-2-4.html"),
        ("/2012/page/2", "<div class=nav-previous><a href=/2012/page/3>«</a></div>", "/2012/page/3"),
        ("/blog", "<a href=/search?max=2012-01-01>Older posts</a>", "/search?max=2012-01-01"),
        ("/liste", "<a href=/liste/seite-2>nächste Seite</a>", "/liste/seite-2"),
        ("/l", "<a href=/l/page/2>下一页</a>", "/l/page/2"),
    ],
)  # fmt: skip
def test_the_next_page_is_found(address: str, html: str, expected: str) -> None:
    assert following(address, html) == HOST + expected


@pytest.mark.parametrize(
    ("address", "html"),
    [
        ("/blog/tea", "<a rel=next href=/blog/salt>Salt →</a>"),
        ("/restaurant-1", "<a class=next href=/restaurant-2>Another place</a>"),
        ("/post/17", "<a rel=next href=/post/42>Next</a>"),
        ("/news/page/9", "<a href=/news/page/8>8</a> 9"),
        ("/news/", "<a href=https://example.com/news/page/2>Next</a>"),
        ("/news/", "<a href='#page-2'>Next</a><a>Next</a><a href=''>2</a>"),
        ("/news/", "<a href=/shop/page/2>Next</a>"),
        ("/a", "<a href=/b>2</a><a href=/c>3</a>"),
        ("/blog/tea", "<a href=/blog/older>Older posts</a>"),
        ("/", ""),
    ],
)  # fmt: skip
def test_other_links_are_none(address: str, html: str) -> None:
    assert following(address, html) is None


def test_a_page_without_an_address_has_a_relative_next_page() -> None:
    html = "<a href=../2/index.html>2</a><a href=../3/index.html>Next</a>"
    assert next_page(Source("news/page/2/index.html", html.encode())) == "../3/index.html"


def test_the_canonical_address_counts_too() -> None:
    html = f"<link rel=canonical href={HOST}/news/page/2><a href={HOST}/news/page/3>Next</a>"
    assert next_page(Source("copy.html", html.encode())) == f"{HOST}/news/page/3"


def test_lists_have_the_next_page() -> None:
    rows = "".join(
        f"<li><a href=/{name}>The {name}</a> on {k} May" for k, name in enumerate(("cup", "pot", "pan"))
    )
    pages = (f"<h1>Shop</h1><ul>{rows}</ul>", "<p>No list is here.")
    for html in pages:
        source = Source("a", f"{html}<a href=?page=2>Next</a>".encode(), url=f"{HOST}/shop")
        lists = find_lists(source)
        assert pickle.loads(pickle.dumps(find_lists(source))).next_page == f"{HOST}/shop?page=2"
        assert lists.next_page == f"{HOST}/shop?page=2"
        assert bool(lists) == (html == pages[0])
    assert find_lists(pages[0]).next_page is None


def test_the_next_page_is_searched_for_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(records, "next_page", asked.append)
    lists = find_lists("<a href=?page=2>Next</a>")
    assert not asked
    assert lists.next_page is None
    assert len(asked) == 1


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(ParameterError):
        next_page(3)  # type: ignore[arg-type]
