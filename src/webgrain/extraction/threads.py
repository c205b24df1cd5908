"""Comments, replies and reviews: parts of a page that repeat and that readers wrote.

    elements --same tags and classes--> groups --features, trees--> the group of posts
             --> is the first one the first post of a thread --> comments with author, date and level

A group is a set of elements with the same tag and first class, or with those of one or two elements above
them, wherever they are: so replies to replies are in the group of the replies. A group may have one element.
Models, learnt by ``experiments/training/threads.py`` on whole sites, judge a group by its texts, its place,
the dates between its elements, and the probabilities of its blocks: the probability that its elements are the
comments of the page, that the first element is no comment, but what they comment on, and that its elements
are the posts of a thread. The first post of a thread is often in a separate element, with other tags and
classes than the answers: a question, a story, the description of a ticket. So the first element of each group
is a candidate, which another model judges (and `webgrain.extraction.openings`). A thread without replies has
a first post only.

What is between two elements belongs to the one with which it has the smaller element in common; with equal
ones, to the next if something precedes the first element, too. There the author and the date of a comment
are: a text that is not the same for all comments, and the first date. The level of a comment is the number of
different depths above it in the DOM, so it is no matter of classes or words.

Their features are in ``groups.csv`` and ``openings.csv``; `webgrain.extraction.groupkernel` computes both.

Cost: passes over the nodes and blocks, and sorting the elements; at most `MOST_GROUPS` groups.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float32, Float64, Int64
from webgrain.base.properties import cached_property
from webgrain.base.trees import BoostedTrees, packaged_trees, probabilities
from webgrain.columns.blocks import NUMBER, PageFacts
from webgrain.documents.content import comments
from webgrain.documents.dates import first_date
from webgrain.documents.parts import Part
from webgrain.documents.parttable import MOST_NESTED
from webgrain.extraction import groupkernel, thresholds
from webgrain.extraction.bylines import (
    is_byline,
    is_written_date,
    may_be_name,
    shared_words,
    states_act,
    without_act,
    without_labels,
    without_shared_words,
)
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.openings import first_before, group_inside
from webgrain.extraction.thresholds import BYLINE, NEAR_POST
from webgrain.extraction.wholepage import kind_names
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.dom import TEXT, Dom, cached_on_page
from webgrain.page.kernels.treepass import depths
from webgrain.page.page import Page
from webgrain.page.paths import text_key
from webgrain.page.tagtables import AttributeBits, TagTable
from webgrain.page.values import Question

FORMAT = "webgrain comments"
_FIRST_TEXTS = 3  # texts at the beginning of a comment that may be its byline (hand-set)
_LONGEST_VALUE = 200  # characters of an attribute that may name an author (hand-set)
_NEARLY = 0.8  # share of the letters of the largest group of replies that another group has (hand-set)
_DIGITS = re.compile(r"\d+")
_AUTHOR = re.compile(r"(?<![a-z])(author|fn|username|user-name|commenter|poster|byline)(?![a-z])", re.I)
_NAMES_AUTHOR = AttributeBits(
    dict.fromkeys(("itemprop", "rel", "class"), lambda value: bool(_AUTHOR.search(value[:_LONGEST_VALUE])))
)
_HAS_NAME = AttributeBits({"class": lambda value: "name" in value[:_LONGEST_VALUE].lower().split()})
_MAY_REPEAT = TagTable(lambda tag: tag not in ("#text", "html", "head", "body", "title"), np.uint8)


@cache
def thread_models() -> dict[str, BoostedTrees]:
    """Return the models that come with webgrain, read once."""
    return packaged_trees("webgrain.extraction", "threads.model", thread_names(), FORMAT)


@cache
def thread_names() -> dict[str, tuple[str, ...]]:
    """Return the names of the models and of their features.

    >>> list(thread_names())[:3]
    ['comments', 'first', 'posts']
    """
    of_kinds = {f"kind {kind}": kind_names() for kind in PAGE_KINDS}
    of_groups = dict.fromkeys(("comments", "first", "posts"), group_names())
    return of_groups | {"opening": opening_names()} | of_kinds


# Groups of similar elements.


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Elements with the same tags and classes.

    Attributes:
        node: (n,) the elements, in document order; first, last: (n,) each has the blocks ``first:last``.
    """

    node: Int64
    first: Int64
    last: Int64

    def __len__(self) -> int:
        return len(self.node)

    def behind(self, block: int) -> Group | None:
        """Return the elements that do not end before a block, None for none."""
        kept = self.last > block
        return Group(self.node[kept], self.first[kept], self.last[kept]) if kept.any() else None

    def owner(self, blocks: int) -> Int64:
        """(b,) the innermost element, by its number, that has each block; -1 for none."""
        owner = np.full(blocks, -1, np.int64)
        for k, (start, stop) in enumerate(zip(self.first.tolist(), self.last.tolist(), strict=True)):
            owner[start:stop] = k
        return owner


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Sequence[Group]):
    """The groups of a page.

    Attributes:
        offset: (g + 1,) a group has the elements ``offset[k]:offset[k + 1]``.
        node, first, last: (m,) as in `Group`, of all elements.
        alike: (g,) how many elements of the page have the tag and class of the first one.
    """

    offset: Int64
    node: Int64
    first: Int64
    last: Int64
    alike: Int64

    def __len__(self) -> int:
        return len(self.alike)

    def __getitem__(self, number: Any) -> Any:
        """Return a group by its number."""
        if isinstance(number, slice):
            return [self[k] for k in range(len(self))[number]]
        k = range(len(self))[number]
        members = slice(self.offset[k], self.offset[k + 1])
        return Group(self.node[members], self.first[members], self.last[members])


def groups(facts: PageFacts, main: Float64, comment: Float64) -> Groups:
    """Return the groups of a page with text that may be main text or comments, most such text first.

    main, comment: (b,) probabilities.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<nav>Home<ul><li class=post>One is longer than two.<li class=post>Two</ul>")
    >>> facts = PageFacts(page.dom, text_blocks(page))
    >>> [len(group) for group in groups(facts, np.array([0.0, 1.0, 1.0]), np.zeros(3))]
    [1, 1, 2]
    """
    return Groups(
        *groupkernel.similar_elements(
            facts.tree,
            _MAY_REPEAT.of_nodes(facts.dom),
            _kinds(facts.dom),
            facts.letters,
            np.maximum(main, comment) * facts.letters,
            thresholds.LEAST_GROUP,
            thresholds.LEAST_SHARE,
            thresholds.MOST_GROUPS,
        )
    )


@cached_on_page
def _kinds(dom: Dom) -> Int64:
    """(n,) equal for nodes with the same tag and first class; digits in classes do not count.

    The order of groups with the same text depends on these numbers, so they are in the order of the page.
    """
    attributes, nodes = dom.find_attribute("class")
    kinds: Int64 = groupkernel.element_kinds(dom.tag, len(dom.tags), nodes, dom.ask(_FIRST_CLASS, attributes))
    return kinds


def _first_class(classes: str) -> int:
    """Return the key of the first class of an element in lower case without digits, 0 for no class."""
    names = classes.split(None, 1)
    return text_key(_DIGITS.sub("", names[0]).lower()) if names else 0


_FIRST_CLASS = Question(_first_class, np.uint64)


def dated(facts: PageFacts) -> Float64:
    """(b,) 1 for short texts with a date and texts in ``<time>``, else 0."""
    is_dated: Float64 = (facts.hint[:, NUMBER["time element"]] > 0).astype(np.float64)
    digits = facts.texts["digits"] * facts.texts["characters"]
    for k in ((digits >= 3) & (facts.texts["characters"] <= BYLINE)).nonzero()[0].tolist():
        is_dated[k] = is_dated[k] or bool(first_date(facts.blocks.texts[k]))
    return is_dated


def author_elements(dom: Dom) -> Int64:
    """Return the elements that the markup names as author, in document order."""
    authors: Int64 = _NAMES_AUTHOR.of_nodes(dom).nonzero()[0]
    return authors


# Features of groups.


_NAMES = names_by_group("groups.csv")
_HINT, _FIRST_HINT = (
    np.array([NUMBER[name.removeprefix(f"{kind} ")] for name in _NAMES[kind]])
    for kind in ("hint", "first hint")
)


_ALL_NAMES = [*chain.from_iterable(_NAMES.values())]
_HINT_OF_REPLIES = [_ALL_NAMES.index(name) for name in ("hint comment", "distinct")]
_SHARE_OF_TEXT = _ALL_NAMES.index("share of the text")


@cache
def group_names() -> tuple[str, ...]:
    """Return the names of the features of a group.

    >>> group_names()[0], len(group_names())
    ('members', 71)
    """
    return tuple(chain.from_iterable(_NAMES.values()))


def group_features(
    facts: PageFacts, candidates: Groups, main: Float64, comment: Float64, date: Float64, thread: float
) -> Float32:
    """Return the features (g, f) of groups; their names are `group_names`.

    main, comment: (b,) probabilities; date: see `dated`; thread: the probability that the page is a thread.
    """
    table = np.empty((len(group_names()), len(candidates.alike)), np.float32)
    if not len(candidates.alike):
        return table.T
    dom, letters, tree = facts.dom, facts.letters, facts.tree
    heading = facts.hint[:, NUMBER["heading element"]] > 0
    mass = np.maximum(main, comment) * letters
    of_blocks = (
        *(letters + 0.5, letters * main, letters * comment, mass, facts.linked * letters, facts.prose),
        *(letters * 0.0 + 1.0, date, heading, facts.texts["points"]),
    )
    own = len(_NAMES["own"])
    groupkernel.group_features(
        table[:own],
        candidates.offset,
        candidates.node,
        candidates.first,
        candidates.last,
        candidates.alike,
        tree,
        groupkernel.most_repeated(tree, _MAY_REPEAT.of_nodes(dom), _kinds(dom)),
        facts.kinds,
        np.array(of_blocks),
        facts.text_number,
        NEAR_POST,
    )
    hints = facts.hint.T
    groupkernel.hint_features(table[own:], candidates.offset, candidates.first, hints, _HINT, _FIRST_HINT)
    table[-1] = thread
    return table.T


# The posts of a page.


@dataclass(frozen=True, eq=False)
class Posts:
    """The comments of a page.

    Attributes:
        facts, group: the page; the elements of the comments, and of the first post of a thread.
        thread: whether the first element is the first post.
        probability: that these are the comments of the page.
        owner: (b,) the element that each block belongs to, -1 for none; text: (b,) True in the elements.
        replies: the comments on posts; None if there are none.
        alike: whether the first post of a thread and the others are elements of one group.
    """

    facts: PageFacts
    group: Group
    thread: bool
    probability: float
    owner: Int64
    text: NDArray[np.bool_]
    replies: Posts | None = None
    alike: bool = False

    @classmethod
    def of(cls, facts: PageFacts, group: Group, thread: bool, probability: float) -> Self:
        """Return the comments in the elements of a group."""
        spans = group.node, group.first, group.last
        owner, inside = groupkernel.block_owners(*spans, facts.tree, facts.holder, NEAR_POST)
        return cls(facts, group, thread, probability, owner, inside >= 0)

    @property
    def comment(self) -> NDArray[np.bool_]:
        """(b,) True for blocks of comments, with their authors and dates."""
        return self.owner >= int(self.thread)

    @property
    def byline(self) -> dict[str, str]:
        """Author and date of the first post of a thread."""
        return self.bylines.get(0, {}) if self.thread else {}

    def has_text(self, main: Float64) -> bool:
        """Whether half of the expected main text is in the elements; main: (b,) the probabilities."""
        text = main * self.facts.letters
        return bool(text[self.text].sum() >= thresholds.TEXT_OF_THREAD * text.sum())

    def parts(self, page: Page, scores: Float64) -> tuple[Part, ...]:
        """Return the comments, each with the replies to it; scores: (b,) of the blocks."""
        rows = self._rows(scores)
        if self.replies is not None:
            level = dict(zip(range(len(self.group)), self._levels(), strict=True))
            posts = self.owner[self.replies.group.first].tolist()
            # A reply to the first post of a thread is on the level of the other posts.
            above = [-1 if self.thread and k == 0 else level[k] for k in posts]
            own = zip(self.replies._rows(scores), above, strict=True)
            rows = sorted([*rows, *(row._replace(level=outer + 1) for row, outer in own)], key=_node_of)
        nodes, levels, known, chosen = zip(*rows, strict=True) if rows else ((), (), (), ())
        return comments(page, self.facts.blocks, nodes, levels, known, chosen, scores)

    def _rows(self, scores: Float64) -> list[_Row]:
        """Return the comments, without the first post of a thread."""
        common, inside = self._common(), np.flatnonzero(self.text)
        is_text = self._probable(scores).tolist()
        order = inside[np.argsort(self.owner[inside], kind="stable")]
        bounds = np.searchsorted(self.owner[order], np.arange(len(self.group) + 1))
        levels = self._levels()
        rows = list[_Row]()
        for k in range(int(self.thread), len(self.group)):
            blocks = order[bounds[k] : bounds[k + 1]].tolist()
            chosen = self._kept(k, [j for j in blocks if is_text[j]] or blocks, common)
            rows.append(_Row(int(self.group.node[k]), levels[k], self.bylines.get(k, {}), chosen))
        return rows

    def _levels(self) -> list[int]:
        """Return the level of each element: the rank of its depth among those of the comments."""
        depth = depths(self.facts.dom.parent)[self.group.node]
        known = {value: k for k, value in enumerate(np.unique(depth[int(self.thread) :]).tolist())}
        return [min(known.get(value, 0), MOST_NESTED) for value in depth.tolist()]

    def _probable(self, scores: Float64) -> NDArray[np.bool_]:
        """(b,) False at paths whose blocks in the posts are rarely text, such as signatures and buttons."""
        path, weight = self.facts.path_group, np.where(self.text, self.facts.letters + 1.0, 0.0)
        mean = np.bincount(path, weight * scores) / np.maximum(np.bincount(path, weight), 1.0)
        probable: NDArray[np.bool_] = mean[path] >= thresholds.LEAST_TEXT_OF_POST
        return probable

    def _common(self) -> set[str]:
        """Return the short texts that most elements have, such as the labels of buttons."""
        texts, n, owner = self.facts.blocks.texts, len(self.group), self.owner.tolist()
        if n <= 2:
            return set()
        short = (self.owner >= 0) & (self.facts.texts["characters"] <= BYLINE / 3)
        pairs = {(texts[j], owner[j]) for j in np.flatnonzero(short).tolist()}
        times = Counter([text for text, _ in pairs])
        return {text for text, number in times.items() if number > n / 2}

    def _kept(self, k: int, blocks: list[int], common: set[str]) -> list[int]:
        """Return the blocks of a comment without its byline; blocks: those in its element."""
        texts, author = self.facts.blocks.texts, self.bylines.get(k, {}).get("author", "")
        byline = {j for j in blocks[:NEAR_POST] if self._is_short[j] and is_byline(texts[j], author)}
        return [j for j in blocks if texts[j] not in common and j not in byline] or blocks

    @cached_property
    def _is_short(self) -> list[bool]:
        """Whether each block may be a byline."""
        short: list[bool] = (self.facts.texts["characters"] <= BYLINE).tolist()
        return short

    # Bylines.

    @cached_property
    def bylines(self) -> dict[int, dict[str, str]]:
        """Return author and date of each element where they are known.

        The author is in an element that the markup names so, otherwise in one of the class ``name``,
        otherwise at the path with the most names, of those with different ones. Headings of columns are no
        names.
        """
        near, dom = self._near(), self.facts.dom
        named = self._named(near, author_elements(dom))
        if not any(named.values()):
            named = self._named(near, _HAS_NAME.of_nodes(dom).nonzero()[0])
        if not any(named.values()):
            named = self._varying(near)
        shared = shared_words([name for name in named.values() if name])
        times = self._marked(near, dom.find_tag("time"))
        bylines = dict[int, dict[str, str]]()
        for k, blocks in near.items():
            author = without_shared_words(named.get(k, ""), shared)
            stated = {"author": author, "date": self._date(blocks, times.get(k, ()))}
            bylines[k] = {name: value for name, value in stated.items() if value}
        return bylines

    def _named(self, near: Mapping[int, list[int]], elements: Int64) -> dict[int, str]:
        """Return the names in some elements near the posts; elements: in document order."""
        if not len(elements):
            return {}
        is_head = self.facts.dom.tagged("th")
        nodes = self._marked(near, elements[~is_head[elements]])
        return {k: self._name(of_post) for k, of_post in nodes.items()}

    def _near(self) -> dict[int, list[int]]:
        """Return the blocks of each element that may be its byline: those around its text, and its first."""
        near, before = defaultdict[int, list[int]](list), [0] * len(self.group)
        of_posts = self.owner >= 0
        if self.replies is not None:
            of_posts &= ~self.replies.text  # they state other authors and dates
        blocks = np.flatnonzero(of_posts)
        rows = zip(blocks.tolist(), self.owner[blocks].tolist(), self.text[blocks].tolist(), strict=True)
        for j, k, inside in rows:
            before[k] += inside
            if self._is_short[j] and (not inside or before[k] <= _FIRST_TEXTS):
                near[k].append(j)
        return near

    def _marked(self, near: Mapping[int, list[int]], marked: Int64) -> dict[int, list[int]]:
        """Return the marked nodes of the blocks of each element, block by block.

        marked: in document order. The nodes of a block are those from its first text to its last, and three
        elements around the first.
        """
        dom, of_element = self.facts.dom, dict[int, list[int]]()
        if not len(marked):
            return of_element
        blocks = np.array([*chain.from_iterable(near.values())], np.int64)
        owner = [k for k, blocks_of_element in near.items() for _ in blocks_of_element]
        first, last = self.facts.blocks.first[blocks], self.facts.blocks.last[blocks]
        spans = np.searchsorted(marked, np.stack([first, last + 1], axis=1)).tolist()
        is_marked = np.zeros(len(dom) + 1, np.bool_)  # the last is for what is above the root
        is_marked[marked] = True
        parent = np.append(dom.parent, -1)
        around, above = np.zeros((len(blocks), 3), np.int64), first
        for step in range(3):
            above = parent[above]
            around[:, step] = np.where(is_marked[above], above, -1)
        numbers = marked.tolist()
        for k, (a, b), outer in zip(owner, spans, around.tolist(), strict=True):
            nodes = [*numbers[a:b], *[node for node in outer if node >= 0]]
            if nodes:
                of_element.setdefault(k, []).extend(nodes)
        return of_element

    def _date(self, blocks: Sequence[int], times: Sequence[int]) -> str:
        """Return the first date in some blocks: of ``<time>`` as stated, otherwise of a text.

        If none states its year, it is the text of the first ``<time>`` with a digit, as the page writes it.
        """
        stated = list[str]()
        for node in times:
            stated += [self._datetime.get(node, ""), self._text(node)]
        texts = [self.facts.blocks.texts[j] for j in blocks]
        date = next(filter(None, map(first_date, chain(stated, texts))), "")
        return date or next(filter(is_written_date, map(self._line, times)), "")

    @cached_property
    def _datetime(self) -> dict[int, str]:
        """The values of the attribute ``datetime``, by node."""
        nodes, number, values = self.facts.dom.distinct_values("datetime")
        return dict(zip(nodes.tolist(), [values[k] for k in number.tolist()], strict=True))

    def _line(self, node: int) -> str:
        """Return the text in a node with single spaces."""
        return " ".join(self._text(node).split())

    def _text(self, node: int) -> str:
        """Return the text in a node: as `Dom.text_of`, which is slower for many nodes."""
        dom = self.facts.dom
        return dom.text[dom.text_start[node] : dom.text_start[dom.end[node]]]

    def _name(self, nodes: Sequence[int]) -> str:
        """Return the first name in some nodes."""
        dom = self.facts.dom
        for node in nodes:
            if dom.text_start[dom.end[node]] - dom.text_start[node] > 2 * BYLINE:
                continue
            text = without_act(self._line(node))
            if 1 < len(text) <= BYLINE and not first_date(text):
                return text
        return ""

    def _varying(self, near: Mapping[int, list[int]]) -> dict[int, str]:
        """Return the texts of the path whose texts are most often there and different.

        Blocks of the text of a comment count only if they contain a day, or an act of a reader and its time;
        sentences are no names. Neither are labels, which nearly all posts have at the path beside their
        names, and numbers behind the same words.
        """
        dom, blocks, n = self.facts.dom, self.facts.blocks, max(len(near), 1)
        tag, parent, within = dom.tag, dom.parent, self.text.tolist()
        at = defaultdict[tuple[int, int], dict[int, list[str]]](dict)
        order: dict[tuple[int, int], int] = {}
        for k, blocks_of_element in near.items():
            for place, j in enumerate(blocks_of_element):
                if within[j] and not (states_act(blocks.texts[j]) or first_date(blocks.texts[j])):
                    continue
                first, last = int(blocks.first[j]), int(blocks.last[j])
                for node in (first + np.flatnonzero(tag[first : last + 1] == TEXT)).tolist():
                    text = without_act(self._line(node))
                    if 1 < len(text) <= BYLINE / 2 and may_be_name(text):
                        above = int(parent[node])
                        path = int(tag[above]), int(tag[parent[above]])
                        at[path].setdefault(k, []).append(text)
                        order.setdefault(path, place)
        best: tuple[float, int, tuple[int, int]] | None = None
        names_at_best = dict[int, str]()
        for path, texts in at.items():
            names = without_labels(texts) if len(texts) > n / 2 else {}
            if len(names) <= n / 2 or len(set(names.values())) < 2:
                continue
            score = len(names) / n + min(len(set(names.values())), 5) / 5, -order[path], path
            if best is None or score > best:
                best, names_at_best = score, names
        return names_at_best


class _Row(NamedTuple):
    """A comment: its element, level, author and date, and text blocks."""

    node: int
    level: int
    known: dict[str, str]
    blocks: list[int]


def _node_of(row: _Row) -> int:
    return row.node


@dataclass(frozen=True, slots=True, eq=False)
class JudgedGroups:
    """The groups of similar elements of a page with the probabilities of the models.

    Attributes:
        groups, x: the groups and their features (g, f); date: (b,) see `dated`.
        posts: (g,) that the elements are the comments of the page, or the posts of a thread; first: (g,) that
            the first element is the first post of a thread.
        models: the models by name (`thread_names`).
    """

    groups: Groups
    x: Float32
    date: Float64
    posts: Float64
    first: Float64
    models: Mapping[str, BoostedTrees]

    @property
    def best(self) -> int:
        """The number of the most probable group."""
        return int(self.posts.argmax())


def judged_groups(
    facts: PageFacts,
    main: Float64,
    comment: Float64,
    thread: float,
    models: Mapping[str, BoostedTrees] | None = None,
) -> JudgedGroups | None:
    """Return the groups of a page, None if it has none.

    main, comment: (b,) probabilities; thread: the probability that the page is a thread. models: by name
    (`thread_names`); None: those that come with webgrain.
    """
    if not (candidates := groups(facts, main, comment)):
        return None
    date = dated(facts)
    x = group_features(facts, candidates, main, comment, date, thread)
    models = models or thread_models()
    posts, first = probabilities([models["comments"], models["first"]], x)
    return JudgedGroups(candidates, x, date, posts, first, models)


def page_posts(
    facts: PageFacts,
    main: Float64,
    comment: Float64,
    judged: JudgedGroups | None,
    likely: bool,
    sure: bool,
    title: int = -1,
) -> tuple[Posts | None, bool]:
    """Return the posts or comments of a page, None if it has none, and whether the page is a thread.

    main, comment: (b,) probabilities; likely: the kind of the page is thread; sure: it is one in any case;
    title: the block of the title, -1 for the head. A page that is no sure thread is one only if its first
    post is alike the others and all have half of the expected main text.
    """
    if likely:
        posts = None if judged is None else thread_posts(facts, main, comment, judged, title)
        has_text = posts is not None and posts.alike and posts.has_text(main)
        if has_text or sure:
            return posts, True
    return find_comments(facts, main, comment, judged), False


def find_comments(
    facts: PageFacts, main: Float64, comment: Float64, judged: JudgedGroups | None
) -> Posts | None:
    """Return the comments of a page that is not a thread, None if it has none.

    main, comment: (b,) probabilities.
    """
    if judged is None:
        return None
    text = main * facts.letters
    for k in np.argsort(-judged.posts, kind="stable").tolist():
        chance = float(judged.posts[k])
        if chance < thresholds.LEAST_POSTS:
            break
        posts = comments_of_group(facts, judged, k)
        if posts is None:
            break
        taken = text[posts.comment].sum() / max(text.sum(), 1.0)
        if taken < thresholds.MOST_TEXT:
            sure = chance >= thresholds.LEAST_POSTS_OF_TEXT
            return posts if sure or taken < thresholds.MUCH_TEXT else None
    return None


def comments_of_group(facts: PageFacts, judged: JudgedGroups, number: int) -> Posts | None:
    """Return the comments in a group, None if it has a first post only."""
    group = whole_posts(facts, judged.groups[number], judged.date)
    thread = bool(judged.first[number] >= 0.5)
    if thread and len(group) == 1:
        return None
    return Posts.of(facts, group, thread, float(judged.posts[number]))


def thread_posts(
    facts: PageFacts, main: Float64, comment: Float64, judged: JudgedGroups, title: int = -1
) -> Posts | None:
    """Return the posts of a thread with its first post, wherever it is; None if it has none.

    main, comment: (b,) probabilities; title: the block of the title, -1 for the head. No post ends before it.
    """
    [chances] = probabilities([judged.models["posts"]], judged.x)
    of_thread = replace(judged, posts=chances)
    best = thread_group(of_thread)
    chance = float(chances[best])
    x = opening_features(facts, of_thread, best, main, comment)
    [opening] = probabilities([judged.models["opening"]], x)
    opening[judged.groups.last[judged.groups.offset[:-1]] <= title] = 0.0
    is_first, is_before = (x[:, opening_names().index(name)] > 0 for name in ("is first", "is before"))
    group = None
    if chance >= thresholds.LEAST_POSTS_OF_THREAD:
        group = whole_posts(facts, judged.groups[best], judged.date).behind(title)
    if group is not None:
        opening = np.where(is_first | is_before, opening, 0.0)
    k = int(opening.argmax())
    if group is not None and is_first[k]:
        begin = judged.groups.offset[:-1]
        elements = judged.groups.first[begin], judged.groups.last[begin]
        k = first_before(k, opening, elements, (group.first, group.last), main, facts.letters, title)
    thread = bool(opening[k] >= thresholds.OPENING)
    alike = thread and group is not None and len(group) > 1 and bool(is_first[k])
    if thread and (group is None or not is_first[k]):
        group = with_first(judged.groups[k], group)
    if group is None:
        return None
    posts = Posts.of(facts, group, thread, chance)
    return replace(posts, replies=find_replies(posts, judged, best), alike=alike)


def with_first(opening: Group, group: Group | None) -> Group:
    """Return the first element of a group with those of another group after it; None: there are no others."""
    node, first, last = (array[:1] for array in (opening.node, opening.first, opening.last))
    if group is None:
        return Group(node, first, last)
    joined = (np.append(a, b) for a, b in ((node, group.node), (first, group.first), (last, group.last)))
    return Group(*joined)


def thread_group(judged: JudgedGroups) -> int:
    """Return the number of the group with the posts of a thread."""
    of_groups = judged.posts, judged.x[:, _SHARE_OF_TEXT]
    spans = judged.groups.offset, judged.groups.first, judged.groups.last
    return with_replies(judged, group_inside(with_question(judged), *of_groups, *spans))


def with_question(judged: JudgedGroups) -> int:
    """Return the number of the most probable group, or of the same group with one more element before it.

    A question is often alone in its container, so that the group of the answers alone is as probable.
    """
    nodes = judged.groups[judged.best].node
    for k, group in enumerate(judged.groups):
        is_same = np.array_equal(group.node[1:], nodes)
        if is_same and judged.posts[k] >= judged.posts[judged.best] / 2 and judged.first[k] >= 0.5:
            return k
    return judged.best


def with_replies(judged: JudgedGroups, best: int) -> int:
    """Return the number of a group, or of the most probable one behind it if it has one element only.

    best: the most probable group. One element may be the first post, and what follows it the replies.
    """
    if len(judged.groups[best]) > 1:
        return best
    begin = judged.groups.first[judged.groups.offset[:-1]]
    behind = np.where(begin >= judged.groups[best].last[0], judged.posts, 0.0)
    k = int(behind.argmax())
    return k if behind[k] >= thresholds.LEAST_POSTS else best


def find_replies(posts: Posts, judged: JudgedGroups, best: int) -> Posts | None:
    """Return the comments on the posts of a thread, None if there are none.

    They are probably comments, elements between the posts and not in them, each of one post, with the hint of
    a comment. Of several groups with nearly all text of the largest one, the one with most elements has them.
    best: the number of the group of the posts.
    """
    letters = np.append(0.0, posts.facts.letters.cumsum())
    texts = np.append(0, posts.text.cumsum())
    found = list[tuple[float, Group]]()
    columns = judged.posts, *judged.x[:, _HINT_OF_REPLIES].T
    for group, chance, hint, distinct in zip(judged.groups, *columns, strict=True):
        if chance < thresholds.LEAST_REPLIES:
            continue
        owner = posts.owner[group.first]
        same = (owner >= 0) & (owner == posts.owner[group.last - 1])
        outside = texts[group.first] == texts[group.last]
        if hint > judged.x[best, _HINT_OF_REPLIES[0]] and distinct > 0.5 and (same & outside).all():
            found.append((float((letters[group.last] - letters[group.first]).sum()), group))
    most = max((size for size, _ in found), default=0.0)
    whole = [group for size, group in found if size >= _NEARLY * most]
    return Posts.of(posts.facts, max(whole, key=len), False, posts.probability) if whole else None


def whole_posts(facts: PageFacts, group: Group, date: Float64) -> Group:
    """Return a group whose elements are whole posts; date: (b,) see `dated`.

    If the dates are between the elements with different parents, and nowhere else, the elements with the same
    parent are parts of one post, such as the texts before and after a quotation.
    """
    parent, dates = facts.parent[group.node], np.append(0.0, date.cumsum())
    same = parent[1:] == parent[:-1]
    between = dates[np.maximum(group.first[1:], group.last[:-1])] > dates[group.last[:-1]]
    inside = dates[group.last] > dates[group.first]
    if not np.array_equal(between, ~same) or same.all() or not same.any() or 2 * inside.sum() > len(group):
        return group
    begin = np.flatnonzero(np.append(True, ~same))
    last = np.maximum.reduceat(group.last, begin)
    return Group(group.node[begin], group.first[begin], last)


# The first post of a thread.


_OPENING_NAMES = names_by_group("openings.csv")
_OPENING_HINTS = np.array([NUMBER[name.removeprefix("hint ")] for name in _OPENING_NAMES["hint"]])


@cache
def opening_names() -> tuple[str, ...]:
    """Return the names of the features of an element that may be the first post.

    >>> opening_names()[0], opening_names()[-1]
    ('letters', 'thread')
    """
    return tuple(chain.from_iterable(_OPENING_NAMES.values()))


def opening_features(
    facts: PageFacts, judged: JudgedGroups, best: int, main: Float64, comment: Float64
) -> Float32:
    """Return the features (g, f) of the first element of each group; their names are `opening_names`.

    best: the number of the group of the posts. main, comment: (b,) probabilities.
    """
    begin = judged.groups.offset[:-1]
    first, last = judged.groups.first[begin], judged.groups.last[begin]
    letters, mass = facts.letters, np.maximum(main, comment) * facts.letters
    of_blocks = np.array(
        [
            *(letters, letters * main, letters * comment, mass, facts.linked * letters, facts.prose),
            *(facts.texts["points"], judged.date, facts.hint[:, NUMBER["heading element"]] > 0),
        ]
    )
    before = np.zeros((len(of_blocks), len(letters) + 1))
    np.cumsum(of_blocks, axis=1, out=before[:, 1:])
    inside, page = before[:, last] - before[:, first], before[:, -1]
    size = np.maximum(inside[0], 0.5)
    blocks = (last - first).astype(np.float64)
    dates, headings = before[7], before[8]
    low, high = np.maximum(first - NEAR_POST, 0), np.minimum(last + NEAR_POST, len(letters))
    members = np.diff(judged.groups.offset)
    posts = judged.groups[best]
    start, stop = int(posts.first[0]), int(posts.last[0])
    of_posts = before[:, posts.last] - before[:, posts.first]
    columns = [
        np.log1p(size),
        inside[3] / max(page[3], 1.0),
        inside[1] / max(page[1], 1.0),
        inside[1] / size,
        inside[2] / size,
        inside[4] / size,
        inside[5] / size,
        inside[6] / size,
        np.log1p(blocks),
        np.log1p(size / blocks),
        np.log1p(inside[7]),
        np.log1p(dates[first] - dates[low]),
        np.log1p(dates[high] - dates[last]),
        np.log1p(inside[8]),
        np.log1p(headings[first] - headings[low]),
        before[1, first] / max(page[1], 1.0),
        first / len(letters),
        facts.kinds[judged.groups.node[begin]],
        np.log1p(members),
        judged.posts,
        judged.first,
        np.full(len(first), judged.posts[best]),
        np.full(len(first), np.log1p(len(posts))),
        (first == start) & (last == stop),
        last <= start,
        (first <= start) & (last >= stop) & (last - first > stop - start),
        (first >= start) & (last <= stop) & (last - first < stop - start),
        np.log1p(np.maximum(before[0, start] - before[0, last], 0.0)),
        np.log1p(size) - np.log1p(max(of_posts[0].mean(), 0.5)),
        np.full(len(first), of_posts[7].mean()),
        *facts.hint[first][:, _OPENING_HINTS].T,
        np.full(len(first), judged.x[0, -1]),
    ]
    return np.array(columns, np.float32).T
