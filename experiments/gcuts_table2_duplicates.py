"""Table 2 of Chakrabarti, Kumar, Punera, WWW 2008, on the sets of pairs at hand: which text to compare by.

    python experiments/gcuts_table2_duplicates.py [--render chromium] [--set grafted ...] [--data DIR]

Rows are texts of a page: its largest segment by GCuts and CClus, with each meaning of "largest"; the segments
whose roles are informative; with a template or layouts learnt on the pages of the site themselves, without
labels: the informative sections, the article; the full text; what the page calls its main content. Columns:
pairs found and kept apart by the paper's shingles, and by the verdict of the min-hash signatures (a pair
counts as called a duplicate if it is identical, near-duplicate or same-content).

The pairing of the set ``grafted`` is synthetic: true article bodies in true frames of three sites. Its rows
are also split by the length of the bodies.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.duplicates import SETS, LabelledPair, load_pairs, read_pages
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.repeats import PageBuffer, PageText
from webgrain.duplicates.search import Search, find_pairs
from webgrain.duplicates.shingles import Shingles
from webgrain.estimator import create
from webgrain.evaluation.datasets import data_folder
from webgrain.layouts.sitelayouts import SiteLayouts
from webgrain.metrics import PairScore, score_pairs
from webgrain.page.page import Page
from webgrain.pipeline import Layout, pages
from webgrain.segmentation.gcuts import GCuts
from webgrain.segmentation.roles import trained
from webgrain.site.duplicates import Segments, article, informative, landmark, page_texts
from webgrain.templates.regextree import RegexTree
from webgrain.templates.sections import Sectioner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webgrain.results import Segmentation
    from webgrain.site.duplicates import Content, Size

Texts = list[PageText]
SIZES: tuple[Size, ...] = ("text", "area", "leaves")
T = TypeVar("T")
LINE = "{:28}{:>14}{:>12}{:>17}{:>12}  {}"
LENGTHS = ("complete-short", "lead", "complete-long")


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--render", default="estimate", choices=("estimate", "chromium"))
    parser.add_argument("--set", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--data", type=Path, default=data_folder() / "duplicates")
    asked = parser.parse_args()
    for name in asked.set:
        pairs = load_pairs(asked.data, name)
        laid_out = [
            page
            for page in pages(read_pages(asked.data, name), Layout(asked.render))
            if isinstance(page, Page)
        ]
        print(
            f"\n{name}, {asked.render}: {len(laid_out)} pages, shown as found/duplicates and kept/different"
        )
        print(
            LINE.format("text", "paper, found", "kept", "min-hash, found", "kept", "paper, found by length")
        )
        for label, content in contents(laid_out).items():
            print(row(label, pairs, read(laid_out, content)), flush=True)


def contents(laid_out: Sequence[Page]) -> dict[str, Content | None]:
    """Return the rows: what finds the candidates for the main content; None: the full text."""
    cuts: dict[str, Content | None] = {
        f"{method}, largest by {size}": Segments(create(method), size)
        for method in ("gcuts", "cclus")
        for size in SIZES
    }
    return {
        **cuts,
        "learntcut, largest by text": Segments(create("learntcut")),
        "gcuts, by roles": informative(with_roles),
        "template, by importance": informative(by_site(laid_out, sectioner)),
        "article": article(by_site(laid_out, lambda pages: SiteLayouts().fit(pages).predict)),
        "main landmark": landmark,
        "full text": None,
    }


def with_roles(page: Page) -> Segmentation:
    """Return the segments of a page and their roles."""
    return trained(page).classify(page, GCuts().predict(page))


def by_site(
    laid_out: Sequence[Page], fit: Callable[[list[Page]], Callable[[Page], T]]
) -> Callable[[Page], T]:
    """Return what predicts with a model of the page's own site."""
    sites: dict[str, list[Page]] = {}
    for page in laid_out:
        sites.setdefault(site(page.id), []).append(page)
    models = {name: fit(members) for name, members in sites.items()}
    return lambda page: models[site(page.id)](page)


def sectioner(members: list[Page]) -> Callable[[Page], Segmentation]:
    """Return what cuts pages with the template of these."""
    cutter = Sectioner(template=RegexTree().fit(members).template_)
    return lambda page: cutter.predict(page).segmentation("site")


def read(laid_out: Sequence[Page], content: Content | None) -> Texts:
    """Return the texts of pages."""
    return [text for text in page_texts(laid_out, content) if isinstance(text, PageText)]


def row(label: str, pairs: Sequence[LabelledPair], texts: Texts) -> str:
    """Return one line of the table."""
    paper, better = by_paper(pairs, texts), by_minhash(pairs, texts)
    lengths = [part(pairs, paper, length) for length in LENGTHS if any(pair.kind == length for pair in pairs)]
    shares = [counts(score(pairs, called)) for called in (paper, better)]
    return LINE.format(label, *shares[0], *shares[1], " ".join(lengths))


def counts(score: PairScore) -> tuple[str, str]:
    """Return duplicates found and different pairs kept, as text."""
    return f"{score.found}/{score.duplicates}", f"{score.kept}/{score.different}"


def part(pairs: Sequence[LabelledPair], called: np.ndarray, kind: str) -> str:
    """Return the duplicates found among those of one kind."""
    mine = np.array([pair.kind == kind for pair in pairs])
    return f"{kind} {int(called[mine].sum())}/{int(mine.sum())}"


def score(pairs: Sequence[LabelledPair], called: np.ndarray) -> PairScore:
    """Return how many pairs were classified right."""
    return score_pairs([pair.duplicate for pair in pairs], called)


def by_paper(pairs: Sequence[LabelledPair], texts: Texts) -> np.ndarray:
    """Return which pairs (p,) the paper's scheme calls duplicates: by the largest part, as it is."""
    method = Shingles()
    signature = {text.id: method.signature(largest(text)) for text in texts}
    none = method.signature("")
    return np.array(
        [method.is_duplicate(signature.get(pair.a, none), signature.get(pair.b, none)) for pair in pairs]
    )


def largest(text: PageText) -> str:
    """Return the text of the largest part; all text of a page without parts."""
    return max(text.parts, key=lambda part: part.size).text if text.parts else text.text


def by_minhash(pairs: Sequence[LabelledPair], texts: Texts) -> np.ndarray:
    """Return which pairs (p,) are found in an index of all pages."""
    found: set[frozenset[str]] = set()
    with PageBuffer() as buffer, DuplicateIndex() as index:
        for text in texts:
            buffer.add(PageText(text.id, text.text, text.parts, f"http://{site(text.id)}/"))
        names = [document.id for document in buffer.documents() if isinstance(index.add(document), int)]
        result = find_pairs([index], search=Search())
        found = {frozenset((names[a], names[b])) for a, b in zip(result.a, result.b, strict=True)}
    return np.array([frozenset((pair.a, pair.b)) in found for pair in pairs])


def site(path: str) -> str:
    """Return a host for a page of the archives: ``<set>/<site>/...``."""
    return path.split("/")[1].lower()


if __name__ == "__main__":
    main()
