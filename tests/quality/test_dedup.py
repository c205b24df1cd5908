"""Duplicates on pairs of pages with known answers, and pages of one site that are none.

The pairing of the set ``grafted`` is synthetic: true article bodies in true frames of three sites.
"""

from __future__ import annotations

import hashlib
import tarfile
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from experiments.datasets.duplicates import load_pairs, read_pages
from tests.quality.gate import check

from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.repeats import PageText
from webgrain.metrics import score_pairs
from webgrain.page.page import Source
from webgrain.segmentation.gcuts import GCuts
from webgrain.site.duplicates import Segments, duplicate_records, page_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.data
PAIRS = "f2377c"
EVERY = 3
LARGEST = 100_000
"""Bytes of a page: a list of all articles takes as long to cut as all others together."""


def experiment() -> Any:
    """The experiment that makes the table, so that both score alike."""
    from experiments import gcuts_table2_duplicates as module

    return module


def folder_of(data_dir: Path, name: str) -> Path:
    folder = data_dir / name
    if not folder.is_dir():
        pytest.skip(f"no pages to compare: the folder {folder} does not exist")
    return folder


@pytest.mark.full
def test_grafted_pairs(data_dir: Path) -> None:
    folder = folder_of(data_dir, "duplicates")
    assert hashlib.sha256((folder / "pairs.tsv").read_bytes()).hexdigest()[:6] == PAIRS, "other pairs"
    table2 = experiment()
    pairs = load_pairs(folder, "grafted")
    read = page_texts(read_pages(folder, "grafted"), Segments(GCuts()))
    texts = [text for text in read if isinstance(text, PageText)]
    whole = [PageText(text.id, text.text) for text in texts]
    truth = [pair.duplicate for pair in pairs]
    paper, full = table2.by_paper(pairs, texts), table2.by_paper(pairs, whole)
    figures = {}
    for name, called in (("paper", paper), ("min-hash", table2.by_minhash(pairs, texts))):
        score = score_pairs(truth, called)
        figures |= {f"grafted, {name}, found": score.found_share, f"grafted, {name}, kept": score.kept_share}
    for kind in table2.LENGTHS:
        mine = [k for k, pair in enumerate(pairs) if pair.kind == kind]
        figures[f"grafted, paper, {kind}"] = float(paper[mine].mean())
    best, base = score_pairs(truth, paper), score_pairs(truth, full)
    figures["grafted, paper, found over full text"] = best.found / base.found
    check("duplicates", figures)


@pytest.mark.full
@pytest.mark.parametrize("site", ["krisold", "asa", "octo54"])
def test_pages_of_one_site_are_kept_apart(data_dir: Path, site: str) -> None:
    archive = folder_of(data_dir, "news") / f"{site}.tar.xz"
    with DuplicateIndex() as index:
        texts = page_texts(pages_of(archive), Segments(GCuts()))
        called = [item for item in duplicate_records(texts, index) if isinstance(item, dict)]
        n = len(index)
    check("duplicates", {f"{site}, pairs called duplicates": len(called) / (n * (n - 1) / 2)})


def pages_of(archive: Path) -> Iterator[Source]:
    """Go through every third page of a site."""
    with tarfile.open(archive) as pages:
        members = (member for member in pages if member.name.endswith(".html") and member.size <= LARGEST)
        for member in islice(members, 0, None, EVERY):
            file = pages.extractfile(member)
            assert file is not None
            yield Source(member.name, file.read(), url=f"http://site.invalid/{member.name}")
