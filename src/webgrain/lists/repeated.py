"""Texts that many pages of a site repeat: a list of such texts is seldom the list of a page."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64
from webgrain.lists.thresholds import MAX_REPEATED
from webgrain.page.page import Page
from webgrain.page.text import visible_texts


@dataclass(frozen=True, eq=False)
class RepeatedTexts:
    """The texts that several of some pages of a site have.

    Attributes:
        keys: (k,) uint64, ascending, the keys of the texts; count: (k,) int64, the pages that have each.
        pages: the number of pages.
    """

    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    count: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    pages: int = 0

    def share(self, page: Page) -> Float64 | None:
        """Return the share (n,) of the pages that have the text of each node, 0..1; None without pages."""
        if self.pages < 2:
            return None
        texts = visible_texts(page)
        share, nodes, keys = np.zeros(len(texts.shown)), texts.node, texts.key
        at = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        if len(self.keys):
            share[nodes] = np.where(self.keys[at] == keys, self.count[at], 0) / self.pages
        return share

    def to_dict(self) -> dict[str, Any]:
        """Return the texts as plain values, see `from_dict`."""
        keys, count = (b64encode(x.astype("<u8").tobytes()).decode() for x in (self.keys, self.count))
        return {"pages": self.pages, "keys": keys, "count": count}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RepeatedTexts:
        """Return the texts with these values; other values raise one of `webgrain.modelfile.DAMAGED`."""
        keys, count = (np.frombuffer(b64decode(values[name]), "<u8") for name in ("keys", "count"))
        if len(keys) != len(count):
            raise ValueError("the keys and counts of repeated texts have different lengths")
        return cls(keys.astype(np.uint64), count.astype(np.int64), int(values["pages"]))


class TextCounter:
    """Counts the pages that have each text.

    >>> from webgrain.page.parsing import parse
    >>> counter = TextCounter()
    >>> for name in "abc":
    ...     counter.add(parse(f"<nav>Home</nav><p>Page {name}"))
    >>> counter.texts().share(parse("<p>Home<p>Page a")).tolist()  # html, head, body, p, text, p, text
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """

    def __init__(self) -> None:
        self._count: Counter[int] = Counter()
        self._pages = 0

    def add(self, page: Page) -> None:
        """Count the texts of a page."""
        self._pages += 1
        self._count.update(np.unique(visible_texts(page).key).tolist())

    def texts(self) -> RepeatedTexts:
        """Return the texts that more than one page has, the most frequent if there are too many."""
        several = sorted((-n, key) for key, n in self._count.items() if n > 1)[:MAX_REPEATED]
        own = dict(sorted((key, -n) for n, key in several))
        return RepeatedTexts(np.array([*own], np.uint64), np.array([*own.values()], np.int64), self._pages)
