"""Learn the model of a site: types, templates, texts, selectors of titles and texts, boilerplate.

`learn_types` learns the page types only, `learn_site` learns everything. The methods learn from a sample of
the pages, so time and memory do not grow with the site. The sample is read twice: for the types, and for
templates and texts. A method that needs queries reads it once more without a search log, for pseudo-queries.

`apply_verdicts` merges and splits types as a reviewer has decided. Source: Chakrabarti, Mehta, The paths more
taken, WWW 2010, section 4.1: editors view pages of each cluster; clusters that look alike are merged, those
that are not homogeneous are split with other thresholds, and the process is repeated. A split type is learnt
again from its own pages, by `TypesMethod.finer`.
"""

from __future__ import annotations

import heapq
import pathlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from webgrain import __version__
from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure
from webgrain.documents.article import Article
from webgrain.engines.guard import run_step
from webgrain.extraction.boilerplate import BoilerplateElements, boilerplate_probability, find_boilerplate
from webgrain.extraction.single import SinglePage, own_texts
from webgrain.extraction.sitetexts import PageTexts, SiteTexts
from webgrain.io.local import json_lines
from webgrain.io.queries import SearchLog
from webgrain.io.thresholds import SHOWN_QUERIES
from webgrain.lists.features import RepeatedTexts, text_keys
from webgrain.page.addresses import css_paths
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Path, path_matches, text_key
from webgrain.pagetypes.clustering import Clustering, PageType
from webgrain.pagetypes.descriptions import OTHER, Assignment, TypeFacts, TypesMethod, TypesModel, name_types
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel, inherited_labels
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.pseudoqueries import PseudoQueries
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.model import Marks, SiteModel, SplitModel, TypeCut, laid_out
from webgrain.site.pipeline import Item, Layout, pages
from webgrain.site.thresholds import MIN_TEMPLATE_PAGES, TEMPLATE_PAGES, TEXT_PAGES
from webgrain.templates.matching import Match
from webgrain.templates.profile import Use
from webgrain.templates.sections import Sectioner
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import Symbol, Template, TypedTree, typed_tree

Record = dict[str, Any]
TextsOfPages = dict[str, tuple[PageTexts, NDArray[np.uint64]]]

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
        log, by_structure = self.log, self.clustering.method == PageTypes.method
        if log is None:
            pseudo = "pseudo-queries: no search log, but anchor texts, titles and headings"
            return "learnt from the structure of the pages" if by_structure else pseudo
        text = f"{log.matched:,} of {log.rows:,} rows of the search log are of these pages"
        text += f", {log.unused:,} have no words or no address" if log.unused else ""
        text += "" if log.joined else "; it does not contain which query led to which page"
        return f"learnt from the structure of the pages; {text}" if by_structure else text

    def queries(self, type_: int, most: int = SHOWN_QUERIES) -> tuple[str, ...]:
        """Return the queries of the search log that led to the pages of a type most often."""
        clicks = Counter[str]()
        for page, label in zip(self.clustering.pages, self.clustering.labels.tolist(), strict=True):
            clicks.update(self.searched.get(page, {}) if label == type_ else {})
        return tuple(sorted(clicks, key=lambda query: (-clicks[query], query))[:most])

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
    queries = _pseudo_queries(read()) if log is None and method.by_queries else {}
    counts: Any = method.new_counts()
    urls, failures, searched = dict[str, str](), list[Failure](), dict[str, dict[str, int]]()

    def add(page: Page) -> Page:
        if only is None or page.id in only:
            own = None if log is None else log.queries_for(page)
            counts.add(page, queries.get(page.id) if own is None else own)
            if own:
                searched[page.id] = dict(own.most_common(SHOWN_QUERIES))
        return page

    for done in (run_step(page, "count", add) for page in pages(read(), _PARSED)):
        if isinstance(done, Failure):
            failures.append(done)
        elif done.url:
            urls[done.id] = done.url
    for failure in failures:
        failed(failure)
    if log is not None and len(counts) and not log.matched:
        reason = f"None of the {log.rows:,} rows of the search log is of one of the {len(counts):,} pages"
        reason += "." if not method.by_queries else "; anchor texts, titles and headings are used."
        return replace(learn_types(read, method, only=only), failures=failures, unused_log=reason)
    method = method.fit_counts(counts)
    if method.clustering_ is None or method.model_ is None:
        raise ParameterError(f"{type(method).__name__} has learnt no types.")
    return LearntTypes(method.clustering_, method.model_, counts, urls, failures, log, searched)


def _pseudo_queries(items: Iterable[Item]) -> Mapping[str, Mapping[str, int]]:
    pseudo = PseudoQueries()
    for page in pages(items, _PARSED):
        run_step(page, "count", pseudo.add)
    return pseudo.queries()


def assign_types(items: Iterable[Item], model: TypesModel) -> Iterator[Record | Failure]:
    """Yield the record of each page with its type by a model."""
    for page in pages(items, _PARSED):
        yield run_step(page, "types", lambda page: page_record(page.id, page.url, model.assign(page)))


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
    """What is learnt from some pages of a type.

    Attributes:
        articles: titles and verdicts of the pages, without their texts.
        template: of the type; None for too few pages, or pages without common structure.
        title, main: the selectors of the title and of the main text on most of the pages; empty for none.
        elements: the boilerplate elements of each page; none without a template.
        cut: what the pages decide about segments; None without a template.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<ul><li>Home<li>News</ul><h1>Page {0}</h1><p>Some words on {0}"
    >>> pages = [parse(Source(name, html.format(name).encode())) for name in "abc"]
    >>> found = TypePages.learn(pages, SiteTexts.learn([]))
    >>> print(found.template)
    html[body[ul[(li[#text])*] h1[#text] p[#text]]]
    >>> found.title
    'html > body > h1'
    """

    articles: tuple[Article, ...]
    template: Template | None
    title: str
    main: str
    elements: tuple[BoilerplateElements, ...]
    cut: TypeCut | None = None

    @classmethod
    def learn(
        cls, pages: Sequence[Page], texts: SiteTexts, key_path: Path | None = None, *, common: bool = True
    ) -> Self:
        """Return the results for some pages of a type.

        key_path: of the type; common: whether the pages have a template, a title and a main text in common.
        """
        articles = [SinglePage().predict(page, texts) for page in pages]
        named = tuple(replace(article, blocks=()) for article in articles)
        if not common:
            return cls(named, None, "", "", ())
        trees = tuple(map(typed_tree, pages))
        cutter = _cutter(trees)
        matches = [cutter.match(tree) if cutter else None for tree in trees]
        title, main = _places(trees, articles, matches)
        if not cutter:
            return cls(named, None, title, main, ())
        noise = (cutter.noise(tree, match) for tree, match in zip(trees, matches, strict=True) if match)
        elements = tuple(
            BoilerplateElements(tree.page, boilerplate_probability(tree.page, tree.tree, texts, own))
            for tree, own in zip(trees, noise, strict=True)
        )
        watched = {"key path": key_path.css if key_path else "", "title": title, "main text": main}
        uses = [Use(name, css) for name, css in watched.items() if css]
        template = replace(cutter.template, profile=cutter.template.profile.with_uses(pages, uses))
        matched = ((page, cutter.match(page).labels) for page in laid_out(pages))
        cut = TypeCut.learn(len(template), matched, segmenter())
        return cls(named, template, title, main, elements, cut)


def _places(
    trees: Sequence[TypedTree], articles: Sequence[Article], matches: Sequence[Match | None]
) -> tuple[str, str]:
    """Return the selectors of the title and of the main text on most of the pages."""
    titles, mains = Counter[str](), Counter[str]()
    for tree, article, match in zip(trees, articles, matches, strict=True):
        found = (_selector(tree.page, b.node, match) for b in article.blocks if b.kind == "title")
        titles.update(css for css in found if css != "html" and "head" not in css.split(" > ")[1:2])
        if article.nodes:
            mains[_selector(tree.page, _around(tree.page.dom, article.nodes), match)] += 1
    return _usual(titles), _usual(mains)


def _cutter(trees: Sequence[TypedTree]) -> Sectioner | None:
    """Return the sectioner of a type; None if it has too few pages, or pages without common structure."""
    if len(trees) < MIN_TEMPLATE_PAGES:
        return None
    try:
        template = SiteTemplate().fit(trees).template_
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


@dataclass(slots=True)
class Groups:
    """Pages of a sample by type, from which the texts, templates and other facts of the site are learnt.

    `learn_site` learns a site in steps, of which an audit runs the second and the fourth in parallel:

    1. the types, and these groups;
    2. the texts of each group (`group_texts`);
    3. the texts of the site (`Groups.join`);
    4. the template and other facts of each type (`TypePages`), from its first group;
    5. the model (`Groups.model`).

    Attributes:
        learnt: the types.
        about: of the model, see `SiteModel`.
        ids: of the pages of each group, by the number of the type; each group is in the order of the sample.
    """

    learnt: LearntTypes
    about: dict[str, Any]
    ids: dict[int, list[list[str]]]

    @classmethod
    def of(cls, learnt: LearntTypes) -> Self:
        """Return groups of pages by type: first those for its template, then further ones for the texts."""
        found, by_type = learnt.clustering, defaultdict[int, list[str]](list)
        for name, kind in zip(found.pages, found.labels.tolist(), strict=True):
            by_type[kind].append(name)
        share = min(1.0, TEXT_PAGES / max(len(found.pages), 1))
        order, ids = {name: number for number, name in enumerate(found.pages)}, {}
        for kind, some in sorted(by_type.items()):
            chosen = least(some, max(TEMPLATE_PAGES, round(share * len(some))))
            parts = [chosen[at : at + TEMPLATE_PAGES] for at in range(0, len(chosen), TEMPLATE_PAGES)]
            ids[kind] = [sorted(part, key=order.__getitem__) for part in parts]
        about = {"webgrain": __version__, "learnt_from": len(found.pages), "queries": learnt.source}
        about |= {"unused_log": learnt.unused_log, "params": dict(found.params)}
        return cls(replace(learnt, counts=None, log=None), about, ids)

    def pages(self, sample: Iterable[Item]) -> dict[int, list[list[Page]]]:
        """Return the pages of each group."""
        wanted = {name for groups in self.ids.values() for group in groups for name in group}
        page = {page.id: page for page in select_pages(sample, wanted)}
        return {
            kind: [[page[name] for name in group if name in page] for group in groups]
            for kind, groups in self.ids.items()
        }

    def join(self, groups: Iterable[TextsOfPages]) -> tuple[SiteTexts, RepeatedTexts]:
        """Return the texts of the site, and those that its pages repeat, from those of each group."""
        own = {name: texts for group in groups for name, texts in group.items()}
        found = [own[name] for name in self.learnt.clustering.pages if name in own]
        return SiteTexts.learn([own for own, _ in found]), RepeatedTexts.learn([keys for _, keys in found])

    def learn_type(self, kind: int, pages: Sequence[Page], texts: SiteTexts) -> TypePages:
        """Return what is learnt of a type from its first group of pages; texts: those of the site."""
        type_ = self.learnt.clustering.types[kind]
        return TypePages.learn(pages, texts, type_.key_path, common=type_.label != OTHER)

    def model(
        self, site: str, texts: SiteTexts, repeated: RepeatedTexts, types: Mapping[int, TypePages]
    ) -> SiteModel:
        """Return the model of the site; types: what was learnt of each, by its number."""
        found = self.learnt.clustering
        label = {kind: found.types[kind].label for kind in sorted(types)}
        names = self.learnt.names({label[kind]: types[kind].articles for kind in label})
        marks = {}
        for kind, name in label.items():
            own, queries = types[kind], self.learnt.queries(kind)
            marks[name] = Marks(own.title, own.main, found.types[kind].contents, names[name], queries)
        templates = {name: one for kind, name in label.items() if (one := types[kind].template)}
        without = sum(found.types[kind].label not in templates for kind in found.labels.tolist())
        boilerplate = find_boilerplate([one for kind in label for one in types[kind].elements])
        about = {**self.about, "without_template": without}
        cuts = {name: cut for kind, name in label.items() if (cut := types[kind].cut)}
        return SiteModel(site, self.learnt.model, texts, templates, marks, boilerplate, about, repeated, cuts)


def group_texts(pages: Iterable[Page]) -> TextsOfPages:
    """Return the texts of each page by its id: those of the reader, and the keys of all."""
    return {page.id: (own_texts(page), text_keys(page)) for page in pages}


def learn_site(
    read: Callable[[], Iterable[Item]], site: str, log: SearchLog | None = None, random_state: int = 0
) -> SiteModel:
    """Return the model of a site.

    read: returns an iterator of the pages, each time from the first one. log: the search log, for the queries
    of each type. Raises `InputError` without a page.

    See `webgrain.site.model.SiteModel` for an example, and `Groups` for the steps.
    """
    return model_of(learn_types(read, PageTypes(random_state=random_state), log), read, site)


def model_of(learnt: LearntTypes, read: Callable[[], Iterable[Item]], site: str) -> SiteModel:
    """Return the model of a site whose types are learnt; see `learn_site`."""
    found = Groups.of(learnt)
    pages = found.pages(read())
    texts, repeated = found.join(group_texts(group) for groups in pages.values() for group in groups)
    types = {kind: found.learn_type(kind, groups[0], texts) for kind, groups in pages.items()}
    return found.model(site, texts, repeated, types)


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
    method: TypesMethod,
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
    learnt: LearntTypes, label: str, read: Callable[[], Iterable[Item]], method: TypesMethod
) -> LearntTypes | None:
    """Return the types with one type replaced by several; None if its pages are of one type."""
    found = learnt.clustering
    number = next(k for k, kind in enumerate(found.types) if kind.label == label)
    row = {page: k for k, page in enumerate(found.pages) if found.labels[k] == number}
    part = learn_types(read, method.finer(), learnt.log, only=row.keys())
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
