"""Duplicates on pairs of pages with known answers, and different pages of one site.

The pairing of the set ``grafted`` is synthetic: true article bodies in true frames of three sites.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.bench import read_bench
from experiments.datasets.duplicates import SETS, load_pairs, read_pages
from experiments.metrics import score_pairs
from tests.quality.gate import check

from experiments import duplicates_bench
from experiments import gcuts_table2_duplicates as table2
from webgrain.duplicates.thresholds import DUPLICATES, RELATED
from webgrain.page.page import Page
from webgrain.papers.gcuts import GCuts
from webgrain.site.duplicates import text_to_compare
from webgrain.site.pipeline import pages, parsed_pages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data
PAIRS = "f2377c"
SITES = ["cktrac", "lpinnova", "towels", "yucel"]
"""Sites with many similar pages: an issue tracker, two shops, a blog with many tags."""


def folder_of(data_dir: Path, name: str) -> Path:
    folder = data_dir / name
    if not folder.is_dir():
        pytest.skip(f"The folder {folder} with pages to compare does not exist.")
    return folder


@pytest.mark.parametrize("name", SETS)
def test_specific_shingles(data_dir: Path, name: str) -> None:
    folder = folder_of(data_dir, "duplicates")
    assert hashlib.sha256((folder / "pairs.tsv").read_bytes()).hexdigest()[:6] == PAIRS, "other pairs"
    pairs = load_pairs(folder, name)
    read = [page for page in parsed_pages(read_pages(folder, name)) if isinstance(page, Page)]
    score = score_pairs([pair.duplicate for pair in pairs], table2.by_site_shingles(pairs, read))
    check("duplicates", {f"{name}, found": score.found, f"{name}, kept": score.kept})


@pytest.mark.full
def test_the_published_test(data_dir: Path) -> None:
    folder = folder_of(data_dir, "duplicates")
    pairs = load_pairs(folder, "grafted")
    read = [page for page in pages(read_pages(folder, "grafted")) if isinstance(page, Page)]
    truth = [pair.duplicate for pair in pairs]
    paper = table2.by_paper(pairs, read, table2.largest(GCuts().predict))
    full = table2.by_paper(pairs, read, table2.visible_text)
    best, base = score_pairs(truth, paper), score_pairs(truth, full)
    figures = {"grafted, paper, found": best.found_share, "grafted, paper, kept": best.kept_share}
    figures["grafted, paper, found over full text"] = best.found / base.found
    for kind in table2.LENGTHS:
        mine = [k for k, pair in enumerate(pairs) if pair.kind == kind]
        figures[f"grafted, paper, {kind}"] = float(paper[mine].mean())
    check("duplicates", figures)


@pytest.mark.parametrize("name", SITES)
def test_different_pages_of_one_site_are_kept_apart(data_dir: Path, name: str) -> None:
    folder_of(data_dir, "bench")
    [site] = read_bench([name])
    texts = [text_to_compare(page, site.name) for page in site.pages()]
    met = duplicates_bench.compared(site, texts, [])
    false = duplicates_bench.score(met, (RELATED, DUPLICATES))[0]["false"]
    check("duplicates", {f"{name}, false pairs": 100 * false / (len(site) * (len(site) - 1) / 2)})
