"""The table ``links.parquet`` of a site: what each reference leads to, and the faults of references by cause.

A fault has a cause: a target, and the place of the references to it. A broken link in the footer of a
thousand pages is one fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Int8, Int32, Int64
from webgrain.base.errors import require
from webgrain.base.properties import cached_property
from webgrain.page.links import LOCAL_HOST, canonical
from webgrain.site.links import NO_FILE, OUTCOMES, LinkEnd, LinkResolver, start_page
from webgrain.site.references import MARKS, Code, read_code
from webgrain.site.stylesheets import Sheet, StyleSheets
from webgrain.site.tables import ColumnTypes, read_batches
from webgrain.site.thresholds import INCOMPLETE, LINK_EXAMPLES, MOST_CAUSES, MOST_SHEETS, NESTED_SHEETS

LINK_COLUMNS: ColumnTypes = (
    ("source", "string"),
    ("target", "string"),
    ("text", "string"),
    ("rel", "string"),
    ("position", "string"),
    ("outcome", "string"),
    ("page", "string"),
    ("status", "int64"),
    ("redirects", "list"),
    ("element", "string"),
    ("attribute", "string"),
    ("use", "string"),
    ("node", "int64"),
    ("part_exists", "bool_"),
)
"""Columns of ``links.parquet``: the page with the reference, the address it leads to, its text, ``rel`` and
position on the page, the outcome, the page of the audit that it reaches, the status of the answer, the
addresses of the redirects on the way, element, attribute and use (`webgrain.page.references.USES`), the
number of the element in document order, and whether the page has the part that the fragment names; null if
this is unknown."""

_BROKEN, _REDIRECT, _FILE = map(OUTCOMES.index, ("broken", "redirect", "file"))
_TEXT_COLUMNS = ("link_targets", "link_urls", "link_texts", "link_rels")
_PAGE_COLUMNS = ("url", "canonical_link")
_NUMBER_COLUMNS = ("link_nodes", "link_codes", "link_parts")

FAULTS = (
    "broken-links", "broken-images", "broken-styles", "broken-scripts", "broken-files", "broken-alternates",
    "redirected-links", "missing-parts", "mixed-content",
)  # fmt: skip
"""Findings about references."""
_FAULT_OF_USE = {
    "link": "broken-links", "refresh": "broken-links", "relation": "broken-links", "form": "broken-links",
    "image": "broken-images", "style": "broken-styles", "script": "broken-scripts",
    "font": "broken-files", "media": "broken-files", "frame": "broken-files", "data": "broken-files",
    "alternate": "broken-alternates",
}  # fmt: skip
_LOADED = ("image", "style", "script", "font", "media", "frame", "form")
"""Uses of references that belong to the page: on a page with HTTPS they must not use HTTP."""
_LEADING = ("link", "frame")
"""Uses of references that visitors follow from page to page."""
_FILES = ("image", "style", "script", "font", "media")
"""Uses of references to files that are not pages."""
_ANY_CONTENT = ("embed", "object")
"""Elements that show files as well as pages."""
_ANSWERED = ("form", "data")
"""Uses of references that a copy of a site rarely contains, so that a missing file is no fault."""


class Cause(NamedTuple):
    """What faults of references have in common.

    Attributes:
        fault: one of `FAULTS`. address: the target. element, attribute, use, position: of the references.
        is_file: whether the target is missing in the folder or the archive of the input.
    """

    fault: str
    address: str
    element: str
    attribute: str
    use: str
    position: str
    is_file: bool


@dataclass(slots=True)
class Fault:
    """The references with a cause.

    Attributes:
        reason: why they are broken, or the redirects. text, node: of the first reference.
        pages, clicks: number of pages with such references, and of clicks on these in the search log.
        examples: the first of these pages.
    """

    reason: str
    text: str
    node: int = -1
    pages: int = 0
    clicks: int = 0
    examples: list[str] = field(default_factory=list)


def linking_pages(fault: Fault) -> str:
    """Return in words which pages have a fault."""
    names = ", ".join(fault.examples)
    more = fault.pages - len(fault.examples)
    return f"{names} and {more:,} more" if more else names


class LinkTable:
    """The columns of ``links.parquet``, and what they state about the pages.

    Attributes:
        incoming: (n,) pages that link to each page, without itself.
        faults: by cause.
        counts: number of links by outcome; broken_on: (n,) number of broken links on each page.
        absent: number of links to addresses of the site of which nothing is known.

    Args:
        resolver: of the site; parts: the parts of its pages.
        clicks: (n,) on each page in the search log; None for no log.
        sheets: the style sheets of the input; None for none.
    """

    def __init__(
        self,
        resolver: LinkResolver,
        parts: Sequence[Path],
        clicks: Int64 | None = None,
        sheets: StyleSheets | None = None,
    ) -> None:
        n = len(resolver.pages)
        self._clicks: Int64 = np.zeros(n + MOST_SHEETS, np.int64)  # those of sheets are 0
        if clicks is not None:
            self._clicks[:n] = clicks
        self._resolver = resolver
        self._parts = parts
        self.incoming: Int64 = np.zeros(n, np.int64)
        self.faults: dict[Cause, Fault] = {}
        self.counts: Counter[str] = Counter()
        self.broken_on: Int64 = np.zeros(n, np.int64)
        self.absent = 0
        self._faulty: Int64 = np.zeros(n + MOST_SHEETS, np.int64)  # of pages, then of style sheets
        self._files: set[str] = set()
        self._sheets = StyleSheets() if sheets is None else sheets
        self._loaded: dict[str, None] = {}  # addresses of style sheets, in order
        self._onward: list[Int32] = []

    def tables(self) -> Iterator[dict[str, Any]]:
        """Yield the columns `LINK_COLUMNS` of the references of some pages at a time, and count them."""
        self._resolver.find_host(_read_targets(self._parts))
        parts = _Parts.of(self._parts, self._resolver)
        first = 0
        for part in self._parts:
            for batch in read_batches(part, ["page", *_PAGE_COLUMNS, *_TEXT_COLUMNS, *_NUMBER_COLUMNS]):
                links = _Links.of(batch)
                ends = _Ends.of(links, self._resolver)
                exist = parts.exist(links, ends)
                self._count(first, links, ends)
                self._count_faults(first, links, ends, exist == 0, "missing-parts")
                is_mixed = _is_insecure(links) & _is_secure(batch)[links.owner]
                self._count_faults(first, links, ends, is_mixed, "mixed-content")
                yield _columns(links, ends, exist, self._resolver)
                first += len(links.pages)
        yield from self._tables_of_sheets(first)

    def _tables_of_sheets(self, first: int) -> Iterator[dict[str, Any]]:
        """Yield the columns of the references in style sheets, and count them; first: the number of pages.

        Each sheet is read once: several addresses may lead to one file, such as those with a version.
        """
        level = [*self._loaded]
        contents: set[tuple[str, tuple[str, ...]]] = set()
        for _ in range(NESTED_SHEETS):
            known = len(self._loaded)
            for address in level:
                sheet = self._sheets.read(address)
                if sheet is None or not sheet.targets or sheet.content in contents:
                    continue
                number = first + len(contents)
                contents.add(sheet.content)
                links = _Links.of_sheet(sheet)
                ends = _Ends.of(links, self._resolver)
                self._count_files(links, ends)
                self._count_faults(number, links, ends, ends.outcome[ends.of_link] == _BROKEN)
                is_mixed = _is_insecure(links) & sheet.is_secure
                self._count_faults(number, links, ends, is_mixed, "mixed-content")
                unknown_parts = np.full(len(links.owner), _UNKNOWN, np.int8)
                yield _columns(links, ends, unknown_parts, self._resolver)
            level = [*islice(self._loaded, known, None)]

    def _count(self, first: int, links: _Links, ends: _Ends) -> None:
        """Count the references of some pages; first: the number of the first page."""
        n = len(links.pages)
        outcome = ends.outcome[ends.of_link]
        is_link = links.has_use("link")
        of_links = outcome[is_link]
        numbers, at, count = np.unique(of_links, return_index=True, return_counts=True)
        for place in at.argsort().tolist():  # in the order of the links
            self.counts[OUTCOMES[numbers[place]]] += int(count[place])
        self.absent += int(ends.is_absent[ends.of_link[is_link]].sum())
        broken = links.owner[(outcome == _BROKEN) & is_link]
        self.broken_on[first : first + n] = np.bincount(broken, minlength=n)
        self._count_onward(first, links, ends)
        self._count_files(links, ends)
        self._count_faults(first, links, ends, (outcome == _BROKEN) | ((outcome == _REDIRECT) & is_link))

    def _count_files(self, links: _Links, ends: _Ends) -> None:
        """Count the files that exist, and note the style sheets that are to be read."""
        outcome = ends.outcome[ends.of_link]
        if len(self._files) < MOST_CAUSES:
            known = ends.of_link[(outcome == _FILE) & links.has_use(*_FILES)]
            self._files.update(ends.addresses[end] for end in np.unique(known).tolist())
        is_sheet = ((outcome == _FILE) | (outcome == _REDIRECT)) & links.has_use("style")
        for number in np.unique(ends.of_link[is_sheet]).tolist():
            redirects = ends.ends[number].redirects
            address = redirects[-1] if redirects else ends.addresses[number]
            if len(self._loaded) < MOST_SHEETS:
                self._loaded.setdefault(address.partition("#")[0])

    def _count_onward(self, first: int, links: _Links, ends: _Ends) -> None:
        """Count which pages the links and frames lead to."""
        total = len(self.incoming)
        reached = ends.page[ends.of_link]
        is_other = (reached >= 0) & (reached != first + links.owner) & links.has_use(*_LEADING)
        owner, reached = np.divmod(
            np.unique(links.owner[is_other] * total + reached[is_other]), max(total, 1)
        )
        self.incoming += np.bincount(reached, minlength=total)
        bounds = owner.searchsorted(np.arange(1, len(links.pages)))
        self._onward += np.split(reached.astype(np.int32), bounds)

    def _count_faults(self, first: int, links: _Links, ends: _Ends, is_fault: Bool, name: str = "") -> None:
        """Count the faults of some references by cause.

        first: the number of the first page; name: one of `FAULTS`, empty if the ends decide.
        """
        rows = is_fault.nonzero()[0]
        if not len(rows):
            return
        pages, codes = len(links.pages), len(links.codes)
        cause = (ends.of_link[rows] * codes + links.code[rows]) * pages + links.owner[rows]
        cause, at = np.unique(cause, return_index=True)
        key, owner = np.divmod(cause, pages)
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        stops = np.append(starts[1:], len(key))
        end, code = np.divmod(key[starts], codes)
        order = rows[at[starts]].argsort(kind="stable")
        groups = zip(end[order].tolist(), code[order].tolist(), starts[order], stops[order], strict=True)
        for number, of_code, start, stop in groups:
            link = int(rows[at[start]])
            address = ends.addresses[number]
            if name == "missing-parts":
                is_own = ends.page[number] == first + owner[start]
                fragment = links.urls[link].as_py().partition("#")[2]
                address = f"{'' if is_own else address.partition('#')[0]}#{fragment}"
            found = _cause(links.codes[of_code], ends.ends[number], address, name)
            if found is None:
                continue
            bit = FAULTS.index(found.fault) + found.is_file * len(FAULTS)
            self._faulty[first + owner[start:stop]] |= 1 << bit
            reason = _reason(found, ends.ends[number])
            clicks = int(self._clicks[first + owner[start:stop]].sum())
            self._add(found, reason, links, link, owner[start:stop].tolist(), clicks)

    def _add(
        self, cause: Cause, reason: str, links: _Links, link: int, pages: list[int], clicks: int
    ) -> None:
        """Count the pages with a cause, and the clicks on them; link: the first reference."""
        fault = self.faults.get(cause)
        if fault is None:
            if len(self.faults) >= MOST_CAUSES:
                return
            node = links.nodes[link].as_py()
            fault = self.faults[cause] = Fault(
                reason, links.texts[link].as_py(), -1 if node is None else int(node)
            )
        fault.pages += len(pages)
        fault.clicks += clicks
        room = LINK_EXAMPLES - len(fault.examples)
        fault.examples += [links.pages[page].as_py() for page in pages[:room]]

    @property
    def has_all_pages(self) -> bool:
        """Whether few pages are missing to which links lead; else the input is a part of the site."""
        missing = {cause.address for cause in self.faults if cause.is_file and cause.fault == "broken-links"}
        linked = int((self.incoming > 0).sum())
        return len(missing) <= INCOMPLETE * (len(missing) + linked)

    @property
    def has_all_files(self) -> bool:
        """Whether few of the images, style sheets and other files are missing."""
        missing = {cause.address for cause in self.faults if cause.is_file and cause.fault != "broken-links"}
        return len(missing) <= INCOMPLETE * (len(missing) + len(self._files))

    @property
    def missing(self) -> set[Cause]:
        """The causes of missing files that are no faults, because the input is a part of the site."""
        complete = {True: self.has_all_pages, False: self.has_all_files}
        return {
            cause for cause in self.faults if cause.is_file and not complete[cause.fault == "broken-links"]
        }

    @property
    def broken_addresses(self) -> frozenset[str]:
        """The canonical addresses to which broken references lead."""
        causes = (cause for cause in self.faults if cause.fault.startswith("broken-"))
        return frozenset(filter(None, (canonical(cause.address) for cause in causes)))

    def pages_with(self, fault: str, *, is_file: bool) -> Bool:
        """Whether each page, and then each style sheet, has a fault; is_file: as in `Cause`."""
        return (self._faulty >> (FAULTS.index(fault) + is_file * len(FAULTS)) & 1).astype(np.bool_)

    def depth(self) -> Int32:
        """Return the number of clicks (n,) from the start page to each page, -1 if no links lead there.

        The start page is the page at the root of the site, or else the page with the shortest path. Call it
        after `tables` has ended.
        """
        depth = np.full(len(self._onward), -1, np.int32)
        if not len(depth):
            return depth
        reached = np.array([start_page(self._resolver.number)])
        for level in range(len(depth)):
            depth[reached] = level
            onward = np.unique(np.concatenate([self._onward[page] for page in reached.tolist()]))
            reached = onward[depth[onward] < 0] if len(onward) else onward
            if not len(reached):
                break
        return depth


def _cause(code: Code, end: LinkEnd, address: str, name: str) -> Cause | None:
    """Return the cause of a fault of a reference; None if it does not count for this use.

    name: one of `FAULTS`, empty if the end decides.
    """
    fault = name or "redirected-links"
    if not name and end.outcome == "broken":
        fault = _FAULT_OF_USE.get(code.use, "")
    is_file = fault.startswith("broken") and end.reason == NO_FILE
    if not fault or (is_file and code.use in _ANSWERED):
        return None
    return Cause(fault, address, code.element, code.attribute, code.use, code.position, is_file)


def _reason(cause: Cause, end: LinkEnd) -> str:
    if cause.fault == "missing-parts":
        return "The page has no element with this id."
    if cause.fault == "mixed-content":
        return "The page itself is sent with HTTPS."
    return end.reason or " → ".join(end.redirects)


@dataclass(frozen=True, eq=False)
class _Links:
    """The k references of n pages.

    Attributes:
        pages: (n,) ids of the pages; owner: (k,) the page of each reference, from 0.
        targets, urls, texts, rels, nodes, parts: (k,) as in `webgrain.site.references.REFERENCE_COLUMNS`.
        codes: the different codes; code: (k,) that of each reference.
    """

    pages: Any
    owner: Int64
    targets: Any
    urls: Any
    texts: Any
    rels: Any
    nodes: Any
    parts: Int64
    codes: list[Code]
    code: Int64

    @classmethod
    def of(cls, batch: Any) -> Self:
        """Return the references of some rows of a part."""
        targets, urls, texts, rels = (batch[name].flatten() for name in _TEXT_COLUMNS)
        nodes, numbers, parts = (batch[name].flatten() for name in _NUMBER_COLUMNS)
        sizes = np.diff(batch[_TEXT_COLUMNS[0]].offsets.to_numpy())
        owner = np.repeat(np.arange(batch.num_rows), sizes)
        codes, code = np.unique(numbers.to_numpy(), return_inverse=True)
        return cls(
            batch["page"],
            owner,
            targets,
            urls,
            texts,
            rels,
            nodes,
            parts.to_numpy(),
            [*map(read_code, codes.tolist())],
            code,
        )

    @classmethod
    def of_sheet(cls, sheet: Sheet) -> Self:
        """Return the references of a style sheet, which has the place of the page."""
        arrow = require("pyarrow", "store", "Audits")
        k = len(sheet.codes)
        codes = [*dict.fromkeys(sheet.codes)]
        nothing = arrow.array([""] * k)
        return cls(
            arrow.array([sheet.name]),
            np.zeros(k, np.int64),
            arrow.array(sheet.targets),
            arrow.array(sheet.urls),
            nothing,
            nothing,
            arrow.nulls(k, arrow.int64()),
            np.zeros(k, np.int64),
            codes,
            np.array([*map(codes.index, sheet.codes)], np.int64),
        )

    @cached_property
    def different_urls(self) -> tuple[list[str], Int64]:
        """The different addresses, and the number (k,) of that of each reference."""
        return _distinct(self.urls)

    def has_use(self, *uses: str) -> Bool:
        """(k,) whether each reference has one of some uses."""
        return np.array([code.use in uses for code in self.codes], np.bool_)[self.code]

    @property
    def needs_file(self) -> Bool:
        """(k,) whether each reference loads an image or another file, in whose place a page is of no use."""
        of_code = [code.use in _FILES and code.element not in _ANY_CONTENT for code in self.codes]
        return np.array(of_code, np.bool_)[self.code]

    def only(self, rows: Int64) -> _Links:
        """Return some of the references."""
        arrow = require("pyarrow", "store", "Audits")
        of_rows = arrow.array(rows)
        return replace(
            self,
            owner=self.owner[rows],
            targets=self.targets.take(of_rows),
            urls=self.urls.take(of_rows),
            texts=self.texts.take(of_rows),
            rels=self.rels.take(of_rows),
            nodes=self.nodes.take(of_rows),
            parts=self.parts[rows],
            code=self.code[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """The e different ends of k references.

    Attributes:
        ends: (e,); of_link: (k,) the end of each reference.
        addresses: (e,) to which the references lead before redirects; targets: with the fragments.
        outcome: (e,) numbers of `OUTCOMES`; page: (e,) pages of the audit, -1 for none.
        is_absent: (e,) whether nothing is known of an address of the site.
    """

    ends: list[LinkEnd]
    of_link: Int64
    addresses: list[str]
    targets: list[str]
    outcome: Int64
    page: Int64
    is_absent: Bool

    @classmethod
    def of(cls, links: _Links, resolver: LinkResolver) -> Self:
        """Return the ends of references; those with the same target, address and mark have the same."""
        targets, target = _distinct(links.targets)
        urls, url = links.different_urls
        mark = np.array([MARKS.index(code.mark) for code in links.codes], np.int64)[links.code]
        key = (target * len(urls) + url) * len(MARKS) + mark
        _, at, of_link = np.unique(key, return_index=True, return_inverse=True)
        ends = []
        addresses = []
        with_fragments = []
        for link in at.tolist():
            address, url_of_link = targets[target[link]], urls[url[link]]
            _, hash_sign, fragment = url_of_link.partition("#")
            ends.append(resolver.resolve(address, url_of_link, MARKS[mark[link]]))
            is_local = address.startswith(LOCAL_HOST)
            local = address.removeprefix(LOCAL_HOST)
            addresses.append(local if is_local else url_of_link)
            with_fragments.append(f"{local}{hash_sign}{fragment}" if is_local else url_of_link)
        return cls(
            ends,
            of_link,
            addresses,
            with_fragments,
            np.array([OUTCOMES.index(end.outcome) for end in ends], np.int64),
            np.array([end.page for end in ends], np.int64),
            np.array([end.outcome == "unknown" and not end.reason for end in ends], bool),
        )


class OpenAddresses(NamedTuple):
    """Addresses of references of which nothing is known.

    Attributes:
        pages: the number of pages that refer to each address.
        files: those of images, style sheets and other files, at which a page is of no use.
    """

    pages: Counter[str]
    files: set[str]


def open_addresses(resolver: LinkResolver, parts: Sequence[Path], outcome: str) -> OpenAddresses:
    """Return the addresses of references of which nothing is known.

    resolver: of the site; parts: the parts of its pages. outcome: ``external`` for addresses of other sites,
    ``unknown`` for images, style sheets and other files of the site. At most `MOST_CAUSES` addresses are
    counted.
    """
    resolver.find_host(_read_targets(parts))
    wanted = OUTCOMES.index(outcome)
    uses = _REQUESTED if outcome == "external" else _FILES
    pages: Counter[str] = Counter()
    files: set[str] = set()
    for part in parts:
        for batch in read_batches(part, ["page", *_TEXT_COLUMNS, *_NUMBER_COLUMNS]):
            links = _Links.of(batch)
            ends = _Ends.of(links, resolver)
            is_open = (ends.outcome[ends.of_link] == wanted) & links.has_use(*uses)
            pairs = np.unique(np.stack([ends.of_link[is_open], links.owner[is_open]]), axis=1)
            for end in pairs[0].tolist():
                url = ends.addresses[end].partition("#")[0]
                if url in pages or len(pages) < MOST_CAUSES:
                    pages[url] += url[:4].lower() == "http"
            of_files = ends.of_link[is_open & links.needs_file]
            files.update(ends.addresses[end].partition("#")[0] for end in np.unique(of_files).tolist())
    pages = +pages
    return OpenAddresses(pages, files & pages.keys())


_REQUESTED = ("link", "image", "frame", "style", "script", "media")
"""Uses of references to other sites that an audit may request."""


def _read_targets(parts: Sequence[Path]) -> Iterator[list[str]]:
    """Yield the different targets of the references of some pages at a time."""
    for part in parts:
        for batch in read_batches(part, ["link_targets"]):
            yield _distinct(batch["link_targets"].flatten())[0]


def _is_insecure(links: _Links) -> Bool:
    """(k,) whether each reference loads a file, or sends a form, without HTTPS."""
    urls, url = links.different_urls
    is_plain = np.array([text[:7].lower() == "http://" for text in urls], np.bool_)
    return is_plain[url] & links.has_use(*_LOADED)


def _is_secure(batch: Any) -> Bool:
    """(n,) whether each page is sent with HTTPS, by its address, or else by its canonical address."""
    addresses = zip(*(batch[name].to_pylist() for name in _PAGE_COLUMNS), strict=True)
    return np.array([(url or named or "")[:8].lower() == "https://" for url, named in addresses], np.bool_)


def _distinct(texts: Any) -> tuple[list[str], Int64]:
    """Return the different texts of an array of Arrow, and the number (k,) of each element."""
    encoded = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


# Parts of pages.


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The parts of pages to which links lead.

    Attributes:
        keys: (u,) of the parts, see `_part_keys`, sorted; is_missing: (u,) whether the page lacks each.
        is_unknown: (n,) whether not all ids of each page are known.
    """

    keys: Int64
    is_missing: Bool
    is_unknown: Bool

    @classmethod
    def of(cls, files: Sequence[Path], resolver: LinkResolver) -> Self:
        """Read the links and the ids of all pages; files: the parts of the site."""
        is_unknown = np.zeros(len(resolver.pages), np.bool_)
        wanted = [np.zeros(0, np.int64)]
        first = 0
        for file in files:
            for batch in read_batches(file, ["page", "ids", *_TEXT_COLUMNS, *_NUMBER_COLUMNS]):
                stop = first + batch.num_rows
                is_unknown[first:stop] = batch["ids"].is_null().to_numpy(zero_copy_only=False)
                links = _Links.of(batch)
                rows, fragments = _fragments(links)
                if len(rows):
                    ends = _Ends.of(links.only(rows), resolver)
                    wanted.append(np.unique(_part_keys(ends.page[ends.of_link], fragments)))
                first = stop
        keys = np.unique(np.concatenate(wanted))
        is_missing = np.ones(len(keys), np.bool_)
        first = 0
        for file in files if len(keys) else ():
            for batch in read_batches(file, ["ids"]):
                sizes = np.diff(batch["ids"].offsets.to_numpy())
                owner = first + np.repeat(np.arange(batch.num_rows), sizes)
                ids = _part_keys(owner, batch["ids"].flatten().to_numpy())
                is_missing &= ~np.isin(keys, ids)
                first += batch.num_rows
        return cls(keys, is_missing, is_unknown)

    def exist(self, links: _Links, ends: _Ends) -> Int8:
        """(k,) 1 if the page has the part to which a reference leads, 0 if not, -1 if this is unknown."""
        exist = np.full(len(links.owner), _UNKNOWN, np.int8)
        rows, fragments = _fragments(links)
        page = ends.page[ends.of_link[rows]]
        is_known = page >= 0
        is_known[is_known] = ~self.is_unknown[page[is_known]]
        rows, page, fragments = rows[is_known], page[is_known], fragments[is_known]
        place = self.keys.searchsorted(_part_keys(page, fragments))
        exist[rows] = ~self.is_missing[place]
        return exist


_UNKNOWN = -1


def _fragments(links: _Links) -> tuple[Int64, Int64]:
    """Return the links (l,) to parts of pages, and the keys (l,) of the names of these parts."""
    is_link = np.array([code.use == "link" and not code.scripted for code in links.codes], np.bool_)
    rows = (is_link[links.code] & (links.parts != 0)).nonzero()[0]
    return rows, links.parts[rows]


def _part_keys(page: Int64, name: Int64) -> Int64:
    """Return the keys of parts of pages by the number of the page and the key of the name."""
    keys: Int64 = page * np.int64(0x9E3779B97F4A7C1) ^ name
    return keys


def _columns(links: _Links, ends: _Ends, exist: Int8, resolver: LinkResolver) -> dict[str, Any]:
    """Return the columns `LINK_COLUMNS` of some references."""
    arrow = require("pyarrow", "store", "Audits")
    text = arrow.string()
    of_link = arrow.array(ends.of_link)
    of_code = arrow.array(links.code)
    pages = [resolver.pages[end.page] if end.page >= 0 else None for end in ends.ends]
    redirects = [list(end.redirects) for end in ends.ends]
    places = {
        name: arrow.array([getattr(code, name) for code in links.codes], text).take(of_code)
        for name in ("element", "attribute", "use", "position")
    }
    return {
        "source": links.pages.take(arrow.array(links.owner)),
        "target": arrow.array(ends.targets, text).take(of_link),
        "text": links.texts,
        "rel": links.rels,
        "outcome": arrow.array([end.outcome for end in ends.ends], text).take(of_link),
        "page": arrow.array(pages, text).take(of_link),
        "status": arrow.array([end.status for end in ends.ends], arrow.int64()).take(of_link),
        "redirects": arrow.array(redirects, arrow.list_(text)).take(of_link),
        "node": links.nodes,
        "part_exists": arrow.array(exist == 1, mask=exist == _UNKNOWN),
        **places,
    }
