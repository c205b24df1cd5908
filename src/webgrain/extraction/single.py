"""What a page shows once its scripts have run, where it carries that along and no script runs here.

Two habits of pages are known. React sends parts of a page as hidden elements with ids like ``S:1f``, which a
script moves to their places. Forums (Discourse, Flarum) write for readers without scripts into ``<noscript>``
what scripts would show; a parser for readers with scripts takes that as one text.

What a page by itself is for: something to read, an ``article``, or other pages to go to, an ``index``.

A page is an index where much of its main text is in links; where the headings of that lead to other pages, as
those of teasers do; where it has a row of links and hardly any prose beside them - cards of products are told
by few words -; or where it says so to search engines. One that says that it is an article, a thread or a
product is none for its cards: others are recommended below it.

SinglePage: title and main text of a page of which nothing is known but the page itself.

    page --singlefeatures--> (b, f) --trees--> probability (b,) --priors, choice--> blocks --> Article

Sources: boosted trees (Friedman, Greedy function approximation: a gradient boosting machine, 2001),
learnt from pages of all kinds by ``experiments/training/singlepage.py``; the choice of blocks by Ye, Chai,
Lee, Chieu, Optimizing F-measures: a tale of two approaches, ICML 2012, section 3 (the decision-theoretic
approach).

| source    | here          | shape, unit                                                  |
|-----------|---------------|--------------------------------------------------------------|
| p(y | x)  | `probability` | (b,) of being main content, per layout block                 |
| s         | `chosen`      | blocks that are told to be main content                      |
| F_1(s, y) | `promise`     | the F1 that a choice may expect, of letters instead of blocks |

For letters w the blocks S have about the F1 ``2 sum_S w p / (sum_S w + sum w p)``, and the best S are the
blocks above some probability, half of that F1: a page that is hard to tell gives more of its text, and no
page with text gives none.

Departures: the expectation of the quotient is taken as the quotient of the expectations, which for some
hundred blocks is close; letters stand for words. What few labelled pages cannot teach is told by rules
(`webgrain.extraction.features`).
Cost: array passes over nodes and blocks; about as long as parsing takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64
from webgrain.articleparts import parts
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator
from webgrain.extraction.boosted import Boosted, trained
from webgrain.extraction.features import (
    NUMBER,
    TITLE,
    Facts,
    evened,
    feature_names,
    lowered,
    said_once,
    table,
)
from webgrain.extraction.titles import single_title
from webgrain.page.blocks import LayoutBlocks, layout_blocks
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.parsing import parse_html
from webgrain.results import MAIN_KINDS, Article, ArticleBlock

_STREAMED = re.compile(r"S:[0-9a-f]+")
_LEAST = 1000
"""Characters that a ``<noscript>`` must have to be looked at."""
_MORE = 2
"""How many times as much as the page it must say to stand for it."""


def with_streamed(page: Page) -> Page:
    """Return a page in which what React has sent hidden is shown; the same nodes.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div hidden id=S:0><p>Text</div>"))
    >>> layout_blocks(page).texts, layout_blocks(with_streamed(page)).texts
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
    names = (*dom.names, "data-hidden")
    named = dom.attr_name.copy()
    named[hidden[np.array(streamed)]] = len(dom.names)
    return replace(page, dom=replace(dom, names=names, attr_name=named))


def written_for_no_script(page: Page, blocks: LayoutBlocks) -> tuple[Page, int] | None:
    """Return the page in a ``<noscript>`` and the node of that, if it says much more than the page.

    blocks: those of the page.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<p>Wait.<noscript>" + b"<p>All that was said here." * 50 + b"</noscript>"))
    >>> inner, node = written_for_no_script(page, layout_blocks(page))
    >>> page.dom.name(node), len(layout_blocks(inner))
    ('noscript', 50)
    """
    node = _longest(page.dom)
    if node < 0:
        return None
    inner = replace(page, dom=parse_html(page.dom.text_of(node)), view=None, source=None)
    if layout_blocks(inner).weight.sum() <= _MORE * blocks.weight.sum():
        return None
    return inner, node


def _longest(dom: Dom) -> int:
    """Return the longest ``<noscript>`` that is looked at, -1 for none."""
    if "noscript" not in dom.tags:
        return -1
    nodes = np.flatnonzero(dom.tag == dom.tags.index("noscript"))
    size = dom.text_start[dom.end[nodes]] - dom.text_start[nodes]
    return int(nodes[size.argmax()]) if size.max() >= _LEAST else -1


LINKED = 0.25
"""Share of the letters of the main text that are in links from which on a page leads to others."""
CARDS, PROSE = 4, 60
"""Links in a row from which on a page may lead to others, and letters of prose for each, at most."""
_LABEL = 12
"""Letters that the links of a row have in the mean, at least: others are tags and pages of a list."""
TEASERS = 3
"""Headings that lead to other pages, from which on an index is made of them if most of its headings do."""
_MOSTLY = 0.5  # share of a block in links from which on it is one
_LISTS = ('"ItemList"', '"CollectionPage"')
_TEXTS = ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"')
"""Types of schema.org, as JSON-LD names them."""
_FRAME = (
    *("nav element", "footer element", "header element", "aside element", "dialog element"),
    *("navigation", "footer", "modal"),
)
"""Hints of what is around the content."""


def verdict_of(facts: Facts, chosen: NDArray[np.intp], steps: int) -> str:
    """Return ``article`` or ``index``, and ``unknown`` where the chosen blocks say nothing.

    steps: elements of the path that the links of a row share.

    >>> from webgrain.extraction.features import Facts
    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parsing import parse_html
    >>> page = Page("a", parse_html("<h1>Lamps</h1>" + "<p><a href=a>A lamp of brass</a><p>$9, in stock" * 5))
    >>> verdict_of(Facts(page.dom, layout_blocks(page)), np.array([0]), 4)
    'index'
    """
    letters = facts.letters[chosen].sum()
    if not letters:
        return "unknown"
    if 1.0 - facts.plain[chosen].sum() / letters > LINKED or _of_teasers(facts, chosen):
        return "index"
    text = facts.dom.text
    if facts.product or any(kind in text for kind in _TEXTS):
        return "article"
    return "index" if any(kind in text for kind in _LISTS) or _in_cards(facts, steps) else "article"


def _of_teasers(facts: Facts, chosen: NDArray[np.intp]) -> bool:
    """Whether most headings of the main text lead to other pages."""
    headings = facts.heading[np.isin(facts.heading, chosen)]
    linked = headings[facts.linked[headings] > _MOSTLY].tolist()
    if len(linked) < TEASERS:
        return False
    targets = {_target(facts.dom, int(facts.blocks.first[k]), int(facts.blocks.last[k])) for k in linked}
    most = len(targets - {""})
    return most >= TEASERS and 2 * most > len(headings)


def _target(dom: Dom, first: int, last: int) -> str:
    """Return the page that the first link in or around some nodes leads to; empty for a place on this one."""
    nodes = (*range(first, last + 1), *dom.ancestors(first))
    link = next((node for node in nodes if dom.tags[dom.tag[node]] == "a"), None)
    return "" if link is None else (dom.get(link, "href") or "").partition("#")[0]


def _in_cards(facts: Facts, steps: int) -> bool:
    """Whether a page has a row of links, and little prose beside them."""
    content = ~np.any(facts.hint[:, [NUMBER[hint] for hint in _FRAME]] > 0, axis=1)
    group, own = facts.alike(steps), content & (facts.linked > _MOSTLY)
    cards, said = np.bincount(group[own]), np.bincount(group[own], facts.letters[own])
    most = cards[said >= _LABEL * cards].max(initial=0)
    return bool(most >= CARDS and facts.prose[content].sum() < PROSE * most)


NOISE = 0.98
"""How far noise of the site lowers a probability: never to nothing, there may be no other text."""
ALIKE = 4
"""Elements of the path that blocks must share to be told alike."""


@dataclass(kw_only=True, eq=False)
class SinglePage(Estimator):
    """Title and main text of a page by itself, without a layout and without knowledge of its site.

    model: the trees that tell main content; None: those that come with webgrain.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<title>A</title><nav><a href=b>B</a></nav><h1>A</h1><p>" + "One sentence, then another. " * 9
    >>> SinglePage().predict(parse(Source("a", html.encode()))).text[-12:]
    'hen another.'
    """

    model: Boosted | None = None

    def predict(self, page: Page, noise: NDArray[np.floating] | None = None) -> Article:
        """Return what a page says; never without text where text can be seen.

        noise: (n,) 0..1 for each node of the Dom, how likely its text is noise of the site; None: not known.
        `ParameterError` for another length. The scores of the blocks are their probabilities, the confidence
        is the F1 that they promise.
        """
        page = with_streamed(page)
        blocks = layout_blocks(page)
        if inner := written_for_no_script(page, blocks):
            article = self.predict(inner[0])
            moved = tuple(replace(block, node=inner[1]) for block in article.blocks)
            title = single_title(page.dom, blocks)[0]
            return replace(article, title=title or article.title, blocks=moved)
        facts = Facts(page.dom, blocks)
        probability = _probability(facts, self.model)
        if noise is not None:
            probability = probability * (1.0 - NOISE * block_noise(page.dom, blocks, noise))
        return _article(facts, probability)


def main_probability(page: Page, blocks: LayoutBlocks, model: Boosted | None = None) -> Float64:
    """Return how probable it is that each layout block is main content (b,), 0..1; 0 for the ``<title>``.

    model: the trees; None: those that come with webgrain.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<title>A</title><nav>B</nav><p>" + b"One sentence, then another. " * 9))
    >>> (main_probability(page, layout_blocks(page)) > 0.5).tolist()
    [False, False, True]
    """
    return _probability(Facts(page.dom, blocks), model)


def _probability(facts: Facts, model: Boosted | None) -> Float64:
    if not len(facts.blocks):
        return np.zeros(0)
    model, x = model or trained(feature_names()), table(facts)
    probability = lowered(model.probability(x), x, model.names, facts.letters, facts.product)
    probability = evened(probability, facts.alike(ALIKE), facts.letters)
    probability[facts.kind == TITLE] = 0.0
    return probability


def block_noise(dom: Dom, blocks: LayoutBlocks, noise: NDArray[np.floating]) -> Float64:
    """Return the noise of each block (b,): that of its texts, each as heavy as it is long.

    noise: (n,) per node; `ParameterError` for another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> block_noise(page.dom, layout_blocks(page), np.array([0, 0, 0, 0, 1, 0, 0.5])).tolist()
    [1.0, 0.5]
    """
    if np.shape(noise) != (len(dom),):
        raise ParameterError(f"Expected a noise for each of {len(dom)} nodes, got {np.shape(noise)}.")
    length = np.diff(dom.text_start).astype(np.float64)
    loud = np.concatenate([[0.0], np.cumsum(length * noise)])
    said = np.concatenate([[0.0], np.cumsum(length)])
    first, last = blocks.first, blocks.last + 1
    share: Float64 = (loud[last] - loud[first]) / np.maximum(said[last] - said[first], 1.0)
    return share.clip(0.0, 1.0)


def chosen_blocks(probability: Float64, weight: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the blocks that promise the best F1, in order; weight: (b,) how much each one says.

    None only where no probability is above 0.

    >>> chosen_blocks(np.array([0.1, 0.9, 0.6]), np.array([5, 50, 10])).tolist()
    [1, 2]
    """
    order = np.argsort(-probability, kind="stable")
    said = np.maximum(weight[order], 1).astype(np.float64)
    true = said * probability[order]
    promise = 2.0 * np.cumsum(true) / (np.cumsum(said) + true.sum()).clip(1e-300)
    best = int(np.argmax(promise)) + 1 if promise.max(initial=0.0) > 0 else 0
    return np.sort(order[:best])


def promised(probability: Float64, weight: NDArray[np.integer], chosen: NDArray[np.intp]) -> float:
    """Return the F1 that a choice of blocks may expect; 0 where nothing is to be found.

    >>> promised(np.array([1.0, 0.0]), np.array([9, 9]), np.array([0]))
    1.0
    """
    said = np.maximum(weight, 1).astype(np.float64)
    true = said * probability
    return float(2.0 * true[chosen].sum() / max(said[chosen].sum() + true.sum(), 1e-300))


def main_parts(
    dom: Dom, blocks: LayoutBlocks, chosen: NDArray[np.intp], probability: Float64
) -> list[ArticleBlock]:
    """Return the parts of the main text; their scores are the probabilities (b,) of their blocks.

    Where there is nothing but code it is the text.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<pre>x = 1</pre>"))
    >>> found = main_parts(page.dom, layout_blocks(page), np.arange(1), np.ones(1))
    >>> [(part.kind, part.text) for part in found]
    [('paragraph', 'x = 1')]
    """
    scores = probability[chosen].round(4).tolist()
    found = list(parts(dom, blocks, chosen.tolist(), _container(dom, blocks, chosen), scores))
    if any(part.kind in MAIN_KINDS for part in found):
        return found
    return [replace(part, kind="paragraph") for part in found]


def _article(facts: Facts, probability: Float64) -> Article:
    dom, blocks = facts.dom, facts.blocks
    title, at = single_title(dom, blocks)
    chosen = chosen_blocks(probability, blocks.weight)
    if len(chosen) > 1 and chosen[0] == at:
        chosen = chosen[1:]  # the title is said as such, once
    chosen = said_once(dom, blocks, chosen)
    found = main_parts(dom, blocks, chosen, probability)
    if title:
        node = int(blocks.element[blocks.holder[at]]) if at >= 0 else 0
        found.insert(0, ArticleBlock("title", title, node))
    confidence = round(promised(probability, blocks.weight, chosen), 4)
    return Article(verdict_of(facts, chosen, ALIKE), title, tuple(found), confidence=confidence)


def _container(dom: Dom, blocks: LayoutBlocks, chosen: NDArray[np.intp]) -> int:
    """Return the innermost element that holds all chosen blocks."""
    if not len(chosen):
        return 0
    last = int(blocks.last[chosen[-1]])
    node = int(blocks.element[blocks.holder[chosen[0]]])
    while node > 0 and dom.end[node] <= last:
        node = int(dom.parent[node])
    return node
