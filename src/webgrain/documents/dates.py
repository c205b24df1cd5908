"""Dates in texts: ISO 8601, numbers in any usual order, and names of months in some thirty languages.

Names of months are compared by their beginnings, because abbreviations and cases of nouns are beginnings of
the name. A date in numbers such as 3/4/2020 is day and month, except on pages
in American English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

FIRST_YEAR = 1985
"""Year of the first dates of web pages; earlier ones are other numbers (hand-set)."""

_MONTHS = (
    "jan gen ene sty sij led янв січ ян ιαν oca ocak يناير tammi",
    "feb fév fev feb lut vel úno unor фев лют φεβ şub subat febr helmi",
    "mar mär maa mär mrt brez бер мар μαρ març ožu ozu már",
    "apr avr abr kwi dub квіт апр απρ nis tra ápr huhti",
    "may mai mag maj máj kvě kve май мая трав μαΐ μαι svi touko mei",
    "jun juin giu juni czer čer cer июн черв ιουν haz lip jún kesä",
    "jul juil lug juli lipca липня июл ιουλ tem srp júl heinä",
    "aug aoû aou ago sie ссерп серп авг αυγ ağu agu kol elo",
    "sep set wrz zář zar вер сен σεπ eyl ruj szep syys",
    "oct okt out ott paź paz říj rij жовт окт οκτ eki lis lok",
    "nov lisc listop noi ноя листоп νοε kas stu marras",
    "dec déc dez dic des gru pro груд дек δεκ ara joulu",
)
_ISO = (
    r"(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)(?!\d)"
    r"(?:[T ]+(?P<h>\d\d):(?P<min>\d\d)(?::(?P<s>\d\d)(?:[.,]\d+)?)?\s*(?P<z>Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_WORD = r"[^\W\d_]{3,12}"
_DATE = re.compile(
    rf"(?<![\d.:/-])(?:{_ISO}"
    r"|(?P<y1>\d{4})\s?[./年년-]\s?(?P<m1>\d\d?)\s?[./月월-]\s?(?P<d1>\d\d?)(?!\d|[./:-]\d)"
    r"|(?P<a>\d\d?)(?P<sep>[./-])\s?(?P<b>\d\d?)(?P=sep)\s?(?P<y2>\d{4})(?!\d|[./:-]\d)"
    rf"|(?P<d3>\d\d?)(?:st|nd|rd|th|er|\.|º|ª)?[\s/-]+(?:de\s+|d')?(?P<w3>{_WORD})\.?,?[\s/-]+(?:de\s+|del\s+)?(?P<y3>\d{{4}})(?!\d)"
    rf"|(?P<y5>\d{{4}})(?:\s+|\.\s+(?-i:(?=[a-zá])))(?P<w5>{_WORD})\.?\s+(?P<d5>\d\d?)(?!\d)"
    r"|(?P<y6>(?:19|20)\d\d)(?P<m6>[01]\d)(?P<d6>[0-3]\d)(?!\d))"
    rf"|(?<![^\W\d_])(?P<w4>{_WORD})\.?\s+(?P<d4>\d\d?)(?:st|nd|rd|th)?,?\s+(?P<y4>\d{{4}})(?!\d)",
    re.IGNORECASE,
)


_SHORT_YEAR = re.compile(
    r"(?<![\d.:/-])(?P<a>\d\d?)(?P<sep>[./-])(?P<b>\d\d?)(?P=sep)(?P<y>\d\d)(?![\d./:-])"
    rf"|(?<![\d.:/-])(?P<d1>\d\d?)(?:st|nd|rd|th|\.)?[\s/-]+(?P<w1>{_WORD})\.?,?[\s/-]+['’]?(?P<y1>\d\d)(?![\d:])"
    rf"|(?<![^\W\d_])(?P<w2>{_WORD})\.?\s+(?P<d2>\d\d?)(?:st|nd|rd|th)?,?\s+['’](?P<y2>\d\d)(?!\d)",
    re.IGNORECASE,
)
"""Dates whose year has two digits."""
_DAY_OF_YEAR = re.compile(
    rf"(?:[^\W\d_]{{2,12}}\.?,?\s+)?(?:(?P<d1>\d\d?)(?:st|nd|rd|th|er|\.|º|ª)?\s+(?:de\s+)?(?P<w1>{_WORD})\.?"
    rf"|(?P<w2>{_WORD})\.?\s+(?P<d2>\d\d?)(?:st|nd|rd|th)?"
    r"|(?P<m3>\d\d?)\s?[月월]\s?(?P<d3>\d\d?)\s?[日일])",
    re.IGNORECASE,
)
"""A day and a month, perhaps behind a day of the week."""
_YEAR = re.compile(r"\d{4}")  # each date has one, and texts without one are recognised ten times as fast


def first_date(text: str, american: bool = False) -> str:
    """Return the first date in a text as ISO 8601, with a time if the text states it in that form; or "".

    american: whether 3/4/2020 is 4 March.

    >>> [first_date(text) for text in ("17. Mai 2020", "on 2021-03-04T05:06Z", "3/4/2020", "3/14/2020")]
    ['2020-05-17', '2021-03-04T05:06:00+00:00', '2020-04-03', '2020-03-14']
    >>> first_date("Sat, 7 Aug 1999 06:48:39 -0400"), first_date("May 3rd, 2019"), first_date("version 1.2.3")
    ('1999-08-07', '2019-05-03', '')
    """
    return _first_date(text[:200], american)


@lru_cache(maxsize=4096)  # several steps read the dates of a page
def _first_date(text: str, american: bool) -> str:
    matches = _DATE.finditer(text) if _YEAR.search(text) else ()
    return next((stated for match in matches if (stated := _iso(match, american))), "")


def before_date(text: str) -> str:
    """Return what comes before the first date in a text.

    >>> before_date("Kim Berg, May 3rd, 2019"), before_date("Kim Berg")
    ('Kim Berg, ', 'Kim Berg')
    """
    matches = _DATE.finditer(text) if _YEAR.search(text) else ()
    return next((text[: match.start()] for match in matches if _iso(match, False)), text)


def is_day_of_year(text: str) -> bool:
    """Return whether a text is a day and a month without a year, as in lists of news.

    >>> [is_day_of_year(text) for text in ("7 August", "Fr, 3. Mai", "Sept. 24th", "7月24日", "12 pages")]
    [True, True, True, True, False]
    """
    match = _DAY_OF_YEAR.fullmatch(text.strip())
    if match is None:
        return False
    day, word, number = match["d1"] or match["d2"] or match["d3"], match["w1"] or match["w2"], match["m3"]
    month = int(number) if number else _month(word.casefold())
    return 1 <= int(day) <= 31 and 1 <= month <= 12


class DatedText(NamedTuple):
    """A date in a text: ISO 8601, and where it begins and ends.

    Attributes:
        two_digits: whether its year has two digits.
        is_ambiguous: whether day and month, in numbers with slashes, may be exchanged; is_clear: whether they
            may not; month_first: whether the month is read first.
    """

    value: str
    start: int
    end: int
    two_digits: bool = False
    is_ambiguous: bool = False
    is_clear: bool = False
    month_first: bool = False


def date_readings(text: str, short_years: bool = False, american: bool = False) -> list[DatedText]:
    """Return the dates in a text of a line, in order.

    Of a date in numbers whose day and month may be exchanged both readings are returned, the usual one first.
    short_years: whether 2.12.19 is a date if there is no other one. american: whether 3/4/2020 is 4 March.

    >>> [reading.value for reading in date_readings("on 3/4/2020")]
    ['2020-04-03', '2020-03-04']
    >>> date_readings("2.12.19", short_years=True)[0].value
    '2019-12-02'
    """
    readings: list[DatedText] = []
    for match in _DATE.finditer(text) if _YEAR.search(text) else ():
        readings += _readings(match, _iso(match, american), match.lastgroup == "y2", american)
    for match in _SHORT_YEAR.finditer(text) if short_years and not readings else ():
        readings += _readings(match, _short_iso(match, american), match["y"] is not None, american, True)
    return readings


def _readings(
    match: re.Match[str], value: str, in_numbers: bool, american: bool, short: bool = False
) -> Iterator[DatedText]:
    """Yield the readings of a match; in_numbers: whether day and month are its groups a and b."""
    if not value:
        return
    span = match.span()
    if not in_numbers or match["sep"] != "/":
        yield DatedText(value, *span, short)
        return
    if max(int(match["a"]), int(match["b"])) > 12:
        yield DatedText(value, *span, short, False, True, int(match["b"]) > 12)
        return
    exchanged = value[:5] + value[8:10] + "-" + value[5:7]
    yield DatedText(value, *span, short, True, False, american)
    yield DatedText(exchanged, *span, short, True, False, not american)


def _short_iso(match: re.Match[str], american: bool) -> str:
    """Return the date of a match whose year has two digits, empty if it is not one."""
    if match["y"] is not None:
        day, month, year = (int(x) for x in match.group("a", "b", "y"))
        if (american and match["sep"] == "/" and day <= 12) or month > 12:
            day, month = month, day
    else:
        forms = ("d1", "w1", "y1") if match["y1"] is not None else ("d2", "w2", "y2")
        days, word, years = match.group(*forms)
        day, month, year = int(days), _month(word.casefold()), int(years)
    return _valid(_century(year), month, day)


def _century(year: int) -> int:
    """Return the year of two digits that is nearest before the coming year."""
    now = datetime.now(UTC).year
    return next(whole for whole in (2000 + year, 1900 + year) if whole <= now + 1)


_FORM = {
    "d1": ("y1", "m1", "d1"), "d6": ("y6", "m6", "d6"), "y3": ("y3", "w3", "d3"), "y4": ("y4", "w4", "d4"),
    "d5": ("y5", "w5", "d5"),
}  # fmt: skip
"""The groups with year, month and day by the last group of a match; others are ISO 8601 or numbers."""


def _iso(match: re.Match[str], american: bool) -> str:
    """Return the date of a match, empty if it is not one."""
    last = match.lastgroup or ""
    if last in _FORM:
        year, month, day = match.group(*_FORM[last])
        number = _month(month.casefold()) if last in ("y3", "y4", "d5") else int(month)
        return _valid(int(year), number, int(day))
    if last == "y2":
        first, separator, second, year = match.group("a", "sep", "b", "y2")
        day, month = int(first), int(second)
        if (american and separator != "." and day <= 12) or month > 12:
            day, month = month, day
        return _valid(int(year), month, day)
    year, month, day, hour, minute, second, zone = match.group("y", "m", "d", "h", "min", "s", "z")
    time = f"T{hour}:{minute}:{second or '00'}{_zone(zone)}" if hour else ""
    return _valid(int(year), int(month), int(day), time)


def _zone(zone: str | None) -> str:
    """Return the offset of a time zone, empty if it is not known."""
    if zone is None:
        return ""
    return "+00:00" if zone.upper() in ("Z", "UTC", "GMT") else zone


def _valid(year: int, month: int, day: int, time: str = "") -> str:
    """Return a date as ISO 8601; empty if there is no such day, or if it is in the future."""
    try:
        parsed = date(year, month, day)
        if parsed > datetime.now(UTC).date() + timedelta(days=370) or year < FIRST_YEAR:
            return ""
        if time:
            return datetime.fromisoformat(f"{parsed.isoformat()}{time}").isoformat()
    except ValueError:
        return ""
    return parsed.isoformat()


@lru_cache(maxsize=1000)
def _month(word: str) -> int:
    """Return the number of a month by its name, 0 for other words: the longest beginning counts."""
    months = ((number, start) for number, starts in enumerate(_MONTHS, 1) for start in starts.split())
    matches = [(len(start), -number) for number, start in months if word.startswith(start)]
    return -max(matches, default=(0, 0))[1]
