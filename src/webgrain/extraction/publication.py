"""The day on which a page was published: candidates, and the features by which a model ranks them.

A candidate is a day with all that states it: JSON-LD, ``meta`` elements, microdata, ``<time>``, lines with a
date, the address, the first post of a thread. The features are in ``metadata.csv``.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64
from webgrain.documents.dates import DatedText, date_readings, first_date
from webgrain.extraction import statementkernel, thresholds
from webgrain.extraction.surroundings import (
    DATE_NAMED,
    DISTANCE,
    LINE,
    Columns,
    Rules,
    Statement,
    Surroundings,
)
from webgrain.page.markup import Statements, node_kind
from webgrain.page.values import TextQuestion

_START = 40  # characters before a date at the start of a paragraph (hand-set)
_MOST_LINES = 30  # lines far from the title and elements with a date that are read (hand-set)
_MOST_DAYS = 400  # days that are compared, at most (hand-set)
_BESIDE = 3  # text blocks between the title and a statement that is beside it (hand-set)
_PUBLISHED = re.compile(
    r"publi|post|creat|issue|releas|added|written|datum|(?<!up)date|fecha|data\b|veröffentlich|erstellt|vom\b|paru|"
    r"mis en ligne|pubblicat|geplaatst|opublik|dodano|опублик|дата|добав|yayın|tarih|"
    r"发布|發佈|投稿|公開|작성|등록",
    re.I,
)
_CHANGED = re.compile(
    r"updat|modif|edit|revis|chang|last\b|aktualis|geändert|bearbeit|stand\b|mis à jour|màj|aggiorn|actualiz|"
    r"atualiz|gewijzigd|bijgewerkt|zmian|aktualiz|обновл|измен|更新|수정|güncel",
    re.I,
)
_OTHER = re.compile(
    r"©|copyright|\(c\)|comment|repl|event|expir|deadline|start|join|access|retriev|valid|until|from\b|born|"
    r"version|captur|next|previous|archive",
    re.I,
)
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-]?(\d\d?)[/-]?(\d\d?)(?![\d])")
_SHORT_URL_DATE = re.compile(r"/(\d\d)([01]\d)([0-3]\d)(?=[-_/])")
_LONGEST_LABEL = 30  # characters of a line before a date that may be its label (hand-set)
_STEPS = 4  # elements around a date whose names are read (hand-set)


_CREATED = ("dateCreated", "uploadDate", "datePosted")
_META_CHANGED = re.compile(r"(?<![a-z])(modified|updated)(?![a-z])")
_LONGEST_NAME = 200  # characters of the name of a ``meta`` element that are read
_META_PUBLISHED = re.compile(r"(?<![a-z])publish(ed)?(?![a-z])(?!.*(modif|by|er))")


def _meta_bits(name: str) -> int:
    """Return 1 if the name of a ``meta`` element is that of a publication, 2 if it is that of a change."""
    name = name[:_LONGEST_NAME]
    return 1 if _META_PUBLISHED.search(name) else 2 if _META_CHANGED.search(name) else 0


_DATES_OF_META = TextQuestion(_meta_bits)
_LEAST = "meta, property, time element, time named, line text, line start, line behind"
_OF_PAGE = "list page, og article, page article, english, american, times"
_COLUMNS = Columns("date", _LEAST, _OF_PAGE, Rules(_MOST_DAYS, _BESIDE, in_nodes=False))
_ARTICLE, _ARTICLE_KIND, _CREATED_AT, _CHANGED_AT, _META, _META_CHANGED_AT, _PROPERTY = range(7)
_PROPERTY_CHANGED, _FIRST_POST, _ADDRESS, _CANONICAL_ADDRESS, _TIME_ELEMENT, _TIME_NAMED = range(7, 13)
_LINE_TEXT, _LINE_START, _LINE_BEHIND, _LABEL_PUBLISHED, _LABEL_CHANGED, _LABEL_OTHER = range(13, 19)
_TWO_DIGITS, _MONTH_FIRST, _NAMED_DATE, _NAMED_CHANGE = range(19, 23)
"""The numbers of the features of statements, in the order of their table."""
_DAY_FIRST = (_MONTH_FIRST, 0.0)
(_SCRIPT,) = _COLUMNS.numbers("script")
_COMPARED = _COLUMNS.numbers(
    "line text", "at title", "days", "line days", "rank", "rank from the latest", "line rank"
)
_OFFSETS = tuple(
    [
        _COLUMNS.numbers(source, f"from {name}")
        for source, name in (("article", "declared"), ("meta", "meta"), ("changed", "changed"))
    ]
)
"""Columns of relevance or rank, and those of the days from the best day of each."""
_JUDGED = _COLUMNS.numbers(
    "article", "meta", "changed", "meta changed", "property changed", "named date", "named change",
    "label published", "label changed", "label other", "from declared", "from meta",
)  # fmt: skip
_OF_NAMES = [((_NAMED_DATE, float(bits & 1)), (_NAMED_CHANGE, float(bits >> 1))) for bits in range(4)]
"""The features of a node that is in an element named as a date (1) or a change (2)."""


def date_names() -> tuple[str, ...]:
    """Return the names of the features of a day.

    >>> date_names()[:2]
    ('article', 'article kind')
    """
    return _COLUMNS.names


class Candidates(NamedTuple):
    """The days (c,) that a page states, each with its best value, and their features (c, f).

    shared: (c,) whether all statements of a day are lines that other pages of the site have.
    """

    values: tuple[str, ...]
    features: Float32
    shared: Bool

    def best(self, probability: Float64) -> int:
        """Return the number of the day of publication, -1 if none is probable; probability: (c,)."""
        limits = thresholds.PUBLISHED, thresholds.REPLACES_DECLARED
        shared = self.shared.view(np.uint8)
        best: int = statementkernel.best_day(self.features.T, probability, shared, limits, _JUDGED)
        return best

    def change(self, published: str) -> str:
        """Return the day of the last change, empty if it is not stated; published: the day of publication."""
        if not self.values:
            return ""
        flags = statementkernel.day_flags(self.features.T, self.shared.view(np.uint8), _JUDGED)
        for bit in _CHANGES:
            days = [day for day, bits in zip(self.values, flags, strict=True) if bits & bit]
            days = [day for day in days if day[:10] >= published[:10]]
            if days:
                return max(days)
        return ""


_CHANGES = (
    statementkernel.CHANGED,
    statementkernel.META_CHANGED,
    statementkernel.PROPERTY_CHANGED,
    statementkernel.SHOWN_CHANGE,
)
"""What states the day of a change, the best first."""


class Dates:
    """The dates that a page states.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<meta property=article:published_time content=2020-05-17><p>18 May 2020")
    >>> dates = Dates(Statements(page), Surroundings(page, None))
    >>> dates.candidates().values
    ('2020-05-17', '2020-05-18')
    """

    def __init__(self, statements: Statements, around: Surroundings) -> None:
        self._declared, self._around, self._dom = statements, around, around.dom
        language = statements.language or next(iter(statements.meta.get("og:locale", [])), "")
        self.language = language.lower().replace("_", "-")
        self.american = self.language == "en-us"
        self._orders: set[bool] = set()

    def candidates(self) -> Candidates:
        """Return the days that the page states, in the order of their first statements."""
        statements = [statement for statement in self._statements() if statement[0]]
        if not statements:
            return Candidates((), np.empty((0, len(_COLUMNS.names)), np.float32), np.zeros(0, np.bool_))
        number: dict[str, int] = {}
        keys = [number.setdefault(statement[0][:10], len(number)) for statement in statements]
        x, best, share = self._around.described(statements, keys, _COLUMNS, self._of_page())
        values = tuple([statements[k][0] for k in best])
        days = [date.fromisoformat(value[:10]).toordinal() for value in values]
        statementkernel.compare_days(x, days, _COLUMNS.least, _COMPARED, _OFFSETS)
        return Candidates(values, x.T, share >= thresholds.SHARED_VALUE)

    def _of_page(self) -> tuple[float, ...]:
        """Return the features that all days of the page share."""
        declared = self._declared
        is_english = float(self.language.startswith("en")) if self.language else np.nan
        times = len(self._dom.find_tag("time"))
        stated = declared.is_og_article, declared.page_kind
        return self._around.list_page, *stated, is_english, self._american_page(), times

    def _american_page(self) -> float:
        """Return 1 if dates in numbers begin with the month, 0 if with the day, NaN if it is not known."""
        if len(self._orders) == 1:
            return float(*self._orders)
        region = self.language.partition("-")[2]
        return float(region == "us") if region else np.nan

    def _statements(self) -> list[Statement]:
        """Return the statements of all sources; each reads the page once."""
        statements = [*self._in_json(), *self._in_meta(), *self._in_properties(), *self._in_addresses()]
        if post := first_date(self._around.byline.get("date", ""), self.american):
            statements += [(post, 3, -1, ((_FIRST_POST, 1.0),))]
        return [*statements, *self._in_times(), *self._in_lines(), *self._in_scripts()]

    def _in_json(self) -> list[Statement]:
        statements: list[Statement] = []
        for node in self._declared.nodes[:30]:
            if node.is_other:
                continue
            published = (_ARTICLE, node.relevance), (_ARTICLE_KIND, node_kind(node))
            created, changed = ((_CREATED_AT, node.relevance),), ((_CHANGED_AT, node.relevance),)
            keys = {"datePublished": published, **dict.fromkeys(_CREATED, created), "dateModified": changed}
            for key, features in keys.items():
                for value in self._declared.resolved(node.values.get(key))[:2]:
                    statements += [(declared_date(value, self.american), 0, -1, features)]
        return statements

    def _in_meta(self) -> list[Statement]:
        declared, american = self._declared, self.american
        changed = ((_META_CHANGED_AT, 1.0),)
        statements: list[Statement] = [
            (declared_date(value, american), 1, -1, ((_META, float(rank)),))
            for rank, value in declared.metas("published")
        ]
        statements += [
            (declared_date(value, american), 1, -1, changed) for _, value in declared.metas("modified")
        ]
        bits = self._dom.values.text_answers(_DATES_OF_META, list(declared.meta))
        for contents, named in zip(declared.meta.values(), bits, strict=True):
            if named:
                features = ((_META, 30.0),) if named == 1 else changed
                statements += [(declared_date(contents[0], american), 1, -1, features)]
        return statements

    def _in_properties(self) -> list[Statement]:
        declared = self._declared
        statements: list[Statement] = []
        for name, column, distance in (
            ("datepublished", _PROPERTY, DISTANCE),
            ("datecreated", _PROPERTY, DISTANCE),
            ("datemodified", _PROPERTY_CHANGED, 1.0),
        ):
            for node in declared.properties.get(name, ())[:10]:
                stated = declared_date(declared.value_of(node), self.american)
                statements += [(stated, 2, node, ((column, distance),))]
        return statements

    def _in_addresses(self) -> list[Statement]:
        dom, declared = self._dom, self._declared
        linked = [dom.get(node, "href") or "" for node in declared.relations.get("canonical", [])]
        addresses = [(_ADDRESS, declared.url.path)]
        addresses += [(_CANONICAL_ADDRESS, value) for value in (*linked, *declared.meta.get("og:url", []))]
        statements: list[Statement] = []
        for column, address in addresses:
            if match := _URL_DATE.search(address):
                statements += [(first_date("-".join(match.groups())), 4, -1, ((column, 1.0),))]
            elif match := _SHORT_URL_DATE.search(address):
                statements += [(first_date("20" + "-".join(match.groups())), 4, -1, ((column, 0.0),))]
        return statements

    def _in_scripts(self) -> list[Statement]:
        """Return the dates that data in scripts names as publication, if there are few."""
        dom = self._dom
        if "ublish" not in dom.text:
            return []
        texts = [dom.text_of(node) for node in dom.find_tag("script").tolist()]
        data = [text for text in texts if "ublish" in text and '"@context"' not in text]
        stated = {match[1] for text in data for match in _IN_SCRIPT.finditer(text)}
        values = sorted(stated) if len(stated) <= 3 else ()
        return [(declared_date(value), 4, -1, ((_SCRIPT, 1.0),)) for value in values]

    def _in_times(self) -> list[Statement]:
        """Return the dates of elements ``<time>``, and whether their names state a change."""
        dom, around = self._dom, self._around
        times = dom.find_tag("time")[:_MOST_LINES]
        if not len(times):
            return []
        first, end = around.near
        times = times[around.shown[times] | ((times >= first) & (times < end))]
        stated = dom.values_at("datetime", times)
        named = dom.values_at("pubdate", times)
        statements: list[Statement] = []
        nodes = times.tolist()
        for node, value, publication, bits in zip(nodes, stated, named, self._named(nodes), strict=True):
            day = first_date(value, self.american) if value else ""
            if not day:
                day = first_date(" ".join(dom.text_of(node)[:200].split()), self.american)
            is_named = ((_TIME_NAMED, 0.0),) if publication is not None else ()
            statements += [(day, 2, node, ((_TIME_ELEMENT, DISTANCE), *_OF_NAMES[bits], *is_named))]
        return statements

    def _in_lines(self) -> list[Statement]:
        """Return the dates in short text blocks, and at the start of others."""
        around, texts = self._around, self._around.texts
        low, high = around.near_blocks
        lines = [k for k in self._lines_with_dates(low, high) if len(texts[k]) <= LINE or low <= k < high]
        if not lines:
            return []
        parts = [
            (
                texts[k] if len(texts[k]) <= LINE else texts[k][: _START + 30],
                texts[k - 1] if k and len(texts[k - 1]) <= _LONGEST_LABEL else "",
                len(texts[k]) <= LINE,
                len(texts[k]) <= LINE and low <= k < high,
                self.american,
            )
            for k in lines
        ]
        answers = self._dom.values.text_answers(_READINGS, parts)
        nodes = around.blocks.first[lines].tolist()
        for readings in answers:
            self._orders |= readings.orders
        # Many pages of other countries also state American English; their clear dates begin with the day.
        month_first = self.american and False not in self._orders
        statements: list[Statement] = []
        for node, bits, readings in zip(nodes, self._named(nodes), answers, strict=True):
            named = _OF_NAMES[bits]
            statements += [
                (day, 5, node, features + named)
                for day, features in readings.stated
                if not (month_first and _DAY_FIRST in features)
            ]
        return statements

    def _lines_with_dates(self, low: int, high: int) -> list[int]:
        """Return the text blocks near the title that may have a date, and the first of others."""
        lines = self._around.dated
        near = [k for k in lines if low <= k < high]
        return near + [k for k in lines if not low <= k < high][:_MOST_LINES]

    def _named(self, nodes: list[int]) -> list[int]:
        """Return whether the elements around nodes are named as those of a date (1) or of a change (2)."""
        above = statementkernel.bits_above(self._dom.parent, self._around.names, nodes, _STEPS)
        return [bits // DATE_NAMED for bits in above]


class _Readings(NamedTuple):
    """The dates of a line with their features, and whether dates with a clear order begin with the month."""

    stated: list[tuple[str, tuple[tuple[int, float], ...]]]
    orders: set[bool]


def _readings(part: tuple[str, str, bool, bool, bool]) -> _Readings:
    """Return the dates of a line.

    part: the line, or its begin; the line before it if it is short; whether the line is short; whether years
    may have two digits; whether 3/4/2020 is 4 March.
    """
    text, before, is_short, short_years, american = part
    before = before if before[-1:].isalpha() else ""
    readings = date_readings(text, short_years, american)[:4]
    orders = {reading.month_first for reading in readings if reading.is_clear}
    stated = [
        (reading.value, _line_features(text, before, reading))
        for reading in readings
        if is_short or reading.start <= _START
    ]
    return _Readings(stated, orders)


def _line_features(text: str, before: str, reading: DatedText) -> tuple[tuple[int, float], ...]:
    """Return the features of a date in a line; before: a label in the line before it."""
    start, end = reading.start, reading.end
    label = text[max(start - 40, 0) : start] or before
    near_label = text[max(start - 25, 0) : start].strip() or before
    features = (
        (_LINE_TEXT, float(len(text) - (end - start))),
        (_LINE_START, float(start)),
        (_LINE_BEHIND, float(len(text) - end)),
        (_LABEL_PUBLISHED, float(_PUBLISHED.search(near_label) is not None)),
        (_LABEL_CHANGED, float(_CHANGED.search(label) is not None)),
        (_LABEL_OTHER, float(_OTHER.search(label) is not None)),
        (_TWO_DIGITS, float(reading.two_digits)),
    )
    return (*features, (_MONTH_FIRST, float(reading.month_first))) if reading.is_ambiguous else features


_READINGS = TextQuestion(_readings)


_IN_SCRIPT = re.compile(
    r'"(?:date_?published|published_?(?:date|at|time|on)?|publish_?(?:date|time))"\s*:\s*"([^"]{8,40})"', re.I
)
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")


def declared_date(value: object, american: bool = False) -> str:
    """Return a declared date as ISO 8601, also one in seconds or milliseconds since 1970; empty for none.

    >>> declared_date("1670745600"), declared_date("2021-02-03T14:30:00+0100"), declared_date({"a": 1})
    ('2022-12-11', '2021-02-03T14:30:00+01:00', '')
    """
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name") or ""
    text = " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
    if _EPOCH.fullmatch(text):
        return date.fromtimestamp(int(text[:10])).isoformat()
    return first_date(text, american)
