"""Findings: what the owner of a site should look at, with the pages, the reason and the remedy.

A finding is derived from the rows of all pages (`webgrain.site.checks`) and from the links between them
(`webgrain.site.links`). Each has a level: an ``error`` harms visitors, a ``warning`` is probably a fault, a
``notice`` may be intended. All rows of a finding are in ``findings/NAME.csv``.

Changes since an earlier audit: a page has changed if its title or its main text differs; boilerplate does not
count. Findings are compared row by row. The templates of the earlier audit are compared with a sample of the
pages of today (drift).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from webgrain.base.errors import InputError
from webgrain.base.failures import EXCLUDED, Failure
from webgrain.io.queries import SearchLog
from webgrain.page.links import LOCAL_HOST, canonical
from webgrain.page.paths import text_key
from webgrain.pagetypes.traits import ERROR, REDIRECT
from webgrain.report.site import Drift, Finding
from webgrain.report.terminal import count
from webgrain.site import thresholds
from webgrain.site.checks import INVALID
from webgrain.site.learning import least
from webgrain.site.links import NO_FILE, LinkTable, SiteLinks, linking_pages, start_page
from webgrain.site.model import SiteWatch, load_model
from webgrain.site.workspace import Row, read_rows, read_shard, shard_ids

_NUMBER = re.compile(r"(\D*[^\W\d]\D*)\d+(\D*)")
LEVELS = ("error", "warning", "notice")


def _read_kinds() -> dict[str, Finding]:
    """Return the kinds of findings in ``findings.csv``, whose titles may contain thresholds."""
    with Path(__file__).with_name("findings.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = [
            row | {"title": row["title"].format_map(vars(thresholds))} for row in csv.DictReader(file)
        ]
    return {row["name"]: Finding(**row) for row in rows}


KINDS = _read_kinds()
"""The kinds of findings by name, without rows, the most important ones of a level first."""


class Findings:
    r"""Collects findings, and writes their rows to files in a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Findings(Path(folder)) as found:
    ...         found.add("missing-title", "a.html")
    ...     (Path(folder) / "missing-title.csv").read_text(), found.found()[0].pages
    ('page,detail\n"a.html",""\n', 1)
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._found = folder, {name: replace(kind, examples=[]) for name, kind in KINDS.items()}
        self._files, self._writers = ExitStack(), dict[str, Any]()
        self._last: dict[str, str] = {}

    def __enter__(self) -> Findings:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name in KINDS:  # of an earlier run
            (self._folder / f"{name}.csv").unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, name: str, page: str, detail: str = "", *, example: bool = True) -> None:
        """Add a row; the rows of a page follow each other. example: whether the report may list it."""
        one = self._found[name]
        one.rows += 1
        one.pages += self._last.get(name) != page
        self._last[name] = page
        if example and len(one.examples) < thresholds.FINDING_EXAMPLES:
            one.examples.append((page, detail))
        if name not in self._writers:
            file: TextIO = self._files.enter_context(
                (self._folder / f"{name}.csv").open("w", encoding="utf-8", errors="replace", newline="")
            )
            self._writers[name] = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            file.write("page,detail\n")
        self._writers[name].writerow([_inert(page), _inert(detail)])

    def examples(self, name: str, rows: Iterable[tuple[str, str]]) -> None:
        """Replace the rows that the report lists."""
        self._found[name].examples = list(islice(rows, thresholds.FINDING_EXAMPLES))

    def found(self) -> list[Finding]:
        """Return the findings, the most important first."""
        return sorted(
            (one for one in self._found.values() if one.rows), key=lambda one: LEVELS.index(one.level)
        )


def _inert(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text


def add_failures(found: Findings, failures: Iterable[Failure]) -> None:
    """Add the pages that could not be read or analysed."""
    for failure in failures:
        name = "excluded-addresses" if failure.stage == EXCLUDED else "failed-pages"
        found.add(name, failure.page, f"{failure.stage}: {failure.error}")


def add_links(found: Findings, links: LinkTable, rows: Iterable[Row]) -> bool:
    """Add broken links and links to redirects; rows: of these links. Return whether the input is complete.

    Missing files are broken links, unless they are so frequent that the input is a part of the site. It is
    also a part if many links lead to addresses of the site of which nothing is known.
    """
    missing = sum(one.reason == NO_FILE for one in links.broken.values())
    complete = missing <= thresholds.INCOMPLETE * (missing + int((links.incoming > 0).sum()))
    for row in rows:
        if row["outcome"] == "redirect":
            name, reason = "redirected-links", " → ".join(row["redirects"])
        else:
            reason = links.broken[row["target"]].reason
            name = "missing-files" if reason == NO_FILE and not complete else "broken-links"
        text = f" (“{row['text']}”)" if row["text"] else ""
        found.add(name, row["source"], f"{row['target']}{text}: {reason}", example=False)
    for name, table in (("redirected-links", links.redirected), ("broken-links", links.broken)):
        rows_of = [
            (target, f"{one.reason} Linked from {linking_pages(one)}.")
            for target, one in sorted(table.items(), key=lambda item: (-item[1].pages, item[0]))
        ]
        found.examples(name if name != "broken-links" or complete else "missing-files", rows_of)
    return complete and links.absent <= thresholds.INCOMPLETE * (links.absent + links.counts["page"])


def add_searched(found: Findings, site: SiteLinks, log: SearchLog) -> None:
    """Add the addresses in a search log that lead to no page, after `SearchLog.clicks_on` of all pages."""
    for address, clicks in log.lost():
        ends = [site.resolve(address, f"{scheme}://{address}", "") for scheme in ("https", "http")]
        if not any(end.page >= 0 or end.name == "file" for end in ends):
            reason = next((f": {end.reason}" for end in ends if end.reason), "")
            found.add("searched-addresses", address, f"{count(clicks, 'click')}{reason}")


FIRST_PASS = (
    *("page", "type", "document_title", "meta_description", "missing", "structured_data", "canonical_link"),
    *("addresses", "hreflang", "h1"),
)
"""Columns that `Usual` reads."""


class Usual:
    """What is usual on the pages of each type, and which texts several pages have: the first pass.

    rows: those of all pages, with the columns `FIRST_PASS`.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.pages = 0
        self.types = Counter[str]()
        self.titles, self.descriptions = Counter[str](), Counter[str]()
        self.missing, self.structured = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        self.canonical: dict[str, str] = {}
        self.with_canonical = 0
        self.alternates: dict[int, set[str]] = {}
        self._numbered = set[str]()
        for row in rows:
            self._add(row)

    def _add(self, row: Row) -> None:
        kind = row["type"] or ""
        self.pages += 1
        self.types[kind] += 1
        if row["type"] != REDIRECT:
            self.titles[row["document_title"] or ""] += 1
            self.descriptions[row["meta_description"] or ""] += 1
        if row["type"] != ERROR:
            self._numbered.update(_numbered(row))
        self.missing.update((kind, css) for css in row["missing"])
        self.structured.update((kind, name) for name in row["structured_data"])
        self.with_canonical += bool(row["canonical_link"])
        own, *named = row["addresses"] or [""]
        if named:
            self.canonical[own] = named[0]
        if row["hreflang"]:
            urls = (one.partition(" ")[2] for one in row["hreflang"])
            self.alternates[self.pages - 1] = {
                canonical(url) or canonical(f"http://{LOCAL_HOST}{url}") for url in urls
            }

    def is_error(self, row: Row) -> bool:
        """Whether a page is an error page, and not one of numbered pages ("Story 403", "Story 404")."""
        return row["type"] == ERROR and self._numbered.isdisjoint(_numbered(row))

    def lacking(self, row: Row) -> list[str]:
        """Return the elements that the page lacks and nearly all pages of its type have."""
        kind = row["type"] or ""
        most = thresholds.RARE * self.types[kind]
        return [css for css in row["missing"] if self.missing[kind, css] <= most]

    @cached_property
    def _data(self) -> dict[str, list[str]]:
        """The types of structured data that nearly all pages of a type have, by type."""
        found: dict[str, list[str]] = {}
        for (kind, name), n in self.structured.items():
            if self.types[kind] >= thresholds.USUAL_PAGES and n >= thresholds.USUAL * self.types[kind]:
                found.setdefault(kind, []).append(name)
        return found

    def structured_data_lacking(self, row: Row) -> list[str]:
        """Return the types of structured data that nearly all pages of the type have and the page lacks."""
        return [name for name in self._data.get(row["type"] or "", ()) if name not in row["structured_data"]]


def _numbered(row: Row) -> Iterator[str]:
    """Yield the titles and headings of a page that have a number and few other words, without the number."""
    for text in [row["document_title"] or "", *row["h1"][:1]]:
        if len(text) <= thresholds.SHORT_HEADING and (match := _NUMBER.fullmatch(text)):
            yield f"{match[1]}#{match[2]}"


class PageChecks:
    """Adds the findings of each page.

    Args:
        usual: what is usual on the pages of the types.
        site: the pages of the site.
        complete: whether the input is the whole site.
    """

    def __init__(self, found: Findings, usual: Usual, site: SiteLinks, *, complete: bool) -> None:
        self._found, self._usual, self._site, self._complete = found, usual, site, complete
        self._start = start_page(site.number) if site.number else -1

    def add(self, number: int, row: Row) -> None:
        """Add what a page lacks or does wrong; number: of the page."""
        if row["type"] == REDIRECT:
            return
        if self._usual.is_error(row):
            self._found.add("soft-404", row["page"], row["document_title"] or "")
            return
        for name, detail in (*self._head(row), *self._content(row), *self._addresses(number, row)):
            self._found.add(name, row["page"], detail)
        if self._complete and number != self._start and self._usual.pages > 1:
            if not row["incoming_links"]:
                self._found.add("orphan-pages", row["page"])
            elif row["depth"] is not None and row["depth"] > thresholds.DEEP_CLICKS:
                self._found.add("deep-pages", row["page"], count(row["depth"], "click"))

    def _head(self, row: Row) -> Iterator[tuple[str, str]]:
        title, description = row["document_title"] or "", row["meta_description"] or ""
        if not title:
            yield "missing-title", ""
        elif self._usual.titles[title] > 1:
            yield "duplicate-title", title
        if len(title) > thresholds.LONG_TITLE:
            yield "long-title", title
        elif title and len(title) < thresholds.SHORT_TITLE:
            yield "short-title", title
        if not description:
            yield "missing-description", ""
        elif self._usual.descriptions[description] > 1:
            yield "duplicate-description", description
        if not row["language"]:
            yield "missing-language", ""
        if "noindex" in (row["robots"] or "") or "none" in (row["robots"] or "").split(", "):
            yield "excluded", row["robots"]

    def _content(self, row: Row) -> Iterator[tuple[str, str]]:
        if not row["h1"]:
            yield "missing-heading", ""
        elif len(row["h1"]) > 1:
            yield "several-headings", " | ".join(row["h1"])
        if row["images_without_alt"]:
            yield "images-without-alt", f"{row['images_without_alt']:,} of {count(row['images'], 'image')}"
        least = {"article": thresholds.THIN_WORDS, "unknown": 1}.get(row["verdict"], 0)
        if row["words"] < least:
            yield "thin-pages", count(row["words"], "word")
        lacking = self._usual.lacking(row)
        if row["fits"] is False and not 0 < len(lacking) <= thresholds.FEW:
            yield "misfits", f"lacks {', '.join(lacking[: thresholds.FEW])}" if lacking else ""
        else:
            yield from (("missing-element", css) for css in lacking)
        for name in self._usual.structured_data_lacking(row):
            yield "missing-structured-data", name
        if INVALID in row["structured_data"]:
            yield "invalid-structured-data", ""
        if row["representative"] not in (None, row["page"]):
            yield "near-duplicates", f"like {row['representative']}"

    def _addresses(self, number: int, row: Row) -> Iterator[tuple[str, str]]:
        usual, site = self._usual, self._site
        own, link = (row["addresses"] or [""])[0], row["canonical_link"]
        named = usual.canonical.get(own, "")
        if not link and 2 * usual.with_canonical > usual.pages:
            yield "missing-canonical", ""
        # The address of a local file is unknown: another address that it names may be its own.
        known = not own.startswith(LOCAL_HOST) or named.startswith(LOCAL_HOST)
        if named and (known or site.number.get(named, number) != number):
            found = site.resolve(named, link or "", "")
            onward = usual.canonical.get(site.own[found.page]) if found.page >= 0 else None
            if found.name == "broken":
                yield "canonical-broken", f"{link}: {found.reason}"
            elif onward and onward != named:
                yield "canonical-chain", f"{link} names {onward}"
            elif found.page != number:
                yield "canonical-other", str(link)
        for alternate in sorted(usual.alternates.get(number, ())):
            other = site.number.get(alternate, number)
            if other != number and number not in map(site.number.get, usual.alternates.get(other, ())):
                yield "alternate-not-mutual", alternate


CHANGE_COLUMNS = (("page", "string"), ("change", "string"), ("detail", "string"))
"""Columns of ``changes.parquet``; change: ``new``, ``removed`` or ``changed``."""


@dataclass(slots=True)
class Changes:
    """The differences between two audits of a site.

    Attributes:
        since: the folder of the earlier audit.
        pages: number of pages by kind of change.
        findings: numbers of new and of resolved rows by name of the finding.
        drift: level and sentences of each type whose pages no longer fit its earlier template, by label.
    """

    since: Path
    pages: dict[str, int] = field(default_factory=lambda: {"new": 0, "removed": 0, "changed": 0})
    findings: dict[str, tuple[int, int]] = field(default_factory=dict)
    drift: Drift = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """Return the changes in words, for the report and the terminal."""
        what = ", ".join(f"{n:,} {kind}" for kind, n in self.pages.items())
        found = [f"Pages since {self.since}: {what}."]
        for name, (new, resolved) in self.findings.items():
            found.append(f"{KINDS[name].title}: {new:,} new, {resolved:,} resolved.")
        for label, (level, changes) in self.drift.items():
            found.append(f"Type {label}, {level}: {' '.join(changes)}")
        return found


def check_audit(folder: Path) -> None:
    """Raise `InputError` if a folder does not contain a complete audit."""
    for name in ("pages.parquet", "site-model.json", "findings"):
        if not (folder / name).exists():
            raise InputError(f"{folder} does not contain an audit of one site: {name} is missing.")


def page_changes(old: Path, new: Path, changes: Changes) -> Iterator[Row]:
    """Yield a row for each page that is new, removed or changed, and count them.

    old, new: ``pages.parquet`` of both audits.
    """
    columns = ["page", "title", "text", "words"]
    before = {row["page"]: _content(row) for row in read_rows(old, columns)}
    for row in read_rows(new, columns):
        content = before.pop(row["page"], None)
        if content is None:
            yield _counted(changes, row["page"], "new", row["title"])
        elif content != (now := _content(row)):
            parts = [f"title: {row['title']}"] if content[0] != now[0] else []
            parts += [f"{content[2]:,} → {count(now[2], 'word')}"] if content[1] != now[1] else []
            yield _counted(changes, row["page"], "changed", "; ".join(parts))
    for page in before:
        yield _counted(changes, page, "removed", "")


def _content(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return keys of the title and the text, and the number of words."""
    return text_key(" ".join(row["title"].split())), text_key(" ".join(row["text"].split())), row["words"]


def _counted(changes: Changes, page: str, change: str, detail: str) -> Row:
    changes.pages[change] += 1
    return {"page": page, "change": change, "detail": detail}


def compare_findings(old: Path, new: Path) -> dict[str, tuple[int, int]]:
    """Return the numbers of new and of resolved rows of each finding that has some, by name."""
    found = {}
    for name in KINDS:
        before, now = (_row_keys(folder / f"{name}.csv") for folder in (old, new))
        if before != now:
            found[name] = len(now - before), len(before - now)
    return found


def _row_keys(path: Path) -> set[int]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {text_key("\n".join(row)) for row in islice(csv.reader(file), 1, None)}
    except FileNotFoundError:
        return set()


def compare_templates(model: Path, shards: Sequence[Path]) -> Drift:
    """Return level and sentences of the types whose pages differ from their templates in an earlier model."""
    chosen = set(least((name for shard in shards for name in shard_ids(shard)), thresholds.WATCHED_PAGES))
    watch = SiteWatch(load_model(model))
    items: Iterable[Any] = (item for shard in shards for item in read_shard(shard, chosen))
    for item in items:
        if not isinstance(item, Failure) and item.id in chosen:
            watch.add(watch.model.predict(item))
    reports = watch.drift().items()
    return {label: (one.level, tuple(one.sentences())) for label, one in reports if one.level != "none"}
