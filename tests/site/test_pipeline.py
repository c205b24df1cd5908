from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.views import with_lines

import webgrain
from webgrain.base.errors import MissingExtraError, ParameterError, ReadError, RenderError
from webgrain.base.failures import Failure
from webgrain.io.store import read_store
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation
from webgrain.papers.gcuts import GCuts
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.pipeline import Layout, Segmented, pages, parsed_pages, segment_items
from webgrain.site.shards import write_shard
from webgrain.site.stages.samples import lay_out
from webgrain.site.workspace import SiteFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Broken:
    """A method that fails on some pages."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def predict(self, page: Page) -> Segmentation:
        if page.id == "bad":
            raise self.error
        return Segmentation(np.full(len(page.dom), -1, np.int32), "broken")


def sources(*names: str) -> list[Source]:
    return [Source(name, b"<p>Hello") for name in names]


def test_a_bug_fails_a_single_page() -> None:
    first, failure, last = segment_items(sources("a", "bad", "b"), Broken(KeyError("x")))
    assert isinstance(first, Segmented)
    assert isinstance(last, Segmented)
    assert isinstance(failure, Failure)
    assert (failure.page, failure.stage) == ("bad", "segment")
    assert failure.error == "internal error: KeyError: 'x'"
    assert failure.seconds >= 0


def test_a_page_error_contains_the_stage() -> None:
    (failure,) = segment_items(sources("bad"), Broken(ReadError("the bytes are gone")))
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.error) == ("read", "the bytes are gone")


def test_what_would_come_up_on_every_page_is_raised() -> None:
    with pytest.raises(MissingExtraError, match="pip install"):
        list(segment_items(sources("bad"), Broken(MissingExtraError("pip install 'webgrain[render]'"))))


def test_failures_pass_through() -> None:
    failure = Failure("a", "read", "it is no HTML", 0.5, "http://example.org/a")
    assert list(segment_items([failure], GCuts())) == [failure]


def test_pages_are_taken_one_at_a_time() -> None:
    taken = []

    def items() -> Iterator[Source]:
        for source in sources("a", "b"):
            taken.append(source.id)
            yield source

    results = segment_items(items(), GCuts())
    assert taken == []
    next(results)
    assert taken == ["a"]


def test_a_stored_layout_is_kept() -> None:
    (page,) = parsed_pages(sources("a"))
    assert isinstance(page, Page)
    stored = replace(with_lines(page), source=None)
    (result,) = segment_items([stored], GCuts())
    assert isinstance(result, Segmented)
    assert result.page.view is stored.view


def test_a_picture_changes_no_result_and_one_of_other_nodes_is_refused(browser_path: str) -> None:
    html = b"<style>p{margin:40px}</style><p>One<p>Two<div style='display:flex'><p>Three<p>Four</div>"
    shadow = b"<div><template shadowrootmode=open><p>In the shade</template></div><p>Hello"
    [plain] = segment_items([Source("a", html)], GCuts())
    pictured, refused = segment_items(
        [Source("a", html), Source("b", shadow)], GCuts(), Layout(screenshot=True)
    )
    assert isinstance(plain, Segmented)
    assert isinstance(pictured, Segmented)
    assert plain.picture is None
    assert isinstance(pictured.picture, Page)
    assert pictured.picture.view is not None
    assert pictured.picture.view.source == "chromium"
    assert pictured.segmentation.labels.tolist() == plain.segmentation.labels.tolist()
    assert isinstance(refused, Segmented)
    assert isinstance(refused.picture, Failure)
    assert "another tree" in refused.picture.error


def test_a_page_without_a_picture_keeps_its_segments(browser_path: str) -> None:
    (result,) = segment_items([Source("a", b"<p>Hello")], GCuts(), Layout(screenshot=True, timeout=1e-6))
    assert isinstance(result, Segmented)
    assert len(result.segmentation) == 1
    assert isinstance(result.picture, Failure)
    assert result.picture.stage == "render"


class Files(dict[str, bytes]):
    """Assets in memory."""

    def read(self, path: str) -> bytes | None:
        return self.get(path)


@pytest.mark.parametrize(("sheets", "visible"), [(True, False), (False, True)])
def test_style_sheets_beside_the_page_are_read_by_default(sheets: bool, visible: bool) -> None:
    html = b"<link rel=stylesheet href=a.css><p>Hidden"
    source = Source("a", html, assets=Files({"a.css": b"p { display: none }"}))
    (page,) = pages([source], Layout(sheets=sheets))
    assert isinstance(page, Page)
    assert page.view is None
    assert bool(visible_nodes(page)[page.dom.find_tag("p")].any()) is visible


def test_a_parsed_page_is_laid_out_with_the_style_sheets_of_its_source() -> None:
    html = b"<link rel=stylesheet href=a.css><p>Hidden<div>Shown"
    page = parse(Source("a", html, assets=Files({"a.css": b"p { display: none }"})))
    [laid_out] = pages([page])
    [from_source] = pages([page.source] if page.source else [])
    assert isinstance(laid_out, Page)
    assert isinstance(from_source, Page)
    assert laid_out.hidden is not None
    assert from_source.hidden is not None
    assert np.array_equal(laid_out.hidden, from_source.hidden)
    assert laid_out.hidden[laid_out.dom.find_tag("p")].all()
    assert next(pages([laid_out])) is laid_out
    [without] = parsed_pages([laid_out])
    assert isinstance(without, Page)
    assert without.view is without.hidden is None
    assert next(parsed_pages([page])) is page


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"render": "estimate"}, "render 'estimate' was removed: use 'none', or 'chromium' for boxes"),
        ({"render": "webkit"}, "render must be one of none, chromium"),
        ({"javascript": True}, "javascript needs the browser"),
        ({"network": True}, "network needs the browser"),
        ({"timeout": 0.0}, "timeout must be a positive number"),
    ],
)
def test_wrong_layouts_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Layout(**wrong)  # type: ignore[arg-type]


class _NoBrowser:
    """A browser that renders no page with the word bad."""

    def prepare(self) -> None:
        pass

    def render(self, source: Source, limits: Limits, screenshot: bool = False) -> Page:
        if b"bad" in source.body:
            raise RenderError("the page hangs.")
        return with_lines(parse(source, limits))


@pytest.mark.parametrize("method", ["learntcut", "gcuts"])
def test_a_page_that_the_browser_cannot_render_is_segmented_without_boxes(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr("webgrain.site.pipeline._browser", lambda layout: nullcontext(_NoBrowser()))
    sources = [Source("a", b"<h1>One</h1><p>Two"), Source("b", b"<h1>One</h1><p>bad")]
    first, second = segment_items(sources, segmenter(method), Layout(render="chromium"))
    assert isinstance(first, Segmented)
    assert first.page.view is not None
    assert isinstance(second, Segmented)
    assert second.page.view is None
    assert second.page.notes == ("The page has no boxes: the page hangs.",)
    assert len(second.segmentation)


def test_python_segments_a_page_that_the_browser_cannot_render(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.site.pipeline._browser", lambda layout: nullcontext(_NoBrowser()))
    segmentation = webgrain.segment("<h1>One</h1><p>bad", render="chromium")
    record = segmentation.to_dict()
    assert record["notes"] == ["The page has no boxes: the page hangs."]
    assert {segment["box"] for segment in record["segments"]} == {None}
    [failure] = pages([Source("b", b"<p>bad")], Layout(render="chromium"))
    assert isinstance(failure, Failure)


def test_sample_pages_that_the_browser_cannot_render_stay_without_boxes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("webgrain.site.pipeline._browser", lambda layout: nullcontext(_NoBrowser()))
    shard = write_shard(tmp_path / "0", [Source("a", b"<p>Good"), Source("b", b"<p>bad")])
    site = SiteFiles("", (shard,), tmp_path, tmp_path)
    lay_out(Layout(render="chromium"), (site, ("a", "b")))
    good, bad = read_store(site.samples)
    assert isinstance(good, Page)
    assert isinstance(bad, Page)
    assert (good.view is None, bad.view is None) == (False, True)
    [failure] = map(json.loads, site.sample_failures.read_text().splitlines())
    assert (failure["page"], failure["stage"]) == ("b", "render")


def test_a_page_without_boxes_that_a_method_cannot_segment_is_a_failure_of_the_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webgrain.site.pipeline._browser", lambda layout: nullcontext(_NoBrowser()))
    method = Broken(KeyError("no boxes"))
    [failure] = segment_items([Source("bad", b"<p>bad")], method, Layout(render="chromium"))
    assert isinstance(failure, Failure)
    assert (failure.page, failure.stage, failure.error) == ("bad", "render", "the page hangs.")
