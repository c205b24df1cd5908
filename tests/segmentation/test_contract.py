"""The contract of all segmentation methods."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.base.errors import ParameterError
from webgrain.base.estimator import create, family, load
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse

HOSTILE = {
    "empty": "",
    "one node": "x",
    "nothing visible": "<div hidden>x</div><script>y</script>",
    "6 000 deep": "<div>" * 6000 + "x",
    "siblings": "<p>x" * 300,  # the cost of their pairs grows with the square
    "deep and wide": "<div>y" * 200 + "<p>x" * 200,
    "nul": "a\0b<p>\0c",
}


@pytest.fixture(params=family("segmentation"))
def name(request):
    return request.param


def test_parameters_are_stored_unchanged(name):
    method = load(name)
    for parameter, default in method().get_params().items():
        if isinstance(default, bool):
            value = not default
        elif isinstance(default, float):
            value = default + 0.25
        elif isinstance(default, int):
            value = default + 1
        else:
            value = default
        assert method(**{parameter: value}).get_params() == {**method().get_params(), parameter: value}
        assert getattr(method(**{parameter: value}), parameter) is value


def test_predict_changes_neither_parameters_nor_pages(name):
    method, page = create(name), read(BLOG, "lines")
    params, text = method.get_params(), page.dom.text
    method.predict(page)
    assert method.get_params() == params
    assert page.dom.text == text


def test_parameters_in_records_are_plain_values(name):
    result = create(name).predict(read(BLOG))
    assert result.method == name
    assert json.loads(json.dumps(dict(result.params))) == dict(result.params)
    assert set(result.params) == set(create(name).get_params())


@pytest.mark.parametrize("layout", ["none", "lines"])
def test_the_same_seed_gives_the_same_result(name, layout):
    page = read(BLOG * 3, layout)
    seed = {"random_state": 7} if "random_state" in load(name)().get_params() else {}
    first, again = (create(name, **seed).predict(page) for _ in range(2))
    assert first.labels.tolist() == again.labels.tolist()
    assert first.energy == again.energy


@pytest.mark.parametrize("layout", ["none", "lines"])
@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_odd_pages_are_segmented(name, html, layout):
    page = read(html, layout)
    result = create(name).predict(page)
    assert result.labels.shape == (len(page.dom),)
    assert result.labels.dtype == np.int32
    assert np.isfinite(result.energy)


def test_deep_pages_are_segmented(name):
    page = parse(Source("deep", ("<div>" * 6000 + "x").encode()), Limits(depth=20_000))
    assert len(create(name).predict(page)) == 1


def test_wrong_parameters_raise_one_sentence(name):
    for wrong in (
        {"lam": -1.0},
        {"lam": float("nan")},
        {"lam": "0.5"},
        {"lam": True},
        {"weights": "best"},
        {"weights": 3},
        {"random_state": -1},
        {"random_state": 0.5},
        {"speed": 1},
    ):
        with pytest.raises(ParameterError) as error:
            create(name, **wrong)
        assert next(iter(wrong)) in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("pages", "labels", "message"),
    [
        (None, None, "Expected a list of pages, got NoneType"),
        (5, 5, "Expected a list of pages, got int"),
        ("<p>One", [[0]], "Expected a list of pages, got str"),
        ([1], [[0]], "Expected "),
        ([], [], "got 0 and 0"),
        (["<p>One"], None, "labels must be a list of integer arrays, got NoneType"),
        (["<p>One"], "a", "labels must be a list of integer arrays, got str"),
        (["<p>One"], [], "got 1 and 0"),
        (["<p>One"], [1], "a label per node"),
        (["<p>One"], [[1, 2]], "a label per node"),
        (["<p>One"], [[[1], [1, 2]]], "a label per node"),
        (["<p>One"], [["a"] * 5], "must be integers"),
        (["<p>One"], [np.zeros(5)], "must be integers"),
    ],
)
def test_fit_and_score_reject_other_types(name, pages, labels, message):
    for call in (create(name).fit, create(name).score):
        with pytest.raises(ParameterError, match=message) as error:
            call(pages, labels)
        assert "\n" not in str(error.value)


def test_saving_what_was_not_fitted_raises(name, tmp_path):
    with pytest.raises(ParameterError, match="has learnt nothing: call fit before save"):
        create(name).save(tmp_path / "method.json")
