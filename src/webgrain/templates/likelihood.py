"""Likelihood: how likely a page is by what the pages of a template choose at its operators.

The log likelihood of a page is the sum over its steps (`webgrain.templates.matchkernel`), so each term has a
place in the page and an operator in the template. The shares of the template's pages are smoothed:

    step        probability
    part        (u + 1/2) / (n + 1)             u of n pages have the part; the same for the parts it lacks
    next        (c(a, b) + 1 / s) / (c(a) + 1)  b follows a on c(a, b) pages; the part has s places
    length      (c(k) + 1 / 8) / (c + 1)        of c pages with the part, c(k) have a length of class k
    disorder    1 / (2 n + 2)                   no page has it: a part or place out of order or one too many
    other       1 / (2 n + 2)                   no page has it: a child without a place
    symbol      (c(s) + 1 / 2) / (n + 1)        c(s) of n pages have an element with this tag and these names

Cost: a few steps for each node of the page and of the template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt8
from webgrain.base.properties import cached_property
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.choices import Choices
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.matchkernel import DISORDER, LENGTH, LENGTHS, NEXT, PART, content_steps
from webgrain.templates.template import Template

FEATURES = (
    *("disordered", "disorder", "unplaced", "parts", "next", "most_next", "lengths"),
    *("replaced", "new_symbols", "symbols", "likelihood"),
)
"""Share of the leaves that are out of order; log of the number of such elements, and of children without a
place. Negative logarithms of probabilities: of the parts by element, of what follows what by place and at
most, of lengths by part. Share of the leaves in elements with a symbol that is new at their place, and log of
their number. Negative logarithms of probabilities of symbols and of the page, by node."""


class Steps(NamedTuple):
    """The steps of a page: kind, node of the visible tree, context and outcome, (s,) int32 each."""

    kind: Int32
    node: Int32
    context: Int32
    outcome: Int32

    def of(self, kind: int) -> Steps:
        """Return the steps of one kind."""
        is_kind = self.kind == kind
        return Steps(*(column[is_kind] for column in self))


class PageChoices(NamedTuple):
    """The choices of one page: as `Choices`, with keys (r,) of contexts and outcomes in ascending order.

    symbol: the keys of its symbols at their places, each once.
    """

    used: Float64
    key: Int64
    weight: Float64
    lengths: Float64
    symbol: Int64


class PlacedSymbols(NamedTuple):
    """The symbols of a template at its nodes.

    Attributes:
        key: (s,) of each at its node, ascending; place: (s,) the node; pages: (s,) those that have it there.
        sibling_key: (c,) of each below the TAG above, ascending; first_part, last_part: (c,) of its parts.
    """

    key: Int64
    place: Int64
    pages: Float64
    sibling_key: Int64
    first_part: Int64
    last_part: Int64


class ContentParts:
    """The parts of the content of the TAGs of a template; (m,) each.

    Attributes:
        owner: the TAG above; part: the part that a TAG is in, -1 at operators; is_part: whether it is a part.
        of_part: at a TAG its part, else the node.
        repeats: whether a TAG is in a STAR; size: TAGs of a part; tables: for the kernel.
    """

    def __init__(self, template: Template) -> None:
        op = template.op
        m = len(template)
        self._table = template.symbol_table
        self._template = template
        self.n_symbols = len(self._table.number)
        self.owner = template.owner
        self.is_part = (self.owner >= 0) & (self.owner == template.parent)
        is_place = (op == TAG) & (self.owner >= 0)
        self.part: Int32 = np.where(is_place, template.part, -1).astype(np.int32)
        self.of_part = np.where(is_place, self.part, np.arange(m))
        in_star = op == STAR
        above = np.arange(m)
        while True:  # once for each operator within operators
            inside = np.flatnonzero(~self.is_part[above] & (template.parent[above] >= 0))
            if not len(inside):
                break
            above[inside] = template.parent[above[inside]]
            in_star[inside] |= op[above[inside]] == STAR
        self.repeats: UInt8 = (in_star & is_place).view(np.uint8)
        self.size: Int64 = np.bincount(self.part[is_place], minlength=m)
        several: UInt8 = (self.size > 1).view(np.uint8)
        is_text = np.array([bool(names) and names[0].tag == "#text" for names in template.symbols])
        free = np.zeros(m, np.uint8)
        free[self.owner[is_text & is_place]] = 1
        self.tables = self.owner, self.part, self.repeats, several, free

    @cached_property
    def of_symbols(self) -> PlacedSymbols:
        """The symbols at the nodes of the template."""
        template, number = self._template, self._table.number
        place = np.repeat(np.arange(len(template)), [len(symbols) for symbols in template.symbols])
        symbol = np.array([number[symbol] for of_node in template.symbols for symbol in of_node], np.int64)
        pages = np.array([n for counts in template.symbol_support for n in counts], np.float64)
        key = place * len(number) + symbol
        order = np.argsort(key)
        sibling = self.owner[place].astype(np.int64) * len(number) + symbol
        sibling_key, row = np.unique(sibling, return_inverse=True)
        first_part = np.full(len(sibling_key), len(template))
        last_part = np.full(len(sibling_key), -1)
        np.minimum.at(first_part, row, self.of_part[place])
        np.maximum.at(last_part, row, self.of_part[place])
        return PlacedSymbols(key[order], place[order], pages[order], sibling_key, first_part, last_part)

    def steps(self, page: Page, at: Int32) -> Steps:
        """Return the steps of a page; at (k,): the template nodes of its visible tree."""
        tree = visible_tree(page)
        rows: Int32 = content_steps(tree.parent, tree.end, at, *self.tables)
        return Steps(*rows)

    def choices(self, page: Page, at: Int32) -> PageChoices:
        """Return the choices of a page; at (k,): the template nodes of its visible tree."""
        m = len(self.part)
        steps = self.steps(page, at)
        elements = np.bincount(at[at >= 0], minlength=m)
        used = np.bincount(steps.of(PART).outcome, minlength=m) / np.maximum(elements[self.owner], 1)
        following = steps.of(NEXT)
        key, count = np.unique(self.keys(following), return_counts=True)
        total = np.bincount(following.context, minlength=m)
        runs = steps.of(LENGTH)
        lengths = np.bincount(runs.context * LENGTHS + runs.outcome, minlength=m * LENGTHS).reshape(m, -1)
        shares = lengths / np.maximum(lengths.sum(axis=1, keepdims=True), 1)
        symbols = np.unique(self.symbol_keys(page, at)[at >= 0])
        return PageChoices(used, key, count / total[key // (m + 1)], shares, symbols)

    def symbols(self, page: Page) -> Int64:
        """Return the symbols (k,) of a page, -1 for new ones."""
        return self._table.symbols(page)

    def symbol_keys(self, page: Page, at: Int32) -> Int64:
        """Return the keys (k,) of the symbols of a page at their template nodes; negative for new symbols."""
        symbols = self.symbols(page)
        keys: Int64 = np.where(symbols >= 0, at * self.n_symbols + symbols, -1)
        return keys

    def keys(self, steps: Steps | Choices) -> Int64:
        """Return the keys (s,) of contexts and outcomes."""
        keys: Int64 = steps.context.astype(np.int64) * (len(self.part) + 1) + steps.outcome + 1
        return keys


def choices_of_pages(template: Template, pages: Sequence[Page], places: Sequence[Int32]) -> list[PageChoices]:
    """Return the choices of each page; places: the template node (k,) of each node of each page."""
    parts = ContentParts(template)
    return [parts.choices(page, at) for page, at in zip(pages, places, strict=True)]


def learn_choices(template: Template, of_pages: Sequence[PageChoices]) -> Choices:
    """Return the choices of several pages together.

    >>> from webgrain.templates.structure import learn_structure
    >>> from webgrain.page.parsing import parse
    >>> pages = [parse("<h1>a</h1>" + "<p>b" * n) for n in (1, 2, 5)]
    >>> template, places = learn_structure(pages)
    >>> choices = learn_choices(template, choices_of_pages(template, pages, places))
    >>> print(template, choices.lengths.sum(axis=0).tolist())
    html[body[h1[#text] (p[#text])*]] [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    keys = np.concatenate([page.key for page in of_pages])
    key, row = np.unique(keys, return_inverse=True)
    shares = np.concatenate([page.weight for page in of_pages])
    order = np.lexsort((shares, row))  # the same sums in any order of the pages
    weight = np.zeros(len(key))
    np.add.at(weight, row[order], shares[order])
    context, outcome = np.divmod(key, len(template) + 1)
    return Choices(
        used=_total([page.used for page in of_pages]),
        context=context.astype(np.int32),
        outcome=(outcome - 1).astype(np.int32),
        weight=weight.round(4),
        lengths=_total([page.lengths for page in of_pages]),
    )


def _total(shares: Sequence[Float64]) -> Float64:
    """Return the sum of arrays, the same in any order of the pages."""
    total: Float64 = np.sort(np.stack(shares), axis=0).sum(axis=0).round(4)
    return total


class Likelihood:
    """The log likelihood of pages by the choices of a template, prepared for many pages.

    parts: of the template; support (m,): the pages that have each template node; left_out: the choices of a
    page that do not count.

    Attributes:
        tables: the logarithms, for `webgrain.templates.matchkernel.Comparison`.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> from webgrain.page.parsing import parse
    >>> method = SiteTemplate().fit([f"<h1>{n}</h1><b>{n}</b><p>{n}" for n in range(9)])
    >>> template = method.template_
    >>> likelihood = Likelihood(template, ContentParts(template), template.page_support)
    >>> for html in ("<h1>a</h1><b>b</b><p>c", "<p>c</p><b>b</b><h1>a</h1>"):
    ...     page = parse(html)
    ...     at = method.predict(page).labels[visible_tree(page).node]
    ...     print([template.name(place) for place in likelihood.moved(page, at)[1].tolist()])
    []
    ['b', 'h1']
    """

    def __init__(
        self, template: Template, parts: ContentParts, support: Int32, left_out: PageChoices | None = None
    ) -> None:
        self._parts = parts
        choices = template.choices
        m = len(template)
        used, weight, lengths = choices.used, choices.weight, choices.lengths
        self._key = parts.keys(choices)
        if left_out:
            used = np.maximum(used - left_out.used, 0.0)
            lengths = np.maximum(lengths - left_out.lengths, 0.0)
            weight = weight.copy()
            weight[np.searchsorted(self._key, left_out.key)] -= left_out.weight
            weight = np.maximum(weight, 0.0)
        # Parts: the odds of a part that a page has are added to the probability of having none.
        pages = support[parts.owner].astype(np.float64)
        share = (np.minimum(used, pages) + 0.5) / (pages + 1.0)
        lacking = np.where(parts.is_part, np.log1p(-share), 0.0)
        self._part = np.log(share) - lacking
        self._no_parts = np.bincount(parts.owner[parts.is_part], lacking[parts.is_part], m)
        self._has_parts = np.bincount(parts.owner[parts.is_part], minlength=m) > 0
        # What follows what.
        prior = 1.0 / np.maximum(parts.size[parts.of_part], 1)
        total = np.bincount(choices.context, weight, m) + 1.0
        self._unseen = np.log(prior / total)
        self._next = np.log((weight + prior[choices.context]) / total[choices.context])
        self._length = np.log((lengths + 1.0 / LENGTHS) / (lengths.sum(axis=1, keepdims=True) + 1.0))
        self._never = -np.log(2.0 * support + 2.0)
        of_symbols = parts.of_symbols
        pages_with = of_symbols.pages.copy()
        if left_out:
            pages_with[np.searchsorted(of_symbols.key, left_out.symbol)] -= 1.0
        self._of_symbols = of_symbols
        self._is_new = pages_with <= 0.0
        self._symbol = np.log((np.maximum(pages_with, 0.0) + 0.5) / (support[of_symbols.place] + 1.0))
        self.tables = (
            *(self._part, self._no_parts, self._has_parts.view(np.uint8)),
            *(self._key, self._next, self._unseen, self._length, self._never),
            *(of_symbols.key, self._symbol, self._is_new.view(np.uint8), of_symbols.sibling_key),
            parts.n_symbols,
        )

    def steps(self, page: Page, at: Int32) -> Steps:
        """Return the steps of a page; at (k,): the template nodes of its visible tree."""
        return self._parts.steps(page, at)

    def of_steps(self, steps: Steps) -> Float64:
        """Return the log probability (s,) of each step; of a part, the log of the odds."""
        result: Float64 = self._never[steps.context]
        is_part, is_next, is_length = (steps.kind == kind for kind in (PART, NEXT, LENGTH))
        result[is_part] = self._part[steps.outcome[is_part]]
        result[is_length] = self._length[steps.context[is_length], steps.outcome[is_length]]
        following = steps.of(NEXT)
        logs = self._unseen[following.context]
        if len(self._key):
            key = self._parts.keys(following)
            row = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
            logs = np.where(self._key[row] == key, self._next[row], logs)
        result[is_next] = logs
        return result

    def of_symbols(self, page: Page, at: Int32) -> tuple[Float64, Bool]:
        """Return the log probability (k,) of the symbols of a page, and whether each is new at its place."""
        key = self._parts.symbol_keys(page, at)
        row = np.minimum(np.searchsorted(self._of_symbols.key, key), len(self._of_symbols.key) - 1)
        is_known = (self._of_symbols.key[row] == key) & (at >= 0)
        is_new = (at >= 0) & ~(is_known & ~self._is_new[row])
        logs = np.where(is_new, self._never[at], np.where(is_known, self._symbol[row], 0.0))
        return logs, is_new

    def moved(self, page: Page, at: Int32) -> tuple[Int32, Int32, Int32]:
        """Return the nodes (x,) of a page that are out of order, their places, and the place before each.

        It is a step DISORDER; or no page of the template has its symbol in its part, but in another part
        below the same TAG, and the place before it is -1.
        """
        disorder = self._parts.steps(page, at).of(DISORDER)
        parts = self._parts
        new = np.flatnonzero(self.of_symbols(page, at)[1])
        key = parts.symbol_keys(page, np.append(parts.owner, -1)[at])[new]
        siblings = self._of_symbols
        row = np.minimum(np.searchsorted(siblings.sibling_key, key), len(siblings.sibling_key) - 1)
        part = parts.of_part[at[new]]
        is_elsewhere = (siblings.first_part[row] > part) | (siblings.last_part[row] < part)
        elsewhere = new[(siblings.sibling_key[row] == key) & is_elsewhere]
        nodes = np.append(disorder.node, elsewhere).astype(np.int32)
        place = np.append(disorder.outcome, at[elsewhere]).astype(np.int32)
        before = np.append(disorder.context, np.full(len(elsewhere), -1)).astype(np.int32)
        return nodes, place, before


def order_features(total: Mapping[str, float], nodes: int) -> tuple[float, ...]:
    """Return the `FEATURES` of a page with some visible nodes; total: by the names of `TOTALS`."""
    leaves = max(total["leaves"], 1.0)
    of_parts = total["part"] + total["no parts"]
    of_steps = of_parts + total["next"] + total["length"] + total["disorder"] + total["other"]
    return (
        total["disordered"] / leaves,
        log1p(total["out of order"]),
        log1p(total["others"]),
        of_parts / max(total["elements"], 1.0),
        total["next"] / max(total["nexts"], 1.0),
        log1p(total["most next"]),
        total["length"] / max(total["lengths"], 1.0),
        total["replaced"] / leaves,
        log1p(total["new symbols"]),
        total["symbols"] / max(total["placed"], 1.0),
        (of_steps + total["symbols"]) / max(nodes, 1),
    )
