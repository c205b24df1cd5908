from __future__ import annotations

import json
import lzma
import tarfile
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.duplicates import SETS, load_pairs, read_pages

from webgrain.base.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = """set\tpath_a\tpath_b\tlabel\tbyte_identical\tfull_text_jaccard6
grafted\tgrafted/x/1.html\tgrafted/y/1.html\tduplicate\t0\t0.5
grafted\tgrafted/x/1.html\tgrafted/x/2.html\tdistinct\t0\t0.1
installation-guide\ta "quoted.html\tb.html\tduplicate\t1\t1.0
"""
PAGES = """path\tarticle\tframe_site
grafted/x/1.html\t01\tx
grafted/x/2.html\t02\tx
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "grafted.pages.tsv").write_text(PAGES)
    with lzma.open(tmp_path / "grafted.articles.jsonl.xz", "wt") as out:
        for name, kind in (("01", "lead"), ("02", "complete-long")):
            out.write(json.dumps({"id": name, "length_class": kind}) + "\n")
    (tmp_path / "1.html").write_text("<p>One")
    with tarfile.open(tmp_path / "grafted.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "1.html", "grafted/x/1.html")
    return tmp_path


def test_pairs_and_their_kinds(folder: Path) -> None:
    first, second = load_pairs(folder, "grafted")
    assert (first.a, first.b, first.duplicate, first.kind) == (
        "grafted/x/1.html",
        "grafted/y/1.html",
        True,
        "lead",
    )
    assert (second.duplicate, second.kind) == (False, "x")
    (quoted,) = load_pairs(folder, "installation-guide")
    assert (quoted.a, quoted.kind) == ('a "quoted.html', "")


def test_pages(folder: Path) -> None:
    assert [(page.id, page.body) for page in read_pages(folder, "grafted")] == [
        ("grafted/x/1.html", b"<p>One")
    ]


def test_missing_or_damaged_files_raise(folder: Path) -> None:
    with pytest.raises(InputError, match=r"installation-guide\.tar\.xz cannot be read"):
        list(read_pages(folder, "installation-guide"))
    (folder / "grafted.tar.xz").write_bytes((folder / "grafted.tar.xz").read_bytes()[:50])
    with pytest.raises(InputError, match=r"grafted\.tar\.xz cannot be read"):
        list(read_pages(folder, "grafted"))


@pytest.mark.data
def test_the_public_sets(data_dir: Path) -> None:
    folder = data_dir / "duplicates"
    if not folder.is_dir():
        pytest.skip(f"no pairs: the folder {folder} does not exist")
    counts = {name: [pair.duplicate for pair in load_pairs(folder, name)] for name in SETS}
    assert {name: (sum(labels), len(labels)) for name, labels in counts.items()} == {
        "libreoffice-help": (400, 1200),
        "installation-guide": (234, 1434),
        "grafted": (180, 1380),
    }
