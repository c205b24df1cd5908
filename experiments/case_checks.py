"""Checks of results, from which `experiments.case_table` states what is expected of each case.

A check looks at one view of the results of a case:

| view | value |
|---|---|
| ``record`` | record of ``webgrain extract --single`` |
| ``records`` | these records by name, for a case of several pages |
| ``text``, ``markdown``, ``html`` | main text of the page in three formats |
| ``formats`` | these three formats by name |
| ``rows``, ``lists`` | rows of ``webgrain table``; its selectors, with the page as ``source`` |
| ``segments``, ``segmentation`` | segments of ``webgrain segment``, and its record |
| ``site ...`` | records by name of ``webgrain extract`` on a folder |
| ``audit`` | `Audit`, the results of ``webgrain audit`` |
| ``archive`` | `Audit` of the archive that ``webgrain crawl`` wrote |
| ``crawl`` | records of ``webgrain crawl``, by path |
| ``types`` | `Run` of ``webgrain types`` |
| ``outputs`` | what is at the path that ``-o`` names, by command |
| ``manual`` | text of the manual |
| ``cost ...`` | `Cost` of a command |

Every check fails if its view is empty, thus a command without a result passes no check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lxml import html as lxml_html
from markdown_it import MarkdownIt

FACTOR = 1.25
"""Times the CPU of a harmless page of the same size that a hostile page may take."""

SECONDS_PER_10_KB = 0.05
"""Seconds of CPU that a hostile page may take in addition, per 10 000 bytes."""


@dataclass(frozen=True)
class Check:
    """A statement about a view of the results.

    Attributes:
        view: name of the view.
        expected: the statement in words.
        fault: returns what is wrong with a value of the view, "" if nothing is.
        essential: whether the case is wrong, and not partly right, if the statement is false.
    """

    view: str
    expected: str
    fault: Callable[[Any], str]
    essential: bool = False

    def fault_of(self, value: Any) -> str:
        """Return what is wrong with a value of the view, "" if nothing is.

        >>> has("text", "pears").fault_of("late pears"), has("text", "pears").fault_of("")
        ('', 'no text')
        """
        if not value:
            return f"no {self.view}"
        try:
            return self.fault(value)
        except (LookupError, TypeError, ValueError) as error:
            return f"{self.view} has another form: {error!r}"


@dataclass(frozen=True)
class Run:
    """How a command ended: exit code (None if it was stopped), stdout, stderr, seconds of CPU."""

    code: int | None
    out: str
    err: str
    seconds: float


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU of a command on a hostile page and on a harmless page of the same size in bytes.

    seconds: None if the command was stopped or gave no result for the page.
    """

    seconds: float | None
    harmless: float
    size: int

    @property
    def budget(self) -> float:
        """Seconds of CPU that are allowed."""
        return FACTOR * self.harmless + SECONDS_PER_10_KB * self.size / 10_000


@dataclass(frozen=True)
class Audit:
    """Results of an audit.

    findings: rows (page, detail) of each kind of finding; links, pages, failures: their records.
    """

    findings: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    links: Sequence[Mapping[str, Any]] = ()
    pages: Sequence[Mapping[str, Any]] = ()
    failures: Sequence[Mapping[str, Any]] = ()

    def __bool__(self) -> bool:
        return bool(self.pages)

    def rows(self, name: str | None = None) -> list[str]:
        """Return page and detail of the rows of a kind of finding, or of all."""
        names = self.findings if name is None else [name]
        return [f"{row['page']} {row['detail']}" for each in names for row in self.findings.get(each, ())]


# Texts


def has(view: str, *phrases: str) -> Check:
    """Check that a text contains phrases."""
    return Check(view, f"{view} has {_listed(phrases)}", partial(_lacking, view, phrases))


def lacks(view: str, *phrases: str) -> Check:
    """Check that a text contains none of the phrases."""

    def fault(value: str) -> str:
        present = [phrase for phrase in phrases if phrase in value]
        return f"{view} has {present[0]!r}" if present else ""

    return Check(view, f"{view} has none of {_listed(phrases)}", fault)


def in_order(view: str, *phrases: str) -> Check:
    """Check that a text contains phrases one after the other."""

    def fault(value: str) -> str:
        place = 0
        for phrase in phrases:
            place = value.find(phrase, place)
            if place < 0:
                return _lacking(view, phrases, value) or f"{phrase!r} is not at its place"
            place += len(phrase)
        return ""

    return Check(view, f"{view} has, in this order, {_listed(phrases)}", fault)


def once(view: str, phrase: str) -> Check:
    """Check that a text contains a phrase exactly once."""

    def fault(value: str) -> str:
        times = value.count(phrase)
        return "" if times == 1 else f"{view} has {phrase!r} {times} times"

    return Check(view, f"{view} has {phrase!r} once", fault)


def pattern(view: str, regex: str, expected: str) -> Check:
    """Check that a regular expression matches in a text; expected: in words."""
    return Check(
        view,
        f"{view} has {expected}",
        lambda value: "" if re.search(regex, value, re.M) else f"{expected} is missing",
    )


def blocks(*edges: str) -> Check:
    """Check that the text has exactly these blocks.

    edges: each a text, or its beginning and end with " ... " between them.

    >>> blocks("Red ... barn.", "End").fault_of("Red tiles of a barn.")
    '1 blocks in place of 2'
    """

    def fault(value: str) -> str:
        parts = _parts(value)
        for edge, part in zip(edges, parts, strict=False):
            if not _fits(edge, part):
                return f"{_short(part)} in place of {_short(edge)}"
        return "" if len(parts) == len(edges) else f"{len(parts)} blocks in place of {len(edges)}"

    return Check("text", f"text is exactly {_listed(edges)}", fault)


def own_blocks(*edges: str) -> Check:
    """Check that these blocks are in the text in this order, others may be between them."""

    def fault(value: str) -> str:
        rest = iter(_parts(value))
        lost = [edge for edge in edges if not any(_fits(edge, part) for part in rest)]
        return f"{_short(lost[0])} is no block at its place" if lost else ""

    return Check("text", f"text has the blocks {_listed(edges)}", fault)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def _fits(edge: str, part: str) -> bool:
    start, gap, end = edge.partition(" ... ")
    return part.startswith(start) and part.endswith(end) and "\n" not in part if gap else part == edge


def _lacking(view: str, phrases: Sequence[str], value: str) -> str:
    absent = [phrase for phrase in phrases if phrase not in value]
    return f"{view} lacks {absent[0]!r}" if absent else ""


def _listed(phrases: Sequence[str]) -> str:
    return ", ".join(map(repr, phrases))


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


# Markdown and HTML


def fences(*expected: tuple[str, str]) -> Check:
    """Check that Markdown has exactly these blocks of code, as (language, code)."""

    def fault(value: str) -> str:
        tokens = [token for token in MarkdownIt().parse(value) if token.type == "fence"]
        if len(tokens) != len(expected):
            return f"{len(tokens)} blocks of code in place of {len(expected)}"
        for token, (language, code) in zip(tokens, expected, strict=True):
            if token.info.strip() != language:
                return f"language {token.info.strip()!r} in place of {language!r}"
            if token.content.rstrip() != code:
                return f"code {_short(token.content)} in place of {_short(code)}"
        return ""

    return Check(
        "markdown", f"Markdown has the blocks of code {_listed([repr(each) for each in expected])}", fault
    )


def rendered(xpath: str, expected: str, times: int | None = None) -> Check:
    """Check that an XPath selects elements in the rendered Markdown; times: how many, None: at least one."""
    return Check(
        "markdown", f"Markdown has {expected}", lambda value: _counted(render(value), xpath, expected, times)
    )


def in_html(xpath: str, expected: str, times: int | None = None) -> Check:
    """Check that an XPath selects elements in the HTML; times: how many, None: at least one."""
    return Check(
        "html",
        f"HTML has {expected}",
        lambda value: _counted(lxml_html.fromstring(value), xpath, expected, times),
    )


def render(markdown: str) -> Any:
    """Return Markdown as a tree of HTML, as a CommonMark renderer with tables understands it.

    >>> [link.get("href") for link in render("See [b](/c).").iter("a")]
    ['/c']
    """
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    return lxml_html.fromstring(f"<div>{renderer.render(markdown)}</div>")


def _counted(tree: Any, xpath: str, expected: str, times: int | None) -> str:
    number = len(tree.xpath(xpath))
    if times is None:
        return "" if number else f"{expected} is missing"
    return "" if number == times else f"{expected}: {number} in place of {times}"


def linked_notes(view: str) -> Check:
    """Check that the reference to a note and the note link to each other, also in the syntax ``[^1]``."""

    def fault(value: str) -> str:
        if (
            view == "markdown"
            and re.search(r"\w\[\^\w+\]", value)
            and re.search(r"^\[\^\w+\]: ", value, re.M)
        ):
            return ""
        tree = render(value) if view == "markdown" else lxml_html.fromstring(value)
        targets = [href[1:] for href in tree.xpath("//a/@href") if href.startswith("#")]
        named = set(tree.xpath("//@id"))
        if len(targets) < 2:
            return "reference and note are not linked"
        return "" if set(targets) <= named else "a link of a note leads nowhere"

    return Check(view, f"{view} has links from the reference to the note and back", fault)


# Records


def value(name: str, expected: Any, page: str | None = None) -> Check:
    """Check that a field of the record has a value; page: name of the record among several."""

    def fault(record: Mapping[str, Any]) -> str:
        present = record.get(name, "absent")
        return "" if present == expected else f"{name} is {present!r}"

    return _of_record(f"{name} is {expected!r}", fault, page)


def day(name: str, expected: str, page: str | None = None) -> Check:
    """Check that a date of the record is on a day."""

    def fault(record: Mapping[str, Any]) -> str:
        present = record.get(name)
        return "" if str(present)[:10] == expected else f"{name} is {present!r}"

    return _of_record(f"{name} is on {expected}", fault, page)


def authors(*names: str, page: str | None = None) -> Check:
    """Check that the authors are exactly these, in any order."""

    def fault(record: Mapping[str, Any]) -> str:
        present = record.get("author")
        split = {part.strip() for part in re.split(r"[,;]", present or "")}
        return "" if split == set(names) else f"author is {present!r}"

    return _of_record(f"author is {' and '.join(names)}", fault, page)


def record(expected: str, holds: Callable[[Mapping[str, Any]], bool], page: str | None = None) -> Check:
    """Check any property of the record; expected: in words."""
    return _of_record(expected, lambda value: "" if holds(value) else f"not: {expected}", page)


def _of_record(expected: str, fault: Callable[[Mapping[str, Any]], str], page: str | None) -> Check:
    if page is None:
        return Check("record", expected, lambda each: each.get("error") or fault(each))

    def fault_of_page(records: Mapping[str, Any]) -> str:
        each = records.get(page)
        wrong = (each.get("error") or fault(each)) if each else "no record"
        return f"{page}: {wrong}" if wrong else ""

    return Check("records", f"{page}: {expected}", fault_of_page)


# Tables


def row_count(expected: int) -> Check:
    """Check the number of rows of the first list."""
    return Check(
        "rows", f"{expected} rows", lambda rows: "" if len(rows) == expected else f"{len(rows)} rows"
    )


def column(name: str, expected: Sequence[str]) -> Check:
    """Check the values of a field, in all rows."""

    def fault(rows: Sequence[Mapping[str, str]]) -> str:
        present = [row.get(name) for row in rows]
        if present == list(expected):
            return ""
        wrong = next(
            (k for k, pair in enumerate(zip(present, expected, strict=False)) if pair[0] != pair[1]), None
        )
        return f"{len(present)} values of {name}" if wrong is None else f"{name} {present[wrong]!r}"

    return Check("rows", f"field {name} is {_listed(expected)}", fault)


def any_column(expected: Sequence[str], what: str) -> Check:
    """Check that the values of a field, whatever its name, are these."""

    def fault(rows: Sequence[Mapping[str, str]]) -> str:
        names = {name for row in rows for name in row}
        return (
            ""
            if any([row.get(n) for row in rows] == list(expected) for n in names)
            else f"no field with the {what}"
        )

    return Check("rows", f"a field with the {what}: {_listed(expected)}", fault)


def rows_lack(*phrases: str) -> Check:
    """Check that no value of a row contains one of the phrases."""

    def fault(rows: Sequence[Mapping[str, Any]]) -> str:
        values = [text for row in rows for text in map(str, row.values())]
        present = [text for text in values if any(phrase in text for phrase in phrases)]
        return f"a row has {_short(present[0])}" if present else ""

    return Check("rows", f"no row has {_listed(phrases)}", fault)


def field_selector(name: str) -> Check:
    """Check that a field of the list has a CSS selector of an element within the item."""

    def fault(lists: Sequence[Mapping[str, Any]]) -> str:
        fields = [each for each in lists[0]["fields"] if each["name"] == name]
        if not fields:
            return f"no field {name}"
        return "" if fields[0]["css"] else f"field {name} has no selector"

    return Check("lists", f"field {name} has a selector", fault)


def selectors_select(expected: int) -> Check:
    """Check that the selectors of the list select its items in lexbor, and in libxml2 by CSS and XPath."""

    def fault(lists: Sequence[Mapping[str, Any]]) -> str:
        first = lists[0]
        counts = _item_counts(first)
        wrong = [f"{name} selects {count} items" for name, count in counts.items() if count != expected]
        return wrong[0] if wrong else ""

    return Check("lists", f"the selectors select {expected} items in lexbor and libxml2", fault)


def _item_counts(first: Mapping[str, Any]) -> dict[str, int]:
    from parsel import Selector
    from selectolax.lexbor import LexborHTMLParser

    css = f"{first['css']} {first['items']}"
    return {
        "lexbor": len(LexborHTMLParser(first["source"]).css(css)),
        "parsel": len(Selector(first["source"]).css(css)),
        "libxml2": len(Selector(first["source"]).xpath(first["items_xpath"])),
    }


def field_selectors_valid() -> Check:
    """Check that parsel accepts the CSS selector of every field."""

    def fault(lists: Sequence[Mapping[str, Any]]) -> str:
        from cssselect import SelectorError
        from parsel import Selector

        page = Selector(lists[0]["source"])
        for each in lists[0]["fields"]:
            try:
                page.css(each["css"] or "*")
            except SelectorError:
                return f"parsel refuses {each['css']!r}"
        return ""

    return Check("lists", "parsel accepts the selectors of the fields", fault)


# Segments


def segment(expected: str, fault: Callable[[Sequence[Mapping[str, Any]]], str]) -> Check:
    """Check any property of the segments; fault: as in `Check`."""
    return Check("segments", expected, fault)


def together(*groups: Sequence[str]) -> Check:
    """Check that the texts of each group are in one segment, and each group in another or all in one."""

    def fault(segments: Sequence[Mapping[str, Any]]) -> str:
        homes = [{_home(segments, phrase) for phrase in group} for group in groups]
        split = [
            group[0] for group, home in zip(groups, homes, strict=True) if len(home) != 1 or None in home
        ]
        if split:
            return f"the section {split[0]!r} is in several segments"
        return "" if len(set.union(*homes)) in (1, len(groups)) else "sections run into each other"

    return Check("segments", "one segment per section, or one for all", fault)


def _home(segments: Sequence[Mapping[str, Any]], phrase: str) -> Any:
    return next((each["id"] for each in segments if phrase in each["text"]), None)


def one_role(*phrases: str) -> Check:
    """Check that the segments that contain these texts have the same role."""

    def fault(segments: Sequence[Mapping[str, Any]]) -> str:
        roles = [
            next((each["role"] for each in segments if phrase in each["text"]), None) for phrase in phrases
        ]
        if None in roles:
            return f"no segment with a role has {phrases[roles.index(None)]!r}"
        return "" if len(set(roles)) == 1 else f"roles {', '.join(sorted(map(str, set(roles))))}"

    return Check("segments", "alike parts have one role", fault)


# Audits


def reported(phrase: str, finding: str | None = None, rows: int | None = None, view: str = "audit") -> Check:
    """Check that a row of a finding, or of any, contains a phrase; rows: the number of such rows."""
    where = finding or "a finding"

    def fault(audit: Audit) -> str:
        number = sum(phrase in row for row in audit.rows(finding))
        if rows is None:
            return "" if number else f"{phrase} is not in {where}"
        return "" if number == rows else f"{phrase} is in {number} rows of {where}"

    times = "" if rows is None else f" in {rows} rows"
    return Check(view, f"{phrase} is in {where} of the {view}{times}", fault)


def unreported(phrase: str, finding: str | None = None) -> Check:
    """Check that no row of a finding, or of any, contains a phrase."""
    where = finding or "a finding"

    def fault(audit: Audit) -> str:
        return f"{phrase} is in {where}" if any(phrase in row for row in audit.rows(finding)) else ""

    return Check("audit", f"{phrase} is not in {where}", fault)


def finding_rows(name: str, expected: int) -> Check:
    """Check the number of rows of a finding."""

    def fault(audit: Audit) -> str:
        number = len(audit.rows(name))
        return "" if number == expected else f"{number} rows of {name}"

    return Check("audit", f"{expected} rows of {name}", fault)


def audit(expected: str, fault: Callable[[Audit], str]) -> Check:
    """Check any property of an audit; fault: as in `Check`."""
    return Check("audit", expected, fault)


def link(target: str, outcome: str, page: str | None = None) -> Check:
    """Check the outcome of the links whose target ends so, and the page that they reach."""

    def fault(audit: Audit) -> str:
        links = [each for each in audit.links if each["target"].endswith(target)]
        if not links:
            return f"no link to {target}"
        wrong = [each for each in links if each["outcome"] != outcome]
        if wrong:
            return f"link to {target} has outcome {wrong[0]['outcome']}"
        reached = links[0]["page"] or ""
        return (
            ""
            if page is None or reached.endswith(page)
            else f"link to {target} reaches {reached or 'no page'}"
        )

    reaching = "" if page is None else f" and reaches {page}"
    return Check("audit", f"link to {target} has outcome {outcome}{reaching}", fault)


def page_value(page: str, name: str, expected: Any) -> Check:
    """Check a field of a row of pages.parquet."""

    def fault(audit: Audit) -> str:
        rows = [each for each in audit.pages if each["page"].endswith(page)]
        if not rows:
            return f"no page {page}"
        return "" if rows[0][name] == expected else f"{name} of {page} is {rows[0][name]!r}"

    return Check("audit", f"{name} of {page} is {expected!r}", fault)


# Sites


def all_pages(
    expected: str, holds: Callable[[Mapping[str, Any]], bool], number: int, view: str = "site site"
) -> Check:
    """Check that a property holds for the records of all pages of a site; number: of pages."""

    def fault(records: Mapping[str, Mapping[str, Any]]) -> str:
        if len(records) != number:
            return f"{len(records)} records in place of {number}"
        wrong = [name for name, each in records.items() if not holds(each)]
        return f"{expected}: false on {len(wrong)} of {number} pages" if wrong else ""

    return Check(view, f"on all {number} pages: {expected}", fault)


# Costs


def cheap(command: str) -> Check:
    """Check that a command needs not much more CPU than on a harmless page of the same size."""

    def fault(cost: Cost) -> str:
        if cost.seconds is None:
            return f"{command} has no result within the limits"
        if cost.seconds <= cost.budget:
            return ""
        return f"{command} takes {cost.seconds:.1f} s, more than {cost.budget:.1f} s"

    expected = f"{command} takes at most {FACTOR} times a harmless page + {SECONDS_PER_10_KB} s per 10 kB"
    return Check(f"cost {command}", expected, fault, essential=True)
