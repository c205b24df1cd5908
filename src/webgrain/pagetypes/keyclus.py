"""KeyClus: the page types of a site, identified by the paths whose contents people search for.

Source: Chakrabarti, Mehta, The paths more taken: matching DOM trees to search logs for accurate webpage
clustering, WWW 2010. The sections below have the numbers of the paper.

Problem (3): given the pages of a site and a search log, which lists the queries that led to each page,
cluster the pages by structure. A page is the set of its DOM paths. Query words are what users look for, and a
page that was visited for a query often contains its words in its main content; so a path whose content often
matches queries is a good key path. KeyClus (1) ranks the paths by how well they match (3.2), (2) selects
independent ones among the best (3.3), and (3) puts pages with the same shingle, which consists of key paths
first, into one cluster (3.1).

    paper                   here                           shape, unit
    x, x_p = 1              a path, `SitePaths.presence`   (p, u) pages by paths
    C(x, p), Q(p), M(x, p)  `Matches`                      bags of words
    EP(x), ER(x)            `expected`                     (2, u)
    R_P, R_R, R_F           `borda`                        (u,) paths, best first
    weight of R_R           recall_weight                  0.3
    H(x1, x2), F(x1, x2)    `occurrence`, `content`        (s, s) shares
    theta_occ               dependence                     0.97, a share
    alpha                   decay, weight of rank i: alpha^i
    k, top-ranked paths     shingle_size, top              1, 100
    S                       `TypeModel.ranked`             keys of paths, best first

Departures:
  - Ids and classes stand in a path where the site shares them, and wrappers are left out (`fold`):
    `webgrain.pagetypes.sitepaths`.
  - Only paths into the body are key paths: the title in the head does not identify a type.
  - The text of at most `MAX_TEXT_PAGES` pages is read.
  - Template removal: texts that many pages share match nothing (`repeated`), in place of the detector of [2].
  - Tabs are off by default.
  - A page must have a part of the paths that are common in its type (`min_confidence`).
Unclear: the weights of the first terms of (1) and (2). Here P(x)^presence_weight * P(Q | x) * mean.
Unclear: whether repeated words count. Here they do: C and Q are bags, as in the paper.
Unclear: on how many pages a tab must be. Here on nine in ten of a cluster's, each content on three pages.

Cost: one pass over the pages, 20 bytes for each of their paths, about as long as parsing them, and as long
again to learn; to assign a page, its paths and a look-up.
"""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from typing import Any, Self

import numpy as np

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.errors import InputError, ParameterError
from webgrain.estimator import Estimator, check_choice, check_integer, check_number, create
from webgrain.io.queries import read_queries
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.kernels.treepass import climb, span_keys
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page, as_pages
from webgrain.page.paths import Path, Step, path_table
from webgrain.page.strings import code_points
from webgrain.pagetypes.descriptions import OTHER, Group, Rule, describe_types
from webgrain.pagetypes.pathcounts import PathCounts, TextRecord
from webgrain.pagetypes.sitepaths import PathRules, SharedValues, SitePaths, site_paths
from webgrain.pagetypes.thresholds import COMMON_IN_TYPE, MAX_CONTENT
from webgrain.results import Clustering

# A page, or anything that can be parsed to a page.
PageLike = Page | Source | str | bytes | pathlib.Path

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


def cluster_pages(site: SitePaths, ranked: Sequence[int], size: int, random_state: int) -> list[Group]:
    """Return the pages of a site by shingle; ranked: keys of its key paths, best first."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for page, (first, last) in enumerate(zip(site.start[:-1].tolist(), site.start[1:].tolist(), strict=True)):
        shingle = two_step_shingle(site.key[site.path[first:last]], ranked, size, random_state)
        groups.setdefault(shingle, []).append(page)
    return [Group(shingle, tuple(pages)) for shingle, pages in groups.items()]


# 3.2 Finding key paths: the words that queries and the content of a path have in common.


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The matches of the queries of the pages whose text was read.

    Attributes:
        pages: (q,) int64, these pages.
        page, path: (m,) int64, an instance: one of these pages, and a path with words on it.
        precision, recall: (m,) |M| / |C| and |M| / |Q| of the instance, bags of words.
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


def find_matches(counts: PathCounts, site: SitePaths, *, repeated: float = 0.2) -> Matches:
    """Match the queries of all pages whose text was read.

    repeated: texts on a larger share of these pages belong to the template and match nothing (3.4, template
    removal); texts of three pages and fewer never do.
    """
    texts = counts.texts.kept
    numbers = sorted(texts)
    all_keys = np.concatenate([*(np.unique(texts[p].key) for p in numbers), np.empty(0, np.uint64)])
    key, pages = np.unique(all_keys, return_counts=True)
    template = key[pages > max(3, repeated * len(numbers))]
    instances, hits = [np.empty((4, 0))], [np.empty((3, 0), np.int64)]
    for p in numbers:
        instance, hit = _match(texts[p], counts.records[p].up, site.local[p], template)
        instances.append(np.vstack([np.full(instance.shape[1], p), instance]))
        hits.append(np.vstack([np.full(hit.shape[1], p), hit]))
    page, path, precision, recall = np.concatenate(instances, axis=1)
    hit_page, hit_path, hit_word = np.concatenate(hits, axis=1)
    return Matches(
        np.array(numbers, np.int64), page.astype(np.int64), path.astype(np.int64), precision, recall,
        hit_page, hit_path, hit_word,
    )  # fmt: skip


def _match(text: TextRecord, up: Int32, local: Int32, template: UInt64) -> tuple[Float64, Int64]:
    """Return the instances of a page (3, m): path, precision and recall; and hits (2, h): path and word."""
    counted = ~np.isin(text.key, template)
    hit = counted[text.hit_text]
    hit_path, hit_word = text.path[text.hit_text[hit]], text.hit_word[hit]
    sums = np.zeros((len(up), 2 + len(text.weight)), np.int32)  # words, matching words, and each query word
    np.add.at(sums[:, 0], text.path[counted], text.words[counted])
    np.add.at(sums[:, 1], hit_path, 1)
    np.add.at(sums, (hit_path, 2 + hit_word), 1)
    sums = climb(up, sums)
    is_instance = (up < 0) | (local != local[up])  # an element that is left out is no instance of a path
    path, index = np.unique(local[is_instance], return_inverse=True)
    site_sums = np.zeros((len(path), sums.shape[1]), np.int64)
    np.add.at(site_sums, index, sums[is_instance])
    words, matching, present = site_sums[:, 0], site_sums[:, 1], site_sums[:, 2:] > 0
    instances = np.stack([path, matching / np.maximum(words, 1), present @ text.weight / text.weight.sum()])
    row, word = np.nonzero(present)
    return instances[:, words > 0], np.stack([path[row].astype(np.int64), word])


def expected(counts: PathCounts, site: SitePaths, matches: Matches, presence_weight: float) -> Float64:
    """Return expected precision and recall (2, u) of all paths: equations (1) and (2)."""
    size = np.maximum(site.size, 1)
    queried = np.isin(site.page, np.fromiter(counts.queried, np.int64))
    with_queries = np.bincount(site.path[queried], minlength=len(site))
    read = np.isin(site.page, matches.pages)
    pages = np.maximum(np.bincount(site.path[read], minlength=len(site)), 1)
    first = (size / max(len(site.pages), 1)) ** presence_weight * with_queries / size
    sums = [np.bincount(matches.path, x, len(site)) for x in (matches.precision, matches.recall)]
    deeper = 1 + 1e-9 * site.depth  # of paths that match equally well the one nearest to the words
    return first * np.stack(sums) / pages * site.in_body * deeper


def borda(precision: Float64, recall: Float64, recall_weight: float) -> Int64:
    """Return R_F, the paths (u,) best first: by their position in R_P plus a multiple of that in R_R.

    >>> borda(np.array([0.1, 0.9, 0.5]), np.array([0.9, 0.1, 0.5]), 0.3).tolist()
    [1, 2, 0]
    """
    position = np.empty((2, len(precision)))
    for row, score in zip(position, (precision, recall), strict=True):
        row[np.argsort(-score, kind="stable")] = np.arange(len(score))
    return np.argsort(position[0] + recall_weight * position[1], kind="stable")


def path_scores(ranking: Int64, matches: Matches, size: int) -> Float64:
    """Return how good each path (u,) is as a key path: 1 for the best of R_F, 0 if it matches no query."""
    matched = np.bincount(matches.path, matches.recall, size) > 0
    position = np.empty(size)
    position[ranking] = np.arange(size)
    return np.where(matched, np.clip(1 - position / max(int(matched.sum()), 1), 0, 1), 0.0)


# 3.3 Removing dependence: a maximum weighted independent set of the best paths.


def occurrence(presence: Bool) -> Float64:
    """Return the similarity of occurrence H (s, s) of paths with a presence matrix (p, s).

    >>> occurrence(np.array([[1, 1], [1, 0]], bool)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    has = presence.astype(np.float64)
    size = has.sum(0)
    both: Float64 = has.T @ has / np.maximum(np.minimum.outer(size, size), 1)
    return both


def content(matches: Matches, paths: Sequence[int] | Int64) -> Float64:
    """Return the similarity of content F (s, s): the mean share of matching words that two paths share.

    The mean is over the pages where both paths match a word; 0 without such a page.
    """
    column = {int(path): k for k, path in enumerate(paths)}
    words: dict[int, list[set[int]]] = {}
    wanted = np.isin(matches.hit_path, np.asarray(paths))
    hits = (x[wanted].tolist() for x in (matches.hit_page, matches.hit_path, matches.hit_word))
    for page, path, word in zip(*hits, strict=True):
        words.setdefault(page, [set() for _ in paths])[column[path]].add(word)
    shared, pages = np.zeros((2, len(paths), len(paths)))
    for sets in words.values():
        matching = [k for k, some in enumerate(sets) if some]
        for a in matching:
            for b in matching:
                shared[a, b] += len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b]))
                pages[a, b] += 1
    return shared / np.maximum(pages, 1)


def greedy_mwis(dependent: Bool, weight: Float64) -> list[int]:
    """Return an independent set of nodes: repeatedly the heaviest node without an edge to the chosen ones.

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


# 3.4 Optimisations: currently open tabs. (Template removal is in `find_matches`.)

# Contents of a tab, as in the paper.
MIN_TAB_CONTENTS, MAX_TAB_CONTENTS = 2, 10

# Share of a cluster's pages that a tab is on, and pages of each of its contents; the paper gives no numbers.
TAB_SHARE, TAB_PAGES = 0.9, 3


def split_by_tab(site: SitePaths, group: Group, score: Float64) -> list[Group]:
    """Split the pages of a cluster by the content of its best tab; return the cluster itself if it has none.

    score (u,): of the paths; a path of score 0 matches no query and is no tab.
    """
    pages = np.array(group.pages)
    at = np.flatnonzero(np.isin(site.page, pages) & (site.content != 0) & (score[site.path] > 0))
    path, content_key = site.path[at], site.content[at]
    size = np.bincount(path, minlength=len(site))
    frequent = np.flatnonzero(size >= TAB_SHARE * len(pages)).tolist()
    for tab in sorted(frequent, key=lambda p: (-score[p], p)):
        values, inverse, sizes = np.unique(content_key[path == tab], return_inverse=True, return_counts=True)
        if MIN_TAB_CONTENTS <= len(values) <= MAX_TAB_CONTENTS and sizes.min() >= TAB_PAGES:
            owner = site.page[at[path == tab]]
            parts = [
                Group(group.shingle, tuple(owner[inverse == k].tolist()), int(site.key[tab]), int(value))
                for k, value in enumerate(values.tolist())
            ]
            others = tuple(sorted(set(group.pages).difference(owner.tolist())))
            return parts + ([Group(group.shingle, others)] if others else [])
    return [group]


# The learnt types.

FORMAT, VERSION = "webgrain page types", 1
_MAX_STEP_KEYS = 2**20


@dataclass(frozen=True, slots=True)
class Assignment:
    """The type of a page.

    Attributes:
        type: its label; None: unknown; ``other``: the page fits no type.
        key_path: of the type.
        confidence: share of the paths common in the type that the page has; None for ``other``.
    """

    type: str | None
    key_path: Path | None = None
    confidence: float | None = 0.0


@dataclass(slots=True, eq=False)
class TypeModel:
    """The types of a site, as learnt by `KeyClus` or `webgrain.pagetypes.pagetypes.PageTypes`.

    Attributes:
        paths: how paths are written.
        ranked: keys of the key paths, in the order in which they are looked for.
        shingle_size, random_state: of the shingles.
        min_confidence: a page with a lower confidence is of unknown type.
        rules: one for each type.
    """

    paths: PathRules
    ranked: tuple[int, ...]
    shingle_size: int
    random_state: int
    min_confidence: float
    rules: tuple[Rule, ...]
    _by_shingle: dict[tuple[int, ...], list[Rule]] = field(default_factory=dict, init=False, repr=False)
    _step_keys: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for rule in sorted(self.rules, key=lambda rule: not rule.tab):
            self._by_shingle.setdefault(rule.shingle, []).append(rule)

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""
        dom, table = page.dom, path_table(page.dom)
        if len(self._step_keys) > _MAX_STEP_KEYS:
            self._step_keys.clear()
        steps, known = table.step.tolist(), self._step_keys
        new = {
            step: node for step, node in zip(steps, table.first.tolist(), strict=True) if step not in known
        }
        known.update(zip(new, self.paths.values.keys(dom, new.values()), strict=True))
        paths = self.paths.read(table.up, np.array([known[step] for step in steps], np.uint64))
        shingle = two_step_shingle(paths.key, self.ranked, self.shingle_size, self.random_state)
        contents = {0: 0}  # a rule without a tab is for any content
        for tab in {rule.tab for rule in self._by_shingle.get(shingle, ())} - {0}:
            at = np.flatnonzero(paths.key == np.uint64(tab))
            contents[tab] = _content_key(page, int(table.first[paths.first[at[0]]])) if len(at) else 0
        for rule in self._by_shingle.get(shingle, ()):
            if contents[rule.tab] == rule.content:
                present = len(rule.core.intersection(paths.key.tolist()))
                confidence = present / len(rule.core) if rule.core else 1.0
                if confidence < self.min_confidence:
                    return Assignment(None, None, confidence)
                return Assignment(rule.label, rule.key_path, confidence)
        return Assignment(OTHER, None, None) if () in self._by_shingle else Assignment(None)

    def save(self, path: pathlib.Path, about: Mapping[str, Any] | None = None) -> None:
        """Write the model as JSON; about: further information for the file."""
        write_model(path, FORMAT, VERSION, {"about": dict(about or {})} | self.to_dict())

    @classmethod
    def load(cls, path: pathlib.Path) -> TypeModel:
        """Read a model; `InputError` if the file contains none."""
        record, _ = read_model(path, FORMAT, VERSION)
        try:
            return cls.from_dict(record)
        except DAMAGED as error:
            raise InputError(
                f"{path} contains damaged page types: {type(error).__name__} at {error}."
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""
        return {
            "types": [
                {
                    "label": rule.label,
                    "key_path": path_to_dict(rule.key_path) if rule.key_path else None,
                    "pages": rule.size,
                    "shingle": _hex(rule.shingle),
                    "tab": _hex((rule.tab, rule.content)) if rule.tab else None,
                    "core": _hex(sorted(rule.core)),
                }
                for rule in self.rules
            ],
            "ranked": _hex(self.ranked),
            "shingle_size": self.shingle_size,
            "random_state": self.random_state,
            "min_confidence": self.min_confidence,
            "ids": sorted(self.paths.values.ids),
            "classes": sorted(self.paths.values.classes),
            "wrappers": _hex(sorted(self.paths.wrappers)),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TypeModel:
        """Return the model of a record; raises one of `DAMAGED` if it is not one."""
        values = SharedValues(frozenset(map(str, record["ids"])), frozenset(map(str, record["classes"])))
        rules = []
        for rule in record["types"]:
            key_path = path_from_dict(rule["key_path"]) if rule["key_path"] else None
            tab, content_key = _keys(rule["tab"] or ("0", "0"))
            shingle, core = _keys(rule["shingle"]), frozenset(_keys(rule["core"]))
            rules.append(
                Rule(str(rule["label"]), shingle, key_path, tab, content_key, core, int(rule["pages"]))
            )
        return cls(
            PathRules(values, frozenset(_keys(record["wrappers"]))),
            _keys(record["ranked"]),
            max(1, int(record["shingle_size"])),
            abs(int(record["random_state"])),
            float(record["min_confidence"]),
            tuple(rules),
        )


def path_to_dict(path: Path) -> dict[str, Any]:
    """Return a path as plain values for `path_from_dict`."""
    steps = [[step.tag, step.id, *step.classes] for step in path.steps]
    return {"css": path.css, "xpath": path.xpath, "steps": steps, "loose": sorted(path.loose)}


def path_from_dict(record: Mapping[str, Any]) -> Path:
    """Return the path of a record; `ValueError`, `KeyError` or `TypeError` if it is not one."""
    steps = tuple(Step(str(tag), str(id_), tuple(map(str, names))) for tag, id_, *names in record["steps"])
    return Path(steps, frozenset(int(k) for k in record["loose"]))


def _content_key(page: Page, node: int) -> int:
    """Return the key of a node's text, 0 for no or a long text."""
    dom = page.dom
    start, end = int(dom.text_start[node]), int(dom.text_start[dom.end[node]])
    text = dom.text[start : min(end, start + 4 * MAX_CONTENT + 1)]
    ends = np.array([0], np.int32), np.array([len(text)], np.int32)
    return int(span_keys(code_points(text), *ends, MAX_CONTENT)[0])


def _hex(keys: Iterable[int]) -> list[str]:
    return [f"{key:016x}" for key in keys]


def _keys(texts: Iterable[str]) -> tuple[int, ...]:
    keys = tuple(int(text, 16) for text in texts)
    if any(not 0 <= key < 2**64 for key in keys):
        raise ValueError(f"expected keys of 64 bits, got {texts!r}")
    return keys


@dataclass(kw_only=True, eq=False, repr=False)
class KeyPathEstimator(Estimator):
    """Base of the methods that cluster pages by key paths: all steps but the choice of the key paths.

    The attributes are those of `KeyClus`.
    """

    recall_weight: float = 0.3
    presence_weight: float = 1.0
    shingle_size: int = 1
    tabs: bool = False
    fold: bool = True
    repeated: float = 0.2
    min_confidence: float = 0.5
    random_state: int = 0
    model_: TypeModel | None = field(default=None, init=False, repr=False)
    clustering_: Clustering | None = field(default=None, init=False, repr=False)

    method = ""

    def _check(self) -> None:
        for name in ("recall_weight", "presence_weight"):
            check_number(self, name, low=0.0)
        for name in ("repeated", "min_confidence"):
            check_number(self, name, low=0.0, high=1.0)
        check_integer(self, "shingle_size", low=1)
        check_integer(self, "random_state", low=0)
        for name in ("tabs", "fold"):
            check_choice(self, name, (True, False))

    def fit(self, pages: Iterable[PageLike], queries: object = None) -> Self:
        """Learn the types of a site's pages.

        queries: a search log as `webgrain.io.queries.read_queries` accepts it: a mapping from page ids to
        queries with their clicks, a table, or the path of a file. HTML given as str or bytes has the id
        ``page-1``, ``page-2`` and so on. `InputError` if there is no page.
        """
        log = None if queries is None else read_queries(queries)
        counts = PathCounts()
        for page in as_pages(pages):
            counts.add(page, log.queries_for(page) if log else None)
        return self.fit_counts(counts)

    def fit_counts(self, counts: PathCounts) -> Self:
        """Learn the types from the path counts of a site's pages."""
        if not len(counts):
            raise InputError("No page could be read, so there is no page type to learn.")
        site = site_paths(counts, fold=self.fold)
        matches = find_matches(counts, site, repeated=self.repeated)
        precision, recall = expected(counts, site, matches, self.presence_weight)
        ranking = borda(precision, recall, self.recall_weight)
        score = path_scores(ranking, matches, len(site))
        key_paths = self.choose_key_paths(site, matches, ranking, score)
        ranked = tuple(int(site.key[path]) for path in key_paths)
        groups = cluster_pages(site, ranked, self.shingle_size, self.random_state)
        if self.tabs:
            groups = [part for group in groups for part in split_by_tab(site, group, score)]
        groups = self._merge_others(site, key_paths, groups)
        rules, types, labels, confidence = describe_types(counts, site, groups, ranking, key_paths)
        self.model_ = TypeModel(
            site.rules, ranked, self.shingle_size, self.random_state, self.min_confidence, rules
        )
        self.clustering_ = Clustering(site.pages, labels, confidence, types, self.method, self.describe())
        return self

    def choose_key_paths(
        self, site: SitePaths, matches: Matches, ranking: Int64, score: Float64
    ) -> list[int]:
        """Return the key paths, in the order in which they are looked for on a page."""
        raise NotImplementedError

    def _merge_others(self, site: SitePaths, key_paths: list[int], groups: list[Group]) -> list[Group]:
        """Return the groups; a method may merge those that are no type into one without a shingle."""
        return groups

    def _state(self) -> dict[str, Any]:
        return self._fitted().to_dict()

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.model_ = TypeModel.from_dict(state)

    @property
    def labels_(self) -> Int32:
        """(p,) the number of the type of each page of `fit`, in the order of ``clustering_.types``."""
        if self.clustering_ is None:
            raise ParameterError(f"{type(self).__name__} has no labels_ yet: call fit first.")
        return self.clustering_.labels

    def predict(self, page: PageLike) -> Assignment:
        """Return the type of a page; `ParameterError` before `fit`."""
        return self._fitted().assign(as_page(page))

    def _fitted(self) -> TypeModel:
        if self.model_ is None:
            raise ParameterError(f"{type(self).__name__} has learnt no types yet: call fit first.")
        return self.model_


@dataclass(kw_only=True, eq=False, repr=False)
class KeyClus(KeyPathEstimator):
    """The page types of a site by the method of the paper.

    Attributes:
        recall_weight: weight of a position in the ranking by recall, relative to that by precision.
        presence_weight: power of the share of pages that have a path; more prefers frequent paths.
        dependence: similarity of occurrence from which two paths are dependent.
        content_dependence: similarity of content from which they also are; None: content is ignored.
        decay: of the weights by rank.
        top: paths of the ranking that can be key paths.
        shingle_size: paths in the shingle of a page.
        tabs: split types further by the content of a tab.
        repeated: share of pages from which a text belongs to the template.
        fold: leave wrappers out of paths (ours).
        min_confidence: share of its type's common paths below which a page is of unknown type (ours).
        random_state: seed of the min-hashes, for pages without a key path, and larger shingles.
        model_, clustering_, labels_: what `fit` has learnt: the model of the types, the types of the pages,
            and the number of the type of each page.
        choose, least, sample: deprecated; ``choose="structure"`` is `webgrain.pagetypes.pagetypes.PageTypes`.

    >>> def page(name, html):
    ...     return Source(name, html.encode())
    >>> text = "text number {0} of a made-up site with several words"
    >>> html = "<article><h1>Post {0}</h1><p>Some " + text, "<h2>List {0}</h2><ul><li>An item with " + text
    >>> site = [page(f"{kind}{k}", html[kind].format(k)) for kind in range(2) for k in range(9)]
    >>> queries = {one.id: {f"{('post', 'list')[k // 9]} {k % 9}": 1} for k, one in enumerate(site)}
    >>> method = KeyClus().fit(site, queries)
    >>> [(type_.key_path.css, type_.size) for type_ in method.clustering_.types]
    [('html > body > article > h1', 9), ('html > body > h2', 9)]
    >>> method.predict(page(99, "<article><h1>New</h1><p>Text.</article>")).type
    'article-h1-1f1f'
    """

    dependence: float = 0.97
    content_dependence: float | None = None
    decay: float = 0.5
    top: int = 100
    choose: InitVar[str | None] = None
    least: InitVar[float | None] = None
    sample: InitVar[int | None] = None

    method = "keyclus"

    def __post_init__(self, choose: str | None, least: float | None, sample: int | None) -> None:
        self._check()
        for name in ("dependence", "decay"):
            check_number(self, name, low=0.0, high=1.0)
        check_number(self, "content_dependence", low=0.0, high=1.0, optional=True)
        check_integer(self, "top", low=1)
        given = {"choose": choose, "least": least, "sample": sample}
        self._deprecated = {name: value for name, value in given.items() if value is not None}
        if choose not in (None, "rank", "structure"):
            raise ParameterError(f"KeyClus: choose must be 'rank' or 'structure', got {choose!r}.")
        if self._deprecated:
            warnings.warn(
                f"KeyClus: {', '.join(self._deprecated)} is deprecated; for 'structure' use PageTypes.",
                DeprecationWarning,
                stacklevel=3,
            )

    def fit_counts(self, counts: PathCounts) -> Self:
        """Learn the types from the path counts of a site's pages."""
        if self._deprecated.get("choose") != "structure":
            return super().fit_counts(counts)
        shared = {known.name: getattr(self, known.name) for known in fields(KeyPathEstimator) if known.init}
        options = {name: value for name, value in self._deprecated.items() if name != "choose"}
        method: Any = create("pagetypes", **shared, **options)
        method.fit_counts(counts)
        self.model_, self.clustering_ = method.model_, method.clustering_
        return self

    def choose_key_paths(
        self, site: SitePaths, matches: Matches, ranking: Int64, score: Float64
    ) -> list[int]:
        """Return the key paths: an independent set of the best paths."""
        best = np.array([path for path in ranking[: self.top].tolist() if score[path] > 0], np.int64)
        dependent = occurrence(site.presence(best)) >= self.dependence
        if self.content_dependence is not None:
            dependent |= content(matches, best) >= self.content_dependence
        weight = self.decay ** np.arange(1.0, len(best) + 1)
        return [int(best[k]) for k in greedy_mwis(dependent, weight)]


# 4.1 and 4.3 Evaluation: pages for a human review of a cluster, and the precision of key paths.

# Random and most dissimilar pages of each cluster that editors view.
REVIEW_RANDOM, REVIEW_DISSIMILAR = 10, 10

# Share of the steps of a wrapper path that a matching path shares with it as a prefix.
PREFIX_SHARE = 0.9


def pages_to_review(
    site: SitePaths,
    labels: Int32,
    type_: int,
    *,
    random: int = REVIEW_RANDOM,
    dissimilar: int = REVIEW_DISSIMILAR,
    random_state: int = 0,
) -> tuple[list[str], list[str]]:
    """Return the ids of random pages of a type, and of its most dissimilar pages, least similar first.

    labels (p,): types of the pages. The similarity of a page is the Jaccard similarity of its paths and the
    paths that at least half of the type's pages have.
    """
    pages = np.flatnonzero(labels == type_)
    pairs = np.flatnonzero(labels[site.page] == type_)
    usual = np.bincount(site.path[pairs], minlength=len(site)) >= COMMON_IN_TYPE * len(pages)
    row = np.searchsorted(pages, site.page[pairs])
    size = np.bincount(row, minlength=len(pages))
    shared = np.bincount(row, weights=usual[site.path[pairs]], minlength=len(pages))
    similarity = shared / np.maximum(size + usual.sum() - shared, 1)
    strange = pages[np.argsort(similarity, kind="stable")[:dissimilar]]
    drawn = np.random.default_rng(random_state).permutation(np.setdiff1d(pages, strange))[:random]
    return [site.pages[page] for page in np.sort(drawn)], [site.pages[page] for page in strange]


def path_matches(path: Path, wrapper: Path) -> bool:
    """Return whether the longest common prefix of two paths is at least 90 % of the length of the second.

    Steps are equal if their tags are, and they do not differ in an id or in classes that both have.

    >>> html, body, h1, b = Step("html"), Step("body"), Step("h1"), Step("b")
    >>> title = Path((html, body, h1))
    >>> path_matches(Path((html, body, h1, b)), title), path_matches(Path((html, body)), title)
    (True, False)
    """
    common = 0
    for a, b in zip(path.steps, wrapper.steps, strict=False):
        different_ids = a.id and b.id and a.id != b.id
        different_classes = a.classes and b.classes and not set(a.classes) & set(b.classes)
        if a.tag != b.tag or different_ids or different_classes:
            break
        common += 1
    return common >= PREFIX_SHARE * len(wrapper)


def wrapper_precision(paths: Iterable[Path], wrappers: Sequence[Path]) -> float:
    """Return the share of paths that match a wrapper path; nan for no path.

    >>> title = Path((Step("html"), Step("body"), Step("h1")))
    >>> wrapper_precision([title, Path((Step("html"), Step("body"), Step("p")))], [title])
    0.5
    """
    found = [any(path_matches(path, wrapper) for wrapper in wrappers) for path in paths]
    return sum(found) / len(found) if found else float("nan")
