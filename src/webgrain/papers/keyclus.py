"""KeyClus: the page types of a site, identified by the paths whose contents people search for.

Source: Chakrabarti, Mehta, The paths more taken: matching DOM trees to search logs for accurate webpage
clustering, WWW 2010. The sections below have the numbers of the paper.

Problem (3): given the pages of a site and a search log, which lists the queries that led to each page,
cluster the pages by structure. A page is the set of its DOM paths. Query words are what users look for, and a
page that was visited for a query often contains its words in its main content; so a path whose content often
matches queries is a good key path. KeyClus (1) ranks the paths by how well they match (3.2), (2) selects
independent ones among the best (3.3), and (3) puts pages with the same shingle, which consists of key paths
first, into one cluster (3.1).

    paper                   here                           shape, unit, value of the paper
    x, x_p = 1              a path, `RawPaths.presence`    (p, u) pages by paths
    C(x, p), Q(p), M(x, p)  `Matches`                      bags of words
    EP(x), ER(x)            `expected`                     (2, u)
    R_P, R_R, R_F           `borda`                        (u,) paths, best first
    weight of R_R           recall_weight                  0.3
    H(x1, x2)               `occurrence_similarity`        (s, s) shares
    F(x1, x2)               `content_similarity`           (s, s) shares
    theta_occ               dependence                     0.97, a share
    alpha                   decay, weight of rank i: alpha^i; at most 0.5
    top-ranked paths        top                            100
    k                       shingle_size                   1
    S                       `KeyClusModel.ranked`          keys of paths, best first
    contents of a tab       `MIN_TAB_CONTENTS` to `MAX_TAB_CONTENTS`   2 to 10

Departure: template removal (3.4) is off. The paper takes it from another paper and calls it orthogonal;
``repeated`` is ours and removes texts that many pages share. ``max_presence`` and ``paths="site"``, which
removes the ids and classes of single pages from the paths, are ours, too. All three are off by default.

The paper leaves open, and here:

- Steps of a path have a tag, the id and all classes in any order, as in table 4. Paths lead to elements, not
  to text nodes; the head, ``tbody`` and the like are included.
- The content of a path is the text of all its elements on a page, without scripts and style sheets. Words are
  those of `webgrain.page.strings.words_of`, repeated words count. Of a query that was clicked several times,
  the words count once.
- (1) and (2) are P(x)^presence_weight times the mean of Prec or Rec over all pages with x, which is 0 on
  pages without queries: the fraction of queried pages where x is present, times the mean over these pages. A
  ``presence_weight`` of 2 gives the ranking by the other reading, the sum over the pages times P(x).
- Paths with equal scores have the same position in a ranking; in the final one the longer path comes first,
  which is nearer to the words. A path that matches no query comes last and is no key path.
- F on a page where one path matches and the other does not is 0; pages where none of them does are ignored.
- With decay at most 0.5 the greedy set is optimal, and any decay below 1 gives the same set.
- Tabs are looked for among the top-ranked paths, not among the key paths: in the example of the paper the tab
  is on the same pages as the title of the product, so only one of them is independent. If no path matches a
  query, there is no ranking, and no tab.
- A tab has 2 to 10 contents and, on average, at least `PAGES_PER_CONTENT` pages for each. A cluster is
  divided by the contents of all tabs on its pages.
- A page with fewer key paths than the shingle needs is filled with min-hashes of its other paths.
- A new page whose shingle is unknown has no type.

Cost: one pass over the pages, 24 bytes for each of their paths, about as long as parsing them; to assign a
page, its paths and a look-up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.base.errors import InputError, ParameterError
from webgrain.base.estimator import choice, integer, real
from webgrain.base.readonly import ReadOnly
from webgrain.io.queries import read_queries
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import climb, merge_paths, path_keys, span_keys
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_pages
from webgrain.page.paths import (
    Path,
    Places,
    Step,
    hex_keys,
    keys_from_hex,
    path_from_dict,
    path_to_dict,
    places,
    text_key,
)
from webgrain.page.segmentation import renumbered
from webgrain.page.strings import code_points, word_spans, words_of
from webgrain.pagetypes.clustering import Clustering, PageType
from webgrain.pagetypes.descriptions import (
    OTHER,
    Assignment,
    TypesMethod,
    TypesModel,
    contents_of,
    describe_type,
)
from webgrain.pagetypes.pathcounts import (
    Paths,
    SharedValues,
    join_paths,
    joined_tables,
    new_steps,
    shared_values,
    snippets_of,
    text_spans,
)
from webgrain.pagetypes.thresholds import MAX_SNIPPET_PAGES


@dataclass(kw_only=True, eq=False, repr=False)
class KeyClus(TypesMethod):
    """The page types of a site by the method of the paper.

    Attributes:
        recall_weight: weight of a position in the ranking by recall, relative to that by precision.
        presence_weight: power of the share of pages that have a path; more prefers frequent paths.
        top: paths of the ranking that can be key paths or tabs.
        dependence: similarity of occurrence from which two paths are dependent.
        content_dependence: similarity of content from which they also are; None: content is ignored.
        decay: of the weights by rank.
        shingle_size: paths in the shingle of a page.
        tabs: divide clusters by the contents of tabs.
        repeated: share of pages above which a text belongs to the template (ours); None: no text does.
        max_presence: share of pages above which a path is no key path and no tab (ours); None: any can be.
        paths: ``raw``: paths have all ids and classes; ``site``: those that several pages share (ours).
        random_state: seed of the min-hashes, for pages without a key path, and larger shingles.
        model_, clustering_, labels_: what `fit` has learnt: the model of the types, the types of the pages,
            and the number of the type of each page.

    >>> from webgrain.page.page import Source
    >>> def page(name, html):
    ...     return Source(name, html.encode())
    >>> text = "text number {0} of a made-up site with several words"
    >>> html = "<article><h1>Post {0}</h1><p>Some " + text, "<h2>List {0}</h2><ul><li>An item with " + text
    >>> site = [page(f"{form}{k}", html[form].format(k)) for form in range(2) for k in range(9)]
    >>> queries = {x.id: {f"{('post', 'list')[k // 9]} {k % 9}": 1} for k, x in enumerate(site)}
    >>> method = KeyClus().fit(site, queries)
    >>> [(type_.key_path.css, type_.size) for type_ in method.clustering_.types]
    [('html > body > article > h1', 9), ('html > body > h2', 9)]
    >>> method.predict(page(99, "<article><h1>New</h1><p>Text.</article>")).type
    'article-h1-1f1f'
    """

    recall_weight: float = real(0.3, low=0.0)
    presence_weight: float = real(1.0, low=0.0)
    top: int = integer(100, low=1)
    dependence: float = real(0.97, 0.0, 1.0)
    content_dependence: float | None = real(None, 0.0, 1.0)
    decay: float = real(0.5, 0.0, 1.0)
    shingle_size: int = integer(1, low=1)
    tabs: bool = choice(True, (True, False))
    repeated: float | None = real(None, 0.0, 1.0)
    max_presence: float | None = real(None, 0.0, 1.0)
    paths: str = choice("raw", ("raw", "site"))
    random_state: int = integer(0, low=0)

    method = "keyclus"
    by_queries = True

    @staticmethod
    def new_counts() -> RawCounts:
        """Return what counts the pages for `fit_counts`."""
        return RawCounts()

    def fit(self, pages: Iterable[PageLike], queries: object = None) -> Self:
        """Learn the types of a site's pages.

        queries: a search log as `webgrain.io.queries.read_queries` accepts it: a mapping from page ids to
        queries with their clicks, a table, or the path of a file. HTML given as str or bytes has the id
        ``page-1``, ``page-2`` and so on. `InputError` if there is no page.
        """
        log = None if queries is None else read_queries(queries)
        counts = RawCounts()
        for page in as_pages(pages):
            counts.add(page, log.queries_for(page) if log else None)
        return self.fit_counts(counts)

    def fit_counts(self, counts: RawCounts) -> Self:
        """Learn the types from the counts of a site's pages; `InputError` if there is no page."""
        shared = find_shared_values(counts) if self.paths == "site" and len(counts) else None
        if shared is not None:
            counts = with_shared_values(counts, shared)
        site = RawPaths.of(counts)
        # 3.2: R_F, and the paths in it that match a query.
        matches = find_matches(counts, site, self.repeated)
        precision, recall = expected(site, matches, self.presence_weight)
        ranking = borda(precision, recall, self.recall_weight, site.depth)
        if self.max_presence is not None:
            ranking = ranking[site.size[ranking] <= self.max_presence * len(site.pages)]
        matching = ranking[recall[ranking] > 0]
        # 3.4: tabs, which can depend on key paths.
        tabs = find_tabs(site, ranking[: self.top].tolist()) if self.tabs and len(matching) else []
        # 3.3: key paths.
        key_paths = self.choose_key_paths(site, matches, matching)
        # 3.1: clusters, largest first.
        ranked = tuple(site.key[key_paths].tolist())
        tab_keys = tuple(site.key[tabs].tolist())
        model = KeyClusModel(ranked, tab_keys, self.shingle_size, self.random_state, shared=shared)
        clusters = model.clusters_of(site)
        # The types of these clusters.
        types = describe_clusters(counts, site, clusters, key_paths, tabs, matching[: self.top])
        rules = []
        labels = np.empty(len(site.pages), np.int32)
        for number, (type_, (cluster, pages)) in enumerate(zip(types, clusters, strict=True)):
            rules.append(ClusterRule(type_.label, type_.key_path, cluster, type_.size))
            labels[pages] = number
        self.model_ = replace(model, rules=tuple(rules))
        unknown = np.full(len(labels), np.nan)  # the paper defines no confidence
        self.clustering_ = Clustering(site.pages, labels, unknown, types, self.method, self.describe())
        return self

    def finer(self) -> Self:
        """Return the method for the pages of one type: paths of nearly all are no key paths (ours)."""
        return replace(self, max_presence=SPLIT_PRESENCE)

    def choose_key_paths(self, site: RawPaths, matches: Matches, ranking: Int64) -> list[int]:
        """Return S, best first: an independent set of the best paths of R_F."""
        best = ranking[: self.top]
        dependent = occurrence_similarity(site.presence(best)) >= self.dependence
        if self.content_dependence is not None:
            dependent |= content_similarity(site, matches, best) >= self.content_dependence
        weight = self.decay ** np.arange(1.0, len(best) + 1)
        return [int(best[k]) for k in greedy_mwis(dependent, weight)]

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.model_ = KeyClusModel.from_dict(state)


# 3.1 Clustering: pages with the same shingle.

_ODD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def min_hashes(keys: UInt64, size: int, random_state: int) -> tuple[int, ...]:
    """Return the ``size`` keys of a set with the smallest hashes, smallest first; fewer for a smaller set.

    >>> min_hashes(np.array([7, 9], np.uint64), 3, 0) in [(7, 9), (9, 7)]
    True
    """
    salt = np.random.default_rng(random_state).integers(2**64, size=2, dtype=np.uint64)
    mixed = (keys ^ salt[0]) * _ODD
    mixed ^= mixed >> np.uint64(31)
    mixed = (mixed ^ salt[1]) * _MIX
    order = np.argsort(mixed ^ (mixed >> np.uint64(29)), kind="stable")
    return tuple(keys[order[:size]].tolist())


def two_step_shingle(keys: UInt64, ranked: Sequence[int], size: int, random_state: int) -> tuple[int, ...]:
    """Return the shingle of a page: its best key paths, followed by min-hashes of its other paths.

    keys: of the page's paths; ranked: keys of the site's key paths, best first. `ParameterError` for a size
    below 1.

    >>> two_step_shingle(np.array([1, 2, 3], np.uint64), [9, 3, 2], 1, 0)
    (3,)
    """
    if size < 1:
        raise ParameterError(f"The size of a shingle must be at least 1, got {size}.")
    present = set(keys.tolist())
    best = [key for key in ranked if key in present][:size]
    if len(best) == size:
        return tuple(best)
    others = keys[~np.isin(keys, np.array(best, np.uint64))] if best else keys
    return (*best, *min_hashes(others, size - len(best), random_state))


# 3.2 Finding key paths: the words that queries and the content of a path have in common.


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The words that the queries and the contents of paths have in common; m instances with such words.

    Attributes:
        page, path: (m,) int64, an instance: a page with queries, and a path whose content matches them.
        precision, recall: (m,) |M| / |C| and |M| / |Q| of the instance.
        hit: (h,) an instance, and hit_word, hit_count: (h,) a word of M by its number on the page, and how
            often M contains it.
    """

    page: Int64
    path: Int64
    precision: Float64
    recall: Float64
    hit: Int64
    hit_word: Int64
    hit_count: Int64


def find_matches(counts: RawCounts, site: RawPaths, repeated: float | None = None) -> Matches:
    """Match the queries of all pages.

    repeated: texts on a larger share of the pages with queries belong to the template and match nothing;
    texts of three pages and fewer never do; None: no text does.
    """
    template = _repeated_texts(counts, repeated)
    instances = [np.empty((4, 0))]
    hits = [np.empty((3, 0), np.int64)]
    known = 0
    for page, texts in sorted(counts.texts.items()):
        words, content = texts.bags(counts.up[page], ~np.isin(texts.key, template))
        matching = np.minimum(content, texts.queries)  # M: the intersection of the bags C and Q
        size = matching.sum(1)
        rows = np.flatnonzero(size)
        path = site.paths_of(page)[rows]
        precision = size[rows] / words[rows]
        recall = size[rows] / texts.queries.sum()
        instances.append(np.stack([np.full(len(rows), page), path, precision, recall]))
        row, word = np.nonzero(matching[rows])
        hits.append(np.stack([known + row, word, matching[rows][row, word]]))
        known += len(rows)
    page_of, path_of, precision, recall = np.concatenate(instances, axis=1)
    return Matches(
        page_of.astype(np.int64),
        path_of.astype(np.int64),
        precision,
        recall,
        *np.concatenate(hits, axis=1),
    )


def _repeated_texts(counts: RawCounts, share: float | None) -> UInt64:
    """Return the keys of the texts on more than a share of the pages with queries."""
    if share is None:
        return np.empty(0, np.uint64)
    distinct = [np.unique(texts.key) for texts in counts.texts.values()]
    key, pages = np.unique(np.concatenate([np.empty(0, np.uint64), *distinct]), return_counts=True)
    return key[pages > max(3, share * len(distinct))]


def expected(site: RawPaths, matches: Matches, presence_weight: float) -> Float64:
    """Return expected precision and recall (2, u) of all paths: equations (1) and (2)."""
    presence = site.size / len(site.pages)
    precision = np.bincount(matches.path, matches.precision, len(site))
    recall = np.bincount(matches.path, matches.recall, len(site))
    return presence**presence_weight * np.stack([precision, recall]) / site.size


def borda(precision: Float64, recall: Float64, recall_weight: float, depth: Int64 | int = 0) -> Int64:
    """Return R_F, the paths (u,) best first: by their position in R_P plus a multiple of that in R_R.

    Of paths with the same score the one of greater ``depth`` comes first.

    >>> borda(np.array([0.1, 0.9, 0.5]), np.array([0.9, 0.1, 0.5]), 0.3).tolist()
    [1, 2, 0]
    """
    score = _positions(precision) + recall_weight * _positions(recall)
    return np.lexsort((-np.broadcast_to(depth, score.shape), score))


def _positions(values: Float64) -> Int64:
    """Return the position of each value, the greatest is 1; equal values have the same one."""
    return 1 + np.searchsorted(np.sort(-values), -values)


# 3.3 Removing dependence: a maximum weighted independent set of the best paths.


def occurrence_similarity(presence: Bool) -> Float64:
    """Return the similarity of occurrence H (s, s) of paths with a presence matrix (p, s).

    >>> occurrence_similarity(np.array([[1, 1], [1, 0]], bool)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    has = presence.astype(np.float64)
    size = has.sum(0)
    both: Float64 = has.T @ has / np.maximum(np.minimum.outer(size, size), 1)
    return both


def content_similarity(site: RawPaths, matches: Matches, paths: Sequence[int] | Int64) -> Float64:
    """Return the similarity of content F (s, s): the mean share of matching words that two paths share."""
    column = np.full(len(site), -1)
    column[np.asarray(paths, np.int64)] = np.arange(len(paths))
    hit_path = column[matches.path[matches.hit]]
    hit_page = matches.page[matches.hit]
    wanted = np.flatnonzero(hit_path >= 0)
    wanted = wanted[np.argsort(hit_page[wanted], kind="stable")]
    pages, first = np.unique(hit_page[wanted], return_index=True)
    presence = site.presence(paths)
    shared = np.zeros((len(paths), len(paths)))
    together = np.zeros((len(paths), len(paths)))
    for page, hits in zip(pages.tolist(), np.split(wanted, first[1:]), strict=False):
        # The bags M of the paths on this page: how often each contains each query word.
        bags = np.zeros((len(paths), int(matches.hit_word[hits].max()) + 1))
        bags[hit_path[hits], matches.hit_word[hits]] = matches.hit_count[hits]
        size = bags.sum(1)
        common = np.array([np.minimum(bag, bags).sum(1) for bag in bags])
        shared += common / np.maximum(np.minimum.outer(size, size), 1)
        a_path_matches = np.logical_or.outer(size > 0, size > 0)
        both_present = np.logical_and.outer(presence[page], presence[page])
        together += a_path_matches & both_present
    return shared / np.maximum(together, 1)


def greedy_mwis(dependent: Bool, weight: Float64) -> list[int]:
    """Return an independent set of nodes: repeatedly the heaviest node without an edge to the chosen ones.

    dependent (s, s): the edges. With weights decay^i, decay <= 0.5, no independent set is heavier (Lemma 1).

    >>> edges = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)
    >>> greedy_mwis(edges, np.array([0.5, 0.25, 0.125]))
    [0, 2]
    """
    feasible = np.ones(len(weight), bool)
    chosen = []
    for node in np.argsort(-weight, kind="stable").tolist():
        if feasible[node]:
            chosen.append(node)
            feasible &= ~dependent[node]
    return chosen


# 3.4 Optimisations: currently open tabs. (Template removal is in `find_matches`.)

# Different contents of a tab, as in the paper.
MIN_TAB_CONTENTS, MAX_TAB_CONTENTS = 2, 10

# Pages for each content of a tab on average, so that it is "present on many pages"; the paper has no number.
PAGES_PER_CONTENT = 10


def find_tabs(site: RawPaths, paths: Iterable[int]) -> list[int]:
    """Return those of some paths that are tabs: on many pages, with few different contents.

    Of paths that divide the same pages alike, such as a tab and the link in it, the first is returned.
    """
    page_of_pair = site.page
    tabs = list[int]()
    divisions = set[tuple[bytes, bytes]]()
    for path in paths:
        pairs = site.path == path
        contents, number = np.unique(site.content[pairs], return_inverse=True)
        if not MIN_TAB_CONTENTS <= len(contents) <= MAX_TAB_CONTENTS:
            continue
        if site.size[path] < PAGES_PER_CONTENT * len(contents):
            continue
        division = page_of_pair[pairs].tobytes(), renumbered(number.astype(np.int32)).tobytes()
        if division not in divisions:
            divisions.add(division)
            tabs.append(path)
    return tabs


# Ours: paths without the ids and classes of single pages.


def find_shared_values(counts: RawCounts) -> SharedValues:
    """Return the ids and classes that several pages of a site share."""
    number = {key: k for k, key in enumerate(counts.steps)}
    step = np.array([number[key] for steps in counts.step for key in steps.tolist()], np.int64)
    return shared_values(list(counts.steps.values()), *joined_tables(counts.up), step)


def with_shared_values(counts: RawCounts, shared: SharedValues) -> RawCounts:
    """Return counts in which paths have only shared ids and classes; paths that become equal are merged.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> counts = RawCounts()
    >>> counts.add(parse(Source("a", b"<b id=b1>one</b><b id=b2>two</b>")))
    >>> merged = with_shared_values(counts, SharedValues(frozenset(), frozenset()))
    >>> len(counts.up[0]), len(merged.up[0])  # html, head, body, and b with either id
    (5, 4)
    """
    shared_steps = {key: shared.strip(step) for key, step in counts.steps.items()}
    key_of = {key: text_key(step.css) for key, step in shared_steps.items()}
    result = RawCounts(list(counts.ids), {key_of[key]: step for key, step in shared_steps.items()})
    for page, up in enumerate(counts.up):
        steps = np.array([key_of[key] for key in counts.step[page].tolist()], np.uint64)
        merged, up_of_merged, first, _, _ = merge_paths(up, steps)
        content = np.zeros(len(first), np.uint64)
        np.add.at(content, merged, counts.content[page])
        result.up.append(up_of_merged)
        result.step.append(steps[first])
        result.content.append(content)
        if page in counts.texts:
            texts = counts.texts[page]
            result.texts[page] = replace(texts, path=merged[texts.path])
        if page in counts.snippets:
            snippets = counts.snippets[page]
            result.snippets[page] = tuple(snippets[path] for path in first.tolist())
    return result


# What is learnt: the types and the clusters of a site.


class Cluster(NamedTuple):
    """The identity of a cluster: the shingle of its pages, and the contents of the tabs on them."""

    shingle: tuple[int, ...]
    contents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ClusterRule:
    """The pages of a cluster have this type.

    Attributes:
        label, key_path: of the type; key_path: None for a shingle that begins with no key path.
        cluster: identity of the cluster.
        size: number of pages that the type was learnt from.
    """

    label: str
    key_path: Path | None
    cluster: Cluster
    size: int


@dataclass(slots=True, eq=False)
class KeyClusModel(TypesModel):
    """The types of a site as learnt by `KeyClus`.

    Attributes:
        ranked: keys of the key paths, best first; tabs: keys of those that are tabs.
        shingle_size, random_state: of the shingles.
        rules: one for each type.
        shared: the ids and classes in the paths; None: all.
    """

    file: ClassVar = "webgrain KeyClus types", 1
    ranked: tuple[int, ...]
    tabs: tuple[int, ...]
    shingle_size: int
    random_state: int
    rules: tuple[ClusterRule, ...] = ()
    shared: SharedValues | None = None
    _rule_of: dict[Cluster, ClusterRule] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._rule_of = {rule.cluster: rule for rule in self.rules}

    def cluster(self, keys: UInt64, contents: UInt64) -> Cluster:
        """Return the cluster of a page by the keys of its paths (r,), and of their contents (r,)."""
        shingle = two_step_shingle(keys, self.ranked, self.shingle_size, self.random_state)
        tabs = [np.flatnonzero(keys == np.uint64(tab)).tolist() for tab in self.tabs]
        return Cluster(shingle, tuple(int(contents[at[0]]) if at else -1 for at in tabs))

    def clusters_of(self, site: RawPaths) -> list[tuple[Cluster, list[int]]]:
        """Return the clusters of the pages of a site with the numbers of their pages, largest first."""
        clusters: dict[Cluster, list[int]] = {}
        for page in range(len(site.pages)):
            keys = site.key[site.paths_of(page)]
            contents = site.content[site.start[page] : site.start[page + 1]]
            clusters.setdefault(self.cluster(keys, contents), []).append(page)
        return sorted(clusters.items(), key=lambda item: (-len(item[1]), item[1]))

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page; None if its cluster is new. The paper defines no confidence."""
        table = places(page.dom)
        counts = RawCounts([page.id], {}, [table.up], [table.step], [content_keys(page.dom, table)])
        if self.shared is not None:
            counts.steps |= new_steps({}, page.dom, table)
            counts = with_shared_values(counts, self.shared)
        keys = path_keys(counts.up[0], counts.step[0], np.array([0, len(counts.up[0])]))
        rule = self._rule_of.get(self.cluster(keys, counts.content[0]))
        return Assignment(rule.label, rule.key_path, None) if rule else Assignment(None, None, None)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""
        return {
            "types": [
                {
                    "label": rule.label,
                    "key_path": path_to_dict(rule.key_path) if rule.key_path else None,
                    "pages": rule.size,
                    "shingle": hex_keys(rule.cluster.shingle),
                    "contents": list(rule.cluster.contents),
                }
                for rule in self.rules
            ],
            "ranked": hex_keys(self.ranked),
            "tabs": hex_keys(self.tabs),
            "shingle_size": self.shingle_size,
            "random_state": self.random_state,
        } | ({} if self.shared is None else {"shared": self.shared.to_dict()})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> KeyClusModel:
        """Return the model of a record; raises one of `webgrain.base.modelfile.DAMAGED` if it is not one."""
        rules = []
        for rule in record["types"]:
            key_path = path_from_dict(rule["key_path"]) if rule["key_path"] else None
            cluster = Cluster(keys_from_hex(rule["shingle"]), tuple(map(int, rule["contents"])))
            rules.append(ClusterRule(str(rule["label"]), key_path, cluster, int(rule["pages"])))
        return cls(
            ranked=keys_from_hex(record["ranked"]),
            tabs=keys_from_hex(record["tabs"]),
            shingle_size=max(1, int(record["shingle_size"])),
            random_state=abs(int(record["random_state"])),
            rules=tuple(rules),
            shared=SharedValues.from_dict(record["shared"]) if "shared" in record else None,
        )


def describe_clusters(
    counts: RawCounts,
    site: RawPaths,
    clusters: Sequence[tuple[tuple[tuple[int, ...], tuple[int, ...]], Sequence[int]]],
    key_paths: Sequence[int],
    tabs: Sequence[int],
    candidates: Int64,
) -> tuple[PageType, ...]:
    """Return the types of clusters of `KeyClus`.

    clusters: of each, its shingle and the contents of its tabs, and the numbers of its pages; candidates:
    the best paths, which fields are chosen from.
    """
    path_of = {int(site.key[path]): path for path in key_paths}
    rank = np.full(len(site), -1)
    rank[candidates] = np.arange(len(candidates))
    types: list[PageType] = []
    taken: set[str] = set()
    for (shingle, contents), pages in clusters:
        path = path_of.get(shingle[0]) if shingle else None
        known = [page for page in pages if page in counts.snippets]
        texts = [
            dict(zip(site.paths_of(page).tolist(), counts.snippets[page], strict=True)) for page in known
        ]
        open_tabs = [tab for tab, content in zip(tabs, contents, strict=True) if content >= 0]
        key_path = None if path is None else site.describe(path)
        label = _label(key_path, shingle, hash(contents) if open_tabs else 0, taken)
        tab = " | ".join(next(iter(contents_of(tab, texts)), "") for tab in open_tabs)
        types.append(describe_type(site, pages, path, rank, texts, label, tab))
    return tuple(types)


def _label(key_path: Path | None, shingle: tuple[int, ...], content: int, taken: set[str]) -> str:
    """Return a new label: the last steps of the key path, and four hexadecimal digits."""
    text = f"{key_path.css if key_path else shingle}|0|{content}"
    words = " ".join(step.css for step in key_path.steps[-2:]) if key_path else OTHER
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "type"
    number = text_key(text)
    while (label := f"{name}-{number % 2**16:04x}") in taken:
        number += 1
    taken.add(label)
    return label


# 3 The pages: their paths with all ids and classes, and the query words on them.

_SEPARATOR = "\0"
_WORDS_AT_ONCE = 64  # bounds the memory for a page with many query words
_LOW = np.uint64(2**32 - 1)


@dataclass(slots=True)
class RawCounts:
    """The raw paths and the query words of the pages of a site.

    Attributes:
        ids: of the pages.
        steps: the last steps of all paths by their keys.
        up, step, content: of each page, (r,) the path one step shorter, the key of the last step, and the key
            of the bag of the texts below the path; 0 for no text.
        texts: of each page with queries, by its number.
        snippets: the beginning of the text at each path (r,), for some pages, by their numbers.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> counts = RawCounts()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")), {"blue lamp": 3, "lamp": 1})
    >>> len(counts), counts.texts[0].queries.tolist()
    (1, [1, 2])
    """

    ids: list[str] = field(default_factory=list)
    steps: dict[int, Step] = field(default_factory=dict)
    up: list[Int32] = field(default_factory=list)
    step: list[UInt64] = field(default_factory=list)
    content: list[UInt64] = field(default_factory=list)
    texts: dict[int, Texts] = field(default_factory=dict)
    snippets: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: Mapping[str, int] | None = None) -> None:
        """Add a page and the set of its queries."""
        self.store(self.read(page, queries))

    def read(self, page: Page, queries: Mapping[str, int] | None = None) -> RawCounts:
        """Return the counts of a page for `store`; only the steps that no page before had."""
        dom = page.dom
        table = places(dom)
        is_sampled = len(self.snippets) < MAX_SNIPPET_PAGES
        words = Counter(word for query in queries or () for word in words_of(query))
        return RawCounts(
            ids=[page.id],
            steps=new_steps(self.steps, dom, table),
            up=[table.up],
            step=[table.step],
            content=[content_keys(dom, table)],
            texts={0: read_query_words(dom, table, words)} if words else {},
            snippets={0: snippets_of(page, table)} if is_sampled else {},
        )

    def store(self, read: RawCounts) -> None:
        """Add the counts of a page."""
        number = len(self.ids)
        self.ids += read.ids
        self.steps |= read.steps
        self.up += read.up
        self.step += read.step
        self.content += read.content
        self.texts |= {number + k: texts for k, texts in read.texts.items()}
        self.snippets |= {number + k: snippets for k, snippets in read.snippets.items()}

    def part(self, pages: Sequence[int]) -> RawCounts:
        """Return the counts of some pages, by their numbers in increasing order."""
        return RawCounts(
            ids=[self.ids[page] for page in pages],
            steps=self.steps,
            up=[self.up[page] for page in pages],
            step=[self.step[page] for page in pages],
            content=[self.content[page] for page in pages],
            texts={k: self.texts[page] for k, page in enumerate(pages) if page in self.texts},
            snippets={k: self.snippets[page] for k, page in enumerate(pages) if page in self.snippets},
        )


@dataclass(frozen=True, slots=True, eq=False)
class RawPaths(Paths):
    """The paths of a site with all ids and classes; content: (m,) uint64, see `RawCounts`."""

    content: UInt64
    _step: UInt64
    _steps: Mapping[int, Step]

    @classmethod
    def of(cls, counts: RawCounts) -> RawPaths:
        """Return the paths of the pages that were counted; `InputError` if there is none."""
        if not len(counts):
            raise InputError("No page could be read, so there is no page type to learn.")
        start, up = joined_tables(counts.up)
        step = np.concatenate(counts.step)
        keys = path_keys(up, step, np.array([0, len(up)]))
        joined = join_paths(counts.ids, start, up, keys)
        first = joined.pop("first")
        content = np.concatenate(counts.content)
        return cls(**joined, content=content, _step=step[first], _steps=counts.steps)

    def describe(self, path: int) -> Path:
        """Return the steps of a path."""
        steps = []
        while path >= 0:
            steps.append(self._steps[int(self._step[path])])
            path = int(self.up[path])
        return Path(tuple(reversed(steps)))


def page_paths(table: Places) -> UInt64:
    """Return the keys of the paths (r,) of a page."""
    keys: UInt64 = path_keys(table.up, table.step, np.array([0, len(table.up)]))
    return keys


def content_keys(dom: Dom, table: Places) -> UInt64:
    """Return the key of the bag of texts below each path (r,); 0 for no text.

    >>> from webgrain.page.parsing import parse_html
    >>> table = places(dom := parse_html("<p>a<b>b</b><p>b<i>a</i>"))
    >>> keys = dict(zip([dom.name(k) for k in table.first.tolist()], content_keys(dom, table).tolist()))
    >>> keys["p"] == keys["body"] != keys["b"], keys["head"]
    (True, 0)
    """
    nodes, _, _, key = text_spans(dom)
    sums = np.zeros((len(table.up), 1), np.int64)
    np.add.at(sums[:, 0], table.path[nodes], ((key & _LOW) | np.uint64(1)).astype(np.int64))
    keys: UInt64 = climb(table.up, sums)[:, 0].astype(np.uint64)
    return keys


@dataclass(frozen=True, slots=True, eq=False)
class Texts(ReadOnly):
    """The texts (t,) of a page, and the query words in them.

    Attributes:
        path, key, words: (t,) the path of each text, the key of its characters, its number of words.
        hit_text, hit_word: (h,) a text and a query word in it, one row for each occurrence.
        queries: (w,) how often the queries of the page contain each of their words.
    """

    path: Int32
    key: UInt64
    words: Int32
    hit_text: Int32
    hit_word: Int32
    queries: Int64

    def bags(self, up: Int32, counted: Bool) -> tuple[Int64, Int64]:
        """Return the number of words (r,) of the content of each path, and of each query word in it (r, w).

        up (r,): the path one step shorter. counted (t,): the texts that count.
        """
        words = np.zeros((len(up), 1), np.int64)
        np.add.at(words[:, 0], self.path[counted], self.words[counted])
        hit = counted[self.hit_text]
        path = self.path[self.hit_text[hit]]
        word = self.hit_word[hit]
        blocks = [np.empty((len(up), 0), np.int64)]
        for first in range(0, len(self.queries), _WORDS_AT_ONCE):
            block = np.zeros((len(up), min(_WORDS_AT_ONCE, len(self.queries) - first)), np.int64)
            inside = (word >= first) & (word < first + block.shape[1])
            np.add.at(block, (path[inside], word[inside] - first), 1)
            blocks.append(climb(up, block))
        return climb(up, words)[:, 0], np.concatenate(blocks, axis=1)


def read_query_words(dom: Dom, table: Places, words: Mapping[str, int]) -> Texts:
    """Return the texts of a page, and where the words (with their numbers in the queries) are in them."""
    nodes, start, end, key = text_spans(dom)
    text = dom.text.replace(_SEPARATOR, " ")
    joined = _SEPARATOR.join(text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True))
    text_of, word = _words_in(joined, list(words))
    return Texts(
        path=table.path[nodes],
        key=key,
        words=np.bincount(text_of, minlength=len(nodes)).astype(np.int32),
        hit_text=text_of[word >= 0],
        hit_word=word[word >= 0],
        queries=np.array(list(words.values()), np.int64),
    )


def _words_in(texts: str, wanted: Sequence[str]) -> tuple[Int32, Int32]:
    """Return for each word of separated texts the number of its text, and its number in ``wanted`` or -1."""
    codes = code_points(texts.lower())
    start, end = word_spans(codes)
    text = np.searchsorted(np.flatnonzero(codes == ord(_SEPARATOR)), start).astype(np.int32)
    length = np.cumsum([0, *map(len, wanted)], dtype=np.int32)
    wanted_key = span_keys(code_points("".join(wanted)), length[:-1], length[1:], int(length[-1]))
    key = span_keys(codes, start, end, len(codes))
    order = np.argsort(wanted_key)
    at = order[np.minimum(np.searchsorted(wanted_key[order], key), len(order) - 1)]
    return text, np.where(wanted_key[at] == key, at, -1).astype(np.int32)


# 4.1: `webgrain.papers.typereview`; 4.3: `webgrain.page.paths.path_matches`.

# Share of the pages of a type above which a path is no key path when a reviewer splits the type. Hand-set,
# not tuned.
SPLIT_PRESENCE = 0.95
