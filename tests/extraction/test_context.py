"""Features of blocks by the probabilities around them."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.columns.blocks import PageFacts, features
from webgrain.extraction.sitetexts import context, context_names
from webgrain.page.parsing import as_page
from webgrain.page.text import text_blocks

HTML = "<div><h2>One</h2><p>Two<p>Three</div><div><h2>Four</h2><p>Five</div>"


def columns(main: list[float], html: str = HTML) -> dict[str, np.ndarray]:
    page = as_page(html)
    facts = PageFacts(page.dom, text_blocks(page))
    x = context(facts, features(facts), np.array(main), np.zeros(len(main)))
    return dict(zip(context_names(), x.T, strict=True))


def test_neighbours_are_those_before_and_behind():
    x = columns([0.5, 0.9, 0.1, 0.5, 0.5])
    assert x["main 1 behind"][0] == pytest.approx(x["main"][1])
    assert x["main 1 before"][2] == pytest.approx(x["main"][1])
    assert x["main 1 before"][0] == x["main 2 behind"][4] == -9


def test_a_container_has_the_mean_of_its_blocks():
    x = columns([1.0, 1.0, 1.0, 0.0, 0.0])
    assert x["main in 0"].tolist() == [1, 1, 1, 0, 0]
    assert x["main before"].tolist()[-1] == 1


def test_blocks_are_compared_below_their_heading_and_at_their_path():
    x = columns([0.0, 1.0, 1.0, 0.0, 0.0])
    assert (
        x["main below the heading"][1] == x["main below the heading"][2] > x["main below the heading"][4] == 0
    )
    assert x["main at path"][4] == x["main at path"][1] > 0


@pytest.mark.parametrize("main", [[0.0] * 5, [1.0] * 5])
def test_all_values_are_finite(main: list[float]):
    assert all(np.isfinite(column).all() for column in columns(main).values())
