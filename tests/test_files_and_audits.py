"""`webgrain.load`, `webgrain.audit`, `Site.predict` of several pages, and how results are displayed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import webgrain
from webgrain.base.errors import InputError, ParameterError
from webgrain.page.page import Source
from webgrain.pagetypes.pagetypes import TypeModel
from webgrain.papers.webstemmer2007 import OriginalWebstemmer, write_patterns
from webgrain.papers.weights import UNIFORM, write_weights
from webgrain.segmentation.segmenter import Segmenter, segmenter, write_segmenter
from webgrain.site.pipeline import pages, parsed_pages, segment_items
from webgrain.templates.template import write_template

HTML = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>" + "Words on {0}. " * 20
PAGES = [Source(f"{letter}.html", HTML.format(letter).encode()) for letter in "abcdefgh"]
NAMES = ["cup", "pot", "pan", "jug"]
SHOP = "<h1>Shop</h1><ul>" + "".join(f"<li><a href=/{name}>The {name}</a> 5 EUR" for name in NAMES) + "</ul>"


def _save_site(path: Path) -> object:
    webgrain.Site.fit(PAGES).save(path)
    return webgrain.Site


def _save_types(path: Path) -> object:
    webgrain.PageTypes().fit(PAGES).model_.save(path)
    return TypeModel


def _save_method(path: Path) -> object:
    webgrain.PageTypes().fit(PAGES).save(path)
    return webgrain.PageTypes


def _save_learner(path: Path) -> object:
    webgrain.SiteTemplate().fit(PAGES).save(path)
    return webgrain.SiteTemplate


def _save_template(path: Path) -> object:
    template = webgrain.SiteTemplate().fit(PAGES).template_
    assert template is not None
    write_template(path, template)
    return webgrain.Template


def _save_layouts(path: Path) -> object:
    webgrain.Webstemmer().fit(PAGES).save(path)
    return webgrain.Webstemmer


def _save_original_layouts(path: Path) -> object:
    OriginalWebstemmer().fit(PAGES).save(path)
    return OriginalWebstemmer


def _save_patterns(path: Path) -> object:
    write_patterns(path, OriginalWebstemmer().fit(PAGES), "a site")
    return OriginalWebstemmer


def _save_weights(path: Path) -> object:
    write_weights(path, UNIFORM)
    return type(UNIFORM)


def _save_segmenter(path: Path) -> object:
    labels = [webgrain.segment(page).labels for page in PAGES]
    method = webgrain.LearntCut().fit([webgrain.parse(page) for page in PAGES], labels)
    write_segmenter(path, Segmenter("learntcut", method, segmenter().classifier, "none"))
    return Segmenter


SAVERS = [value for name, value in list(globals().items()) if name.startswith("_save_")]


@pytest.mark.parametrize("save", SAVERS)
def test_load_returns_what_a_file_contains(tmp_path: Path, save: Callable[[Path], Any]) -> None:
    path = tmp_path / "file"
    class_ = save(path)
    for given in (path, str(path)):
        assert type(webgrain.load(given)) is class_


def test_a_loaded_site_predicts_as_before(tmp_path: Path) -> None:
    site = webgrain.Site.fit(PAGES)
    site.save(tmp_path / "site.json")
    assert (
        webgrain.load(tmp_path / "site.json").predict(PAGES[0]).to_dict() == site.predict(PAGES[0]).to_dict()
    )


def test_packaged_models_of_segmentation_are_loaded() -> None:
    from webgrain.segmentation import learntcut

    folder = Path(learntcut.__file__).parent / "trained"
    loaded = {path.name: webgrain.load(path) for path in folder.glob("*.json")}
    assert {type(value).__name__ for value in loaded.values()} <= {"BlockModel", "RoleClassifier"}
    assert loaded


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no model of webgrain"),
        (b"<p>Hello", "contains no model of webgrain"),
        (b"PK\3\4 damaged", "contains no model of webgrain"),
        (b'{"format": "webgrain site model", "version": 1}', "expected a webgrain site model of version"),
        (b'{"format": "another", "version": 1}', "contains 'another', which webgrain.load does not read"),
        (b'{"format": "webgrain estimator", "version": 1, "estimator": "os"}', "contains the estimator os"),
        (b'{"format": "webgrain estimator", "version": 1, "estimator": []}', "contains the estimator"),
        (b'{"format": 5}', "contains no model of webgrain"),
    ],
)
def test_load_states_what_is_wrong(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        webgrain.load(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_load_of_missing_files_and_wrong_types_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        webgrain.load(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        webgrain.load(tmp_path / "missing")
    for value in (None, 5, b"x", [], ""):
        with pytest.raises(ParameterError):
            webgrain.load(value)  # type: ignore[arg-type]


def test_an_audit_from_python_writes_and_returns_its_results(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    [result] = webgrain.audit(PAGES, folder, examples=1, workers=1, name="demo")
    assert repr(result) == "<SiteResults 'demo': 8 pages of 1 type, 0 failures>"
    assert result.report.is_file()
    assert result.table.is_file()
    assert isinstance(webgrain.load(result.folder / "site-model.json"), webgrain.Site)
    before = result.table.read_bytes()
    [again] = webgrain.audit(iter(PAGES), str(folder), examples=1, workers=1, name="demo")
    assert again.pages == 8
    assert again.table.read_bytes() == before
    with pytest.raises(InputError, match="input"):
        webgrain.audit(PAGES[1:], folder, examples=1, workers=1)


def test_an_audit_of_a_folder_is_that_of_its_pages(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for page in PAGES:
        (site / page.id).write_bytes(page.body)
    [result] = webgrain.audit(site, tmp_path / "out", examples=0, workers=1)
    assert (result.site, result.pages, len(result.failures)) == ("site", 8, 0)
    with pytest.raises(InputError, match="must not be inside the input"):
        webgrain.audit(str(site), site / "out")


def test_wrong_calls_of_an_audit_are_errors(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for value in (None, 5, b"<p>", "<p>Hello", [], PAGES[0], [5]):
        with pytest.raises(ParameterError):
            webgrain.audit(value, out)
    with pytest.raises(InputError):
        webgrain.audit(tmp_path / "missing", out)
    for name, value in {"sample": 0, "examples": -1, "method": "no", "render": "no", "name": 5}.items():
        with pytest.raises(ParameterError):
            webgrain.audit(PAGES, out, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="earlier audit"):
        webgrain.audit(PAGES, out, since=tmp_path / "missing")
    with pytest.raises(InputError):
        webgrain.audit(PAGES, out, queries=tmp_path / "missing.csv")
    assert not out.exists()


def test_an_audit_without_a_readable_page_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    with pytest.raises(InputError, match="nothing to audit"):
        webgrain.audit(tmp_path / "site", tmp_path / "out", workers=1)
    assert not (tmp_path / "out" / "work").exists()


def test_a_site_predicts_several_pages() -> None:
    site = webgrain.Site.fit(PAGES)
    expected = [site.predict(page).to_dict() for page in PAGES[:3]]
    for given in (PAGES[:3], tuple(PAGES[:3]), iter(PAGES[:3])):
        assert [prediction.to_dict() for prediction in site.predict(given)] == expected
    assert site.predict([]) == []
    for value in (None, 5, {"a": "<p>"}, [5]):
        with pytest.raises(ParameterError):
            site.predict(value)  # type: ignore[call-overload]


def test_lists_are_tables_in_a_notebook() -> None:
    lists = webgrain.find_lists(SHOP.replace("The pot", "The &lt;b&gt;pot"))
    assert isinstance(lists, tuple)
    table = lists._repr_html_()
    assert table.count("<tr>") == 1 + len(NAMES)
    assert "The &lt;b&gt;pot" in table
    assert "<b>pot" not in table
    assert lists[0]._repr_html_() in table
    assert webgrain.find_lists("<p>Hello")._repr_html_() == "<p>no list</p>"


def test_public_generators_state_how_they_are_used() -> None:
    made = [webgrain.read(PAGES), pages(PAGES), parsed_pages(PAGES), segment_items(PAGES, segmenter())]
    for items in made:
        assert repr(items).endswith("one at a time: use a for loop, or list(...)>")
        next(items)
        items.close()  # type: ignore[attr-defined]
