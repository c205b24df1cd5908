"""SinglePage: title and main text of a page of which nothing is known but the page itself.

    page --singlefeatures--> (b, f) --trees--> probability (b,) --priors, choice--> blocks --> Article

Sources: boosted trees (Friedman, Greedy function approximation: a gradient boosting machine, 2001), learnt
from pages of all kinds by `webgrain.train.singlepage`; the choice of blocks by Ye, Chai, Lee, Chieu,
Optimizing F-measures: a tale of two approaches, ICML 2012, section 3 (the decision-theoretic approach).

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
(`webgrain.extract.priors`).
Cost: array passes over nodes and blocks; about as long as parsing takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from webgrain.articleblocks import parts
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator
from webgrain.extract.alike import evened, said_once
from webgrain.extract.boosted import trained
from webgrain.extract.pagetitle import single_title
from webgrain.extract.priors import lowered
from webgrain.extract.singlefeatures import TITLE, Facts, feature_names, table
from webgrain.extract.unscripted import with_streamed, written_for_no_script
from webgrain.extract.verdict import verdict_of
from webgrain.page.blocks import layout_blocks
from webgrain.results import MAIN_KINDS, Article, ArticleBlock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.extract.boosted import Boosted
    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]

NOISE = 0.98
"""How far noise of the site lowers a probability: never to nothing, there may be no other text."""
ALIKE = 4
"""Elements of the path that blocks must share to be told alike."""


@dataclass(kw_only=True, eq=False)
class SinglePage(Estimator):
    """Title and main text of a page by itself, without a layout and without knowledge of its site.

    model: the trees that tell main content; None: those that come with webgrain.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
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


def main_probability(page: Page, blocks: LayoutBlocks, model: Boosted | None = None) -> Floats:
    """Return how probable it is that each layout block is main content (b,), 0..1; 0 for the ``<title>``.

    model: the trees; None: those that come with webgrain.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> page = parse(Source("a", b"<title>A</title><nav>B</nav><p>" + b"One sentence, then another. " * 9))
    >>> (main_probability(page, layout_blocks(page)) > 0.5).tolist()
    [False, False, True]
    """
    return _probability(Facts(page.dom, blocks), model)


def _probability(facts: Facts, model: Boosted | None) -> Floats:
    if not len(facts.blocks):
        return np.zeros(0)
    model, x = model or trained(feature_names()), table(facts)
    probability = lowered(model.probability(x), x, model.names, facts.letters, facts.product)
    probability = evened(probability, facts.alike(ALIKE), facts.letters)
    probability[facts.kind == TITLE] = 0.0
    return probability


def block_noise(dom: Dom, blocks: LayoutBlocks, noise: NDArray[np.floating]) -> Floats:
    """Return the noise of each block (b,): that of its texts, each as heavy as it is long.

    noise: (n,) per node; `ParameterError` for another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
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
    share: Floats = (loud[last] - loud[first]) / np.maximum(said[last] - said[first], 1.0)
    return share.clip(0.0, 1.0)


def chosen_blocks(probability: Floats, weight: NDArray[np.integer]) -> NDArray[np.intp]:
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


def promised(probability: Floats, weight: NDArray[np.integer], chosen: NDArray[np.intp]) -> float:
    """Return the F1 that a choice of blocks may expect; 0 where nothing is to be found.

    >>> promised(np.array([1.0, 0.0]), np.array([9, 9]), np.array([0]))
    1.0
    """
    said = np.maximum(weight, 1).astype(np.float64)
    true = said * probability
    return float(2.0 * true[chosen].sum() / max(said[chosen].sum() + true.sum(), 1e-300))


def main_parts(
    dom: Dom, blocks: LayoutBlocks, chosen: NDArray[np.intp], probability: Floats
) -> list[ArticleBlock]:
    """Return the parts of the main text; their scores are the probabilities (b,) of their blocks.

    Where there is nothing but code it is the text.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
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


def _article(facts: Facts, probability: Floats) -> Article:
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
