"""Matching: a page is aligned with a template, and its nodes take the nodes of the template.

`TemplateMatcher` prepares a template for many pages; the alignment is in the kernel
`webgrain.templates.matchkernel`. Whether a page fits well enough to be of the type of the template:
`webgrain.templates.acceptance`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64, UInt64
from webgrain.base.properties import cached_property
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.templates.acceptance import (
    FORMER_FEATURES,
    Alignment,
    FitFeatures,
    inputs,
    trained_acceptance,
)
from webgrain.templates.crx import ALT, OPT, SEQ, STAR, TAG
from webgrain.templates.matchkernel import (
    ALT_BEGIN,
    ALT_END,
    ALT_NEXT,
    OPT_BEGIN,
    OPT_END,
    PLACE,
    SHAPE_WORDS,
    STAR_BEGIN,
    STAR_END,
    Aligner,
)
from webgrain.templates.noise import NoiseTable
from webgrain.templates.reasons import misfit_reasons
from webgrain.templates.template import FREE, SymbolTable, Template, node_types
from webgrain.templates.thresholds import ACCEPTED, USUAL


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A page matched with a template.

    Attributes:
        template: the template; labels: (n,) int32 its node for each node of the page's Dom, -1 for none.
        known: share of the page's visible nodes that have a template node; present: share of the template
            nodes of support `CORE` that the page has; 0..1 both.
        missing: the uppermost template nodes of support `CORE` that the page lacks.
        unknown: the uppermost visible nodes of the page that have no template node.
        exact: whether the page is in the language of the template.
        probability: that a page of the type of the template matches like this; 0 if it cannot be estimated.
        explain: returns `reasons`.
    """

    template: Template
    labels: Int32
    known: float
    present: float
    missing: tuple[int, ...]
    unknown: tuple[int, ...]
    exact: bool
    probability: float
    explain: Callable[[], tuple[str, ...]] = tuple

    def __repr__(self) -> str:
        nodes = f"{int((self.labels >= 0).sum())} of {len(self.labels)} nodes"
        state = "exact" if self.exact else "accepted" if self.accepted else "not accepted"
        return f"<Match: {state}, score {self.score:.3f}, probability {self.probability:.3f}, {nodes}>"

    @property
    def reasons(self) -> tuple[str, ...]:
        """In what it differs most from the pages of the template, in sentences; empty if it is accepted."""
        return self.explain()

    @property
    def score(self) -> float:
        """How well page and template fit, 0..1: the harmonic mean of ``known`` and ``present``."""
        return harmonic_mean(self.known, self.present)

    @property
    def accepted(self) -> bool:
        """Whether the page is in the language of the template, up to what pages of one type differ."""
        return _is_accepted(self.exact, self.probability)


def _is_accepted(exact: bool, probability: float) -> bool:
    return exact or probability >= ACCEPTED


def harmonic_mean(a: float, b: float) -> float:
    """Return the harmonic mean of two numbers, 0 if both are 0."""
    return 2.0 * a * b / (a + b) if a + b else 0.0


class TemplateMatcher:
    """A template, prepared for matching many pages when the first one is matched.

    >>> from webgrain.templates.structure import learn_structure
    >>> page = as_page("<h1>One</h1><p>two<p>three")
    >>> matcher = TemplateMatcher(learn_structure([page])[0])
    >>> matcher.match(page).score
    1.0
    >>> other = matcher.match("<h1>One</h1><ul><li>two</ul>")
    >>> round(other.known, 2), round(other.present, 2), [matcher.template.name(k) for k in other.missing]
    (0.57, 0.67, ['p'])
    """

    def __init__(self, template: Template) -> None:
        self.template = template

    @property
    def _table(self) -> SymbolTable:
        return self.template.symbol_table

    @cached_property
    def _features(self) -> FitFeatures:
        return FitFeatures(self.template)

    @cached_property
    def _aligner(self) -> Aligner:
        template = self.template
        first = [of_node[0].tag if of_node else None for of_node in template.symbols]
        tag = np.array([-1 if name is None else self._table.tag[name] for name in first], np.int32)
        free = np.array([name in FREE for name in first], np.uint8)
        any_shape, usual_shape = (np.ascontiguousarray(template.shape[:, k]) for k in range(2))
        bits = *self._names(), any_shape, usual_shape
        size = np.stack([np.bitwise_count(words).sum(axis=1) for words in bits], axis=1, dtype=np.int32)
        facts = tag, *bits, free, size
        return Aligner(facts, _program(template), self._sorted_lookup())  # type: ignore[no-untyped-call]

    def match(self, page: PageLike) -> Match:
        """Return the match of a page; a page without a visible node has score 0."""
        page = as_page(page)
        return self.match_of(page, self.align(page))

    def match_of(self, page: Page, alignment: Alignment) -> Match:
        """Return the match of a page; alignment: of `align`."""
        template = self.template
        tree = visible_tree(page)
        fit = self._features.fit(page, alignment)
        features, missing, unknown = fit
        probability = 0.0
        if len(alignment.at) and template.usual.shape[1] in (len(features), FORMER_FEATURES):
            row = inputs(features, template.usual)[None]
            probability = float(trained_acceptance().probability(row)[0])
        explain: Callable[[], tuple[str, ...]] = tuple
        if len(alignment.at) and not _is_accepted(alignment.exact, probability):
            likelihood = self._features.likelihood
            explain = partial(misfit_reasons, template, likelihood, page, alignment.at, fit)
        return Match(
            template,
            tree.to_dom(alignment.at),
            float(features[0]),
            float(features[2]),
            tuple(missing.tolist()),
            tuple(tree.node[unknown].tolist()),
            alignment.exact,
            probability,
            explain,
        )

    def align(self, page: Page) -> Alignment:
        """Return the template node of each node of the visible tree, its manner, and what it lacks."""
        tree, types = visible_tree(page), node_types(page)
        nodes = tree.parent, tree.end, types.of
        return Alignment(*self._aligner.align(nodes, self._table.rows(page)))  # type: ignore[no-untyped-call]

    def moved(self, page: Page, at: Int32) -> tuple[Int32, Int32]:
        """Return the places (x,) of a page that are out of order, and those before them, -1 if unknown.

        at (k,): the template nodes of the page.
        """
        return self._features.moved(page, at)

    def noise(self, page: Page, at: Int32) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom.

        at (k,): the template nodes of the page.
        """
        return self._noise.of(page, at)

    @cached_property
    def _noise(self) -> NoiseTable:
        return NoiseTable(self.template)

    def _names(self) -> tuple[UInt64, UInt64]:
        """Return the names that any and that most nodes of each TAG have, as bits (m, 4)."""
        any_name, usual_name = (np.zeros((len(self.template), SHAPE_WORDS), np.uint64) for _ in range(2))
        for node, pages in enumerate(self.template.symbol_support):
            names = self.template.name_support(node)
            if names:
                least = USUAL * max(pages)
                any_name[node] = self._table.bits(names)
                usual_name[node] = self._table.bits([name for name, n in names.items() if n >= least])
        return any_name, usual_name

    def _sorted_lookup(self) -> tuple[Int64, Int32, int]:
        """Return the node of each symbol below a TAG, also two levels below if the symbol has names.

        Returns keys, ascending, the nodes, and the number of symbols.
        """
        target: dict[int, int] = {}
        owner, number = self.template.owner.tolist(), self._table.number
        for node, above in enumerate(owner):
            for symbol in self.template.symbols[node] if above >= 0 else ():
                target.setdefault(above * len(number) + number[symbol], node)
        for node, above in enumerate(owner):
            higher = owner[above] if above >= 0 else -1
            for symbol in self.template.symbols[node] if higher >= 0 else ():
                if symbol.names:
                    target.setdefault(higher * len(number) + number[symbol], node)
        keys = sorted(target)
        nodes = np.array([target[key] for key in keys], np.int32)
        return np.array(keys, np.int64), nodes, len(number)


def _program(template: Template) -> tuple[Int32, Int32, Int32, int]:
    """Return the contents of the TAGs as instructions of the kernel.

    Returns starts (m + 1,), instructions and arguments, and the length of the longest content.
    """
    rows: list[tuple[int, int]] = []
    start = [0]

    def add(node: int) -> None:
        op = int(template.op[node])
        if op == TAG:
            rows.append((PLACE, node))
            return
        begin = len(rows) - start[-1]
        if op != SEQ:
            rows.append((_BEGIN[op], 0))
        for k, child in enumerate(template.children(node)):
            if k and op == ALT:
                rows.append((ALT_NEXT, 0))
            add(child)
        if op != SEQ:
            rows.append((_END[op], begin))

    for owner in range(len(template)):
        for child in template.children(owner) if template.op[owner] == TAG else ():
            add(child)
        start.append(len(rows))
    code, argument = np.array(rows, np.int32).reshape(-1, 2).T.copy()
    starts = np.array(start, np.int32)
    return starts, code, argument, int(np.diff(starts).max(initial=1))


_BEGIN = {OPT: OPT_BEGIN, STAR: STAR_BEGIN, ALT: ALT_BEGIN}
_END = {OPT: OPT_END, STAR: STAR_END, ALT: ALT_END}
