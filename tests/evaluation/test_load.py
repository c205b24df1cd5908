from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.conftest import PATIENCE

from webgrain.base.errors import InputError
from webgrain.evaluation import datasets as load
from webgrain.io.labels import write_labels
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    made = make_pages(2)
    for page in made:
        (tmp_path / page.source.id).write_bytes(page.source.body)
    write_labels(tmp_path / "labels.jsonl", made)
    return tmp_path / "labels.jsonl"


def test_hidden_nodes_are_known_by_default(labels: Path) -> None:
    for example in load.load_examples(labels):
        assert example.page.view is None
        assert example.page.hidden is not None
        assert (example.truth.fine >= 0).all()
        assert len(example.segments) > 3


def test_no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(load.DATA_VARIABLE, str(tmp_path))
    with pytest.raises(
        InputError, match=r"no labelled data at .*segmentation: name it, or set WEBGRAIN_DATA"
    ):
        load.load_examples()


@pytest.mark.browser
def test_the_browser_is_asked_once(
    labels: Path, browser_path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = load.load_examples(labels, Layout("chromium", timeout=PATIENCE))
    monkeypatch.setattr(load, "_rendered", None)  # a second rendering would fail
    again = load.load_examples(labels, Layout("chromium", timeout=PATIENCE))
    for one, other in zip(first, again, strict=True):
        assert one.page.view is not None
        assert other.page.view is not None
        assert np.array_equal(one.page.view.box, other.page.view.box)
        assert one.page.view.source == "chromium"


@pytest.mark.browser
def test_a_page_that_fails_has_no_layout_and_is_not_kept(
    labels: Path, browser_path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    examples = load.load_examples(labels, Layout("chromium", timeout=1e-6))
    assert all(example.page.view is None for example in examples)
    assert "No layout: the browser gave no result" in examples[0].page.notes[0]
    assert not list((tmp_path / "cache").glob("**/*.parquet"))
