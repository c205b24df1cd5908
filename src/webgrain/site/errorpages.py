"""Which pages are error pages that the server sends as normal pages (soft 404).

An error page is recognised by a status code in title or heading ("Error 404", "404 Not Found"), by a title
or heading that is a usual sentence in one of several languages, by title and heading of the error page of
the site itself, which has the name ``404`` or ``404.html``, or because it equals what the server has sent for
an address that does not exist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from webgrain.pagetypes.traits import ERROR
from webgrain.site import thresholds
from webgrain.site.tables import TableRow

_SENTENCES = (
    r"(?:sorry,? |oops!? ?)?(?:the |this )?(?:page|file|content|url) (?:was |is |could )?not (?:be )?found",
    r"(?:die |diese )?seite (?:wurde )?(?:leider )?nicht gefunden",
    r"(?:cette |la )?page (?:est )?(?:non trouvée|introuvable|inexistante)",
    r"(?:la )?página no (?:se ha |ha sido )?(?:encontrada|encontrado|existe)|no se encontró la página",
    r"(?:a )?página não (?:foi )?(?:encontrada|existe)",
    r"(?:la )?pagina non (?:è stata )?(?:trovata|esiste)",
    r"(?:de )?pagina (?:is )?niet gevonden",
    r"nie znaleziono strony|strona nie (?:została )?(?:znaleziona|istnieje)",
    r"sidan (?:kunde inte hittas|hittades inte|finns inte)",
    r"siden (?:blev ikke|ble ikke|kunne ikke) (?:fundet|funnet|findes)|siden findes ikke",
    r"sivua ei (?:löydy|löytynyt)",
    r"stránka (?:nebyla )?(?:nenalezena|nalezena|neexistuje)|stránka (?:sa )?nenašla",
    r"(?:az |a )?(?:keresett )?oldal nem (?:található|létezik)",
    r"страница не (?:найдена|существует)",
    r"сторінк[ау] не (?:знайдено|знайдена|існує)",
    r"sayfa bulunamadı",
    r"η σελίδα δεν (?:βρέθηκε|υπάρχει)",
    r"pagina nu (?:a fost găsită|există)",
    r"halaman tidak ditemukan",
    r"không tìm thấy trang",
    r"(?:お探しの)?ページ(?:が|は)(?:見つかりません(?:でした)?|存在しません)",
    r"(?:页面|頁面|网页|網頁)(?:不存在|未找到|找不到)|找不到(?:页面|頁面|网页|網頁)|未找到(?:页面|頁面)",
    r"페이지를 찾을 수 없습니다",
    r"الصفحة غير موجودة",
    r"הדף לא נמצא",
)
_ERROR_WORDS = (
    "error|http|status|code|fehler|erreur|errore|erro|fout|fel|feil|fejl|virhe|błąd|chyba|hiba|ошибка|помилка|hata|"
    "σφάλμα|eroare|kesalahan|lỗi|エラー|错误|錯誤|오류|خطأ|שגיאה"
)
_PHRASES = (
    "error|page|seite|página|pagina|not found|gone|forbidden|unauthori[sz]ed|access denied|bad request|"
    "method not allowed|request timeout|internal server error|server error|not implemented|bad gateway|"
    "service unavailable|gateway time-?out"
)
_CODE = r"(?:40[0-9]|410|50[0-4])"
_STATUS = re.compile(
    rf"\W*+(?:(?:{_ERROR_WORDS})\W*+{_CODE}(?:\W++[^\W\d]++){{0,4}}+"
    rf"|(?:(?:oops|whoops|ups|sorry)\W++)?+{_CODE}(?:\W++(?:{_PHRASES}|{'|'.join(_SENTENCES)}))?+)\W*+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(rf"\W*+(?:404\W++)?+(?:{'|'.join(_SENTENCES)})(?:\W++404)?+\W*+", re.IGNORECASE)
_SEPARATOR = re.compile(r"(?<!\s)\s++[-–—|·•:»«]++\s++|(?<!\s)\s*+[|»«]\s*+")
_NUMBERED = re.compile(r"(?=\D*[^\W\d])(\D++)\d++(\D*+)")
_OWN = re.compile(
    r"[^/]+/(?:[a-z]{2}(?:-[a-z]{2})?/)?(?:404|404[-_]error|error[-_]?404)(?:\.\w+)?", re.IGNORECASE
)  # at the root of the site or of a language


class ErrorPages:
    """Recognises error pages, after all pages of a site were added.

    probes: what the server sent for addresses that do not exist.

    >>> pages = ErrorPages()
    >>> row = {"type": "t", "document_title": "Seite nicht gefunden | A", "h1": [], "addresses": ["e.org/a"]}
    >>> row["url"] = None
    >>> pages.add(row)
    >>> pages.is_error(row | {"words": 9}), pages.is_error(row | {"words": 900})
    (True, False)
    """

    def __init__(self, probes: Iterable[PageContent] = ()) -> None:
        self._numbered: set[str] = set()
        self._titles: set[tuple[str, str]] = set()
        self._probes = {(probe.title, probe.heading): probe for probe in probes}
        self._pages = 0
        self._like_probe: Counter[tuple[str, str, str]] = Counter()

    def add(self, row: TableRow) -> None:
        """Add a page of the site."""
        if row["type"] != ERROR:
            self._numbered.update(_numbered(row))
        if is_own(row):
            self._titles.add(_title_and_heading(row))
        self._pages += 1
        if self._probes:
            self._add_like_probe(row)

    def _add_like_probe(self, row: TableRow) -> None:
        """Count a page that has the head of a probe; the start page is no error page, so nor is the probe."""
        label, title, heading = head_of(row)
        probe = self._probes.get((title, heading))
        if probe is None:
            return
        is_start = "/" not in (row["addresses"] or [""])[0]
        if is_start and label == probe.type:
            del self._probes[title, heading]
        self._like_probe[label, title, heading] += 1

    def is_error(self, row: TableRow, text: Callable[[], str] = str) -> bool:
        """Whether a page is an error page, not that of the site, nor a numbered page ("Story 404").

        text: returns the main text of the page, and is called for few of them.
        """
        if is_own(row):
            return False
        if self._probes and self._is_probe(row, text):
            return True
        title, heading = _title_and_heading(row)
        texts = [heading, title, *_SEPARATOR.split(title)]
        if row["type"] == ERROR and any(map(_STATUS.fullmatch, texts)):
            return self._numbered.isdisjoint(_numbered(row))
        if row["words"] > thresholds.ERROR_WORDS:
            return False
        if (title, heading) in self._titles:
            return True
        return any(map(_SENTENCE.fullmatch, texts))

    def _is_probe(self, row: TableRow, text: Callable[[], str]) -> bool:
        """Whether a page equals what the server sent for an address that does not exist, as few others do."""
        label, title, heading = head_of(row)
        probe = self._probes.get((title, heading))
        if probe is None or 2 * self._like_probe[label, title, heading] > self._pages:
            return False
        words = words_without_address(text(), row)
        if label != probe.type and not words:  # pages that scripts build are equal, too
            return False
        return len(words & probe.words) >= thresholds.SAME_WORDS * len(words | probe.words)


class PageContent(NamedTuple):
    """What is compared of a page; the address of the page, which error pages often state, is left out.

    Attributes:
        type: label of its type, which may depend on its folder; title, heading: of the document.
        words: of the main text.
    """

    type: str
    title: str
    heading: str
    words: frozenset[str]


def content_of(row: TableRow, text: str) -> PageContent:
    """Return the content of a page; text: its main text.

    >>> row = {"url": "http://e.org/a1", "type": None, "document_title": "No /a1 | E", "h1": []}
    >>> sorted(content_of(row, "There is no page a1").words)
    ['is', 'no', 'page', 'there']
    """
    return PageContent(*head_of(row), words_without_address(text, row))


def head_of(row: TableRow) -> tuple[str, str, str]:
    """Return type, title and first heading of a page, without its address."""
    title, heading = _title_and_heading(row)
    return row["type"] or "", _without_address(title, row), _without_address(heading, row)


def words_without_address(text: str, row: TableRow) -> frozenset[str]:
    """Return the different words of the text of a page, without its address."""
    return frozenset(_without_address(text, row).lower().split())


def _without_address(text: str, row: TableRow) -> str:
    """Return a text without the address of its page, its path and the last part of the path."""
    url = unquote((row["url"] or "").partition("#")[0])
    path = "/" + url.partition("://")[2].partition("/")[2]
    for name in (url, path, path.rpartition("/")[2]):
        if len(name) > 1:
            text = text.replace(name, "")
    return " ".join(text.split())


def _title_and_heading(row: TableRow) -> tuple[str, str]:
    """Return the beginning of the title, and of the first heading."""
    heading = row["h1"][0] if row["h1"] else ""
    return (row["document_title"] or "")[: thresholds.LONG_TITLE], heading[: thresholds.LONG_TITLE]


def is_own(row: TableRow) -> bool:
    """Whether a page is the error page of the site, by its address.

    >>> is_own({"addresses": ["e.org/de/404.html"]}), is_own({"addresses": ["e.org/posts/404"]})
    (True, False)
    """
    address = (row["addresses"] or [""])[0]
    return _OWN.fullmatch(address) is not None


def _numbered(row: TableRow) -> Iterator[str]:
    """Yield the titles and headings of a page that have a number and few other words, without the number."""
    for text in [row["document_title"] or "", *row["h1"][:1]]:
        if len(text) > thresholds.SHORT_HEADING:
            continue
        match = _NUMBERED.fullmatch(text)
        if match:
            yield f"{match[1]}#{match[2]}"
