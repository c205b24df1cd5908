"""PageTypes: the page types of a site, our default method.

Pages are of one type if one template has generated them. The types are learnt in these steps:

1. Traits: a page is described by the paths and names of its frame, its menus and its main text, its labels,
   its head and its URL (`webgrain.pagetypes.traits`). Redirect stubs and error pages are separated.
2. Pairs: a trained model returns the probability that two pages of a sample are of the same type
   (`webgrain.pagetypes.similarity`).
3. Merging: at first each page is a group; the two groups with the highest mean probability are merged, down
   to a probability that a trained model (or ``least``) chooses. A group of one page is of no type: it belongs
   to the group `other`.
4. Assignment: the traits that separate the groups assign the pages outside of the sample, and new ones
   (`TypeModel`).
5. Description: for each type the path that marks its pages best (its key path), the complete condition "has
   these paths and none of those", and a label from a word of the URLs, the metadata or the titles.

In step 4, a page is compared with each type by the traits that separate the types. For the traits c, with

    x_c      1 if the page has the trait
    q_kc     share of the pages of type k that have it, smoothed
    w_c      how informative it is, as in `webgrain.pagetypes.similarity`

the fit of a page to type k is ``sum_c w_c log P(x_c | q_kc) / sum_c w_c``, the mean log-likelihood, at most
0. The page has the type that it fits best, unless it fits clearly worse than the pages that the type was
learnt from: then it is of the group `other`. The confidence is a logistic function, trained on sites with
known types, of the fit, of the distance to the second-best type, and of how clearly the type differs from
the others. Merging uses more facts than the fit, so the groups are right more often than the types that fit
best: a page that the model was learnt from keeps the type of its group (`TypeModel.known`).

A search log is not needed and has no effect on the types.

Cost: one pass over the pages; products of matrices of ``sample`` pages by their traits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64, UInt64
from webgrain.base.errors import InputError
from webgrain.base.estimator import integer, real
from webgrain.page.kernels.keytable import key_slots, places_of
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_pages
from webgrain.page.paths import Path, hex_keys, keys_from_hex, path_from_dict, path_to_dict, text_key
from webgrain.pagetypes import descriptions, similarity
from webgrain.pagetypes.clustering import Clustering, Condition
from webgrain.pagetypes.pathcounts import PathCounts, SitePaths, site_paths
from webgrain.pagetypes.thresholds import (
    COMMON_WEIGHT,
    EARLIER_ODDS,
    FIT_TOLERANCE,
    INHERITED_SHARE,
    MARK_TOLERANCE,
    MAX_COLUMNS,
    MAX_COMMON,
    MAX_KEYS,
    MAX_LITERALS,
    MIN_TYPE,
)
from webgrain.pagetypes.traitkernel import present_shares
from webgrain.pagetypes.traits import ERROR, REDIRECT, PageTraits, page_traits
from webgrain.pagetypes.typelabels import type_labels, unused


@dataclass(frozen=True, slots=True)
class TypeRule:
    """A type in a model.

    Attributes:
        label: of the type; key_path: of the type, None for none; condition: which pages have it.
        size: number of pages that it was learnt from.
        special: the type is that of the pages with this `PageTraits.special`; empty for others.
        clarity: how clearly the type differs from the others, 0..1.
        least: the worst fit of the pages that the type was learnt from.
    """

    label: str
    key_path: Path | None = None
    condition: Condition | None = None
    size: int = 0
    special: str = ""
    clarity: float = 1.0
    least: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """The traits that separate the types (k) of a site.

    Attributes:
        keys: (c, `MAX_KEYS`) uint64, keys of traits that occur together; 0: none.
        weight: (c,) how informative they are; the sum is 1.
        share: (k, c) share of the pages of each type that have them, smoothed.
    """

    keys: UInt64
    weight: Float64
    share: Float64
    _known: UInt64 = field(init=False, repr=False)
    _slots: Int32 = field(init=False, repr=False)
    _member: Int32 = field(init=False, repr=False)
    _with: Float64 = field(init=False, repr=False)
    _without: Float64 = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare what `fit_of` needs for each page."""
        known = np.unique(self.keys[self.keys != 0])
        member = np.searchsorted(known, self.keys).astype(np.int32)
        member[self.keys == 0] = -1
        facts = {
            "_known": known,
            "_slots": key_slots(known),
            "_member": member,
            "_with": np.log(self.share) * self.weight,
            "_without": np.log1p(-self.share) * self.weight,
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def fit_of(self, pages: Sequence[PageTraits]) -> Float64:
        """Return how well pages (n,) fit the types: (n, k)."""
        present = np.empty((len(pages), len(self.keys)))
        for row, page in zip(present, pages, strict=True):
            place = places_of(page.key, self._known, self._slots)
            row[:] = present_shares(place, self._member, len(self._known))
        fits: Float64 = present @ self._with.T + (1 - present) @ self._without.T
        return fits


def learn_classifier(
    columns: Sequence[similarity.TraitMatrix], probability: Float64, types: Int64
) -> Classifier:
    """Return the classifier of types (n,) of pages; -1: pages of no type.

    columns: the traits of the pages; probability (n, n): that pages are of the same type.
    """
    present = np.concatenate([part.present for part in columns], axis=1)
    keys = [keys_of_column for part in columns for keys_of_column in part.keys]
    share = present.mean(0)
    weight = similarity.informative(present, probability.astype(np.float32))
    kept = np.sort(np.argsort(-weight * share * (1 - share), kind="stable")[:MAX_COLUMNS])
    weight, present = weight[kept], present[:, kept]
    chosen = [keys[column][:MAX_KEYS] for column in kept.tolist()]
    # Traits of all pages do not separate the types, but pages of other sites lack them.
    keys_of_all = np.concatenate([part.of_all for part in columns])[: MAX_KEYS * MAX_COMMON]
    everywhere = [keys_of_all[k : k + MAX_KEYS] for k in range(0, len(keys_of_all), MAX_KEYS)]
    chosen += everywhere
    total = float(weight.sum()) or 1.0
    weight = np.append(weight, np.full(len(everywhere), COMMON_WEIGHT * total / max(len(everywhere), 1)))
    present = np.concatenate([present, np.ones((len(present), len(everywhere)))], axis=1)
    table = np.zeros((len(chosen), MAX_KEYS), np.uint64)
    for row, keys_of_column in zip(table, chosen, strict=True):
        row[: len(keys_of_column)] = keys_of_column
    member = (types[None] == np.arange(types.max(initial=-1) + 1)[:, None]).astype(np.float64)
    smoothed = (member @ present + 0.25) / (member.sum(1, keepdims=True) + 0.5)
    weight = np.array([float(f"{value:.4g}") for value in weight / max(weight.sum(), 1e-9)])
    return Classifier(table, weight, smoothed.round(4))


@dataclass(slots=True, eq=False)
class TypeModel(descriptions.TypesModel):
    """The types of a site, as learnt by `webgrain.pagetypes.pagetypes.PageTypes`.

    Attributes:
        rules: the types: those of the classifier in its order, then those of special pages.
        classifier: assigns pages to the first types.
        known: the numbers of the types, -1 for none, of pages that were learnt from and that the classifier
            assigns to other types, by their `PageTraits.digest`.
    """

    file: ClassVar = "webgrain page types", 3
    rules: tuple[TypeRule, ...]
    classifier: Classifier = field(
        default_factory=lambda: Classifier(np.empty((0, MAX_KEYS), np.uint64), np.empty(0), np.empty((0, 0)))
    )
    known: Mapping[int, int] = field(default_factory=dict)

    def assign(self, page: Page) -> descriptions.Assignment:
        """Return the type of a page."""
        if not self.rules:
            return descriptions.Assignment(None)
        [number], [confidence] = self.assign_traits([page_traits(page)])
        if number < 0:
            return descriptions.Assignment(descriptions.OTHER, None, None)
        rule = self.rules[number]
        return descriptions.Assignment(rule.label, rule.key_path, float(confidence))

    def assign_traits(self, pages: Sequence[PageTraits]) -> tuple[Int64, Float64]:
        """Return for pages (n,) the number of the rule, -1 for `descriptions.OTHER`, and the confidence."""
        special = {rule.special: k for k, rule in enumerate(self.rules) if rule.special}
        count = len(self.rules) - len(special)
        if not pages or not count:
            return np.array([special.get(page.special, -1) for page in pages], np.int64), np.ones(len(pages))
        fits = self.classifier.fit_of(pages)
        numbers = self._types_by_fit(fits)
        if self.known:
            numbers[:] = [
                self.known.get(page.digest, number)
                for page, number in zip(pages, numbers.tolist(), strict=True)
            ]
        types = np.where(numbers < 0, fits.argmax(1), numbers)
        confidence = confidence_of(*self.numbers(fits, types))
        for k, page in enumerate(pages):
            if page.special in special:
                numbers[k] = special[page.special]
                confidence[k] = 1.0
        return numbers, confidence

    def _types_by_fit(self, fits: Float64) -> Int64:
        """Return the types (n,) that pages fit best, -1 for none; fits (n, k): of the pages to all types."""
        best = fits.argmax(1)
        least = np.array([rule.least for rule in self.rules])[best]
        return np.where(fits[np.arange(len(fits)), best] >= least - FIT_TOLERANCE, best, -1)

    def with_known(
        self, pages: Sequence[PageTraits], types: Int64, digests: Sequence[int] | None = None
    ) -> TypeModel:
        """Return the model that assigns pages (n,) that it was learnt from to types (n,), -1 for none.

        Of pages with the same traits the first one counts. digests: of the pages, if a part of their traits
        is given.
        """
        if not self.classifier.share.size:
            return self
        digests = [page.digest for page in pages] if digests is None else digests
        known: dict[int, int] = {}
        for digest, number in zip(digests, types.tolist(), strict=True):
            known.setdefault(digest, number)
        by_fit = self._types_by_fit(self.classifier.fit_of(pages)).tolist()
        differing = {
            digest: known[digest]
            for digest, number in zip(digests, by_fit, strict=True)
            if known[digest] != number
        }
        return replace(self, known=differing)

    def numbers(self, fits: Float64, types: Int64) -> tuple[Float64, Float64, Float64]:
        """Return the fits of pages (n,) to types (n,), less those to the next types, and the clarity.

        fits (n, k): of the pages to all types.
        """
        fits, rows = fits.copy(), np.arange(len(fits))
        fit = fits[rows, types]
        fits[rows, types] = -np.inf
        next_fit = np.maximum.reduce(fits, axis=1)
        margin = np.minimum(fit - next_fit, 1.0) if fits.shape[1] > 1 else np.ones(len(fits))
        return fit, margin, np.array([rule.clarity for rule in self.rules])[types]

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""
        return {
            "types": [
                {
                    "label": rule.label,
                    "key_path": path_to_dict(rule.key_path) if rule.key_path else None,
                    "condition": None if rule.condition is None else _condition_to_dict(rule.condition),
                    "pages": rule.size,
                    "special": rule.special,
                    "clarity": round(rule.clarity, 4),
                    "least": round(rule.least, 4),
                }
                for rule in self.rules
            ],
            "keys": [" ".join(hex_keys(key for key in row if key)) for row in self.classifier.keys.tolist()],
            "weight": [float(f"{value:.4g}") for value in self.classifier.weight.tolist()],
            "share": [[int(value) for value in row] for row in (self.classifier.share * 1e4).round()],
            "known": dict(zip(hex_keys(self.known), self.known.values(), strict=True)),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TypeModel:
        """Return the model of a record; raises one of `DAMAGED` if it is not one."""
        rules = tuple(_rule(rule) for rule in record["types"])
        keys = np.zeros((len(record["keys"]), MAX_KEYS), np.uint64)
        for row, text in zip(keys, record["keys"], strict=True):
            numbers = keys_from_hex(text.split())[:MAX_KEYS]
            row[: len(numbers)] = numbers
        weight = np.array(record["weight"], np.float64)
        count = sum(not rule.special for rule in rules)
        share = np.array(record["share"], np.float64).reshape(count, len(keys)) / 1e4
        if len(weight) != len(keys) or not ((share > 0) & (share < 1)).all():
            raise ValueError("the traits of the types are incomplete")
        stated = record.get("known", {})  # files of earlier versions have none
        known = dict(zip(keys_from_hex(stated), map(int, stated.values()), strict=True))
        if not all(-1 <= number < count for number in known.values()):
            raise ValueError("a known page has an unknown type")
        return cls(rules, Classifier(keys, weight, share), known)


def confidence_of(fit: Float64, margin: Float64, clarity: Float64) -> Float64:
    """Return the probability (n,) that the types of pages are right, from numbers (n,) about them."""
    odds = similarity.trained_confidence() @ confidence_features(fit, margin, clarity)
    confidence: Float64 = 1 / (1 + np.exp(-odds))
    return confidence


def confidence_features(fit: Float64, margin: Float64, clarity: Float64) -> Float64:
    """Return the features (4, n) of `confidence_of`."""
    features = np.ones((4, len(fit)))
    features[1:] = fit, np.sqrt(np.minimum(np.maximum(margin, 0.0), 1.0)), clarity
    return features


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    return {
        "has": [path_to_dict(path) for path in condition.has],
        "lacks": [path_to_dict(path) for path in condition.lacks],
        "agreement": round(condition.agreement, 4),
    }


def _rule(record: Mapping[str, Any]) -> TypeRule:
    stated = record["condition"]
    has, lacks = (tuple(map(path_from_dict, stated[name])) if stated else () for name in ("has", "lacks"))
    condition = Condition(has, lacks, float(stated["agreement"])) if stated else None
    return TypeRule(
        str(record["label"]),
        path_from_dict(record["key_path"]) if record["key_path"] else None,
        condition,
        int(record["pages"]),
        str(record["special"]),
        float(record["clarity"]),
        float(record["least"]),
    )


@dataclass(kw_only=True, eq=False, repr=False)
class PageTypes(descriptions.TypesMethod):
    """The page types of a site.

    Attributes:
        least: mean probability that the pages of two groups are of the same type from which they are merged.
        sample: pages that the types are learnt from, at most.
        random_state: seed of the choice of these pages.
        model_, clustering_, labels_: what `fit` has learnt: the model of the types, the types of the pages,
            and the number of the type of each page.

    >>> posts = [f"<article><h1>Post {k}</h1><p>Text.</article>" for k in range(9)]
    >>> lists = [f"<ul><li><a>Post {k}</a><li><a>Post</a></ul>" for k in range(8)]
    >>> method = PageTypes().fit(posts + lists)
    >>> [(type_.key_path.css, type_.size) for type_ in method.clustering_.types]
    [('html > body > article', 9), ('html > body > ul', 8)]
    >>> method.predict("<article><h1>New</h1><p>Text.</article>").type
    'post'
    """

    least: float = real(0.5, 0.0, 1.0)
    sample: int = integer(300, low=2)
    random_state: int = integer(0, low=0)

    method = "pagetypes"

    @staticmethod
    def new_counts() -> PathCounts:
        """Return what counts the pages for `fit_counts`."""
        return PathCounts()

    def fit(
        self,
        pages: Iterable[PageLike],
        queries: object = None,
        previous: TypeModel | None = None,
    ) -> Self:
        """Learn the types of a site's pages.

        queries: ignored; other methods use it. previous: types learnt before, whose labels are kept: a type
        has the label of the type that previous gives most of its pages. HTML given as str or bytes has the
        id ``page-1``, ``page-2`` and so on. `InputError` if there is no page.
        """
        counts = PathCounts()
        for page in as_pages(pages):
            counts.add(page)
        return self.fit_counts(counts, previous)

    def fit_counts(self, counts: PathCounts, previous: TypeModel | None = None) -> Self:
        """Learn the types from the paths and traits of a site's pages."""
        if not len(counts):
            raise InputError("No page could be read, so there is no page type to learn.")
        usual = np.array([k for k, traits in enumerate(counts.traits) if not traits.special], np.int64)
        sampled = usual[_sampled([counts.ids[k] for k in usual.tolist()], self.sample, self.random_state)]
        traits_of_sample = [counts.traits[k] for k in sampled.tolist()]
        earlier = previous.assign_traits(traits_of_sample)[0] if previous else None
        grouped = find_groups(traits_of_sample, self.least, earlier=earlier)
        model = model_of_groups(counts.traits, sampled, grouped).with_known(traits_of_sample, grouped.types)
        numbers, confidence = model.assign_traits(counts.traits)
        self._describe(counts, model, numbers, np.where(numbers < 0, np.nan, confidence))
        if previous is not None:
            label_of = inherited_labels(self.clustering_, counts.traits, previous)
            self.model_ = self.model_.relabelled(label_of)
            self.clustering_ = self.clustering_.relabelled(label_of)
        return self

    def _describe(self, counts: PathCounts, model: TypeModel, numbers: Int64, confidence: Float64) -> None:
        site = site_paths(counts)
        members = [np.flatnonzero(numbers == k).tolist() for k in range(len(model.rules))]
        order = [k for k in sorted(range(len(members)), key=lambda k: -len(members[k])) if members[k]]
        conditions, key_paths = _conditions(site, numbers, order)
        groups = [members[k] for k in order]
        others = np.flatnonzero(numbers < 0).tolist()
        specials = [model.rules[k].special for k in order]
        names = type_labels(counts.traits, counts.words, groups, specials)
        types, labels = descriptions.describe_types(counts, site, groups, names, key_paths, others)
        rules = list(model.rules)
        for k, (number, condition) in enumerate(zip(order, conditions, strict=True)):
            described = types[k] = replace(types[k], condition=condition)
            facts = {name: getattr(described, name) for name in ("label", "condition", "key_path", "size")}
            rules[number] = replace(rules[number], **facts)
        self.model_ = replace(model, rules=tuple(rules))
        self.clustering_ = Clustering(
            site.pages, labels, confidence, tuple(types), self.method, self.describe()
        )

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.model_ = TypeModel.from_dict(state)


def _sampled(ids: Sequence[str], most: int, random_state: int) -> Int64:
    """Return the pages with the smallest hashes of their ids, by hash, so that their order has no effect."""
    order = sorted(range(len(ids)), key=lambda k: text_key(f"{random_state} {ids[k]}"))
    return np.array(order[:most], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PageGroups:
    """The types of n pages.

    Attributes:
        types: (n,) the number of the type, by decreasing size; -1 for pages of no type.
        clarity: (k,) how clearly each type differs from the others: the mean probability of two of its pages
            times that of a page and the most similar other type being of different types.
        columns, probability: the traits of the pages, and the probability of pairs (n, n).
    """

    types: Int64
    clarity: Float64
    columns: tuple[similarity.TraitMatrix, ...]
    probability: Float64


def find_groups(
    traits: Sequence[PageTraits],
    least: float,
    pairs: similarity.PairModels | None = None,
    earlier: Int64 | None = None,
    odds: float = EARLIER_ODDS,
) -> PageGroups:
    """Return the types of some pages.

    pairs: the models of pairs; None: those that come with webgrain. earlier (n,): the types of the pages by
    an earlier model, -1 for none: they count as evidence that pages are of the same type or not, with these
    log odds.
    """
    n = len(traits)
    columns = similarity.all_columns(traits)
    if n < 2:
        return PageGroups(np.zeros(n, np.int64), np.ones(n), columns, np.ones((n, n)))
    probability, by_groups = (pairs or similarity.trained_pairs()).probabilities(traits, columns)
    if earlier is not None:
        known = (earlier[:, None] >= 0) & (earlier >= 0)
        evidence = np.where(known, np.where(earlier[:, None] == earlier, odds, -odds), 0.0)
        by_groups = 1 / (1 + np.exp(-similarity.clipped_log_odds(by_groups) - evidence))
    group_of, sizes = np.unique(
        similarity.average_linkage(by_groups, least), return_counts=True, return_inverse=True
    )[1:]
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if sizes[k] >= MIN_TYPE]
    number = np.full(len(sizes), -1, np.int64)
    number[order] = np.arange(len(order))
    types = number[group_of]
    return PageGroups(types, clarity_of(probability, types), columns, probability)


def clarity_of(probability: Float64, types: Int64) -> Float64:
    """Return how clearly each type (k,) differs from the others, see `PageGroups`.

    probability (n, n): that pages are of the same type; types (n,): their numbers, -1 for none.
    """
    count = int(types.max(initial=-1)) + 1
    member = (types[None] == np.arange(count)[:, None]).astype(np.float64)
    size = member.sum(1)
    total = member @ probability @ member.T
    within = (total.diagonal() - size) / np.maximum(size * (size - 1), 1)
    between = total / np.maximum(np.outer(size, size), 1)
    np.fill_diagonal(between, 0)
    nearest = between.max(1, initial=0) if count else np.empty(0)
    clarity: Float64 = within * (1 - nearest)
    return clarity


def model_of_groups(traits: Sequence[PageTraits], sampled: Int64, groups: PageGroups) -> TypeModel:
    """Return the model of the groups of sampled pages, without labels; traits: of all pages."""
    traits_of_sample = [traits[k] for k in sampled.tolist()]
    rules = []
    count = int(groups.types.max(initial=-1)) + 1
    classifier = learn_classifier(groups.columns, groups.probability, groups.types)
    if count:
        fits = classifier.fit_of(traits_of_sample)
        for k in range(count):
            least = round(float(fits[groups.types == k, k].min()), 4)
            rules.append(TypeRule(str(k), clarity=round(float(groups.clarity[k]), 4), least=least))
    special = {page.special for page in traits}
    rules += [TypeRule(name, special=name) for name in (REDIRECT, ERROR) if name in special]
    return TypeModel(tuple(rules), classifier)


def _conditions(site: SitePaths, numbers: Int64, order: Sequence[int]) -> tuple[list[Condition], list[int]]:
    """Return the condition of each type, and its key path; numbers (p,): the types of the pages."""
    # A path of a single page does not mark a type of several.
    least = min((int((numbers == number).sum()) for number in order), default=1)
    paths = np.flatnonzero(site.in_body & (site.size >= min(least, 2)))
    has = site.presence(paths).astype(np.float32)
    # Of equally good paths one with an id or a class, then a short one.
    rank = np.argsort(np.lexsort((site.key[paths], site.depth[paths], ~site.named[paths])))
    conditions = []
    chosen = []
    for number in order:
        literals, agreement = find_condition(has, numbers == number, rank)
        present = [site.describe(int(paths[column])) for column, wanted in literals if wanted]
        lacked = [site.describe(int(paths[column])) for column, wanted in literals if not wanted]
        conditions.append(Condition(tuple(present), tuple(lacked), agreement))
        chosen.append(int(paths[literals[0][0]]))
    return conditions, chosen


def find_condition(has: Float32, member: Bool, rank: Int64) -> tuple[list[tuple[int, bool]], float]:
    """Return the condition of a type: columns with whether the type's pages have them, and the agreement.

    has (p, s): the presence matrix of paths, as numbers; member (p,): the pages of the type; rank (s,): which
    of equally good columns is chosen, lowest first. Columns are added while the F1 of the condition
    increases; the first one is a path that the pages have. The agreement is the number of pages that are of
    the type and satisfy the condition, divided by the number of those of which one is true.

    >>> has = np.array([[1, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    >>> find_condition(has, np.array([1, 1, 0, 0], bool), np.arange(2))
    ([(0, True), (1, False)], 1.0)
    """
    satisfied = np.ones(len(has), bool)
    literals: list[tuple[int, bool]] = []
    best = 0.0
    size = int(member.sum())
    while len(literals) < MAX_LITERALS:
        rows = np.stack([satisfied & member, satisfied & ~member])
        inside, outside = rows.astype(np.float32) @ has
        candidates = []
        for wanted in (True, False) if literals else (True,):
            true = inside if wanted else (satisfied & member).sum() - inside
            false = outside if wanted else (satisfied & ~member).sum() - outside
            f1 = 2 * true / np.maximum(size + true + false, 1)
            tolerated = MARK_TOLERANCE if not literals else 1 - 1e-9
            good = np.flatnonzero(f1 >= tolerated * f1.max())
            column = int(good[np.argmin(rank[good])])
            candidates.append((float(f1[column]), column, wanted))
        value, column, wanted = max(candidates)
        if value <= best + 1e-9:
            break
        best = value
        literals.append((column, wanted))
        satisfied &= has[:, column] == wanted
    either = int((satisfied | member).sum())
    return literals, float((satisfied & member).sum() / max(either, 1))


def inherited_labels(
    clustering: Clustering, traits: Sequence[PageTraits], previous: TypeModel
) -> dict[str, str]:
    """Return the labels of types that change: each gets that of the earlier type of most of its pages.

    An earlier label is inherited by one type at most, the one with most of its pages; a new type whose own
    label is an inherited one gets a number.
    """
    numbers = previous.assign_traits(traits)[0].tolist()
    before = [previous.rules[number].label if number >= 0 else descriptions.OTHER for number in numbers]
    pages = Counter(zip(clustering.labels.tolist(), before, strict=True))
    label_of: dict[str, str] = {}
    for (number, label), n in sorted(pages.items(), key=lambda item: (-item[1], item[0])):
        type_ = clustering.types[number]
        if (
            descriptions.OTHER in (type_.label, label)
            or type_.label in label_of
            or label in label_of.values()
        ):
            continue
        if n >= INHERITED_SHARE * type_.size:
            label_of[type_.label] = label
    inherited = set(label_of.values())
    kept = {type_.label for type_ in clustering.types} - label_of.keys()
    for type_ in clustering.types:
        if type_.label in inherited & kept:
            label_of[type_.label] = unused(type_.label, kept.union(label_of.values()))
    return label_of
