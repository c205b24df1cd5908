"""Descriptions of page types: labels, contents and fields.

A label is made from names that the pages of a type share (`type_labels`); `webgrain.pagetypes.typenames` has
the names for display.
"""

from __future__ import annotations

import pathlib
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, ClassVar, Self

import numpy as np

from webgrain.base.arrays import Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.paths import Path
from webgrain.page.strings import name_set
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.clustering import PageType, TypeField
from webgrain.pagetypes.pathcounts import PathCounts, Paths, SitePaths
from webgrain.pagetypes.traits import NAME_SOURCES, PROFILE, TRAIT_FAMILIES, PageTraits

_FUNCTION_WORDS = name_set(
    """
    and are but for from has have how into its more not our over than that the their them then there
    these they this those using was were what when where which who why will with would you your
    aber als auch auf aus bei beim das dem den der des die durch ein eine einem einen einer für ist
    mit nach nicht oder sich sie sind über und unser unsere vom von vor wie wir zum zur
    aux avec ces cette comme dans des elle est les leur mais nos notre nous par pas plus pour quand
    que qui sans sont sur une vos votre vous
    como con cuando del desde donde ella entre esta este las los más muy nos nuestra nuestro para
    pero por porque que qué sin sobre son sus también una uno
    alla alle che come dalla degli dei del della delle gli nel nella non per più sono sul sulla tra
    das dos essa esse isso mais não nas pela pelo por sua seu uma
    een het met niet van voor wordt zijn
    """
)
"""Words of titles and addresses that name nothing, in seven languages; hand-set."""

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


def type_labels(
    traits: Sequence[PageTraits],
    words: Sequence[tuple[frozenset[str], ...]],
    names: Mapping[int, str],
    groups: Sequence[Sequence[int]],
    specials: Sequence[str],
) -> list[str]:
    """Return the labels of types: words that seldom depend on which pages of a type were learnt from.

    The label is a word of the URLs, of the metadata, of the classes of the body, or of the titles (see
    `NAME_WEIGHTS`) that most pages of the type have and fewer others. Of the words that are about as good as
    the best it is the shortest, because the best one changes with a few pages. A type without such a word is
    an ``index`` if most characters are in links, otherwise a ``page``. A type with the label of a larger one
    is distinguished by a class or id, or else by a number.

    words: of each page, see `naming_words`; names: of the keys of classes and ids; groups: the pages of each
    type, largest first; specials: the labels of those of special pages, else empty.
    """
    labels: list[str] = []
    pages = sum(map(len, groups))
    links = PROFILE.index("link share")
    of_groups = [_mark_counts(traits, words, names, group) for group in groups]
    of_all = [sum(counters, Counter[str]()) for counters in zip(*of_groups, strict=True)]
    for group, counters, special in zip(groups, of_groups, specials, strict=True):
        rows = zip(thresholds.NAME_WEIGHTS, counters, of_all, strict=True)
        *marks, classes = (
            _marks(weight, of_group, of_site, len(group), pages) for weight, of_group, of_site in rows
        )
        noun = "index" if np.median([traits[page].profile[links] for page in group]) > 0.5 else "page"
        label = _slug(special or _shortest(marks) or noun)
        if label in labels and (mark := _shortest([classes])):
            label = f"{label}-{_slug(mark)}"
        labels.append(unused(label, {*labels, OTHER}))
    return labels


def unused(label: str, taken: Collection[str]) -> str:
    """Return a label that is not taken, with a number if necessary.

    >>> unused("post", {"post", "post-2"})
    'post-3'
    """
    numbered = (f"{label}-{k}" for k in count(2))
    return next(candidate for candidate in chain([label], numbered) if candidate not in taken)


def _slug(name: str) -> str:
    return re.sub(r"[\W_0]+", "-", name.lower()).strip("-")[:40] or "page"


def _mark_counts(
    traits: Sequence[PageTraits],
    words: Sequence[tuple[frozenset[str], ...]],
    names: Mapping[int, str],
    pages: Iterable[int],
) -> list[Counter[str]]:
    """Return how many of some pages have which words of `NAME_SOURCES`, and which classes and ids."""
    number = TRAIT_FAMILIES.index("names")
    counters = [Counter[str]() for _ in range(len(NAME_SOURCES) + 1)]
    for page in pages:
        classes = {names[key] for key in traits[page].family(number).tolist() if key in names}
        for counter, of_source in zip(counters, (*words[page], classes), strict=True):
            counter.update(of_source)
    return counters


def _marks(
    weight: float, pages_with: Counter[str], of_all: Counter[str], size: int, pages: int
) -> dict[str, float]:
    """Return words with their scores: F measures, of which the recall has twice the weight."""
    return {
        name: weight * 5 * n / (4 * size + of_all[name])
        for name, n in pages_with.items()
        if len(name.strip("0-_.")) >= thresholds.MIN_NAME
        and name not in _FUNCTION_WORDS
        and (of_all[name] - n) * size * thresholds.NAME_LIFT <= n * (pages - size)
    }


def _shortest(marks: Iterable[Mapping[str, float]]) -> str:
    """Return the shortest word with nearly the highest score, empty for none."""
    scores = [pair for of_source in marks for pair in of_source.items()]
    least = max(
        thresholds.NAME_SCORE, max((score for _, score in scores), default=0) - thresholds.NAME_TOLERANCE
    )
    return min(
        (name for name, score in scores if score >= least), key=lambda name: (len(name), name), default=""
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
