"""Learn the model of a site: types, templates, texts, selectors of titles and texts, boilerplate.

`learn_types` learns the page types only, with a search log or with pseudo-queries in its place; `learn_site`
learns everything. The methods learn from a sample of the pages, so time and memory do not grow with the site.
The sample is read in three passes: for the search log or pseudo-queries, for the paths, and for templates and
texts.

`apply_verdicts` merges and splits types as a reviewer has decided. Source: Chakrabarti, Mehta, The paths more
taken, WWW 2010, section 4.1: editors view pages of each cluster; clusters that look alike are merged, those
that are not homogeneous are split with other thresholds, and the process is repeated. A split type is learnt
again from its own pages; KeyClus then ignores paths that nearly all of them have.
"""

from __future__ import annotations

import heapq
import pathlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np

from webgrain import __version__
from webgrain.arrays import Float64
from webgrain.engines.guard import run_step
from webgrain.errors import ParameterError
from webgrain.extraction.boilerplate import boilerplate_probability, find_boilerplate
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.extraction.sitetexts import SiteTexts
from webgrain.io.local import json_lines
from webgrain.io.queries import SearchLog
from webgrain.lists.features import TextCounter
from webgrain.page.addresses import css_paths
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Path, text_key
from webgrain.pagetypes.descriptions import OTHER, Assignment, TypeFacts, TypesModel, name_types
from webgrain.pagetypes.keyclus import KeyClus, path_matches
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel, inherited_labels
from webgrain.pagetypes.pathcounts import PathCounts, PseudoQueries
from webgrain.pipeline import Item, Layout, pages
from webgrain.results import Article, Clustering, Failure, PageType
from webgrain.site.model import Marks, SiteModel, SplitModel
from webgrain.site.thresholds import MIN_TEMPLATE_PAGES, SPLIT_PRESENCE, TEMPLATE_PAGES, TEXT_PAGES
from webgrain.templates.profile import Use
from webgrain.templates.regextree import Match, RegexTree
from webgrain.templates.sections import Sectioner
from webgrain.templates.template import Symbol, Template, TypedTree, typed_tree

Record = dict[str, Any]

VERDICTS = ("homogeneous", "merge", "split", "unsure")
"""Kinds of verdicts on a type."""

_PARSED = Layout(render="none")


@dataclass(slots=True)
class LearntTypes:
    """The page types of a site.

    Attributes:
        clustering, model: the types of the pages, and the model that assigns other pages.
        counts: what the method has counted of the pages.
        urls: of the pages that have one, by id.
        failures: pages that could not be read.
        log: the search log; None: pseudo-queries were used.
        anchors: texts of the links to each page, by its id, if pseudo-queries were used.
        unused_log: a sentence about a search log that has no row of these pages; empty for none.
    """

    clustering: Clustering
    model: TypesModel
    counts: Any = None
    urls: dict[str, str] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    log: SearchLog | None = None
    anchors: Mapping[str, Mapping[str, int]] | None = None
    unused_log: str = ""

    @property
    def source(self) -> str:
        """A sentence about what the types were learnt from."""
        if isinstance(self.model, TypeModel):
            return f"learnt from the structure of the pages{', without the search log' if self.log else ''}"
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

    def renamed(self, before: TypesModel) -> LearntTypes:
        """Return the same types with the labels of an earlier model.

        Types of `PageTypes` are matched by their pages, others by their key paths.
        """
        if isinstance(before, TypeModel) and isinstance(self.counts, PathCounts):
            return self._relabelled(inherited_labels(self.clustering, self.counts.traits, before))
        new = {rule.label: rule.key_path for rule in self.model.rules}
        old = {rule.label: rule.key_path for rule in before.rules}
        found = match_key_paths(list(new.values()), list(old.values()))
        label_of = {label: list(old)[j] for label, j in zip(new, found, strict=True) if j is not None}
        kept = set(label_of.values())
        label_of |= {label: f"{label}-new" for label in new if label not in label_of and label in kept}
        return self._relabelled(label_of)

    def _relabelled(self, label_of: Mapping[str, str]) -> LearntTypes:
        clustering = self.clustering.relabelled(label_of)
        return replace(self, model=self.model.relabelled(label_of), clustering=clustering)

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
    method: PageTypes | KeyClus,
    log: SearchLog | None = None,
    *,
    failed: Callable[[Failure], object] | None = None,
    only: Collection[str] | None = None,
) -> LearntTypes:
    """Learn the types of a site.

    read: returns the pages, from the beginning each time: called twice for `KeyClus` without a log, otherwise
    once; failed: is called with each page that fails; only: the ids of the pages to learn from; None: all. A
    log without a row of these pages is replaced by pseudo-queries, see `LearntTypes.unused_log`. `InputError`
    if there is no page.

    >>> from webgrain.page.page import Source
    >>> from webgrain.pagetypes.pagetypes import PageTypes
    >>> site = [Source(f"{k}.html", f"<h1>Page {k}</h1>".encode()) for k in range(5)]
    >>> learnt = learn_types(lambda: site, PageTypes())
    >>> len(learnt.clustering), learnt.source
    (1, 'learnt from the structure of the pages')
    """
    pseudo = _pseudo_queries(read() if log is None and isinstance(method, KeyClus) else ())
    queries: Mapping[str, Mapping[str, int]] = pseudo.queries()
    counts: Any = method.new_counts()
    urls, failures = dict[str, str](), list[Failure]()

    def add(page: Page) -> Page:
        if only is None or page.id in only:
            counts.add(page, log.queries_for(page) if log is not None else queries.get(page.id))
        if log is None and isinstance(method, PageTypes):
            pseudo.add(page)
        return page

    for done in (run_step(page, "count", add) for page in pages(read(), _PARSED)):
        if isinstance(done, Failure):
            failures.append(done)
        elif done.url:
            urls[done.id] = done.url
    list(map(failed, failures)) if failed else None
    if log is not None and len(counts) and not log.matched:
        reason = (
            f"None of the {log.rows:,} rows of the search log is of one of the {len(counts):,} pages; anchor "
            "texts, titles and headings are used as pseudo-queries."
        )
        return replace(learn_types(read, method, only=only), failures=failures, unused_log=reason)
    method = method.fit_counts(counts)
    if method.clustering_ is None or method.model_ is None:
        raise ParameterError(f"{type(method).__name__} has learnt no types.")
    anchors = pseudo.anchors if log is None else None
    return LearntTypes(method.clustering_, method.model_, counts, urls, failures, log, anchors)


def _pseudo_queries(items: Iterable[Item]) -> PseudoQueries:
    pseudo = PseudoQueries()
    for page in pages(items, _PARSED):
        run_step(page, "count", pseudo.add)
    return pseudo


def assign_types(items: Iterable[Item], model: TypesModel) -> Iterator[Record | Failure]:
    """Yield the record of each page with its type by a model."""
    for page in pages(items, _PARSED):
        yield run_step(page, "types", partial(_assign, model))


def _assign(model: TypesModel, page: Page) -> Record:
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


@dataclass(frozen=True, slots=True, eq=False)
class TypePages:
    """Some pages of a type.

    Attributes:
        pages: their visible trees; articles: their titles and texts.
        cutter: sections them by the template of the type; None: the type has no template.
        matches: the match of each page with the template; empty without one.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<ul><li>Home<li>News</ul><h1>Page {0}</h1><p>Some words on {0}"
    >>> pages = [parse(Source(name, html.format(name).encode())) for name in "abc"]
    >>> found = TypePages.learn(pages, site_texts(pages))
    >>> print(found.cutter.template)
    html[body[ul[(li[#text])*] h1[#text] p[#text]]]
    >>> [match.score for match in found.matches]
    [1.0, 1.0, 1.0]
    """

    pages: tuple[TypedTree, ...]
    articles: tuple[Article, ...]
    cutter: Sectioner | None
    matches: tuple[Match, ...]

    @classmethod
    def learn(cls, pages: Sequence[Page], texts: SiteTexts, *, template: bool = True) -> Self:
        """Return the results for some pages of a type; template: whether to learn a template."""
        trees = tuple(map(typed_tree, pages))
        cutter = _cutter(trees) if template else None
        matches = tuple(map(cutter.match, trees)) if cutter else ()
        reader = SinglePage()
        articles = tuple(reader.predict(page, texts) for page in pages)
        return cls(trees, articles, cutter, matches)

    def boilerplate(self, texts: SiteTexts) -> Iterator[tuple[Page, Float64]]:
        """Yield the pages with the probability (n,) of boilerplate of each leaf; none without a template."""
        for tree, match in zip(self.pages, self.matches, strict=False):
            if self.cutter:
                noise = self.cutter.noise(tree, match)
                yield tree.page, boilerplate_probability(tree.page, tree.tree, texts, noise)

    def places(self) -> tuple[str, str]:
        """Return the selectors of the title and of the main text on most of the pages."""
        titles, mains = Counter[str](), Counter[str]()
        matches = self.matches or [None] * len(self.pages)
        for tree, article, match in zip(self.pages, self.articles, matches, strict=True):
            title = [block.node for block in article.blocks if block.kind == "title"]
            main = article.nodes
            found = (_selector(tree.page, node, match) for node in title)
            titles.update(css for css in found if css != "html" and "head" not in css.split(" > ")[1:2])
            if main:
                mains[_selector(tree.page, _around(tree.page.dom, main), match)] += 1
        return _usual(titles), _usual(mains)


def _cutter(trees: Sequence[TypedTree]) -> Sectioner | None:
    """Return the sectioner of a type; None if it has too few pages, or pages without common structure."""
    if len(trees) < MIN_TEMPLATE_PAGES:
        return None
    try:
        template = RegexTree().fit(trees).template_
    except ParameterError:
        return None
    return Sectioner(template=template) if template else None


def _selector(page: Page, node: int, match: Match | None) -> str:
    """Return a selector of a node that is valid on other pages too, according to the template."""
    if match is None:
        return css_paths(page.dom, [node])[0]
    while match.labels[node] < 0 <= page.dom.parent[node]:
        node = int(page.dom.parent[node])
    steps: list[str] = []
    at, template = int(match.labels[node]), match.template
    while at >= 0 and not (steps and "#" in steps[-1]):
        if template.symbols[at][0].tag != "#text":
            steps.append(_step(template.symbols[at]))
        at = int(template.owner[at])
    return " > ".join(reversed(steps))


def _step(symbols: Sequence[Symbol]) -> str:
    """Return the step of a selector that all symbols of a template node share.

    A template replaces digits by 0, so marks with a digit are omitted.

    >>> _step([Symbol("div", ("#post-0", "post", "wide")), Symbol("div", ("#post-0", "post"))])
    'div.post'
    """
    tags = {symbol.tag for symbol in symbols}
    common = set.intersection(*(set(symbol.names) for symbol in symbols))
    marks = tuple(mark for mark in symbols[0].names if mark in common and "0" not in mark)
    return str(Symbol(tags.pop() if len(tags) == 1 else "*", marks))


def _usual(found: Counter[str]) -> str:
    """Return the most frequent selector, the first in alphabetical order of several; empty for none."""
    return min(found, key=lambda css: (-found[css], css), default="")


def _around(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest common ancestor of some nodes."""
    around, last = min(nodes), max(nodes)
    while dom.end[around] <= last:
        around = int(dom.parent[around])
    return around


def learn_site(
    read: Callable[[], Iterable[Item]],
    site: str,
    log: SearchLog | None = None,
    random_state: int = 0,
    review: Callable[[LearntTypes, PageTypes], LearntTypes] = lambda learnt, method: learnt,
) -> SiteModel:
    """Return the model of a site.

    read: returns an iterator of the pages, each time from the first one. log: the search log; None: anchor
    texts, titles and headings serve as pseudo-queries. review: changes the types, for example by verdicts.
    Raises `InputError` without a page.

    See `webgrain.site.model.SiteModel` for an example.
    """
    method = PageTypes(random_state=random_state)
    learnt = review(learn_types(read, method, log), method)
    of_page = dict(zip(learnt.clustering.pages, learnt.clustering.labels.tolist(), strict=True))
    labels = [kind.label for kind in learnt.clustering.types]
    for_template, for_texts = _chosen(of_page)
    kept: dict[int, list[Page]] = defaultdict(list)
    counter = TextCounter()
    collected = _collect(read(), of_page, for_template, for_texts, kept, counter)
    texts = site_texts(collected)
    types = {
        labels[kind]: TypePages.learn(some, texts, template=labels[kind] != OTHER)
        for kind, some in sorted(kept.items())
    }
    contents = {kind.label: kind.contents for kind in learnt.clustering.types}
    names = learnt.names({label: one.articles for label, one in types.items()})
    marks = {
        label: Marks(*(one.places() if label != OTHER else ("", "")), contents[label], names[label])
        for label, one in types.items()
    }
    key_paths = {kind.label: kind.key_path for kind in learnt.clustering.types}
    templates = {
        label: _with_uses(one.cutter.template, one.pages, key_paths[label], marks[label])
        for label, one in types.items()
        if one.cutter
    }
    about = {
        "webgrain": __version__,
        "learnt_from": len(of_page),
        "without_template": sum(labels[kind] not in templates for kind in of_page.values()),
        "queries": learnt.source,
        "unused_log": learnt.unused_log,
        "params": dict(learnt.clustering.params),
    }
    boilerplate = find_boilerplate(pair for one in types.values() for pair in one.boilerplate(texts))
    return SiteModel(site, learnt.model, texts, templates, marks, boilerplate, about, counter.texts())


def _with_uses(template: Template, pages: Sequence[TypedTree], path: Path | None, marks: Marks) -> Template:
    """Return a template that also watches the key path, the title and the main text of its type."""
    named = {"key path": path.css if path else "", "title": marks.title, "main text": marks.main}
    uses = [Use(name, css) for name, css in named.items() if css]
    return replace(template, profile=template.profile.with_uses([page.page for page in pages], uses))


def empty_model(site: str, reason: str) -> SiteModel:
    """Return the model of a site from which nothing could be learnt: it reads each page on its own."""
    about = {"webgrain": __version__, "reason": reason}
    return SiteModel(site, TypeModel(()), SiteTexts.learn([]), about=about)


def least(names: Iterable[str], most: int) -> list[str]:
    """Return the ``most`` names with the smallest hashes: the same ones in any order.

    >>> least(["a", "b", "c", "d"], 2) == least(["d", "c", "b", "a"], 2)
    True
    """
    return heapq.nsmallest(most, names, key=text_key)


def _chosen(of_page: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """Return the pages from which templates are learnt, and those for the texts of the site."""
    by_type: dict[int, list[str]] = defaultdict(list)
    for name, kind in of_page.items():
        by_type[kind].append(name)
    share = min(1.0, TEXT_PAGES / max(len(of_page), 1))
    templates = {name for some in by_type.values() for name in least(some, TEMPLATE_PAGES)}
    texts = {
        name
        for some in by_type.values()
        for name in least(some, max(TEMPLATE_PAGES, round(share * len(some))))
    }
    return templates, texts


def _collect(
    items: Iterable[Item],
    of_page: Mapping[str, int],
    for_template: set[str],
    for_texts: set[str],
    kept: dict[int, list[Page]],
    texts: TextCounter,
) -> Iterator[Page]:
    """Yield the pages whose texts are learnt, count their texts, keep those for templates."""
    wanted = (item for item in items if not isinstance(item, Failure) and item.id in for_texts)
    for page in pages(wanted, Layout(render="none")):
        if isinstance(page, Failure):
            continue
        if page.id in for_template:
            kept[of_page[page.id]].append(page)
        texts.add(page)
        yield page


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a type; with_: the label of the other type of a merge."""

    type: str
    kind: str
    with_: str = ""


def read_verdicts(path: pathlib.Path) -> list[Verdict]:
    """Read the verdicts that ``webgrain review types`` wrote; `InputError` for another file."""
    return list(json_lines(path, "verdicts", _verdict))


def _verdict(record: Any) -> Verdict:
    found = Verdict(str(record["type"]), record["verdict"], str(record.get("with") or ""))
    if found.kind not in VERDICTS or (found.kind == "merge") != bool(found.with_):
        raise ValueError(f"{found.kind!r:.40} is not a verdict")
    return found


def apply_verdicts(
    learnt: LearntTypes,
    verdicts: Iterable[Verdict],
    read: Callable[[], Iterable[Item]],
    method: PageTypes | KeyClus,
) -> tuple[LearntTypes, list[str]]:
    """Merge and split the types of a site, one verdict after the other.

    read: returns the pages, from the beginning each time; method: that has learnt the types. Returns the
    types, and a sentence about each verdict that has no effect.
    """
    notes = []
    for verdict in verdicts:
        labels = {kind.label for kind in learnt.clustering.types} - {OTHER}
        missing = {verdict.type, *filter(None, [verdict.with_])} - labels
        if verdict.kind not in ("merge", "split") or verdict.type == verdict.with_:
            continue
        if missing:
            notes.append(f"The verdict on {verdict.type} has no effect: there is no type {min(missing)}.")
        elif verdict.kind == "merge":
            learnt = _merge(learnt, verdict.type, verdict.with_)
        else:
            found = _split(learnt, verdict.type, read, method)
            if found is None:
                notes.append(f"The type {verdict.type} cannot be split: its pages are too similar.")
            learnt = found or learnt
    return learnt, notes


def _merge(learnt: LearntTypes, label: str, into: str) -> LearntTypes:
    """Return the types with one type merged into another, whose label and key path stay."""
    found = learnt.clustering
    numbers = {kind.label: k for k, kind in enumerate(found.types)}
    labels = np.where(found.labels == numbers[label], numbers[into], found.labels)
    one, other = found.types[numbers[into]], found.types[numbers[label]]
    merged = replace(
        one,
        size=one.size + other.size,
        share=one.share + other.share,
        tab=one.tab if one.tab == other.tab else "",
        contents=tuple(dict.fromkeys(one.contents + other.contents))[: len(one.contents) or None],
        fields=tuple(field for field in one.fields if field.path in {each.path for each in other.fields}),
    )
    types = [merged if kind is one else kind for kind in found.types]
    clustering = _sorted(found, labels, types, found.confidence)
    return replace(learnt, clustering=clustering, model=learnt.model.relabelled({label: into}))


def _split(
    learnt: LearntTypes, label: str, read: Callable[[], Iterable[Item]], method: PageTypes | KeyClus
) -> LearntTypes | None:
    """Return the types with one type replaced by several; None if its pages are of one type."""
    found = learnt.clustering
    number = next(k for k, kind in enumerate(found.types) if kind.label == label)
    row = {page: k for k, page in enumerate(found.pages) if found.labels[k] == number}
    finer = replace(method, max_presence=SPLIT_PRESENCE) if isinstance(method, KeyClus) else replace(method)
    part = learn_types(read, finer, learnt.log, only=row.keys())
    if len(part.clustering.types) < 2:
        return None
    taken = {kind.label for kind in found.types}
    names = {kind.label: _unused(kind.label, label, taken) for kind in part.clustering.types}
    labels, confidence = found.labels.copy(), found.confidence.copy()
    own = part.clustering
    for page, type_, share in zip(own.pages, own.labels.tolist(), own.confidence.tolist(), strict=True):
        labels[row[page]], confidence[row[page]] = len(found.types) + type_, share
    types = [replace(kind, label=names[kind.label], share=kind.size / len(found.pages)) for kind in own.types]
    clustering = _sorted(found, labels, [*found.types, *types], confidence)
    model = SplitModel(learnt.model, label, part.model.relabelled(names))
    return replace(learnt, clustering=clustering, model=model)


def _unused(label: str, split: str, taken: set[str]) -> str:
    """Return a label that no type has, similar to ``label``; the rest of a split type is called after it."""
    name = f"{split}-rest" if label == OTHER else label
    while name in taken:
        name += "-part"
    taken.add(name)
    return name


def _sorted(found: Clustering, labels: Any, types: Sequence[PageType], confidence: Any) -> Clustering:
    """Return a clustering with other types, without empty ones: the largest first, `OTHER` last."""
    used = set(labels.tolist())
    order = [k for k in range(len(types)) if k in used]
    order.sort(key=lambda k: (types[k].label == OTHER, -types[k].size))
    number = np.full(len(types), -1, np.int32)
    number[order] = np.arange(len(order))
    return replace(found, labels=number[labels], types=tuple(types[k] for k in order), confidence=confidence)
