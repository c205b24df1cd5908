"""Training of the models that come with webgrain: files and model card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from experiments.training.modelcard import BEGIN, END, METHODS, with_figures
from experiments.training.segmentation import BASELINES, baseline_parameters, train_all, write_models
from tests.views import with_lines

from webgrain.evaluation.datasets import Example
from webgrain.io.labels import truth_of
from webgrain.page.parsing import parse
from webgrain.papers.weights import read_weights
from webgrain.segmentation.features.units import UNIT_FEATURES
from webgrain.segmentation.learntcut import read_blocks
from webgrain.segmentation.segmenter import SECTIONS, read_classifier


def labelled_pages() -> list[Example]:
    examples = []
    for made in make_pages(2, random_state=3):
        page = parse(made.source)
        page = with_lines(page)
        examples.append(Example(page, truth_of(page, made.segments), made.segments))
    return examples


@pytest.mark.full
def test_training_writes_files_and_figures(tmp_path: Path) -> None:
    trained, baselines = train_all(labelled_pages()), baseline_parameters(labelled_pages())
    assert tuple(trained) == METHODS
    write_models(trained, baselines, "chromium", tmp_path, tmp_path)
    assert set(read_weights(tmp_path / "weights-chromium.json").parameters) == {*METHODS[1:], *BASELINES}
    classifier = read_classifier(tmp_path / "chromium.roles")
    assert set(classifier.confidence) - {SECTIONS} == set(METHODS)
    blocks = read_blocks(tmp_path / "blocks-chromium.json")
    assert blocks.name == "trained"
    assert blocks.marked.odds(np.zeros((1, len(UNIT_FEATURES)))).shape == (1,)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_models(trained, baselines, "chromium", tmp_path, tmp_path)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    card = with_figures(f"About\n{BEGIN}\nobsolete\n{END}\nmore", {"chromium": trained})
    assert "### Layout: chromium" in card
    assert "obsolete" not in card
    assert card.endswith(f"{END}\nmore")
    assert with_figures(card, {"chromium": trained}) == card
    alone = {"learntcut": trained["learntcut"]}
    write_models(alone, {}, "chromium", tmp_path, tmp_path)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert with_figures(card, {"chromium": alone}) == card
