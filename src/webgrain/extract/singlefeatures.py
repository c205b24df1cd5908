"""What is known of a block of a page for telling whether it is main content: numbers from the markup alone.

Columns, by their names:

    own        letters, words, share of links, marks, digits, capitals, function words, repeats, tags
    hint ...   1.5 + log10(s + 0.03), s the share of the page's letters in the nearest element around that
               gives the hint; 0 where none does. Elements around nearly the whole page say nothing.
    up k ...   the k-th container around the block; down k ... that of the k-th level from the top: letters,
               share of the page outside links, share of links, letters of a block, marks per word, prose
    beside     the blocks before and behind
    alike ...  the blocks at the same path: names and classes of six elements
    heading    where the block stands to the heading that is most like the title, and to the last heading
    page ...   the same for all blocks of a page

Letters outside links are called plain; prose are blocks of many of them, with few links.

Cost: array passes over the nodes and blocks, one dictionary look-up per class, id and text.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from webgrain.extract.alike import standing_alike
from webgrain.extract.markup import HINTS, NUMBER, hits
from webgrain.extract.priors import is_product
from webgrain.extract.spans import spans_of
from webgrain.extract.wording import wording
from webgrain.kernels.boosting import paint
from webgrain.page.blocks import layout_blocks
from webgrain.page.page import Page
from webgrain.page.parse import parse_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Named = Iterator[tuple[str, Floats]]

_TAGS = (
    ("p",), ("h1",), ("h2",), ("h3", "h4", "h5", "h6"), ("li",), ("td", "th"), ("div",), ("dd", "dt"),
    ("pre", "code"), ("figcaption", "caption"), ("blockquote",), ("a",), ("span",),
    ("button", "label", "option", "summary"), ("section", "article", "main", "body"),
    ("address", "footer", "header", "nav", "aside"), ("title",),
)  # fmt: skip
_KIND = {tag: kind for kind, tags in enumerate(_TAGS, 1) for tag in tags}
_OTHER, _H1, TITLE = _KIND["div"], _KIND["h1"], _KIND["title"]

_WHOLE = 0.97
"""Share of a page's letters from which on an element is around all of it."""
_UP, _DOWN = (0, 1, 3), (0, 1, 3)
_COUNTED = ("p", "li", "article", "td", "pre", "img", "form", "section")
_STEPS = 6  # elements of a path
_FAR = 100  # blocks further away are this far


class Facts:
    """What several features of one page are made from.

    letters, plain, prose: (b,); kind: (b,) of the tag that holds a block; hint: (b, h); heading: the blocks
    in headings; first: the heading that is most like the title, -1 for none.
    """

    def __init__(self, dom: Dom, blocks: LayoutBlocks) -> None:
        self.dom, self.blocks = dom, blocks
        self._alike: dict[int, Ints] = {}
        self.spans = spans_of(dom, blocks)
        self.letters, self.plain = blocks.weight.astype(np.float64), blocks.weight_noanchor.astype(np.float64)
        kinds = np.array([_KIND.get(tag, _OTHER) for tag in dom.tags])[dom.tag]
        self.kind = kinds[self.spans.holder]
        titles = np.flatnonzero(self.kind == TITLE)
        self.wording = wording(blocks.texts, blocks.texts[titles[0]] if len(titles) else "")
        self.linked = 1.0 - self.plain / self.letters.clip(1.0)
        running = (self.plain >= 60) & (self.linked < 0.4) & (self.wording.function_words > 0.2)
        self.prose = np.where(running | ((self.plain >= 150) & (self.linked < 0.3)), self.plain, 0.0)
        self.total, self.all_plain = self.letters.sum().clip(1.0), self.plain.sum().clip(1.0)
        self._find_hints()
        self._find_headings(np.flatnonzero(kinds == _H1))

    def _find_hints(self) -> None:
        spans, found = self.spans, hits(self.dom, self.spans.last > self.spans.first)
        share = spans.sums(self.letters, found.node) / self.total
        part = share < _WHOLE
        node, hint, value = found.node[part], found.hint[part], 1.5 + np.log10(share[part] + 0.03)
        self.looks = found.looks
        self.hint = paint(spans.first[node], spans.last[node], hint, value, len(self.blocks), len(HINTS))

    def _find_headings(self, tops: Ints) -> None:
        self.heading = np.flatnonzero(self.hint[:, NUMBER["heading element"]] > 0)
        at = self.spans.first[tops][self.spans.last[tops] > self.spans.first[tops]]
        candidates = at if len(at) else self.heading
        likeness = self.wording.likeness[candidates] - 1e-3 * np.arange(len(candidates))
        self.first = int(candidates[likeness.argmax()]) if len(candidates) else -1

    def alike(self, steps: int) -> Ints:
        """Return the group of each block (b,): those at the same path of so many elements."""
        if steps not in self._alike:
            self._alike[steps] = standing_alike(self.dom, self.spans, self.looks, steps)
        return self._alike[steps]

    @cached_property
    def product(self) -> bool:
        """Whether the page says that it sells one thing."""
        return is_product(self.dom)


def features(dom: Dom, blocks: LayoutBlocks) -> Floats:
    """Return what is known of each block of a page, (b, f); f as `feature_names`.

    >>> page = Page("a", parse_html("<nav><a href=b>Other</a></nav><p>One sentence, and another."))
    >>> x = dict(zip(feature_names(), features(page.dom, layout_blocks(page)).T))
    >>> x["linked"].tolist(), x["points"].tolist()
    ([1.0, 0.0], [0.0, 0.25])
    """
    return table(Facts(dom, blocks)) if len(blocks) else np.zeros((0, len(feature_names())))


def table(facts: Facts) -> Floats:
    """Return the features (b, f) of a page with blocks."""
    x = np.empty((len(facts.blocks), len(feature_names())))
    for k, (_, column) in enumerate(_columns(facts)):  # one by one: a page may be large
        x[:, k] = column
    return x


def _columns(facts: Facts) -> Named:
    """Yield all features with their names."""
    yield from _own(facts)
    yield from ((f"hint {hint}", facts.hint[:, k]) for k, hint in enumerate(HINTS))
    for steps in _UP:
        yield from _container(facts, f"up {steps}", facts.spans.upward(steps))
    for level in _DOWN:
        yield from _container(facts, f"down {level + 1}", facts.spans.downward(level + 1))
    yield from _place(facts)
    yield from _beside(facts)
    yield from _alike(facts)
    yield from _headings(facts)
    yield from _page(facts)


def _own(facts: Facts) -> Named:
    told = facts.wording
    yield "letters", np.log1p(facts.letters)
    yield "plain", np.log1p(facts.plain)
    yield "linked", facts.linked
    yield "words", np.log1p(told.words)
    yield "letters of a word", told.characters / told.words
    yield "points", told.points / told.words
    yield "commas", told.commas / told.words
    yield "money", np.minimum(told.money, 3.0)
    for name in ("digits", "capitals", "marks", "function_words", "likeness"):
        yield name, getattr(told, name)
    yield "repeats", np.minimum(told.repeats, 20.0)
    yield "tag", facts.kind.astype(np.float64)


def _container(facts: Facts, name: str, node: Ints) -> Named:
    """Yield what is known of the container around each block."""
    spans = facts.spans
    letters, plain = spans.sums(facts.letters, node), spans.sums(facts.plain, node)
    marks = spans.sums(facts.wording.points + facts.wording.commas, node)
    yield f"{name} letters", np.log1p(letters)
    yield f"{name} share", plain / facts.all_plain
    yield f"{name} linked", 1.0 - plain / letters.clip(1.0)
    yield f"{name} mean", np.log1p(plain / (spans.last[node] - spans.first[node]).clip(1))
    yield f"{name} marks", marks / spans.sums(facts.wording.words, node).clip(1.0)
    yield f"{name} prose", spans.sums(facts.prose, node) / letters.clip(1.0)


def _place(facts: Facts) -> Named:
    b = len(facts.blocks)
    yield "place", np.arange(b) / b
    yield "letters before", (np.cumsum(facts.letters) - facts.letters) / facts.total
    yield "plain before", (np.cumsum(facts.plain) - facts.plain) / facts.all_plain
    yield "level", facts.spans.level[facts.spans.upward(0)].astype(np.float64)


def _beside(facts: Facts) -> Named:
    for name, x in (("plain", np.log1p(facts.plain)), ("linked", facts.linked), ("tag", facts.kind)):
        padded = np.concatenate([[-1.0], x, [-1.0]])
        yield f"{name} of the one before", padded[:-2]
        yield f"{name} of the next", padded[2:]


def _alike(facts: Facts) -> Named:
    """Yield what is known of all blocks that stand at the same path as a block."""
    group = facts.alike(_STEPS)
    size = np.bincount(group)
    letters, plain, prose = (np.bincount(group, x) for x in (facts.letters, facts.plain, facts.prose))
    at = np.arange(len(group)) / len(group)
    spread = np.bincount(group, at**2) / size - (np.bincount(group, at) / size) ** 2
    yield "alike blocks", np.log1p(size)[group]
    yield "alike mean", np.log1p(plain / size)[group]
    yield "alike linked", (1.0 - plain / letters.clip(1.0))[group]
    yield "alike share", (letters / facts.total)[group]
    yield "alike prose", (prose / letters.clip(1.0))[group]
    yield "alike spread", np.sqrt(spread.clip(0.0))[group]


def _headings(facts: Facts) -> Named:
    b, top = len(facts.blocks), facts.first
    at = np.arange(b)
    before = np.cumsum(facts.plain) - facts.plain
    share = np.full(b, -1.0)
    if top >= 0:
        around = [int(facts.spans.holder[top]), *facts.dom.ancestors(int(facts.spans.holder[top]))][::-1]
        shares = facts.spans.sums(facts.letters, np.array(around)) / facts.total
        for node, value in zip(around, shares.tolist(), strict=True):
            share[facts.spans.first[node] : facts.spans.last[node]] = value
    last = np.full(b, -1)
    last[facts.heading] = facts.heading
    last = np.maximum.accumulate(last)
    yield "behind the title", (at - top).clip(-_FAR, 2 * _FAR) if top >= 0 else np.full(b, -2.0 * _FAR)
    yield "plain behind the title", (before - before[top]) / facts.all_plain if top >= 0 else share
    yield "shared with the title", share
    yield "behind the heading", np.where(last >= 0, at - last, -1).clip(-1, _FAR // 2)
    yield "tag of the heading", np.where(last >= 0, facts.kind[last], -1)
    yield "plain behind the heading", np.where(last >= 0, before - before[last], 0.0) / facts.all_plain


def _page(facts: Facts) -> Named:
    b, dom = len(facts.blocks), facts.dom
    counts = dict(zip(dom.tags, np.bincount(dom.tag, minlength=len(dom.tags)).tolist(), strict=True))
    main, article = (facts.hint[:, NUMBER[f"{name} element"]] > 0 for name in ("main", "article"))
    told = {
        "letters": np.log1p(facts.total),
        "blocks": np.log1p(b),
        "linked": 1.0 - facts.all_plain / facts.total,
        "prose": facts.prose.sum() / facts.total,
        "mean": np.log1p(facts.all_plain / b),
        "money": np.log1p((facts.wording.money > 0).sum()),
        "headings": np.log1p(len(facts.heading)),
        "in main": facts.letters[main].sum() / facts.total,
        "in article": facts.letters[article].sum() / facts.total,
        **{f"<{tag}>": np.log1p(counts.get(tag, 0)) for tag in _COUNTED},
    }
    yield from ((f"page {name}", np.full(b, float(value))) for name, value in told.items())


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of the columns, as a page has them that says as good as nothing.

    >>> feature_names()[:3]
    ('letters', 'plain', 'linked')
    """
    page = Page("", parse_html("<p>a"))
    return tuple(name for name, _ in _columns(Facts(page.dom, layout_blocks(page))))
