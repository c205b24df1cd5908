"""Claims of audits, checked against the pages with another parser (libxml2).

A claim is a row of a finding: a page and a fault, or the causes of references that lead nowhere. Sites of the
bench are audited, and each row is checked on the files of the site, as far as `CHECKS` has a check; other
findings, such as near-duplicates or thin pages, are judgements and are counted as unchecked. Of each finding,
the number of rows and of wrong rows is printed, for all rows and for those of the first screen of the report,
and the first wrong rows, so that they can be read beside the pages: the parsers differ on broken markup.

    WEBGRAIN_DATA=folder python -m experiments.audit_claims [SITE...]
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html as lxml_html

import webgrain
from experiments.datasets.bench import BenchSite, read_bench
from webgrain.page.parsing import decode, find_charset
from webgrain.site import thresholds

SITES = ("cfnet", "erlang", "lpinnova", "nbn", "scantrust")
"""A forum, a manual, a shop, a newspaper and a company."""

HOST = "http://host.invalid/"
SHOWN = 5
"""Wrong rows of a finding that are printed."""
_DETAIL = re.compile(r"(?P<address>.*?)(?: \((?P<place>[^()]*(?:\([^()]*\))*[^()]*)\))?: (?P<reason>[^:]+)")
_REFERENCES = "//*[@href or @src or @srcset or @data or @poster or @action or @data-src or @data-srcset]"
_ATTRIBUTES = ("href", "src", "srcset", "data", "poster", "action", "data-src", "data-srcset")


def words_of(text: str | None) -> str:
    """Return a text with single spaces."""
    return " ".join((text or "").split())


@dataclass(frozen=True)
class Files:
    """The pages of a site as libxml2 reads them.

    Attributes:
        bodies: the bytes of each page by its path.
    """

    bodies: dict[str, bytes]

    @cache  # noqa: B019 (the object lives as long as the site is checked)
    def tree(self, page: str) -> Any:
        """Return the tree of a page."""
        body = self.bodies[page]
        text, _ = decode(body, find_charset(body))
        return lxml_html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", text) or "<p>")

    def __hash__(self) -> int:
        return id(self)

    def all(self, page: str, path: str) -> list[Any]:
        """Return what an XPath selects on a page."""
        return list(self.tree(page).xpath(path))

    def title(self, page: str) -> str:
        """Return the text of the first title that is not in a picture."""
        titles = self.all(page, "//title[not(ancestor::svg)]")
        return words_of(titles[0].text_content()) if titles else ""

    def description(self, page: str) -> str:
        """Return the last description."""
        metas = self.all(page, "//meta[@name and @content]")
        texts = [words_of(m.get("content")) for m in metas if m.get("name").strip().lower() == "description"]
        return next((text for text in reversed(texts) if text), "")

    def headings(self, page: str) -> list[str]:
        """Return the texts of the h1 elements."""
        return [words_of(node.text_content()) for node in self.all(page, "//h1")]

    def ids(self, page: str) -> set[str]:
        """Return the names of the parts of a page."""
        return {unquote(str(name)) for name in self.all(page, "//@id | //a/@name")}

    @cached_property
    def titles(self) -> Counter[str]:
        """Number of pages by title."""
        return Counter(map(self.title, self.bodies))

    @cached_property
    def descriptions(self) -> Counter[str]:
        """Number of pages by description."""
        return Counter(map(self.description, self.bodies))

    @cached_property
    def first_headings(self) -> Counter[str]:
        """Number of pages by their first h1."""
        return Counter(heading for page in self.bodies for heading in self.headings(page)[:1])

    @cached_property
    def linked(self) -> set[str]:
        """The pages to which another page links."""
        return {
            target
            for page in self.bodies
            for node in self.all(page, "//a[@href] | //area[@href] | //iframe[@src] | //frame[@src]")
            if (target := self.target(page, node.get("href") or node.get("src"))) not in (None, page)
        }  # type: ignore[misc]

    def target(self, page: str, address: str) -> str | None:
        """Return the page to which an address on a page leads; None if the site has no such file."""
        base = next(iter(self.all(page, "//base/@href")), "") if page else ""
        try:
            parts = urlsplit(urljoin(urljoin(HOST + page, base), address.strip()))
        except ValueError:
            return None
        path = unquote(parts.path).lstrip("/")
        whole = f"{path}?{parts.query}" if parts.query else path
        for name in (
            whole,
            path,
            f"{path.rstrip('/')}/index.html".lstrip("/"),
            f"{path}.html",
            f"{whole}.html",
        ):
            if name in self.bodies:
                return name
        return None

    def refers(self, page: str, address: str) -> bool:
        """Whether a page has a reference whose address ends like a given one."""
        wanted = unquote(address).rstrip("/").rpartition("/")[2]
        for node in self.all(page, _REFERENCES):
            for name in _ATTRIBUTES:
                if wanted in unquote(node.get(name) or ""):
                    return True
        source = self.bodies[page].decode("utf-8", "replace")
        return wanted in source or wanted in unquote(source)


Check = Callable[[Files, str, str], bool]
"""Whether a claim is right: the files, the page and the detail of the row."""


def _is_missing(files: Files, page: str, detail: str) -> bool:
    """Whether the page refers to an address that leads to no page."""
    match = _DETAIL.match(detail)
    if match is None:
        return False
    address = match["address"]
    return files.refers(page, address) and files.target("", HOST + address) is None


def _part_is_missing(files: Files, page: str, detail: str) -> bool:
    """Whether the page that an address names has no element with the name after #."""
    match = _DETAIL.match(detail)
    if match is None:
        return False
    path, _, fragment = match["address"].partition("#")
    target = files.target("", HOST + path) if path else page
    return target is not None and unquote(fragment) not in files.ids(target) and files.refers(page, fragment)


def _lacks(files: Files, page: str, detail: str) -> bool:
    """Whether nothing on the page matches a selector."""
    return not files.tree(page).cssselect(re.sub(r"([.#])-", r"\1\\-", detail))


CHECKS: dict[str, Check] = {
    "broken-links": _is_missing,
    "broken-images": _is_missing,
    "broken-styles": _is_missing,
    "broken-scripts": _is_missing,
    "broken-files": _is_missing,
    "missing-files": _is_missing,
    "missing-parts": _part_is_missing,
    "missing-element": _lacks,
    "missing-title": lambda files, page, _: not files.title(page),
    "long-title": lambda files, page, _: len(files.title(page)) > thresholds.LONG_TITLE,
    "short-title": lambda files, page, _: len(files.title(page)) < thresholds.SHORT_TITLE,
    "duplicate-title": lambda files, page, _: files.titles[files.title(page)] > 1,
    "missing-description": lambda files, page, _: not files.description(page),
    "duplicate-description": lambda files, page, _: files.descriptions[files.description(page)] > 1,
    "missing-heading": lambda files, page, _: not files.headings(page),
    "several-headings": lambda files, page, _: len(files.headings(page)) > 1,
    "duplicate-heading": lambda files, page, _: files.first_headings[files.headings(page)[0]] > 1,
    "images-without-alt": lambda files, page, _: bool(files.all(page, "//img[not(@alt)]")),
    "images-without-size": lambda files, page, _: bool(files.all(page, "//img[not(@width and @height)]")),
    "missing-language": lambda files, page, _: not files.all(page, "//html[normalize-space(@lang)]"),
    "missing-canonical": lambda files, page, _: not files.all(page, "//link[@rel='canonical']"),
    "excluded": lambda files, page, _: bool(files.all(page, "//meta[contains(@content, 'no')]")),
    "orphan-pages": lambda files, page, _: page not in files.linked,
    "large-pages": lambda files, page, _: len(files.all(page, "//node()")) > thresholds.LARGE_NODES,
}


def rows_of(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield the page and the detail of each row of a finding."""
    with (folder / "findings" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["page"], row["detail"]


def check_site(site: BenchSite, folder: Path) -> Counter[tuple[str, str]]:
    """Audit a site, and count its claims by what became of them, for all rows and for the first screen."""
    files = Files({source.id: source.body for source in site.sources()})
    [results] = webgrain.audit(site.sources(), folder, workers=1)
    counts: Counter[tuple[str, str]] = Counter()
    screen = {action.finding for action in results.actions}
    for finding in results.findings:
        check = CHECKS.get(finding.name)
        wrong = []
        number = 0
        for page, detail in rows_of(folder, finding.name):
            number += 1
            if check is not None and page in files.bodies and not check(files, page, detail):
                wrong.append(f"{page}: {detail}")
        checked = "checked" if check is not None else "unchecked"
        for part in ("all", "first screen")[: 1 + (finding.name in screen)]:
            counts[part, checked] += number
            counts[part, "wrong"] += len(wrong)
        print(f"  {finding.name:24}{number:7,} rows  {f'{len(wrong):,} wrong' if check else checked}")
        for text in wrong[:SHOWN]:
            print(f"      {text[:200]}")
    return counts


def main() -> None:
    """Check the claims of the sites."""
    total: Counter[tuple[str, str]] = Counter()
    for site in read_bench(sys.argv[1:] or list(SITES)):
        print(f"{site.name} ({site.kind})")
        with tempfile.TemporaryDirectory() as folder:
            total += check_site(site, Path(folder))
    for part in ("all", "first screen"):
        numbers = ", ".join(f"{total[part, what]:,} {what}" for what in ("checked", "wrong", "unchecked"))
        print(f"{part}: {numbers}")


if __name__ == "__main__":
    main()
