"""Groups of similar elements and their features by array operations and Python loops.

The reference of `webgrain.extraction.groupkernel`: the same values, in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from tests.tables import FeatureColumns, table_of

from webgrain.base.arrays import Float32, Float64, Int64
from webgrain.columns.blocks import BLOCK_HINTS, PageFacts
from webgrain.extraction import thresholds
from webgrain.extraction.thresholds import NEAR_POST
from webgrain.page.kernels.treepass import sibling_numbers
from webgrain.page.values import Question

_DIGITS = re.compile(r"\d+")
_HINTS = (
    *("comment", "review", "forum", "user", "related", "list", "card", "text", "article", "main", "sidebar"),
    *("footer", "navigation", "list element", "table element", "article element", "reply property"),
    *("reply type", "time element", "aside element", "form element"),
)
_FIRST_HINTS = ("comment", "review", "forum", "user", "related")
_HINT, _FIRST_HINT = ([BLOCK_HINTS.index(name) for name in names] for names in (_HINTS, _FIRST_HINTS))


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


class Tree:
    """The rows of the tree of a page by name."""

    def __init__(self, facts: PageFacts) -> None:
        self.holder = facts.holder
        self.parent, self.begin, self.stop, self.wider, self.level = facts.tree


def groups(facts: PageFacts, main: Float64, comment: Float64) -> list[Group]:
    """Return the groups of a page with text that may be main text or comments, most such text first.

    main, comment: (b,) probabilities.
    """
    dom, within, letters = facts.dom, Tree(facts), facts.letters
    inner = ~dom.tagged("#text", "html", "head", "body", "title")
    nodes = np.flatnonzero((within.stop > within.begin) & inner)
    kinds = _kinds(facts)
    size = int(kinds.max()) + 1
    of_letters, of_mass = (np.append(0.0, x.cumsum()) for x in (letters, np.maximum(main, comment) * letters))
    repeated = _repeated(facts, nodes, kinds)
    number = np.bincount(kinds[nodes], minlength=size)
    first, last = within.begin[nodes], within.stop[nodes]
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
    within = Tree(facts)
    kind_of, above = np.full(len(kinds), -1, np.int32), within.parent[nodes]
    kind_of[nodes] = kinds[nodes]
    most = np.zeros(len(kinds))
    np.maximum.at(most, above, sibling_numbers(facts.dom.parent, kind_of)[1][nodes])
    same = (within.begin[above] == within.begin[nodes]) & (within.stop[above] == within.stop[nodes])
    inner = np.arange(len(kinds))
    inner[above[same]] = nodes[same]  # the only child with blocks
    while not np.array_equal(further := inner[inner], inner):
        most, inner = np.maximum(most, most[inner]), further
    return np.maximum(most, most[inner])


_NAMES = (
    *("members", "letters", "median letters", "least letters", "variation", "share of the page"),
    *("main", "comment", "highest main", "highest comment", "first main", "first comment"),
    *("other main", "other comment", "share of the text", "text before", "text after", "share of main"),
    *("page main", "page comment", "between", "letters between", "linked", "prose", "blocks"),
    *("dates", "dates around", "dates after", "dates before", "blocks around", "share of the container"),
    *("headings", "headings around", "begin", "end", "distinct", "nested", "tag", "repeated"),
    *("mean repeated", "alike", "points", "lowest text", "text ratio"),
)


def group_names() -> tuple[str, ...]:
    """Return the names of the features of a group."""
    return (
        *_NAMES,
        *(f"hint {name}" for name in _HINTS),
        *(f"first hint {name}" for name in _FIRST_HINTS),
        "thread",
    )


def group_features(
    facts: PageFacts,
    candidates: Sequence[Group],
    main: Float64,
    comment: Float64,
    date: Float64,
    thread: float,
) -> Float32:
    """Return the features (g, f) of groups; their names are `group_names`.

    main, comment: (b,) probabilities; date: see `dated`; thread: the probability that the page is a thread.
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
    values = chain(values, [("thread", np.full(len(candidates), thread))])
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
    begin, stop = facts.tree[1:3, node]
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
    text = sums[:, 3] / size
    lowest, highest = np.minimum.reduceat(text, start), np.maximum.reduceat(text, start)
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
        *(lowest, lowest / np.maximum(highest, 1e-6)),
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
    within, node = Tree(facts), int(group.node[0])
    low, high = group.first.min(), group.last.max()
    node = int(within.wider[node]) if len(group) == 1 else node
    while node and (within.begin[node] > low or within.stop[node] < high):
        node = int(within.wider[node])
    return node


def assigned(facts: PageFacts, group: Group, owner: Int64) -> tuple[Int64, NDArray[np.bool_]]:
    """Return the element that each block belongs to, with those between elements; whether it is in one."""
    inside, owner = owner >= 0, owner.copy()
    node, within = container(facts, group), Tree(facts)
    begin, stop = int(within.begin[node]), int(within.stop[node])
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
    elif len(heads) and len(group) > 1:  # as many more as are in other rows before the second one
        second = int(group.first[1])
        rows = [
            k
            for k in range(int(group.last[0]), second)
            if owner[k] == owner[second] and _common_depth(facts, k, second) <= within.level[node]
        ]
        before += range(max(heads[0], before[0] - len(rows)), before[0])
    owner[before] = owner[low]
    last = int(group.node[int(owner[high])])
    while within.parent[last] != node and within.parent[last] > 0 and last > node:
        last = int(within.parent[last])
    owner[high + 1 : min(int(within.stop[last]), stop)] = owner[high]
    return owner, inside


def _common_depth(facts: PageFacts, a: int, b: int) -> int:
    """Return the level of the innermost element that has both blocks."""
    within = Tree(facts)
    node = int(within.holder[a])
    while node and not within.begin[node] <= b < within.stop[node]:
        node = int(within.wider[node])
    return int(within.level[node])
