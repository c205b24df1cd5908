"""Features of the candidates of a page, from which a model decides which of them is the list of the page.

``features.csv`` has name, group, unit and meaning of each. Sums over the nodes of a page are computed once; a
feature of an item is a difference of two sums, and a feature of a candidate is a mean, a share or a maximum
over its items (`webgrain.lists.featurekernel`). Letters are characters of visible texts outside of controls.
The probability that a text is main content, and what classes and tags state about a part of the page, come
from `webgrain.extraction`.

A list of texts that many pages of a site repeat is seldom the list of a page. If these texts are known, the
share of repeated text is a feature; -1 if unknown.

Cost: linear in the nodes, and for each candidate in the nodes of its items; and the features of
`webgrain.extraction` for each text block.
"""

from __future__ import annotations

from collections.abc import Iterable
from csv import DictReader
from functools import cache
from pathlib import Path

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, UInt8
from webgrain.columns.blocks import NUMBER, page_facts
from webgrain.columns.factkernel import TEXT_COLUMNS
from webgrain.columns.sitetable import Counts, SiteTable
from webgrain.columns.thresholds import SHARED_PAGES
from webgrain.extraction.single import block_probability
from webgrain.lists.candidates import Candidates
from webgrain.lists.featurekernel import function_words, number_of_word, write_features
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import numbered_targets
from webgrain.page.page import Page
from webgrain.page.strings import code_points
from webgrain.page.tagtables import TagTable
from webgrain.page.text import VisibleTexts, visible_texts

_HINTS = (
    *("navigation", "sidebar", "related", "footer", "header", "pagination", "comment", "widget", "contents"),
    *("filter", "nav element", "aside element", "footer element", "header element", "meta", "title"),
    *("main", "article", "main element", "list", "card", "summary"),
)
"""What classes, ids and tags state about the text of a candidate."""
_HINT_NUMBERS = np.array([NUMBER[hint] for hint in _HINTS])
_TEXTS = "digits", "capitals", "likeness", "points", "commas", "money"
_TEXT_ROWS = np.array([TEXT_COLUMNS.index(name) for name in _TEXTS])

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_COUNTED = (
    _HEADINGS,
    ("img", "picture", "video"),
    ("time",),
    ("p",),
    ("input", "select", "textarea", "button"),
)
_COUNTED_OF_TAGS = TagTable(lambda tag: [tag in tags for tags in _COUNTED], np.bool_)
"""Elements that `node_sums` counts."""
_KINDS = (
    ("li",), ("tr",), ("a",), ("article",), ("div",), ("p",), ("dt",), ("dd",), _HEADINGS,
    ("td", "th"), ("section",), ("span",), ("#text",), ("br",), ("ul", "ol", "dl"), ("table", "tbody"),
    ("main",), ("body",), ("b", "strong", "font", "i", "em"),
)  # fmt: skip
_KIND = {tag: number for number, tags in enumerate(_KINDS, 1) for tag in tags}
_KIND_OF_TAGS = TagTable(lambda tag: _KIND.get(tag, 0), np.float64)

_FREQUENT = """
the of and to in a is that for it with as on you are this be your at have from or was by an not we can but
will they if our their which i has more when all one so what there about who my he his she been were had me do
"""
_FUNCTION_WORDS = np.sort([number_of_word(code_points(word)) for word in _FREQUENT.split()])
"""The most frequent words of English: a text with many of them is running text."""


def list_features(page: Page, candidates: Candidates, repeated: SiteTable | None = None) -> Float32:
    """Return the features (c, f) of the candidates of a page; their names are `list_names`.

    repeated: the table of the texts of its site; None if the site is unknown.

    >>> from webgrain.lists.candidates import find_candidates
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul><li><a href=1>One</a><li><a href=2>Two</a><li><a href=3>Three</a></ul>")
    >>> x = list_features(page, find_candidates(page))
    >>> x.shape == (len(find_candidates(page)), len(list_names()))
    True
    """
    if not len(candidates):
        return np.zeros((0, len(list_names())), np.float32)
    dom, texts, facts = page.dom, visible_texts(page), page_facts(page)
    target, external, linked = numbered_targets(page)
    table = np.empty((len(list_names()), len(candidates)), np.float32)
    write_features(
        table,
        _first_rows(),
        (candidates.offset, candidates.start, candidates.stop, candidates.kind),
        (dom.parent, dom.end, dom.tag, dom.text_start, *_flags(texts.shown, visible_nodes(page))),
        (_COUNTED_OF_TAGS.values(dom.tags).view(np.uint8), _KIND_OF_TAGS.values(dom.tags)),
        (target, *_flags(external, linked)),
        (dom.find_attribute("class")[1], dom.find_attribute("itemtype")[1]),
        (texts.node, texts.key),
        (
            facts.blocks.first,
            block_probability(page),
            facts.letters,
            facts.prose,
            function_words(facts.beginnings, _FUNCTION_WORDS, len(facts.letters)),
            facts.text_table,
            _TEXT_ROWS,
            facts.hint.T,
            _HINT_NUMBERS,
        ),
        None if repeated is None else node_shares(texts, repeated),
    )
    return table.T


def _flags(*arrays: Bool) -> tuple[UInt8, ...]:
    """Return truth values as the kernel reads them."""
    return tuple([array.view(np.uint8) for array in arrays])


@cache
def list_names() -> tuple[str, ...]:
    """Return the names of the features.

    >>> list_names()[:3]
    ('items', 'kind', 'letters')
    """
    return tuple(name for name, _ in _features())


@cache
def _features() -> tuple[tuple[str, str], ...]:
    """Return name and group of each feature."""
    with Path(__file__).with_name("features.csv").open(encoding="utf-8", newline="") as file:
        return tuple((row["name"], row["group"]) for row in DictReader(file))


@cache
def _first_rows() -> dict[str, int]:
    """Return the first row of each group of features; that of the site is the last group."""
    groups = [group for _, group in _features()]
    return {group: groups.index(group) for group in groups}


def node_texts(pages: Iterable[Page]) -> SiteTable:
    """Return the table of a site with the texts of the nodes of its pages only.

    >>> from webgrain.page.parsing import parse
    >>> len(node_texts(parse(f"<nav>Home</nav><p>Page {name}") for name in "abc"))
    3
    """
    keys = [np.unique(visible_texts(page).key) for page in pages]
    nodes = np.concatenate([np.zeros(0, np.uint64), *keys])
    return SiteTable(pages=len(keys), nodes=Counts.summed(nodes, np.ones((len(nodes), 1)))).shared()


def node_shares(texts: VisibleTexts, site: SiteTable) -> Float64 | None:
    """Return the share (n,) of the pages of a site that have the text of each node, 0..1; None without pages.

    >>> from webgrain.page.parsing import parse
    >>> site = node_texts(parse(f"<nav>Home</nav><p>Page {name}") for name in "abc")
    >>> node_shares(visible_texts(parse("<p>Home<p>Page a")), site).tolist()  # of seven nodes
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    if len(site) < SHARED_PAGES:
        return None
    share = np.zeros(len(texts.shown))
    share[texts.node] = site.nodes.of(texts.key)[:, 0] / len(site)
    return share
