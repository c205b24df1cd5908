"""Data sets are built from archives by recipes: a repository, a package, and pages with synthetic content."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
from pathlib import Path
from typing import Any

import pytest
from experiments.datasets import build as building
from experiments.datasets.bench import read_bench
from experiments.datasets.blocks import read_records
from experiments.datasets.grafting import graft
from experiments.datasets.pseudolog import pseudo_log
from experiments.datasets.siterules import TruePage, text_of

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files

FILL = "<!-- " + 200 * "x" + " -->"
PAGES = {
    "index.html": f"<h1>Shop</h1><li><a href=p/a.html>Red lamp</a><li><a href=p/b.html>Desk</a>{FILL}",
    "p/a.html": f"<h1>Red lamp</h1><main><p>Bright.<aside>Ad</aside></main><i>Good</i>{FILL}",
    "p/b.html": f"<h1>Desk</h1><main><p>Wide.</main><a href=a.html>red lamp</a>{FILL}",
    "search": f"<form>{FILL}</form>",
}
RULES: list[dict[str, Any]] = [
    {"type": "start", "role": "index", "path": "^index", "title": "h1",
     "list": {"items": "li", "fields": {"name": "a", "row": ""}}},
    {"type": "product", "role": "article", "has": "main", "not": "form", "title": "h1", "main": ["main"],
     "without": ["aside"], "comments": "i"},
]  # fmt: skip
RECIPE: dict[str, Any] = {
    "name": "shop",
    "kind": "shop",
    "generator": "by hand",
    "host": "shop.example",
    "trust": {"list": 0},
    "folders": [["docs", ""]],
    "types": RULES,
    "paths": ["index.html", "p/a.html", "p/b.html"],
}


def repository(path: Path, files: dict[str, str], top: str = "shop-1a2b/docs/") -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def package(path: Path, files: dict[str, bytes]) -> Path:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        for name, body in files.items():
            member = tarfile.TarInfo(f"./usr/share/doc/{name}")
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))
    parts = [(b"debian-binary", b"2.0\n"), (b"control.tar.xz", b"odd"), (b"data.tar.xz", data.getvalue())]
    content = b"!<arch>\n"
    for name, body in parts:
        content += name.ljust(16) + b"0".ljust(32) + str(len(body)).encode().ljust(10) + b"`\n"
        content += body + b"\n" * (len(body) % 2)
    path.write_bytes(content)
    return path


@pytest.fixture
def recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "recipes"
    monkeypatch.setattr(building, "RECIPES", folder)
    return folder


def write(recipes: Path, name: str, recipe: dict[str, Any]) -> None:
    path = recipes / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(recipe), encoding="utf-8")


def test_a_bench_site_is_built_from_a_repository(
    tmp_path: Path, recipes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(recipes, "bench/shop", RECIPE)
    building.build("bench/shop", [repository(tmp_path / "shop.tar.gz", PAGES)], tmp_path)
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path))
    [site] = read_bench(["shop"])
    assert site.types == {"index.html": "start", "p/a.html": "product", "p/b.html": "product"}
    assert site.roles["index.html"] == "index"
    assert site.trust == {"types": True, "title": True, "text": True, "list": False}
    assert [source.body.decode() for source in site.sources()] == [PAGES[path] for path in RECIPE["paths"]]
    lamp, start = site.truth["p/a.html"], site.truth["index.html"]
    assert (lamp["title"], lamp["text"], lamp["comments"]) == ("Red lamp", "Bright.", ["Good"])
    assert start["records"] == [{"name": name, "row": name} for name in ("Red lamp", "Desk")]
    assert site.queries.keys() <= set(RECIPE["paths"])


def test_an_archive_is_the_same_each_time(tmp_path: Path) -> None:
    files = {"b": b"2", "a": b"1"}
    for name in ("one.tar.xz", "two.tar.xz"):
        building.write_archive(tmp_path / name, files)
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "two.tar.xz").read_bytes()
    assert dict(archive_files(tmp_path / "one.tar.xz")) == files


def test_a_missing_page_is_named(tmp_path: Path, recipes: Path) -> None:
    write(recipes, "bench/shop", {**RECIPE, "paths": ["index.html", "p/c.html"]})
    source = repository(tmp_path / "shop.tar.gz", PAGES)
    with pytest.raises(InputError, match=r"1 of 2 pages are not in the source, such as p/c\.html"):
        building.build("bench/shop", [source], tmp_path)


def test_a_page_that_no_rule_fits_is_named(tmp_path: Path, recipes: Path) -> None:
    write(recipes, "bench/shop", {**RECIPE, "paths": ["search"]})
    source = repository(tmp_path / "shop.tar.gz", PAGES)
    with pytest.raises(InputError, match="no rule fits the page search"):
        building.build("bench/shop", [source], tmp_path)


def test_packages_are_read_with_their_packed_files(tmp_path: Path, recipes: Path) -> None:
    body = (FILL + "<p>x").encode()
    first = package(tmp_path / "a.deb", {"en/a.html": body, "other/a.html": b"-"})
    second = package(tmp_path / "b.deb", {"en/a.html.gz": gzip.compress(body)})
    paths = ["m/us/a.html", "m/gb/a.html"]
    recipe = {"folders": [["usr/share/doc/en", "m/us/"], ["usr/share/doc/en", "m/gb/"]], "paths": paths}
    write(recipes, "duplicates/manual", {**recipe, "duplicate": [[0, 1]], "distinct": [[1, 0]]})
    for _ in range(2):  # a second build replaces the pairs of the set
        building.build("duplicates/manual", [first, second], tmp_path)
    assert dict(archive_files(tmp_path / "duplicates" / "manual.tar.xz")) == dict.fromkeys(paths, body)
    rows = (tmp_path / "duplicates" / "pairs.tsv").read_text().splitlines()
    assert rows[1:] == [
        "manual\tm/us/a.html\tm/gb/a.html\tduplicate",
        "manual\tm/gb/a.html\tm/us/a.html\tdistinct",
    ]


@pytest.mark.parametrize("body", [b"", b"<html>No such file", b"!<arch>\nshort"])
def test_a_damaged_download_gives_one_sentence(tmp_path: Path, body: bytes) -> None:
    for name in ("a.deb", "a.tar.gz"):
        (tmp_path / name).write_bytes(body)
        with pytest.raises(InputError, match=f"{name} is not a readable archive"):
            list(building.source_files(tmp_path / name))


def test_news_have_parts_articles_and_texts_of_links(tmp_path: Path, recipes: Path) -> None:
    recipe = {**RECIPE, "article": {"title": "h1", "main": ["main"]}, "articles": ["p/a.html"]}
    write(
        recipes, "news/shop", {**recipe, "parts": {"fit": ["index.html", "p/a.html"], "check": ["p/b.html"]}}
    )
    building.build("news/shop", [repository(tmp_path / "shop.tar.gz", PAGES)], tmp_path)
    with lzma.open(tmp_path / "news" / "shop.articles.jsonl.xz", "rt") as lines:
        [article] = map(json.loads, lines)
    assert (article["title"], article["body"], article["part"]) == ("Red lamp", "Bright.\n\nAd", "fit")
    rows = (tmp_path / "news" / "shop.anchors.tsv").read_text().splitlines()
    assert rows[1:] == ["p/a.html\tRed lamp\t1", "p/a.html\tred lamp\t1", "p/b.html\tDesk\t1"]


def test_the_kreuzer_set_keeps_marked_pages_and_what_they_load(tmp_path: Path, recipes: Path) -> None:
    files = {f"a.org/a.org/{name}": name for name in ("index.blocks.html", "index.html", "a.css", "b.js")}
    source = repository(tmp_path / "set.tar.gz", files, "set-1/")
    recipe = {"folders": [["", "popular/"]], "split": {"train": ["popular/a.org"]}}
    write(recipes, "segmentation/pages", recipe)
    building.build("segmentation/pages", [source], tmp_path)
    names = [name for name, _ in archive_files(tmp_path / "segmentation" / "pages.tar.xz")]
    assert names == ["popular/a.org/a.org/a.css", "popular/a.org/a.org/index.blocks.html"]


def test_pages_of_several_sites_keep_their_sites_apart(tmp_path: Path, recipes: Path) -> None:
    sources = [repository(tmp_path / f"{name}.tar.gz", {"a.css": name}, "s-1/") for name in "ab"]
    recipe = {"folders": [["", "a/"], ["", "b/"]], "paths": ["a/a.css", "b/a.css"]}
    write(recipes, "blocks/pages", recipe)
    building.build("blocks/pages", sources, tmp_path)
    assert dict(archive_files(tmp_path / "blocks" / "pages.tar.xz")) == {"a/a.css": b"a", "b/a.css": b"b"}


def test_pages_get_the_names_of_the_recipe(tmp_path: Path, recipes: Path) -> None:
    first = repository(
        tmp_path / "a.tar.gz", {"index.html?p=1.html": "1", "index.html": "2", "c.js": "3"}, "a-1/"
    )
    second = repository(tmp_path / "b.tar.gz", {"old place/b.html": "4"}, "b-1/")
    third = package(tmp_path / "c.deb", {"c/html/c.html": b"5", "c/html/c.css.gz": gzip.compress(b"6")})
    paths = ["a/index.html", "a/index.html@p=1.html", "b/b.html", "c/c.html", "c/c.css"]
    renamed = {"a/index.html?p=1.html": paths[1], "b/old place/b.html": "b/b.html"}
    folders = [["", "a/"], ["", "b/"], ["usr/share/doc/c/html", "c/"]]
    write(recipes, "pages-2/pages", {"folders": folders, "renamed": renamed, "paths": paths})
    building.build("pages-2/pages", [first, second, third], tmp_path)
    files = list(archive_files(tmp_path / "pages-2" / "pages.tar.xz"))
    assert files == list(zip(paths, [b"2", b"1", b"4", b"5", b"6"], strict=True))


def test_the_recipe_of_the_second_pages_has_all_labelled_pages() -> None:
    recipe = json.loads((building.RECIPES / "pages-2" / "pages.json").read_text(encoding="utf-8"))
    labelled = read_records("a", "pages-2")
    assert set(recipe["paths"][: len(labelled)]) == set(labelled)
    assert len(set(recipe["paths"])) == len(recipe["paths"])
    assert set(recipe["renamed"].values()) < set(labelled)
    prefixes = [prefix for _, prefix in recipe["folders"]]
    assert prefixes == sorted({f"{path.partition('/')[0]}/" for path in labelled})


def test_deep_pages_have_a_truth() -> None:
    page = TruePage(b"<main>" + 3000 * b"<b>" + b"deep</main>")
    assert text_of(page.tree.css_first("main")).strip() == "deep"


def test_a_page_without_the_elements_gives_one_sentence() -> None:
    with pytest.raises(InputError, match="no element main or h1"):
        graft(b"<p>x", {"title": "T", "body": "B"}, {"main": "main", "heading": "h1"})


def test_wrong_rows_of_a_log_are_as_many_as_stated() -> None:
    links = {
        f"{k}.html": [(f"{j}.html", f"page number {j}") for j in range(60) if j % 7 == k % 7]
        for k in range(60)
    }
    rows = pseudo_log(links, "a.example", set(links))
    texts = {f"page number {k}" for k in range(60)}
    assert rows == pseudo_log(links, "a.example", set(links))
    right = sum(path == f"{query.rpartition(' ')[2]}.html" for query, path, _ in rows if query in texts)
    assert 0 < right < len(rows)


@pytest.mark.data
def test_the_recipes_give_the_truth_of_the_bench(data_dir: Path) -> None:
    """All pages of some sites; the others are compared by ``webgrain data build``."""
    for name in ("voc", "whisky", "intia"):
        recipe = json.loads(
            (Path(building.__file__).parent / "recipes" / "bench" / f"{name}.json").read_text()
        )
        with lzma.open(data_dir / "bench" / f"{name}.truth.jsonl.xz", "rt") as lines:
            truth = {record.pop("path"): record for record in map(json.loads, lines)}
        files = dict(archive_files(data_dir / "bench" / f"{name}.tar.xz"))
        assert sorted(files) == sorted(recipe["paths"])
        for path, body in files.items():
            page = TruePage(body)
            rule = page.rule(path, recipe["types"])
            assert rule is not None
            assert page.record(rule) == truth[path]
