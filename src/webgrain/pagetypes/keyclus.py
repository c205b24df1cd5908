"""Where queries match the contents of paths: M(x, p) = C(x, p) ∩ Q(p) of KeyClus, for all paths and pages.

Currently open tabs (KeyClus, 3.4): paths on all pages of a type whose content is one of a few.

KeyClus: the pages of a site by type, told apart by the paths whose contents people search for.

Source: Chakrabarti, Mehta, The paths more taken: matching DOM trees to search logs for accurate webpage
clustering, WWW 2010: sections 3.1 (shingles), 3.2 (precision, recall, Borda), 3.3 (independent paths), 3.4
(tabs, templates).

    paper                   here                            shape, unit
    x, x_p = 1              a path, `SitePaths.presence`    (p, u) pages by paths
    C(x, p), Q(p), M(x, p)  `Matches`                       bags of words
    EP(x), ER(x)            `expected`                      (2, u)
    R_P, R_R, R_F           `borda`                         (u,) paths, best first
    gamma, weight of R_R    recall_weight                   1
    H(x1, x2), F(x1, x2)    `occurrence`, `content`         (s, s) shares
    theta_occ               dependence                      a share
    alpha                   decay, weight of rank i: alpha^i
    k, top paths            shingle_size, top

Departures:
  - Of the sites at hand most have a path of all pages (their titles) that matches best: by occurrence every
    other path depends on it, and it alone is left. So by default (``choose="structure"``) key paths are
    chosen by what they tell of the other paths of a page (`structure`), and R_F weighs what a path is worth
    and says which of equal ones is taken. ``choose="rank"`` is the paper's.
  - Ids and classes stand in a path where the site shares them, `vocabulary`; wrappers are left out,
    `sitepaths`.
  - Only the body has key paths: the title of the head says nothing of the type, nor can it be seen.
  - The text of at most `MAX_READ` pages is read; types are told on at most ``sample`` pages.
  - Template removal: texts that many pages have match nothing, `matches`.
Unclear: the weights of the first terms of (1) and (2). Here P(x)^presence_weight * P(Q | x) * mean.
Unclear: whether repeated words count. Here they do: C and Q are bags, as the paper says.
Unclear: on how many pages a tab has to be. Here on nine in ten of a type's, and each content on three pages.

Cost: a pass over the pages, 20 bytes for each of their paths, about as long as parsing them, and as long
again to learn; to assign a page, its paths and a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.errors import InputError, ParameterError
from webgrain.estimator import Estimator, check_choice, check_integer, check_number
from webgrain.page.kernels.pathtable import climb
from webgrain.page.page import Page
from webgrain.pagetypes.pagetypes import choose_by_structure
from webgrain.pagetypes.pathcounts import SiteStatistics, TextRecord
from webgrain.pagetypes.rawsearch import find_signs
from webgrain.pagetypes.sitepaths import SitePaths, pages_by_shingle, site_paths
from webgrain.pagetypes.typemodel import Assignment, Rule, TypeModel, explain
from webgrain.results import Clustering


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What the queries of the pages that were read match.

    Attributes:
        pages: (q,) int64, the pages.
        page, path: (m,) int64, a place: one of these pages, and a path with words on it.
        precision, recall: (m,) |M| / |C| and |M| / |Q| there, bags of words.
        hit_page, hit_path, hit_word: (h,) the sets M: a page, a path, and a word by its number on the page.
    """

    pages: Int64
    page: Int64
    path: Int64
    precision: Float64
    recall: Float64
    hit_page: Int64
    hit_path: Int64
    hit_word: Int64


def find_matches(statistics: SiteStatistics, site: SitePaths, *, repeated: float = 0.2) -> Matches:
    """Match the queries of all pages whose text was read.

    repeated: texts found on a larger share of these pages belong to the site's template and match nothing
    (those of three pages and fewer are never taken for it).
    """
    numbers = sorted(statistics.texts.kept)
    template = _template([statistics.texts.kept[p] for p in numbers], repeated)
    places, hits = [np.empty((4, 0))], [np.empty((3, 0), np.int64)]
    for p in numbers:
        place, hit = _match(statistics.texts.kept[p], statistics.records[p].up, site.local[p], template)
        places.append(np.vstack([np.full(place.shape[1], p), place]))
        hits.append(np.vstack([np.full(hit.shape[1], p), hit]))
    page, path, precision, recall = np.concatenate(places, axis=1)
    hit_page, hit_path, hit_word = np.concatenate(hits, axis=1)
    return Matches(
        np.array(numbers, np.int64), page.astype(np.int64), path.astype(np.int64), precision, recall,
        hit_page, hit_path, hit_word,
    )  # fmt: skip


def _template(texts: list[TextRecord], repeated: float) -> UInt64:
    """Return the keys of the texts that many pages have."""
    keys = np.concatenate([*(np.unique(text.key) for text in texts), np.empty(0, np.uint64)])
    key, pages = np.unique(keys, return_counts=True)
    return key[pages > max(3, repeated * len(texts))]


def _match(text: TextRecord, up: Int32, local: Int32, template: UInt64) -> tuple[Float64, Int64]:
    """Return places (3, m): path, precision and recall; and hits (2, h): path and word."""
    own = ~np.isin(text.key, template)
    hit = own[text.hit_text]
    hit_path, hit_word = text.path[text.hit_text[hit]], text.hit_word[hit]
    sums = np.zeros((len(up), 2 + len(text.weight)), np.int32)
    np.add.at(sums[:, 0], text.path[own], text.words[own])
    np.add.at(sums[:, 1], hit_path, 1)
    np.add.at(sums, (hit_path, 2 + hit_word), 1)
    sums = climb(up, sums)
    counted = (up < 0) | (local != local[up])  # an element that is left out is no instance of a path
    path, index = np.unique(local[counted], return_inverse=True)
    site_sums = np.zeros((len(path), sums.shape[1]), np.int64)
    np.add.at(site_sums, index, sums[counted])
    words, found, present = site_sums[:, 0], site_sums[:, 1], site_sums[:, 2:] > 0
    place = np.stack([path, found / np.maximum(words, 1), present @ text.weight / text.weight.sum()])
    row, word = np.nonzero(present)
    return place[:, words > 0], np.stack([path[row].astype(np.int64), word])


FEWEST, MOST = 2, 10
"""Contents of a tab."""

SHARE = 0.9
"""Share of a type's pages that a tab is on."""

LEAST = 3
"""Pages of each content."""


def find_tab(site: SitePaths, rule: Rule, rank: Float64) -> list[Rule]:
    """Split the pages of a rule by what their best-ranked tab says; the rule itself where there is none.

    rank (u,): of the paths; one that matches no query (0) is no tab.
    """
    pages = np.array(rule.pages)
    at = np.flatnonzero(np.isin(site.page, pages) & (site.content != 0) & (rank[site.path] > 0))
    path, content = site.path[at], site.content[at]
    on = np.bincount(path, minlength=len(site))
    for candidate in sorted(np.flatnonzero(on >= SHARE * len(pages)).tolist(), key=lambda p: (-rank[p], p)):
        kinds, inverse, sizes = np.unique(content[path == candidate], return_inverse=True, return_counts=True)
        if FEWEST <= len(kinds) <= MOST and sizes.min() >= LEAST:
            owner = site.page[at[path == candidate]]
            key = int(site.key[candidate])
            parts = [
                Rule(rule.shingle, tuple(owner[inverse == k].tolist()), key, int(kind))
                for k, kind in enumerate(kinds.tolist())
            ]
            others = tuple(sorted(set(rule.pages).difference(owner.tolist())))
            return parts + ([Rule(rule.shingle, others)] if others else [])
    return [rule]


def expected(
    statistics: SiteStatistics, site: SitePaths, matches: Matches, presence_weight: float
) -> Float64:
    """Return expected precision and recall (2, u) of all paths: equations (1) and (2)."""
    size = np.maximum(site.size, 1)
    queried = np.isin(site.page, np.fromiter(statistics.queried, np.int64))
    with_queries = np.bincount(site.path[queried], minlength=len(site))
    read = np.isin(site.page, matches.pages)
    pages = np.maximum(np.bincount(site.path[read], minlength=len(site)), 1)
    first = (size / max(len(site.pages), 1)) ** presence_weight * with_queries / size
    sums = [np.bincount(matches.path, x, len(site)) for x in (matches.precision, matches.recall)]
    nearer = 1 + 1e-9 * site.depth  # of paths that match alike the one nearest to the words
    return first * np.stack(sums) / pages * site.in_body * nearer


def borda(precision: Float64, recall: Float64, recall_weight: float) -> Int64:
    """Return R_F, the paths (u,) best first: by their position in R_P plus so much of that in R_R.

    >>> borda(np.array([0.1, 0.9, 0.5]), np.array([0.9, 0.1, 0.5]), 0.3).tolist()
    [1, 2, 0]
    """
    place = np.empty((2, len(precision)))
    for row, score in zip(place, (precision, recall), strict=True):
        row[np.argsort(-score, kind="stable")] = np.arange(len(score))
    return np.argsort(place[0] + recall_weight * place[1], kind="stable")


def ranks(ranking: Int64, matches: Matches, size: int) -> Float64:
    """Return how good each path (u,) is as a key path: 1 the best of R_F, 0 one that matches no query."""
    matched = np.bincount(matches.path, matches.recall, size) > 0
    place = np.empty(size)
    place[ranking] = np.arange(size)
    return np.where(matched, np.clip(1 - place / max(int(matched.sum()), 1), 0, 1), 0.0)


def occurrence(presence: Bool) -> Float64:
    """Return the similarity of occurrence H (s, s) of the paths that are on pages as in ``presence`` (p, s).

    >>> occurrence(np.array([[1, 1], [1, 0]], bool)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    has = presence.astype(np.float64)
    size = has.sum(0)
    both: Float64 = has.T @ has / np.maximum(np.minimum.outer(size, size), 1)
    return both


def content(matches: Matches, paths: Sequence[int] | Int64) -> Float64:
    """Return the similarity of content F (s, s): the share of matched words that two paths have in common.

    The mean is over the pages where both paths match a word; 0 where there is none.
    """
    column = {int(path): k for k, path in enumerate(paths)}
    words: dict[int, list[set[int]]] = {}
    own = np.isin(matches.hit_path, np.asarray(paths))
    for page, path, word in zip(
        matches.hit_page[own].tolist(),
        matches.hit_path[own].tolist(),
        matches.hit_word[own].tolist(),
        strict=True,
    ):
        words.setdefault(page, [set() for _ in paths])[column[path]].add(word)
    shared, pages = np.zeros((2, len(paths), len(paths)))
    for sets in words.values():
        there = [k for k, own_words in enumerate(sets) if own_words]
        for a in there:
            for b in there:
                shared[a, b] += len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b]))
                pages[a, b] += 1
    return shared / np.maximum(pages, 1)


def greedy_mwis(dependent: Bool, weight: Float64) -> list[int]:
    """Return an independent set of nodes: the heaviest one that depends on none before, until there is none.

    dependent (s, s): the edges. With weights decay^i, decay <= 0.5, no independent set is heavier (Lemma 1).

    >>> edges = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)
    >>> greedy_mwis(edges, np.array([0.5, 0.25, 0.125]))
    [0, 2]
    """
    feasible, chosen = np.ones(len(weight), bool), []
    for node in np.argsort(-weight, kind="stable").tolist():
        if feasible[node]:
            chosen.append(node)
            feasible &= ~dependent[node]
    return chosen


@dataclass(kw_only=True, eq=False)
class KeyClus(Estimator):
    """Page types of a site.

    Attributes:
        recall_weight: what a position in the ranking by recall counts beside one in that by precision.
        presence_weight: power of the share of pages that have a path; more prefers frequent paths.
        choose: key paths by ``structure``, or by ``rank`` and independence alone, as in the paper.
        least: share of its bits that a group of pages must save to be split (structure).
        dependence: similarity of occurrence from which two paths are dependent (rank).
        content_dependence: similarity of content from which they are too; None: at none (rank).
        decay: of the weights by rank (rank).
        top: how many paths of the ranking can be key paths (rank).
        shingle_size: paths in the shingle of a page.
        tabs: split types further by the content of a tab.
        fold: leave out wrappers.
        repeated: share of pages from which a text belongs to the template.
        sample: pages on which types are told, at most.
        min_confidence: share of its type's common paths below which a page is of no known type.
        random_state: seed of the min-hashes, 0..: for pages without a key path, and larger shingles.
        model_, clustering_: what `fit` has learnt: the model of the types, and the types of its pages.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> def page(k, body):
    ...     return parse(Source(f"{k}.html", body.encode()))
    >>> posts = [page(k, f"<article><h1>Post {k}</h1><p>Text.</article>") for k in range(9)]
    >>> lists = [page(-k, f"<ul><li><a>Post {k}</a><li><a>Post</a></ul>") for k in range(1, 9)]
    >>> method = KeyClus().fit(posts + lists, {post.id: {f"post {k}": 1} for k, post in enumerate(posts)})
    >>> [(kind.key_path.css, kind.size) for kind in method.clustering_.types]
    [('html > body > article > h1', 9), ('html > body > ul', 8)]
    >>> method.predict(page(99, "<article><h1>New</h1><p>Text.</article>")).type
    'article-h1-1f1f'
    """

    recall_weight: float = 0.3
    presence_weight: float = 1.0
    choose: Literal["structure", "rank"] = "structure"
    least: float = 0.09
    dependence: float = 0.97
    content_dependence: float | None = None
    decay: float = 0.5
    top: int = 100
    shingle_size: int = 1
    tabs: bool = False
    fold: bool = True
    repeated: float = 0.2
    sample: int = 2000
    min_confidence: float = 0.5
    random_state: int = 0
    model_: TypeModel | None = field(default=None, init=False, repr=False)
    clustering_: Clustering | None = field(default=None, init=False, repr=False)

    method = "keyclus"

    def __post_init__(self) -> None:
        check_choice(self, "choose", ("structure", "rank"))
        for name in ("recall_weight", "presence_weight"):
            check_number(self, name, low=0.0)
        for name in ("least", "dependence", "decay", "repeated", "min_confidence"):
            check_number(self, name, low=0.0, high=1.0)
        if self.content_dependence is not None:
            check_number(self, "content_dependence", low=0.0, high=1.0)
        for name in ("top", "shingle_size", "sample"):
            check_integer(self, name, low=1)
        check_integer(self, "random_state", low=0)
        for name in ("tabs", "fold"):
            check_choice(self, name, (True, False))

    def fit(self, pages: Iterable[Page], queries: Mapping[str, Mapping[str, int]] | None = None) -> KeyClus:
        """Learn the types of a site's pages.

        queries: of a page, by its id, the queries with their clicks. `InputError` where there is no page.
        """
        statistics = SiteStatistics()
        for page in pages:
            statistics.add(page, (queries or {}).get(page.id))
        return self.fit_statistics(statistics)

    def fit_statistics(self, statistics: SiteStatistics) -> KeyClus:
        """Learn the types from the statistics of a site's pages."""
        if not len(statistics):
            raise InputError("No page could be read, so there is no type of page to learn.")
        site = site_paths(statistics, fold=self.fold)
        matches = find_matches(statistics, site, repeated=self.repeated)
        ranking = self.rank(statistics, site, matches)
        rank = ranks(ranking, matches, len(site))
        chosen = self.key_paths(site, matches, ranking, rank)
        rules = self._rules(site, chosen, rank)
        shown = explain(statistics, site, rules, ranking, chosen)
        self.model_ = TypeModel(
            site.rules, tuple(int(site.key[path]) for path in chosen), self.shingle_size, self.random_state,
            self.min_confidence, shown.rules, find_signs(statistics, site, chosen),
        )  # fmt: skip
        self.clustering_ = Clustering(
            site.pages, shown.labels, shown.confidence, shown.types, self.method, self.describe()
        )
        return self

    def rank(self, statistics: SiteStatistics, site: SitePaths, matches: Matches) -> Int64:
        """Return R_F: the paths (u,) of a site, best first."""
        precision, recall = expected(statistics, site, matches, self.presence_weight)
        return borda(precision, recall, self.recall_weight)

    def key_paths(self, site: SitePaths, matches: Matches, ranking: Int64, rank: Float64) -> list[int]:
        """Return the key paths, in the order in which they are looked for on a page."""
        if self.choose == "structure":
            return choose_by_structure(site, rank, least=self.least, sample=self.sample)
        best = np.array([path for path in ranking[: self.top].tolist() if rank[path] > 0], np.int64)
        dependent = occurrence(site.presence(best)) >= self.dependence
        if self.content_dependence is not None:
            dependent |= content(matches, best) >= self.content_dependence
        weight = self.decay ** np.arange(1.0, len(best) + 1)
        return [int(best[k]) for k in greedy_mwis(dependent, weight)]

    def predict(self, page: Page) -> Assignment:
        """Return the type of a page; none where it is of no known type."""
        if self.model_ is None:
            raise ParameterError("KeyClus has not learnt any types yet: call fit first.")
        return self.model_.assign(page)

    def _rules(self, site: SitePaths, chosen: list[int], rank: Float64) -> list[Rule]:
        """Return the shingles of all pages as rules, split by tabs."""
        found = pages_by_shingle(site, chosen, self.shingle_size, self.random_state)
        rules = [Rule(shingle, tuple(pages)) for shingle, pages in found.items()]
        return [part for rule in rules for part in (find_tab(site, rule, rank) if self.tabs else [rule])]
