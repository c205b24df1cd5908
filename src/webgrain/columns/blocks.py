"""Features of the blocks of a page for deciding whether they are main content: numbers from the markup only.

    own        letters, words, share of links, marks, digits, capitals, function words, repeats, tags
    hint ...   1.5 + log10(s + 0.03), s the share of the letters of the page in the nearest element around the
               block that gives the hint; 0 if none does. Elements around nearly the whole page give none.
    up k ...   the k-th container around the block; down k ... that of the k-th level from the top: letters,
               share of the page outside links, share of links, letters per block, marks per word, prose
    beside     the blocks before and after
    alike ...  the blocks at the same path: tags and classes of six elements
    headings   the place of the block after the heading that is most similar to the title, and after the last
               heading
    body ...   its place in the elements that hold most of the prose, and from the prose
    item ...   the nearest element around the block that has siblings of its kind; also record ...
    page ...   the same for all blocks of a page

Letters outside links are called plain; prose are blocks with many of them and few links. A hint is given by
words of classes and ids, tags, and ARIA roles. Only the words listed here are used, so no other word of a
training page can be in a model. Elements that hold the same blocks are one container; the level of a
container is the number of containers around it.

The names, units and meanings of the features are in ``features.csv``; `webgrain.columns.factkernel` makes the
arrays of `PageFacts`, `webgrain.columns.featurekernel` the features.

Cost: some passes over the nodes, blocks and characters, a question for each new class and id.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from csv import DictReader
from functools import cache, reduce
from itertools import accumulate, chain, pairwise
from operator import or_
from pathlib import Path

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int8, Int32, Int64, UInt32, UInt64
from webgrain.base.properties import cached_property
from webgrain.columns import factkernel, featurekernel, thresholds
from webgrain.columns.factkernel import CAPITAL, COMMA, DIGIT, MARK, MONEY, POINT, SPACE
from webgrain.page.dom import Dom
from webgrain.page.kernels.keytable import numbered
from webgrain.page.kernels.treepass import span_keys
from webgrain.page.markup import json_ld, meta_contents, nodes_in
from webgrain.page.page import Page, of_last_page
from webgrain.page.strings import code_points, collapsed, text_codes
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.text import TextBlocks, text_blocks
from webgrain.page.values import Question

# What the texts of blocks look like.

_CODES = 0x3000  # code points from here on are letters here
_WORDS_USED = 160  # characters of a text whose words are used
_COMMON = 20  # number of the most frequent words of a page: a text with many of them is running text


def _character_classes() -> Int8:
    """Return the class of each code point below `_CODES`, see `text_table`."""
    table = np.zeros(_CODES + 1, np.int8)  # the last is for all others
    codes = [chr(code) for code in range(_CODES)]
    for number, is_of_class in ((SPACE, str.isspace), (CAPITAL, str.isupper), (DIGIT, str.isdigit)):
        table[:-1][np.fromiter(map(is_of_class, codes), bool, _CODES)] = number
    for number, characters in {POINT: ".!?;:。", COMMA: ",、，", MONEY: "$€£¥", MARK: "|»«>/•·→›"}.items():
        table[[ord(character) for character in characters if ord(character) < _CODES]] = number
    return table


_CLASS = _character_classes()


def text_features(texts: Sequence[str], title: str, description: str = "") -> dict[str, Float64]:
    """Return numbers (b,) of each text; white space must be collapsed.

    characters, words, points, commas, money: counts; digits, capitals: shares of the characters; marks: per
    word; common: share of the first words that are frequent on the page; repeats: blocks with the same text;
    likeness: similarity to the title; described: share of the words that the description has.

    >>> x = text_features(["A cup of tea, please.", "TEA"], "Tea")
    >>> x["words"].tolist(), x["commas"].tolist(), x["likeness"].tolist()
    ([5.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    """
    begins = beginnings(texts, title, description)
    return dict(zip(factkernel.TEXT_COLUMNS, _text_table(texts, begins)[0], strict=True))


def beginnings(texts: Sequence[str], title: str = "", description: str = "") -> UInt32:
    """Return the characters of lines in lower case: the begin of each text, the title, the description.

    The begin of a text has the words that are used; no text has a line end.

    >>> "".join(map(chr, beginnings(["A cup", "TEA"]))).splitlines()
    ['a cup', 'tea', '']
    """
    begins = [text[:_WORDS_USED] for text in texts]
    return code_points("\n".join([*begins, title, description]).lower())


def _text_table(texts: Sequence[str], begins: UInt32) -> tuple[Float64, Int64]:
    """Return `text_features` as a table with a row for each name, and equal numbers (b,) for equal texts.

    begins: of `beginnings`.
    """
    codes = code_points("\n".join(texts))
    table: tuple[Float64, Int64] = factkernel.text_table(codes, begins, _CLASS, len(texts), _COMMON)
    return table


# Hints: what the markup states about the parts of a page.


def _read_hints() -> list[tuple[str, str, list[str]]]:
    """Return kind (word, tag, role, itemprop or itemtype), hint, and the names of this kind that give it."""
    with Path(__file__).with_name("hints.csv").open(encoding="utf-8", newline="") as file:
        return [(row["kind"], row["hint"], row["names"].split()) for row in DictReader(file)]


_NAMED = _read_hints()
_OF_NAMES = [hint for source, hint, _ in _NAMED if source in ("word", "tag")]
_OF_ITEMS = [hint for source, hint, _ in _NAMED if source in ("itemprop", "itemtype")]
BLOCK_HINTS = (*_OF_NAMES, "hidden element", "unseen element", *_OF_ITEMS)
"""Names of the hints: words, tags, roles; ``aria-hidden``; a style that hides; ``itemprop``; ``itemtype``."""

NUMBER = {hint: k for k, hint in enumerate(BLOCK_HINTS)}
_HEADING = NUMBER["heading element"]
_GIVEN = defaultdict[str, dict[str, tuple[int, ...]]](dict)
"""The numbers of the hints that each name gives, by kind."""
for _kind, _hint, _names in _NAMED:
    for _name in _names:
        _GIVEN[_kind][_name] = (*_GIVEN[_kind].get(_name, ()), NUMBER[_hint])
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_VALUE_LENGTH = 200  # characters of a class or id that are used
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")


def hints_of(value: str) -> tuple[int, ...]:
    """Return the numbers of the hints that a class or an id gives.

    >>> [BLOCK_HINTS[hint] for hint in hints_of("siteNav entry-title")]
    ['navigation', 'article', 'title']
    """
    words = _GIVEN["word"].keys() & set(map(str.lower, _PIECE.findall(value)))
    return tuple(sorted({hint for word in words for hint in _GIVEN["word"][word]}))


_DIGITS = re.compile(r"\d+")


def class_key(value: str) -> int:
    """Return a number of the classes of an element, in any order and without digits.

    >>> class_key("post-12 odd") == class_key("odd post-7")
    True
    """
    return zlib.crc32(" ".join(sorted(_DIGITS.sub("", value).split())).encode("utf-8", "surrogatepass"))


_GIVERS: dict[str, Callable[[str], Sequence[int]]] = {
    "class": lambda value: hints_of(value[:_VALUE_LENGTH]),
    "role": lambda value: _GIVEN["role"].get(value.strip().lower(), ()),
    "aria-hidden": lambda value: (NUMBER["hidden element"],) * (value == "true"),
    "style": lambda value: (NUMBER["unseen element"],) * bool(_UNSEEN.search(value)),
    "itemprop": lambda value: _GIVEN["itemprop"].get(value, ()),
    "itemtype": lambda value: _GIVEN["itemtype"].get(value.rsplit("/", 1)[-1].strip(), ()),
}
"""The hints that the values of each attribute give; an id gives those of a class."""


def _bits(hints: Sequence[int]) -> int:
    """Return hints as the bits of a number."""
    return reduce(or_, [1 << hint for hint in hints], 0)


def _meaning(value: str) -> tuple[int, ...]:
    """Return what a value means: the bits of its hints by each of `_GIVERS`, and its class key."""
    return (*(_bits(give(value)) for give in _GIVERS.values()), class_key(value[:_VALUE_LENGTH]))


_MEANING = Question(_meaning, (np.uint64, (len(_GIVERS) + 1,)))
_NUMBER_OF_NAME = dict(zip(["class", "id", *[*_GIVERS][1:]], range(len(_GIVERS) + 1), strict=True))
_GIVER_OF_NAMES = NameTable(lambda name: _NUMBER_OF_NAME.get(name, -1), np.int8)
_BITS_OF_TAGS = TagTable(lambda tag: _bits(_GIVEN["tag"].get(tag, ())), np.uint64)


def find_hints(dom: Dom) -> tuple[UInt64, Int64, UInt64]:
    """Return the hints (n,) that each node gives as bits, numbers (n,) of its tag and classes, and their key.

    The numbers are equal for equal tags and classes, and 0 at texts; nodes without a class have the key 0.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div class=nav><p role=dialog>a")
    >>> [BLOCK_HINTS[int(bits).bit_length() - 1] for bits in find_hints(dom)[0][3:5]]
    ['navigation', 'dialog element']
    """
    giver = _GIVER_OF_NAMES.of_attributes(dom)
    meaning = dom.ask(_MEANING, (giver >= 0).nonzero()[0])
    hints: tuple[UInt64, Int64, UInt64] = factkernel.node_hints(
        dom.attr_start, dom.tag, dom.value, giver, meaning, _BITS_OF_TAGS.of_nodes(dom)
    )
    return hints


_TAGS = (
    ("p",), ("h1",), ("h2",), ("h3", "h4", "h5", "h6"), ("li",), ("td", "th"), ("div",), ("dd", "dt"),
    ("pre", "code"), ("figcaption", "caption"), ("blockquote",), ("a",), ("span",),
    ("button", "label", "option", "summary"), ("section", "article", "main", "body"),
    ("address", "footer", "header", "nav", "aside"), ("title",),
)  # fmt: skip
_KIND = {tag: number for number, tags in enumerate(_TAGS, 1) for tag in tags}
_KIND_OF_TAGS = TagTable(lambda tag: _KIND.get(tag, _KIND["div"]), np.int64)
_CHECKSUM_OF_TAGS = TagTable(lambda tag: zlib.crc32(tag.encode("utf-8", "surrogatepass")), np.uint64)
_OTHER, _H1, TITLE = _KIND["div"], _KIND["h1"], _KIND["title"]
_UP = np.array([0, 1, 3])  # steps to containers around a block
_DOWN = np.array([1, 2, 4])  # levels of containers from the top
_COUNTED = ("p", "li", "article", "td", "pre", "img", "form", "section")
_COUNTED_OF_TAGS = TagTable(lambda tag: _COUNTED.index(tag) + 1 if tag in _COUNTED else 0, np.int64)
_BODIES = np.array([0.55, 0.8])  # shares of the prose that the innermost element with most of it has
_STEPS = 6  # elements of a path
_SPANNED = np.array([0, 1, 2, 3, 5])  # steps to the containers in `PageFacts.spans`
_PRIME = 0x100000001B3
_DESCRIPTION = 400  # characters of a description that are used
QUOTED = (
    "articleBody", "Product", "Offer", "ItemList", "CollectionPage", "SearchResultsPage", "Blog",
    "NewsArticle", "BlogPosting", "Article", "DiscussionForumPosting", "QAPage", "WebPage", "AboutPage",
    "ItemPage", "Recipe", "Event", "JobPosting", "Question", "Book", "Course", "TechArticle", "HowTo",
)  # fmt: skip
"""Names of schema.org that are searched in the text of a page, scripts included."""
_QUOTED_CODES = code_points("".join(QUOTED)), np.cumsum([0, *map(len, QUOTED)], dtype=np.int32)
_PROBE = 40  # characters of a block that are looked up in the text of JSON-LD


_PROSE = np.array([thresholds.PROSE_LETTERS, thresholds.PROSE_LINKED, thresholds.COMMON_WORDS])
_LONG_PROSE = np.array([thresholds.LONG_PROSE_LETTERS, thresholds.LONG_PROSE_LINKED])


SEPARATOR = re.compile(r"(?<!\s)\s++[-–—|·•:»«/›<>~]++\s++|(?:(?<!\s)\s++)?+[|»«›]\s*+|:\s++")
"""What separates the parts of a ``<title>``."""


class PageFacts:
    """Facts about a page from which features, probabilities and verdicts are computed.

    Attributes:
        letter_table: (4, b) letters, plain, linked (the share of links) and prose; letters, linked, prose:
            (b,) rows of it; texts: see `text_features`, and text_table the same as a table; beginnings: the
            result of the function of this name; text_number: numbers below b, equal for equal texts.
        kinds: (n,) of the tag of a node; kind: (b,) of the tag that holds a block.
        hint: (b, h) float32, the hints.
        holder: (b,) the node that holds each block.
        tree: (5, n) of each node the parent, 0 at the root; the first block in it; the end of its blocks;
            the nearest ancestor that holds more blocks, 0 for none; the number of containers around its
            container. parent: (n,) the first row.
        outward: (7, b) the containers of several blocks around each block, from inside; the root is repeated.
        totals: (6, b + 1) the letters, plain letters, marks, words, letters of prose, and headings before
            each block.
        is_heading: (b,) whether a block is in a heading; heading: these blocks; first: the heading that is
            similar to the title, -1 for none.

    >>> from webgrain.page.parsing import parse
    >>> facts = page_facts(parse("<div><div><p>One<p>Two</div><p>Three</div>"))
    >>> [(facts.dom.name(node), int(facts.tree[4, node])) for node in facts.outward[:3, 0].tolist()]
    [('div', 1), ('div', 0), ('html', 0)]
    """

    def __init__(self, dom: Dom, blocks: TextBlocks) -> None:
        self.dom, self.blocks = dom, blocks
        self._read_containers()
        self._read_texts()
        self._read_hints()

    def _read_containers(self) -> None:
        """Find which blocks are in each element, and the elements around each block."""
        dom, blocks = self.dom, self.blocks
        self.kinds: Int64 = _KIND_OF_TAGS.of_nodes(dom)
        tree, outward, holder, is_title, title = factkernel.block_containers(
            dom.parent, dom.end, blocks.element, blocks.holder, blocks.first, self.kinds, TITLE, _STEPS + 1
        )
        self.tree: Int64 = tree
        self.outward: Int64 = outward
        self.is_title: Bool = is_title
        self.parent: Int64 = tree[0]
        self.holder, self.kind = holder
        self.title = blocks.texts[title] if title >= 0 else ""

    def _read_texts(self) -> None:
        """Count letters and words, decide which blocks are prose, and sum what is before each block."""
        blocks = self.blocks
        self.beginnings = beginnings(blocks.texts, self.title, self.description)
        self.text_table, self.text_number = _text_table(blocks.texts, self.beginnings)
        self.texts = dict(zip(factkernel.TEXT_COLUMNS, self.text_table, strict=True))

    def _read_hints(self) -> None:
        """Find the letters and the hints of each block, and the headings."""
        dom, blocks = self.dom, self.blocks
        bits, self._node_kind, self._class_key = find_hints(dom)
        self.letter_table, self.totals, hint, self.is_heading, self.heading, self.first = (
            factkernel.block_hints(
                dom.parent,
                self.tree,
                blocks.first,
                blocks.weight,
                blocks.weight_noanchor,
                self.text_table,
                bits,
                self.kinds,
                _PROSE,
                _LONG_PROSE,
                thresholds.WHOLE_PAGE,
                len(BLOCK_HINTS),
                _HEADING,
                _H1,
            )
        )
        self.hint: Float32 = hint.T
        self.letters, _, self.linked, self.prose = self.letter_table

    def siblings(self, steps: int) -> Int32:
        """Return the group of each block (b,): equal tags and classes on ``steps`` elements."""
        group: Int32 = factkernel.same_paths(self.holder, self.parent, self._node_kind, steps)
        return group

    @cached_property
    def path(self) -> UInt64:
        """(b,) a number of the tags and classes, without digits, on the path to each block."""
        classes = self._class_key * np.uint64(0x9E3779B97F4A7C15)
        return self._path_number(self._of_tags * np.uint64(31) + classes)

    @cached_property
    def path_group(self) -> Int64:
        """(b,) numbers of the blocks at the same path, from 0 in the order of the page."""
        number: Int64 = numbered(self.path)[0].astype(np.int64)
        return number

    @cached_property
    def tag_path(self) -> UInt64:
        """(b,) a number of the tags on the path to each block."""
        return self._path_number(self._of_tags)

    @cached_property
    def tag_group(self) -> Int64:
        """(b,) numbers of the blocks at the same path of tags, from 0 in the order of the page."""
        number: Int64 = numbered(self.tag_path)[0].astype(np.int64)
        return number

    @cached_property
    def text_key(self) -> UInt64:
        """(b,) the key of the text of each block, see `text_keys`."""
        return text_keys(self.blocks.texts)

    @cached_property
    def spans(self) -> Int64:
        """(2, k, b) the first block of the k-th container around each block, and the end of its blocks."""
        return self.tree[1:3].take(self.outward.take(_SPANNED, axis=0), axis=1)

    @cached_property
    def _of_tags(self) -> UInt64:
        return _CHECKSUM_OF_TAGS.of_nodes(self.dom)

    def _path_number(self, step: UInt64) -> UInt64:
        """Return a number of the steps (n,) from each block to the root, whatever else is on the page."""
        number: UInt64 = factkernel.path_numbers(self.dom.parent, self.holder, step, _PRIME)
        return number

    def stated(self, *names: str) -> list[str]:
        """Return what the first ``meta`` elements with these names state; empty texts for none."""
        contents = meta_contents(self.dom)
        return [contents.get(name, [""])[0] for name in names]

    @property
    def description(self) -> str:
        """The description of the page in its ``meta`` elements; empty for none."""
        stated = self.stated("description", "og:description", "twitter:description")
        return next(filter(None, stated), "")[:_DESCRIPTION]

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The names of `QUOTED` that the page has in double quotes, as JSON-LD does."""
        found = factkernel.quoted_names(text_codes(self.dom), *_QUOTED_CODES)
        return frozenset([name for name, is_there in zip(QUOTED, found.tolist(), strict=True) if is_there])

    @cached_property
    def title_parts(self) -> tuple[str, ...]:
        """The parts of the ``<title>``, see `title_parts`."""
        return title_parts(self.title)

    @cached_property
    def body(self) -> str:
        """The text of the article in JSON-LD; empty for none."""
        declared = json_ld(self.dom) if "articleBody" in self.quoted else []
        texts = [node.values.get("articleBody") for node in nodes_in(declared)]
        return " ".join(" ".join(text for text in texts if isinstance(text, str)).split())

    @cached_property
    def product(self) -> bool:
        """Whether the page is about one product by its Open Graph or schema.org markup."""
        of_schema = {"Product", "Offer"} <= self.quoted and "ItemList" not in self.quoted
        return of_schema or self.stated("og:type")[0].endswith("product")


def title_parts(title: str) -> tuple[str, ...]:
    """Return the parts of a ``<title>``, and what comes before and after each separator.

    >>> title_parts("The boat - News | Times")
    ('The boat - News | Times', 'The boat', 'News | Times', 'The boat - News', 'Times', 'News')
    """
    cuts = [match.span() for match in SEPARATOR.finditer(title)][:4]
    parts = [title]
    for start, end in cuts:
        parts += [title[:start], title[end:]]
    parts += [title[first[1] : second[0]] for first, second in pairwise(cuts)]
    stripped = [part.strip() for part in parts]
    return tuple(dict.fromkeys(filter(None, stripped)))


def text_keys(texts: Sequence[str]) -> UInt64:
    """Return the keys (t,) of texts without line ends; white space does not matter.

    >>> a, b, c = text_keys(["The boat", "The  boat", "the boat"]).tolist()
    >>> a == b, b == c
    (True, False)
    """
    if not texts:
        return np.zeros(0, np.uint64)
    codes = code_points("\n".join(texts))
    start, end = factkernel.spans_between(codes, ord("\n"), len(texts))
    keys: UInt64 = span_keys(codes, start, end, len(codes))
    return keys


def title_keys(titles: Sequence[str]) -> UInt64:
    """Return the keys (t,) of texts as parts of titles; they differ from the keys of all texts.

    >>> a, b = title_keys(["The  Boat", "the boat"]).tolist()
    >>> a == b, a in text_keys(["The boat", "the boat"])
    (True, False)
    """
    return text_keys([f"title {title}" for title in folded_texts(titles)])


def folded_texts(texts: Sequence[str]) -> list[str]:
    """Return texts without differences of case and white space.

    >>> folded_texts(["The  Boat", "Dusk"])
    ['the boat', 'dusk']
    """
    return collapsed("\n".join(texts).casefold().split("\n")) if texts else []


# The text and the lists of a page need the following one after the other. It is large, so it is not stored on
# the page, which may be kept with its results.


@of_last_page
def page_facts(page: Page) -> PageFacts:
    """Return the facts about a page."""
    return PageFacts(page.dom, text_blocks(page))


@of_last_page
def block_features(page: Page) -> Float32:
    """Return `features` of a page."""
    return features(page_facts(page))


_PLACES = (*(f"up {steps}" for steps in _UP), *(f"down {level}" for level in _DOWN))


def _read_names() -> dict[str, list[str]]:
    """Return the names of the features of each group, in the order of the groups in the table."""
    names = defaultdict[str, list[str]](list)
    with Path(__file__).with_name("features.csv").open(encoding="utf-8", newline="") as file:
        for row in DictReader(file):
            names[row["group"]].append(row["name"])
    return {
        "own": names["own"],
        "hint": [f"hint {hint}" for hint in BLOCK_HINTS],
        "around": [f"{place} {name}" for place in _PLACES for name in names["around"]],
        "beside": names["beside"],
        "alike": [f"alike {name}" for name in names["alike"]],
        "headings": names["headings"],
        "body": names["body"],
        "item": [f"item {name}" for name in names["repeated"]],
        "record": [f"record {name}" for name in names["repeated"]],
        "page": [f"page {name}" for name in names["page"]],
    }


_NAMES = _read_names()
_BEGINS = np.array([*accumulate(map(len, _NAMES.values()), initial=0)], np.int64)
"""The first row of each group in the table of the features, and their number."""
_PAGE_HINTS = np.array([NUMBER["main element"], NUMBER["article element"]])
_IN_JSON_LD = _NAMES["own"].index("in JSON-LD")


@cache
def block_names() -> tuple[str, ...]:
    """Return the names of the features.

    >>> block_names()[:3]
    ('letters', 'plain', 'linked')
    """
    return tuple(chain.from_iterable(_NAMES.values()))


def features(facts: PageFacts) -> Float32:
    """Return the features (b, f) of the blocks of a page; their names are `block_names`.

    >>> from webgrain.page.parsing import parse_html
    >>> page = Page("a", parse_html("<nav><a href=b>Other</a></nav><p>One sentence, and another."))
    >>> x = dict(zip(block_names(), features(PageFacts(page.dom, text_blocks(page))).T))
    >>> x["linked"].tolist(), x["points"].tolist()
    ([1.0, 0.0], [0.0, 0.25])
    """
    table = np.empty((len(block_names()), len(facts.letters)), np.float32)
    if len(facts.letters):
        dom = facts.dom
        featurekernel.block_features(
            table,
            _BEGINS,
            dom.parent,
            dom.end,
            dom.tag,
            facts.tree,
            facts.holder,
            facts.outward,
            facts.kinds,
            facts._node_kind,
            _COUNTED_OF_TAGS.of_nodes(dom),
            facts.siblings(_STEPS),
            facts.letter_table,
            facts.text_table,
            facts.totals,
            facts.hint.T,
            _PAGE_HINTS,
            facts.is_heading.view(np.uint8),
            facts.first,
            _UP,
            _DOWN,
            _BODIES,
        )
        if facts.body:
            table[_IN_JSON_LD] = [text[:_PROBE] in facts.body for text in facts.blocks.texts]
    return table.T
