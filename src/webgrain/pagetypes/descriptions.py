"""Descriptions of page types: contents and fields.

`webgrain.pagetypes.typelabels` has the labels, `webgrain.pagetypes.typenames` the names for display.
"""

from __future__ import annotations

import pathlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from webgrain.base.arrays import Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.paths import Path
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.clustering import PageType, TypeField
from webgrain.pagetypes.pathcounts import PathCounts, Paths, SitePaths

# Label of the pages that fit no type.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Assignment:
    """The type of a page.

    Attributes:
        type: its label; None: unknown; ``other``: the page fits no type.
        key_path: of the type.
        confidence: the probability that the type is right; None for ``other``, and for methods without it.
    """

    type: str | None
    key_path: Path | None = None
    confidence: float | None = 0.0


class TypesModel(ABC):
    """The types of a site, learnt by any method; a subclass is a dataclass with the rules of the types.

    Attributes:
        file: format and version of its file.
        rules: one or several for each type, with ``label``, ``key_path`` and ``size``, the number of pages.
    """

    __slots__ = ()
    file: ClassVar[tuple[str, int]]
    rules: Any

    @abstractmethod
    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""

    @classmethod
    @abstractmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the model of a record; raises one of `webgrain.base.modelfile.DAMAGED` if it is not one."""

    def relabelled(self, label_of: Mapping[str, str]) -> Self:
        """Return the model with other labels; label_of: the new label of each old one."""
        rules = tuple(replace(rule, label=label_of.get(rule.label, rule.label)) for rule in self.rules)
        return replace(self, rules=rules)  # type: ignore[type-var]

    def save(self, path: pathlib.Path, about: Mapping[str, Any] | None = None) -> None:
        """Write the model as JSON; about: further information for the file."""
        write_model(path, *self.file, {"about": dict(about or {})} | self.to_dict())

    @classmethod
    def load(cls, path: pathlib.Path) -> Self:
        """Read a model; `InputError` if the file contains none."""
        record, _ = read_model(path, *cls.file)
        with intact(path, "page types"):
            return cls.from_dict(record)


@dataclass(kw_only=True, eq=False, repr=False)
class TypesMethod(Estimator):
    """The base of methods that learn the types of a site: `fit` sets ``model_`` and ``clustering_``.

    Attributes:
        method: name of the method.
        by_queries: whether the types depend on the queries that led to the pages.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **Estimator._guesses,
        **dict.fromkeys(("assign", "transform", "classify", "apply"), "predict"),
        **dict.fromkeys(
            ("types", "types_", "clusters", "clusters_", "cluster_centers_", "n_clusters_"), "clustering_"
        ),
    }

    method: ClassVar[str]
    by_queries: ClassVar[bool] = False
    model_: Any = field(default=None, init=False, repr=False)
    clustering_: Any = field(default=None, init=False, repr=False)

    @staticmethod
    def new_counts() -> Any:
        """Return what counts the pages for `fit_counts`; it has ``add(page, queries)``."""
        raise NotImplementedError

    def fit_counts(self, counts: Any) -> Self:
        """Learn the types from the counts of a site's pages; `InputError` if there is no page."""
        raise NotImplementedError

    def finer(self) -> Self:
        """Return the method for the pages of one type, which it divides into several."""
        return replace(self)

    @property
    def labels_(self) -> Int32:
        """(p,) the number of the type of each page of `fit`, in the order of ``clustering_.types``."""
        if self.clustering_ is None:
            raise ParameterError(f"{type(self).__name__} has no labels_ yet: call fit first.")
        labels: Int32 = self.clustering_.labels
        return labels

    def predict(self, page: PageLike) -> Assignment:
        """Return the type of a page; `ParameterError` before `fit`."""
        return self._fitted().assign(as_page(page))

    def _fitted(self) -> TypesModel:
        if self.model_ is None:
            raise ParameterError(f"{type(self).__name__} has learnt no types yet: call fit first.")
        model: TypesModel = self.model_
        return model

    def _state(self) -> dict[str, Any]:
        return self._fitted().to_dict()


def describe_types(
    counts: PathCounts,
    site: SitePaths,
    groups: Sequence[Sequence[int]],
    names: Sequence[str],
    key_paths: Sequence[int],
    others: Sequence[int],
) -> tuple[list[PageType], Int32]:
    """Return the types of a site, and for each page (p,) the number of its type.

    groups: the pages of each type, with its label and key path; others: the pages that fit no type, which are
    the last type if there are any.
    """
    once = np.bincount(site.path[site.count == 1], minlength=len(site)) >= thresholds.FIELD_SHARE * site.size
    rank = np.argsort(np.argsort(-site.depth, kind="stable"))
    rank[~(site.in_body & once)] = -1
    types = [
        describe_type(site, group, path, rank, _snippets_of(counts, site, group), label)
        for group, path, label in zip(groups, key_paths, names, strict=True)
    ]
    if others:
        types.append(describe_type(site, others, None, rank, (), OTHER))
    labels = np.full(len(site.pages), len(groups), np.int32)
    for k, group in enumerate(groups):
        labels[group] = k
    return types, labels


def describe_type(
    site: Paths,
    pages: Sequence[int],
    path: int | None,
    rank: Int64,
    texts: Sequence[Mapping[int, str]],
    label: str,
    tab: str = "",
) -> PageType:
    """Return the type of some pages.

    path: the key path, None for none; rank (u,): the order in which paths are tried as fields, -1: not at
    all; texts: of some pages, the snippets by path.
    """
    paths, number = np.unique(np.concatenate([site.paths_of(page) for page in pages]), return_counts=True)
    share = number / len(pages)
    chosen = np.flatnonzero((share >= thresholds.FIELD_SHARE) & (rank[paths] >= 0))
    chosen = chosen[np.argsort(rank[paths[chosen]])]
    share_of = dict(zip(paths[chosen].tolist(), share[chosen].tolist(), strict=True))
    return PageType(
        label,
        None if path is None else site.describe(path),
        len(pages),
        len(pages) / len(site.pages),
        tab=tab,
        contents=() if path is None else contents_of(path, texts),
        examples=tuple(
            site.pages[page]
            for page in pages[:: max(1, len(pages) // thresholds.MAX_EXAMPLES)][: thresholds.MAX_EXAMPLES]
        ),
        fields=tuple(_fields(site, share_of, texts)),
    )


def _snippets_of(counts: PathCounts, site: SitePaths, pages: Iterable[int]) -> list[dict[int, str]]:
    """Return the snippets by path, of the first element with it, for some of the pages of a type."""
    snippets = counts.snippets.kept
    # Sorted, so that the order of the pages does not change the result.
    chosen = sorted(snippets.keys() & pages, key=lambda page: site.pages[page])
    return [
        dict(zip(reversed(site.local[page].tolist()), reversed(snippets[page]), strict=True))
        for page in chosen
    ]


def contents_of(path: int, pages: Iterable[Mapping[int, str]]) -> tuple[str, ...]:
    """Return some distinct snippets of a path."""
    distinct: dict[str, None] = {}
    for texts in pages:
        if text := texts.get(path):
            distinct[text] = None
            if len(distinct) == thresholds.MAX_SHOWN_CONTENTS:
                break
    return tuple(distinct)


def _fields(
    site: Paths, candidates: Mapping[int, float], pages: Sequence[Mapping[int, str]]
) -> Iterator[TypeField]:
    """Yield the fields of a type: paths whose content differs; candidates: paths with their shares."""
    seen: list[tuple[str, ...]] = []
    covered: set[int] = set()
    for path, share in candidates.items():
        if len(seen) == thresholds.MAX_FIELDS:
            return
        contents = () if path in covered else contents_of(path, pages)
        if len(contents) >= 2 and contents not in seen:
            yield TypeField(site.describe(path), share, contents)
            seen.append(contents)
            while path >= 0:
                covered.add(path)
                path = int(site.up[path])
