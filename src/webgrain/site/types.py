"""Join the stages: pages and a search log, or what stands in for one, become the types of a site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from webgrain.engines.guard import run_step
from webgrain.errors import InputError, ParameterError
from webgrain.io.queries import SearchLog
from webgrain.page.page import Page, Source
from webgrain.page.paths import Path
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pathcounts import SiteStatistics
from webgrain.pagetypes.pseudoqueries import PseudoQueries
from webgrain.pagetypes.typemodel import Assignment, TypeModel
from webgrain.pagetypes.typenames import Kind, name_types, same_places
from webgrain.pipeline import Item, Layout, pages
from webgrain.results import Article, Clustering, Failure

Record = dict[str, Any]


T = TypeVar("T")

_PARSED = Layout(render="none")


@dataclass(slots=True)
class Learnt:
    """The types of a site, and what was read for them.

    Attributes:
        clustering, model: what was learnt.
        statistics: of the pages; urls: of those that have one, by id.
        failures: pages that could not be read.
        log: the search log; None: pseudo-queries stood in for one.
        anchors: texts of links to each page, by its id, where they had to be collected.
    """

    clustering: Clustering
    model: TypeModel
    statistics: SiteStatistics
    urls: dict[str, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    log: SearchLog | None = None
    anchors: Mapping[str, Mapping[str, int]] | None = None

    @property
    def source(self) -> str:
        """What the key paths were matched with, in words."""
        if self.log is None:
            return "pseudo-queries: no search log, but anchor texts, titles and headings"
        told = f"{self.log.matched:,} of {self.log.rows:,} rows of the search log are of these pages"
        told += f", {self.log.unused:,} have no words or no address" if self.log.unused else ""
        return told if self.log.joined else f"{told}; it does not say which query led to which page"

    def names(self, articles: Mapping[str, Sequence[Article]] | None = None) -> dict[str, str]:
        """Return names of the types for people, by label; articles: what some pages of each say, by label."""
        addresses: dict[int, list[str]] = defaultdict(list)
        for page, kind in zip(self.clustering.pages, self.clustering.labels.tolist(), strict=True):
            addresses[kind].append(self.urls.get(page, page))
        kinds = {}
        for kind, one in enumerate(self.clustering.types):
            said = (articles or {}).get(one.label, ())
            titles, verdicts = [each.title for each in said], [each.verdict for each in said]
            kinds[one.label] = Kind(addresses[kind], titles, verdicts, one.key_path)
        return name_types(kinds)

    def renamed(self, before: TypeModel) -> Learnt:
        """Return the same types, labelled as those of an earlier model where their key paths are the same."""
        old = [rule.key_path for rule in before.rules]
        found = same_places([rule.key_path for rule in self.model.rules], old)
        kept = {before.rules[j].label for j in found if j is not None}
        names = [
            before.rules[j].label if j is not None else f"{rule.label}{'-new' if rule.label in kept else ''}"
            for rule, j in zip(self.model.rules, found, strict=True)
        ]
        rules = tuple(map(_named, self.model.rules, names))
        types = tuple(map(_named, self.clustering.types, names))
        return replace(
            self, model=replace(self.model, rules=rules), clustering=replace(self.clustering, types=types)
        )

    def records(self) -> Iterator[Record]:
        """Yield the record of each page."""
        for page, kind, sure in zip(
            self.clustering.pages,
            self.clustering.labels.tolist(),
            self.clustering.confidence.tolist(),
            strict=True,
        ):
            type_ = self.clustering.types[kind]
            yield page_record(page, self.urls.get(page), type_.label, type_.key_path, sure)


def learn_types(
    read: Callable[[], Iterable[Item]],
    method: KeyClus,
    log: SearchLog | None = None,
    *,
    failed: Callable[[Failure], object] | None = None,
) -> Learnt:
    """Learn the types of a site.

    read: gives the pages, from their beginning each time: once with a log, twice without; failed: is told of
    each page that fails, at once. `InputError` where there is no page, or the log is of other pages.

    >>> from webgrain.pagetypes.keyclus import KeyClus
    >>> from webgrain.page.page import Source
    >>> site = [Source(f"{k}.html", f"<h1>Page {k}</h1>".encode()) for k in range(5)]
    >>> learnt = learn_types(lambda: site, KeyClus())
    >>> len(learnt.clustering), learnt.source
    (1, 'pseudo-queries: no search log, but anchor texts, titles and headings')
    """
    names = _pseudo(read()) if log is None else None
    named = names.queries() if names else {}
    statistics, urls, failures = SiteStatistics(), {}, []
    for page in pages(read(), _PARSED):
        done = run_step(page, "count", partial(_count, statistics, log, named))
        if isinstance(done, Failure):
            failures.append(done)
            if failed:
                failed(done)
        elif done.url:
            urls[done.id] = done.url
    if log is not None and len(statistics) and not log.matched:
        raise InputError(
            f"None of the {log.rows:,} rows of the search log is of one of the {len(statistics):,} pages: "
            "are its addresses those of this site?"
        )
    method = method.fit_statistics(statistics)
    if method.clustering_ is None or method.model_ is None:
        raise ParameterError("The method has learnt nothing.")
    anchors = names.anchors if names else None
    return Learnt(method.clustering_, method.model_, statistics, urls, failures, log, anchors)


def assign_types(items: Iterable[Item], model: TypeModel, *, raw: bool = False) -> Iterator[Record | Failure]:
    """Yield the record of each page with its type by a model.

    raw: parse only pages whose bytes do not tell their type; a type seen in the bytes has no confidence.
    """
    if raw:
        for item in items:
            seen = model.assign_bytes(item.body) if isinstance(item, Source) else None
            if isinstance(item, Source) and seen is not None:
                yield page_record(item.id, item.url, seen.type, seen.key_path, seen.confidence)
            else:
                yield from assign_types([item], model)
        return
    for page in pages(items, _PARSED):
        found = run_step(page, "types", lambda page: (page, model.assign(page)))
        yield found if isinstance(found, Failure) else _assigned(*found)


def page_record(
    page: str, url: str | None, kind: str | None, path: Path | None, sure: float | None
) -> Record:
    """Return the record of a page, ready for JSON; a type of None is an unknown one."""
    key_path = {"css": path.css, "xpath": path.xpath} if path else None
    return {
        "page": page,
        "url": url,
        "type": kind,
        "key_path": key_path,
        "confidence": sure if sure is None else round(sure, 3),
    }


def wanted(items: Iterable[Item], ids: Iterable[str]) -> Iterator[Page]:
    """Yield those pages that have one of these ids; others are not even parsed."""
    names = frozenset(ids)
    some = (item for item in items if not isinstance(item, Failure) and item.id in names)
    yield from (page for page in pages(some, _PARSED) if not isinstance(page, Failure))


def _named(what: T, label: str) -> T:
    return replace(what, label=label)  # type: ignore[type-var]


def _count(
    statistics: SiteStatistics, log: SearchLog | None, named: Mapping[str, Mapping[str, int]], page: Page
) -> Page:
    statistics.add(page, log.queries_for(page) if log is not None else named.get(page.id))
    return page


def _pseudo(items: Iterable[Source | Page | Failure]) -> PseudoQueries:
    names = PseudoQueries()
    for page in pages(items, _PARSED):
        run_step(page, "count", names.add)
    return names


def _assigned(page: Page, found: Assignment) -> Record:
    return page_record(page.id, page.url, found.type, found.key_path, found.confidence)
