"""Lists of a page: candidates, ranked by a trained model; the first is the list of the page.

    page --find_candidates--> (c,) --list_features--> (c, f) --trees--> probability (c,) --choice--> lists

The trees estimate the probability that a candidate is the list that a reader visits the page for: its
results, its articles, its products. They were trained by ``experiments/training/lists.py`` on sites of all
kinds. The lists of a page do not overlap: a candidate is left out if one of its items shares nodes with a
better list. If each item of the best candidate is in one of the longer items of another candidate that is at
least .3 times as probable, the list has these: a link may be as probable as the row with the link, the date
and the price. A page has no list if its best candidate is unlikely.

Source: Friedman, Greedy function approximation: a gradient boosting machine, 2001 (the trees). Related: Zhai
and Liu, Web data extraction based on partial tree alignment, WWW 2005 (repeated siblings as records, aligned
fields); here the candidates need not be siblings, and a model chooses among them.

Cost: about as long as the single-page extraction of the main text, because both use its features.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache
from pathlib import Path

import numpy as np

from webgrain.base.arrays import Float64, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.columns.blocks import block_features
from webgrain.columns.sitetable import SiteTable
from webgrain.lists.boundaries import at_boundaries, records_between_separators, separated_parents
from webgrain.lists.candidatekernel import choose_apart
from webgrain.lists.candidates import LINES, Candidates, find_candidates
from webgrain.lists.features import list_features, list_names
from webgrain.lists.records import KnownSelectors, Listings, read_lists
from webgrain.lists.thresholds import MAX_LISTS, MIN_PROBABILITY, OTHER_PROBABILITY, WHOLE_ROWS
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.page.turns import Steps, alone

FORMAT = "webgrain lists"


@cache
def trained_lists() -> BoostedTrees:
    """Return the trees that come with webgrain, read once."""
    return packaged_trees("webgrain.lists", "lists.model", {"lists": list_names()}, FORMAT)["lists"]


def find_lists(
    page: Page | Source | str | bytes | Path,
    *,
    repeated: SiteTable | None = None,
    star: Int64 | None = None,
    model: BoostedTrees | None = None,
    known: KnownSelectors | None = None,
) -> Listings:
    """Return the lists of a page by decreasing probability; the first is the list of the page.

    Args:
        page: a page: HTML (`str` or `bytes`), the path of a file (`Path`), a `Source` or a `Page`.
        repeated: the table of the texts of its site; None if the site is unknown.
        star: (n,) the STAR of the template that each node is an item of, -1 for none; None if unknown.
        model: the trees; None: those that come with webgrain.
        known: selectors of the lists of other pages of its site, which are not made again.

    Raises:
        ParameterError: an argument has the wrong type, or ``star`` another number of nodes than the page.
        ReadError: the file cannot be read.

    >>> names = ["cup", "pot", "pan"]
    >>> rows = "".join(f"<li><a href=/{k}>The {name}</a> {k} EUR" for k, name in enumerate(names))
    >>> found = find_lists(f"<h1>Shop</h1><ul>{rows}</ul>")
    >>> found[0].records()[2]["name"], found[0].items
    ('The pan', 'li')
    """
    page = page if isinstance(page, Page) else as_page(page)
    return alone(list_steps(page, repeated=repeated, star=star, model=model, known=known))


def list_steps(
    page: Page,
    *,
    repeated: SiteTable | None = None,
    star: Int64 | None = None,
    model: BoostedTrees | None = None,
    known: KnownSelectors | None = None,
) -> Steps[Listings]:
    """Return the lists of a page, as `find_lists` does, in steps."""
    for value, class_ in ((repeated, SiteTable), (model, BoostedTrees), (known, KnownSelectors)):
        if not isinstance(value, class_ | None):
            raise ParameterError(f"find_lists expects {class_.__name__} or None, got {type(value).__name__}.")
    if star is not None and np.shape(star) != page.dom.tag.shape:
        raise ParameterError(f"star: expected one number for each of {len(page.dom)} nodes.")
    listings = Listings()
    candidates = find_candidates(page, star)
    yield "candidates"
    if len(candidates):
        _ = block_features(page)
        yield "blocks"
        probability = (model or trained_lists()).probability(list_features(page, candidates, repeated))
        yield "features"
        chosen = choose_lists(candidates, probability)
        if not chosen.size or candidates.kind[chosen[0]] == LINES:
            separated = separated_parents(page.dom)
            if separated:
                chosen = _with_separated_records(page.dom, candidates, probability, chosen, separated)
        if chosen.size:
            chances = probability[chosen].tolist()
            chances[0] = float(probability.max())  # whole rows are as probable as their parts
            lists = at_boundaries(page.dom, candidates.take(chosen))
            listings = Listings(read_lists(page, lists, chances, known or KnownSelectors()))
    listings.page = page
    return listings


def choose_lists(candidates: Candidates, probability: Float64) -> Int64:
    """Return the most probable candidates that do not overlap, by decreasing probability.

    In place of the first are the longest rows that each contain one of its items, if they are probable.
    """
    if not len(probability) or probability.max() < MIN_PROBABILITY:
        return np.zeros(0, np.int64)
    items = candidates.start, candidates.stop, candidates.offset
    chosen: Int64 = choose_apart(probability, *items, OTHER_PROBABILITY, WHOLE_ROWS, MAX_LISTS)
    return chosen


def _with_separated_records(
    dom: Dom, candidates: Candidates, probability: Float64, chosen: Int64, separated: Set[int]
) -> Int64:
    """Return lists with the most probable records of one form between separators, if the page has any.

    Lists that share no nodes with the part of the page from the first record to the last one stay.
    """
    order = np.argsort(-probability, kind="stable").tolist()
    tried = [k for k in order if probability[k] >= OTHER_PROBABILITY]
    number = records_between_separators(dom, candidates, tried, separated)
    if number < 0:
        return chosen
    first, last = _span(candidates, number)
    spans = [(k, *_span(candidates, k)) for k in chosen.tolist()]
    return np.array([number, *(k for k, start, stop in spans if stop <= first or start >= last)], np.int64)


def _span(candidates: Candidates, number: int) -> tuple[int, int]:
    """Return the first node of the items of a candidate, and one past the last one."""
    start, stop = candidates.items(number)
    return int(start[0]), int(stop[-1])
