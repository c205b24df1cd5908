from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.layouts.test_sitelayouts import article, listing

from webgrain.errors import InputError, ParameterError
from webgrain.layouts.sitelayouts import METHODS, SiteLayouts, read_layouts, write_layouts
from webgrain.layouts.webstemmer import OriginalWebstemmer, write_patterns
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def site() -> Any:
    articles = [article(number, comments=number % 3) for number in range(12)]
    return [*articles, *(listing(number, articles[number::3]) for number in range(3))]


@pytest.mark.parametrize("kind", METHODS.values())
def test_a_model_is_read_as_it_was_written(kind: Any, site: Any, tmp_path: Path) -> None:
    method = (kind() if kind is SiteLayouts else kind(mangle="[a-z]+")).fit(site)
    write_layouts(tmp_path / "m.json", method)
    again = read_layouts(tmp_path / "m.json")
    unseen = [article(99, comments=2), parse(Source("x", b"<p>Hello"))]
    assert [again.predict(page) for page in [*site, *unseen]] == [method.predict(p) for p in [*site, *unseen]]
    write_layouts(tmp_path / "n.json", again)
    assert (tmp_path / "n.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize("kind", METHODS.values())
def test_a_saved_method_is_loaded(kind: Any, site: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="not fitted"):
        kind().save(tmp_path / "m.json")
    method = kind(strict=True).fit(site)
    method.save(tmp_path / "m.json")
    loaded = kind.load(tmp_path / "m.json")
    assert loaded.get_params() == method.get_params()
    assert [loaded.predict(page) for page in site] == [method.predict(page) for page in site]


def test_thresholds_can_be_changed_on_reading(site: Any, tmp_path: Path) -> None:
    write_layouts(tmp_path / "m.json", SiteLayouts().fit(site))
    assert read_layouts(tmp_path / "m.json", main_threshold=1e6).predict(site[0]).verdict == "index"


def test_pattern_files_are_read_too(site: Any, tmp_path: Path) -> None:
    method = OriginalWebstemmer(mangle="[a-z]+").fit(site)
    write_patterns(tmp_path / "a.pat", method)
    again = read_layouts(tmp_path / "a.pat")
    assert isinstance(again, OriginalWebstemmer)
    assert again.predict(site[0]).text == method.predict(site[0]).text


def damaged(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Models in which one thing is wrong."""
    layout = told["layouts"][0]
    return [
        {key: value for key, value in told.items() if key != "paths"},
        told | {"params": {"speed": 1}},
        told | {"params": {"preset": "best"}},
        told | {"paths": [[5, "html", 1, "", 0.5]]},
        told | {"paths": [[-1, "html", 1, "no reason", 0.5]]},
        told | {"paths": 3},
        told | {"features": [[10**9, "", 1, False]]},
        told | {"layouts": [layout | {"container": []}]},
        told | {"layouts": [layout | {"frame": [-1]}]},
        told | {"layouts": [layout | {"title": "h1"}]},
        told | {"layouts": {"name": 1}},
        told | {"pages": 0},
        told | {"pages": None},
    ]


def test_damaged_models_are_refused_in_one_sentence(site: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    write_layouts(path, SiteLayouts().fit(site))
    told = json.loads(path.read_text("utf-8"))
    for wrong in [*damaged(told), told | {"version": 99}, told | {"format": "other"}]:
        path.write_text(json.dumps(wrong), "utf-8")
        with pytest.raises(InputError) as error:
            read_layouts(path)
        assert "\n" not in str(error.value)
        assert str(path) in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"PK\x03\x04", b"\xff\xfe", b"(1, 2", b"[]"])
def test_other_files_are_no_models(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(content)
    if content != b"\xff\xfe":
        with pytest.raises(InputError):
            read_layouts(tmp_path / "m")
    with pytest.raises(InputError):
        read_layouts(tmp_path / "none")
