"""Agreement of two annotators on the pages of ``pages-2`` that both have labelled.

    python -m experiments.label_agreement [-v]

For each kind of label: the number of labels of the first and of the second annotator, the number on which
they agree, and the F1 of the agreement. Blocks, comments and items agree if the Jaccard index of their
leaves is at least .8, values if their texts (and those of their labels) are equal, except for case and white
space. The main text agrees by its words. The pages are rendered by Chromium. With ``-v`` the differences are
printed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.blocks import block_examples
from experiments.results import run, table, write_results
from webgrain.base.metrics import tokens
from webgrain.io.contentmarks import (
    ContentMark,
    leaves_below,
    leaves_of,
    main_text,
    marked_leaves,
    raw_text,
)
from webgrain.labeling.app import agreements
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from webgrain.evaluation.datasets import Example

SAME = 0.8
"""Jaccard index of leaves from which two marks are the same. That of segments that are right."""

TEXTS = ("title", "author", "date", "name", "price", "place", "image", "breadcrumb", "description", "value")
GROUPS = ("comment", "item")


@dataclass
class Count:
    """Labels of a kind: of the first and the second annotator, and those on which both agree."""

    first: int = 0
    second: int = 0
    same: int = 0

    def add(self, first: int, second: int, same: int) -> None:
        """Add the labels of a page."""
        self.first += first
        self.second += second
        self.same += same

    @property
    def f1(self) -> float:
        """Agreement, 1 if there is no label."""
        total = self.first + self.second
        return 2 * self.same / total if total else 1.0


@dataclass
class Agreement:
    """The agreement of two annotators: counts by kind of label, ARI and word F1 of each page."""

    counts: dict[str, Count] = field(default_factory=dict)
    ari: list[float] = field(default_factory=list)
    words: list[float] = field(default_factory=list)

    def count(self, kind: str) -> Count:
        """Return the count of a kind of label."""
        return self.counts.setdefault(kind, Count())


def compare_pages(first: Example, second: Example, agreement: Agreement) -> list[str]:
    """Add the labels of a page to the agreement, and return the differences, a line each."""
    page = first.page
    lines: list[str] = []
    ari = [pair.ari for pair in agreements(page, {"first": first.segments, "second": second.segments})]
    agreement.ari += ari
    leaf = leaves_of(page)
    blocks = [
        [leaves_below(leaf, page.dom, segment.nodes(page.dom)) for segment in example.segments]
        for example in (first, second)
    ]
    pairs = matched(*blocks)
    agreement.count("block").add(len(blocks[0]), len(blocks[1]), len(pairs))
    roles = [(first.segments[i].role, second.segments[j].role) for i, j in pairs]
    agreement.count("role of equal blocks").add(len(pairs), len(pairs), sum(a == b for a, b in roles))
    lines += [f"ari {value:.2f}" for value in ari]
    lines += [f"role {a} or {b}" for a, b in roles if a != b]
    agreement.count("kind of page").add(1, 1, int(first.kind == second.kind))
    if first.kind != second.kind:
        lines.append(f"kind {first.kind} or {second.kind}")
    texts = [Counter(tokens(main_text(page, example.content or ()))) for example in (first, second)]
    words = 2 * (texts[0] & texts[1]).total() / max(texts[0].total() + texts[1].total(), 1)
    if any(texts):
        agreement.words.append(words)
        agreement.count("word of the main text").add(
            texts[0].total(), texts[1].total(), (texts[0] & texts[1]).total()
        )
        lines += [f"main text {words:.2f}"] if words < 0.95 else []
    for name in GROUPS:
        marks = [_marks(example, name) for example in (first, second)]
        members = [[marked_leaves(page, [mark]) for mark in group] for group in marks]
        same = matched(*members)
        agreement.count(name).add(len(marks[0]), len(marks[1]), len(same))
        if max(len(marks[0]), len(marks[1])) > len(same):
            lines.append(f"{name}: {len(marks[0])} and {len(marks[1])}, {len(same)} equal")
    for name in TEXTS:
        values = [Counter(_values(example, name)) for example in (first, second)]
        common = values[0] & values[1]
        agreement.count(name).add(values[0].total(), values[1].total(), common.total())
        if values[0] != values[1]:
            lines.append(f"{name}: {list(values[0] - common)[:3]} or {list(values[1] - common)[:3]}")
    return lines


def matched(first: Sequence[NDArray[np.bool_]], second: Sequence[NDArray[np.bool_]]) -> list[tuple[int, int]]:
    """Return pairs of sets of leaves whose Jaccard index is at least `SAME`; each set is in one pair.

    >>> matched([np.array([True, False])], [np.array([True, True]), np.array([True, False])])
    [(0, 1)]
    """
    shares = [
        (float((a & b).sum() / max((a | b).sum(), 1)), i, j)
        for i, a in enumerate(first)
        for j, b in enumerate(second)
    ]
    pairs: list[tuple[int, int]] = []
    for share, i, j in sorted(shares, key=lambda row: (-row[0], row[1], row[2])):
        if share >= SAME and all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return sorted(pairs)


def _marks(example: Example, name: str) -> list[ContentMark]:
    return [mark for mark in example.content or () if mark.name == name]


def _values(example: Example, name: str) -> Iterable[Hashable]:
    """Yield the values of the marks of a name; those inside of comments are left out."""
    page = example.page
    comments = [node for mark in _marks(example, "comment") for node in mark.nodes(page.dom)]
    for mark in _marks(example, name):
        nodes = mark.nodes(page.dom)
        if any(top <= node < page.dom.end[top] for node in nodes for top in comments):
            continue
        if name == "image":
            yield tuple(nodes)
        elif name == "date":
            yield mark.value
        else:
            label = ""
            if mark.label:
                label = raw_text(page.dom, ContentMark(name, mark.label).nodes(page.dom))
                label = label if mark.label_span is None else label[slice(*mark.label_span)]
            yield label.strip(" :").lower(), mark.text(page).lower()


def main() -> str | None:
    """Print and write the agreement."""
    second = {example.page.id: example for example in block_examples(Layout("chromium"), "second", "pages-2")}
    first = block_examples(Layout("chromium"), "first", "pages-2")
    agreement = Agreement()
    for example in first:
        lines = compare_pages(example, second[example.page.id], agreement)
        if "-v" in sys.argv and lines:
            print(example.page.id, *lines, sep="\n  ")
    rows = [
        [kind, count.first, count.second, count.same, count.f1] for kind, count in agreement.counts.items()
    ]
    for row in rows:
        print(*row, sep="\t")
    ari = [
        len(first),
        float(np.mean(agreement.ari)),
        float(np.median(agreement.ari)),
        float(np.min(agreement.ari)),
    ]
    words = [len(agreement.words), float(np.mean(agreement.words)), float(np.median(agreement.words))]
    print("ARI", *ari, "word F1 of pages", *words)
    pages = [["ARI of blocks", *ari], ["word F1 of the main text", *words, float(np.min(agreement.words))]]
    tables = {
        "labels": table(["label", "first", "second", "equal", "F1"], rows),
        "pages": table(["measure", "pages", "mean", "median", "lowest"], pages),
    }
    data = "Pages of pages-2 that two annotators have labelled independently."
    write_results("agreement", data, "python -m experiments.label_agreement", tables)
    return None


if __name__ == "__main__":
    run(main)
