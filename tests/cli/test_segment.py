from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.exceptions import Exit
from tests.papers.articles import article

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.cli.output import run
from webgrain.page.addresses import find_css, find_xpath
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_of
from webgrain.segmentation.segmenter import ROLES
from webgrain.site.learning import learn_site
from webgrain.site.typecut import TypeCut

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]
SEGMENT_FIELDS = [
    "id", "xpath", "css", "box", "text", "leaves", "role", "role_probability", "confidence",
    "block",
]  # fmt: skip
FIELDS = ["page", "url", "notes", "method", "params", "energy", "lower_bound", "gap", "segments", "blocks"]


def test_a_record_per_page(webgrain: Webgrain, site: Path) -> None:
    done = webgrain("segment", site)
    assert (done.code, done.err) == (0, "")
    assert [record["page"] for record in done.records] == ["index.html", "news/one.html"]
    for record in done.records:
        assert list(record) == FIELDS
        assert record["method"] == "learntcut"
        for segment in record["segments"]:
            assert list(segment) == SEGMENT_FIELDS
            assert segment["box"] is None  # without a browser
            assert segment["role"] in ROLES
            assert 0 < segment["role_probability"] <= 1
            assert 0 < segment["confidence"] < 1
    assert sum(segment["leaves"] for segment in done.records[1]["segments"]) == 3


def test_the_same_call_gives_the_same_bytes(webgrain: Webgrain, site: Path) -> None:
    assert webgrain("segment", site).out == webgrain("segment", site).out


def test_a_site_model_decides_about_the_pages_of_its_types(webgrain: Webgrain, tmp_path: Path) -> None:
    posts = [article(number, comments=number % 3).source for number in range(12)]
    (tmp_path / "new.html").write_bytes(posts[-1].body)
    model = learn_site(lambda: posts[:-1], "example.org")
    [label] = model.cuts
    decided = np.full_like(model.cuts[label].decided, -1)
    decided[:, 0] = 0  # nothing is opened
    cut = TypeCut(decided, np.zeros(len(decided)))
    replace(model, cuts={label: cut}).save(tmp_path / "model.json")
    alone, together, other = (
        webgrain("segment", tmp_path / "new.html", *options)
        for options in ((), ("--model", tmp_path / "model.json"),
                        ("--model", tmp_path / "model.json", "--method", "cclus"))
    )  # fmt: skip
    assert (together.code, together.err) == (0, "")
    assert len(together.records[0]["segments"]) == 1 < len(alone.records[0]["segments"])
    assert other.records[0]["method"] == "cclus"
    (tmp_path / "broken.json").write_text("{}")
    failed = webgrain("segment", tmp_path / "new.html", "--model", tmp_path / "broken.json")
    assert (failed.code, failed.out, len(failed.err.splitlines())) == (2, "", 1)


def test_parameters_reach_the_method(webgrain: Webgrain, site: Path) -> None:
    record = webgrain(
        "segment", site / "index.html", "--method", "cclus", "--lam", 0.25, "--seed", 7
    ).records[0]
    assert record["method"] == "cclus"
    assert (record["params"]["lam"], record["params"]["random_state"]) == (0.25, 7)


def test_without_a_layout_there_are_no_boxes(webgrain: Webgrain, site: Path) -> None:
    (record,) = webgrain("segment", site / "index.html", "--render", "none").records
    assert record["segments"]
    assert all(segment["box"] is None for segment in record["segments"])


def test_a_failed_page_is_a_record_and_the_others_are_processed(webgrain: Webgrain, site: Path) -> None:
    (site / "broken.html").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    done = webgrain("segment", site)
    assert done.code == 0
    failed, *others = done.records
    assert (failed["page"], failed["stage"]) == ("broken.html", "read")
    assert failed["error"]
    assert failed["seconds"] >= 0
    assert len(others) == 2
    assert done.err.startswith("webgrain: broken.html: read: ")
    assert webgrain("segment", site, "--strict").code == 1
    assert webgrain("segment", site / "index.html", "--strict").code == 0


def test_a_folder_has_fixed_names(webgrain: Webgrain, site: Path, tmp_path: Path) -> None:
    (site / "broken.html").write_bytes(b"GIF89a\x00")
    done = webgrain("segment", site, "-o", tmp_path / "out")
    assert (done.code, done.out) == (0, "")
    records = [json.loads(line) for line in (tmp_path / "out/segments.jsonl").read_text().splitlines()]
    failures = [json.loads(line) for line in (tmp_path / "out/failures.jsonl").read_text().splitlines()]
    assert [record["page"] for record in records] == ["index.html", "news/one.html"]
    assert [record["page"] for record in failures] == ["broken.html"]
    assert records == webgrain("segment", site).records[1:]


def test_what_was_cut_off_is_noted(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<i>" * 600 + "x")
    (record,) = webgrain("segment", tmp_path / "a.html").records
    assert record["notes"] == ["The page is nested 602 deep: deeper nodes are attached at depth 512."]


def test_an_input_without_pages_is_reported(webgrain: Webgrain, tmp_path: Path) -> None:
    done = webgrain("segment", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no page" in done.err


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_other_formats(webgrain: Webgrain, site: Path, tmp_path: Path, name: str) -> None:
    assert webgrain("segment", site, "--format", name, "-o", tmp_path / "out").code == 0
    assert (tmp_path / f"out/segments.{name}").stat().st_size > 0


def test_pictures(webgrain: Webgrain, site: Path, tmp_path: Path, browser_path: str) -> None:
    done = webgrain("segment", site, "-o", tmp_path / "out", "--overlay", "--html")
    assert done.code == 0
    assert re.fullmatch(r"webgrain: \d+ pages, 0 failures; the results are in .*\n", done.err)
    names = sorted(path.name for path in (tmp_path / "out/overlays").iterdir())
    assert names[0] == "index.html.png"
    assert len(names) == 2
    assert (tmp_path / "out/overlays/index.html.png").read_bytes().startswith(b"\x89PNG")
    assert "The first paragraph." in (tmp_path / "out/gallery.html").read_text(encoding="utf-8")
    plain = webgrain("segment", site).out
    assert (tmp_path / "out/segments.jsonl").read_text(encoding="utf-8") == plain


def test_the_browser_lays_out(webgrain: Webgrain, tmp_path: Path, browser_path: str) -> None:
    page = tmp_path / "a.html"
    page.write_text(
        "<body style='margin:0'><img style='position:absolute;left:321px;top:50px' width=40 height=30 src=x>"
    )
    (record,) = webgrain("segment", page, "--render", "chromium").records
    assert record["segments"][0]["box"] == [321, 50, 40, 30]


def test_paths_lead_to_the_segments(webgrain: Webgrain, site: Path) -> None:
    (record,) = webgrain("segment", site / "index.html").records
    page = parse(Source("index.html", (site / "index.html").read_bytes()))
    for segment in record["segments"]:
        by_xpath = [find_xpath(page.dom, path) for path in segment["xpath"]]
        by_css = [find_css(page.dom, path) for path in segment["css"]]
        assert None not in by_xpath
        assert by_xpath == by_css
        assert text_of(page, [node for node in by_xpath if node is not None]) == segment["text"]


def test_a_page_without_its_picture_still_has_a_result() -> None:
    written: list[object] = []
    results = [{"page": "a"}, Failure("a", "picture", "the browser has stopped")]
    run(results, nullcontext(written.append), strict=False)
    assert written == results
    with pytest.raises(Exit):
        run(results, nullcontext(written.append), strict=True)
    with pytest.raises(InputError, match="Each page failed"):
        run(results[1:], nullcontext(written.append), strict=False)
