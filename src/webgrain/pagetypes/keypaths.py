"""Base of `PageTypes`: key paths among the paths as the site writes them, and the model of the types."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from webgrain.arrays import Float64, Int32, Int64, UInt64
from webgrain.errors import InputError, ParameterError
from webgrain.estimator import Estimator, check_choice, check_integer, check_number
from webgrain.io.queries import read_queries
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.kernels.treepass import climb, span_keys
from webgrain.page.page import Page
from webgrain.page.parsing import as_page, as_pages
from webgrain.page.paths import path_table
from webgrain.page.strings import code_points
from webgrain.pagetypes.descriptions import OTHER, Assignment, Group, Rule, describe_types
from webgrain.pagetypes.keyclus import (
    MAX_TAB_CONTENTS,
    MIN_TAB_CONTENTS,
    PageLike,
    borda,
    hex_keys,
    keys_from_hex,
    path_from_dict,
    path_to_dict,
    two_step_shingle,
)
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.rawpaths import Texts
from webgrain.pagetypes.sitepaths import PathRules, SharedValues, SitePaths, site_paths
from webgrain.pagetypes.thresholds import MAX_CONTENT
from webgrain.results import Clustering

# 3.1 Clustering: pages with the same shingle.


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


def _match(text: Texts, up: Int32, local: Int32, template: UInt64) -> tuple[Float64, Int64]:
    """Return the instances of a page (3, m): path, precision and recall; and hits (2, h): path and word."""
    counted = ~np.isin(text.key, template)
    hit = counted[text.hit_text]
    hit_path, hit_word = text.path[text.hit_text[hit]], text.hit_word[hit]
    sums = np.zeros((len(up), 2 + len(text.queries)), np.int32)  # words, matching words, and each query word
    np.add.at(sums[:, 0], text.path[counted], text.words[counted])
    np.add.at(sums[:, 1], hit_path, 1)
    np.add.at(sums, (hit_path, 2 + hit_word), 1)
    sums = climb(up, sums)
    is_instance = (up < 0) | (local != local[up])  # an element that is left out is no instance of a path
    path, index = np.unique(local[is_instance], return_inverse=True)
    site_sums = np.zeros((len(path), sums.shape[1]), np.int64)
    np.add.at(site_sums, index, sums[is_instance])
    words, matching, present = site_sums[:, 0], site_sums[:, 1], site_sums[:, 2:] > 0
    instances = np.stack([path, matching / np.maximum(words, 1), present @ text.queries / text.queries.sum()])
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


def path_scores(ranking: Int64, matches: Matches, size: int) -> Float64:
    """Return how good each path (u,) is as a key path: 1 for the best of R_F, 0 if it matches no query."""
    matched = np.bincount(matches.path, matches.recall, size) > 0
    position = np.empty(size)
    position[ranking] = np.arange(size)
    return np.where(matched, np.clip(1 - position / max(int(matched.sum()), 1), 0, 1), 0.0)


# 3.4 Optimisations: currently open tabs. (Template removal is in `find_matches`.)

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

    def relabelled(self, label_of: Mapping[str, str]) -> TypeModel:
        """Return the model with other labels; label_of: the new label of each old one."""
        rules = tuple(replace(rule, label=label_of.get(rule.label, rule.label)) for rule in self.rules)
        return replace(self, rules=rules)

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
                    "shingle": hex_keys(rule.shingle),
                    "tab": hex_keys((rule.tab, rule.content)) if rule.tab else None,
                    "core": hex_keys(sorted(rule.core)),
                }
                for rule in self.rules
            ],
            "ranked": hex_keys(self.ranked),
            "shingle_size": self.shingle_size,
            "random_state": self.random_state,
            "min_confidence": self.min_confidence,
            "ids": sorted(self.paths.values.ids),
            "classes": sorted(self.paths.values.classes),
            "wrappers": hex_keys(sorted(self.paths.wrappers)),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TypeModel:
        """Return the model of a record; raises one of `DAMAGED` if it is not one."""
        values = SharedValues(frozenset(map(str, record["ids"])), frozenset(map(str, record["classes"])))
        rules = []
        for rule in record["types"]:
            key_path = path_from_dict(rule["key_path"]) if rule["key_path"] else None
            tab, content_key = keys_from_hex(rule["tab"] or ("0", "0"))
            shingle, core = keys_from_hex(rule["shingle"]), frozenset(keys_from_hex(rule["core"]))
            rules.append(
                Rule(str(rule["label"]), shingle, key_path, tab, content_key, core, int(rule["pages"]))
            )
        return cls(
            PathRules(values, frozenset(keys_from_hex(record["wrappers"]))),
            keys_from_hex(record["ranked"]),
            max(1, int(record["shingle_size"])),
            abs(int(record["random_state"])),
            float(record["min_confidence"]),
            tuple(rules),
        )


def _content_key(page: Page, node: int) -> int:
    """Return the key of a node's text, 0 for no or a long text."""
    dom = page.dom
    start, end = int(dom.text_start[node]), int(dom.text_start[dom.end[node]])
    text = dom.text[start : min(end, start + 4 * MAX_CONTENT + 1)]
    ends = np.array([0], np.int32), np.array([len(text)], np.int32)
    return int(span_keys(code_points(text), *ends, MAX_CONTENT)[0])


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
    new_counts = PathCounts

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
