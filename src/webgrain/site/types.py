"""The page types of a site from its pages and a search log, or pseudo-queries in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from webgrain.engines.guard import run_step
from webgrain.errors import InputError, ParameterError
from webgrain.io.queries import SearchLog
from webgrain.page.page import Page
from webgrain.page.paths import Path
from webgrain.pagetypes.descriptions import TypeFacts, name_types
from webgrain.pagetypes.keyclus import Assignment, KeyPathEstimator, TypeModel, path_matches
from webgrain.pagetypes.pathcounts import PathCounts, PseudoQueries
from webgrain.pipeline import Item, Layout, pages
from webgrain.results import Article, Clustering, Failure

Record = dict[str, Any]

T = TypeVar("T")

_PARSED = Layout(render="none")


@dataclass(slots=True)
class LearntTypes:
    """The page types of a site.

    Attributes:
        clustering, model: the types of the pages, and the model that assigns other pages.
        counts: path counts of the pages; urls: of the pages that have one, by id.
        failures: pages that could not be read.
        log: the search log; None: pseudo-queries were used.
        anchors: texts of the links to each page, by its id, if pseudo-queries were used.
    """

    clustering: Clustering
    model: TypeModel
    counts: PathCounts
    urls: dict[str, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    log: SearchLog | None = None
    anchors: Mapping[str, Mapping[str, int]] | None = None

    @property
    def source(self) -> str:
        """A sentence about the queries that the key paths were matched with."""
        log = self.log
        if log is None:
            return "pseudo-queries: no search log, but anchor texts, titles and headings"
        text = f"{log.matched:,} of {log.rows:,} rows of the search log are of these pages"
        text += f", {log.unused:,} have no words or no address" if log.unused else ""
        return text if log.joined else f"{text}; it does not contain which query led to which page"

    def names(self, articles: Mapping[str, Sequence[Article]] | None = None) -> dict[str, str]:
        """Return the display names of the types by label; articles: of some pages of each, by label."""
        addresses: dict[int, list[str]] = defaultdict(list)
        for page, type_ in zip(self.clustering.pages, self.clustering.labels.tolist(), strict=True):
            addresses[type_].append(self.urls.get(page, page))
        facts = {}
        for number, type_ in enumerate(self.clustering.types):
            some = (articles or {}).get(type_.label, ())
            titles, verdicts = [article.title for article in some], [article.verdict for article in some]
            facts[type_.label] = TypeFacts(addresses[number], titles, verdicts, type_.key_path)
        return name_types(facts)

    def renamed(self, before: TypeModel) -> LearntTypes:
        """Return the same types with the labels of an earlier model where their key paths match."""
        pairs = match_key_paths(
            [rule.key_path for rule in self.model.rules], [rule.key_path for rule in before.rules]
        )
        kept = {before.rules[j].label for j in pairs if j is not None}
        labels = [
            before.rules[j].label if j is not None else f"{rule.label}{'-new' if rule.label in kept else ''}"
            for rule, j in zip(self.model.rules, pairs, strict=True)
        ]
        rules = tuple(
            replace(rule, label=label) for rule, label in zip(self.model.rules, labels, strict=True)
        )
        types = tuple(
            replace(type_, label=label) for type_, label in zip(self.clustering.types, labels, strict=True)
        )
        model, clustering = replace(self.model, rules=rules), replace(self.clustering, types=types)
        return replace(self, model=model, clustering=clustering)

    def records(self) -> Iterator[Record]:
        """Yield the record of each page."""
        found = self.clustering
        rows = zip(found.pages, found.labels.tolist(), found.confidence.tolist(), strict=True)
        for page, label, confidence in rows:
            type_ = found.types[label]
            known = None if np.isnan(confidence) else confidence
            yield page_record(page, self.urls.get(page), Assignment(type_.label, type_.key_path, known))


def learn_types(
    read: Callable[[], Iterable[Item]],
    method: KeyPathEstimator,
    log: SearchLog | None = None,
    *,
    failed: Callable[[Failure], object] | None = None,
) -> LearntTypes:
    """Learn the types of a site.

    read: returns the pages, from the beginning each time: called once with a log, twice without; failed: is
    called with each page that fails. `InputError` if there is no page, or the log is of other pages.

    >>> from webgrain.page.page import Source
    >>> from webgrain.pagetypes.pagetypes import PageTypes
    >>> site = [Source(f"{k}.html", f"<h1>Page {k}</h1>".encode()) for k in range(5)]
    >>> learnt = learn_types(lambda: site, PageTypes())
    >>> len(learnt.clustering), learnt.source
    (1, 'pseudo-queries: no search log, but anchor texts, titles and headings')
    """
    pseudo = PseudoQueries() if log is None else None
    if pseudo is not None:
        for page in pages(read(), _PARSED):
            run_step(page, "count", pseudo.add)
    queries: Mapping[str, Mapping[str, int]] = pseudo.queries() if pseudo else {}
    counts, urls, failures = PathCounts(), {}, []

    def add(page: Page) -> Page:
        counts.add(page, log.queries_for(page) if log is not None else queries.get(page.id))
        return page

    for page in pages(read(), _PARSED):
        done = run_step(page, "count", add)
        if isinstance(done, Failure):
            failures.append(done)
            if failed:
                failed(done)
        elif done.url:
            urls[done.id] = done.url
    if log is not None and len(counts) and not log.matched:
        raise InputError(
            f"None of the {log.rows:,} rows of the search log is of one of the {len(counts):,} pages: "
            "are its addresses those of this site?"
        )
    method = method.fit_counts(counts)
    if method.clustering_ is None or method.model_ is None:
        raise ParameterError(f"{type(method).__name__} has learnt no types.")
    anchors = pseudo.anchors if pseudo else None
    return LearntTypes(method.clustering_, method.model_, counts, urls, failures, log, anchors)


def assign_types(items: Iterable[Item], model: TypeModel) -> Iterator[Record | Failure]:
    """Yield the record of each page with its type by a model."""
    for page in pages(items, _PARSED):
        yield run_step(page, "types", partial(_assign, model))


def _assign(model: TypeModel, page: Page) -> Record:
    return page_record(page.id, page.url, model.assign(page))


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
    some = (item for item in items if not isinstance(item, Failure) and item.id in names)
    yield from (page for page in pages(some, _PARSED) if not isinstance(page, Failure))


def match_key_paths(new: Sequence[Path | None], old: Sequence[Path | None]) -> list[int | None]:
    """Return for each new key path the number of the old one that leads to the same place, each at most once.

    Equal paths come first, then those that match in both directions.

    >>> from webgrain.page.paths import Path, Step
    >>> a, b = Path((Step("html"), Step("h1"))), Path((Step("html"), Step("h2")))
    >>> match_key_paths([b, a, None], [a, b])
    [1, 0, None]
    """
    found: list[int | None] = [None] * len(new)
    free = {k: path for k, path in enumerate(old) if path is not None}
    for equal in (True, False):
        for k, path in enumerate(new):
            if path is None or found[k] is not None:
                continue
            for j, other in sorted(free.items()):
                both = path_matches(path, other) and path_matches(other, path)
                if path == other if equal else both:
                    found[k] = j
                    del free[j]
                    break
    return found
