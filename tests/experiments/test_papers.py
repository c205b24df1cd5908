"""The experiments of the papers on made-up sites: scores, and the tables of the result files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.articles import ArticleSite, Truth
from experiments.datasets.bench import BenchSite
from experiments.keyclus_common import Labelled

from experiments import keyclus_accuracy, keyclus_paths, keyclus_robustness, regextree_paper, webstemmer_paper
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from pathlib import Path

np = pytest.importorskip("numpy")


def made_site() -> Labelled:
    text = "text number {0} of a made-up site with several words"
    html = "<h1>Post {0}</h1><p>Some " + text, "<h2>List {0}</h2><ul><li>An item with " + text
    pages = [parse(Source(f"{kind}{k}", html[kind].format(k).encode())) for kind in (0, 1) for k in range(25)]
    truth = np.repeat([0, 1], 25)
    queries = {page.id: {f"{'post' if k < 25 else 'list'} {k % 25}": 1} for k, page in enumerate(pages)}
    return Labelled("made", pages, truth, queries, [("post", "list")[k] for k in truth])


def check_tables(tables: dict) -> None:
    for name, own in tables.items():
        assert re.fullmatch(r"[\w-]+", name)
        assert own["rows"]
        assert all(len(row) == len(own["columns"]) for row in own["rows"])


def test_accuracy_of_keyclus_and_its_baselines() -> None:
    pytest.importorskip("sklearn")
    result = keyclus_accuracy.measure_sites([made_site()], {}, seeds=2)
    found = result["sites"]["made"]
    assert found["KeyClus"]["ari"] == found["path shingles"]["ari"] == 1.0
    assert (found["KeyClus"]["size"], found["KeyClus"]["clusters"], found["KeyClus"]["large"]) == ("1", 2, 2)
    assert found["KeyClus"]["in_small"] == 0
    assert result["sizes"]["path shingles"]["1"]["sd"] >= 0
    tables = keyclus_accuracy.tables({"bench": result, "development": result})
    check_tables(tables)
    assert tables["bench-best-size"]["rows"][0][:5] == ["KeyClus", 1.0, 0.0, 1, "1 (on 1 of 1 sites)"]


def test_changes_of_the_log_of_keyclus() -> None:
    site = made_site()
    assert keyclus_robustness.fewer(site, 0.0, 0) == {}
    moved = keyclus_robustness.noisy(site, 1.0, 0)
    assert sum(map(len, moved.values())) <= 50
    assert keyclus_robustness.noisy(site, 0.0, 0) == site.queries
    found = keyclus_robustness.scores(site, range(1))
    assert found["as published"] == 1.0
    check_tables(keyclus_robustness.tables({"development": found, "bench": found}))


def test_precision_of_key_paths() -> None:
    site = made_site()
    tree = keyclus_paths.LexborHTMLParser("<h1>a</h1><h2>b</h2>")
    titles = {name: keyclus_paths.path_of(tree.css_first(name)) for name in ("h1", "h2")}
    rules, wrappers = {"title": set(titles.values())}, {"title": {titles["h1"]}}
    posts = {page.id for page in site.pages[:25]}
    found = keyclus_paths.figures(site.counts(), rules, wrappers, posts)
    assert found == {
        "paths": 2, "tabs": 0, "topmost": "title", "precision": 0.5, "precision on wrapper pages": 1.0,
    }  # fmt: skip
    result = {"mean": {"KeyClus": keyclus_paths.summary({"made": {"KeyClus": found}}, "KeyClus")}}
    check_tables(keyclus_paths.tables(result))


def test_noise_of_a_made_site() -> None:
    html = "<ul><li>Menu one<li>Menu two</ul><div><h1>Title {0}</h1><p>Body of page {0} with words {0}</div>"
    numbers = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    pages = [parse(html.format(n)) for n in numbers]
    content = [[f"Title {n}", f"Body of page {n} with words {n}"] for n in numbers[4:]]
    found = regextree_paper.judge(regextree_paper.Drawn(pages[:4], pages[4:], content, False))
    assert found["published"]["precision"] == found["published"]["recall"] == 1.0
    group = {"sites": {"made": {"pages": 2, **found}}, "mean": found}
    tables = regextree_paper.tables({"articles": group, "bench": group})
    check_tables(tables)
    assert tables["means"]["rows"][-1][-1] == 0.2


@pytest.mark.parametrize(
    ("role", "record", "known"),
    [
        ("article", {"text": "words"}, True),
        ("article", {"text": ""}, False),
        ("index", {"records": [{"name": "a"}] * 3}, True),
        ("index", {"records": [{"name": "a"}]}, False),
        ("other", {"text": "words"}, False),
    ],
)
def test_pages_with_known_content(tmp_path: Path, role: str, record: dict, known: bool) -> None:
    site = BenchSite("a", "", "", "", tmp_path, {"x": "t"}, {"x": role}, {}, {"list": True})
    site.__dict__["truth"] = {"x": record}
    assert regextree_paper.is_known(site, "x") == known


def test_an_unmatched_page_is_not_counted() -> None:
    truth = {name: Truth("article", "Title", "one two", True, "three") for name in "ab"}
    site = ArticleSite("made", (), ("a", "b"), {}, truth)
    pages = [parse(Source(name, b"<p>one two")) for name in "ab"]
    article = Article("article", "title", (Part("paragraph", 0, ("one two three",)),))
    found = webstemmer_paper.judge(
        site, pages, lambda page: article if page.id == "a" else Article("unknown")
    )
    assert found == {"f1": 0.5, "titles": 0.5, "matched": 0.5, "f1 of matched": 1.0}


def test_records_of_left_out_sites(tmp_path: Path) -> None:
    record = {"group": "made", "site": True, "known": True, "f1": 0.8, "title": True, "verdict": True}
    others = {"verdict": False, "title": None}, {"site": False}, {"f1": None}
    lines = [record, *(record | other for other in others)]
    file = tmp_path / "records.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = webstemmer_paper.left_out(file)
    assert found == {
        "made": {"with its site": {"f1": 0.4, "titles": 0.5, "matched": 0.5, "f1 of matched": 0.8}}
    }
    site = {"articles": 2, **found["made"]}
    result = {"sites": {"made": site}, "mean": found["made"]}
    check_tables(webstemmer_paper.tables(result))


def test_without_records_the_command_that_writes_them_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["webstemmer_paper.py", str(tmp_path / "none.jsonl")])
    assert "experiments/training/singlepage.py" in str(webstemmer_paper.main())
