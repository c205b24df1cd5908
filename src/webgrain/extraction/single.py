"""SinglePage: title and main text of a page by itself, without knowledge of its site.

    page --features--> (b, f) --trees--> probability (b,) --rules, choice--> blocks --> Article

Sources: boosted trees (Friedman, Greedy function approximation: a gradient boosting machine, 2001), trained
on pages of all kinds by ``experiments/training/singlepage.py``; the choice of blocks by Ye, Chai, Lee, Chieu,
Optimizing F-measures: a tale of two approaches, ICML 2012, section 3 (the decision-theoretic approach).

| source    | here             | shape, unit                                                        |
|-----------|------------------|--------------------------------------------------------------------|
| p(y | x)  | ``probability``  | (b,) of being main content, per layout block                       |
| s         | `choose_blocks`  | the chosen blocks                                                  |
| F_1(s, y) | `expected_f1`    | the expected F1 of a choice, by letters instead of blocks          |

For letters w the blocks S have about the F1 ``2 sum_S w p / (sum_S w + sum w p)``, and the best S are the
blocks above some probability, half of that F1. Of a difficult page more text is returned, and every page with
text returns some.

Rules. The training pages contain few footers with a paragraph and few reviews below a product, so `LOWERED`
states for kinds of places what share of the probability is left there; the lowest share counts. Probabilities
are lowered, never set to zero: on a page without other text, this text is returned. Siblings, blocks at the
same path with the same classes, mostly belong together (the posts of a thread, the cards of a list), so their
probabilities are smoothed. A text that a page repeats, quoted or for another screen width, is returned once.

Title. The heading that agrees best with ``<title>`` and with the texts of known links to the page.

Verdict. A page is an index if much of its main text is in links, if the headings of its main text lead to
other pages, if it has a row of links and little prose besides, or if its markup
states it. A page whose markup states that it is an article, a thread or a product is not an index because of
its cards.

Hidden content. React sends parts of a page as hidden elements with ids such as ``S:1f``, which a script moves
to their places. Forums (Discourse, Flarum) write the content for readers without scripts into ``<noscript>``,
which a parser for readers with scripts treats as one text.

Departures: the expectation of the quotient is taken as the quotient of the expectations, which is close for
some hundred blocks; letters stand for words. Cost: array passes over nodes and blocks; about as long as
parsing takes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32
from webgrain.content import PERMALINKS, content
from webgrain.errors import InputError, ParameterError
from webgrain.estimator import Estimator
from webgrain.extraction.boosting import tree_sums
from webgrain.extraction.features import TITLE, PageFacts, feature_names, features
from webgrain.extraction.thresholds import (
    CARD_LETTERS,
    CARD_PROSE,
    CARDS,
    FORUM,
    INDEX_LINKED,
    LEAST_SMOOTHED,
    LINK_BLOCK,
    MOST_HEADINGS,
    MOST_LINKS,
    NOSCRIPT_FACTOR,
    NOSCRIPT_LENGTH,
    REPEATED_LENGTH,
    SIBLING_STEPS,
    SITE_NOISE,
    SMOOTHING,
    TEASERS,
    TITLE_AGREES,
    TITLE_LENGTH,
)
from webgrain.metrics import tokens
from webgrain.modelfile import read_model, write_model
from webgrain.page.dom import Dom, freeze
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page, parse_html
from webgrain.page.text import TextBlocks, text_blocks
from webgrain.parts import Part, moved
from webgrain.results import Article

FORMAT, VERSION = "webgrain main content", 1
_ARRAYS = {
    **dict.fromkeys(("root", "feature", "left", "right"), np.int32),
    **dict.fromkeys(("threshold", "value"), np.float64),
}
_DIALOG, _COMMENT = ("modal", "dialog element"), "comment"
_REVIEWS = ("review", "related", "cart", "form element")
LOWERED = {0.3: ("footer element", "nav element", "aside element", "share"), 0.5: _DIALOG}
"""Share of the probability that is left in elements that give these hints."""
LOWERED_ON_PRODUCTS = {0.3: (*_DIALOG, _COMMENT, *_REVIEWS)}
"""The same on the page of a product."""
LOWERED_IN_COMMENTS = 0.3
"""The same in comments, unless most of the expected main content are comments, as in a forum."""
_KEPT_REPEATED = frozenset(("pre", "code", "td", "th"))  # a line of code or a cell is never dropped
_LISTS = ('"ItemList"', '"CollectionPage"')
_TEXTS = ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"')
"""Types of schema.org, as in JSON-LD."""
_AROUND = (
    *("nav element", "footer element", "header element", "aside element", "dialog element"),
    *("navigation", "footer", "modal"),
)
"""Hints of what is around the content."""
_HEADINGS = ("h1", "h2", "h3")
_SEPARATOR = re.compile(r"\s+[-–—|·•:»«/]+\s+|\s*[|»«]\s*")
_STREAMED = re.compile(r"S:[0-9a-f]+")


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Decision trees whose sum is the log odds of main content; all arrays read-only.

    Attributes:
        names: of the features, in the order of the columns.
        bias: the sum without any tree.
        root: (t,) int32, the first node of each tree.
        feature: (n,) int32, the column that a node tests, -1 at a leaf.
        threshold: (n,) float64; a row with at most this value goes left.
        left, right: (n,) int32, the children, both after their parent.
        value: (n,) float64, what a leaf adds.
    """

    names: tuple[str, ...]
    bias: float
    root: Int32
    feature: Int32
    threshold: Float64
    left: Int32
    right: Int32
    value: Float64

    def __post_init__(self) -> None:
        freeze(self)

    def probability(self, x: Float64) -> Float64:
        """Return the probability (b,) of each row of features (b, f).

        >>> nodes = np.array([1, 1, 2], np.int32), np.array([2, 1, 2], np.int32)
        >>> tree = BoostedTrees(("a",), 0.0, np.zeros(1, np.int32), np.array([0, -1, -1], np.int32),
        ...                     np.zeros(3), *nodes, np.array([0.0, -3.0, 3.0]))
        >>> tree.probability(np.array([[-1.0], [1.0]])).round(2).tolist()
        [0.05, 0.95]
        """
        trees = (self.root, self.feature, self.threshold, self.left, self.right, self.value)
        odds: Float64 = self.bias + tree_sums(np.ascontiguousarray(x, np.float64), *trees)
        probability: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-500.0, 500.0)))
        return probability


def write_trees(path: Path, model: BoostedTrees, kind: str = FORMAT) -> None:
    """Write trees to a file of a kind; those that `read_trees` returns give the same probabilities."""
    head = {"bias": model.bias, "features": list(model.names)}
    write_model(path, kind, VERSION, head, {name: getattr(model, name) for name in _ARRAYS})


def read_trees(path: Path, names: tuple[str, ...], kind: str = FORMAT) -> BoostedTrees:
    """Return the trees in a file; `InputError` if it contains none, or trees of other features."""
    head, arrays = read_model(path, kind, VERSION)
    if head.get("features") != list(names):
        raise InputError(f"{path}: the {kind} is not made for the features of this version.")
    try:
        found = {name: np.ascontiguousarray(arrays[name], kind) for name, kind in _ARRAYS.items()}
        model = BoostedTrees(names=names, bias=float(head["bias"]), **found)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} contains a damaged {kind}: {error}.") from error
    n, node, inner = len(model.feature), np.arange(len(model.feature)), model.feature >= 0
    equal = {len(model.threshold), len(model.left), len(model.right), len(model.value)} == {n}
    if not (
        n
        and equal
        and model.feature.max() < len(model.names)
        and ((model.root >= 0) & (model.root < n)).all()
        and all(((child > node) & (child < n))[inner].all() for child in (model.left, model.right))
    ):
        raise InputError(f"{path} contains a damaged {kind}: its trees are not trees.")
    return model


@cache
def trained_trees() -> BoostedTrees:
    """Return the trees that come with webgrain, read once."""
    with as_file(files("webgrain.extraction") / "trained" / "single.model") as path:
        return read_trees(path, feature_names())


@dataclass(kw_only=True, eq=False, repr=False)
class SinglePage(Estimator):
    """Title and main text of a page by itself, without knowledge of its site.

    model: the trees that recognise main content; None: those that come with webgrain.

    >>> html = "<title>A</title><nav><a href=b>B</a></nav><h1>A</h1><p>" + "One sentence, then another. " * 9
    >>> SinglePage().predict(html).text[-12:]
    'hen another.'
    """

    model: BoostedTrees | None = None

    def predict(
        self, page: Page | Source | str | bytes | Path, noise: NDArray[np.floating] | None = None
    ) -> Article:
        """Return title, main text and verdict of a page; a page with visible text always has main text.

        noise: (n,) 0..1 for each node of the Dom, how likely its text is noise of the site; None: unknown.
        `ParameterError` for another length. The scores of the blocks are their probabilities, the confidence
        is the expected F1.
        """
        page = show_streamed(as_page(page))
        blocks = text_blocks(page)
        if inner := noscript_page(page, blocks):
            article = self.predict(inner[0])
            blocks_there = tuple(moved(block, inner[1]) for block in article.blocks)
            title = title_of_single_page(page.dom, blocks)[0]
            return replace(article, title=title or article.title, blocks=blocks_there)
        facts = PageFacts(page.dom, blocks)
        probability = block_probability(facts, self.model)
        if noise is not None:
            probability = probability * (1.0 - SITE_NOISE * block_noise(page.dom, blocks, noise))
        title, at = title_of_single_page(page.dom, blocks)
        chosen = choose_blocks(probability, blocks.weight)
        if len(chosen) > 1 and chosen[0] == at:
            chosen = chosen[1:]  # the title is not repeated in the text
        chosen = drop_repeats(page.dom, blocks, chosen)
        found = [*content(page, blocks, chosen, probability[chosen].round(4))]
        if title:
            node = int(blocks.element[blocks.holder[at]]) if at >= 0 else 0
            found.insert(0, Part("title", node, (title,)))
        confidence = round(expected_f1(probability, blocks.weight, chosen), 4)
        return Article(find_verdict(facts, chosen), title, tuple(found), confidence=confidence)

    def _state(self) -> dict[str, Any]:
        return {}  # nothing is learnt from pages

    def _restore(self, state: Mapping[str, Any]) -> None:
        pass


def main_probability(page: Page, blocks: TextBlocks, model: BoostedTrees | None = None) -> Float64:
    """Return the probability that each layout block is main content (b,), 0..1; 0 for the ``<title>``.

    model: the trees; None: those that come with webgrain.

    >>> page = as_page("<title>A</title><nav>B</nav><p>" + "One sentence, then another. " * 9)
    >>> (main_probability(page, text_blocks(page)) > 0.5).tolist()
    [False, False, True]
    """
    return block_probability(PageFacts(page.dom, blocks), model)


def block_probability(facts: PageFacts, model: BoostedTrees | None = None) -> Float64:
    """Return the result of `main_probability` from the facts about a page."""
    if not len(facts.letters):
        return np.zeros(0)
    probability = (model or trained_trees()).probability(features(facts))
    left = np.ones(len(probability))
    for share, hints in (*LOWERED.items(), *(LOWERED_ON_PRODUCTS.items() if facts.product else ())):
        left = np.where(facts.has_hint(*hints), np.minimum(left, share), left)
    expected, comment = facts.letters * probability, facts.has_hint(_COMMENT)
    if expected[comment].sum() <= FORUM * expected.sum():
        left = np.where(comment, np.minimum(left, LOWERED_IN_COMMENTS), left)
    probability = smooth(probability * left, facts.siblings(SIBLING_STEPS), facts.letters)
    probability[facts.kind == TITLE] = 0.0
    return probability


def smooth(probability: Float64, group: NDArray[np.intp], letters: Float64) -> Float64:
    """Return the probabilities (b,), each moved towards the mean of its group, weighted by letters.

    >>> smooth(np.array([0.9, 0.5, 0.1]), np.array([0, 0, 1]), np.array([60.0, 20.0, 9.0])).round(2).tolist()
    [0.85, 0.79, 0.1]
    """
    clipped = probability.clip(LEAST_SMOOTHED, 1.0 - LEAST_SMOOTHED)
    odds, weight = np.log(clipped / (1.0 - clipped)), letters.clip(1.0)
    mean = (np.bincount(group, weight * odds) / np.bincount(group, weight))[group]
    found: Float64 = 1.0 / (1.0 + np.exp(-(odds + SMOOTHING * (mean - odds))))
    return found


def block_noise(dom: Dom, blocks: TextBlocks, noise: NDArray[np.floating]) -> Float64:
    """Return the noise of each block (b,): the mean noise of its texts, weighted by length.

    noise: (n,) per node; `ParameterError` for another length.

    >>> page = as_page("<p>One<p>Two")
    >>> block_noise(page.dom, text_blocks(page), np.array([0, 0, 0, 0, 1, 0, 0.5])).tolist()
    [1.0, 0.5]
    """
    if np.shape(noise) != dom.tag.shape:
        raise ParameterError(f"Expected a noise for each of {len(dom.tag)} nodes, got {np.shape(noise)}.")
    length = np.diff(dom.text_start).astype(np.float64)
    noisy, total = (np.concatenate([[0.0], np.cumsum(x)]) for x in (length * noise, length))
    first, last = blocks.first, blocks.last + 1
    share: Float64 = (noisy[last] - noisy[first]) / np.maximum(total[last] - total[first], 1.0)
    return share.clip(0.0, 1.0)


def choose_blocks(probability: Float64, weight: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the blocks with the best expected F1, in order; weight: (b,) letters of each.

    The result is only empty if no probability is above 0.

    >>> choose_blocks(np.array([0.1, 0.9, 0.6]), np.array([5, 50, 10])).tolist()
    [1, 2]
    """
    order = np.argsort(-probability, kind="stable")
    letters = np.maximum(weight[order], 1).astype(np.float64)
    true = letters * probability[order]
    f1 = 2.0 * np.cumsum(true) / (np.cumsum(letters) + true.sum()).clip(1e-300)
    best = int(np.argmax(f1)) + 1 if f1.max(initial=0.0) > 0 else 0
    return np.sort(order[:best])


def expected_f1(probability: Float64, weight: NDArray[np.integer], chosen: NDArray[np.intp]) -> float:
    """Return the expected F1 of a choice of blocks; 0 if there is no main content.

    >>> expected_f1(np.array([1.0, 0.0]), np.array([9, 9]), np.array([0]))
    1.0
    """
    letters = np.maximum(weight, 1).astype(np.float64)
    true = letters * probability
    return float(2.0 * true[chosen].sum() / max(letters[chosen].sum() + true.sum(), 1e-300))


def find_title(
    dom: Dom,
    blocks: TextBlocks,
    anchors: Mapping[str, int] | None = None,
    noise: NDArray[np.floating] | None = None,
    known: str = "",
) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 if only ``<title>`` contains it.

    anchors: texts of links to the page, with their numbers. noise: (b,) of the blocks, 0..1; the more noise a
    heading is the less it counts. known: the title by other evidence, used if no heading agrees.

    >>> page = as_page("<title>Site</title><h2>News</h2><h2>The boat</h2><p>Text.")
    >>> find_title(page.dom, text_blocks(page), {"The boat": 3, "Read more": 1})
    ('The boat', 2)
    """
    names, title = tags_and_title(dom, blocks)
    anchors = anchors or {}
    links = sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_LINKS]
    total = max(sum(anchors.values()), 1)
    evidence = [(1.0, title), *((anchors[text] / total, text) for text in links)]
    bags = [(share, Counter(tokens(text))) for share, text in evidence]
    short = [k for k, name in enumerate(names) if name in _HEADINGS and len(blocks.texts[k]) <= TITLE_LENGTH]
    headings, scored = short[:MOST_HEADINGS], list[tuple[float, bool, int]]()
    for k in headings:
        own, whole, words = blocks.texts[k].casefold(), title.casefold(), Counter(tokens(blocks.texts[k]))
        similar = [2.0 * (words & bag).total() / max((words + bag).total(), 1) for _, bag in bags]
        if own and (whole.startswith(own) or whole.endswith(own)):
            similar[0] = 1.0
        agrees = sum(share * s for (share, _), s in zip(bags, similar, strict=True) if s >= TITLE_AGREES)
        worth = 1.0 if noise is None else 1.0 - float(noise[k])
        scored.append((agrees * worth, names[k] == "h1", -k))
    if scored and (best := max(scored))[0] > 0:
        return blocks.texts[-best[2]].rstrip(PERMALINKS), -best[2]
    if known or title:
        return known or title, -1
    if headings:
        return blocks.texts[headings[0]].rstrip(PERMALINKS), headings[0]
    return links[0] if links else "", -1


def tags_and_title(dom: Dom, blocks: TextBlocks) -> tuple[list[str], str]:
    """Return the tag of the element that holds each block, and the text of ``<title>``, empty for none."""
    names = [dom.tags[tag] for tag in dom.tag[blocks.element[blocks.holder]].tolist()]
    return names, (blocks.texts[names.index("title")] if "title" in names else "")[:TITLE_LENGTH]


def title_of_single_page(dom: Dom, blocks: TextBlocks) -> tuple[str, int]:
    """Return the title of a page of an unknown site, empty for none, and its block; -1 for only ``<title>``.

    A heading that agrees with ``<title>`` is the title, unless it is the last part of ``<title>``: the name
    of the site. Otherwise the title is the only ``<h1>``, or the first part of ``<title>``.

    >>> page = as_page("<title>The boat - News - The Times</title><h2>Latest</h2><p>Text.")
    >>> title_of_single_page(page.dom, text_blocks(page))
    ('The boat', -1)
    """
    title, at = find_title(dom, blocks)
    names, whole = tags_and_title(dom, blocks)
    if at >= 0 and title == without_site(whole, first=False) != without_site(whole):
        return without_site(whole), -1
    if at >= 0 or not title:
        return title, at
    tops = [k for k, name in enumerate(names) if name == "h1" and len(blocks.texts[k]) <= TITLE_LENGTH]
    if len(tops) == 1:
        return blocks.texts[tops[0]], tops[0]
    return without_site(title), -1


def without_site(title: str, first: bool = True) -> str:
    """Return the first part of a ``<title>``, or the longest if that is one word; first=False: the last part.

    >>> without_site("The boat came back | News | The Times"), without_site("Times | The boat")
    ('The boat came back', 'The boat')
    """
    found = [part for part in _SEPARATOR.split(title) if part.strip()]
    if not found:
        return title
    if not first:
        return found[-1]
    return found[0] if len(found[0].split()) > 1 else max(found, key=len)


def drop_repeats(dom: Dom, blocks: TextBlocks, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the chosen blocks without long texts that repeat an earlier one in another place.

    Code, cells of tables, and texts that an author repeats in the same place are kept.

    >>> text = "<p>The lamp is lit at dusk, and nobody knows who pays."
    >>> page = as_page(f"{text}<blockquote>{text}</blockquote><p>I do.<p>I do.")
    >>> drop_repeats(page.dom, text_blocks(page), np.arange(4)).tolist()
    [0, 2, 3]
    """
    holders = blocks.element[blocks.holder].tolist()
    place, kept = dict[str, int](), list[int]()
    for k in chosen.tolist():
        text, holder = blocks.texts[k], holders[k]
        around, tag = int(dom.parent[holder]), dom.tags[dom.tag[holder]]
        if len(text) < REPEATED_LENGTH or tag in _KEPT_REPEATED or place.setdefault(text, around) == around:
            kept.append(k)
    return np.array(kept, np.intp)


def find_verdict(facts: PageFacts, chosen: NDArray[np.intp]) -> str:
    """Return ``article`` or ``index``, or ``unknown`` if the chosen blocks have no text.

    >>> page = as_page("<h1>Lamps</h1>" + "<p><a href=a>A lamp of brass</a><p>$9, in stock" * 5)
    >>> find_verdict(PageFacts(page.dom, text_blocks(page)), np.array([0]))
    'index'
    """
    letters = facts.letters[chosen].sum()
    if not letters:
        return "unknown"
    if 1.0 - facts.plain[chosen].sum() / letters > INDEX_LINKED or _has_teasers(facts, chosen):
        return "index"
    text = facts.dom.text
    if facts.product or any(kind in text for kind in _TEXTS):
        return "article"
    return "index" if any(kind in text for kind in _LISTS) or _has_cards(facts) else "article"


def _has_teasers(facts: PageFacts, chosen: NDArray[np.intp]) -> bool:
    """Whether most headings of the main text link to other pages."""
    dom, targets = facts.dom, set[str]()
    headings = facts.heading[np.isin(facts.heading, chosen)]
    linked = headings[facts.linked[headings] > LINK_BLOCK].tolist()
    if len(linked) < TEASERS:
        return False
    for k in linked:  # the first link in or around each heading
        first = int(facts.blocks.first[k])
        nodes = (*range(first, int(facts.blocks.last[k]) + 1), *dom.ancestors(first))
        link = next((node for node in nodes if dom.tags[dom.tag[node]] == "a"), None)
        targets.add("" if link is None else (dom.get(link, "href") or "").partition("#")[0])
    most = len(targets - {""})
    return most >= TEASERS and 2 * most > len(headings)


def _has_cards(facts: PageFacts) -> bool:
    """Whether a page has a row of links and little prose besides."""
    content = ~facts.has_hint(*_AROUND)
    group, own = facts.siblings(SIBLING_STEPS), content & (facts.linked > LINK_BLOCK)
    cards, letters = np.bincount(group[own]), np.bincount(group[own], facts.letters[own])
    most = cards[letters >= CARD_LETTERS * cards].max(initial=0)
    return bool(most >= CARDS and facts.prose[content].sum() < CARD_PROSE * most)


def show_streamed(page: Page) -> Page:
    """Return a page in which the hidden parts that React sent are visible; the nodes are the same.

    >>> page = as_page("<div hidden id=S:0><p>Text</div>")
    >>> text_blocks(page).texts, text_blocks(show_streamed(page)).texts
    ((), ('Text',))
    """
    dom = page.dom
    if "hidden" not in dom.names or "id" not in dom.names:
        return page
    hidden = np.flatnonzero(dom.attr_name == dom.names.index("hidden"))
    owners = np.searchsorted(dom.attr_start, hidden, side="right") - 1
    streamed = [_STREAMED.fullmatch(dom.get(node, "id") or "") is not None for node in owners.tolist()]
    if not any(streamed):
        return page
    # Under another name the attribute hides nothing.
    attr_name = dom.attr_name.copy()
    attr_name[hidden[np.array(streamed)]] = len(dom.names)
    return replace(page, dom=replace(dom, names=(*dom.names, "data-hidden"), attr_name=attr_name))


def noscript_page(page: Page, blocks: TextBlocks) -> tuple[Page, int] | None:
    """Return the page in the longest ``<noscript>`` and its node, if it has much more text than the page.

    blocks: those of the page.

    >>> page = as_page("<p>Wait.<noscript>" + "<p>All the text is here." * 50 + "</noscript>")
    >>> inner, node = noscript_page(page, text_blocks(page))
    >>> page.dom.name(node), len(text_blocks(inner))
    ('noscript', 50)
    """
    dom = page.dom
    if "noscript" not in dom.tags:
        return None
    nodes = np.flatnonzero(dom.tag == dom.tags.index("noscript"))
    size = dom.text_start[dom.end[nodes]] - dom.text_start[nodes]
    if size.max(initial=0) < NOSCRIPT_LENGTH:
        return None
    node = int(nodes[size.argmax()])
    inner = replace(page, dom=parse_html(dom.text_of(node)), view=None, source=None)
    more = text_blocks(inner).weight.sum() > NOSCRIPT_FACTOR * blocks.weight.sum()
    return (inner, node) if more else None
