"""Comments, replies and reviews: parts of a page that repeat and that readers wrote.

    elements --same tags and classes--> groups --features, trees--> the group of posts
             --> is the first one the first post of a thread --> comments with author, date and level

A group is a set of elements with the same tag and first class, or with those of one or two elements above
them, wherever they are: so replies to replies are in the group of the replies. A group may have one element.
Two models, learnt by ``experiments/training/threads.py`` on whole sites, judge a group by its texts, its
place, the dates between its elements, and the probabilities of its blocks: the probability that its elements
are the comments of the page, and that the first element is no comment, but the first post of a thread.

What is between two elements belongs to the one with which it has the smaller element in common; with equal
ones, to the next if something precedes the first element, too. There the author and the date of a comment
are: a text that is not the same for all comments, and the first date. The level of a comment is the number of
different depths above it in the DOM, so it is no matter of classes or words.

Cost: sorting the elements, and some array operations per group; at most `MOST_GROUPS` groups.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float32, Float64, Int64
from webgrain.base.trees import BoostedTrees, packaged_trees, probabilities
from webgrain.columns.blocks import (
    BLOCK_HINTS,
    FeatureColumns,
    PageFacts,
    table_of,
)
from webgrain.documents.content import MOST_NESTED, comments
from webgrain.documents.dates import first_date
from webgrain.documents.parts import Part
from webgrain.extraction import thresholds
from webgrain.extraction.thresholds import BYLINE, NEAR_POST
from webgrain.page.kernels.treepass import depths, sibling_numbers
from webgrain.page.page import Page
from webgrain.page.values import Question

FORMAT = "webgrain comments"
_FIRST_TEXTS = 3  # texts at the beginning of a comment that may be its byline (hand-set)
_LONGEST_VALUE = 200  # characters of an attribute that may name an author (hand-set)
_DIGITS = re.compile(r"\d+")
_AUTHOR = re.compile(r"(?<![a-z])(author|fn|username|user-name|commenter|poster|byline)(?![a-z])", re.I)
_NAMES_AUTHOR = Question(lambda value: _AUTHOR.search(value[:_LONGEST_VALUE]) is not None, bool)
_HINTS = (
    *("comment", "review", "forum", "user", "related", "list", "card", "text", "article", "main", "sidebar"),
    *("footer", "navigation", "list element", "table element", "article element", "reply property"),
    *("reply type", "time element", "aside element", "form element"),
)
_FIRST_HINTS = ("comment", "review", "forum", "user", "related")
_HINT, _FIRST_HINT = ([BLOCK_HINTS.index(name) for name in names] for names in (_HINTS, _FIRST_HINTS))
_TIME = BLOCK_HINTS.index("time element")


@cache
def thread_models() -> dict[str, BoostedTrees]:
    """Return the models that come with webgrain, read once."""
    names = dict.fromkeys(("comments", "first"), group_names())
    return packaged_trees("webgrain.extraction", "threads.model", names, FORMAT)


# Groups of similar elements.


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Elements with the same tags and classes.

    Attributes:
        node: (n,) the elements, in document order; first, last: (n,) each has the blocks ``first:last``.
        repeated: the largest number of equal children of each element (n,); alike: how many elements of the
            page have the tag and class of the first one.
    """

    node: Int64
    first: Int64
    last: Int64
    repeated: Float64
    alike: int

    def __len__(self) -> int:
        return len(self.node)

    def owner(self, blocks: int) -> Int64:
        """(b,) the innermost element, by its number, that has each block; -1 for none."""
        owner = np.full(blocks, -1, np.int64)
        for k, (start, stop) in enumerate(zip(self.first.tolist(), self.last.tolist(), strict=True)):
            owner[start:stop] = k
        return owner


def groups(facts: PageFacts, main: Float64, comment: Float64) -> list[Group]:
    """Return the groups of a page with text that may be main text or comments, most such text first.

    main, comment: (b,) probabilities.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<nav>Home<ul><li class=post>One is longer than two.<li class=post>Two</ul>")
    >>> facts = PageFacts(page.dom, text_blocks(page))
    >>> [len(group) for group in groups(facts, np.array([0.0, 1.0, 1.0]), np.zeros(3))]
    [1, 1, 2]
    """
    dom, within, letters = facts.dom, facts.containers, facts.letters
    inner = ~dom.tagged("#text", "html", "head", "body", "title")
    nodes = np.flatnonzero((within.last > within.first) & inner)
    kinds = _kinds(facts)
    size = int(kinds.max()) + 1
    of_letters, of_mass = (np.append(0.0, x.cumsum()) for x in (letters, np.maximum(main, comment) * letters))
    repeated = _repeated(facts, nodes, kinds)
    number = np.bincount(kinds[nodes], minlength=size)
    first, last = within.first[nodes], within.last[nodes]
    of_node = np.stack([of_letters[last] - of_letters[first], of_mass[last] - of_mass[first]], axis=1)
    masses, members = list[Float64](), list[Int64]()
    key, above = np.zeros(len(nodes), np.int64), nodes
    for _ in range(3):
        key, above = key * size + kinds[above], within.parent[above]
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        text, mass = np.add.reduceat(of_node[order], starts).T if len(starts) else np.zeros((2, 0))
        possible = (text >= thresholds.LEAST_GROUP) & (mass >= thresholds.LEAST_SHARE * text)
        masses.append(mass[possible])
        spans = np.stack([starts, np.append(starts[1:], len(order))[: len(starts)]], axis=1)[possible]
        members += [order[start:stop] for start, stop in spans.tolist()]
    by_span = dict[tuple[bytes, bytes], Group]()
    for k in np.argsort(-np.concatenate(masses), kind="stable").tolist():
        member, spans = members[k], (first[members[k]], last[members[k]])
        if (name := (spans[0].tobytes(), spans[1].tobytes())) not in by_span:
            by_span[name] = Group(
                nodes[member], *spans, repeated[nodes[member]], int(number[kinds[nodes[member[0]]]])
            )
        if len(by_span) == thresholds.MOST_GROUPS:
            break
    return [*by_span.values()]


def _kinds(facts: PageFacts) -> Int64:
    """(n,) equal for nodes with the same tag and first class; digits in classes do not count."""
    dom = facts.dom
    attributes, nodes = dom.find_attribute("class")
    names = dom.ask(_FIRST_CLASS, attributes).tolist()
    known = {name: k for k, name in enumerate(dict.fromkeys((None, *names)))}
    number = np.zeros(len(dom), np.int64)
    number[nodes] = [known[name] for name in names]
    # The order of groups with the same text depends on these numbers, so it must be that of the page.
    tags, first_node, tag = np.unique(dom.tag, return_index=True, return_inverse=True)
    rank = np.empty(len(tags), np.int64)
    rank[np.argsort(first_node)] = np.arange(len(tags))
    kinds: Int64 = rank[tag] * len(known) + number
    return kinds


def _first_class(classes: str) -> str | None:
    """Return the first class of an element in lower case without digits, None for no class."""
    names = classes.split(None, 1)
    return _DIGITS.sub("", names[0]).lower() if names else None


_FIRST_CLASS = Question(_first_class)


def _repeated(facts: PageFacts, nodes: Int64, kinds: Int64) -> Float64:
    """(n,) the largest number of children of one kind, of a node or of one in it with the same blocks."""
    within = facts.containers
    kind_of, above = np.full(len(kinds), -1, np.int32), within.parent[nodes]
    kind_of[nodes] = kinds[nodes]
    most = np.zeros(len(kinds))
    np.maximum.at(most, above, sibling_numbers(facts.dom.parent, kind_of)[1][nodes])
    same = (within.first[above] == within.first[nodes]) & (within.last[above] == within.last[nodes])
    inner = np.arange(len(kinds))
    inner[above[same]] = nodes[same]  # the only child with blocks
    while not np.array_equal(further := inner[inner], inner):
        most, inner = np.maximum(most, most[inner]), further
    return np.maximum(most, most[inner])


def dated(facts: PageFacts) -> Float64:
    """(b,) 1 for short texts with a date and texts in ``<time>``, else 0."""
    is_dated: Float64 = (facts.hint[:, _TIME] > 0).astype(np.float64)
    digits = facts.texts["digits"] * facts.texts["characters"]
    for k in np.flatnonzero((digits >= 3) & (facts.texts["characters"] <= BYLINE)).tolist():
        is_dated[k] = is_dated[k] or bool(first_date(facts.blocks.texts[k]))
    return is_dated


# Features of groups.

_NAMES = (
    *("members", "letters", "median letters", "least letters", "variation", "share of the page"),
    *("main", "comment", "highest main", "highest comment", "first main", "first comment"),
    *("other main", "other comment", "share of the text", "text before", "text after", "share of main"),
    *("page main", "page comment", "between", "letters between", "linked", "prose", "blocks"),
    *("dates", "dates around", "dates after", "dates before", "blocks around", "share of the container"),
    *("headings", "headings around", "begin", "end", "distinct", "nested", "tag", "repeated"),
    *("mean repeated", "alike", "points"),
)


@cache
def group_names() -> tuple[str, ...]:
    """Return the names of the features of a group.

    >>> group_names()[0], len(group_names())
    ('members', 68)
    """
    return (*_NAMES, *(f"hint {name}" for name in _HINTS), *(f"first hint {name}" for name in _FIRST_HINTS))


def group_features(
    facts: PageFacts, candidates: Sequence[Group], main: Float64, comment: Float64, date: Float64
) -> Float32:
    """Return the features (g, f) of groups; their names are `group_names`.

    main, comment: (b,) probabilities; date: see `dated`.
    """
    letters = facts.letters
    heading = np.bincount(facts.heading, minlength=len(letters))
    mass = np.maximum(main, comment) * letters
    columns = (
        *(letters + 0.5, letters * main, letters * comment, mass, facts.linked * letters, facts.prose),
        *(np.ones(len(letters)), date, heading, facts.texts["points"]),
    )
    table = np.zeros((len(letters) + 1, len(columns)))
    np.cumsum(np.stack(columns, axis=1), axis=0, out=table[1:])
    values = _columns(facts, candidates, table) if candidates else iter(())
    return table_of(values, len(candidates), group_names())


def _columns(facts: PageFacts, candidates: Sequence[Group], table: Float64) -> FeatureColumns:
    """Yield the features of all groups; each sum is over the elements of a group, one after the other."""
    n = np.array([len(group) for group in candidates])
    start = np.concatenate([[0], np.cumsum(n)[:-1]])
    of, end, page = np.repeat(np.arange(len(n)), n), start + n - 1, table[-1]
    first, last, repeated = (
        np.concatenate([getattr(group, name) for group in candidates])
        for name in ("first", "last", "repeated")
    )
    low, high = first[start], np.maximum.reduceat(last, start)
    sums = table[last] - table[first]  # (elements, c) the sums of each element
    inner, outer = np.arange(1, len(of)), np.arange(len(of) - 1)
    nested = np.bincount(of[inner[(of[inner] == of[outer]) & (first[inner] < last[outer])]], minlength=len(n))
    for k in np.flatnonzero(nested).tolist():  # without the elements in it
        at = int(start[k])
        for number, around in enumerate(_around(candidates[k]), at):
            if around >= 0:
                sums[at + around] -= table[last[number]] - table[first[number]]
    total, span = np.add.reduceat(sums, start), table[high] - table[low]
    size = np.maximum(sums[:, 0], 0.5)
    main, comment, rest = sums[:, 1] / size, sums[:, 2] / size, total - sums[start]
    others = np.maximum(rest[:, 0], 0.5)
    node = np.array([container(facts, group) for group in candidates])
    begin, stop = facts.containers.first[node], facts.containers.last[node]
    outside = table[stop] - table[begin] - total
    after, before = np.append(first[1:], 0), np.append(0, last[:-1])
    after[end], before[start] = np.minimum(stop, high + NEAR_POST), np.maximum(begin, low - NEAR_POST)
    dates_after = table[np.maximum(after, last), 7] > table[last, 7]
    dates_before = table[first, 7] > table[np.minimum(before, first), 7]
    mean, mass = np.add.reduceat(size, start) / n, max(page[3], 1.0)
    ordered = size[np.lexsort((size, of))]
    median = (ordered[start + (n - 1) // 2] + ordered[start + n // 2]) / 2
    deviation = np.sqrt(np.add.reduceat((size - mean[of]) ** 2, start) / n)
    texts = facts.blocks.texts
    distinct = [len({texts[k] for k in group.first.tolist()}) for group in candidates]
    between = span[:, 0] - total[:, 0]
    letters = total[:, 0]
    values = (
        *(np.log1p(n), np.log1p(mean), np.log1p(median), np.log1p(np.minimum.reduceat(size, start))),
        *(deviation / mean, letters / page[0], total[:, 1] / letters, total[:, 2] / letters),
        *(np.maximum.reduceat(main, start), np.maximum.reduceat(comment, start), main[start], comment[start]),
        *(rest[:, 1] / others, rest[:, 2] / others, total[:, 3] / mass),
        *(table[low, 3] / mass, (page[3] - table[high, 3]) / mass, total[:, 1] / max(page[1], 1.0)),
        *(np.full(len(n), np.log1p(page[1])), np.full(len(n), np.log1p(page[2])), between / span[:, 0]),
        *(np.log1p(between.clip(0.0) / n), total[:, 4] / letters, total[:, 5] / letters, total[:, 6] / n),
        *(total[:, 7] / n, outside[:, 7] / n, np.add.reduceat(dates_after.astype(float), start) / n),
        *(np.add.reduceat(dates_before.astype(float), start) / n, outside[:, 6] / n),
        *((outside[:, 0] + letters) / page[0], total[:, 8] / n, outside[:, 8] / n, low / page[6]),
        *(high / page[6], distinct / n, nested / n, facts.kinds[[group.node[0] for group in candidates]]),
        *(np.log1p(np.maximum.reduceat(repeated, start)), np.log1p(np.add.reduceat(repeated, start) / n)),
        *(np.log([group.alike for group in candidates] / n), total[:, 9] / letters),
    )
    yield from zip(_NAMES, values, strict=True)
    yield [f"hint {name}" for name in _HINTS], facts.hint[first[start + n // 2]][:, _HINT].T
    yield [f"first hint {name}" for name in _FIRST_HINTS], facts.hint[low][:, _FIRST_HINT].T


def _around(group: Group) -> Iterator[int]:
    """Yield the number of the element that is nearest around each, -1 for none."""
    open_: list[int] = []
    for k, (first, last) in enumerate(zip(group.first.tolist(), group.last.tolist(), strict=True)):
        while open_ and group.last[open_[-1]] <= first:
            open_.pop()
        yield open_[-1] if open_ and last <= group.last[open_[-1]] else -1
        open_.append(k)


def container(facts: PageFacts, group: Group) -> int:
    """Return the innermost element around all of a group; for one element the next one with more blocks."""
    within, node = facts.containers, int(group.node[0])
    low, high = group.first.min(), group.last.max()
    node = int(within.wider[node]) if len(group) == 1 else node
    while node and (within.first[node] > low or within.last[node] < high):
        node = int(within.wider[node])
    return node


# The posts of a page.


@dataclass(frozen=True, eq=False)
class Posts:
    """The comments of a page.

    Attributes:
        facts, group: the page; the elements of the comments, and of the first post of a thread.
        thread: whether the first element is the first post.
        probability: that these are the comments of the page.
        owner: (b,) the element that each block belongs to, -1 for none; text: (b,) True in the elements.
    """

    facts: PageFacts
    group: Group
    thread: bool
    probability: float
    owner: Int64
    text: NDArray[np.bool_]

    @classmethod
    def of(cls, facts: PageFacts, group: Group, thread: bool, probability: float) -> Self:
        """Return the comments in the elements of a group."""
        owner = group.owner(len(facts.letters))
        return cls(facts, group, thread, probability, *_assigned(facts, group, owner))

    @property
    def comment(self) -> NDArray[np.bool_]:
        """(b,) True for blocks of comments, with their authors and dates."""
        return self.owner >= int(self.thread)

    @property
    def byline(self) -> dict[str, str]:
        """Author and date of the first post of a thread."""
        return self._bylines.get(0, {}) if self.thread else {}

    def parts(self, page: Page, scores: Float64) -> tuple[Part, ...]:
        """Return the comments, each with the replies to it; scores: (b,) of the blocks."""
        start, common, inside = int(self.thread), self._common(), np.flatnonzero(self.text)
        order = inside[np.argsort(self.owner[inside], kind="stable")]
        bounds = np.searchsorted(self.owner[order], np.arange(len(self.group) + 1))
        blocks_of = (order[bounds[k] : bounds[k + 1]].tolist() for k in range(start, len(self.group)))
        chosen = [self._kept(k, blocks, common) for k, blocks in enumerate(blocks_of, start)]
        known = [self._bylines.get(k, {}) for k in range(start, len(self.group))]
        nodes = self.group.node[start:].tolist()
        return comments(page, self.facts.blocks, nodes, self._levels()[start:], known, chosen, scores)

    def _levels(self) -> list[int]:
        """Return the level of each element: the rank of its depth among those of the comments."""
        depth = depths(self.facts.dom.parent)[self.group.node]
        known = {value: k for k, value in enumerate(np.unique(depth[int(self.thread) :]).tolist())}
        return [min(known.get(value, 0), MOST_NESTED) for value in depth.tolist()]

    def _common(self) -> set[str]:
        """Return the short texts that most elements have, such as the labels of buttons."""
        texts, n = self.facts.blocks.texts, len(self.group)
        short = (self.owner >= 0) & (self.facts.texts["characters"] <= BYLINE / 3)
        pairs = {(texts[k], int(self.owner[k])) for k in np.flatnonzero(short).tolist()}
        times = Counter(text for text, _ in pairs)
        return {text for text, number in times.items() if n > 2 and number > n / 2}

    def _kept(self, k: int, blocks: list[int], common: set[str]) -> list[int]:
        """Return the blocks of a comment without its byline; blocks: those in its element."""
        texts, author = self.facts.blocks.texts, self._bylines.get(k, {}).get("author", "")
        byline = {j for j in blocks[:NEAR_POST] if _is_byline(texts[j], author)}
        return [j for j in blocks if texts[j] not in common and j not in byline] or blocks

    # Bylines.

    @cached_property
    def _bylines(self) -> dict[int, dict[str, str]]:
        """Return author and date of each element where they are known.

        The author is in an element that the markup names so, otherwise at the path with the most names, of
        those with different ones.
        """
        near = self._near()
        named = {k: next(filter(None, map(self._named, blocks)), "") for k, blocks in near.items()}
        if not any(named.values()):
            named = self._varying(near)
        shared = _shared_words([name for name in named.values() if name])
        bylines = dict[int, dict[str, str]]()
        for k, blocks in near.items():
            stated = {"author": _without(named.get(k, ""), shared), "date": self._date(blocks)}
            bylines[k] = {name: value for name, value in stated.items() if value}
        return bylines

    def _near(self) -> dict[int, list[int]]:
        """Return the blocks of each element that may be its byline: those around its text, and its first."""
        near, before = defaultdict[int, list[int]](list), Counter[int]()
        for j in np.flatnonzero(self.owner >= 0).tolist():
            k = int(self.owner[j])
            before[k] += bool(self.text[j])
            if len(self.facts.blocks.texts[j]) <= BYLINE and (not self.text[j] or before[k] <= _FIRST_TEXTS):
                near[k].append(j)
        return near

    def _date(self, blocks: Sequence[int]) -> str:
        """Return the first date in some blocks: of ``<time>`` as stated, otherwise of a text."""
        dom, stated = self.facts.dom, list[str]()
        for node in chain.from_iterable(map(self._nodes, blocks)):
            if dom.tags[dom.tag[node]] == "time":
                stated += [self._datetime.get(node, ""), self._text(node)]
        texts = (self.facts.blocks.texts[j] for j in blocks)
        return next(filter(None, map(first_date, chain(stated, texts))), "")

    @cached_property
    def _datetime(self) -> dict[int, str]:
        """The values of the attribute ``datetime``, by node."""
        nodes, number, values = self.facts.dom.distinct_values("datetime")
        return dict(zip(nodes.tolist(), [values[k] for k in number.tolist()], strict=True))

    def _text(self, node: int) -> str:
        """Return the text in a node: as `Dom.text_of`, which is slower for many nodes."""
        dom = self.facts.dom
        return dom.text[dom.text_start[node] : dom.text_start[dom.end[node]]]

    def _nodes(self, block: int) -> Iterator[int]:
        """Yield the nodes from the first text of a block to its last, and three elements around the first."""
        first, parent = int(self.facts.blocks.first[block]), self.facts.dom.parent
        yield from range(first, int(self.facts.blocks.last[block]) + 1)
        for _ in range(3):
            if (first := int(parent[first])) < 0:
                return
            yield first

    def _named(self, block: int) -> str:
        """Return the name in a block that the markup names as author."""
        dom = self.facts.dom
        for node in self._nodes(block):
            if node not in self._authors or dom.text_start[dom.end[node]] - dom.text_start[node] > 2 * BYLINE:
                continue
            text = " ".join(self._text(node).split())
            if 1 < len(text) <= BYLINE and not first_date(text):
                return text
        return ""

    @cached_property
    def _authors(self) -> frozenset[int]:
        """The elements that the markup names as author."""
        dom = self.facts.dom
        named = (dom.nodes_where(name, _NAMES_AUTHOR).tolist() for name in ("itemprop", "rel", "class"))
        return frozenset(chain.from_iterable(named))

    def _varying(self, near: Mapping[int, list[int]]) -> dict[int, str]:
        """Return the texts of the path whose texts are most often there and different."""
        dom, blocks, n = self.facts.dom, self.facts.blocks, max(len(near), 1)
        at = defaultdict[tuple[int, ...], dict[int, str]](dict)
        order: dict[tuple[int, ...], int] = {}
        for k, blocks_of_element in near.items():
            for place, j in enumerate(blocks_of_element):
                if self.text[j]:
                    continue
                for node in range(int(blocks.first[j]), int(blocks.last[j]) + 1):
                    text = " ".join(self._text(node).split()) if dom.tag[node] == 0 else ""
                    if 1 < len(text) <= BYLINE / 2 and any(map(str.isalpha, text)) and not first_date(text):
                        above = int(dom.parent[node])
                        path = int(dom.tag[above]), int(dom.tag[dom.parent[above]])
                        at[path].setdefault(k, text)
                        order.setdefault(path, place)
        scores = {
            path: (len(names) / n + min(len(set(names.values())), 5) / 5, -order[path], path)
            for path, names in at.items()
            if len(names) > n / 2 and len(set(names.values())) > 1
        }
        return at[max(scores, key=scores.__getitem__)] if scores else {}


def _is_byline(text: str, author: str) -> bool:
    """Whether a text contains little besides an author or a date."""
    rest = text.replace(author, "") if author else text
    return len(text) <= BYLINE and (rest != text or bool(first_date(text))) and len(rest) <= BYLINE / 2


def _shared_words(names: Sequence[str]) -> tuple[int, int]:
    """Return how many words all names begin with and end with, such as "wrote"; equal names count once.

    >>> _shared_words(["Posted by Kim", "Posted by Ann Lee"])
    (2, 0)
    """
    split = [name.split() for name in dict.fromkeys(names)]
    if len(split) < 2:
        return 0, 0
    least = min(map(len, split)) - 1

    def same(k: int) -> bool:
        return all(a[k] == b[k] for a, b in pairwise(split))

    begin = next((k for k in range(least) if not same(k)), max(least, 0))
    end = next((k for k in range(max(least - begin, 0)) if not same(-1 - k)), max(least - begin, 0))
    return begin, end


def _without(name: str, shared: tuple[int, int]) -> str:
    words = name.split()
    return " ".join(words[shared[0] : len(words) - shared[1]]).strip(" ,:|·–—-")


def find_posts(facts: PageFacts, main: Float64, comment: Float64) -> Posts | None:
    """Return the comments of a page, None if it has none; main, comment: (b,) probabilities."""
    if not (candidates := groups(facts, main, comment)):
        return None
    date = dated(facts)
    x = group_features(facts, candidates, main, comment, date)
    chance, is_thread = probabilities(thread_models(), {"comments": x, "first": x})
    best = int(chance.argmax())
    if chance[best] < thresholds.LEAST_POSTS:
        return None
    group = whole_posts(facts, candidates[best], date)
    thread = bool(is_thread[best] >= 0.5)
    if thread and len(group) == 1:
        return None
    posts = Posts.of(facts, group, thread, float(chance[best]))
    text = main * facts.letters
    taken = text[posts.comment].sum() / max(text.sum(), 1.0)
    return posts if taken < thresholds.MUCH_TEXT or chance[best] >= thresholds.LEAST_POSTS_OF_TEXT else None


def whole_posts(facts: PageFacts, group: Group, date: Float64) -> Group:
    """Return a group whose elements are whole posts; date: (b,) see `dated`.

    If the dates are between the elements with different parents, and nowhere else, the elements with the same
    parent are parts of one post, such as the texts before and after a quotation.
    """
    parent, dates = facts.containers.parent[group.node], np.append(0.0, date.cumsum())
    same = parent[1:] == parent[:-1]
    between = dates[np.maximum(group.first[1:], group.last[:-1])] > dates[group.last[:-1]]
    inside = dates[group.last] > dates[group.first]
    if not np.array_equal(between, ~same) or same.all() or not same.any() or 2 * inside.sum() > len(group):
        return group
    begin = np.flatnonzero(np.append(True, ~same))
    last = np.maximum.reduceat(group.last, begin)
    return replace(
        group, node=group.node[begin], first=group.first[begin], last=last, repeated=group.repeated[begin]
    )


def _assigned(facts: PageFacts, group: Group, owner: Int64) -> tuple[Int64, NDArray[np.bool_]]:
    """Return the element that each block belongs to, with those between elements; whether it is in one."""
    inside, owner = owner >= 0, owner.copy()
    node, within = container(facts, group), facts.containers
    begin, stop = int(within.first[node]), int(within.last[node])
    texts = np.flatnonzero(inside)
    low, high = int(texts[0]), int(texts[-1])
    heads = range(max(begin, low - NEAR_POST), low)  # what precedes the first element
    before = [k for k in heads if _common_depth(facts, k, low) > within.level[node]]
    outside = np.flatnonzero(~inside)
    for k in outside[(outside > low) & (outside < high)].tolist():
        at = int(np.searchsorted(texts, k))
        previous, following = int(texts[at - 1]), int(texts[at])
        a, b = _common_depth(facts, k, previous), _common_depth(facts, k, following)
        later = b > a or (a == b and bool(len(heads)))
        owner[k] = owner[following] if later else owner[previous]
    if len(heads) and not before:  # as many as there are between the first two
        gap = int(group.first[1] - group.last[0]) if len(group) > 1 else len(heads)
        before = list(heads)[-gap:] if gap > 0 else []
    owner[before] = owner[low]
    last = int(group.node[int(owner[high])])
    while within.parent[last] != node and within.parent[last] > 0 and last > node:
        last = int(within.parent[last])
    owner[high + 1 : min(int(within.last[last]), stop)] = owner[high]
    return owner, inside


def _common_depth(facts: PageFacts, a: int, b: int) -> int:
    """Return the level of the innermost element that has both blocks."""
    within = facts.containers
    node = int(within.holder[a])
    while node and not within.first[node] <= b < within.last[node]:
        node = int(within.wider[node])
    return int(within.level[node])
