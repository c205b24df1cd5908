"""The features of blocks by array operations, without kernels: what the kernels must compute.

Written before the kernels; sums, groups and intervals are found by sorting, counting and painting.
"""

from __future__ import annotations

import zlib
from collections import Counter
from functools import cached_property, reduce
from itertools import chain
from operator import or_

import numpy as np
from tests.tables import names_of, table_of

from webgrain.columns import blocks as tested
from webgrain.columns import thresholds
from webgrain.columns.blocks import BLOCK_HINTS, NUMBER, TITLE, class_key
from webgrain.columns.factkernel import MARK, POINT, SPACE
from webgrain.page.dom import TEXT
from webgrain.page.kernels.treepass import depths, innermost

_CLASS = tested._CLASS
_WORDS_USED, _COMMON, _VALUE_LENGTH, _PROBE = 160, 20, 200, 40
_KIND_OF_TAGS, _H1, _STEPS, _PRIME = tested._KIND_OF_TAGS, tested._H1, 6, 0x100000001B3
_UP, _DOWN, BODIES, _FAR = (0, 1, 3), (0, 1, 3), (0.55, 0.8), 100
_COUNTED = ("p", "li", "article", "td", "pre", "img", "form", "section")


def text_features(texts, title, description=""):
    """Return numbers (b,) of each text; white space must be collapsed.

    characters, words, points, commas, money: counts; digits, capitals: shares of the characters; marks: per
    word; common: share of the first words that are frequent on the page; repeats: blocks with the same text;
    likeness: similarity to the title; described: share of the words that the description has.
    """
    size = np.array([len(text) for text in texts], np.float64)
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    owner = np.repeat(np.arange(len(texts)), size.astype(np.int64) + 1)[: len(codes)]
    code = _CLASS.take(codes, mode="clip")
    code[np.cumsum(size[:-1] + 1).astype(np.int64) - 1] = 0  # the line ends between texts
    counts = np.bincount(owner * 8 + code, minlength=8 * len(texts)).reshape(-1, 8).astype(np.float64)
    words, length, times = counts[:, SPACE] + 1.0, np.maximum(size, 1.0), Counter(texts)
    split = "\n".join([text[:_WORDS_USED] for text in texts]).lower().split("\n")
    words_of = [text.split() for text in split] if texts else []
    frequent = {word for word, _ in Counter(chain.from_iterable(words_of)).most_common(_COMMON)}
    of_title, described_by = set(title.lower().split()), set(description.lower().split())
    common, likeness, described = np.zeros((3, len(texts)))
    for i, terms in enumerate(words_of):
        common[i] = sum(map(frequent.__contains__, terms)) / max(len(terms), 1)
        if not of_title.isdisjoint(terms):
            likeness[i] = len(of_title.intersection(terms)) / len(of_title.union(terms))
        if not described_by.isdisjoint(terms):
            described[i] = len(described_by.intersection(terms)) / len(set(terms))
    points, commas, digits, capitals, money, marks = counts[:, POINT : MARK + 1].T
    columns = {"characters": size, "words": words, "points": points, "commas": commas, "money": money}
    columns |= {"digits": digits / length, "capitals": capitals / length, "marks": marks / words}
    columns["repeats"] = np.array([times[text] for text in texts], np.float64)
    return columns | {"common": common, "likeness": likeness, "described": described}


def find_hints(dom, counts):
    """Return the nodes that give hints, in document order, their hints, and a number (n,) for each class.

    counts: (n,) True for the nodes that are used.
    """
    class_number, given = np.zeros(len(dom.tag), np.int64), list[tuple[int, int]]()
    givers = tested._GIVERS | {"id": tested._GIVERS["class"]}
    for name, hints_in in givers.items():
        node, number, values = dom.distinct_values(name)
        hints = list(map(hints_in, values))
        known = np.array([*map(bool, hints)], bool)[number]
        pairs = zip(node[known].tolist(), number[known].tolist(), strict=True)
        given += [(k, hint) for k, value in pairs for hint in hints[value]]
        if name == "class":
            class_number[node] = number + 1
    tag_hints = [tested._GIVEN["tag"].get(tag, (-1,))[0] for tag in dom.tags]
    of_tag = np.array(tag_hints, np.int64)[dom.tag]
    tagged = np.flatnonzero(of_tag >= 0)
    others = np.array(given, np.int64).reshape(-1, 2)
    giver, given_hint = np.append(others[:, 0], tagged), np.append(others[:, 1], of_tag[tagged])
    order = np.argsort(giver, kind="stable")
    order = order[counts[giver[order]]]
    return giver[order], given_hint[order], class_number


class Containers:
    """The elements of a page by the blocks in them.

    Attributes:
        holder: (b,) the node that holds each block.
        parent: (n,) the parent of each node, 0 at the root.
        first, last: (n,) the blocks ``first:last`` are in a node.
        wider: (n,) the nearest ancestor that holds more blocks, 0 for none.
        level: (n,) the number of containers around the container of a node.
    """

    def __init__(self, dom, blocks):
        n = len(dom.tag)
        self.holder = blocks.element[blocks.holder].astype(np.int64)
        self.parent = np.maximum(dom.parent, 0).astype(np.int64)
        before = np.concatenate([[0], np.cumsum(np.bincount(blocks.first, minlength=n))])
        self.first, self.last = before[:n], before[dom.end]
        same = (self.first[self.parent] == self.first) & (self.last[self.parent] == self.last)
        narrower = innermost(dom.parent, (~same).view(np.uint8))  # the elements that are such containers
        around = np.where(narrower >= 0, self.parent[narrower], -1)
        self.wider = np.maximum(around, 0)
        self.level = depths(around.astype(np.int32)).astype(np.int64)

    def sums(self, x, node):
        """Return the sum of ``x`` (b,) over the blocks in each node."""
        total = np.concatenate([[0.0], x.cumsum()])
        return np.asarray(total[self.last[node]] - total[self.first[node]], np.float64)

    @cached_property
    def outward(self):
        """(k, b) the containers of several blocks around each block, from inside; the last are the root."""
        several = self.last[self.holder] - self.first[self.holder] > 1
        containers = [np.where(several, self.holder, self.wider[self.holder])]
        for _ in range(max(int(self.level[containers[0]].max(initial=0)), _STEPS)):
            containers.append(self.wider[containers[-1]])
        return np.stack(containers)

    def at_level(self, level):
        """(b,) the container of several blocks around each block with this level, or the nearest to it."""
        steps = np.maximum(self.level[self.outward[0]] - level, 0)
        return np.asarray(self.outward[steps, np.arange(len(steps))])


class PageFacts:
    """Facts about a page from which features, probabilities and verdicts are computed.

    Attributes:
        letters, plain, prose: (b,); linked: (b,) share of links; texts: see `text_features`.
        kind: (b,) of the tag that holds a block; hint: (b, h) the hints.
        containers: the tree over the blocks.
        totals: (6, b + 1) the letters, plain letters, marks, words, letters of prose, and headings before
            each block.
        heading: the blocks in headings; first: the heading that is most similar to the title, -1 for none.
    """

    def __init__(self, dom, blocks):
        self.dom, self.blocks, self.containers = dom, blocks, Containers(dom, blocks)
        self.letters, self.plain = blocks.weight.astype(np.float64), blocks.weight_noanchor.astype(np.float64)
        kinds = _KIND_OF_TAGS.of_nodes(dom)
        self.kinds, self.kind = kinds, kinds[self.containers.holder]
        titles = np.flatnonzero(self.kind == TITLE)
        self.is_title, self.title = self.kind == TITLE, blocks.texts[titles[0]] if len(titles) else ""
        self.texts = text_features(blocks.texts, self.title, self.description)
        self.linked = 1.0 - self.plain / np.maximum(self.letters, 1.0)
        running = self.texts["common"] > thresholds.COMMON_WORDS
        prose = running & (self.plain >= thresholds.PROSE_LETTERS) & (self.linked < thresholds.PROSE_LINKED)
        prose |= (self.plain >= thresholds.LONG_PROSE_LETTERS) & (self.linked < thresholds.LONG_PROSE_LINKED)
        self.prose = np.where(prose, self.plain, 0.0)
        self.total, self.all_plain = np.maximum(self.letters.sum(), 1.0), np.maximum(self.plain.sum(), 1.0)
        within = self.containers
        node, hint, self.class_number = find_hints(dom, within.last > within.first)
        share = within.sums(self.letters, node) / self.total
        part = share < thresholds.WHOLE_PAGE
        node, value = node[part], 1.5 + np.log10(share[part] + 0.03)
        size = len(self.letters)
        self.hint = paint(within.first[node], within.last[node], hint[part], value, size, len(BLOCK_HINTS))
        self._hinted = self.hint > 0
        is_heading = self.has_hint("heading element")
        self.heading = np.flatnonzero(is_heading)
        marks = self.texts["points"] + self.texts["commas"]
        of_blocks = (self.letters, self.plain, marks, self.texts["words"], self.prose, is_heading)
        self.totals = np.zeros((len(of_blocks), size + 1))
        np.cumsum(of_blocks, axis=1, out=self.totals[:, 1:])
        tops = np.flatnonzero(kinds == _H1)
        at = within.first[tops][within.last[tops] > within.first[tops]]
        candidates = at if len(at) else self.heading
        likeness = self.texts["likeness"][candidates] - 1e-3 * np.arange(len(candidates))
        self.first = int(candidates[likeness.argmax()]) if len(candidates) else -1

    def has_hint(self, *hints):
        """(b,) True in elements that give one of the hints."""
        return reduce(or_, [self._hinted[:, NUMBER[hint]] for hint in hints])

    def siblings(self, steps):
        """Return the group of each block (b,): equal tags and classes on ``steps`` elements."""
        step = self.dom.tag.astype(np.uint64) * np.uint64(1_000_003) + self.class_number.astype(np.uint64)
        node = self.containers.holder
        key = np.zeros(len(node), np.uint64)
        for _ in range(steps):
            key = (key * np.uint64(1_099_511_628_211)) ^ (step[node] + np.uint64(1))
            node = self.containers.parent[node]
        return np.unique(key, return_inverse=True)[1]

    @cached_property
    def path(self):
        """(b,) a number of the tags and classes, without digits, on the path to each block."""
        node, number, values = self.dom.distinct_values("class")
        classes = np.zeros(len(self.dom.tag), np.uint64)
        keys = [class_key(value[:_VALUE_LENGTH]) for value in values]
        classes[node] = np.array(keys, np.uint64)[number]
        step = self._of_tags * np.uint64(31) + classes * np.uint64(0x9E3779B97F4A7C15)
        return self._path_number(step)

    @cached_property
    def path_group(self):
        """(b,) numbers of the blocks at the same path, from 0 in the order of the page."""
        first, number = np.unique(self.path, return_index=True, return_inverse=True)[1:]
        return first.argsort().argsort()[number]

    @cached_property
    def tag_path(self):
        """(b,) a number of the tags on the path to each block."""
        return self._path_number(self._of_tags)

    @cached_property
    def _of_tags(self):
        checksums = [zlib.crc32(tag.encode("utf-8", "surrogatepass")) for tag in self.dom.tags]
        return np.array(checksums, np.uint64)[self.dom.tag]

    def _path_number(self, step):
        """Return a number of the steps (n,) from each block to the root, whatever else is on the page.

        In each pass the part of a path that the number covers doubles, up to the root.
        """
        n, parent = len(step), self.dom.parent.astype(np.int64)
        numbers, further = np.append(step, np.uint64(0)), np.append(np.where(parent < 0, n, parent), n)
        factor = np.uint64(_PRIME)
        with np.errstate(over="ignore"):
            while (further[:n] != n).any():
                numbers = np.where(further < n, numbers * factor + numbers[further], numbers)
                further, factor = further[further], factor * factor
        return numbers[self.containers.holder]

    @cached_property
    def description(self):
        return tested.PageFacts(self.dom, self.blocks).description

    @cached_property
    def body(self):
        return tested.PageFacts(self.dom, self.blocks).body


def features(facts):
    """Return the features (b, f) of the blocks of a page; their names are `block_names`."""
    b = len(facts.letters)
    columns = list(_columns(facts)) if b else []
    return table_of(iter(columns), b, names_of(iter(columns)))


def _columns(facts):
    """Yield all features with their names."""
    yield from _own(facts)
    yield [f"hint {hint}" for hint in BLOCK_HINTS], facts.hint.T
    yield _around(facts)
    yield from _beside(facts)
    yield from _alike(facts)
    yield from _headings(facts)
    yield from _in_body(facts)
    yield from _repeated(facts)
    yield from _page(facts)


def _own(facts):
    texts = facts.texts
    yield "letters", np.log1p(facts.letters)
    yield "plain", np.log1p(facts.plain)
    yield "linked", facts.linked
    yield "words", np.log1p(texts["words"])
    yield "letters of a word", texts["characters"] / texts["words"]
    yield "points", texts["points"] / texts["words"]
    yield "commas", texts["commas"] / texts["words"]
    yield "money", np.minimum(texts["money"], 3.0)
    for name in ("digits", "capitals", "marks", "common", "likeness", "described"):
        yield name, texts[name]
    body = facts.body
    stated = [text[:_PROBE] in body for text in facts.blocks.texts] if body else np.zeros(len(facts.letters))
    yield "in JSON-LD", np.asarray(stated, np.float64) - (not body)
    yield "repeats", np.minimum(texts["repeats"], 20.0)
    yield "tag", facts.kind.astype(np.float64)


def _around(facts):
    """Return the features of the containers around each block."""
    within = facts.containers
    nodes = [*within.outward[[*_UP]], *(within.at_level(level + 1) for level in _DOWN)]
    node = np.stack(nodes)  # (containers, b)
    first, last = within.first[node], within.last[node]
    letters, plain, marks, words, prose, headings = facts.totals[:, last] - facts.totals[:, first]
    size, per_letter = np.maximum(last - first, 1), np.maximum(letters, 1.0)
    values = {
        "letters": np.log1p(letters),
        "share": plain / facts.all_plain,
        "linked": 1.0 - plain / per_letter,
        "mean": np.log1p(plain / size),
        "marks": marks / np.maximum(words, 1.0),
        "prose": prose / per_letter,
        "nodes": np.log1p((facts.dom.end[node] - node) / per_letter),
        "tag": facts.kinds[node].astype(np.float64),
        "headings": np.log1p(headings),
        "place": (np.arange(node.shape[1]) - first) / size,
    }
    places = [*(f"up {steps}" for steps in _UP), *(f"down {level + 1}" for level in _DOWN)]
    names = [f"{place} {name}" for place in places for name in values]
    return names, np.stack(list(values.values()), axis=1).reshape(len(names), -1)


def _beside(facts):
    b = len(facts.letters)
    yield "place", np.arange(b) / b
    yield "letters before", (np.cumsum(facts.letters) - facts.letters) / facts.total
    yield "plain before", (np.cumsum(facts.plain) - facts.plain) / facts.all_plain
    yield "level", facts.containers.level[facts.containers.outward[0]].astype(np.float64)
    for name, x in (("plain", np.log1p(facts.plain)), ("linked", facts.linked), ("tag", facts.kind)):
        padded = np.concatenate([[-1.0], x, [-1.0]])
        yield f"{name} of the one before", padded[:-2]
        yield f"{name} of the next", padded[2:]


def _alike(facts):
    """Yield the features of all blocks at the same path as a block."""
    group = facts.siblings(_STEPS)
    size = np.bincount(group)
    letters, plain, prose = (np.bincount(group, x) for x in (facts.letters, facts.plain, facts.prose))
    at = np.arange(len(group)) / len(group)
    spread = np.bincount(group, at**2) / size - (np.bincount(group, at) / size) ** 2
    yield "alike blocks", np.log1p(size)[group]
    yield "alike mean", np.log1p(plain / size)[group]
    yield "alike linked", (1.0 - plain / np.maximum(letters, 1.0))[group]
    yield "alike share", (letters / facts.total)[group]
    yield "alike prose", (prose / np.maximum(letters, 1.0))[group]
    yield "alike spread", np.sqrt(np.maximum(spread, 0.0))[group]


def _headings(facts):
    b, top, within = len(facts.letters), facts.first, facts.containers
    at, before, share = np.arange(b), np.cumsum(facts.plain) - facts.plain, np.full(b, -1.0)
    if top >= 0:
        holder = int(within.holder[top])
        around = np.flatnonzero(facts.dom.end[: holder + 1] > holder)  # begins with the root
        shares = within.sums(facts.letters, around) / facts.total
        share = paint(within.first[around], within.last[around], 0 * around, shares, b, 1)[:, 0]
    last = np.maximum.accumulate(np.where(facts.has_hint("heading element"), at, -1))
    yield "behind the title", (at - top).clip(-_FAR, 2 * _FAR) if top >= 0 else np.full(b, -2.0 * _FAR)
    yield "plain behind the title", (before - before[top]) / facts.all_plain if top >= 0 else share
    yield "shared with the title", share
    yield "behind the heading", np.where(last >= 0, at - last, -1).clip(-1, _FAR // 2)
    yield "tag of the heading", np.where(last >= 0, facts.kind[last], -1)
    yield "plain behind the heading", np.where(last >= 0, before - before[last], 0.0) / facts.all_plain


def _in_body(facts):
    """Yield where each block is with regard to the innermost elements that hold most of the prose."""
    within, mass = facts.containers, facts.prose if facts.prose.any() else facts.plain
    b, at = len(mass), np.arange(len(mass))
    shares = within.sums(mass, np.arange(len(within.first))) / np.maximum(mass.sum(), 1.0)
    level = within.level[within.outward[0]]
    for share in BODIES:
        most = np.flatnonzero(shares >= share)  # they contain each other
        node = int(most[-1]) if len(most) else 0
        first, last = int(within.first[node]), int(within.last[node])
        yield f"body {share} place", ((at - first) / max(last - first, 1)).clip(-1.0, 2.0)
        yield f"body {share} level", (level - within.level[node]).astype(np.float64)
    prose = np.flatnonzero(facts.prose)
    first, last = (int(prose[0]), int(prose[-1])) if len(prose) else (0, b - 1)
    yield "behind the first prose", np.sign(at - first) * np.log1p(abs(at - first))
    yield "behind the last prose", np.sign(at - last) * np.log1p(abs(at - last))
    before, behind = np.full(b, -1), np.full(b, b)
    before[prose] = behind[prose] = prose
    distance = np.minimum(at - np.maximum.accumulate(before), np.minimum.accumulate(behind[::-1])[::-1] - at)
    yield "from prose", np.log1p(distance) if len(prose) else np.full(b, np.log1p(b))


def _repeated(facts):
    """Yield the features of the nearest elements around a block that have siblings of their kind.

    Items are siblings with the same tag and classes; records are siblings with the same tag that hold
    several blocks.
    """
    within, dom, n = facts.containers, facts.dom, len(facts.dom.tag)
    holds = within.last - within.first
    of_tag = within.parent * (len(dom.tags) + 1) + dom.tag
    of_class = of_tag * (int(facts.class_number.max(initial=0)) + 1) + facts.class_number
    for name, key, least, times in (("item", of_class, 1, 3), ("record", of_tag, 2, 2)):
        member = np.flatnonzero((holds >= least) & (dom.tag != TEXT))
        _, group, size = np.unique(key[member], return_inverse=True, return_counts=True)
        number = np.full(n, -1)
        number[member[size[group] >= times]] = group[size[group] >= times]
        nearest = np.maximum(innermost(dom.parent, (number >= 0).view(np.uint8)), 0)
        node, size = nearest[within.holder], np.append(size, 1)  # the last is for blocks in no group
        letters, of_block = within.sums(facts.letters, member), number[node]
        linked = letters - within.sums(facts.plain, member)
        count, of_member = size[of_block], (letters, linked, holds[member])
        total, total_linked, blocks = (np.bincount(group, x, len(size))[of_block] for x in of_member)
        rank = np.zeros(n)
        rank[member] = _rank(group)
        none = of_block < 0
        for part, column in {
            "number": np.log1p(count),
            "mean": np.log1p(total / count),
            "linked": total_linked / np.maximum(total, 1.0),
            "share": total / facts.total,
            "blocks": np.log1p(blocks / count),
            "place": np.minimum(rank[node], 20.0),
            "letters": np.log1p(within.sums(facts.letters, node)),
            "tag": facts.kinds[node].astype(np.float64),
        }.items():
            yield f"{name} {part}", np.where(none, -1.0, column)


def _rank(group):
    """Return the number of earlier members of the same group (m,)."""
    order = np.argsort(group, kind="stable")
    sorted_group, at = group[order], np.arange(len(group))
    start = np.maximum.accumulate(np.where(np.diff(sorted_group, prepend=-1) != 0, at, 0))
    rank = np.empty(len(group))
    rank[order] = at - start
    return rank


def _page(facts):
    b, dom = len(facts.letters), facts.dom
    counts = dict(zip(dom.tags, np.bincount(dom.tag, minlength=len(dom.tags)).tolist(), strict=True))
    values = {
        "letters": np.log1p(facts.total),
        "blocks": np.log1p(b),
        "linked": 1.0 - facts.all_plain / facts.total,
        "prose": facts.prose.sum() / facts.total,
        "mean": np.log1p(facts.all_plain / b),
        "money": np.log1p((facts.texts["money"] > 0).sum()),
        "headings": np.log1p(len(facts.heading)),
        "in main": facts.letters[facts.has_hint("main element")].sum() / facts.total,
        "in article": facts.letters[facts.has_hint("article element")].sum() / facts.total,
        **{f"<{tag}>": np.log1p(counts.get(tag, 0)) for tag in _COUNTED},
    }
    yield [f"page {name}" for name in values], np.array([*values.values()], np.float64)[:, None]


def paint(first, last, column, value, rows, columns):
    """Return a table of 0 in which each interval has painted its rows of a column; later ones win."""
    table = np.zeros((rows, columns))
    for k in range(len(first)):
        table[first[k] : last[k], column[k]] = value[k]
    return table
