"""Candidates for the title and their features by array operations and Python loops.

The reference of `webgrain.extraction.titlekernel`: the same values, in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import unquote

import numpy as np
from tests.tables import FeatureColumn, FeatureColumns, names_of, table_of

from webgrain.base.arrays import Bool, Float32, Float64, Int64
from webgrain.base.metrics import TOKEN
from webgrain.columns.blocks import NUMBER, SEPARATOR, PageFacts, title_parts
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.content import PERMALINKS
from webgrain.extraction import thresholds
from webgrain.extraction.sitetexts import judged_names, site_names, text_shares
from webgrain.page.page import Page
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

_HINTS = (
    *("title", "heading element", "fact property", "header element", "nav element", "footer element"),
    *("aside element", "main element", "article element", "content type", "related", "comment"),
    *("navigation", "header", "sidebar", "modal", "hidden"),
)
_HINT_COLUMNS = [NUMBER[hint] for hint in _HINTS]

_AT_PLACE = (
    "site path", "site tag path", "site same", "site same at tags", "site varies", "site varies at tags",
    "site times", "site text", "site heading in 1", "site main at path", "site title at path",
    "site title at tags", "site article at path",
)  # fmt: skip
"""Features of the site at the place of a candidate."""
_LED = (
    "like title", "within address", "site title at path", "site title at tags", "site links", "site varies",
)  # fmt: skip
"""Features that are compared with those of the other candidates, too."""
_SHARES = ("site titles", "site same", "site same at tags")
"""Shares of pages of which a title has few."""
_BUTTONS = 8  # of a heading that are left out of the title
_WORDS = re.compile(r"\w+")
_PLACES = [(*site_names(), *judged_names()).index(name) for name in _AT_PLACE]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may be the title, and its block; -1 for none."""

    text: str
    block: int


def _head(facts: PageFacts) -> tuple[str, str, str]:
    """Return ``<title>``, ``og:title`` and the name of the site; empty texts for none."""
    texts = (facts.title, *facts.stated("og:title", "og:site_name"))
    title, og_title, site_name = (text[: thresholds.TITLE_LENGTH] for text in texts)
    return title, og_title, site_name


def has_hint(facts: PageFacts, *hints: str) -> Bool:
    """Return whether each block (b,) is in an element that gives one of the hints."""
    return (facts.hint[:, [NUMBER[hint] for hint in hints]] > 0).any(axis=1)


def folded(text: str) -> str:
    """Return a text without differences of case and white space."""
    return " ".join(text.casefold().split())


def candidates(facts: PageFacts, start: int) -> tuple[Candidate, ...]:
    """Return the candidates for the title; start: the block with which the main text begins."""
    texts, size, at = facts.blocks.texts, facts.texts["characters"], np.arange(len(facts.letters))
    short = (size > 0) & (size <= thresholds.TITLE_LENGTH)
    near = (at >= start - thresholds.NEAR_TITLE) & (at <= start + 1) & (size <= thresholds.SHORT_TITLE)
    named = has_hint(facts, "heading element") | near | has_hint(facts, "title", "fact property")
    blocks = np.flatnonzero(named & short & ~facts.is_title)
    order = np.argsort(~has_hint(facts, "heading element")[blocks], kind="stable")
    kept = np.sort(blocks[order][: thresholds.MOST_CANDIDATES]).tolist()
    titles: list[Candidate] = []
    title, og_title, _ = _head(facts)
    parts = (*title_parts(title), *title_parts(og_title))
    buttons, spelled = facts.dom.find_tag("button"), _spelled(parts)
    for k in kept:
        text = (_without_buttons(facts, k, buttons) if len(buttons) else texts[k]).rstrip(PERMALINKS)
        titles.append(Candidate(spelled(text or texts[k]), k))
    known = {folded(title.text) for title in titles}
    for text in parts:
        if folded(text) not in known:
            known.add(folded(text))
            titles.append(Candidate(text, -1))
    return tuple(titles)


def _spelled(parts: Iterable[str]) -> Callable[[str], str]:
    """Return a function that spells a text like one of some others with the same letters and more words.

    Style sheets set marks and spaces between the elements of a heading, which its text lacks.
    """
    known = {"".join(words): (len(words), part) for part in parts if (words := _WORDS.findall(part.lower()))}

    def spelled(text: str) -> str:
        words = _WORDS.findall(text.lower())
        number, part = known.get("".join(words), (0, ""))
        return part if number > len(words) else text

    return spelled


def _without_buttons(facts: PageFacts, block: int, buttons: Int64) -> str:
    """Return the text of a block without the buttons at its beginning and end."""
    dom, text, end = facts.dom, facts.blocks.texts[block], facts.dom.end[buttons]
    within = (end > facts.blocks.first[block]) & (end <= facts.blocks.last[block] + 1)
    for button in buttons[within][:_BUTTONS].tolist():
        label = " ".join(dom.text_of(button).split())
        text = text.removeprefix(label).removesuffix(label).strip()
    return text


def title_features(
    page: Page,
    facts: PageFacts,
    titles: tuple[Candidate, ...],
    main: Float64,
    site: SiteTable | None,
    of_site: Float32 | None,
) -> Float32:
    """Return the features (c, f) of candidates; their names are `title_names`.

    main: (b,) the probability that a block is main text; site: the texts of the site; of_site:
    (b, s) the features of the site and its judgements, None if it is unknown.
    """
    names = title_names()[: -len(_LED)]
    table = table_of(_columns(page, facts, titles, main, site, of_site), len(titles), names)
    return np.concatenate([table, _leads(table[:, [names.index(name) for name in _LED]])], axis=1)


def _columns(
    page: Page,
    facts: PageFacts,
    titles: tuple[Candidate, ...],
    main: Float64,
    site: SiteTable | None,
    of_site: Float32 | None,
) -> FeatureColumns:
    at, stated = np.array([title.block for title in titles], np.int64), _stated(page, facts, titles)
    inside: Bool = at >= 0
    yield from stated[:3]
    mass = facts.letters * main
    total = max(float(mass.sum()), 1e-9)
    start, behind = main_start(facts, main), np.minimum(at + 6, len(main))
    before, sizes = (np.append(0.0, np.cumsum(x)) for x in (mass, facts.letters))
    share = (before[behind] - before[at]) / np.maximum(sizes[behind] - sizes[at], 1.0)
    values = np.stack([np.minimum(np.maximum(at - start, -50), 50), main[at], share, before[at] / total])
    yield ("from the start", "main", "main behind", "main before"), np.where(inside, values, np.nan)
    yield from stated[3:]
    shared = np.full((len(titles), 6), np.nan)
    if site is not None and len(site):
        shared[:, :4] = text_shares([title.text for title in titles], site)
        shared[:, 4] = shared[:, 0] * len(site)
        shared[:, 5] = np.log(len(site))
    names = ("texts", "links", "headings", "titles", "pages with it", "pages")
    yield [f"site {name}" for name in names], shared.T
    places = np.zeros((1, len(_PLACES))) if of_site is None else of_site[at][:, _PLACES].astype(np.float64)
    yield _AT_PLACE, np.where(inside & (of_site is not None), places.T, np.nan)


def _stated(page: Page, facts: PageFacts, titles: tuple[Candidate, ...]) -> list[FeatureColumn]:
    """Return the features of candidates that are the same with and without a site."""
    return [*_own_columns(page, facts, titles)]


def _own_columns(page: Page, facts: PageFacts, titles: tuple[Candidate, ...]) -> FeatureColumns:
    at = np.array([title.block for title in titles], np.int64)
    heading = has_hint(facts, "heading element")
    by_kind, of_kind = np.argsort(facts.kind, kind="stable"), np.bincount(facts.kind)
    first_of_kind = np.zeros(len(facts.kind))
    first_of_kind[by_kind] = np.arange(len(by_kind)) - (np.cumsum(of_kind) - of_kind)[facts.kind[by_kind]]
    kinds = facts.kind[at]
    columns = (
        *(kinds, *(facts.hint[at][:, _HINT_COLUMNS] > 0).T, np.minimum(first_of_kind[at], 20.0)),
        *(np.log1p(of_kind[kinds].astype(np.float64)), (np.cumsum(heading) - heading)[at]),
        *(at / len(facts.kind), facts.linked[at], np.minimum(facts.texts["repeats"][at], 10.0)),
    )
    values = np.where(at >= 0, np.array(columns, np.float64), np.nan)
    yield "number", np.full(len(titles), float(len(titles)))
    yield "inside", (at >= 0).astype(np.float64)
    names = ("tag", *(f"hint {hint}" for hint in _HINTS), "order of its tag", "number of its tag")
    yield (*names, "headings before"), values[:-3]
    yield ("place", "linked", "repeats"), values[-3:]
    bags = [_words(title.text) for title in titles]
    sizes = [[float(len(title.text)) for title in titles], [float(number) for *_, number in bags]]
    yield ("letters", "words"), np.log1p(sizes)
    title, og_title, site_name = _head(facts)
    for name, text in (("title", title), ("og:title", og_title), ("site name", site_name)):
        yield (f"like {name}", f"within {name}"), _overlap(bags, text)
    texts = [text for text, *_ in bags]
    for name, other in (("title", _words(title)[0]), ("og:title", _words(og_title)[0])):
        equal = [(other.startswith(text), other.endswith(text), other == text) for text in texts]
        names = (f"starts {name}", f"ends {name}", f"is {name}")
        yield names, np.array(equal, np.float64).reshape(-1, 3).T * bool(other)
    parts = [_words(part)[0] for part in SEPARATOR.split(title) if part.strip()]
    yield "parts", np.full(len(titles), float(len(parts)))
    for name, every in (("part", parts), ("part from the end", parts[::-1])):
        yield name, np.array([every.index(text) if text in every else -1 for text in texts], float)
    inner = Counter(map(str.casefold, facts.blocks.texts))
    yield "blocks like it", np.array([min(inner[title.text.casefold()], 5) for title in titles], float)
    tops = {text for k, text in zip(at.tolist(), texts, strict=True) if k >= 0 and heading[k]}
    yield "is a heading", np.array([text in tops for text in texts], float)
    address = re.sub(r"[\W_]+", " ", unquote(page.url or page.id or ""))
    yield "within address", _overlap(bags, address)[1]


@lru_cache(maxsize=2**12)  # a page is read with and without its site, and its site has the same texts
def _words(text: str) -> tuple[str, Counter[str], int]:
    """Return the words of a text, separated by spaces, how often it has each, and their number."""
    tokens = re.findall(TOKEN, text.lower())
    return " ".join(tokens), Counter(tokens), len(tokens)


def main_start(facts: PageFacts, main: Float64) -> int:
    """Return the block with which the expected main text begins."""
    mass = np.cumsum(facts.letters * main)
    return int(np.searchsorted(mass, 0.02 * mass[-1])) if len(mass) else 0


def _leads(x: Float32) -> Float32:
    """Return how far each value (c, f) is above the highest of the others; a missing value counts as -1."""
    known = np.where(np.isnan(x), np.float32(-1.0), x)
    at = known.argmax(axis=0), np.arange(x.shape[1])
    highest = known[at]
    lead: Float32 = known - highest
    known[at] = -1.0
    lead[at] = highest - known.max(axis=0)
    return lead


def _overlap(bags: list[tuple[str, Counter[str], int]], text: str) -> Float64:
    """Return the shares (2, c) of the words in common with a text: of those of both, and of the own ones."""
    _, bag, size = _words(text)
    if not bag:
        return np.full((2, len(bags)), np.nan)
    common = [
        sum([min(words[word], bag[word]) for word in words.keys() & bag.keys()]) for _, words, _ in bags
    ]
    sizes = np.array([number for *_, number in bags])
    return np.array([2.0 * np.array(common) / (sizes + size), common / np.maximum(sizes, 1)])


@cache
def title_names() -> tuple[str, ...]:
    """Return the names of the features of a candidate."""
    page = parse("<title>a</title><h1>a</h1>")
    facts = PageFacts(page.dom, text_blocks(page))
    titles = candidates(facts, 0)
    names = names_of(_columns(page, facts, titles, np.zeros(len(facts.letters)), None, None))
    return (*names, *(f"lead {name}" for name in _LED))
