"""Raw paths: the DOM paths of the pages of a site with all ids and classes, and the query words on them.

A page is reduced to its distinct paths, 24 bytes each, and, if it has queries, to the places of the query
words in its texts. A text is every text node, those in the head included, except for scripts and style sheets
and what browsers show without them.

    u   paths of the site            p   pages
    r   paths of one page            m   pairs of a page and a path on it
    t   texts of one page            w   different words of the queries of one page

Cost: one pass over each page, about as long as parsing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64, UInt64
from webgrain.base.errors import InputError
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import climb, depths, path_keys, span_keys
from webgrain.page.page import Page
from webgrain.page.paths import Path, PathTable, Step, path_table, step_of
from webgrain.page.strings import code_points, word_spans, words_of
from webgrain.page.text import NO_TEXT
from webgrain.pagetypes.thresholds import MAX_SNIPPET_PAGES, SNIPPET

_SEPARATOR = "\0"
_WORDS_AT_ONCE = 64  # bounds the memory for a page with many query words
_LOW = np.uint64(2**32 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Texts(ReadOnly):
    """The texts (t,) of a page, and the query words in them.

    Attributes:
        path, key, words: (t,) the path of each text, the key of its characters, its number of words.
        hit_text, hit_word: (h,) a text and a query word in it, one row for each occurrence.
        queries: (w,) how often the queries of the page contain each of their words.
    """

    path: Int32
    key: UInt64
    words: Int32
    hit_text: Int32
    hit_word: Int32
    queries: Int64

    def bags(self, up: Int32, counted: Bool) -> tuple[Int64, Int64]:
        """Return the number of words (r,) of the content of each path, and of each query word in it (r, w).

        up (r,): the path one step shorter. counted (t,): the texts that count.
        """
        words = np.zeros((len(up), 1), np.int64)
        np.add.at(words[:, 0], self.path[counted], self.words[counted])
        hit = counted[self.hit_text]
        path, word = self.path[self.hit_text[hit]], self.hit_word[hit]
        blocks = [np.empty((len(up), 0), np.int64)]
        for first in range(0, len(self.queries), _WORDS_AT_ONCE):
            block = np.zeros((len(up), min(_WORDS_AT_ONCE, len(self.queries) - first)), np.int64)
            inside = (word >= first) & (word < first + block.shape[1])
            np.add.at(block, (path[inside], word[inside] - first), 1)
            blocks.append(climb(up, block))
        return climb(up, words)[:, 0], np.concatenate(blocks, axis=1)


@dataclass(slots=True)
class RawCounts:
    """The raw paths and the query words of the pages of a site.

    Attributes:
        ids: of the pages.
        steps: the last steps of all paths by their keys.
        up, step, content: of each page, (r,) the path one step shorter, the key of the last step, and the key
            of the bag of the texts below the path; 0 for no text.
        texts: of each page with queries, by its number.
        snippets: the beginning of the text at each path (r,), for some pages, by their numbers.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> counts = RawCounts()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")), {"blue lamp": 3, "lamp": 1})
    >>> len(counts), counts.texts[0].queries.tolist()
    (1, [1, 2])
    """

    ids: list[str] = field(default_factory=list)
    steps: dict[int, Step] = field(default_factory=dict)
    up: list[Int32] = field(default_factory=list)
    step: list[UInt64] = field(default_factory=list)
    content: list[UInt64] = field(default_factory=list)
    texts: dict[int, Texts] = field(default_factory=dict)
    snippets: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: Mapping[str, int] | None = None) -> None:
        """Add a page and the set of its queries."""
        dom, table, number = page.dom, path_table(page.dom), len(self.ids)
        self.ids.append(page.id)
        self.up.append(table.up)
        self.step.append(table.step)
        add_steps(self.steps, dom, table)
        self.content.append(content_keys(dom, table))
        if len(self.snippets) < MAX_SNIPPET_PAGES:
            self.snippets[number] = snippets_of(dom, table)
        words = Counter(word for query in queries or () for word in words_of(query))
        if words:
            self.texts[number] = read_texts(dom, table, words)


def add_steps(steps: dict[int, Step], dom: Dom, table: PathTable) -> None:
    """Add the last steps of the paths of a page by their keys."""
    for key, node in zip(table.step.tolist(), table.first.tolist(), strict=True):
        if key not in steps:
            steps[key] = step_of(dom, node)


def visible_texts(dom: Dom) -> tuple[Int64, Int32, Int32, UInt64]:
    """Return the text nodes (t,) of a page, their first and last characters, and the keys of their texts."""
    hidden = np.array([tag in NO_TEXT for tag in dom.tags], bool)[dom.tag]
    nodes = np.flatnonzero(dom.is_text & (dom.ancestor_sum(hidden) == 0))
    start, end = dom.text_start[nodes], dom.text_start[nodes + 1]
    key = span_keys(code_points(dom.text), start, end, len(dom.text))
    return nodes[key != 0], start[key != 0], end[key != 0], key[key != 0]


def content_keys(dom: Dom, table: PathTable) -> UInt64:
    """Return the key of the bag of texts below each path (r,); 0 for no text.

    >>> from webgrain.page.parsing import parse_html
    >>> table = path_table(dom := parse_html("<p>a<b>b</b><p>b<i>a</i>"))
    >>> keys = dict(zip([dom.name(k) for k in table.first.tolist()], content_keys(dom, table).tolist()))
    >>> keys["p"] == keys["body"] != keys["b"], keys["head"]
    (True, 0)
    """
    nodes, _, _, key = visible_texts(dom)
    sums = np.zeros((len(table), 1), np.int64)
    np.add.at(sums[:, 0], table.of[nodes], ((key & _LOW) | np.uint64(1)).astype(np.int64))
    keys: UInt64 = climb(table.up, sums)[:, 0].astype(np.uint64)
    return keys


def read_texts(dom: Dom, table: PathTable, words: Mapping[str, int]) -> Texts:
    """Return the texts of a page, and where the words (with their numbers in the queries) are in them."""
    nodes, start, end, key = visible_texts(dom)
    text = dom.text.replace(_SEPARATOR, " ")
    joined = _SEPARATOR.join(text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True))
    text_of, word = _words_in(joined, list(words))
    return Texts(
        path=table.of[nodes],
        key=key,
        words=np.bincount(text_of, minlength=len(nodes)).astype(np.int32),
        hit_text=text_of[word >= 0],
        hit_word=word[word >= 0],
        queries=np.array(list(words.values()), np.int64),
    )


def _words_in(texts: str, wanted: Sequence[str]) -> tuple[Int32, Int32]:
    """Return for each word of separated texts the number of its text, and its number in ``wanted`` or -1."""
    codes = code_points(texts.lower())
    start, end = word_spans(codes)
    text = np.searchsorted(np.flatnonzero(codes == ord(_SEPARATOR)), start).astype(np.int32)
    length = np.cumsum([0, *map(len, wanted)], dtype=np.int32)
    wanted_key = span_keys(code_points("".join(wanted)), length[:-1], length[1:], int(length[-1]))
    key, order = span_keys(codes, start, end, len(codes)), np.argsort(wanted_key)
    at = order[np.minimum(np.searchsorted(wanted_key[order], key), len(order) - 1)]
    return text, np.where(wanted_key[at] == key, at, -1).astype(np.int32)


def snippets_of(dom: Dom, table: PathTable) -> tuple[str, ...]:
    """Return the beginning of the text of the first element with each path (r,), without scripts and styles.

    >>> from webgrain.page.parsing import parse_html
    >>> sorted(set(snippets_of(dom := parse_html("<p><script>x = 1</script>a"), path_table(dom))))
    ['', 'a']
    """
    nodes, start, end, _ = visible_texts(dom)
    pairs = zip(start.tolist(), end.tolist(), strict=True)
    texts = [" ".join(dom.text[a : min(b, a + 4 * SNIPPET)].split()) for a, b in pairs]
    first, after = np.searchsorted(nodes, [table.first, dom.end[table.first]]).tolist()
    return tuple(
        " ".join(texts[a : min(b, a + SNIPPET)])[:SNIPPET] for a, b in zip(first, after, strict=True)
    )


def page_paths(table: PathTable) -> UInt64:
    """Return the keys of the paths (r,) of a page."""
    keys: UInt64 = path_keys(table.up, table.step, np.array([0, len(table)]))
    return keys


@dataclass(frozen=True, slots=True, eq=False)
class Paths(ReadOnly):
    """The paths (u,) of a site with p pages, and the m pairs of a page and a path on it.

    Attributes:
        pages: ids.
        start: (p + 1,) int64, the pairs of page ``k`` are ``start[k]:start[k + 1]``; path: (m,) int32.
        key: (u,) uint64; up: (u,) int32, the path one step shorter; depth: (u,) number of steps.
        size: (u,) int64, pages with the path.
    """

    pages: tuple[str, ...]
    start: Int64
    path: Int32
    key: UInt64
    up: Int32
    depth: Int64
    size: Int64

    def __len__(self) -> int:
        return len(self.key)

    @property
    def page(self) -> Int64:
        """(m,) the page of each pair."""
        return np.repeat(np.arange(len(self.pages)), np.diff(self.start))

    def paths_of(self, page: int) -> Int32:
        """Return the paths (r,) of a page."""
        return self.path[self.start[page] : self.start[page + 1]]

    def presence(self, paths: Sequence[int] | Int64) -> Bool:
        """Return the presence matrix (p, s): which of some paths (columns) are on which pages (rows)."""
        column = np.full(len(self), -1)
        column[np.asarray(paths, np.int64)] = np.arange(len(paths))
        matrix = np.zeros((len(self.pages), len(paths)), bool)
        at = column[self.path] >= 0
        matrix[self.page[at], column[self.path[at]]] = True
        return matrix


def join_paths(pages: Sequence[str], up: Sequence[Int32], keys: UInt64) -> dict[str, Any]:
    """Return the values of `Paths` by name, and ``first`` (u,): the first pair with each path.

    pages: ids; up: of each page, (r,) the path one step shorter; keys (m,): of the paths of all pages.
    """
    start = np.append(0, np.cumsum(list(map(len, up)))).astype(np.int64)
    key, first, number = np.unique(keys, return_index=True, return_inverse=True)
    path, above = number.astype(np.int32), np.concatenate(up)[first]
    begin = np.repeat(start[:-1], np.diff(start))[first]  # of the page with the first pair of a path
    return {
        "pages": tuple(pages),
        "start": start,
        "path": path,
        "key": key,
        "up": np.where(above >= 0, path[begin + np.maximum(above, 0)], -1).astype(np.int32),
        "depth": np.concatenate(list(map(depths, up)))[first].astype(np.int64) + 1,
        "size": np.bincount(path, minlength=len(key)),
        "first": first,
    }


@dataclass(frozen=True, slots=True, eq=False)
class RawPaths(Paths):
    """The paths of a site with all ids and classes; content: (m,) uint64, see `RawCounts`."""

    content: UInt64
    _step: UInt64
    _steps: Mapping[int, Step]

    @classmethod
    def of(cls, counts: RawCounts) -> RawPaths:
        """Return the paths of the pages that were counted; `InputError` if there is none."""
        if not len(counts):
            raise InputError("No page could be read, so there is no page type to learn.")
        start, step = np.append(0, np.cumsum(list(map(len, counts.up)))), np.concatenate(counts.step)
        joined = join_paths(counts.ids, counts.up, path_keys(np.concatenate(counts.up), step, start))
        first, content = joined.pop("first"), np.concatenate(counts.content)
        return cls(**joined, content=content, _step=step[first], _steps=counts.steps)

    def describe(self, path: int) -> Path:
        """Return the steps of a path."""
        steps = []
        while path >= 0:
            steps.append(self._steps[int(self._step[path])])
            path = int(self.up[path])
        return Path(tuple(reversed(steps)))
