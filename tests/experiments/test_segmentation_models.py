from __future__ import annotations

from experiments.training.modelcard import BEGIN, END, with_figures
from experiments.training.segmentation import METHODS, train_all, write_models

from webgrain.segmentation.costs import read_weights
from webgrain.segmentation.learntcut import read_blocks
from webgrain.segmentation.roles import read_describer


def test_the_files_and_the_figures(examples, tmp_path):
    trained = train_all(examples[:2])
    assert tuple(trained) == METHODS
    write_models(trained, "estimate", tmp_path)
    assert set(read_weights(tmp_path / "estimate.json").parameters) == {"gcuts", "cclus"}
    assert set(read_describer(tmp_path / "estimate.roles").confidence) == set(METHODS)
    assert read_blocks(tmp_path / "blocks-estimate.json").name == "trained"
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_models(trained, "estimate", tmp_path)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    card = with_figures(f"About\n{BEGIN}\nobsolete\n{END}\nmore", {"estimate": trained})
    assert "### Layout: estimate" in card
    assert "obsolete" not in card
    assert card.endswith(f"{END}\nmore")
    assert with_figures(card, {"estimate": trained}) == card
