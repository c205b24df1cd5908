from __future__ import annotations

import hashlib
import io
import json
import lzma
import tarfile
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.articles import SITES, bench_articles, read_articles
from experiments.datasets.bench import BenchSite

from webgrain.base.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def write_site(folder: Path, name: str, pages: list[str]) -> None:
    folder.mkdir(parents=True)
    with tarfile.open(folder / f"{name}.tar.xz", "w:xz") as archive:
        for page in pages:
            member = tarfile.TarInfo(f"./{page}")
            member.size = len(page)
            archive.addfile(member, io.BytesIO(page.encode()))
    with lzma.open(folder / f"{name}.articles.jsonl.xz", "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({"path": pages[0], "title": "T", "body": "the body"}) + "\n")


def test_news(tmp_path: Path) -> None:
    write_site(tmp_path / "news", "asa", ["a.html", "b.html"])
    rows = [
        "path\turl\tkind\tpart",
        "a.html\thttp://x.org/a\tarticle\tfit",
        "b.html\thttp://x.org/b\tindex\tcheck",
    ]
    (tmp_path / "news" / "asa.pages.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "news" / "asa.anchors.tsv").write_text('path\tanchor\tlinks\na.html\tThe "A\t3\n', "utf-8")
    site = read_articles(tmp_path, "asa")
    assert (site.learn, site.check) == (("a.html",), ("b.html",))
    assert (site.truth["a.html"].kind, site.truth["a.html"].body) == ("article", "the body")
    assert site.truth["a.html"].with_code
    assert site.truth["b.html"].kind == "index"
    assert site.anchors == {"a.html": {'The "A': 3}}
    assert site.sources["a.html"].url == "http://x.org/a"
    assert [page.id for page in site.pages(site.check)] == ["b.html"]


def test_sites_are_split_by_the_hash_of_the_path(tmp_path: Path) -> None:
    pages = [f"{number}.html" for number in range(60)]
    write_site(tmp_path / "sites", "datafusion", pages)
    kinds = ["post", "listing", *["page"] * 58]
    rows = [f"{page}\t{kind}" for page, kind in zip(pages, kinds, strict=True)]
    (tmp_path / "sites" / "datafusion.types.tsv").write_text("path\ttype\n" + "\n".join(rows), "utf-8")
    site = read_articles(tmp_path, "datafusion")
    order = sorted(pages, key=lambda page: hashlib.sha256(page.encode()).digest())
    assert set(site.learn) == set(order[: SITES["datafusion"]])
    assert set(site.check) == set(order[SITES["datafusion"] :])
    assert [site.truth[page].kind for page in pages[:3]] == ["article", "index", "other"]
    assert site.anchors is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"octo54\.articles\.jsonl\.xz"):
        read_articles(tmp_path, "octo54")


def test_a_site_of_the_bench(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    write_site(folder, "made", ["a.html", "b.html", "c.html"])
    texts = {"a.html": "w " * 12, "b.html": "few words", "c.html": ""}
    with lzma.open(folder / "made.truth.jsonl.xz", "wt", encoding="utf-8") as lines:
        for path, text in texts.items():
            lines.write(json.dumps({"path": path, "title": "T", "text": text, "comments": ["x", "y"]}) + "\n")
    roles = {"a.html": "article", "b.html": "article", "c.html": "index"}
    archive = folder / "made.tar.xz"
    made = BenchSite("made", "x.org", "", "", archive, dict.fromkeys(texts, "t"), roles, {}, {})
    site = bench_articles(made, {"a.html", "c.html"}, 5)
    assert (site.learn, site.check) == (("b.html",), ("a.html", "c.html"))
    assert [site.truth[page].kind for page in texts] == ["article", "other", "index"]
    assert site.truth["a.html"].comments == "x\ny"
    assert site.sources["a.html"].url == "http://x.org/a.html"
    assert bench_articles(made, {"a.html"}, 1).learn in (("b.html",), ("c.html",))
