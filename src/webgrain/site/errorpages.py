"""Which pages are error pages that the server sends as normal pages (soft 404).

An error page is recognised by its status code in title or heading (`webgrain.pagetypes.traits`), by a title
or heading that is a usual sentence in one of several languages, or by title and heading of the error page of
the site itself, which has the name ``404`` or ``404.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_SENTENCE = re.compile(rf"\W*+(?:404\W++)?+(?:{'|'.join(_SENTENCES)})(?:\W++404)?+\W*+", re.IGNORECASE)
_SEPARATOR = re.compile(r"(?<!\s)\s++[-–—|·•:»«]++\s++|(?<!\s)\s*+[|»«]\s*+")
_NUMBERED = re.compile(r"(?=\D*[^\W\d])(\D++)\d++(\D*+)")
_OWN = re.compile(
    r"[^/]+/(?:[a-z]{2}(?:-[a-z]{2})?/)?(?:404|404[-_]error|error[-_]?404)(?:\.\w+)?", re.IGNORECASE
)  # at the root of the site or of a language


class ErrorPages:
    """Recognises error pages, after all pages of a site were added.

    >>> pages = ErrorPages()
    >>> row = {"type": "t", "document_title": "Seite nicht gefunden | A", "h1": [], "addresses": ["e.org/a"]}
    >>> pages.add(row)
    >>> pages.is_error(row | {"words": 9}), pages.is_error(row | {"words": 900})
    (True, False)
    """

    def __init__(self) -> None:
        self._numbered: set[str] = set()
        self._titles: set[tuple[str, str]] = set()

    def add(self, row: TableRow) -> None:
        """Add a page of the site."""
        if row["type"] != ERROR:
            self._numbered.update(_numbered(row))
        if is_own(row):
            self._titles.add(_title_and_heading(row))

    def is_error(self, row: TableRow) -> bool:
        """Whether a page is an error page, not that of the site, nor a numbered page ("Story 404")."""
        if is_own(row):
            return False
        if row["type"] == ERROR:
            return self._numbered.isdisjoint(_numbered(row))
        if row["words"] > thresholds.ERROR_WORDS:
            return False
        title, heading = _title_and_heading(row)
        if (title, heading) in self._titles:
            return True
        return any(map(_SENTENCE.fullmatch, [heading, *_SEPARATOR.split(title)]))


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
