"""What the texts of blocks look like: marks, digits, capitals, function words, and repeated texts.

What the markup says of the parts of a page: tags, ARIA roles, words of classes and ids.

Only the words listed here are looked for; what a page says otherwise leaves no trace in a model.
Cost: one dictionary look-up per word of the distinct classes and ids; one pass over the hits.

The tree of a page over its blocks: which blocks an element holds, and the containers around a block.

Elements that hold the same blocks are one container. The level of a container is how many others it is in.

Blocks that stand alike, at the same path in elements of the same classes, and blocks that say the same.

What stands alike is mostly of one kind: the posts of a thread, the cards of a list, the paragraphs of a text.
So their probabilities are brought together. What a page says twice - quoted in an answer, or once for narrow
and once for wide screens - is said once.

What is known of main content beyond what few labelled pages teach: some places lower its probability.

The trees have seen few footers with a paragraph in them, few reviews below a product. Each rule says of a
kind of place how much of the probability is left there; where several hold, the strongest counts. What is
left is never nothing: on a page with nothing else it is the text.

What is known of a block of a page for telling whether it is main content: numbers from the markup alone.

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

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int8, Int64
from webgrain.extraction.boosting import paint
from webgrain.page.blocks import LayoutBlocks, layout_blocks
from webgrain.page.dom import Dom, freeze
from webgrain.page.page import Page
from webgrain.page.parsing import parse_html

Named = Iterator[tuple[str, Float64]]


POINT, COMMA, DIGIT, CAPITAL, MONEY, MARK, SPACE = range(1, 8)
_CLASSES = {POINT: ".!?;:。", COMMA: ",、，", MONEY: "$€£¥", MARK: "|»«>/•·→›"}
_CODES = 0x3000  # code points from here on are letters here

_COMMON = """
the of and to in a is that for it with as on you are this be your at have from or was by an not we can but
will they if our their which i has more when all one so what there about who my he his she been were had me do
"""
_FUNCTION_WORDS = frozenset(_COMMON.split())
"""The commonest words of English: a text with many of them is running text."""
_LOOKED_AT = 160  # characters of a text whose words are looked at


def _classes() -> Int8:
    table = np.zeros(_CODES, np.int8)
    for code in range(_CODES):
        character = chr(code)
        table[code] = (
            DIGIT * character.isdigit() or CAPITAL * character.isupper() or SPACE * character.isspace()
        )
    for number, characters in _CLASSES.items():
        for character in characters:
            if ord(character) < _CODES:
                table[ord(character)] = number
    return table


_CLASS = _classes()


class Wording(NamedTuple):
    """Numbers (b,) of each text.

    characters, words; points, commas, money: how many; digits, capitals: shares of the characters; marks:
    per word; function_words: share of the first words; repeats: blocks of the same text; likeness: to the
    title.
    """

    characters: Float64
    words: Float64
    points: Float64
    commas: Float64
    money: Float64
    digits: Float64
    capitals: Float64
    marks: Float64
    function_words: Float64
    repeats: Float64
    likeness: Float64


def wording(texts: Sequence[str], title: str) -> Wording:
    """Return what texts look like, white space collapsed, next to a title.

    >>> told = wording(["A cup of tea, please.", "TEA"], "Tea")
    >>> told.words.tolist(), told.commas.tolist(), told.likeness.tolist()
    ([5.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    """
    size = np.array([len(text) for text in texts], np.float64)
    counts = _counts(texts, size)
    words, length = counts[:, SPACE] + 1.0, size.clip(1.0)
    running, likeness = _first_words(texts, title)
    often = Counter(texts)
    return Wording(
        size,
        words,
        counts[:, POINT],
        counts[:, COMMA],
        counts[:, MONEY],
        counts[:, DIGIT] / length,
        counts[:, CAPITAL] / length,
        counts[:, MARK] / words,
        running,
        np.array([often[text] for text in texts], np.float64),
        likeness,
    )


def _first_words(texts: Sequence[str], title: str) -> tuple[Float64, Float64]:
    """Share of function words in the first words of each text (b,), and their likeness to a title."""
    of_title = set(title.lower().split())
    running, likeness = np.zeros((2, len(texts)))
    for i, text in enumerate(texts):
        own = text[:_LOOKED_AT].lower().split()
        running[i] = sum(map(_FUNCTION_WORDS.__contains__, own)) / max(len(own), 1)
        if of_title and not of_title.isdisjoint(own):
            likeness[i] = len(of_title.intersection(own)) / len(of_title.union(own))
    return running, likeness


def _counts(texts: Sequence[str], size: Float64) -> Float64:
    """(b, 8) how many characters of each class a text has."""
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    owner = np.repeat(np.arange(len(texts)), size.astype(np.int64) + 1)[: len(codes)]
    found = np.where(codes < _CODES, _CLASS.take(codes, mode="clip"), 0)
    found[np.cumsum(size[:-1] + 1).astype(np.int64) - 1] = 0  # the line ends between texts
    return np.bincount(owner * 8 + found, minlength=8 * len(texts)).reshape(-1, 8).astype(np.float64)


WORDS = {
    "navigation": "nav navbar navigation menu submenu menus topnav sidenav megamenu dropdown drawer",
    "header": "header head masthead topbar banner top hdr globalheader",
    "footer": "footer foot bottom colophon copyright subfooter globalfooter",
    "sidebar": "sidebar aside rightcol leftcol sidebars",
    "side": "side rail secondary complementary right left",
    "main": "main content maincontent primary body page contents container",
    "article": "article post entry story blog single hentry articlebody",
    "text": "text richtext rich copy prose markdown rte wysiwyg paragraph txt bodytext md",
    "summary": "summary excerpt description desc intro lead lede standfirst dek abstract about overview",
    "title": "title headline heading subtitle",
    "meta": "meta byline author date time published timestamp posted updated dateline info metadata",
    "share": "share sharing social facebook twitter linkedin follow addthis sharedaddy pinterest whatsapp",
    "related": "related recommended recommendations recommend similar more also suggested suggestions upsell "
    "upsells crosssell crosssells recirc recently popular trending featured further next latest recent",
    "comment": "comment comments respond disqus reply replies discussion",
    "review": "review reviews rating ratings stars star testimonial testimonials feedback",
    "advertisement": "ad ads advert advertisement sponsor sponsored promo promotion adsense outbrain taboola",
    "newsletter": "newsletter subscribe subscription signup optin mailchimp email klaviyo",
    "modal": "modal popup dialog overlay lightbox tooltip popover toast snackbar alert notice notification",
    "cookie": "cookie cookies consent gdpr onetrust privacy ccpa",
    "hidden": "hidden hide invisible sr visually screenreader visuallyhidden offscreen collapsed collapse",
    "filter": "filter filters facet facets sort sorting refine refinement refinements swatch option options "
    "variant variants variation variations select selector size",
    "cart": "cart minicart basket checkout wishlist bag shipping delivery payment",
    "product": "product products prod sku pdp",
    "price": "price prices pricing cost money sale discount amount",
    "specification": "spec specs specification specifications attributes details detail features feature",
    "list": "list listing listings grid items collection results result archive feed loop catalog",
    "card": "card cards tile tiles item teaser teasers box",
    "forum": "message messages thread threads topic posts postbody cooked bbcode forum msg",
    "user": "user users username avatar profile member signature account login signin register poster",
    "contents": "toc tableofcontents outline onthispage anchor anchors jump",
    "widget": "widget widgets module block panel plugin",
    "manual": "docs documentation doc document section sect rst docstring reference api guide",
    "code": "code highlight pre highlighter codehilite snippet language clipboard",
    "table": "table tbl row rows cell column columns col",
    "pagination": "pagination pager paging paginate prev previous pagenav breadcrumb breadcrumbs crumbs",
}
"""Hint -> the words that give it."""

TAGS = {
    "nav element": ("nav", "menu"),
    "header element": ("header",),
    "footer element": ("footer",),
    "main element": ("main",),
    "article element": ("article",),
    "section element": ("section",),
    "aside element": ("aside",),
    "form element": ("form", "fieldset"),
    "list element": ("ul", "ol", "dl"),
    "table element": ("table",),
    "button element": ("button",),
    "dialog element": ("dialog",),
    "quote element": ("blockquote",),
    "heading element": ("h1", "h2", "h3", "h4", "h5", "h6"),
}
"""Hint -> the tags that give it."""

ROLES = {
    **dict.fromkeys(("navigation", "menu", "menubar", "menuitem", "tablist"), "nav element"),
    **dict.fromkeys(("button", "tab"), "button element"),
    **dict.fromkeys(("dialog", "alertdialog", "tooltip", "status", "alert"), "dialog element"),
    **dict.fromkeys(("search", "listbox"), "form element"),
    **dict.fromkeys(("list", "listitem", "feed"), "list element"),
    "banner": "header element",
    "contentinfo": "footer element",
    "main": "main element",
    "article": "article element",
    "complementary": "aside element",
    "region": "section element",
    "table": "table element",
    "heading": "heading element",
}
"""ARIA role -> the hint that it gives."""

TEXT_OF_ARTICLE = frozenset(("articleBody", "description", "text", "reviewBody"))
"""Values of ``itemprop`` that stand for running text."""

HINTS = (*WORDS, *TAGS, "hidden element", "unseen element", "text property")
"""Columns of the hints: words, tags and roles; ``aria-hidden``; a style that hides; `TEXT_OF_ARTICLE`."""

NUMBER = {hint: k for k, hint in enumerate(HINTS)}
_OF_WORD: dict[str, list[int]] = {}
for _hint, _words in WORDS.items():
    for _word in _words.split():
        _OF_WORD.setdefault(_word, []).append(NUMBER[_hint])
_KNOWN = frozenset(_OF_WORD)
_OF_TAG = {tag: NUMBER[hint] for hint, tags in TAGS.items() for tag in tags}
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONGEST = 200  # characters of a value that are looked at
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")


class Hits(NamedTuple):
    """Which nodes give which hints, in document order; looks (n,): a number for each value of ``class``."""

    node: Int64
    hint: Int64
    looks: Int64


@lru_cache(maxsize=2**14)
def hints_of(value: str) -> tuple[int, ...]:
    """Return the numbers of the hints that a class or an id gives.

    >>> [HINTS[hint] for hint in hints_of("siteNav entry-title")]
    ['navigation', 'article', 'title']
    """
    words = _KNOWN.intersection(map(str.lower, _PIECE.findall(value)))
    return tuple(sorted({hint for word in words for hint in _OF_WORD[word]})) if words else ()


def hits(dom: Dom, counts: Bool) -> Hits:
    """Return what the nodes say that ``counts`` (n,) is True for.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div class=nav><p role=dialog>a")
    >>> found = hits(dom, np.ones(len(dom), bool))
    >>> [(dom.name(node), HINTS[hint]) for node, hint in zip(found.node, found.hint)]
    [('div', 'navigation'), ('p', 'dialog element')]
    """
    looks, nodes, hints = _named(dom, counts)
    for node, hint in _others(dom, counts):
        nodes.append(node)
        hints.append(hint)
    of_tag = np.array([_OF_TAG.get(tag, -1) for tag in dom.tags])[dom.tag]
    tagged = np.flatnonzero((of_tag >= 0) & counts)
    giver = np.concatenate([np.array(nodes, np.int64), tagged])
    given = np.concatenate([np.array(hints, np.int64), of_tag[tagged]])
    order = np.argsort(giver, kind="stable")
    return Hits(giver[order], given[order], looks)


def _named(dom: Dom, counts: Bool) -> tuple[Int64, list[int], list[int]]:
    """Return the `Hits.looks`, and the nodes that give hints by class or id, with these."""
    looks, nodes, hints = np.zeros(len(dom), np.int64), list[int](), list[int]()
    known = dict[str, tuple[int, tuple[int, ...]]]()
    for name in ("class", "id"):
        seen, numbers = list[int](), list[int]()
        for node, value in _values(dom, name, counts):
            told = known.get(value)
            if told is None:
                told = known[value] = len(known) + 1, hints_of(value[:_LONGEST])
            seen.append(node)
            numbers.append(told[0])
            for hint in told[1]:
                nodes.append(node)
                hints.append(hint)
        if name == "class":
            looks[seen] = numbers
    return looks, nodes, hints


def _values(dom: Dom, name: str, counts: Bool) -> Iterator[tuple[int, str]]:
    """Yield the nodes that count and have an attribute, with its value."""
    if name in dom.names:
        at = np.flatnonzero(dom.attr_name == dom.names.index(name))
        owner = np.searchsorted(dom.attr_start, at, side="right") - 1
        at, owner = at[counts[owner]], owner[counts[owner]]
        starts, stops = dom.value_start[at].tolist(), dom.value_start[at + 1].tolist()
        for node, start, stop in zip(owner.tolist(), starts, stops, strict=True):
            yield node, dom.values[start:stop]


def _others(dom: Dom, counts: Bool) -> Iterator[tuple[int, int]]:
    """Yield the hints of other attributes than classes and ids."""
    for node, value in _values(dom, "role", counts):
        if (hint := ROLES.get(value.strip().lower())) is not None:
            yield node, NUMBER[hint]
    for node, value in _values(dom, "aria-hidden", counts):
        if value == "true":
            yield node, NUMBER["hidden element"]
    for node, value in _values(dom, "style", counts):
        if _UNSEEN.search(value):
            yield node, NUMBER["unseen element"]
    for node, value in _values(dom, "itemprop", counts):
        if value in TEXT_OF_ARTICLE:
            yield node, NUMBER["text property"]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Blocks of nodes, and containers; all arrays read-only.

    Attributes:
        holder: (b,) the node that holds each block.
        parent: (n,) the parent of each node, 0 at the root.
        first, last: (n,) the blocks ``first:last`` stand in a node.
        wider: (n,) the nearest ancestor that holds more blocks, 0 for none.
        level: (n,) how many containers a node's is in.
    """

    holder: Int64
    parent: Int64
    first: Int64
    last: Int64
    wider: Int64
    level: Int64

    def __post_init__(self) -> None:
        freeze(self)

    def sums(self, x: Float64, node: Int64) -> Float64:
        """Return the sum of ``x`` (b,) over the blocks in each node."""
        total = np.concatenate([[0.0], np.cumsum(x)])
        found: Float64 = total[self.last[node]] - total[self.first[node]]
        return found

    def upward(self, steps: int) -> Int64:
        """(b,) the container of several blocks around each block, so many steps further out."""
        node = self.holder
        node = np.where(self.last[node] - self.first[node] > 1, node, self.wider[node])
        for _ in range(steps):
            node = self.wider[node]
        return node

    def downward(self, level: int) -> Int64:
        """(b,) the container of several blocks around each block that is of this level, or nearest to it."""
        node = self.upward(0)
        while (self.level[node] > level).any():
            node = np.where(self.level[node] > level, self.wider[node], node)
        return node


def spans_of(dom: Dom, blocks: LayoutBlocks) -> Spans:
    """Return which blocks stand where.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><div><p>One<p>Two</div><p>Three</div>"))
    >>> spans = spans_of(page.dom, layout_blocks(page))
    >>> [(page.dom.name(node), int(spans.level[node])) for node in spans.upward(0).tolist()]
    [('div', 1), ('div', 1), ('div', 0)]
    """
    n = len(dom)
    parent = np.maximum(dom.parent, 0).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(np.bincount(blocks.first, minlength=n))])
    first, last = before[:n], before[dom.end]
    same = (first[parent] == first) & (last[parent] == last)
    outermost = np.where(same, parent, np.arange(n))
    while not np.array_equal(further := outermost[outermost], outermost):
        outermost = further
    narrower = (~same).astype(np.int64)
    return Spans(
        holder=blocks.element[blocks.holder].astype(np.int64),
        parent=parent,
        first=first,
        last=last,
        wider=parent[outermost],
        level=narrower + dom.ancestor_sum(narrower),
    )


EVENED = 0.8
"""How far the log odds of a block go to the mean of those that stand alike."""
LEAST = 1e-4
"""Probability of the least likely block, for its log odds."""
LONG = 40
"""Characters from which on a text that is said again is left out."""
_WHOLE = frozenset(("pre", "code", "td", "th"))
"""Elements whose texts belong together: a line of code or a cell is never left out."""


def standing_alike(dom: Dom, spans: Spans, looks: Int64, steps: int) -> Int64:
    """Return the group of each block (b,): those with the same names and classes of so many elements.

    looks: (n,) a number for each value of ``class``.
    """
    step = dom.tag.astype(np.uint64) * np.uint64(1_000_003) + looks.astype(np.uint64)
    key, node = np.zeros(len(spans.holder), np.uint64), spans.holder
    for _ in range(steps):
        key = (key * np.uint64(1_099_511_628_211)) ^ (step[node] + np.uint64(1))
        node = spans.parent[node]
    return np.unique(key, return_inverse=True)[1]


def evened(probability: Float64, group: Int64, letters: Float64) -> Float64:
    """Return the probabilities (b,), each brought near those of its group, which count by their letters.

    >>> evened(np.array([0.9, 0.5, 0.1]), np.array([0, 0, 1]), np.array([60.0, 20.0, 9.0])).round(2).tolist()
    [0.85, 0.79, 0.1]
    """
    sure = probability.clip(LEAST, 1.0 - LEAST)
    odds, weight = np.log(sure / (1.0 - sure)), letters.clip(1.0)
    mean = (np.bincount(group, weight * odds) / np.bincount(group, weight))[group]
    found: Float64 = 1.0 / (1.0 + np.exp(-(odds + EVENED * (mean - odds))))
    return found


def said_once(dom: Dom, blocks: LayoutBlocks, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the chosen blocks without those that say at length what one elsewhere before them has said.

    Code, cells of tables and what an author says again in the same place stay.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parsing import parse_html
    >>> said = "<p>The lamp is lit at dusk, and nobody knows who pays."
    >>> page = Page("a", parse_html(f"{said}<blockquote>{said}</blockquote><p>I do.<p>I do."))
    >>> said_once(page.dom, layout_blocks(page), np.arange(4)).tolist()
    [0, 2, 3]
    """
    holders = blocks.element[blocks.holder].tolist()
    said, kept = dict[str, int](), list[int]()
    for k in chosen.tolist():
        text, holder = blocks.texts[k], holders[k]
        around = int(dom.parent[holder])
        if len(text) < LONG or dom.name(holder) in _WHOLE or said.setdefault(text, around) == around:
            kept.append(k)
    return np.array(kept, np.intp)


OUTSIDE = 0.3, ("hint footer element", "hint nav element", "hint aside element", "hint share")
"""What is left in the elements that HTML has for what is not the page's own; by which hints they are told."""
DIALOG = 0.5, ("hint modal", "hint dialog element")
"""The same in dialogs, tooltips and notices."""
COMMENTS = 0.3, ("hint comment",)
"""The same in comments, unless most of what the page says are comments, as in a forum."""
PRODUCT = 0.3, (*DIALOG[1], *COMMENTS[1], "hint review", "hint related", "hint cart", "hint form element")
"""The same in reviews, related products and forms on the page of a product."""

_MOST = 0.5
"""Share of the expected main content from which on comments are what a page is for."""


def lowered(
    probability: Float64, x: Float64, names: Sequence[str], letters: Float64, product: bool
) -> Float64:
    """Return the probabilities (b,) of blocks, lowered where they stand in some places.

    x: (b, f) the features by ``names``; letters: (b,); product: whether the page sells one thing.

    >>> hints = ["hint footer element", "hint comment"]
    >>> names = list(dict.fromkeys([*hints, *OUTSIDE[1], *DIALOG[1], *PRODUCT[1]]))
    >>> x = np.zeros((3, len(names)))
    >>> x[1, 0] = x[2, 1] = 1.0
    >>> lowered(np.full(3, 0.5), x, names, np.array([9.0, 9.0, 3.0]), False).tolist()
    [0.5, 0.15, 0.15]
    """
    column = {name: k for k, name in enumerate(names)}
    left = np.ones(len(x))
    for share, hints in (OUTSIDE, DIALOG, *((PRODUCT,) if product else ())):
        left = np.where(_within(x, hints, column), np.minimum(left, share), left)
    said, commented = letters * probability, _within(x, COMMENTS[1], column)
    if said[commented].sum() <= _MOST * said.sum():
        left = np.where(commented, np.minimum(left, COMMENTS[0]), left)
    return probability * left


def is_product(dom: Dom) -> bool:
    """Whether the markup says that a page sells one thing: Open Graph or schema.org.

    >>> from webgrain.page.parsing import parse_html
    >>> is_product(parse_html("<meta property=og:type content=product>"))
    True
    """
    text = dom.text
    if '"Product"' in text and '"Offer"' in text and '"ItemList"' not in text:
        return True
    if "property" not in dom.names or "og:type" not in dom.values:
        return False
    named = np.flatnonzero(dom.attr_name == dom.names.index("property"))
    owners = np.searchsorted(dom.attr_start, named, side="right") - 1
    metas = [dom.attributes(node) for node in owners.tolist()]
    kinds = [meta.get("content") for meta in metas if meta["property"] == "og:type"]
    return any(kind is not None and kind.endswith("product") for kind in kinds)


def _within(x: Float64, hints: Sequence[str], column: dict[str, int]) -> Bool:
    """(b,) True where one of the hints holds."""
    found: Bool = np.any(x[:, [column[hint] for hint in hints]] > 0, axis=1)
    return found


_TAGS = (
    ("p",), ("h1",), ("h2",), ("h3", "h4", "h5", "h6"), ("li",), ("td", "th"), ("div",), ("dd", "dt"),
    ("pre", "code"), ("figcaption", "caption"), ("blockquote",), ("a",), ("span",),
    ("button", "label", "option", "summary"), ("section", "article", "main", "body"),
    ("address", "footer", "header", "nav", "aside"), ("title",),
)  # fmt: skip
_KIND = {tag: kind for kind, tags in enumerate(_TAGS, 1) for tag in tags}
_OTHER, _H1, TITLE = _KIND["div"], _KIND["h1"], _KIND["title"]

_SINGLEFEATURES_WHOLE = 0.97
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
        self._alike: dict[int, Int64] = {}
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
        part = share < _SINGLEFEATURES_WHOLE
        node, hint, value = found.node[part], found.hint[part], 1.5 + np.log10(share[part] + 0.03)
        self.looks = found.looks
        self.hint = paint(spans.first[node], spans.last[node], hint, value, len(self.blocks), len(HINTS))

    def _find_headings(self, tops: Int64) -> None:
        self.heading = np.flatnonzero(self.hint[:, NUMBER["heading element"]] > 0)
        at = self.spans.first[tops][self.spans.last[tops] > self.spans.first[tops]]
        candidates = at if len(at) else self.heading
        likeness = self.wording.likeness[candidates] - 1e-3 * np.arange(len(candidates))
        self.first = int(candidates[likeness.argmax()]) if len(candidates) else -1

    def alike(self, steps: int) -> Int64:
        """Return the group of each block (b,): those at the same path of so many elements."""
        if steps not in self._alike:
            self._alike[steps] = standing_alike(self.dom, self.spans, self.looks, steps)
        return self._alike[steps]

    @cached_property
    def product(self) -> bool:
        """Whether the page says that it sells one thing."""
        return is_product(self.dom)


def features(dom: Dom, blocks: LayoutBlocks) -> Float64:
    """Return what is known of each block of a page, (b, f); f as `feature_names`.

    >>> page = Page("a", parse_html("<nav><a href=b>Other</a></nav><p>One sentence, and another."))
    >>> x = dict(zip(feature_names(), features(page.dom, layout_blocks(page)).T))
    >>> x["linked"].tolist(), x["points"].tolist()
    ([1.0, 0.0], [0.0, 0.25])
    """
    return table(Facts(dom, blocks)) if len(blocks) else np.zeros((0, len(feature_names())))


def table(facts: Facts) -> Float64:
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


def _container(facts: Facts, name: str, node: Int64) -> Named:
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
