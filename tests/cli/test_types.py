"""``webgrain types`` and ``webgrain review types`` on a small site."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.pagetypes.sites import MAKERS

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for kind, maker in MAKERS.items():
        (folder / kind).mkdir(parents=True)
        for k in range(12):
            (folder / kind / f"{k}.html").write_text(maker(k), encoding="utf-8")
    rows = [("url", "query", "clicks"), ("post/1.html", "story 1", 3), ("product/2.html", "lamp 2", 1)]
    (tmp_path / "log.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return folder


def test_the_table_contains_types_key_paths_and_their_texts(webgrain: Webgrain, shop: Path) -> None:
    done = webgrain("types", shop, "--queries", shop.parent / "log.tsv")
    assert done.code == 0
    first = done.out.splitlines()[0]
    read = "2 of 2 rows of the search log are of these pages"
    assert first == f"36 pages, 3 types; learnt from the structure of the pages; {read}."
    assert [line for line in done.out.splitlines() if "queries" in line] == [
        "  queries   story 1",
        "  queries   lamp 2",
    ]
    assert done.out.count("key path") == 3
    heads = [line.partition("  [")[0] for line in done.out.splitlines() if "12 pages (33%)" in line]
    assert sorted(heads) == ["Blog posts in /post/", "Pages in /listing/", "Product pages in /product/"]


def test_without_a_log_the_output_of_keyclus_names_pseudo_queries(webgrain: Webgrain, shop: Path) -> None:
    assert "pseudo-queries" in webgrain("types", shop, "--method", "keyclus").out


def test_pages_as_records_and_fields(webgrain: Webgrain, shop: Path) -> None:
    records = webgrain("types", shop, "--format", "jsonl").records
    assert len(records) == 36
    assert set(records[0]) == {"page", "url", "type", "key_path", "confidence"}
    assert set(records[0]["key_path"]) == {"css", "xpath"}
    rows = list(csv.DictReader(io.StringIO(webgrain("types", shop, "--fields", "--format", "csv").out)))
    assert any("Story" in row["contents"] for row in rows)
    assert "h1" in webgrain("types", shop, "--fields").out


def test_a_model_assigns_new_pages(webgrain: Webgrain, shop: Path) -> None:
    model = shop.parent / "types.json"
    assert webgrain("types", shop, "-o", model, "--html", shop.parent / "types.html").code == 0
    (shop / "new.html").write_text(MAKERS["post"](77), encoding="utf-8")
    (shop / "other.html").write_text("<main><dl><dt>x<dd>y</dl></main>", encoding="utf-8")
    found = {one["page"]: one for one in webgrain("types", "--model", model, shop).records}
    assert found["new.html"]["type"] == found["post/0.html"]["type"] is not None
    assert found["other.html"]["type"] == "other"
    page = (shop.parent / "types.html").read_text("utf-8")
    assert page.count("<section>") == 3
    assert "<h2>Blog posts in /post/</h2>" in page
    assert "<mark>" in page


def test_names_of_an_earlier_run_stay(webgrain: Webgrain, shop: Path) -> None:
    model = shop.parent / "types.json"
    webgrain("types", shop, "-o", model)
    result = json.loads(model.read_text())
    for k, kind in enumerate(result["types"]):
        kind["label"] = f"mine-{k}"
    model.write_text(json.dumps(result))
    out = webgrain("types", shop, "--previous", model).out
    assert all(f"mine-{k}" in out for k in range(3))


def test_keyclus_takes_the_parameters_of_the_paper(webgrain: Webgrain, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for k in range(20):
        (site / f"a{k}.html").write_text(f"<b>Open</b><h1>Post {k}</h1><p>about a post", encoding="utf-8")
        (site / f"b{k}.html").write_text(f"<b>Shut</b><h2>List {k}</h2><p>about a list", encoding="utf-8")
    rows = [f"{kind}{k}.html\t{name} {k}" for kind, name in (("a", "post"), ("b", "list")) for k in range(20)]
    (tmp_path / "log.tsv").write_text("\n".join(["page\tquery", *rows]), encoding="utf-8")
    common = (site, "--queries", tmp_path / "log.tsv", "--method", "keyclus")
    model = tmp_path / "types.json"
    done = webgrain("types", *common, "-o", model)
    assert (done.code, done.err) == (0, "")
    assert "40 pages, 2 types" in done.out
    assert "key path  html > body > h1" in done.out
    assert "contents  Post" in done.out
    assert {one["type"] for one in webgrain("types", "--model", model, site).records} == {
        kind["label"] for kind in json.loads(model.read_text())["types"]
    }
    assert webgrain("types", *common, "--previous", model).code == 0
    assert "Post" in webgrain("types", *common, "--fields").out
    result = webgrain("types", *common, "--top", 1).out  # pages without this path are grouped by others
    assert result.count("key path  html") == 1
    assert "key path  none" in result
    options = "--recall-weight 0 --presence-weight 2 --dependence 1 --content-dependence 0.5 --decay 0.4"
    more = "--shingle-size 2 --repeated 0.2 --max-presence 0.9 --paths site --no-tabs --seed 3"
    result = webgrain("types", *common, *options.split(), *more.split(), "-o", model)
    assert result.code == 0
    params = json.loads(model.read_text())["about"]["params"]
    assert params == {
        "recall_weight": 0, "presence_weight": 2, "top": 100, "dependence": 1, "content_dependence": 0.5,
        "decay": 0.4, "shingle_size": 2, "tabs": False, "repeated": 0.2, "max_presence": 0.9, "paths": "site",
        "random_state": 3,
    }  # fmt: skip
    assert "decay must be in 0..1" in webgrain("types", *common, "--decay", 3).err
    assert "--method pagetypes has no parameter --top" in webgrain("types", site, "--top", 3).err


@pytest.mark.usefixtures("here")
def test_a_search_log_of_another_site_is_not_used(webgrain: Webgrain, shop: Path) -> None:
    log = shop.parent / "other.tsv"
    log.write_text("url\tquery\nhttps://elsewhere.example/x.html\tlamp\n")
    done = webgrain("types", shop, "--queries", log)
    assert done.code == 0
    [line] = done.err.splitlines()
    assert "None of the 1 rows of the search log is of one of the 36 pages" in line
    assert done.out == webgrain("types", shop).out
    done = webgrain("audit", shop, "--queries", log, "-o", shop.parent / "out", "--examples", 0)
    assert done.code == 0
    assert done.err.splitlines() == [line.replace("webgrain: ", "webgrain: shop: ")]
    assert "36 pages of 3 types" in done.out


def test_wrong_input_gives_one_sentence(webgrain: Webgrain, shop: Path) -> None:
    log = shop.parent / "log.tsv"
    assert webgrain("types", "-").code == 2
    assert "it can be combined with --format only" in webgrain("types", shop, "--model", log, "--fields").err
    empty = shop.parent / "empty"
    empty.mkdir()
    assert "no page type to learn" in webgrain("types", empty).err


def test_pages_that_all_fail_are_named(webgrain: Webgrain, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.pdf.html").write_bytes(b"%PDF-1.7 no page")
    done = webgrain("types", tmp_path)
    assert done.code == 2
    lines = done.err.splitlines()
    assert [line.split(":")[1].strip() for line in lines[:2]] == ["a.pdf.html", "b.pdf.html"]
    assert "No page could be read" in lines[2]


def test_one_page_is_one_type(webgrain: Webgrain, shop: Path) -> None:
    assert webgrain("types", shop / "post" / "1.html").out.startswith("1 page, 1 type;")


def test_verdicts_are_kept(webgrain: Webgrain, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = shop.parent / "verdicts.jsonl"
    monkeypatch.setattr("sys.stdin", io.StringIO("x\nh\nq\n"))
    done = webgrain("review", "types", shop, "-o", verdicts)
    assert done.code == 0
    [first] = map(json.loads, verdicts.read_text().splitlines())
    assert first["verdict"] == "homogeneous"
    assert len(first["dissimilar"]) == 10
    assert len(first["random"]) == 2
    monkeypatch.setattr("sys.stdin", io.StringIO("s\n"))
    webgrain("review", "types", shop, "-o", verdicts)
    found = [json.loads(line) for line in verdicts.read_text().splitlines()]
    assert [one["verdict"] for one in found] == ["homogeneous", "split"]
    assert found[0]["type"] != found[1]["type"]
    verdicts.unlink()
    monkeypatch.setattr("sys.stdin", io.StringIO("m\nnone\nm\n"))  # ends in the middle of an answer
    done = webgrain("review", "types", shop, "-o", verdicts)
    assert (done.code, verdicts.exists()) == (0, False)
    assert "there is no type 'none'" in done.out


@pytest.mark.usefixtures("here")
def test_verdicts_merge_and_split_types(
    webgrain: Webgrain, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts, model = shop.parent / "verdicts.jsonl", shop.parent / "types.json"
    webgrain("types", shop, "-o", model)
    first, second, third = (kind["label"] for kind in json.loads(model.read_text())["types"])
    monkeypatch.setattr("sys.stdin", io.StringIO(f"m\n{second}\nq\n"))
    webgrain("review", "types", shop, "-o", verdicts)
    done = webgrain("types", shop, "--verdicts", verdicts, "-o", model)
    assert (done.code, done.err) == (0, "")
    assert "36 pages, 2 types" in done.out
    assert f"[{second}]  24 pages" in done.out
    assert {one["type"] for one in webgrain("types", "--model", model, shop).records} == {second, third}
    # The next review shows the merged type, and can split it again.
    monkeypatch.setattr("sys.stdin", io.StringIO("s\nq\n"))
    done = webgrain("review", "types", shop, "-o", verdicts)
    assert f"{second}  24 pages" in done.out
    assert "36 pages, 3 types" in webgrain("types", shop, "--verdicts", verdicts).out
    done = webgrain("types", shop, "--verdicts", verdicts, "--method", "keyclus")
    assert done.code == 0
    assert f"The verdict on {first} has no effect" in done.err
    assert "is no record of verdicts" in webgrain("types", shop, "--verdicts", model).err
    verdicts.write_text(verdicts.read_text().splitlines()[0])
    out = shop.parent / "out"
    done = webgrain("audit", shop, "--verdicts", verdicts, "-o", out, "--examples", 0)
    assert (done.code, done.err) == (0, "")
    assert "36 pages of 2 types" in done.out
    assert "is no record of verdicts" in webgrain("audit", shop, "--verdicts", model, "-o", out / "b").err
