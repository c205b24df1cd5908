"""The candidates and features of lists by array operations, a reference for the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int64, UInt64
from webgrain.columns.blocks import NUMBER, page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.single import block_probability
from webgrain.lists.candidates import ELEMENTS, EXTENDED, LINES, Candidates
from webgrain.lists.features import node_shares
from webgrain.lists.thresholds import MAX_CANDIDATES, MAX_CLASSES, MIN_ITEMS
from webgrain.page.dom import TEXT, Dom
from webgrain.page.kernels.treepass import depths
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import numbered_targets
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import TAG_KEYS, keys_of_classes, places
from webgrain.page.tagtables import TagTable
from webgrain.page.text import visible_texts

_HEIGHTS = 3
_LINKED, _FIRST_TAG = np.uint64(11), np.uint64(13)


def find_candidates(page: Page, star: Int64 | None = None) -> Candidates:
    """Return what `webgrain.lists.candidates.find_candidates` returns."""
    dom, tree = page.dom, visible_tree(page)
    if not len(tree.node):
        return Candidates(*(np.zeros(n, np.int64) for n in (0, 0, 1, 0)))
    key, member = _keys(dom, tree, star)
    order = np.lexsort((member, key))
    key, member = key[order], member[order]
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))[: len(key)]
    size = np.diff(np.append(first, len(key)))
    member, size = member[np.repeat(size >= MIN_ITEMS, size)], size[size >= MIN_ITEMS]
    kept = _distinct(tree, member, size)
    member, size = member[np.repeat(kept, size)], size[kept]
    parts: list[_Part] = [(tree.node[member], dom.end[tree.node[member]], size, ELEMENTS)]
    parts += [_extended(dom, tree, member, size), *_lines(dom, tree)]
    sizes = np.concatenate([part[2] for part in parts])
    candidates = Candidates(
        np.concatenate([part[0] for part in parts]).astype(np.int64),
        np.concatenate([part[1] for part in parts]).astype(np.int64),
        np.append(0, np.cumsum(sizes)),
        np.repeat([part[3] for part in parts], [len(part[2]) for part in parts]),
    )
    if len(candidates) <= MAX_CANDIDATES:
        return candidates
    letters = np.add.reduceat(
        dom.text_start[candidates.stop] - dom.text_start[candidates.start], candidates.offset[:-1]
    )
    return candidates.take(np.sort(np.argsort(-letters, kind="stable")[:MAX_CANDIDATES]))


def mixed_key(a: UInt64, b: UInt64 | np.uint64) -> UInt64:
    """Combine two keys; the result depends on their order."""
    x: UInt64 = (a ^ (a >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + b
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(32))


def _keys(dom: Dom, tree: Outline, star: Int64 | None) -> tuple[UInt64, Int64]:
    """Return the keys of the elements of the visible tree, and the element of each key."""
    parent = np.maximum(tree.parent, 0).astype(np.int64)
    tag = TAG_KEYS.of_nodes(dom)[tree.node]
    inner = np.flatnonzero(tree.kind == 0)
    first_tag = np.zeros(len(tag), np.uint64)
    first_tag[inner] = tag[np.minimum(inner + 1, len(tag) - 1)]
    link = np.append(0, np.cumsum(dom.links()[tree.node]))
    element = np.flatnonzero(dom.tag[tree.node] != TEXT)[1:]  # without the root
    linked = element[link[tree.end[element]] > link[element]]
    classes, with_class = _classes(dom, tree, element)
    path, above = _path_keys(tree, tag), tag.copy()
    bases, place = [path], parent.copy()
    for _ in range(_HEIGHTS):
        bases.append(mixed_key(above, place.astype(np.uint64)))
        above, place = mixed_key(above[parent], tag), parent[place]
    pairs = [(mixed_key(tag[with_class], classes), with_class)]
    for base in bases:
        pairs.append((base[element], element))
        pairs.append((mixed_key(base[linked], _LINKED), linked))
        pairs.append((mixed_key(mixed_key(base[element], _FIRST_TAG), first_tag[element]), element))
    pairs += [(mixed_key(base[with_class], classes), with_class) for base in bases[:2]]
    if star is not None:
        item = element[star[tree.node[element]] >= 0]
        pairs.append((star[tree.node[item]].astype(np.uint64), item))
    return np.concatenate([key for key, _ in pairs]), np.concatenate([node for _, node in pairs])


def _path_keys(tree: Outline, tag: UInt64) -> UInt64:
    """Return a key (k,) of the tags from the root to each node."""
    depth = depths(tree.parent)
    order, key = np.argsort(depth, kind="stable"), tag.copy()
    levels = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    for start, stop in pairwise(levels.tolist()):
        level = order[start:stop]
        key[level] = mixed_key(key[tree.parent[level]], tag[level])
    return key


def _classes(dom: Dom, tree: Outline, element: Int64) -> tuple[UInt64, Int64]:
    """Return the keys of the classes of elements, without digits, and the element of each."""
    types = places(dom)
    of = types.type[tree.node[element]]
    used = list(set(of.tolist()))
    keys = {k: keys_of_classes(types.classes[k] or "", MAX_CLASSES) for k in used}
    count = np.array([len(keys[k]) for k in of.tolist()], np.int64)
    return np.array([key for k in of.tolist() for key in keys[k]], np.uint64), np.repeat(element, count)


def _distinct(tree: Outline, member: Int64, size: Int64) -> Bool:
    """Whether the items of each group are apart, and no earlier group has items with the same leaves."""
    if not len(size):
        return np.zeros(0, bool)
    first = np.append(0, np.cumsum(size))
    nested = np.append(member[1:] < tree.end[member[:-1]], False)
    nested[first[1:] - 1] = False
    leaves = np.append(0, np.cumsum(tree.kind > 0)).astype(np.uint64)
    span = mixed_key(leaves[member] + np.uint64(1), leaves[tree.end[member]])
    distinct = np.zeros(len(size), bool)
    distinct[np.unique(np.add.reduceat(span, first[:-1]), return_index=True)[1]] = True
    apart: Bool = np.add.reduceat(nested, first[:-1]) == 0
    return distinct & apart


_Part = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]], NDArray[np.integer[Any]], int]
"""First nodes and ends of the items of some candidates, the number of items of each, and their kind."""


def _extended(dom: Dom, tree: Outline, member: Int64, size: Int64) -> _Part:
    """Return the groups whose elements are followed by other siblings, with these siblings.

    The last item in a parent has at most as many leaves as the largest item of its group.
    """
    group, end = np.repeat(np.arange(len(size)), size), tree.end[member].astype(np.int64)
    following = np.append(member[1:], 0)
    same = np.append(group[1:] == group[:-1], False)[: len(member)]
    same &= tree.parent[member] == tree.parent[following]
    longer = np.bincount(group, same & (following > end), len(size)) > 0
    leaves = np.append(0, np.cumsum(tree.kind > 0))
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, group[same], (leaves[following] - leaves[member])[same])
    stop = np.where(same, following, end)
    for k in np.flatnonzero(~same & longer[group]).tolist():
        limit, above = leaves[member[k]] + most[group[k]], int(tree.end[tree.parent[member[k]]])
        while stop[k] < above and leaves[tree.end[stop[k]]] <= limit:
            stop[k] = tree.end[stop[k]]
    # An item ends after its last leaf.
    node_end = np.append(tree.node, len(dom.tag))[stop]
    longest = longer[group]
    node_end = np.minimum(node_end, dom.end[tree.node[tree.parent[member]]])
    return tree.node[member[longest]], node_end[longest], size[longer], EXTENDED


def _lines(dom: Dom, tree: Outline) -> Iterator[_Part]:
    """Yield the lines between the ``<br>`` within each element, and the groups between blank lines."""
    breaks = dom.find_tag("br")
    breaks = breaks[np.argsort(dom.parent[breaks], kind="stable")]
    leaf = tree.node[tree.kind > 0].astype(np.int64)
    for lines in np.split(breaks, np.flatnonzero(np.diff(dom.parent[breaks])) + 1) if len(breaks) else []:
        above = int(dom.parent[lines[0]])
        edge = np.searchsorted(leaf, np.concatenate([[above], lines, [dom.end[above]]]))
        blank = np.flatnonzero(np.diff(edge) == 0)
        for cut in [edge, *([np.unique(np.append(edge[blank], edge[[0, -1]]))] if len(blank) else [])]:
            line = np.flatnonzero(np.diff(cut))
            if len(line) >= MIN_ITEMS:
                start = leaf[cut[line]]
                while (inside := dom.parent[start] != above).any():  # the child of the element
                    start = np.where(inside, dom.parent[start], start)
                yield start, leaf[cut[line + 1] - 1] + 1, np.array([len(line)]), LINES


_HINTS = (
    *("navigation", "sidebar", "related", "footer", "header", "pagination", "comment", "widget", "contents"),
    *("filter", "nav element", "aside element", "footer element", "header element", "meta", "title"),
    *("main", "article", "main element", "list", "card", "summary"),
)
"""What classes, ids and tags state about the text of a candidate."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_KINDS = (
    ("li",), ("tr",), ("a",), ("article",), ("div",), ("p",), ("dt",), ("dd",), tuple(_HEADINGS),
    ("td", "th"), ("section",), ("span",), ("#text",), ("br",), ("ul", "ol", "dl"), ("table", "tbody"),
    ("main",), ("body",), ("b", "strong", "font", "i", "em"),
)  # fmt: skip
_KIND = {tag: number for number, tags in enumerate(_KINDS, 1) for tag in tags}
_KIND_OF_TAGS = TagTable(lambda tag: _KIND.get(tag, 0), np.float64)
_COMMON = ("texts", "links", "external", "headings", "images", "times", "p", "forms")

_Columns = Iterator[tuple[str, Float64]]


def list_features(page: Page, candidates: Candidates, repeated: SiteTable | None) -> dict[str, Float64]:
    """Return the features (c,) by name; there must be a candidate."""
    return dict(_Features(page, candidates, repeated).columns())


def _sums(x: NDArray[np.generic]) -> Float64:
    """Return the sums of the first k values, (n + 1,)."""
    return np.concatenate([[0.0], np.cumsum(x, dtype=np.float64)])


_FREQUENT = """
the of and to in a is that for it with as on you are this be your at have from or was by an not we can but
will they if our their which i has more when all one so what there about who my he his she been were had me do
"""
_FUNCTION_WORDS = frozenset(_FREQUENT.split())
"""The most frequent words of English: a text with many of them is running text."""
_WORDS_USED = 160  # characters of a text whose words are used


def _function_words(text: str) -> float:
    """Return the share of the first words that are function words."""
    words = text[:_WORDS_USED].lower().split()
    return sum(map(_FUNCTION_WORDS.__contains__, words)) / max(len(words), 1)


class _Features:
    def __init__(self, page: Page, candidates: Candidates, repeated: SiteTable | None) -> None:
        self.page, self.dom, self.found = page, page.dom, candidates
        self.texts = visible_texts(page)
        self.repeated = None if repeated is None else node_shares(self.texts, repeated)
        self.first = candidates.offset[:-1]
        self.owner = np.repeat(np.arange(len(candidates)), np.diff(candidates.offset))
        self.n = np.diff(candidates.offset).astype(np.float64)
        self.start, self.stop = candidates.start, candidates.stop
        self._nodes()

    def _tagged(self, *tags: str) -> Bool:
        return self.dom.tagged(*tags)

    def _nodes(self) -> None:
        """Compute what is counted at each node."""
        dom, page = self.dom, self.page
        self.text, visible = self.texts.shown, visible_nodes(page)
        self.letters = np.where(self.text, np.diff(dom.text_start), 0).astype(np.float64)
        self.target, external, linked = numbered_targets(page)
        self.facts = page_facts(page)
        probability, n = np.append(block_probability(page), 0.0), len(dom.tag)
        self.block = np.searchsorted(self.facts.blocks.first, np.arange(n), side="right") - 1
        counted = {
            "letters": self.letters,
            "linked": self.letters * linked,
            "main": self.letters * probability[self.block],
            "texts": self.text,
            "links": self.target > 0,
            "external": external,
            "headings": self._tagged(*_HEADINGS),
            "images": self._tagged("img", "picture", "video") & visible,
            "times": self._tagged("time"),
            "p": self._tagged("p"),
            "forms": self._tagged("input", "select", "textarea", "button") & visible,
        }
        self.sums = {name: _sums(x) for name, x in counted.items()}
        self.total = {name: max(float(x[-1]), 1.0) for name, x in self.sums.items()}
        self.item = {name: x[self.stop] - x[self.start] for name, x in self.sums.items()}

    # Over the items of each candidate.

    def sum(self, x: NDArray[np.generic]) -> Float64:
        total: Float64 = np.add.reduceat(x.astype(np.float64), self.first)
        return total

    def mean(self, x: NDArray[np.generic]) -> Float64:
        return self.sum(x) / self.n

    def most(self, x: Float64) -> Float64:
        most: Float64 = np.maximum.reduceat(x, self.first)
        return most

    def spread(self, x: Float64, mean: Float64) -> Float64:
        """Return the standard deviation."""
        spread: Float64 = np.sqrt(np.maximum(self.mean(x**2) - mean**2, 0.0))
        return spread

    def distinct(self, x: NDArray[np.generic], counted: Bool | None = None) -> Float64:
        """Return the number of distinct values as a share of the items."""
        counted = np.ones(len(x), bool) if counted is None else counted
        values = np.unique(x[counted], return_inverse=True)[1]
        pairs = np.unique(self.owner[counted] * np.int64(len(x) + 1) + values)
        return np.bincount(pairs // (len(x) + 1), minlength=len(self.n)) / self.n

    def columns(self) -> _Columns:
        """Yield all features with their names."""
        yield from self._size()
        yield from self._content()
        yield from self._texts()
        yield from self._blocks()
        yield from self._place()
        yield from self._regularity()
        yield from self._site()

    def _size(self) -> _Columns:
        letters, self.own = self.item["letters"], self.sum(self.item["letters"])
        mean = self.own / self.n
        yield "items", np.log(self.n)
        yield "kind", self.found.kind.astype(np.float64)
        yield "letters", np.log1p(mean)
        yield "spread", self.spread(letters, mean) / (mean + 1.0)
        yield "least", np.log1p(np.minimum.reduceat(letters, self.first))
        yield "most", self.most(letters) / (mean + 1.0)
        plain = letters - self.item["linked"]
        yield "plain", np.log1p(self.mean(plain))
        yield "linked", self.sum(self.item["linked"]) / (self.own + 1.0)
        yield "main", self.sum(self.item["main"]) / (self.own + 1.0)
        shares = {
            "share": self.own / self.total["letters"],
            "share of plain": self.sum(plain) / max(self.total["letters"] - self.sums["linked"][-1], 1.0),
        }
        parts = ("main", "links", "headings", "images")
        shares |= {f"share of {name}": self.sum(self.item[name]) / self.total[name] for name in parts}
        for name, share in shares.items():
            yield name, share
            yield f"{name}, relative", share / max(float(share.max()), 1e-9)

    def _content(self) -> _Columns:
        for name in _COMMON:
            yield f"mean {name}", self.mean(self.item[name])
        for name in ("links", "headings", "images", "p"):
            yield f"any {name}", self.mean(self.item[name] > 0)
        for name in ("links", "headings"):
            yield f"single {name}", self.mean(self.item[name] == 1)
            yield f"most {name}", np.log1p(self.most(self.item[name]))
        links = np.append(np.flatnonzero(self.target), 0)
        first = self.target[links[np.searchsorted(links[:-1], self.start)]]
        yield "distinct targets", self.distinct(first, self.item["links"] > 0)
        size = np.append(self.sums["letters"][self.dom.end], 0) - self.sums["letters"]
        worded = np.flatnonzero((self.target > 0) & (size[:-1] > 0))
        before, after = np.searchsorted(worded, self.start), np.searchsorted(worded, self.stop)
        long = np.append(size[worded], 0.0)
        any_link = after > before
        yield "letters of first link", np.log1p(self.mean(np.where(any_link, long[before], 0.0)))
        total = _sums(long)
        count = self.sum(after - before)
        yield "letters of a link", self.sum(total[after] - total[before]) / (count + 1e-9)
        pairs = np.stack([before, np.maximum(after, before)], axis=1).ravel()
        longest = np.maximum.reduceat(long, np.minimum(pairs, len(long) - 1))[::2]
        yield "letters of longest link", np.log1p(self.mean(np.where(any_link, longest, 0.0)))

    def _texts(self) -> _Columns:
        """Yield features of texts that the page repeats."""
        nodes = self.texts.node
        _, number, count = np.unique(self.texts.key, return_inverse=True, return_counts=True)
        again = np.zeros(len(self.target))
        again[nodes] = count[number] > 1
        repeated = _sums(self.letters * again)
        yield "repeated", self.sum(repeated[self.stop] - repeated[self.start]) / (self.own + 1.0)
        number = np.append(number, -1)
        first = number[np.searchsorted(nodes, self.start)]
        yield "distinct texts", self.distinct(first, self.item["texts"] > 0)

    def _blocks(self) -> _Columns:
        """Yield means over the text blocks of a candidate, weighted by letters, and means per item."""
        facts, first = self.facts, self.facts.blocks.first
        begin, end = np.searchsorted(first, self.start), np.searchsorted(first, self.stop)
        inside = end <= begin  # the items are parts of a block
        begin = np.where(inside, np.maximum(self.block[self.start], 0), begin)
        end = np.minimum(np.where(inside, begin + 1, end), len(facts.letters))
        begin = np.minimum(begin, end)
        weight, letters = facts.letters, _sums(facts.letters)
        whole = self.sum(letters[end] - letters[begin]) + 1e-9

        def share(x: Float64 | Bool) -> Float64:
            total = _sums(weight * x)
            return self.sum(total[end] - total[begin]) / whole

        words = np.array([_function_words(text) for text in facts.blocks.texts])
        texts = {**facts.texts, "function_words": words}
        for name in ("digits", "capitals", "function_words", "likeness"):
            yield name, share(texts[name])
        yield "prose", share(facts.prose / facts.letters.clip(1.0))
        for name in ("points", "commas", "money"):
            total = _sums(np.minimum(facts.texts[name], 5.0))
            yield f"mean {name}", self.mean(total[end] - total[begin])
        money = _sums(facts.texts["money"] > 0)
        yield "any money", self.mean(money[end] > money[begin])
        yield "blocks", self.mean(end - begin)
        hints = (facts.hint[:, [NUMBER[hint] for hint in _HINTS]] > 0) * weight[:, None]
        total = np.concatenate([np.zeros((1, len(_HINTS))), np.cumsum(hints, axis=0)])
        shares = np.add.reduceat(total[end] - total[begin], self.first, axis=0) / whole[:, None]
        yield from zip([f"hint {hint}" for hint in _HINTS], shares.T, strict=True)

    def _place(self) -> _Columns:
        """Yield the place on the page, and what the lowest element around all items contains besides."""
        dom, sums, total = self.dom, self.sums, self.total
        first, last = self.start[self.first], self.stop[self.found.offset[1:] - 1]
        around, depth = np.maximum(dom.parent[first], 0).astype(np.int64), depths(dom.parent)
        while (outside := (dom.end[around] < last) & (around > 0)).any():
            around = np.where(outside, dom.parent[around], around)
        yield "letters before", sums["letters"][first] / total["letters"]
        yield "letters up to its end", sums["letters"][last] / total["letters"]
        yield "main before", sums["main"][first] / total["main"]
        yield "main after", 1.0 - sums["main"][last] / total["main"]
        yield "headings before", sums["headings"][first]
        between = sums["letters"][last] - sums["letters"][first]
        yield "cover", self.own / (between + 1.0)
        yield "depth", depth[first].astype(np.float64)
        yield "levels", (depth[first] - depth[around]).astype(np.float64)
        for name, values in (("letters", self.own), ("links", self.sum(self.item["links"]))):
            inside = sums[name][dom.end[around]] - sums[name][around]
            yield f"{name} of the element around", values / (inside + 1.0)
        tag_number = _KIND_OF_TAGS.of_nodes(dom)
        yield "tag", tag_number[first]
        yield "tag of the parent", tag_number[np.maximum(dom.parent[first], 0)]
        yield "tag around", tag_number[around]

    def _regularity(self) -> _Columns:
        dom, start, item, n = self.dom, self.start, np.arange(len(self.start)), len(self.target)
        children = np.zeros(n, np.uint64)
        np.add.at(children, np.maximum(dom.parent, 0), mixed_key(dom.tag.astype(np.uint64), np.uint64(3)))
        yield "shapes", self.distinct(mixed_key(children[start], dom.tag[start].astype(np.uint64)))
        yield "tags", self.distinct(dom.tag[start]) * self.n
        for name in ("class", "itemtype"):
            has = np.zeros(n)
            has[dom.distinct_values(name)[0]] = 1.0
            yield f"with {name}", self.mean(has[start])
        above = start
        for height in (1, 2, 3):
            above = np.maximum(dom.parent[above], 0).astype(np.int64)
            pair = self.owner * np.int64(n) + above
            key, number, count = np.unique(pair, return_inverse=True, return_counts=True)
            groups = np.bincount(key // n, minlength=len(self.n))
            yield f"parents {height}", groups / self.n
            yield f"items of a parent {height}", self.most(count[number].astype(np.float64)) / self.n
            mean = self.n / groups
            squares = np.bincount(key // n, count.astype(np.float64) ** 2, len(self.n)) / groups
            yield f"spread over parents {height}", np.sqrt(np.maximum(squares - mean**2, 0.0)) / mean
        # Siblings with links inside an item, of which several mean that it is a list itself.
        linked = (dom.tag != TEXT) & (self.sums["links"][dom.end] > self.sums["links"][:-1])
        place = dom.parent[linked].astype(np.int64) * len(dom.tags) + dom.tag[linked]
        _, number, count = np.unique(place, return_inverse=True, return_counts=True)
        siblings = np.zeros(n + 1)
        siblings[np.flatnonzero(linked)] = count[number]
        inner = np.stack([np.minimum(start + 1, self.stop), self.stop], axis=1).ravel()
        inside = np.where(self.stop > start + 1, np.maximum.reduceat(siblings, inner)[::2], 0.0)
        mean = self.mean(inside)
        yield "siblings inside", np.log1p(mean)
        yield "most siblings inside", np.log1p(self.most(inside))
        yield "spread of siblings inside", self.spread(inside, mean) / (mean + 1.0)
        yield "several siblings inside", self.mean(inside >= 3)
        same = np.append(self.owner[1:] == self.owner[:-1], False)
        gap = np.where(same, self.sums["texts"][start[np.minimum(item + 1, len(start) - 1)]], 0.0)
        gap = np.where(same, gap - self.sums["texts"][start], 0.0)
        mean = self.sum(gap) / np.maximum(self.n - 1.0, 1.0)
        squares = self.sum(gap**2) / np.maximum(self.n - 1.0, 1.0)
        yield "distance", np.log1p(mean)
        yield "spread of distance", np.sqrt(np.maximum(squares - mean**2, 0.0)) / (mean + 1e-9)

    def _site(self) -> _Columns:
        """Yield the share of texts that other pages of the site repeat; -1 if it is unknown."""
        names = [f"site {x}" for x in ("mean", "tenth", "half", "own", "specific", "specific, relative")]
        if self.repeated is None:
            yield from ((name, np.full(len(self.n), -1.0)) for name in names)
            return

        def letters(x: Float64 | Bool) -> Float64:
            total = _sums(self.letters * x)
            return total[self.stop] - total[self.start]

        specific = letters(self.repeated <= 0.1)
        share = self.sum(specific) / max(float(self.letters @ (self.repeated <= 0.1)), 1.0)
        repeated = (self.repeated, self.repeated > 0.1, self.repeated > 0.5)
        values = [self.sum(letters(x)) / (self.own + 1e-9) for x in repeated]
        values += [self.mean(specific > 0.3 * self.item["letters"]), share]
        yield from zip(names, [*values, share / max(float(share.max()), 1e-9)], strict=True)
