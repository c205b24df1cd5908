"""Table 2 of Chakrabarti, Kumar, Punera, WWW 2008, on the sets of pairs at hand: which text to compare by.

    python experiments/gcuts_table2_duplicates.py [--render chromium] [--set grafted ...] [--data DIR]

Rows are texts of a page that are compared by the published test: its largest segment by GCuts, CClus and
LearntCut, with each meaning of "largest"; the segments whose roles are informative; with a template learnt on
the pages of the site themselves, without labels: the informative sections; the full text; what the page marks
as its main content. Columns: pairs found and kept apart. The last row is our
method, which needs no segments: the shingles that are specific to a page within its site.

The pairing of the set ``grafted`` is synthetic: true article bodies in true frames of three sites. Its rows
are also split by the length of the bodies.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.duplicates import SETS, LabelledPair, load_pairs, read_pages
from experiments.metrics import PairScore, score_pairs
from experiments.results import table, write_results
from webgrain.base.estimator import create
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import find_pairs
from webgrain.duplicates.shingles import Shingles
from webgrain.evaluation.datasets import data_folder
from webgrain.page.page import Page
from webgrain.page.segmentation import segments
from webgrain.page.text import texts_of, visible_text
from webgrain.papers.gcuts import GCuts
from webgrain.segmentation.segmenter import trained
from webgrain.site.duplicates import text_to_compare
from webgrain.site.pipeline import Layout, pages
from webgrain.templates.sections import Sectioner
from webgrain.templates.sitetemplate import SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webgrain.page.segmentation import Segment, Segmentation

    Content = Callable[[Page], str]

Size = Literal["text", "area", "leaves"]
SIZES: tuple[Size, ...] = ("text", "area", "leaves")
INFORMATIVE = frozenset(("content", "article"))
MIN_IMPORTANCE = 0.25
T = TypeVar("T")
LINE = "{:28}{:>14}{:>12}  {}"
LENGTHS = ("complete-short", "lead", "complete-long")


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--render", default="chromium", choices=("none", "chromium"))
    parser.add_argument("--set", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--data", type=Path, default=data_folder() / "duplicates")
    asked, tables = parser.parse_args(), {}
    for name in asked.set:
        pairs = load_pairs(asked.data, name)
        read = pages(read_pages(asked.data, name), Layout(asked.render))
        laid_out = [page for page in read if isinstance(page, Page)]
        print(f"\n{name}, {asked.render}: {len(laid_out)} pages; found/duplicates and kept/different")
        print(LINE.format("text", "found", "kept", "found by length"))
        called = {label: by_paper(pairs, laid_out, content) for label, content in contents(laid_out).items()}
        called["specific shingles (ours)"] = by_site_shingles(pairs, laid_out)
        truth, lines = [pair.duplicate for pair in pairs], []
        for label, one in called.items():
            print(row(label, pairs, one), flush=True)
            score = score_pairs(truth, one)
            lines.append([label, score.found, score.duplicates, score.kept, score.different])
        tables[name] = table(["text", "found", "duplicates", "kept", "different"], lines)
    if asked.render == "chromium" and set(asked.set) == set(SETS):
        data = "Pairs of pages whose bodies or frames are equal; nothing is trained on them."
        write_results("pairs", data, "python experiments/gcuts_table2_duplicates.py", tables)


def contents(laid_out: Sequence[Page]) -> dict[str, Content]:
    """Return the rows: functions that return the text of a page that is compared."""
    cuts: dict[str, Content] = {
        f"{method}, largest by {size}": largest(create(method).predict, size)
        for method in ("gcuts", "cclus")
        for size in SIZES
    }
    return {
        **cuts,
        "learntcut, largest by text": largest(create("learntcut").predict),
        "gcuts, by roles": informative(with_roles),
        "template, by importance": informative(by_site(laid_out, sectioner)),
        "main landmark": landmark,
        "full text": visible_text,
    }


def largest(cut: Callable[[Page], Segmentation], size: Size = "text") -> Content:
    """Return a function that returns the text of the largest segment."""

    def find(page: Page) -> str:
        found = segments(page, cut(page))
        texts = texts_of(page, [segment.roots for segment in found])
        sizes = {
            "text": [len(text) for text in texts],
            "area": [each.box[2] * each.box[3] if each.box else 0.0 for each in found],
            "leaves": [each.leaves for each in found],
        }[size]
        return max(zip(sizes, texts, strict=True), default=(0, ""), key=lambda pair: pair[0])[1]

    return find


def informative(cut: Callable[[Page], Segmentation]) -> Content:
    """Return a function that returns the text of the segments that are important or have such a role."""

    def is_informative(segment: Segment) -> bool:
        if segment.importance is None:
            return segment.role in INFORMATIVE
        return segment.importance >= MIN_IMPORTANCE

    def find(page: Page) -> str:
        found = (segment for segment in segments(page, cut(page)) if is_informative(segment))
        return texts_of(page, [sorted(node for segment in found for node in segment.roots)])[0]

    return find


def landmark(page: Page) -> str:
    """Return the text of the first ``main`` element, of the role ``main``, or of the first ``article``."""
    name = np.array(page.dom.tags, object)[page.dom.tag]
    role = np.array(page.dom.column("role"), object)
    for marked in (name == "main", role == "main", name == "article"):
        if marked.any():
            return visible_text(page, int(marked.argmax()))
    return visible_text(page)


def with_roles(page: Page) -> Segmentation:
    """Return the segments of a page and their roles."""
    return trained(page).classify(page, GCuts().predict(page))


def by_site(
    laid_out: Sequence[Page], fit: Callable[[list[Page]], Callable[[Page], T]]
) -> Callable[[Page], T]:
    """Return a function that predicts with a model of the site of the page."""
    sites: dict[str, list[Page]] = {}
    for page in laid_out:
        sites.setdefault(site(page.id), []).append(page)
    models = {name: fit(members) for name, members in sites.items()}
    return lambda page: models[site(page.id)](page)


def sectioner(members: list[Page]) -> Callable[[Page], Segmentation]:
    """Return a function that cuts pages with the template of these."""
    cutter = Sectioner(template=SiteTemplate().fit(members).template_)
    return lambda page: cutter.predict(page).segmentation("site")


def row(label: str, pairs: Sequence[LabelledPair], called: np.ndarray) -> str:
    """Return one line of the table."""
    score: PairScore = score_pairs([pair.duplicate for pair in pairs], called)
    lengths = [
        part(pairs, called, length) for length in LENGTHS if any(pair.kind == length for pair in pairs)
    ]
    found, kept = f"{score.found}/{score.duplicates}", f"{score.kept}/{score.different}"
    return LINE.format(label, found, kept, " ".join(lengths))


def part(pairs: Sequence[LabelledPair], called: np.ndarray, kind: str) -> str:
    """Return the duplicates found among those of one kind."""
    mine = np.array([pair.kind == kind for pair in pairs])
    return f"{kind} {int(called[mine].sum())}/{int(mine.sum())}"


def by_paper(pairs: Sequence[LabelledPair], laid_out: Sequence[Page], content: Content) -> np.ndarray:
    """Return which pairs (p,) the published test calls duplicates."""
    method = Shingles()
    signature = {page.id: method.signature(content(page)) for page in laid_out}
    none = method.signature("")
    return np.array(
        [method.is_duplicate(signature.get(pair.a, none), signature.get(pair.b, none)) for pair in pairs]
    )


def by_site_shingles(pairs: Sequence[LabelledPair], laid_out: Sequence[Page]) -> np.ndarray:
    """Return which pairs (p,) our method finds in an index of all pages."""
    with DuplicateIndex() as index:
        texts = (replace(text_to_compare(page), site=site(page.id)) for page in laid_out)
        names = [text.id for text in texts if isinstance(index.add(text), int)]
        result = find_pairs([index])
    found = {frozenset((names[a], names[b])) for a, b in zip(result.a, result.b, strict=True)}
    return np.array([frozenset((pair.a, pair.b)) in found for pair in pairs])


def site(path: str) -> str:
    """Return the site of a page of the archives: ``<set>/<site>/...``."""
    return path.split("/")[1].lower()


if __name__ == "__main__":
    main()
