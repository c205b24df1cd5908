"""Descriptions of page types: labels, contents, fields and display names.

A label is made from names that the pages of a type share (`type_labels`). A display name is learnt from
addresses and titles, so it may change with the pages:

    /blog/*                     most pages of the type are in this folder
    /mod/* “Apache Module …”    and their titles have the same beginning
    /YYYY/MM/DD/*               digits of a date
    /docs/* with div.toc        other types are in the folder, too: the last step of the key path
    Articles in /en/, /de/, …   no pattern covers most pages

Cost: about 50 patterns for each page that a name is made from, so callers pass a sample.
"""

from __future__ import annotations

import pathlib
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, product
from typing import Any, ClassVar, Self
from urllib.parse import unquote, urlsplit

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
from webgrain.pagetypes.traits import ERROR, NAME_SOURCES, PROFILE, REDIRECT, TRAIT_FAMILIES, PageTraits

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


# Display names.

SPECIAL_NAMES = {OTHER: "Other pages", REDIRECT: "Redirects", ERROR: "Error pages"}

# Nouns by the verdict on most pages of a type.
NOUNS = {"article": "Articles", "index": "Index pages"}

_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR, _TWO_DIGITS = re.compile(r"(?:19|20)\d\d"), re.compile(r"\d\d?")
_INDEX_FILE = re.compile(r"(?:index|default)\.\w{2,5}$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)
_CUTS = re.compile(r"(?<=[-_.:~])|(?<=[a-z])(?=[A-Z])")
_JOINERS = "\u200c\u200d"  # invisible, but part of the spelling in several scripts
_WORD = re.compile(r"[^\W\d_]{3}")

AddressSteps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """The facts that the display name of a type is made from.

    Attributes:
        addresses: URLs of its pages, or their paths in the site.
        titles, verdicts: of some of them.
        key_path: of the type; None for none.
    """

    addresses: Sequence[str]
    titles: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    key_path: Path | None = None

    @property
    def mark(self) -> str:
        """The last step of the key path with an id or a class, with one of them; empty without key path."""
        steps = self.key_path.steps if self.key_path else ()
        step = next((step for step in reversed(steps) if step.id or step.classes), None)
        if step is None:
            return steps[-1].css if steps else ""
        return replace(step, classes=() if step.id else step.classes[:1]).css


def name_types(types: Mapping[str, TypeFacts]) -> dict[str, str]:
    """Return a unique display name for each type, by its label; the order of the pages does not matter.

    >>> posts = TypeFacts([f"blog/{n}.html" for n in ("tea", "bread", "salt")], ["Tea", "Bread", "Salt"])
    >>> goods = TypeFacts(["shop/1.html", "shop/2.html"], ["Buy a kettle", "Buy a cup"])
    >>> name_types({"p-1": posts, "div-2": goods})
    {'p-1': '/blog/*', 'div-2': '/shop/* “Buy a …”'}
    """
    steps = {label: [_steps(address) for address in facts.addresses] for label, facts in types.items()}
    patterns = {
        label: Counter(pattern for page in pages for pattern in set(_patterns(page)))
        for label, pages in steps.items()
    }
    all_patterns = Counter[str]()
    for counter in patterns.values():
        all_patterns.update(counter)
    folders = Counter(_folder(page) for pages in steps.values() for page in pages)
    names = {}
    for label, facts in types.items():
        place = _best_pattern(patterns[label], all_patterns, len(facts.addresses))
        place = place or _folders(steps[label], folders, facts.verdicts)
        words = _title_words(facts.titles, [other.titles for key, other in types.items() if key != label])
        names[label] = f"{place} {words}" if words else place
    names |= {label: SPECIAL_NAMES[label] for label in names.keys() & SPECIAL_NAMES.keys()}
    return _unique(names, types)


def _steps(address: str) -> AddressSteps:
    """Return the folders of an address and the name of its page, dates as ``YYYY``, ``MM``, ``DD``.

    >>> _steps("https://example.org/2024/05/17/tea/index.html"), _steps("a/2024-05-17-tea.html")
    (('YYYY', 'MM', 'DD', 'tea'), ('a', 'YYYY-MM-DD-tea'))
    """
    try:
        parts = urlsplit(address)
        path = unquote(parts.path)
        query = parts.query
    except ValueError:  # not an address
        path, query = address, ""
    steps = [step for step in path.split("/") if step]
    if steps and _INDEX_FILE.match(steps[-1]) and not query:
        steps.pop()
    if steps:
        steps[-1] = f"{steps[-1]}?{query}" if query else _SUFFIX.sub("", steps[-1])
    year = next((k for k, step in enumerate(steps) if _YEAR.fullmatch(step)), len(steps))
    following = zip(("MM", "DD"), steps[year + 1 :], strict=False)
    day = [unit for unit, step in following if _TWO_DIGITS.fullmatch(step)]
    steps[year : year + 1 + len(day)] = ["YYYY", *day] if year < len(steps) else []
    return tuple(_DATE.sub(r"YYYY\1MM\1DD", step[:200]) for step in steps)


def _patterns(steps: AddressSteps) -> Iterator[str]:
    """Yield the patterns of an address, with ``*`` for any characters.

    >>> sorted(set(_patterns(("blog", "my_tea"))))
    ['*/blog/*', '*/my_*', '*/my_tea', '*_tea', '/*/my_tea', '/blog/*', '/blog/my_*', '/blog/my_tea']
    """
    if not steps:
        yield "/"
        return
    folders, leaf = steps[:-1], steps[-1]
    for depth in range(1, min(len(folders), thresholds.MAX_FOLDERS) + 1):
        for masked in _masks(folders[: depth - 1]):
            yield "/".join(["", *masked, folders[depth - 1], "*"])
    yield f"*/{folders[-1]}/*" if folders else "/*"
    if folders:
        yield f"*/{leaf}"
    if len(folders) <= thresholds.MAX_FOLDERS:
        yield from ("/".join(["", *masked, leaf]) for masked in _masks(folders))
    # Page names with the same beginning or end, in the same folder or in any.
    cuts = [match.start() for match in _CUTS.finditer(leaf) if 1 < match.start() < len(leaf)]
    cuts = [leaf.index("?") + 1] if "?" in leaf else cuts
    for cut in cuts[:3]:
        yield f"/{'/'.join(folders)}/{leaf[:cut]}*".replace("//", "/")
        yield f"*/{leaf[:cut]}*"
    if cuts and not leaf[cuts[-1] - 1].isalnum():
        yield f"*{leaf[cuts[-1] - 1 :]}"


def _masks(folders: AddressSteps) -> Iterator[tuple[str, ...]]:
    """Yield folders with any of them as ``*``.

    >>> list(_masks(("a", "b")))
    [('a', 'b'), ('a', '*'), ('*', 'b'), ('*', '*')]
    """
    return product(*((folder, "*") for folder in folders))


def _best_pattern(patterns: Counter[str], all_patterns: Counter[str], pages: int) -> str:
    """Return the pattern that agrees best with the type, by F1; empty if none covers most pages."""
    best, best_pattern = (0.0, 0, 0, 0, ""), ""
    for pattern, n in patterns.items():
        if n >= thresholds.PATTERN_SHARE * pages:
            f1 = round(2 * n / (pages + all_patterns[pattern]), 1)
            literal = sum("*" not in step for step in pattern.split("/"))
            rank = (f1, literal, -pattern.count("*"), -len(pattern), pattern)
            if rank > best and (pages > thresholds.FEW_PAGES or f1 >= thresholds.PATTERN_F1):
                best, best_pattern = rank, pattern
    return best_pattern


def _folders(pages: Sequence[AddressSteps], all_folders: Counter[str], verdicts: Sequence[str]) -> str:
    """Return the addresses of a few pages; of more pages a noun and the folders that identify them best."""
    if len(pages) <= thresholds.FEW_PAGES:
        return ", ".join(sorted("/" + "/".join(steps) for steps in pages)) or "Pages"
    [(verdict, n)] = Counter(verdicts).most_common(1) or [("", 0)]
    noun = NOUNS.get(verdict, "Pages") if n >= thresholds.PATTERN_SHARE * len(verdicts) else "Pages"
    folders = Counter(_folder(steps) for steps in pages)
    ranked = sorted(folders, key=lambda folder: (-(folders[folder] ** 2) / all_folders[folder], folder))
    best = ranked[: thresholds.FEW_PAGES]
    rest = ["…"] if sum(folders[folder] for folder in best) < thresholds.PATTERN_SHARE * len(pages) else []
    return f"{noun} in {', '.join([*best, *rest])}"


def _folder(steps: AddressSteps) -> str:
    return "".join(f"/{step}" for step in steps[:-1]) + "/"


def _title_words(titles: Sequence[str], others: Iterable[Sequence[str]]) -> str:
    """Return the common beginning of the titles of a type, if those of others lack it; empty for none."""
    split = [title.split() for title in titles if title.strip()]
    common: Sequence[str] = ()
    while len(split) > 1 and len(common) < thresholds.MAX_WORDS:
        longer = Counter(tuple(words[: len(common) + 1]) for words in split if len(words) > len(common))
        [(begin, n)] = longer.most_common(1) or [((), 0)]
        if n < max(2, thresholds.PATTERN_SHARE * len(split)):
            break
        common = begin
    text = " ".join(common)
    other_titles = [title for of_type in others for title in of_type]
    shared = sum(title.startswith(text) for title in other_titles)
    if not _WORD.search(text) or shared > (1 - thresholds.PATTERN_SHARE) * len(other_titles):
        return ""
    return f"“{text} …”" if any(len(words) > len(common) for words in split) else f"“{text}”"


def _unique(names: Mapping[str, str], types: Mapping[str, TypeFacts]) -> dict[str, str]:
    """Return the names; those of several types with a step of the key path, or else a number."""
    short = {label: _shorten(name) for label, name in names.items()}
    times = Counter(short.values())
    taken: set[str] = set()
    for label, name in short.items():
        mark = _shorten(types[label].mark) if times[name] > 1 else ""
        name = f"{name} with {mark}" if mark else name
        number, unique = 2, name
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        short[label] = unique
    return short


def _shorten(name: str) -> str:
    name = " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in name).split())
    return name if len(name) <= thresholds.MAX_NAME else name[: thresholds.MAX_NAME - 1] + "…"
