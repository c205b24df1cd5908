from __future__ import annotations

import csv
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from experiments.datasets.synthetic_pages import make_pages

from webgrain.io.labels import write_labels
from webgrain.papers.gcuts import GCuts
from webgrain.papers.weights import UNIFORM
from webgrain.segmentation.segmenter import Segmenter, write_segmenter

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    made = make_pages(3)
    for page in made:
        (tmp_path / page.source.id).write_bytes(page.source.body)
    write_labels(tmp_path / "labels.jsonl", made)
    return tmp_path / "labels.jsonl"


def test_a_table_for_each_kind(webgrain: Webgrain, labels: Path) -> None:
    ended = webgrain("eval", "segments", labels, "--method", "gcuts", "--method", "cclus:trials=5,lam=0.7")
    assert ended.code == 0
    tables = [table.splitlines() for table in ended.out.strip().split("\n\n")]
    marked = tables.pop()
    head = ["marked", "nested", "any_level", "default_level", "unequal", "role_f1"]
    assert marked[0].split() == head
    assert [line.split()[0] for line in marked[-2:]] == ["gcuts", "cclus:trials=5,lam=0.7"]
    assert marked[-3].startswith("best cut of the tree ")
    assert [table[0].split(",")[0] for table in tables] == ["fine", "blocks", "top"]
    for table in tables:
        assert "3 pages" in table[0]
        assert table[-1].startswith("cclus:trials=5,lam=0.7  ")
        assert [line for line in table if line.startswith("best cut of the tree")]
        assert table[-2].split()[-2:] == [".000", ".000"]  # gcuts against itself


def test_records(webgrain: Webgrain, labels: Path) -> None:
    options = ("--method", "gcuts", "--kind", "top", "--format")
    ended = webgrain("eval", "segments", labels, *options, "jsonl")
    rows = {row["method"]: row for row in ended.records}
    assert rows["one per leaf"]["ari"] == 0.0
    assert rows["best cut of the tree"]["difference"] >= 0.0
    assert rows["gcuts"]["kind"] == "top"
    table = list(csv.DictReader(webgrain("eval", "segments", labels, *options, "csv").out.splitlines()))
    assert [row["method"] for row in table] == list(rows)
    assert float(table[-1]["ari"]) == pytest.approx(rows["gcuts"]["ari"])


def test_scores_by_annotator_and_by_kind_of_page(webgrain: Webgrain, labels: Path) -> None:
    records = [json.loads(line) for line in labels.read_text().splitlines()]
    second = [record | {"annotator": "lee"} for record in records[:1]]
    first = [record | {"annotator": "kim", "kind": "product", "text": "Nothing"} for record in records]
    labels.write_text("\n".join(map(json.dumps, [*first, *second])))
    options = ("--kind", "marked", "--method", "learntcut", "--format", "jsonl")
    *baselines, row = webgrain("eval", "segments", labels, *options).records
    assert [baseline["role_f1"] for baseline in baselines] == [None] * len(baselines)
    assert {"nested", "unequal", "role_f1", "ari kim", "ari lee", "text product"} < set(row)
    assert 0.0 < row["nested"] <= 1.0
    assert row["text product"] == 0.0
    *_, learnt = webgrain("eval", "segments", labels, *options, "--cross-validate", "2").records
    assert set(learnt) == set(row)
    assert "needs" not in webgrain("eval", "segments", labels, *options[:4]).err
    assert webgrain("eval", "segments", labels, *options[:-1], "csv").code == 2


def test_pages_with_one_segment_cannot_be_scored(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>One<p>Two")
    record = {"page": "a.html", "segments": [{"xpath": "/html[1]/body[1]"}]}
    (tmp_path / "labels.jsonl").write_text(json.dumps(record))
    ended = webgrain("eval", "segments", tmp_path / "labels.jsonl", "--method", "gcuts", "--kind", "fine")
    assert ended.code == 2
    assert "No page has two marked segments" in ended.err


def test_control_characters_of_groups_are_not_printed(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>One")
    record = {"page": "a.html", "group": "\u001b[31mred\n\ud800x", "text": "One"}
    (tmp_path / "truths.jsonl").write_text(json.dumps(record))
    ended = webgrain("eval", "extraction", tmp_path / "truths.jsonl")
    assert ended.code == 0
    assert "\u001b" not in ended.out
    assert "[31mred x: webgrain" in ended.out


def test_pages_of_which_nothing_is_known_are_an_error(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>One")
    (tmp_path / "truths.jsonl").write_text('{"page": "a.html"}')
    ended = webgrain("eval", "extraction", tmp_path / "truths.jsonl")
    assert ended.code == 2
    assert "Nothing is known" in ended.err


def test_a_plot(webgrain: Webgrain, labels: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    options = ("--method", "gcuts", "--kind", "top", "--kind", "fine")
    ended = webgrain("eval", "segments", labels, *options, "--plot", tmp_path / "ari.png")
    assert ended.code == 0
    assert "gcuts" in ended.out
    assert (tmp_path / "ari.png").read_bytes().startswith(b"\x89PNG")


def test_weights_from_files(webgrain: Webgrain, labels: Path, tmp_path: Path) -> None:
    write_segmenter(tmp_path / "a.zip", Segmenter("gcuts", GCuts(weights=UNIFORM)))
    options = ("--kind", "fine", "--format", "jsonl")
    ended = webgrain(
        "eval", "segments", labels, *options, "--weights", tmp_path / "a.zip", "--method", "gcuts"
    )
    first, second = ended.records[-2:]
    assert (first["method"], second["method"]) == ("gcuts", str(tmp_path / "a.zip"))
    uniform = webgrain("eval", "segments", labels, *options, "--method", "gcuts:weights=uniform").records[-1]
    assert second["ari"] == uniform["ari"] != first["ari"]


def test_methods_are_learnt_anew_for_each_fold(webgrain: Webgrain, labels: Path) -> None:
    options = ("--kind", "fine", "--method", "learntcut", "--cross-validate", "3")
    assert webgrain("eval", "segments", labels, *options).out.startswith("fine, 3 pages, 3 folds ")
    row = webgrain("eval", "segments", labels, *options, "--format", "jsonl").records[-1]
    assert row["folds"] == 3


def test_rows_for_pages_and_no_layout(webgrain: Webgrain, labels: Path) -> None:
    options = ("--render", "none", "--kind", "fine", "--method", "gcuts", "--format", "jsonl", "--pages")
    rows = [row for row in webgrain("eval", "segments", labels, *options).records if row["method"] == "gcuts"]
    assert [row["page"] for row in rows] == ["page-0.html", "page-1.html", "page-2.html"]
    assert rows[0]["b3_area"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--method", "cuts"),
            "method must be one of gcuts, cclus, learntcut, gcuts-certified, gcuts-np, gcuts-nl, cclus-nl, "
            "got 'cuts'.",
        ),
        (
            ("--method", "keyclus"),
            "method must be one of gcuts, cclus, learntcut, gcuts-certified, gcuts-np, gcuts-nl, cclus-nl, "
            "got 'keyclus'.",
        ),
        (("--method", "gcuts:size=3"), "gcuts has no parameter size"),
        (("--method", "gcuts:lam=high"), "lam must be a finite number, got 'high'"),
        (("--pages",), "--pages needs --format csv or jsonl"),
        (("--plot", "ari.pdf"), "--plot must be the name of a .png file, got ari.pdf"),
        (("--plot", "nowhere/ari.png"), "Expected the name of a file in an existing folder"),
        (("--cross-validate", "9"), "n_folds must be in 2..3, the number of sites, got 9"),
        (("--weights", "nowhere.zip"), "nowhere.zip"),
        (("--part", "val"), "--part must be omitted: the data has no split.json, got val"),
    ],
)
def test_mistakes(webgrain: Webgrain, labels: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = webgrain("eval", "segments", labels, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_no_data(webgrain: Webgrain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path / "nowhere"))
    ended = webgrain("eval", "segments")
    assert ended.code == 2
    assert "set WEBGRAIN_DATA" in ended.err
