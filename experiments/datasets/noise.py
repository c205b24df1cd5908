"""Which texts of a page come from the article it shows, and which are noise of its site.

The words of a page, in order, are laid beside those of the article's source (title, body, code); a text is of
the source where at least half of its words are. Texts in comments are neither, and so are texts of the source
that stand on most pages of the site, word for word: a notice that every article ends with.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webgrain.base.metrics import tokens
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.templates.sections import Sections

CODE = ("pre", "code")
COMMENTS = ("comments", "comment", "disqus_thread")
"""Ids and classes of comments begin so."""

REPEATED = 0.5
"""Share of the articles of a site above which a text of the source is one of the site."""


@dataclass(frozen=True, slots=True, eq=False)
class NoiseTruth:
    """The texts of a page.

    node (t,): in the Dom; words (t,): how many they are; noise (t,) bool: not of the source.
    """

    node: NDArray[np.int64]
    words: NDArray[np.int64]
    noise: NDArray[np.bool_]


class NoiseScore(NamedTuple):
    """Shares of what was called noise that is, and of the noise that was; of words and of sections.

    share: of the words of the page, those called noise.
    """

    precision: float
    recall: float
    section_precision: float
    section_recall: float
    share: float


def noise_truths(pages: Sequence[Page], sources: Sequence[Sequence[str]], code: bool) -> list[NoiseTruth]:
    """Return the truth of pages of one site.

    sources: title, body, and what else the source of each page holds; code: take all code on a page for text
    of the source, where the source lacks it.
    """
    found = [_truth(page, source, code) for page, source in zip(pages, sources, strict=True)]
    texts = [
        [_text(page, node) for node in one.node.tolist()] for page, one in zip(pages, found, strict=True)
    ]
    count = Counter(
        text
        for own, one in zip(texts, found, strict=True)
        for text in {text for text, noise in zip(own, one.noise, strict=True) if not noise}
    )
    kept = [
        np.array(
            [
                noise or count[text] <= REPEATED * len(pages)
                for text, noise in zip(own, one.noise, strict=True)
            ],
            bool,
        )
        for own, one in zip(texts, found, strict=True)
    ]
    return [NoiseTruth(one.node[k], one.words[k], one.noise[k]) for one, k in zip(found, kept, strict=True)]


def noise_score(truth: NoiseTruth, sections: Sections) -> NoiseScore:
    """Return how well noise was found on one page: word by word, and by sections of which most is noise."""
    called = sections.noise[truth.node] > 1.0 - _THRESHOLD
    own = sections.labels[truth.node]
    true = np.bincount(own, truth.words * truth.noise, len(sections))
    size = np.bincount(own, truth.words, len(sections))
    judged = size > 0
    really, noisy = (true > size / 2)[judged], sections.noisy[judged]
    return NoiseScore(
        *_shares(truth.words, called, truth.noise),
        *_shares(np.ones(len(really)), noisy, really),
        float(truth.words[called].sum() / max(truth.words.sum(), 1)),
    )


_THRESHOLD = 0.25


def _shares(weight: NDArray[Any], called: NDArray[np.bool_], true: NDArray[np.bool_]) -> tuple[float, float]:
    """Return precision and recall; 1 where there is nothing to be wrong about."""
    both = float(weight[called & true].sum())
    all_called, all_true = float(weight[called].sum()), float(weight[true].sum())
    return (both / all_called if all_called else 1.0), (both / all_true if all_true else 1.0)


def _truth(page: Page, source: Sequence[str], code: bool) -> NoiseTruth:
    dom, tree = page.dom, visible_tree(page)
    out = dom.ancestor_sum(_comments(page)) > 0
    nodes = [node for node in tree.node[tree.kind == TEXT_LEAF].tolist() if not out[node]]
    words = [tokens(_text(page, node)) for node in nodes]
    owner = [k for k, own in enumerate(words) for _ in own]
    flat = [word for own in words for word in own]
    hits: Counter[int] = Counter()
    matcher = SequenceMatcher(None, flat, [word for text in source for word in tokens(text)], autojunk=False)
    for block in matcher.get_matching_blocks():
        hits.update(owner[block.a : block.a + block.size])
    inside = dom.ancestor_sum(np.isin(dom.tag, [k for k, tag in enumerate(dom.tags) if tag in CODE])) > 0
    size = np.array([len(own) for own in words], np.int64)
    of_source = np.array([hits[k] for k in range(len(nodes))]) >= size / 2
    if code:
        of_source |= inside[nodes]
    kept = size > 0
    return NoiseTruth(np.array(nodes, np.int64)[kept], size[kept], ~of_source[kept])


def _comments(page: Page) -> NDArray[np.bool_]:
    dom = page.dom
    found = np.zeros(len(dom), bool)
    for name in ("id", "class"):
        for node, value in enumerate(dom.column(name)):
            found[node] |= any(part.lower().startswith(COMMENTS) for part in (value or "").split())
    return found


def _text(page: Page, node: int) -> str:
    return " ".join(page.dom.text_of(node).split())
