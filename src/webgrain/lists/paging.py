"""The next page of a list that is divided into several pages.

The link to the next page leads to the same host, and its address is that of the page with another number:

    number of a page    /news/ and /news/page/2      one more; 1 or 2 if the page has none
    offset              ?f=3 and ?f=3&start=20       a larger one
    unmarked            /forum-2-3 and /forum-2-4    one more, and the text of the link is this number

So the links of an article to the next article lead to no next page. Of several links that fit, it is the one
with ``rel=next``, the one that is named next or older in several languages, or that with the smallest number.
Links to older entries of a blog, whose addresses have a date in their query, need no number.

Cost: linear in the links of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from webgrain.page.dom import Dom
from webgrain.page.links import absolute, addresses, base_of, target_of
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page

_PAGE = "page|paged|pag|pagina|seite|side|strana"
_OFFSET = "start|offset|from|skip|st"
_IN_QUERY = "(?:[?&@]|%3f)"
_NUMBER = re.compile(
    rf"(?:(?P<page>/(?:{_PAGE})[/=:_-]?|[-_](?:{_PAGE})[-_]?|{_IN_QUERY}(?:{_PAGE}|p|pg)=|index[-_]?)"
    rf"|(?P<offset>{_IN_QUERY}(?:{_OFFSET})=)|[/_-])(?P<number>\d{{1,6}})(?=[/.?&]|$)",
    re.IGNORECASE,
)
"""A number in an address, with what marks it as one of a page or as an offset."""
_NO_PAGE = re.compile(r"(?:(?:/|^)(?:index|default))?(?:\.\w{2,5})?$", re.IGNORECASE)
_NEXT = re.compile(
    r"next|weiter|nächste|vor|suivante?s?|siguientes?|próxim[ao]s?|proxim[ao]s?|successiv[ao]|avanti|seguinte|"
    r"volgende|nästa|neste|næste|seuraava|następn[aey]|dalej|další|следующая|вперед|далее|sonraki|"
    r"下一页|下一頁|次へ|次のページ|다음|"
    r"older(?: posts| entries)?|plus anciens?|ältere"
)
_OLDER = re.compile(
    r"older (?:posts|entries)|previous entries|(?:articles|messages) plus anciens|entradas (?:más )?antiguas|"
    r"postagens mais antigas|ältere (?:beiträge|posts|einträge)|post più vecchi"
)
_QUERY = re.compile(r"\?|%3f", re.IGNORECASE)
_WORD_END = re.compile(r"[^\w]+")
_ARROWS = frozenset(["›", "»", ">", "→", "▶", ">>", "≫"])
_LONGEST_TEXT = 40  # characters of the text of a link to the next page


class _PageLink(NamedTuple):
    """A link to a page of the same host.

    Attributes:
        href: its address, as it is written; url: the canonical one.
        text: in lower case; hints: title, label, class and id, in lower case.
        is_next: whether its ``rel`` is ``next``.
        step: how its address goes on from that of the page: page, offset, bare or empty.
        number: the last one in its address; 0 for none.
    """

    href: str
    url: str
    text: str
    hints: str
    is_next: bool
    step: str
    number: int

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """What the next page has the least of."""
        return not self.is_next, not _is_named_next(self), self.number


def next_page(page: Page | Source | str | bytes | Path) -> str | None:
    """Return the address of the next page of the list that a page shows a part of; None if there is none.

    Relative addresses become absolute if the URL of the page is known.

    Args:
        page: a page: HTML (`str` or `bytes`), the path of a file (`Path`), a `Source` or a `Page`.

    Raises:
        ParameterError: it has another type.
        ReadError: the file cannot be read.

    >>> html = "<a href=/news/>1</a> <b>2</b> <a href=/news/page/3>3</a> <a href=/news/page/9>last</a>"
    >>> next_page(Source("a", html.encode(), url="https://example.org/news/page/2"))
    'https://example.org/news/page/3'
    """
    page = page if isinstance(page, Page) else as_page(page)
    links = list(_links(page, addresses(page)))
    following = [
        link for link in links if link.step and (link.step != "bare" or link.text == str(link.number))
    ]
    older = [link for link in links if _OLDER.search(link.text) and _QUERY.search(link.url)]
    if following:
        return absolute(page, min(following, key=lambda link: link.rank).href)
    return absolute(page, older[0].href) if older else None


def _links(page: Page, own: Sequence[str]) -> list[_PageLink]:
    """Return the links of a page to other pages of its host."""
    dom, base = page.dom, base_of(page)
    hosts = {url.partition("/")[0] for url in own}
    links = []
    for tag in ("link", "a"):
        for node in dom.find_tag(tag).tolist():
            attributes = dom.attributes(node)
            href = (attributes.get("href") or "").strip()
            is_next = "next" in (attributes.get("rel") or "").lower().split()
            if not href or href.startswith("#") or (tag == "link" and not is_next):
                continue
            url = target_of(base, href)
            if url and url not in own and url.partition("/")[0] in hosts:
                step = next(filter(None, (_step(each, url) for each in own)), "")
                number = _numbers(url)[-1].number if step else 0
                texts = _text(dom, node), _hints(attributes)
                links.append(_PageLink(href, url, *texts, is_next, step, number))
    return links


def _text(dom: Dom, node: int) -> str:
    return " ".join(dom.text_of(node).split()).lower()


def _hints(attributes: Mapping[str, str]) -> str:
    names = ("title", "aria-label", "class", "id")
    return " ".join(filter(None, map(attributes.get, names))).lower()


class _Number(NamedTuple):
    """A number in an address; mark: page, offset, or bare for none."""

    mark: str
    number: int


def _numbers(url: str) -> list[_Number]:
    """Return the numbers of an address that may be those of pages."""
    return [
        _Number("page" if match["page"] else "offset" if match["offset"] else "bare", int(match["number"]))
        for match in _NUMBER.finditer(url)
    ]


def _step(own: str, url: str) -> str:
    """Return how an address goes on from another one: by a page, an offset or a bare number; empty if not.

    >>> _step("example.org/news", "example.org/news/page/2")
    'page'
    >>> _step("example.org/t?f=3&start=20", "example.org/t?f=3&start=60")
    'offset'
    >>> _step("example.org/news/17", "example.org/news/42")
    ''
    """
    if _without_numbers(own) != _without_numbers(url):
        return ""
    before, after = _numbers(own), _numbers(url)
    if len(after) == len(before) + 1:
        first = after[-1]
        is_second = first.mark == "offset" or first.number == 2 or (first.mark, first.number) == ("page", 1)
        return first.mark if is_second and after[:-1] == before else ""
    if len(after) != len(before) or not after or after[:-1] != before[:-1]:
        return ""
    difference = after[-1].number - before[-1].number
    is_following = difference > 0 if after[-1].mark == "offset" else difference == 1
    return after[-1].mark if is_following and after[-1].mark == before[-1].mark else ""


def _without_numbers(url: str) -> str:
    path, _, query = _NUMBER.sub(lambda match: "?" if match[0][0] == "?" else "", url).partition("?")
    return f"{_NO_PAGE.sub('', path.rstrip('/'))}?{query.strip('&?')}"


def _is_named_next(link: _PageLink) -> bool:
    """Return whether the text or a hint of a link names it the next page."""
    if len(link.text) > _LONGEST_TEXT:
        return False
    words = _WORD_END.sub(" ", link.text).strip()
    if _NEXT.match(words) or link.text in _ARROWS:
        return True
    return any(_NEXT.fullmatch(word) for word in _WORD_END.split(link.hints))
