"""The share of each text block that belongs to a true text, by a monotone alignment of their words.

    words of the page, words of the truth --unique runs, longest increasing subsequence--> pairs of words

Runs of five, three and one words that occur once on both sides are anchors; the longest increasing
subsequence of them is kept, and the parts between two anchors are aligned in the same way. A block that is in
another order in the truth is found by the runs of three words that are left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from webgrain.base.metrics import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.base.arrays import Bool, Float64

_RUNS = (5, 3, 1)
_DEEPEST = 6
_MOVED, _LEAST_WORDS = 0.6, 5  # share of runs, and words, of a block that is in another order in the truth
_SHORT = 3  # words up to which a block is true as a whole or not at all


def true_shares(texts: Sequence[str], truth: str) -> Float64:
    """Return the share of each text (b,) that belongs to the truth, 0..1.

    >>> true_shares(["Home", "A cup of tea", "is good", "Home"], "A cup of tea is good").tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    own, of_truth = [words(text) for text in texts], words(truth)
    flat = [word for text in own for word in text]
    found = np.zeros(len(texts))
    if not flat or not of_truth:
        return found
    true, used = _aligned(flat, of_truth)
    left = Counter(tuple(of_truth[k : k + 3]) for k in range(len(of_truth) - 2) if not used[k : k + 3].any())
    start = np.cumsum([0, *map(len, own)]).tolist()
    for i, text in enumerate(own):
        first, last = start[i], start[i + 1]
        if not text:
            found[i] = found[i - 1] if i else 0.0  # marks go with what is before
            continue
        found[i] = true[first:last].mean()
        if found[i] < 0.5 and len(text) >= _LEAST_WORDS:
            runs = [tuple(text[k : k + 3]) for k in range(len(text) - 2)]
            share = float(np.mean([left[run] > 0 for run in runs]))
            if share > max(found[i], _MOVED):
                found[i] = share
                left.subtract(runs)
        if len(text) <= _SHORT and found[i] < 1.0:
            found[i] = 0.0
    return found


def _aligned(page: list[str], truth: list[str]) -> tuple[Bool, Bool]:  # noqa: C901
    """Return which words of the page, and which of the truth, are in a pair."""
    true, used = np.zeros(len(page), bool), np.zeros(len(truth), bool)

    def pair(i: int, j: int) -> None:
        true[i] = used[j] = True

    waiting = [(0, len(page), 0, len(truth), 0)]
    while waiting:
        a, b, c, d, depth = waiting.pop()
        while a < b and c < d and page[a] == truth[c]:
            pair(a, c)
            a, c = a + 1, c + 1
        while a < b and c < d and page[b - 1] == truth[d - 1]:
            b, d = b - 1, d - 1
            pair(b, d)
        if a >= b or c >= d or depth > _DEEPEST:
            continue
        for size in _RUNS if depth else _RUNS[:-1]:
            anchors = _anchors(page[a:b], truth[c:d], size)
            if not anchors or (size == 1 and 4 * len(anchors) < min(b - a, d - c)):
                continue
            at, behind = a, c
            for i, j in ((a + i, c + j) for i, j in anchors):
                if i >= at and j >= behind:
                    waiting.append((at, i, behind, j, depth + 1))
                elif i - at != j - behind:
                    continue
                for k in range(size):
                    pair(i + k, j + k)
                at, behind = max(at, i + size), max(behind, j + size)
            waiting.append((at, b, behind, d, depth + 1))
            break
    return true, used


def _anchors(page: list[str], truth: list[str], size: int) -> list[tuple[int, int]]:
    """Return the places of the runs that occur once on both sides, in increasing order on both."""
    of_page = [tuple(page[k : k + size]) for k in range(len(page) - size + 1)]
    of_truth = [tuple(truth[k : k + size]) for k in range(len(truth) - size + 1)]
    here, there = Counter(of_page), Counter(of_truth)
    at = {run: k for k, run in enumerate(of_truth) if there[run] == 1}
    pairs = [(k, at[run]) for k, run in enumerate(of_page) if here[run] == 1 and run in at]
    ends, last, before = list[int](), list[int](), [-1] * len(pairs)
    for k, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before[k] = last[length - 1] if length else -1
        if length == len(ends):
            ends.append(j)
            last.append(k)
        else:
            ends[length], last[length] = j, k
    chain, k = list[tuple[int, int]](), last[-1] if last else -1
    while k >= 0:
        chain.append(pairs[k])
        k = before[k]
    return chain[::-1]
