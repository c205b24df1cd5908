"""The day on which a page was published: candidates, and the features by which a model ranks them.

A candidate is a day with all that states it: JSON-LD, ``meta`` elements, microdata, ``<time>``, lines with a
date, the address, the first post of a thread. The features are in ``metadata.csv``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64
from webgrain.documents.dates import DatedText, date_readings, first_date
from webgrain.extraction import thresholds
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.statements import Node, Statements
from webgrain.extraction.surroundings import LINE, Statement, Surroundings
from webgrain.page.values import Question

_START = 40  # characters before a date at the start of a paragraph (hand-set)
_MOST_LINES = 30  # lines far from the title and elements with a date that are read (hand-set)
_MOST_DAYS = 400  # days that are compared, at most (hand-set)
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
_CHANGED_NAME = re.compile(r"(?<![a-z])(modified|updated?|changed|lastmod|edited|revised)(?![a-z])", re.I)
_DATE_NAME = re.compile(
    r"(?<![a-z])(dates?|published?|pubdate|time|timestamp|posted|dateline|datetime|created)(?![a-z])", re.I
)
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-]?(\d\d?)[/-]?(\d\d?)(?![\d])")
_SHORT_URL_DATE = re.compile(r"/(\d\d)([01]\d)([0-3]\d)(?=[-_/])")
_STEPS = 4  # elements around a date whose names are read (hand-set)


def _name_bits(value: str) -> int:
    """Return 1 if a class or an id names a date, plus 2 if it names a change."""
    value = value[:100]
    return (_DATE_NAME.search(value) is not None) + 2 * (_CHANGED_NAME.search(value) is not None)


_NAMES = Question(_name_bits, np.uint8)
_CREATED = ("dateCreated", "uploadDate", "datePosted")
_META_CHANGED = re.compile(r"(?<![a-z])(modified|updated)(?![a-z])")
_META_PUBLISHED = re.compile(r"(?<![a-z])publish(ed)?(?![a-z])(?!.*(modif|by|er))")
_ARTICLE = re.compile(r"article|posting|report|blog|news|creativework|qapage|question|thesis|review")
_PAGE = re.compile(r"webpage|itempage|aboutpage|collectionpage|profilepage|website")


@cache
def date_names() -> tuple[str, ...]:
    """Return the names of the features of a day.

    >>> date_names()[:2]
    ('article', 'article kind')
    """
    return tuple(names_by_group("metadata.csv")["date"])


_FEW = frozenset(("meta", "property", "time element", "time named", "line text", "line start", "line behind"))
"""Features of a day of which the least value of its statements counts; of others it is the greatest one."""


_OFFSETS = {"from declared": "article", "from meta": "meta", "from changed": "changed"}
"""Features that are days from the day with the best value of another feature."""


class Candidates(NamedTuple):
    """The days (c,) that a page states, each with its best value, and their features (c, f)."""

    values: tuple[str, ...]
    features: Float32

    def column(self, name: str) -> Float32:
        """Return the values (c,) of a feature."""
        return self.features[:, date_names().index(name)]

    def best(self, probability: Float64) -> int:
        """Return the number of the day of publication, -1 if none is probable; probability: (c,)."""
        if not len(probability) or probability.max() < thresholds.PUBLISHED:
            return -1
        probability = np.where(self._may_not_replace(probability), 0.0, probability)
        others = np.where(self._is_change(), 0.0, probability)
        return int((others if others.max() >= thresholds.PUBLISHED else probability).argmax())

    def _is_change(self) -> Bool:
        """Return the days (c,) that are only stated as days of a change."""
        stated = ~np.isnan(self.column("changed")) | ~np.isnan(self.column("meta changed"))
        named = (self.column("named change") == 1) & (self.column("named date") == 0)
        published = ~np.isnan(self.column("article")) | ~np.isnan(self.column("meta"))
        published |= self.column("label published") == 1
        change: Bool = stated | named | (self.column("label changed") == 1)
        return change & ~published

    def _may_not_replace(self, probability: Float64) -> Bool:
        """Return the days (c,) that may not replace the declared day of publication.

        Those are days that are more than a day later, changes, and earlier days that are not probable.
        """
        stated = self.column("from declared"), self.column("from meta")
        offset = np.where(np.isnan(stated[0]), stated[1], stated[0])
        is_declared = ~np.isnan(self.column("article")) | ~np.isnan(self.column("meta"))
        is_change = ~np.isnan(self.column("changed")) | ~np.isnan(self.column("meta changed"))
        is_improbable = (offset < -1) & (probability < thresholds.REPLACES_DECLARED)
        unlikely: Bool = (offset > 1) | is_improbable | (is_change & (np.abs(offset) > 0))
        return unlikely & ~is_declared

    def change(self, published: str) -> str:
        """Return the day of the last change, empty if it is not stated; published: the day of publication."""
        declared = np.where(np.isnan(self.column("changed")), -np.inf, self.column("changed"))
        others = [~np.isnan(self.column(name)) for name in ("meta changed", "property changed")]
        shown = (self.column("label changed") == 1) & (self.column("label other") == 0)
        shown |= (self.column("named change") == 1) & (self.column("named date") == 0)
        for chosen in (np.isfinite(declared), *others, shown):
            days = [self.values[k] for k in np.flatnonzero(chosen) if self.values[k][:10] >= published[:10]]
            if days:
                return max(days)
        return ""


def node_kind(node: Node) -> float:
    """Return 2 for a node of JSON-LD that is an article, 1 for a page, 0 for other things."""
    return 2.0 if _ARTICLE.search(node.types) else 1.0 if _PAGE.search(node.types) else 0.0


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
        found: dict[str, list[Statement]] = {}
        for statement in self._statements():
            if statement.value and not (statement.node >= 0 and self._around.is_other(statement.node)):
                found.setdefault(statement.value[:10], []).append(statement)
        days = list(found)[:_MOST_DAYS]
        x = np.full((len(days), len(date_names())), np.nan, np.float32)
        number = {name: k for k, name in enumerate(date_names())}
        for row, day in zip(x, days, strict=True):
            self._around.write(row, found[day], number, _FEW)
        self._compare(x, days, number)
        values = [min(found[day], key=lambda statement: statement.order).value for day in days]
        return Candidates(tuple(values), x)

    def _compare(self, x: Float32, days: list[str], number: Mapping[str, int]) -> None:
        """Write what depends on all days, and on the whole page."""
        if not days:
            return
        column = {name: x[:, k] for name, k in number.items()}
        ordinal = np.array([date.fromisoformat(day).toordinal() for day in days])
        inside = ~np.isnan(column["line text"])
        column["days"][:] = len(days)
        column["line days"][:] = inside.sum()
        column["rank"][:] = (ordinal[:, None] > ordinal[None, :]).sum(axis=1)
        column["rank from the latest"][:] = (ordinal[:, None] < ordinal[None, :]).sum(axis=1)
        for name, source in _OFFSETS.items():
            stated = column[source]
            if not np.isnan(stated).all():
                best = int(np.nanargmin(stated) if source in _FEW else np.nanargmax(stated))
                column[name][:] = np.clip(ordinal - ordinal[best], -400, 400)
        nearest = np.where(inside, np.abs(column["at title"]), np.inf)
        column["line rank"][:] = np.where(inside, (nearest[:, None] > nearest[None, :]).sum(axis=1), np.nan)
        column["english"][:] = self.language.startswith("en") if self.language else np.nan
        kinds = self._declared.meta.get("og:type", [])
        column["og article"][:] = ("article" in kinds[0].lower()) if kinds else np.nan
        column["american"][:] = self._american_page()
        column["times"][:] = len(self._dom.find_tag("time"))
        column["page article"][:] = max((node_kind(node) for node in self._declared.nodes), default=np.nan)

    def _american_page(self) -> float:
        """Return 1 if dates in numbers begin with the month, 0 if with the day, NaN if it is not known."""
        if len(self._orders) == 1:
            return float(self._orders.copy().pop())
        region = self.language.partition("-")[2]
        return float(region == "us") if region else np.nan

    def _statements(self) -> Iterator[Statement]:
        yield from self._in_json()
        yield from self._in_meta()
        yield from self._in_properties()
        yield from self._in_addresses()
        if post := first_date(self._around.byline.get("date", ""), self.american):
            yield Statement(post, 3, {"first post": 1.0})
        yield from self._in_times()
        yield from self._in_lines()
        yield from self._in_scripts()

    def _in_json(self) -> Iterator[Statement]:
        for node in self._declared.nodes[:30]:
            if node.is_other:
                continue
            for key in ("datePublished", *_CREATED, "dateModified"):
                for value in self._declared.resolved(node.values.get(key))[:2]:
                    stated = declared_date(value, self.american)
                    name = {"datePublished": "article", "dateModified": "changed"}.get(key, "created")
                    kind = {"article kind": node_kind(node)} if name == "article" else {}
                    yield Statement(stated, 0, {name: node.relevance, **kind})

    def _in_meta(self) -> Iterator[Statement]:
        for rank, value in self._declared.metas("published"):
            yield Statement(declared_date(value, self.american), 1, {"meta": float(rank)})
        for _, value in self._declared.metas("modified"):
            yield Statement(declared_date(value, self.american), 1, {"meta changed": 1.0})
        for name, values in self._declared.meta.items():
            if _META_PUBLISHED.search(name):
                yield Statement(declared_date(values[0], self.american), 1, {"meta": 30.0})
            elif _META_CHANGED.search(name):
                yield Statement(declared_date(values[0], self.american), 1, {"meta changed": 1.0})

    def _in_properties(self) -> Iterator[Statement]:
        for name, feature in (
            ("datepublished", "property"), ("datecreated", "property"), ("datemodified", "property changed"),
        ):  # fmt: skip
            for node in self._declared.properties.get(name, [])[:10]:
                stated = declared_date(self._declared.value_of(node), self.american)
                distance = abs(self._around.place(node)[0]) if feature == "property" else 1.0
                yield Statement(stated, 2, {feature: distance}, node)

    def _in_addresses(self) -> Iterator[Statement]:
        dom = self._dom
        linked = [dom.get(node, "href") or "" for node in self._declared.relations.get("canonical", [])]
        addresses = [("address", self._declared.url.path)]
        addresses += [
            ("canonical address", value) for value in (*linked, *self._declared.meta.get("og:url", []))
        ]
        for name, address in addresses:
            if match := _URL_DATE.search(address):
                yield Statement(first_date("-".join(match.groups())), 4, {name: 1.0})
            elif match := _SHORT_URL_DATE.search(address):
                yield Statement(first_date("20" + "-".join(match.groups())), 4, {f"{name}": 0.0})

    def _in_scripts(self) -> Iterator[Statement]:
        """Yield the dates that data in scripts names as publication, if there are few."""
        dom = self._dom
        texts = (dom.text_of(node) for node in dom.find_tag("script").tolist())
        data = (text for text in texts if "ublish" in text and '"@context"' not in text)
        stated = {match[1] for text in data for match in _IN_SCRIPT.finditer(text)}
        if len(stated) <= 3:
            for value in sorted(stated):
                yield Statement(declared_date(value), 4, {"script": 1.0})

    def _in_times(self) -> Iterator[Statement]:
        """Yield the dates of elements ``<time>``, and whether their names state a change."""
        dom, around = self._dom, self._around
        for node in dom.find_tag("time").tolist()[:_MOST_LINES]:
            if not around.shown[node] and not around.is_near(node):
                continue
            text = " ".join(dom.text_of(node)[:200].split())
            distance = abs(around.place(node)[0])
            features = {"time element": distance, **self._named(node)}
            if dom.get(node, "pubdate") is not None:
                features["time named"] = 0.0
            stated = first_date(dom.get(node, "datetime") or "", self.american)
            yield Statement(stated or first_date(text, self.american), 2, features, node)

    def _in_lines(self) -> Iterator[Statement]:
        """Yield the dates in short text blocks, and at the start of others."""
        around = self._around
        texts = around.blocks.texts
        for k in self._lines_with_dates():
            text = texts[k]
            node = int(around.blocks.first[k])
            short = len(text) <= LINE
            near = around.is_near(node)
            if not short and not near:
                continue
            part = text[:LINE] if short else text[: _START + 30]
            before = texts[k - 1] if k and len(texts[k - 1]) <= 30 and texts[k - 1][-1:].isalpha() else ""
            for reading in date_readings(part, short and near, self.american)[:4]:
                if reading.is_clear:
                    self._orders.add(reading.month_first)
                if short or reading.start <= _START:
                    yield Statement(reading.value, 5, self._line(node, part, before, reading), node)

    def _lines_with_dates(self) -> list[int]:
        """Return the text blocks near the title that may have a date, and the first of others."""
        around = self._around
        low, high = np.searchsorted(around.blocks.first, around.near).tolist()
        lines = around.dated
        near = [k for k in lines if low <= k < high]
        return near + [k for k in lines if not low <= k < high][:_MOST_LINES]

    def _line(self, node: int, text: str, before: str, reading: DatedText) -> dict[str, float]:
        """Return the features of a date in a text block; before: the text before it, if it is short."""
        start, end = reading.start, reading.end
        label = text[max(start - 40, 0) : start] or before
        near_label = text[max(start - 25, 0) : start].strip() or before
        return {
            "line text": float(len(text) - (end - start)),
            "line start": float(start),
            "line behind": float(len(text) - end),
            "label published": float(_PUBLISHED.search(near_label) is not None),
            "label changed": float(_CHANGED.search(label) is not None),
            "label other": float(_OTHER.search(label) is not None),
            "two digits": float(reading.two_digits),
            "month first": float(reading.month_first) if reading.is_ambiguous else np.nan,
            **self._named(node),
        }

    def _named(self, node: int) -> dict[str, float]:
        """Return whether the elements around a node are named as those of a date or of a change."""
        parent, bits = self._dom.parent, 0
        for _ in range(_STEPS):
            bits |= self._names.get(node, 0)
            node = int(parent[node])
            if node < 0:
                break
        return {"named date": float(bits & 1), "named change": float(bits >> 1)}

    @cached_property
    def _names(self) -> dict[int, int]:
        """The nodes that are named as a date (1) or a change (2)."""
        names: dict[int, int] = {}
        for name in ("class", "id", "itemprop"):
            attributes, nodes = self._dom.find_attribute(name)
            bits = self._dom.ask(_NAMES, attributes)
            for node, bit in zip(nodes[bits > 0].tolist(), bits[bits > 0].tolist(), strict=True):
                names[node] = names.get(node, 0) | bit
        return names


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
