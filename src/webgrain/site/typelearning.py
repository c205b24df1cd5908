"""Learn the page types of a site, by any method, and assign types to pages.

`learn_types` returns `LearntTypes`. The pages are read once, or twice for a method that needs queries without
a search log: pseudo-queries take their place.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.documents.article import Article
from webgrain.engines.groups import run_in_turns, single_step
from webgrain.engines.guard import run_all, run_step, run_together
from webgrain.io.queries import SearchLog
from webgrain.io.read import Item
from webgrain.io.thresholds import SHOWN_QUERIES
from webgrain.io.write import Record
from webgrain.page.page import Page
from webgrain.page.paths import Path, path_matches
from webgrain.page.turns import alone, in_turns, page_bytes, page_groups
from webgrain.pagetypes.clustering import Clustering
from webgrain.pagetypes.descriptions import Assignment, TypesMethod, TypesModel
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel, inherited_labels
from webgrain.pagetypes.pathcounts import PathCounts, ReadPaths
from webgrain.pagetypes.pseudoqueries import PseudoQueries
from webgrain.pagetypes.typenames import TypeFacts, name_types
from webgrain.site.pipeline import parsed_groups, parsed_pages


def learn_types(
    read: Callable[[], Iterable[Item]],
    method: TypesMethod,
    log: SearchLog | None = None,
    *,
    failed: Callable[[Failure], object] = lambda failure: None,
    only: Collection[str] | None = None,
) -> LearntTypes:
    """Learn the types of a site.

    read: returns the pages, from the beginning each time: called twice for a method that needs queries if
    there is no log, otherwise once; failed: is called with each page that fails; only: the ids of the pages
    to learn from; None: all. If no row of the log is of these pages, it is not used, see
    `LearntTypes.unused_log`. `InputError` without a page.

    >>> from webgrain.page.page import Source
    >>> from webgrain.pagetypes.pagetypes import PageTypes
    >>> site = [Source(f"{k}.html", f"<h1>Page {k}</h1>".encode()) for k in range(5)]
    >>> learnt = learn_types(lambda: site, PageTypes())
    >>> len(learnt.clustering), learnt.source
    (1, 'learnt from the structure of the pages')
    """
    by_pseudo_queries = log is None and method.by_queries
    pseudo_queries, without = _pseudo_queries(read()) if by_pseudo_queries else ({}, [])
    counted = CountedPages(method.new_counts())
    for page in parsed_pages(read()):
        counted.add(page, log, pseudo_queries, only)
    failed_pages = {failure.page for failure in counted.failures}
    counted.failures += [failure for failure in without if failure.page not in failed_pages]
    for failure in counted.failures:
        failed(failure)
    if method.by_queries and log is not None and len(counted.counts) and not log.matched:
        learnt = learn_types(read, method, only=only)
        learnt = replace(learnt, unused_log=_unused_log(log, len(counted.counts), method))
    else:
        learnt = learn_counted(counted, method, log)
    for failure in learnt.failures[len(counted.failures) :]:
        failed(failure)
    return learnt


def learn_counted(counted: CountedPages, method: TypesMethod, log: SearchLog | None = None) -> LearntTypes:
    """Learn the types of pages that are counted; log: of which each page was looked up, see `learn_types`."""
    unused_log = ""
    if log is not None and len(counted.counts) and not log.matched:
        unused_log = _unused_log(log, len(counted.counts), method)
        log = None
    counts, failures = _fitted(method, counted.counts)
    if method.clustering_ is None or method.model_ is None:
        raise ParameterError(f"{type(method).__name__} has learnt no types.")
    return LearntTypes(
        clustering=method.clustering_,
        model=method.model_,
        counts=counts,
        urls=counted.urls,
        failures=[*counted.failures, *failures],
        log=log,
        searched=counted.searched,
        unused_log=unused_log,
    )


def _fitted(method: TypesMethod, counts: Any) -> tuple[Any, list[Failure]]:
    """Fit a method to the counts of pages, without a page at which it fails; return those that were used."""

    def fit(pages: Sequence[int]) -> Any:
        used = counts if len(pages) == len(counts) else counts.part(pages)
        method.fit_counts(used)
        return used

    used, failures = run_together(range(len(counts)), counts.ids, "types", fit)
    if used is None:
        raise InputError(f"No types can be learnt: {failures[0].error}")
    return used, failures


@dataclass(slots=True)
class LearntTypes:
    """The page types of a site.

    Attributes:
        clustering, model: the types of the pages, and the model that assigns other pages.
        counts: what the method has counted of the pages.
        urls: of the pages that have one, by id.
        failures: pages that could not be read.
        log: the search log, if it was used.
        searched: the clicks of the most clicked queries that led to each page, by its id.
        unused_log: a sentence about a search log that has no row of these pages; empty for none.
    """

    clustering: Clustering
    model: TypesModel
    counts: Any = None
    urls: dict[str, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    log: SearchLog | None = None
    searched: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unused_log: str = ""

    @property
    def source(self) -> str:
        """A sentence about what the types were learnt from."""
        log = self.log
        by_structure = self.clustering.method == PageTypes.method
        if log is None and by_structure:
            return "learnt from the structure of the pages"
        if log is None:
            return "pseudo-queries: no search log, but anchor texts, titles and headings"
        text = f"{log.matched:,} of {log.rows:,} rows of the search log are of these pages"
        if log.unused:
            text += f", {log.unused:,} have no words or no address"
        if not log.joined:
            text += "; it does not contain which query led to which page"
        return f"learnt from the structure of the pages; {text}" if by_structure else text

    def queries(self, type_: int, most: int = SHOWN_QUERIES) -> tuple[str, ...]:
        """Return the queries of the search log that led to the pages of a type most often."""
        clicks: Counter[str] = Counter()
        for page, number in zip(self.clustering.pages, self.clustering.labels.tolist(), strict=True):
            if number == type_:
                clicks.update(self.searched.get(page, {}))
        most_clicked = sorted(clicks, key=lambda query: (-clicks[query], query))
        return tuple(most_clicked[:most])

    def names(self, articles: Mapping[str, Sequence[Article]] | None = None) -> dict[str, str]:
        """Return the display names of the types by label; articles: of some pages of each, by label."""
        addresses: defaultdict[int, list[str]] = defaultdict(list)
        for page, number in zip(self.clustering.pages, self.clustering.labels.tolist(), strict=True):
            addresses[number].append(self.urls.get(page, page))
        facts = {}
        for number, type_ in enumerate(self.clustering.types):
            articles_of_type = (articles or {}).get(type_.label, ())
            titles = [article.title for article in articles_of_type]
            kinds = [article.kind for article in articles_of_type]
            facts[type_.label] = TypeFacts(addresses[number], titles, kinds)
        return name_types(facts)

    def renamed(self, before: TypesModel) -> LearntTypes:
        """Return the same types with the labels of an earlier model.

        Types of `PageTypes` are matched by their pages, others by their key paths.
        """
        if isinstance(before, TypeModel) and isinstance(self.counts, PathCounts):
            return self._relabelled(inherited_labels(self.clustering, self.counts.traits, before))
        new = {rule.label: rule.key_path for rule in self.model.rules}
        old = {rule.label: rule.key_path for rule in before.rules}
        old_labels = list(old)
        label_of = {}
        for label, number in zip(new, match_key_paths(list(new.values()), list(old.values())), strict=True):
            if number is not None:
                label_of[label] = old_labels[number]
        inherited = set(label_of.values())
        for label in new:
            if label not in label_of and label in inherited:
                label_of[label] = f"{label}-new"
        return self._relabelled(label_of)

    def _relabelled(self, label_of: Mapping[str, str]) -> LearntTypes:
        clustering = self.clustering.relabelled(label_of)
        model = self.model.relabelled(label_of)
        return replace(self, model=model, clustering=clustering)

    def records(self) -> Iterator[Record]:
        """Yield the record of each page."""
        clustering = self.clustering
        numbers = clustering.labels.tolist()
        confidences = clustering.confidence.tolist()
        for page, number, confidence in zip(clustering.pages, numbers, confidences, strict=True):
            type_ = clustering.types[number]
            known = None if np.isnan(confidence) else confidence
            assigned = Assignment(type_.label, type_.key_path, known)
            yield page_record(page, self.urls.get(page), assigned)


def _pseudo_queries(items: Iterable[Item]) -> tuple[Mapping[str, Mapping[str, int]], list[Failure]]:
    """Return the queries that anchor texts, titles and headings give to each page, by its id.

    The second value has the pages that give none, since a step fails at them.
    """
    pseudo = PseudoQueries()
    failures = []
    for page in parsed_pages(items):
        read = run_step(page, "count", pseudo.read)
        if isinstance(read, Failure):
            failures.append(read)
        else:
            pseudo.store(read)
    return pseudo.queries(), failures


@dataclass(slots=True)
class CountedPages:
    """What is counted of the pages. The attributes are those of `LearntTypes`."""

    counts: Any
    urls: dict[str, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    searched: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(
        self,
        page: Page | Failure,
        log: SearchLog | None = None,
        pseudo_queries: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        only: Collection[str] | None = None,
    ) -> None:
        """Count a page, or a page that failed.

        log: the search log; pseudo_queries: those of each page that take its place; only: the ids of the
        pages that are counted; None: all.
        """
        if isinstance(page, Failure):
            self.failures.append(page)
            return
        if only is None or page.id in only:
            searched = Counter[str]() if log is None else self.look_up(page, log)
            queries = pseudo_queries.get(page.id) if log is None else searched
            # What is read is stored outside of the limits, so a page that fails leaves no trace.
            read = run_step(page, "count", lambda page: self.counts.read(page, queries))
            if isinstance(read, Failure):
                self.failures.append(read)
                return
            self.counts.store(read)
        if page.url:
            self.urls[page.id] = page.url

    def add_in_turns(self, pages: Sequence[Page]) -> None:
        """Count pages that take turns; the counts must be `PathCounts`."""
        for group in page_groups(pages, page_bytes):
            for page, read in zip(group, self._read_in_turns(group), strict=True):
                if isinstance(read, Failure):
                    self.failures.append(read)
                    continue
                self.counts.store(read)
                if page.url:
                    self.urls[page.id] = page.url

    def _read_in_turns(self, group: Sequence[Page]) -> list[ReadPaths | Failure]:
        def together(numbers: Sequence[int]) -> list[ReadPaths | Exception]:
            return in_turns(self.counts.reading(group[number]) for number in numbers)

        return run_all(group, "count", together, lambda number: alone(self.counts.reading(group[number])))

    def look_up(self, page: Page, log: SearchLog) -> Counter[str]:
        """Return the queries that led to a page, and note the most clicked ones; none if that fails."""
        queries = run_step(page, "count", log.queries_for)
        if isinstance(queries, Failure):
            self.failures.append(queries)
            return Counter()
        if queries:
            self.searched[page.id] = dict(queries.most_common(SHOWN_QUERIES))
        return queries

    def merge(self, other: CountedPages) -> None:
        """Add the counts of other pages of the site; `InputError` if both contain the same page."""
        self.counts.merge(other.counts)
        self.urls |= other.urls
        self.failures += other.failures
        self.searched |= other.searched


def _unused_log(log: SearchLog, pages: int, method: TypesMethod) -> str:
    """Return a sentence about a search log that has no row of the pages."""
    sentence = f"None of the {log.rows:,} rows of the search log is of one of the {pages:,} pages"
    return sentence + ("; anchor texts, titles and headings are used." if method.by_queries else ".")


def assign_types(items: Iterable[Item], model: TypesModel) -> Iterator[Record | Failure]:
    """Yield the record of each page with its type by a model."""
    record = single_step(lambda page: page_record(page.id, page.url, model.assign(page)))
    for group in parsed_groups(items):
        yield from run_in_turns(group, "types", record)


def page_record(page: str, url: str | None, assigned: Assignment) -> Record:
    """Return the record of a page, ready for JSON; a type of None is unknown."""
    path, confidence = assigned.key_path, assigned.confidence
    return {
        "page": page,
        "url": url,
        "type": assigned.type,
        "key_path": {"css": path.css, "xpath": path.xpath} if path else None,
        "confidence": None if confidence is None else round(confidence, 3),
    }


def select_pages(items: Iterable[Item], ids: Iterable[str]) -> Iterator[Page]:
    """Yield the pages with these ids; others are not parsed."""
    names = frozenset(ids)
    chosen = (item for item in items if not isinstance(item, Failure) and item.id in names)
    for page in parsed_pages(chosen):
        if not isinstance(page, Failure):
            yield page


def match_key_paths(new: Sequence[Path | None], old: Sequence[Path | None]) -> list[int | None]:
    """Return for each new key path the number of the old one that leads to the same place, each at most once.

    Equal paths come first, then those that match in both directions.

    >>> from webgrain.page.paths import Path, Step
    >>> a, b = Path((Step("html"), Step("h1"))), Path((Step("html"), Step("h2")))
    >>> match_key_paths([b, a, None], [a, b])
    [1, 0, None]
    """
    matches: list[int | None] = [None] * len(new)
    free = {number: path for number, path in enumerate(old) if path is not None}
    for is_same in (operator.eq, _match_each_other):
        for number, path in enumerate(new):
            if path is None or matches[number] is not None:
                continue
            for other_number, other in sorted(free.items()):
                if is_same(path, other):
                    matches[number] = other_number
                    del free[other_number]
                    break
    return matches


def _match_each_other(path: Path, other: Path) -> bool:
    return path_matches(path, other) and path_matches(other, path)
