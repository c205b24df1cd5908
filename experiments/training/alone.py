"""Train the model of the main text of a page by itself, the model ``alone`` of `SinglePage`: ``make train``.

    python experiments/training/alone.py [FOLDER]

It is trained before the other models of ``single.model``, which `singlepage` trains. It learns from the pages
that they learn from (WCXB and the bench), and from pages whose texts were made for other purposes:

===========  =================================================================================================
readability  articles with their whole text
newspaper4k  the same
trafilatura  pages with short texts that are in the main text, and others that are not. Only the blocks that
             contain them are learnt from; a text that is on the page several times is not
pages-2      labelled pages of all kinds, in many languages, with their whole main text; of a thread all posts
===========  =================================================================================================

`WEIGHTS` has the weight of a domain or site of each set. Pages are left out by domain: the fold is that of
`domains`. With FOLDER the models that have not seen a fold are written to ``FOLDER/<fold>/single.model``,
beside the other models of the package, and no model of all pages: `singlepage` and
``experiments/extraction_bench.py`` read them. The same data and the same versions of the libraries give the
same model.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import bench_names, folds, read_bench
from experiments.datasets.blocks import reference_pages
from experiments.datasets.maincontent import read_main_pages
from experiments.datasets.suites import read_suites
from experiments.training.alignment import true_shares
from experiments.training.domains import FOLDS, file_of, fold_of, group_of
from experiments.training.singlepage import (
    LABELLED,
    MODEL,
    Rows,
    drawn_blocks,
    drawn_pages,
    facts_of,
    fit,
)
from webgrain.base.trees import write_trees
from webgrain.columns.blocks import block_features
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.single import FORMAT, model_names, trained_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.base.arrays import Bool, Float32, Float64, Int64
    from webgrain.evaluation.extraction import ReferencePage
    from webgrain.page.page import Source

NAME = "alone"
SUITES = ("readability", "newspaper4k", "trafilatura")
WEIGHTS = {
    "wcxb": 1.0,
    "bench": 6.0,
    "readability": 1.0,
    "newspaper4k": 1.0,
    "trafilatura": 0.5,
    LABELLED: 2.0,
}
"""Weight of a domain or site of each set, shared by its pages."""
BLOCKS = 100
"""Blocks of a page, drawn at random, from which the model learns; of a page of the bench `BENCH_BLOCKS`."""
BENCH_BLOCKS = 80
LONGEST = 6
"""Blocks that a short text may extend over; a longer one is a coincidence of words."""


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """A page to learn from.

    Attributes:
        data, group, fold: its set, its site or domain, and the fold in which it is left out.
        x: (b, f) the features of its blocks; letters: (b,).
        main: (b,) the share of each block that is main text, NaN if it is unknown.
    """

    data: str
    group: str
    fold: int
    x: Float32
    letters: Float64
    main: Float64


def read_pages() -> Iterator[Learnt]:
    """Yield all pages that the model learns from."""
    for one in read_main_pages(data_folder() / "main-content"):
        yield from learnt("wcxb", one.domain, fold_of(one.domain), one.source, one.text)
    names = bench_names()
    for name, fold in zip(names, (folds(names) % FOLDS).tolist(), strict=True):
        [site] = read_bench([name])
        drawn = drawn_pages(site)
        for source in site.sources():
            text = site.truth.get(source.id, {}).get("text")
            if text and source.id in drawn and site.roles[source.id] == "article":
                yield from learnt("bench", name, fold, source, text)
    for page in (*read_suites(data_folder() / "main-content" / "suites", SUITES), *reference_pages(LABELLED)):
        group = group_of(page.source)
        yield from learnt(
            page.group, group, fold_of(group), page.source, page.whole if page.thread else page.text, page
        )


def learnt(
    data: str, group: str, fold: int, source: Source, text: str | None, page: ReferencePage | None = None
) -> Iterator[Learnt]:
    """Yield a page, or nothing for a page without blocks.

    text: the true text; None: only the texts of ``page`` that must be in the text or must not are known.
    """
    read, facts = facts_of(source)
    if not len(facts.letters):
        return
    if text is not None:
        main = true_shares(facts.blocks.texts, text)
    elif page is not None:
        main = known_blocks(facts.blocks.texts, facts.is_title, page.included, page.excluded)
    else:
        return
    main[facts.is_title] = 0.0
    yield Learnt(data, group, fold, block_features(read), facts.letters, main)


def known_blocks(
    texts: Sequence[str], is_title: Bool, included: Sequence[str], excluded: Sequence[str]
) -> Float64:
    """Return 1 for the blocks of texts that must be in the main text, 0 for those that must not, else NaN.

    texts: of the blocks; is_title: those in the title, in which texts are not searched. An included text
    that is on the page several times is unknown.

    >>> no_title = np.zeros(4, bool)
    >>> known_blocks(["Menu", "A cup of", "tea", "Menu"], no_title, ["cup of tea"], ["Menu"]).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    collapsed = [" ".join(text.split()) + " " for text in texts]
    whole, end = "".join(collapsed), np.cumsum([*map(len, collapsed)])
    main = np.full(len(texts), np.nan)
    for value, snippets in ((0.0, excluded), (1.0, included)):
        for snippet in filter(None, (" ".join(text.split()) for text in snippets)):
            spans = [
                (first, last)
                for first, last in spans_of(snippet, whole, end)
                if last - first < LONGEST and not is_title[first : last + 1].any()
            ]
            if value == 0.0 or len(spans) == 1:
                for first, last in spans:
                    main[first : last + 1] = value
    return main


def spans_of(snippet: str, whole: str, end: Int64) -> Iterator[tuple[int, int]]:
    """Yield the first and the last block of each place of a text; end: (b,) of the blocks in ``whole``."""
    at = whole.find(snippet)
    while at >= 0:
        first, last = end.searchsorted([at, at + len(snippet) - 1], side="right").tolist()
        yield first, last
        at = whole.find(snippet, at + 1)


def rows_of(pages: Sequence[Learnt]) -> Rows:
    """Return features, truth and weight of blocks: those of a page share its weight by their letters."""
    rng = np.random.default_rng(0)
    number = Counter((page.data, page.group) for page in pages)
    rows = []
    for page in pages:
        known = np.flatnonzero(np.isfinite(page.main))
        if not len(known):
            continue
        most = BENCH_BLOCKS if page.data == "bench" else BLOCKS
        kept, weight = drawn_blocks(page.letters[known], most, rng)
        kept = known[kept]
        weight = weight * WEIGHTS[page.data] / number[page.data, page.group]
        rows.append((page.x[kept], page.main[kept], weight))
    x, truth, weights = (np.concatenate(column) for column in zip(*rows, strict=True))
    return x, truth, weights


def main(folder: Path | None = None) -> None:
    """Write the model of all pages, or those that have not seen a fold."""
    pages = list(read_pages())
    print(
        *(f"{number} pages of {data}" for data, number in Counter(page.data for page in pages).items()),
        sep=", ",
    )
    names = model_names()[NAME]
    others = dict(trained_models())
    if folder is None:
        write_trees(MODEL, others | {NAME: fit(rows_of(pages), NAME, names)}, FORMAT)
        return
    for fold in range(FOLDS):
        model = fit(rows_of([page for page in pages if page.fold != fold]), NAME, names)
        file = file_of(fold, folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_trees(file, others | {NAME: model}, FORMAT)
        print(f"fold {fold}", flush=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
