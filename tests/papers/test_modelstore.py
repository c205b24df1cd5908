from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.papers.articles import article, listing

from webgrain.base.errors import InputError, ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.papers.webstemmer import Webstemmer
from webgrain.papers.webstemmer2007 import OriginalWebstemmer, read_layouts, write_patterns

if TYPE_CHECKING:
    from pathlib import Path

KINDS = pytest.mark.parametrize("kind", [Webstemmer, OriginalWebstemmer])


@pytest.fixture(scope="module")
def site() -> Any:
    articles = [article(number, comments=number % 3) for number in range(6)]
    return [*articles, *(listing(number, articles[number::3]) for number in range(3))]


@pytest.fixture(scope="module")
def fitted(site: Any) -> Webstemmer:
    return Webstemmer(mangle="[a-z]+").fit(site)


@KINDS
def test_a_model_equals_itself_after_saving_and_loading(kind: Any, site: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="not fitted"):
        kind().save(tmp_path / "m.json")
    method = kind(mangle="[a-z]+", strict=True).fit(site)
    method.save(tmp_path / "m.json")
    again = read_layouts(tmp_path / "m.json")
    assert type(again) is kind
    assert again.get_params() == method.get_params()
    unseen = [article(99, comments=2), parse(Source("x", b"<p>Hello"))]
    assert [again.predict(page) for page in [*site, *unseen]] == [method.predict(p) for p in [*site, *unseen]]
    again.save(tmp_path / "n.json")
    assert (tmp_path / "n.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_a_file_contains_the_class_or_a_subclass(fitted: Webstemmer, tmp_path: Path) -> None:
    fitted.save(tmp_path / "m.json")
    with pytest.raises(InputError, match="contains the estimator Webstemmer, not OriginalWebstemmer"):
        OriginalWebstemmer.load(tmp_path / "m.json")


def test_thresholds_can_be_changed_on_reading(fitted: Webstemmer, site: Any, tmp_path: Path) -> None:
    fitted.save(tmp_path / "m.json")
    assert read_layouts(tmp_path / "m.json").predict(site[0]).verdict == "article"
    assert read_layouts(tmp_path / "m.json", main_threshold=1e6).predict(site[0]).verdict == "index"


def test_pattern_files_are_read_too(site: Any, tmp_path: Path) -> None:
    method = OriginalWebstemmer(mangle="[a-z]+").fit(site)
    write_patterns(tmp_path / "a.pat", method)
    again = read_layouts(tmp_path / "a.pat")
    assert isinstance(again, OriginalWebstemmer)
    assert again.predict(site[0]).text == method.predict(site[0]).text


def damaged(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Models with a single wrong value."""
    state = values["state"]
    pattern = state["patterns"][0]
    states = [
        {"pages": 3},
        state | {"pages": None},
        state | {"patterns": 3},
        state | {"patterns": [pattern | {"score": "x"}]},
        state | {"patterns": [pattern | {"sections": [[0.5, 1.0]]}]},
        state | {"patterns": [{"name": "a"}]},
    ]
    return [
        *(values | {"state": state} for state in states),
        values | {"params": {"speed": 1}},
        values | {"estimator": ["Webstemmer"]},
        values | {"estimator": "KeyClus"},
        values | {"version": 99},
        values | {"format": "webgrain layouts"},
    ]


def test_damaged_models_are_rejected_in_one_sentence(fitted: Webstemmer, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    fitted.save(path)
    for wrong in damaged(json.loads(path.read_text("utf-8"))):
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
