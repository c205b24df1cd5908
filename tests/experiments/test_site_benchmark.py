"""The benchmark of whole sites, on a small site that is built from a recipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from experiments.datasets import build as building
from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.siterules import decoded
from tests.experiments.test_build import FILL, repository

from experiments import site_benchmark as benchmark
from webgrain.base.errors import InputError

WORDS = "This lamp gives a warm light for a whole evening and needs no other tools"
ITEMS = "".join(f"<li><a href=p/{k}.html>Lamp {k}</a>" for k in range(6))
PAGES = {
    "index.html": f"<h1>Shop</h1><ul>{ITEMS}</ul>{FILL}",
    **{
        f"p/{k}.html": f"<h1>Lamp {k}</h1><nav>Home</nav><main>{WORDS}</main><i>Good</i>{FILL}"
        for k in range(6)
    },
}
RECIPE = {
    "name": "shop",
    "kind": "shop",
    "generator": "by hand",
    "host": "shop.example",
    "trust": {},
    "folders": [["", ""]],
    "paths": list(PAGES),
    "types": [
        {"type": "start", "role": "index", "path": "^index", "title": "h1",
         "list": {"items": "li", "fields": {"name": "a"}}},
        {"type": "product", "role": "article", "title": "h1", "main": ["main"], "comments": "i"},
    ],
}  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BenchSite:
    path = tmp_path / "recipes" / "bench" / "shop.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(RECIPE), encoding="utf-8")
    monkeypatch.setattr(building, "RECIPES", tmp_path / "recipes")
    building.build("bench/shop", [repository(tmp_path / "shop.tar.gz", PAGES, "shop-1/")], tmp_path)
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path))
    return next(iter(read_bench(["shop"])))


def only_main(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]


def everything(html: str) -> dict[str, object]:
    """Return the truth of a page of the shop, read from its markup."""
    title = html.partition("<h1>")[2].partition("</h1>")[0]
    is_index = "<ul>" in html
    rows = [{"name": f"Lamp {k}"} for k in range(6)]
    return {
        "title": title.upper(),
        "text": only_main(html),
        "verdict": "index" if is_index else "article",
        "confidence": 0.9,
        "lists": [["other", "rows"], rows] if is_index else [],
    }


def labels(pages: list[tuple[str, str]]) -> list[str]:
    return ["start" if path.startswith("index") else "product" for path, _ in pages]


def fails(page: object) -> str:
    raise RuntimeError("broken")


HERE = "tests.experiments.test_site_benchmark"


def measures(shop: BenchSite, program: benchmark.Program) -> dict[str, float]:
    [record] = benchmark.compare([program], [shop])
    return record


def test_a_function_gets_all_measures(shop: BenchSite) -> None:
    found = measures(shop, benchmark.given(f"{HERE}:everything", False))
    assert found["pages"] == 7
    for name in ("text", "titles", "heads", "articles", "index", "best"):
        assert found[name] == 1.0
    assert found["list"] == 0.0
    assert found["error"] == pytest.approx(0.1)
    assert np.isnan(found["AUC"])  # all texts are good
    assert np.isnan(found["types"])


def test_a_clusterer_is_judged_by_its_types(shop: BenchSite) -> None:
    found = measures(shop, benchmark.given(f"{HERE}:labels", True))
    assert found["types"] == 1.0
    assert found["fields"] == ["type"]
    line = benchmark.table([found]).splitlines()[2]
    assert line.split(" | ")[2:4] == ["1.000", "-"]


def test_the_text_is_compared_with_and_without_comments(shop: BenchSite) -> None:
    truth = shop.truth["p/0.html"]
    for text in (truth["text"], f"{truth['text']} Good"):
        found = {path: {"text": text} for path in shop.types}
        assert benchmark.score(shop, found, ["p/0.html"])["text"] == 1.0
    assert 0 < benchmark.score(shop, {"p/0.html": {"text": "This lamp"}}, ["p/0.html"])["text"] < 0.5


def test_measures_without_a_trusted_truth_are_omitted(shop: BenchSite) -> None:
    shop.trust["text"] = False
    found = benchmark.score(shop, {"p/0.html": {"text": "x"}}, ["p/0.html"])
    assert np.isnan(found["text"])
    assert found["titles"] == 0.0


def test_commands_read_pages_and_write_text_or_json(shop: BenchSite) -> None:
    code = "import sys; html = sys.stdin.read(); print(html.split('<main>')[-1].split('</main>')[0])"
    assert measures(shop, benchmark.given(f'{sys.executable} -c "{code}"', False))["text"] == 1.0
    read = "{'type': 'i' in json.loads(line)['path']}"
    code = f"import json, sys; [print(json.dumps({read})) for line in sys.stdin]"
    assert measures(shop, benchmark.given(f'{sys.executable} -c "{code}"', True))["types"] == 1.0
    code = "import sys; [print('index' in line.split(',')[0]) for line in sys.stdin]"
    assert measures(shop, benchmark.given(f'{sys.executable} -c "{code}"', True))["types"] == 1.0


def test_failures_are_reported_and_count_as_wrong(
    shop: BenchSite, capsys: pytest.CaptureFixture[str]
) -> None:
    for what, whole in ((f"{HERE}:fails", False), (f"{HERE}:fails", True), ("false", False)):
        assert measures(shop, benchmark.given(what, whole))["text"] == 0.0
        assert "Error" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["nowhere.module:function", f"{HERE}:nothing"])
def test_an_unknown_function_gives_one_sentence(what: str) -> None:
    with pytest.raises(InputError, match="cannot be imported"):
        benchmark.given(what, False)


def test_webgrain_and_the_baseline_run(shop: BenchSite) -> None:
    programs = {one.name.partition(" (")[0]: one for one in benchmark.programs()}
    whole = measures(shop, programs["webgrain"])
    assert set(whole["fields"]) == {"type", "title", "text", "verdict", "confidence", "lists"}
    assert measures(shop, programs["path shingles"])["types"] > 0


def test_models_that_have_not_seen_a_site_are_used_and_put_back(shop: BenchSite, tmp_path: Path) -> None:
    from webgrain.base.errors import InputError as Damaged
    from webgrain.lists import ranking

    before = ranking.trained_lists()
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "lists.model").write_bytes(b"damaged")
    programs = {one.name.partition(" (")[0]: one for one in benchmark.programs(tmp_path)}
    assert "lists" not in benchmark.programs(tmp_path)[0].name
    assert "single, pairs, acceptance" in benchmark.programs(tmp_path)[0].name
    with pytest.raises(Damaged, match=r"lists\.model"):
        measures(shop, programs["webgrain, page alone"])
    (tmp_path / "0" / "lists.model").unlink()
    assert measures(shop, programs["webgrain, page alone"])["pages"] == 7
    assert ranking.trained_lists().names == before.names


def test_the_command_prints_a_table(
    shop: BenchSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = ["benchmark", "--programs", "path shingles", "--extractor", f"{HERE}:only_main", "--pages", "3"]
    monkeypatch.setattr(sys, "argv", [*call, "--records", str(tmp_path / "r.jsonl")])
    benchmark.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[-2:]] == ["| path shingles", f"| {HERE}:only_main"]
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 2
    assert decoded(b"x") == "x"
